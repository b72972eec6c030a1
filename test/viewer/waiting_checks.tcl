# waiting_checks.tcl - wait states and the critical path in the window; runs in a window of the log of wait_log.sh.

source [file join [file dirname [info script]] window_tap.tcl]

set path_colour [string range [::pith::theme::colour path] 1 end]
# How many colours a bar has between two times, and whether the path's is among them.
proc colours {from to row {part 0.2}} {
    variable photo
    set y [expr {int(($row + $part) * [row_height])}]
    set found {}
    for {set x [expr {[x_of $from] + 4}]} {$x < [x_of $to] - 4} {incr x} {
        dict incr found [format %02x%02x%02x {*}[$photo get $x $y]]
    }
    return $found
}
proc hatched {from to row} {
    sync
    set found [colours $from $to $row]
    return [expr {[dict size $found] == 2}]
}
# The rows that have the colour of the path at the foot of their bars, at a time.
proc rows_of_path {time} {
    variable path_colour
    sync
    # The gap between rows is 8 pixels high, half of it below a bar; the line is 3 pixels high, on a rim of one.
    set part [expr {1 - 6.5 / [height]}]
    return [lmap row {0 1 2} {
        if {![dict exists [colours [expr {$time - 0.02}] [expr {$time + 0.02}] $row $part] $path_colour]} continue
        set row
    }]
}
proc said {} {
    foreach {key value} [chosen] {
        if {$key eq "waits"} {
            return $value
        }
    }
    return {}
}
height 40
arrows off
sync

# ---- Switches
is [hatched 0.2 0.5 0] 0 "nothing is hatched at first"
is [rows_of_path 0.3] {} "and there is no path"
press_key W
is "[hatched 0.2 0.5 0] [hatched 0.6 0.9 1] [hatched 0.3 0.9 2]" "1 1 1" "Shift-w: waiting is hatched"
# A name on hatched ground: the number of pixels of its letters that are nearly black, or nearly white.
proc named {which} {
    variable photo
    sync
    set count 0
    for {set x [x_of 0.2]} {$x < [x_of 0.2] + 60} {incr x} {
        for {set y 2} {$y < 38} {incr y} {
            set parts [$photo get $x $y]
            incr count [expr {$which eq "white" ? [tcl::mathfunc::min {*}$parts] > 230 : [tcl::mathfunc::max {*}$parts] < 25}]
        }
    }
    return $count
}
names on
ok [expr {[named black] > 20}] "a black name on light hatches"
theme dark
ok [expr {[named white] > 20}] "a white name on dark hatches"
is [named black] 0 "without black"
theme light
names off
is "[hatched 0.51 0.59 0] [hatched 0.505 0.545 1]" "0 0" "transfer is not"
is [rows_of_path 0.3] {} "there is still no path"
press_key c
is "[rows_of_path 0.3] [rows_of_path 0.7] [rows_of_path 0.94]" "1 0 2" "c: the path goes over sender, receiver and tail"
press_key W
is "[hatched 0.2 0.5 0] [rows_of_path 0.3]" "0 1" "Shift-w again: only the path is left"
press_key c
is [rows_of_path 0.3] {} "c again: it is gone, too"
$top.tools.waits invoke
$top.tools.path invoke
is "[hatched 0.3 0.9 2] [rows_of_path 0.3]" "1 1" "the buttons do the same"
hide MPI_Barrier
is [hatched 0.3 0.9 2] 0 "hidden calls are not hatched"
show MPI_Barrier
rows 2,0
is "[hatched 0.2 0.5 0] [hatched 0.3 0.9 1]" "1 1" "rows may be fewer"
rows
zoom 0.3 0.4
is [hatched 0.31 0.39 0] 1 "zoomed"
fit

# ---- For whom, and why
like [point 0.3 0] {waits 300 ms for rank 1: late sender} "the pointer on waiting: for whom and why"
like [point 0.55 0] {waits 300 ms for rank 1: late sender} "and on the rest of the call"
like [point 0.7 2] {waits 600 ms for rank 0: wait at barrier} "in a collective"
ok [expr {![string match *waits* [point 0.52 1]]}] "a call that does not wait"
choose 0.3 0
is [said] "300 ms for rank 1: late sender" "the details of the chosen call"
press_key y
like [join [chosen]] {^ *MPI_Send on rank 1 from 500 ms } "y: to the call that it waits for"
press_key y
like [status] {MPI_Send does not wait for another rank here} "which itself does not wait"
choose 0.4 2
press_key y
like [join [chosen]] {^ *MPI_Barrier on rank 0 from 900 ms } "from a collective to its last member"

