# flame_checks.tcl - the rows of functions below the states of an unfolded lane, in a window of a log that flame_log.py
# makes, at the scale ::env(SCALE). ::env(BARS) is a file with its bars: rank, thread, depth, name, begin and end of
# each; FLAMES and PRINTED: the functions and the log as `pith print` has them.
source [file join [file dirname [info script]] window_tap.tcl]

set bars {}
set file [open $::env(BARS)]
while {[gets $file line] >= 0} {
    lassign $line rank thread depth name begin end
    dict lappend bars "$rank $thread" [list $depth $name $begin $end]
}
::close $file
proc deepest {lane} {
    variable bars
    tcl::mathfunc::max {*}[lmap bar [dict get $bars $lane] {lindex $bar 0}]
}
proc depth_labels {count} {
    set labels {}
    for {set depth 1} {$depth <= $count} {incr depth} {
        lappend labels "depth $depth"
    }
    return $labels
}
proc labels_of {} { lmap row [row_list] {lindex $row 2} }

prefer scale $::env(SCALE)
sync
is [labels_of] {{rank 0} 0.1 {rank 1} {rank 2}} "closed: a row for each thread"
set folded [stats]
unfold_rows 0
sync
set depths [expr {[deepest "0 0"] + 1}]
is [labels_of] [list "rank 0" {*}[depth_labels $depths] 0.1 "rank 1" "rank 2"] \
    "unfolded: a row for each depth of its functions"
is [stats] $folded "and the lane still counts once in the sums"

