# call_tree_functions_checks.tcl - clicks on functions of samples in the call tree; runs in a window of the log of
# samples.awk, whose functions are also the states of flames.pith.

source [file join [file dirname [info script]] window_tap.tcl]

press_key C
calltree
set page $top.calltree.body
set tree $page.table.tree
update
is [$page.controls.what get] Functions "a log with samples: the tree of functions comes first"
set choice [[lindex [info class instances ::pith::Window] 0] choice]
# {function rank start end depth}... in flames.pith
set open {}
set instances {}
foreach line [split [exec pith print flames.pith] \n] {
    if {[string match #* $line]} continue
    lassign [split $line \t] time rank thread kind name
    if {$kind eq "enter"} {
        dict lappend open $rank [list $name $time]
    } elseif {$kind eq "leave"} {
        lassign [lindex [dict get $open $rank] end] name from
        dict set open $rank [lrange [dict get $open $rank] 0 end-1]
        lappend instances [list $name $rank $from $time [llength [dict get $open $rank]]]
    }
}
proc click_on {name} {
    variable tree
    set item [item_named $name]
    foreach one [$tree children {}] {
        set item [expr {$item eq {} ? [item_named $name $one] : $item}]
    }
    $tree see $item
    update
    lassign [$tree bbox $item #0] left y width height
    foreach event {Button-1 ButtonRelease-1} {
        event generate $tree <$event> -x [expr {$left + $width - 4}] -y [expr {$y + $height / 2}]
    }
    update
    sync
}
fit
calltree
foreach name {main relax exchange_halo} {
    set wanted [lsort -real -index 2 [lsearch -all -inline -exact -index 0 $instances $name]]
    click_on $name
    is [hits] [llength $wanted] "a click on $name finds the [llength $wanted] times in which it was sampled"
    set hit [dict get [$choice thing] hit]
    lassign [lindex $wanted 0] - rank from to depth
    is [list [dict get [$choice thing] kind] [dict get $hit rank] [format %.9f [expr {[dict get $hit start] / 1e9}]] \
        [format %.9f [expr {[dict get $hit end] / 1e9}]]] [list function $rank $from $to] "and chooses the first"
    set row [lindex [$choice rows] 0]
    set shown [[[lindex [info class instances ::pith::Window] 0] model] row $row]
    is [dict get $shown label] "depth [expr {$depth + 1}]" "in the row of its depth, which is unfolded"
    lassign [$plot coords [lindex [$plot find withtag choice] 0]] x0 y0 x1 y1
    ok [expr {abs($x0 - [x_of $from]) <= 2 && abs($x1 - [x_of $to]) <= 3}] "with a frame at its time"
}
is [$tree cget -style] Treeview "the tree stays that of the view: the same lanes are shown"
press_key n
is [format %.9f [expr {[dict get [$choice thing] hit start] / 1e9}]] [lindex $wanted 1 2] "n goes on to the next"
find {state == "relax" and rank == 1} -kind function
is [hits] [llength [lsearch -all -inline -regexp $instances {^relax 1 }]] "a query for functions"
catch {find relax -kind functional} message
is $message "find: no such kind: functional; must be state, event, message, function or note" "kinds of a search"
done