# ---- Findings
set list $top.panes.findings.tree
ok [expr {![winfo exists $list]}] "no list at first"
press_key A
is [lmap item [$list children {}] {list [$list item $item -text] {*}[$list set $item time]}] \
    {{{wait at barrier  MPI_Barrier} 900.0 ms} {{load imbalance  rank 1} 300.0 ms} {{transfer  MPI_Recv} 210.0 ms}\
        {{load imbalance  tail  rank 2} 80.0 ms}} \
    "Shift-a: all findings, the most costly first"
proc top_row {} {
    variable photo
    sync
    return [[info object namespace [lindex [info class instances ::pith::Model] 0]]::my first_row]
}
proc key_in_list {key} {
    variable list
    focus -force $list
    update
    event generate $list <$key>
    sync
    return [lindex [$list selection] 0]:[regsub {ms.*} [join [chosen]] ms]
}
set window_before [window]
lassign [$list bbox 0] x y
event generate $list <Button-1> -x [expr {$x + 5}] -y [expr {$y + 5}]
event generate $list <ButtonRelease-1> -x [expr {$x + 5}] -y [expr {$y + 5}]
sync
like [join [chosen]] {^ *MPI_Barrier on rank 2 from 300 ms} "a click: the longest of the line"
like [key_in_list Right] {^0: *MPI_Barrier on rank 1 from 600 ms} "right: the next longest"
like [key_in_list Right] {^0: *MPI_Barrier on rank 1 from 600 ms} "which is the last"
like [key_in_list Left] {^0: *MPI_Barrier on rank 2 from 300 ms} "left: back"
wm geometry $top 1300x500
sync
height 500
top 0
like [key_in_list Down] {^1:} "down: the next line"
like [$top.panes.findings.said.text get 1.0 end] {^computing takes 470.0 ms on rank 1 and 370.0 ms on average\n} \
    "which says what `pith analyze` says"
is [top_row] 1 "load imbalance: rank 1, which computes most, comes into view"
choose 0.4 2
like [key_in_list Down] {^2: *MPI_Recv on rank 0 from 200 ms} "transfer: the longest call of the function with most of it"
height 40
is [window] $window_before "the window did not move: all of that was in view"
like [finding 1 2] {^MPI_Barrier +on rank 1 } "the word: a line and a number"

# ---- The run at a glance: ranks compute for 0.42, 0.47 and 0.26 of 0.88 s; serialisation x transfer is communication
set run $top.panes.findings.run
is [set [$top.panes.findings.head.line cget -textvariable]] "3 ranks, 1 host, 1 s" "the run"
is [set [$top.answer.text cget -textvariable]] \
    "The slowest rank changes from one collective or message to the next, and the others wait for it: 41 % of the run is lost." "the answer heads it, as on the page"
set names {}
foreach item {0 1 2 3 4} {
    lappend names [$run item $item -text]
    set value($item) [$run set $item value]
}
is $names {{parallel efficiency} {load balance} communication serialisation transfer} "the efficiencies"
is "[$run parent 1] [$run parent 2] [$run parent 3] [$run parent 4]" "0 0 2 2" "a tree"
is "$value(0) $value(1) $value(2)" [format "%.2f %.2f %.2f" [expr {1.15 / 3 / 0.88}] [expr {1.15 / 3 / 0.47}] \
    [expr {0.47 / 0.88}]] "their values"