# Every pixel column of every depth: the colour of the bar that fills it, or no bar's colour where there is none.
names off
set lane "0 0"
set colours {}
set file [open $::env(FLAMES)]
while {[gets $file line] >= 0} {
    if {[regexp {^# state\tname=(\[no core\]|\S+).*\tcolour=#(\w+)} $line - name colour]} {
        set name [string map {{ } _} $name]
        dict lappend colours $name $colour
    }
}
::close $file
set all [concat {*}[dict values $colours]]

# The bar that fills the columns from X-1 to X, {} something else, `none` if nothing is near.
proc wanted {depth x} {
    variable bars
    variable lane
    variable plot
    lassign [window] t0 t1
    set column [expr {($t1 - $t0) * 1e9 / [winfo width $plot]}]
    set from [expr {$t0 * 1e9 + $x * $column}]
    set near none
    foreach bar [dict get $bars $lane] {
        lassign $bar at name begin end
        if {$at != $depth || $begin > $from + 2 * $column || $end < $from - $column} continue
        if {$begin <= $from - $column && $end >= $from + $column} {
            return $bar
        }
        set near {}
    }
    return $near
}
# `scrolled`: rows above the picture.
proc wrong_columns {{scrolled 0}} {
    variable plot
    variable photo
    variable depths
    variable colours
    variable all
    sync
    set wrong {}
    set compared 0
    for {set depth 0} {$depth < $depths} {incr depth} {
        set y [expr {int(($depth + 1.5 - $scrolled) * [height])}]
        if {$y >= [winfo height $plot]} break
        for {set x 2} {$x < [winfo width $plot] - 2} {incr x} {
            set bar [wanted $depth $x]
            set got [format %02x%02x%02x {*}[$photo get $x $y]]
            if {$bar eq {}} continue
            incr compared
            if {$bar eq "none" ? $got in $all : $got ni [dict get $colours [lindex $bar 1]]} {
                lappend wrong "x $x depth $depth: $got, for $bar"
            }
        }
    }
    puts "# $compared columns"
    return [list [expr {$compared > 500}] {*}[lrange $wrong 0 3]]
}
height [expr {14 * $::env(SCALE)}]
is [wrong_columns] 1 "the picture of all depths"
zoom 0.03 0.05
is [wrong_columns] 1 "and zoomed"
height [expr {60 * $::env(SCALE)}]
sync
focus -force $plot
update
event generate $plot <Key-Down>
is [wrong_columns 1] 1 "scrolled, without the row of the lane"
event generate $plot <Key-Up>
height [expr {14 * $::env(SCALE)}]
theme dark
is [wrong_columns] 1 "and in the dark theme"
theme light

# The record at the begin, in the middle and at the end of each bar of the first depths.
fit
sync
set wrong {}
foreach bar [dict get $bars $lane] {
    lassign $bar depth name begin end
    if {$depth > 8 || $end - $begin < 20} continue
    foreach time [list $begin [expr {($begin + $end) / 2}] [expr {$end - 1}]] {
        set hit [at ${time}ns [expr {$depth + 1}]]
        if {$hit eq {} || [list [string map {{ } _} [regsub { \(.*} [dict get $hit name] {}]] [dict get $hit start] [dict get $hit end]] ne [lrange $bar 1 3]} {
            lappend wrong "$bar at $time: $hit"
        }
    }
}
is [lrange $wrong 0 3] {} "the function behind each bar"

# The pointer, a click, a double click.
set bar {}
foreach one [dict get $bars $lane] {
    if {[lindex $one 0] == 2 && [lindex $one 1] ne {[no_core]} && ($bar eq {} || [lindex $one 3] - [lindex $one 2] > [lindex $bar 3] - [lindex $bar 2])} {
        set bar $one
    }
}
lassign $bar depth name begin end
set middle [expr {($begin + $end) / 2e9}]
like [point $middle 3] "^$name\\M.*   on rank 0   from .*   of \[ab\]\\.c:\[0-9\]+$" "the pointer says the function and its place"
set y [expr {int(3.5 * [height])}]
foreach event {Button-1 ButtonRelease-1} {
    event generate $plot <$event> -x [x_of $middle] -y $y
}
sync
like [$top.card.v0 cget -text] "^$name" "a click opens the card"
is [llength [$plot find withtag choice]] 2 "and frames the bar"
press_key Escape
foreach event {Button-1 ButtonRelease-1 Button-1 ButtonRelease-1} {
    event generate $plot <$event> -x [x_of $middle] -y $y
}
sync
lassign [window] from to
ok [expr {$from * 1e9 < $begin + 1 && $to * 1e9 > $end - 1 && $to - $from < ($end - $begin) * 1.5e-9}] "a double click zooms to it: [window]"
fit
sync

# Outside the calls of MPI: the function that most samples of the interval were in.
set samples {}
set calls {}
foreach {variable kinds path} {samples event FLAMES calls {enter leave} PRINTED} {
    set file [open $::env($path)]
    while {[gets $file line] >= 0} {
        lassign [split $line \t] time rank thread kind name
        if {"$rank $thread" eq $lane && $kind in $kinds} {
            lappend $variable [expr {round($time * 1e9)}] {*}[expr {$kind eq "event" ? [list $name] : {}}]
        }
    }
    ::close $file
}
set wrong {}
set compared 0
foreach {from to} [lrange $calls 1 end-1] {
    set counts {}
    set most 0
    foreach {time name} $samples {
        if {$time >= $from && $time < $to} {
            dict incr counts $name
            incr most [expr {[dict get $counts $name] > $most}]
        }
    }
    if {$most} {
        incr compared
        zoom ${from}ns ${to}ns
        set said [point [expr {($from + $to) / 2e9}] 0]
        regexp {mostly in (.*)   (\d+) of (\d+) samples} $said - name part all
        if {![string match "computing  *" $said] || $part != $most || $all != [tcl::mathop::+ {*}[dict values $counts]] ||
            1 ni [lmap one [dict keys [dict filter $counts value $most]] {string match "$one*" $name}]} {
            lappend wrong "$from $to: $said, not $counts"
        }
    }
}
is [list [expr {$compared > 2}] {*}[lrange $wrong 0 2]] 1 "the pointer says where most samples of an interval outside MPI were"
fit
sync

# The legend: by function, the samples with it on the stack, those in itself and their share with its deviation.
proc legend_wanted {from to} {
    lassign {0 {} {}} all own total
    set file [open $::env(PRINTED)]
    while {[gets $file line] >= 0} {
        if {![regexp {^(\S+)\t.*\tpith:sample\t.*payload=cpu=\d+ (\w+)\tfunctions=} $line - time addresses]} continue
        set time [expr {round($time * 1e9)}]
        if {$time < $from || $time >= $to} continue
        set stack [lmap {a b} [split [regexp -all -inline {.{12}(.)...} $addresses]] {set b}]
        incr all
        dict incr own [lindex $stack 0]
        foreach function [lsort -unique $stack] {
            dict incr total $function
        }
    }
    ::close $file
    return [lsort [lmap {function count} $total {
        set mine [expr {[dict exists $own $function] ? [dict get $own $function] : 0}]
        set part [expr {double($mine) / $all}]
        list $count $mine [format "%.0f\u00b1%.0f %%" [expr {100 * $part}] [expr {ceil(100 * sqrt($part * (1 - $part) / $all))}]]
    }]]
}
proc legend_functions {} {
    set list [legend_rows]
    set first [lsearch -index 0 $list "functions of samples"]
    return [lsort [lmap row [lrange $list $first+1 end] {list [lindex $row 3] [lindex $row 5] [lindex $row 6]}]]
}
lassign [window] from to
sync
is [legend_functions] [legend_wanted 0 [expr {round($to * 1e9)}]] "the legend counts the samples by function"
zoom 40000001ns 90000001ns
sync
is [legend_functions] [legend_wanted 40000001 90000001] "and in a part of the log"
rows 1
sync
ok [expr {[tcl::mathop::+ {*}[lmap row [legend_functions] {lindex $row 1}]] < [tcl::mathop::+ {*}[lmap row [legend_wanted 40000001 90000001] {lindex $row 1}]]}] \
    "and of fewer rows"
rows
filter fil
sync
is [lmap row [legend_rows] {lindex $row 0}] {{functions of samples} fill} "filtered by name"
filter
fit
sync

# Folding, also by the key; the rows of functions do not hide those below.
focus -force $plot
update
event generate $plot <Motion> -x 300 -y [expr {int(3.5 * [height])}]
sync
event generate $plot <Key-U>
sync
is [labels_of] {{rank 0} 0.1 {rank 1} {rank 2}} "Shift-U over a row of functions folds"
unfold_rows
sync
set state [rowstate]
fold_rows
set_rowstate $state
sync
# At most 64 depths have rows, and rank 2 has no samples.
is [llength [row_list]] [tcl::mathop::+ 4 {*}[lmap lane {{0 0} {1 0}} {expr {min([deepest $lane] + 1, 64)}}]] "set_rowstate: unfolded again"

# Keys for states leave functions alone.
point $middle 3
set hidden_rows [lsearch -all -inline -index 1 [legend_rows] \u2610]
foreach key {h l o j period} {
    press_key $key
}
is [lsearch -all -inline -index 1 [legend_rows] \u2610] $hidden_rows "h over a function hides no state"
done
