# core_waits_checks.tcl - the time without a core, hatched, in a window of a log of core_waits_log.py, at the scale
# ::env(SCALE). ::env(GAINS) is a file with the time without a core between two values: rank, begin, end, ns.
source [file join [file dirname [info script]] window_tap.tcl]
prefer scale $::env(SCALE)

set gains {}
set file [open $::env(GAINS)]
while {[gets $file line] >= 0} {
    lappend gains $line
}
::close $file
proc without_core {of from to} {
    variable gains
    set sum 0.0
    foreach gain $gains {
        lassign $gain rank begin end ns
        set part [expr {double(min($to, $end) - max($from, $begin)) / ($end - $begin)}]
        if {$rank == $of && $part > 0} {
            set sum [expr {$sum + $ns * $part}]
        }
    }
    return $sum
}
# Of the two ranks, the first columns that are hatched and should not be, or the other way round; the number of each kind.
proc wrong_columns {lines} {
    variable plot
    variable photo
    sync
    lassign [window] t0 t1
    set width [winfo width $plot]
    set wrong {}
    set counts {0 0 1 0}
    foreach rank {0 1} {
        set row [lsearch -index 2 [row_list] "rank $rank"]
        for {set x 2} {$x < $width - 2} {incr x} {
            set from [expr {($t0 + ($t1 - $t0) * $x / $width) * 1e9}]
            set to [expr {($t0 + ($t1 - $t0) * ($x + 1) / $width) * 1e9}]
            set part [expr {[without_core $rank $from $to] / ($to - $from)}]
            if {abs($part - 0.5) < 0.02} continue
            set is 0
            for {set y [expr {int($row * [height]) + 3}]} {$y < ($row + 1) * [height] - 3} {incr y} {
                set is [expr {$is || [format %02x%02x%02x {*}[$photo get $x $y]] eq $lines}]
            }
            dict incr counts $is
            if {$is != ($part > 0.5)} {
                lappend wrong "rank $rank x $x: $is, $part"
            }
        }
    }
    puts "# $counts"
    return [list [expr {min([dict get $counts 0], [dict get $counts 1]) > 200}] {*}[lrange $wrong 0 3]]
}
names off
height [expr {20 * $::env(SCALE)}]
is [wrong_columns a7b1bb] 1 "the hatched columns"
zoom 0.1 0.2
is [wrong_columns a7b1bb] 1 "and zoomed"
theme dark
is [wrong_columns 66727e] 1 "and in the dark theme"
theme light
core_waits off
like [wrong_columns a7b1bb] {^0 } "switched off: nothing is hatched"
prefer core_waits off
prefer core_waits on
is [wrong_columns a7b1bb] 1 "switched on again by the preference"
fit
sync

# The pointer over calls: how long they had no core.
set wrong {}
set said_none 0
foreach gain $gains {
    lassign $gain rank begin end ns
    set row [lsearch -index 2 [row_list] "rank $rank"]
    set hit [at [expr {$begin + 10}]ns $row]
    if {$hit eq {}} continue
    lassign [list [dict get $hit start] [dict get $hit end]] from to
    set want [without_core $rank $from $to]
    zoom ${from}ns ${to}ns
    set said [point [expr {($from + $to) / 2e9}] $row]
    if {![regexp {no core for (.*), ([0-9.e+-]+) %} $said - time percent]} {
        incr said_none
        set percent 0
    }
    if {abs($percent - 100.0 * $want / ($to - $from)) > 0.6} {
        lappend wrong "$said, not [expr {100.0 * $want / ($to - $from)}] %"
    }
}
is [list [expr {$said_none > 2 && $said_none < 25}] {*}[lrange $wrong 0 2]] 1 "the pointer says how long a call had no core"
done
