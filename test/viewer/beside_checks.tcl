# beside_checks.tcl - a second log, the first from 0.25 s on; runs in a window of the log "plain" of make_log. Rank 0: red [0.25, 0.5), green inside [0.25, 0.3), blue [0.5, 1); rank 1: blue [0.25, 0.75).

source [file join [file dirname [info script]] window_tap.tcl]

panel beside ;# all of the height for the rows
sync
is [beside] {} "alone at first"
is [catch {beside offset 1ms} text]:$text "1:beside offset: no second log is open; open it with: beside LOG" "so nothing can be moved"
ok [catch {beside none.pith} text] "no such log: $text"
ok [winfo ismapped $plot] "which changes nothing"
beside later.pith
sync
set lower $top.panes.second.time.plot
set lower_photo [$lower itemcget picture -image]
is [file tail [beside]] later.pith "the other log"
ok [expr {[winfo ismapped $lower] && [winfo rooty $lower] >= [winfo rooty $plot] + [winfo height $plot]}] \
    "below the first"
is [winfo rootx $lower]:[winfo width $lower] [winfo rootx $plot]:[winfo width $plot] "with the same time axis"
ok [string match "*plain.pith, later.pith*" [wm title $top]] "the title names both"

proc lower_colour {seconds row {part 0.5}} {
    variable lower_photo
    sync
    set height [[::pith::script_lower] row_height]
    format %02x%02x%02x {*}[$lower_photo get [x_of $seconds] [expr {int(($row + $part) * $height)}]]
}
# The second model.
proc ::pith::script_lower {} {
    return [[lindex [::info class instances ::pith::Beside] 0] other]
}

# ---- Aligned at the starts: 0.25 s of the second below 0 s of the first
ok [near [beside window] {0.25 1.25}] "aligned at the starts: [beside window]"
is [lower_colour 0.02 0]:[lower_colour 0.12 0 0.3]:[lower_colour 0.5 0] 00aa00:cc0000:0000cc "its states lie there"
is [lower_colour 0.9 0] ffffff "it is shorter"
like [beside difference] {^-25\.0 %: 1 s above, 750 ms here$} "by how much is said"
ok [winfo ismapped $top.panes.second.time.axis] "times are others: it has an axis of its own"
is [beside table] {{blue 1.000000000 1.000000000} {red 0.400000000 0.200000000} {computing 0.150000000 0.000000000} {green 0.100000000 0.050000000}} \
    "times of both, state by state, and outside of states"
set tree $top.panes.pair.tree
is [lmap item [$tree children {}] {$tree set $item more}] {= {-50.0 %} gone {-50.0 %}} "and the change"
is [lmap item [$tree children {}] {$tree set $item share_b}] {{66.7 %} {13.3 %} {0.0 %} {3.3 %}} "shares of the time that the second has"
set legend [[lindex [::info class instances ::pith::Window] 0] legend]
is [lmap item [$tree children {}] {$tree set $item share_a}] {{50.0 %} {20.0 %} {7.5 %} {5.0 %}} "shares of the first:"
is [lmap item [$tree children {}] {list [string trim [$tree item $item -text]] [$tree set $item share_a]}] \
    [lmap item [$tree children {}] {
        set name [string trim [$tree item $item -text]]
        set sum [[$legend rows] sum [expr {$name eq "computing" ? $name : [[[lindex [::info class instances ::pith::Window] 0] model] ids_like $name]}]]
        list $name [format "%.1f %%" [expr {100 * [dict get $sum share]}]]
    }] "those of the legend"
is [$tree heading b -text] later.pith "its heading has its name"

# The end of a job that was stopped is told late: while the next one runs.
set table [lindex [::info class instances ::pith::PairTable] 0]
set sums [beside table]
$table start
$table changed time
$table start
$table job_event a [::pith::script_lower] stopped
is [beside table] $sums "sums after sums that were stopped"

# ---- Moved
beside offset 250ms
ok [near [beside window] {0 1}] "moved by 250 ms the same times stand above each other: [beside window]"
ok [expr {![winfo ismapped $top.panes.second.time.axis]}] "one axis is enough then"
is [lower_colour 0.37 0 0.3]:[lower_colour 0.1 0] cc0000:ffffff "so do the same states"
event generate $lower <Control-Button-1> -x 100 -y 10
event generate $lower <Control-B1-Motion> -x [expr {100 + [winfo width $lower] / 10}] -y 10
event generate $lower <ButtonRelease-1> -x [expr {100 + [winfo width $lower] / 10}] -y 10
sync
ok [near [beside offset] 0.35 0.005] "Ctrl-drag moves it: [beside offset]"
ok [near [lindex [beside window] 0] -0.1 0.005] "by what was dragged: [beside window]"
set entry $top.panes.second.bar.offset
focus -force $entry
update
$entry delete 0 end
$entry insert 0 "250 ms"
event generate $entry <Return>
sync
ok [near [beside offset] 0.25] "typed"

