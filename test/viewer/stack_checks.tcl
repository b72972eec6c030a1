# stack_checks.tcl - iterations in the window: marks of the time axis, and one below the other; runs in a window of the
# log of test_stack.sh.

source [file join [file dirname [info script]] window_tap.tcl]

set axis $top.panes.time.axis
proc marks {} {
    variable axis
    sync
    return [llength [lsearch -all -inline [lmap item [$axis find withtag iterations] {$axis type $item}] rectangle]]
}
proc numbers {} {
    variable axis
    sync
    return [lmap item [$axis find withtag iterations] {
        if {[$axis type $item] ne "text"} continue
        $axis itemcget $item -text
    }]
}
proc on_axis {event seconds} {
    variable axis
    event generate $axis $event -x [x_of $seconds] -y [expr {[winfo height $axis] - 6}]
    sync
    return [status]
}

# ---- Marks
is "[marks] [winfo height $axis]" "0 [::pith::theme::px 26]" "no marks at first"
press_key I
ok [expr {[marks] > 10}] "Shift-i: marks"
zoom 0.7402 0.8312
is [numbers] {44 45 46 47 48 49 50} "numbers, where there is room"
set slow [lsearch -all -inline [lmap item [$axis find withtag iterations] {$axis itemcget $item -fill}] [::pith::theme::colour path]]
is [llength $slow] 1 "one of them is slow"
is [on_axis <Motion> 0.78] "iteration 47, 31.2 ms: +21 ms force on rank 2" "the pointer on it: why"
on_axis <Button-1> 0.78
is [near [selected] {0.769302 0.800502} 0.00001] 1 "a click selects it"
foreach time {1000 1050} {
    event generate $axis <Button-1> -x [x_of 0.805] -y [expr {[winfo height $axis] - 6}] -time $time
}
sync
is [near [window] {0.800502 0.810702} 0.00001] 1 "a double click shows it"
is [numbers] 48 "alone"
fit
set all [iterations]
is "[llength $all] [lindex $all 46]" "100 0.769302000 0.800502000" "the word without argument"
iterations_of force
sync
is [lindex [iterations] 46] {0.769302000 0.800302000} "the instances of a state"
ok [catch {iterations_of walk} text] "of no such state"
is $text "iterations_of: no such state: walk" "what it says"
iterations_of
is [lindex [iterations] 46] {0.769302000 0.800502000} "found again"
press_key I
is "[marks] [winfo height $axis]" "0 [::pith::theme::px 26]" "Shift-i again: gone"

# ---- One below the other
press_key K
set view $top.stack.body.view
stack
is [lrange [stack order] 0 2] {1 2 3} "by time"
proc labels {} {
    variable view
    sync
    return [lmap item [$view.labels find withtag mark] {$view.labels itemcget $item -text}]
}
is [lindex [labels] 0] "1  10.2 ms" "labels"
# The width of the bars in a band, as a part of the picture: pixels that are coloured, not pale or grey.
proc width_of {band {row 2}} {
    variable view
    set photo [$view.picture itemcget 1 -image]
    set high [expr {[::pith::theme::px 14] * 3}]
    set y [expr {$band * ($high + [::pith::theme::px 6]) + int(($row + 0.5) * $high / 3)}]
    set count 0
    for {set x 0} {$x < [image width $photo]} {incr x} {
        set rgb [lsort -integer [$photo get $x $y]]
        incr count [expr {[lindex $rgb 2] - [lindex $rgb 0] > 40}]
    }
    return [expr {double($count) / [image width $photo]}]
}
is [near [list [width_of 0] [width_of 1]] {0.327 0.327} 0.01] 1 "as wide as they are long"
$view.scroll set 0 0.1
stack slowest on
is [lrange [stack order] 0 1] {47 1} "the slowest first"
sync
is [near [list [width_of 0] [width_of 1]] {1 0.327} 0.01] 1 "as wide as it is long"
set pointed [expr {int([winfo width $view.picture] * 0.6)}]
event generate $view.picture <Motion> -x $pointed -y [::pith::theme::px 35]
update
is [$top.stack.body.said cget -text] "iteration 47, 31.2 ms: +21 ms force on rank 2    rank 2: force, 31 ms" "the pointer on a bar"
event generate $view.picture <Button-1> -x $pointed -y 5
sync
is [near [window] {0.769302 0.800502} 0.00001] 1 "a click shows it"
hide force
hide step
sync
ok [expr {[width_of 0] < 0.1}] "what is hidden in the timelines is hidden here"
show *
rows 2
sync
is [near [list [width_of 0 0]] 1 0.01] 1 "rows as in the timelines"
rows
stack close
is [winfo exists $top.stack] 0 "closed"
done
