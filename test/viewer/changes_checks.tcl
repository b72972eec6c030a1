# changes_checks.tcl - what changed between two logs, beside the findings; runs in a window of before.pith of make_tour_log,
# with after.pith beside it.

source [file join [file dirname [info script]] window_tap.tcl]

set frame $top.panes.changes
set tree $frame.tree
# What the command says, times in seconds.
set text [exec pith analyze before.pith after.pith --csv]
set said {}
foreach line [split [regsub {.*\npart,[^\n]*\n} $text {}] \n] {
    lassign [split $line ,] part kind state rank first later
    lappend said [list $part $kind $state $rank $first $later]
}
is [catch {beside changes} message]:$message "1:beside changes: no second log is open; open it with: beside LOG" "a single log"
beside after.pith
sync
set changes [beside changes]
is [lindex $changes 0] "after.pith is 59.73 ms (21.2 %) faster than before.pith." "the sentence"
is [lrange $changes 1 end] $said "the changes of pith analyze: [llength $said]"
ok [expr {![winfo ismapped $frame]}] "not there before the findings are"
findings on
tab findings
update
ok [winfo ismapped $frame] "beside the findings"
proc branch {item} {
    variable tree
    return [lmap one [$tree children $item] {string trim [$tree item $one -text]}]
}
is [branch {}] {{run time} computing waiting transfer {global efficiency} {parallel efficiency} {load balance} communication serialisation transfer} \
    "the run time, its parts, and the efficiencies"
set waiting [item_named waiting]
is [branch $waiting] {{late sender} {wait at barrier} {wait at N x N} {wait at finalize}} "kinds of waiting"
set late [item_named "late sender" $waiting]
is [lrange [branch $late] 0 1] {{refine mesh on rank 6} {compute on rank 6}} "causes, the largest change first"
is [llength [branch $late]] 9 "eight, and a line for the others"
is [$tree item [item_named "run time"] -values] [list "281.2 ms" "221.4 ms" "\u221259.7 ms"] "both columns and the change"
set units {}
proc gather {item} {
    variable tree
    variable units
    foreach one [$tree children $item] {
        lappend units {*}[lmap value [$tree item $one -values] {lindex $value 1}]
        gather $one
    }
}
gather {}
is [lsort -unique $units] {{} ms} "times have one unit"
# The others add up to the rest.
set others [lindex [$tree children $late] end]
set sums {0 0}
set n 0
foreach line $said {
    lassign $line part kind state rank first later
    if {$kind eq "late sender" && $state ne {} && ($first != 0 || $later != 0) && [incr n] > 8} {
        set sums [list [expr {[lindex $sums 0] + 1e3 * $first}] [expr {[lindex $sums 1] + 1e3 * $later}]]
    }
}
is [string trim [$tree item $others -text]]:[lrange [$tree item $others -values] 0 1] \
    "[expr {$n - 8}] others:[list {*}[lmap sum $sums {format "%.1f ms" $sum}]]" "the line of the others has their sums"

# ---- A click finds the state of a cause
set item [item_named "refine mesh on rank 6" $late]
$tree see $item
update
lassign [$tree bbox $item b] x y width height
foreach event {Button-1 ButtonRelease-1} {
    event generate $tree <$event> -x [expr {$x + 4}] -y [expr {$y + $height / 2}]
}
sync
like [status] {refine mesh.*rank 6|rank 6.*refine mesh} "and is at rank 6"
is [hits] 80 "all of them are marked"
like [tip_at $tree [expr {$x + 4}] [expr {$y + $height / 2}]] {A click finds refine mesh of rank 6} "its tooltip"

# ---- It goes with the findings, and with the second log
findings off
ok [expr {![winfo ismapped $frame]}] "it goes with the findings"
findings on
tab findings
update
ok [winfo ismapped $frame] "and comes back"
beside none
update
ok [expr {![winfo exists $frame] && [winfo ismapped $top.panes.findings]}] "it goes with the second log"
is [lindex [grid columnconfigure [winfo parent $top.panes.findings] 1 -weight] 0] 0 "the findings have the page again"
beside after.pith
update
ok [winfo ismapped $frame] "a second log beside findings that are there"
foreach button [list $frame.head.stop $frame.head.analyze] what {stop analyze} {
    if {$what eq "stop" && [winfo ismapped $button]} {
        $button invoke
        is [lindex [beside changes] 0] Stopped. "stopped"
        $frame.head.analyze invoke
    }
}
is [lindex [beside changes] 0] [lindex $changes 0] "and computed again"
done