# ---- Locked
zoom 0.3 0.5
ok [near [beside window] {0.3 0.5}] "zoomed together"
event generate $lower <Control-Button-4> -x 5 -y 10
sync
ok [near [lindex [window] 1] [lindex [beside window] 1]] "the wheel below zooms both: [window]"
ok [expr {[lindex [window] 1] < 0.49}] "in"
event generate $lower <Shift-Button-5> -x 5 -y 10
sync
ok [near [window] [beside window]] "and moves both"
fit
ok [near [window] {0 1}] "all of both"
select 0.4 0.6
sync
ok [expr {[$lower find withtag selection] ne {}}] "a selection is seen in both"
select none
hide blue
is [lower_colour 0.8 0] e9edf1 "what is hidden is hidden in both"
show *
event generate $lower <Motion> -x [x_of 0.4] -y 10
sync
like [status] {^red   on rank 0} "details of what is below: [status]"
ok [expr {abs([lindex [$plot coords cursor] 0] - [x_of 0.4]) <= 1 && [$plot itemcget cursor -state] eq "normal"}] \
    "the pointer's line runs through both"
event generate $lower <Leave>

rows 1
is [[::pith::script_lower] row_count] 1 "the rows chosen above are chosen below"
rows
is [[::pith::script_lower] row_count] 2 "and all again"

# ---- Mountain ranges of both
ranges on
sync
set lower_mountains $top.panes.second.time.rangesplot
ok [winfo ismapped $lower_mountains] "mountain ranges of both"
is [winfo rootx $lower_mountains]:[winfo width $lower_mountains] [winfo rootx $plot]:[winfo width $plot] "below each other"
ranges order green red
sync
is [lmap part [::info class instances ::pith::Ranges] {lindex [$part word_order] 0}] {green green} "in the same order"
# In a low window, at both scales: rows of both stay, all of each log is seen, and both axes have the width of their rows.
set geometry [wm geometry $top]
foreach scale {1 2} {
    prefer scale $scale
    panel below
    wm geometry $top [expr {640 * $scale}]x[expr {700 * $scale}]
    sync
    set frames [list $top.panes.time $top.panes.second.time]
    set needed [::pith::theme::px 40]
    is [lmap frame $frames {expr {[winfo ismapped $frame.plot] && [winfo height $frame.plot] >= $needed}}] {1 1} "scale $scale: both have rows"
    is [lmap frame $frames {expr {[winfo height $frame.rangesplot] >= $needed}}] {1 1} "and mountain ranges"
    is [lmap frame [list $top.panes.time $top.panes.second] {
        set last [expr {$frame eq "$top.panes.time" ? "$frame.overview" : "$frame.time.rangesplot"}]
        expr {[winfo rooty $last] + [winfo height $last] <= [winfo rooty $frame] + [winfo height $frame]}
    }] {1 1} "all of them is seen"
    is [lmap frame $frames {expr {int([lindex [$frame.axis coords edge] 2])}}] [lmap frame $frames {winfo width $frame.plot}] "each axis is as wide as its rows"
}
prefer scale 1
panel beside
wm geometry $top $geometry
sync
ranges off
ok [expr {![winfo ismapped $lower_mountains]}] "and gone in both"

# ---- Fitted, MPI_Init
beside offset 0
select 0.2 0.4
beside fitted on
ok [near [beside window] {0.25 1.0}] "fitted: as wide as the first"
is [lower_colour 0.9 0] 9999eb "to its end, where it is pale: outside of the selection"
like [beside difference] {selected 200 ms and 150 ms$} "what is selected in both: [beside difference]"
beside fitted off
beside align init
ok [near [beside window] {0.25 1.25}] "without MPI_Init: the starts"
is [catch {beside align middle} text]:$text "1:beside align: start or init" "no such alignment"
select none
focus -force $entry
update
$entry delete 0 end
$entry insert 0 nonsense
event generate $entry <Return>
sync
is [$entry get]:[beside offset] "0 ns:0.000000000" "nonsense is not taken"

# ---- Away
$top.panes.second.bar.close invoke
sync
after 50 {set ::ticked 1}
vwait ::ticked
is [beside]:[winfo exists $lower] :0 "closed by its cross"
ok [near [window] {0 1}] "the first as it was"
ok [expr {[winfo ismapped $plot] && [colour 0.1 0 0.3] eq "cc0000"}] "it is shown"
beside later.pith
beside plain.pith
is [file tail [beside]] plain.pith "another one in its place"
is [llength [::info class instances ::pith::Model]] 2 "the one before is gone"
# The number of messages of the second log that are drawn.
proc lower_drawn {} {
    [::pith::script_lower] digest
    [::pith::script_lower] finish_reading
    sync
    return [[[::pith::script_lower] picking] count]
}
message_filter {size > 1MB}
is [messages_drawn]:[lower_drawn] 0:0 "a filter of messages holds for both logs"
beside later.pith
is [lower_drawn] 0 "and for a log that is opened later"
message_filter
is [lower_drawn] {} "all messages of both again"
# The status line says how exact the less exact picture is.
sync
set upper [[lindex [::info class instances ::pith::Window] 0] model]
set exact_label $top.status.exact
foreach {above below said} {1 0.25 25 0.5 1 50 0.2 0.6 20} {
    $upper set_exact $above
    [::pith::script_lower] set_exact $below
    is [$exact_label cget -text] "picture $said % exact" "exact: $above above, $below below"
}
$upper set_exact 1
is [winfo manager $exact_label] pack "only the upper picture is exact"
beside none
is [winfo manager $exact_label] {} "without the second log: the first one's"
done
