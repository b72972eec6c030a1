# interval_checks.tcl - statistics of the selection; runs in a window of the log "plain". Rank 0 is red [0, 0.5)
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
set pane $top.panes.selection
ok [expr {![winfo exists $pane]}] "nothing selected: no pane"
select 0.1 0.3
stats
sync
ok [winfo ismapped $pane] "a selection: a pane with its statistics"
is [set [$pane.body.head.line cget -textvariable]] "Selection: 200 ms" "its duration"
is [cells [id_of red]] {1 {200.0 ms} {100.0 ms} {25.0 %}} "red: inclusive, exclusive, share of both ranks"
is [cells [id_of green]] {1 {100.0 ms} {100.0 ms} {25.0 %}} "green"
is [cells [id_of blue]] {1 {50.0 ms} {50.0 ms} {12.5 %}} "blue, only in rank 1"
is [cells [id_of mark]] {1 {} {} {}} "an event: how many"
like [set [$pane.body.head.messages cget -textvariable]] {^0 messages sent} "no messages"
select 0.35 0.65
stats
like [set [$pane.body.head.messages cget -textvariable]] {^1 message sent \(1.024 kB\), 1 received} "a message sent and received"
select 0.5 0.65
stats
like [set [$pane.body.head.messages cget -textvariable]] {^0 messages sent \(0 B\), 1 received} "one received only"

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
stats interval.csv
set in [::open interval.csv]
set lines [split [string trim [read $in]] \n]
::close $in
is [lindex $lines 0] row,name,count,total_s,self_s,share "stats FILE.csv: a heading"
ok [expr {{all,red,1,0.200000000,0.100000000,0.250000} in $lines}] "all rows"
ok [expr {{rank 1,blue,1,0.050000000,0.050000000,0.250000} in $lines}] "and each"
ok [expr {{all,computing,,,0.150000000,0.375000} in $lines}] "the time outside all states: rank 1 from its first record on"
is [llength $lines] 10 "no more"
ok [catch {stats /nowhere/x.csv} text] "a file that cannot be written: $text"
rows 1
stats
is [$pane.body.book.states.tree children {}] [list computing [id_of blue] [id_of mark]] "other rows: only what they have"
rows
$pane.body.head.close invoke
sync
ok [expr {![winfo exists $pane]}] "the cross: the selection is gone, and the pane"

# ---- One state by rank: a click on it in the legend
set legend $top.panes.legend.tree
proc click_legend {name {where text}} {
    variable legend
    foreach item [concat {*}[lmap up [linsert [$legend children {}] 0 {}] {$legend children $up}]] {
        if {[string match "*$name*" [$legend item $item -text]]} {
            lassign [$legend bbox $item #0] x y width height
            set x [expr {$x + ($where eq "text" ? $width - 8 : 2)}]
            event generate $legend <Button-1> -x $x -y [expr {$y + $height / 2}]
            event generate $legend <ButtonRelease-1> -x $x -y [expr {$y + $height / 2}]
            sync
            return
        }
    }
}
# The bars: {row length text}...
proc ranked {} {
    variable bars
    set lines {}
    foreach item [$bars find withtag ranked] {
        lassign [$bars coords $item] x0 y0 x1 y1
        set texts [lmap text [$bars find overlapping 0 [expr {$y0 + 2}] 2000 [expr {$y1 - 2}]] {
            if {[$bars type $text] ne "text"} continue
            $bars itemcget $text -text
        }]
        lappend lines [list [string range [lindex [$bars gettags $item] 1] 1 end] [expr {$x1 - $x0}] [lindex $texts end]]
    }
    return $lines
}
fit
click_legend blue
ok [winfo ismapped $pane] "a click on a name in the legend opens the pane without a selection"
by_rank blue
sync
set bars $pane.body.book.rows.bars
is [set [$pane.body.head.line cget -textvariable]] "Visible: 1 s" "it says that it is of what is visible"
is [$pane.body.book index current] 1 "with the bars"
is [lmap bar [ranked] {list [lindex $bar 0] [lindex $bar 2]}] {{0 {500 ms}} {1 {500 ms}}} "blue: both ranks as long, in their order"
is [by_rank red] {{{rank 0} 400000000} {{rank 1} 0}} "red: rank 0 only, and rank 1 with nothing"
is [by_rank red total] {{{rank 0} 500000000} {{rank 1} 0}} "with what is nested in it"
is [by_rank red count] {{{rank 0} 1} {{rank 1} 0}} "how many"
is "[lsort [by_rank mark]] [set [$pane.body.book.rows.of.measure cget -textvariable]]" "{{rank 0} 0} {{rank 1} 1} Count" \
    "an event has a count only"
is [by_rank blue] {{{rank 0} 500000000} {{rank 1} 500000000}} "blue again"
zoom 0.25 0.8
by_rank blue
sync
set found [ranked]
is [lmap bar $found {list [lindex $bar 0] [lindex $bar 2]}] {{1 {500 ms}} {0 {300 ms}}} "another time: the rank with more comes first"
ok [expr {abs([lindex $found 1 1] / double([lindex $found 0 1]) - 0.6) < 0.02}] "and bars are as long as their times"
lassign [$bars coords [lindex [$bars find withtag ranked] 1]] x0 y0 x1 y1
event generate $bars <Motion> -x [expr {int($x0 + 3)}] -y [expr {int($y0 + 3)}]
is [$pane.body.book.rows.readout cget -text] "rank 0:  blue 300 ms" "the bar under the pointer is told"
zoom 0.5 1
for {set i 0} {$i < 100 && [lindex [ranked] 0 0] != 0} {incr i} {
    after 20
    sync
}
is [lmap bar [ranked] {list [lindex $bar 0] [lindex $bar 2]}] {{0 {500 ms}} {1 {250 ms}}} "the bars follow the view"
rows 1
is [ranked] {} "other rows: nothing is shown until their numbers are there"
for {set i 0} {$i < 100 && [ranked] eq {}} {incr i} {
    after 20
    sync
}
is [lmap bar [ranked] {list [lindex $bar 0] [lindex $bar 2]}] {{0 {250 ms}}} "then those of rank 1, in the only row"
rows
sync
$pane.body.book.rows.of.state set "all states"
event generate $pane.body.book.rows.of.state <<ComboboxSelected>>
sync
ok [expr {![winfo exists $pane]}] "all states of no selection: the pane goes"
by_rank blue
$pane.body.head.close invoke
sync
ok [expr {![winfo exists $pane]}] "the cross, too"
ok [catch {by_rank bleu} text] "no such state: $text"
zoom 0.5 1
like [dict get [stats] states] {^\{blue 2 0.7500} "the word stats without a selection: of the window"
done