ok [expr {abs($value(3) * $value(4) - $value(2)) < 0.01}] "and their product"
proc click_run {item} {
    variable run
    $run see $item ;# the window is low
    update
    lassign [$run bbox $item] x y
    set x [expr {$x + 60 + 20 * $item}] ;# two clicks at one place would be a double click
    event generate $run <Button-1> -x $x -y [expr {$y + 5}]
    event generate $run <ButtonRelease-1> -x $x -y [expr {$y + 5}]
    sync
}
click_run 0
is [window] {0.100000000 0.980000000} "a click on the first: the time that was analyzed"
like [status] {^parallel efficiency 0.44: mean time outside MPI / run time} "what it is"
fit
height 500
top 2
click_run 1
is [top_row] 1 "load balance: rank 1, which computes longest"
height 40
click_run 3
like [join [chosen]] {^ *MPI_Barrier on rank 2 from 300 ms} "serialisation: the longest wait state"
click_run 4
like [join [chosen]] {^ *MPI_Recv on rank 0 from 200 ms} "transfer: the call with the longest transfer"
click_run 2
like [join [chosen]] {^ *MPI_Barrier on rank 2 from 300 ms} "communication: the lower of the two"
like [efficiency {load balance}] {^load balance efficiency 0.82} "the word with a name"
is [lindex [efficiency] 1] {{load balance} 0.8156} "and without"
like [catch {efficiency luck} text]:$text {^1:efficiency: must be one of parallel, load balance,} "no such efficiency"
fit
press_key A
ok [expr {![winfo exists $list]}] "Shift-a again: closed"
is [lindex [findings] 1] {{load imbalance} 0.300000000 0.1136} "the word without argument"
fit

# ---- The legend: waiting and what causes it; each of the three sums is of all rows in the time shown
proc waiting_rows {} {
    return [lmap row [legend_rows] {
        if {[llength $row] < 9 || [join [lrange $row 7 8] {}] eq {} || [string match {MPI [a-z]*} $row] || [lindex $row 0] eq "user"} continue
        lreplace $row 1 6
    }]
}
set legend_tree $top.panes.legend.tree
proc columns {} { variable legend_tree; return [lindex [$legend_tree cget -displaycolumns] 1] }
legend_columns on
legend_groups off
waits off
critical_path off
is "[columns] [waiting_rows]" "find " "no columns at first"
waits on
is [lsort [waiting_rows]] [lsort {{computing {} {1.014 s}} {MPI_Barrier {0.900 s} {}} {MPI_Recv {0.300 s} {0.186 s}} {MPI_Finalize {0.080 s} {}} {tail {} {0.080 s}}}] \
    "waiting by function, its causes by state"
is "[columns] [lindex [lsearch -inline -index 0 [legend_rows] computing] 5]" "count 1.110 s" "computing is what is outside of all states"
legend_sort caused
is [lrange [lmap row [legend_rows] {lindex $row 0}] 0 1] {computing MPI_Recv} "sorted by what causes it"
zoom 0.2 0.6
is [lsort [waiting_rows]] [lsort {{computing {} {525.0 ms}} {MPI_Recv {300.0 ms} {75.0 ms}} {MPI_Barrier {300.0 ms} {}}}] "zoomed: of that time alone"
rows 0
is [lsort [waiting_rows]] {{MPI_Recv {300.0 ms} {75.0 ms}}} "of the rows shown"
rows
lassign [$legend_tree bbox [lindex [$legend_tree children {}] 0] caused] x y w
ok [expr {$w > 0 && $x + $w <= [winfo width $legend_tree]}] "the last column is inside the table"
waits off
is "[columns] [waiting_rows]" "find " "gone with the switch"
legend_groups on
legend_sort self down
fit

# ---- Rows by waiting: ranks 0 and 1 wait 340 ms each, rank 2 600 ms
sort waiting
is [lmap row [row_list] {lindex $row 2}] {{rank 2} {rank 0} {rank 1}} "sort waiting"
sort caused
is [lindex [row_list] 0 2] {rank 0} "sort caused: rank 0 makes the barrier late"
sort rank

# ---- Words
foreach word {waits critical_path} {
    ok [catch {$word perhaps} text] "$word: on or off"
    like $text {: must be on or off$} "what it says"
}
waits off
critical_path on
set parts [info class instances ::pith::Export]
is [regexp {critical_path on} [[lindex $parts 0] view_words]] 1 "pictures of the view have the path"
is [regexp {waits on} [[lindex $parts 0] view_words]] 0 "but no hatching"

# ---- A job that is not waited for: the window goes on, and turning the switch off ends it
set fields [info object namespace [lindex [info class instances ::pith::Waiting] 0]]
critical_path off
set ${fields}::found 0
waits on
ok [expr {[set ${fields}::job] ne {}}] "the analysis is a job"
waits off
is [set ${fields}::job] {} "turned off: it is stopped"
waits on
is [hatched 0.2 0.5 0] 1 "turned on again: it is done"
done
