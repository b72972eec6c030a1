# stretch_checks.tcl - statistics of the selection; runs in a window of the log "plain". Rank 0 is red [0, 0.5)
# with green [0.2, 0.3) inside, blue [0.5, 1); rank 1 blue [0.25, 0.75); a message is sent at 0.4 and received at 0.6.

source [file join [file dirname [info script]] window_tap.tcl]

proc cells {id} {
    variable pane
    return [$pane.body.book.states.tree item $id -values]
}
proc id_of {name} {
    variable pane
    set tree $pane.body.book.states.tree
    foreach id [$tree children {}] {
        if {[string trim [$tree item $id -text]] eq $name} {
            return $id
        }
    }
}
sync
set pane $top.panes.legend.selection
ok [expr {![winfo exists $pane]}] "nothing selected: no pane"
select 0.1 0.3
stats
sync
ok [winfo ismapped $pane] "a selection: a pane with its statistics"
is [set [$pane.body.head.line cget -textvariable]] "Selection: 200 ms" "its duration"
is [cells [id_of red]] {1 {200 ms} {100 ms} {25.0 %}} "red: inclusive, exclusive, share of both ranks"
is [cells [id_of green]] {1 {100 ms} {100 ms} {25.0 %}} "green"
is [cells [id_of blue]] {1 {50 ms} {50 ms} {12.5 %}} "blue, only in rank 1"
is [cells [id_of mark]] {1 {} {} {}} "an event: how many"
like [set [$pane.body.messages cget -textvariable]] {^0 messages sent} "no messages"
select 0.35 0.65
stats
like [set [$pane.body.messages cget -textvariable]] {^1 message sent \(1.024 kB\), 1 received} "a message sent and received"
select 0.5 0.65
stats
like [set [$pane.body.messages cget -textvariable]] {^0 messages sent \(0 B\), 1 received} "one received only"

# ---- Rows
select 0.1 0.3
stats
$pane.body.book select 1
sync
set bars $pane.body.book.rows.bars
proc bar {id row} {
    variable bars
    foreach item [$bars find withtag p$id] {
        if {"r$row" in [$bars gettags $item]} {
            lassign [$bars coords $item] x0 y0 x1 y1
            return [expr {$x1 - $x0}]
        }
    }
    return 0
}
set red [bar [id_of red] 0]
ok [expr {$red > 20 && abs($red - [bar [id_of green] 0]) <= 1 && [bar [id_of blue] 0] == 0}] "rank 0's bar: half red, half green"
ok [expr {abs([bar [id_of blue] 1] * 2 - $red) <= 2 && [bar [id_of red] 1] == 0}] "rank 1's: a quarter blue"
lassign [$bars coords [lindex [$bars find withtag p[id_of green]] 0]] x0 y0 x1 y1
event generate $bars <Motion> -x [expr {int($x0 + 3)}] -y [expr {int($y0 + 3)}]
is [$pane.body.book.rows.readout cget -text] "rank 0:  green 100 ms (50.0 %)" "the part under the pointer is told"

# ---- As a file
stats stretch.csv
set in [::open stretch.csv]
set lines [split [string trim [read $in]] \n]
::close $in
is [lindex $lines 0] row,name,count,total_s,self_s,share "stats FILE.csv: a heading"
ok [expr {{all,red,1,0.200000000,0.100000000,0.250000} in $lines}] "all rows"
ok [expr {{rank 1,blue,1,0.050000000,0.050000000,0.250000} in $lines}] "and each"
ok [expr {{all,no state,,,0.150000000,0.375000} in $lines}] "the time outside all states: rank 1 from its first record on"
is [llength $lines] 10 "no more"
ok [catch {stats /nowhere/x.csv} text] "a file that cannot be written: $text"
rows 1
stats
is [$pane.body.book.states.tree children {}] [list computing [id_of blue] [id_of mark]] "other rows: only what they have"
rows
$pane.body.head.close invoke
sync
ok [expr {![winfo exists $pane]}] "the cross: the selection is gone, and the pane"
zoom 0.5 1
like [dict get [stats] states] {^\{blue 2 0.7500} "the word stats without a selection: of the window"
done
