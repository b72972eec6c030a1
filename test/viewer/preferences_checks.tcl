# preferences_checks.tcl - the dialog under real clicks and keys, and the effects of preferences; runs in a window of the
# log "plain".

source [file join [file dirname [info script]] window_tap.tcl]
set dialog $top.preferences
sync

proc click {widget} {
    event generate $widget <Enter>
    event generate $widget <Button-1> -x 5 -y 5
    event generate $widget <ButtonRelease-1> -x 5 -y 5
    sync
}
proc type {widget text} {
    focus -force $widget
    update
    $widget delete 0 end
    foreach char [split $text {}] {
        event generate $widget <Key> -keysym $char
    }
    sync
}
# From a readonly combobox, by keys.
proc choose {widget word} {
    focus -force $widget
    update
    $widget set [lindex [$widget cget -values] 0]
    for {set i 0} {[$widget get] ne $word && $i < 9} {incr i} {
        event generate $widget <Key-Down>
        update
        set list $widget.popdown.f.l
        event generate $list <Key-Down>
        event generate $list <Key-Return>
        sync
    }
}

press_key Control-p
ok [winfo exists $dialog] "Ctrl-p opens the dialog"
is [lsort [lmap key [::pith::preferences::keys] {winfo exists $dialog.view.rows.$key}]] [lrepeat [llength [::pith::preferences::keys]] 1] \
    "with a row for each preference"
focus -force $dialog
event generate $dialog <Key-Escape>
ok [expr {![winfo exists $dialog]}] "Escape closes it"

preferences
sync
type $dialog.view.rows.row_height 30
click $dialog.view.rows.legend
is [height] [height] "nothing happens yet"
ok [winfo ismapped $top.panes.legend] "the legend is still there"
click $dialog.buttons.apply
is [height] 30 "Apply: the rows are higher"
ok [expr {![winfo ismapped $top.panes.legend]}] "the legend is gone"
ok [winfo exists $dialog] "the dialog stays"
click $dialog.view.rows.legend
click $dialog.view.rows.overview
click $dialog.view.rows.toolbar
click $dialog.buttons.apply
ok [winfo ismapped $top.panes.legend] "the legend is back"
ok [expr {![winfo ismapped [winfo parent $plot].overview]}] "without the strip"
ok [expr {![winfo ismapped $top.tools]}] "and without buttons"
click $dialog.view.rows.overview
click $dialog.view.rows.toolbar
choose $dialog.view.rows.theme dark
is [theme] light "the theme waits as well"
click $dialog.buttons.apply
is [theme] dark "until now"
ok [winfo ismapped [winfo parent $plot].overview] "the strip is back"
type $dialog.view.rows.most_arrows 99x
click $dialog.buttons.ok
ok [winfo exists $dialog] "a bad number keeps the dialog open"
like [set [$dialog.trouble cget -textvariable]] {^most_arrows: must be 0 to 100000, not "99x"$} "and is said"
type $dialog.view.rows.most_arrows 99
click $dialog.buttons.ok
is "[winfo exists $dialog] [prefer most_arrows]" "0 99" "OK: taken, closed"

preferences
sync
type $dialog.view.rows.most_arrows 7
click $dialog.buttons.cancel
is "[winfo exists $dialog] [prefer most_arrows]" "0 99" "Cancel: nothing is taken"
preferences
sync
click $dialog.buttons.default
is [$dialog.view.rows.most_arrows get] 3000 "Defaults are shown"
click $dialog.buttons.cancel
is [prefer most_arrows] 99 "and taken with OK only"

press_key F9
ok [expr {![winfo ismapped $top.panes.legend]}] "F9: no legend"
press_key F9
ok [winfo ismapped $top.panes.legend] "and back"
pane overview
sync
ok [expr {![winfo ismapped [winfo parent $plot].overview]}] "the word pane turns a part off"
pane overview on
sync
ok [winfo ismapped [winfo parent $plot].overview] "and on"

# ---- Those who follow
theme light
prefer palette safe
is [palette] safe "the palette"
is [colour 0.8 0] [string range [lindex [::pithtk::safe 1] 0] 1 end] "in the picture: the best colour for the longest state"
prefer palette log
is [colour 0.8 0] 0000cc "and back"
prefer arrows off
like [point 0.5 0 1.0] {^2 ranks|^blue|^red} "no messages"
prefer arrows on
set before [font metrics TkDefaultFont -linespace]
prefer font_size 20
ok [expr {[font metrics TkDefaultFont -linespace] > 1.5 * $before}] "larger letters"
prefer font_size 9
prefer wheel zoom
height 200
sync
set x [x_of 0.5]
event generate $plot <Button-4> -x $x -y 10
sync
ok [expr {[lindex [window] 1] - [lindex [window] 0] < 0.9}] "the wheel zooms, though not all rows are seen"
fit
prefer wheel scroll
event generate $plot <Button-4> -x $x -y 10
sync
ok [near [window] {0 1}] "the wheel scrolls"
prefer wheel auto
prefer row_height 0
sync
ok [expr {([winfo height [canvas]] - 2) / [llength [row_list]] > 64}] "few rows"
is [height] 64 "are no giant bars"
press_key bracketright
ok [expr {[height] > 64}] "the key for higher rows makes them higher: [height]"
is [height 0] 64 "height 0: as before"
wm geometry [winfo toplevel [canvas]] 1000x220
sync
set filling [expr {([winfo height [canvas]] - 2) / [llength [row_list]]}]
ok [expr {$filling < 64 && [height] == $filling}] "in a low window they fill it: $filling"
press_key bracketleft
ok [expr {[height] < $filling}] "the key for lower rows lowers them"
is [height 0] $filling "height 0: they fill the window"
wm geometry [winfo toplevel [canvas]] {}
sync
prefer row_height 30
ok [catch {prefer wheel round}] "a bad value is refused"

# ---- Another scale: labels and columns have room at once.
set labels [lindex [::info class instances ::pith::Labels] 0]
set tree $top.panes.legend.tree
proc needed {} {
    variable labels
    set model [lindex [::info class instances ::pith::Model] 0]
    return [::tcl::mathfunc::max {*}[lmap row [$model rows 0 9] {$labels needed $row}]]
}
set column [$tree column share -width]
foreach scale {2 1} {
    prefer scale $scale
    sync
    ok [expr {[$labels width] >= [needed]}] "scale $scale: labels have room: [$labels width] of [needed]"
    is [$tree column share -width] [expr {$column * $scale}] "and columns of the legend"
}

# ---- At a scale of 2 everything can be reached.
prefer scale 2
wm geometry $top 1280x720+0+0
# The X server answers, and what its events have put off is done.
proc settle {} {
    foreach i {1 2 3} {
        winfo pointerxy .
        update
        after 20 {set ::settled 1}
        vwait ::settled
        update
    }
}
proc settle_until {condition} {
    settle
    for {set i 0} {$i < 200 && ![uplevel 1 [list expr $condition]]} {incr i} {
        settle
    }
}
set time [winfo parent [canvas]]
height 400 ;# the rows scroll
settle_until {[winfo ismapped $time.v]}
is [list [winfo x $time.side] [winfo width $time.side]] [list [winfo x $time.v] [winfo width $time.v]] \
    "the ground beside the time axis is as wide as the scrollbar below it"
is [winfo reqheight $time.overview] [::pith::theme::px 36] "the overview has its height"
height 0
set cut {}
foreach from [lmap pixel {18 -18} {expr {0.2 - 0.2 * $pixel / [winfo width $time.axis]}}] {
    zoom $from [expr {$from + 0.2}] ;# 0.2 or 0.4 is 18 pixels from an end
    sync
    foreach item [$time.axis find all] {
        lassign [$time.axis bbox $item] left - right
        if {[$time.axis type $item] eq "text" && ($left < 0 || $right > [winfo width $time.axis])} {
            lappend cut "$from: [$time.axis itemcget $item -text]"
        }
    }
}
is $cut {} "no time is cut at an end of the axis"
fit
settle_until {[winfo width $top] == 1280}
settle
proc is_inside {widget frame} {
    return [expr {[winfo ismapped $widget] && [winfo rootx $widget] >= [winfo rootx $frame] \
        && [winfo rootx $widget] + [winfo width $widget] <= [winfo rootx $frame] + [winfo width $frame] \
        && [winfo rooty $widget] + [winfo height $widget] <= [winfo rooty $frame] + [winfo height $frame]}]
}
proc whole {widget} { return [expr {[winfo width $widget] >= [winfo reqwidth $widget]}] }
set buttons [lsearch -all -inline [winfo children $top.tools] *]
set mapped [lmap button $buttons {expr {[winfo ismapped $button] ? $button : [continue]}}]
is [lmap button $mapped {expr {[is_inside $button $top.tools] && [whole $button] ? [continue] : $button}}] {} \
    "no button of the toolbar is cut"
ok [expr {[llength $mapped] < [llength $buttons] && "$top.tools.keys" in $mapped}] "some are left out, but not that for the keys"
ok [winfo ismapped $top.tools.more] "a button stands for those that are left out"
set more $top.tools.more.menu
update
event generate $top.tools.more <Button-1> -x 3 -y 3
event generate $top.tools.more <ButtonRelease-1> -x 3 -y 3
update
ok [winfo ismapped $more] "a click on it opens a menu"
set left_out [lmap button $buttons {
    if {[winfo class $button] ne "TButton" || $button in $mapped} continue
    $button cget -text
}]
set entries {}
for {set i 0} {$i <= [$more index end]} {incr i} {
    lappend entries [$more entrycget $i -label]
}
is $entries $left_out "of their names"
$more invoke Waiting
$more unpost
update
ok [$top.tools.waits instate selected] "an entry does what its button does"
$top.tools.waits invoke
choose_messages
set bar $top.message_filter
settle_until {[winfo ismapped $bar.close]}
is [lmap part {query longer shorter late all close} {expr {[is_inside $bar.$part $bar] ? [continue] : $part}}] {} \
    "the bar for messages keeps its fields and buttons"
findings on
settle_until {[winfo height $top.panes.findings] > 1 && [$tree children {}] ne {}}
ok [expr {[llength [lsearch -all -inline -not [lmap item [$tree children {}] {$tree bbox $item}] {}]] >= 1 && \
    [winfo height $tree] >= [::pith::theme::px 60]}] "the legend keeps some lines beside the findings"
findings off
select 0.1 0.9
settle
set table [lindex [lsearch -all -inline [$top.panes.selection.body.book tabs] *] 0].tree
settle_until {[winfo width $table] > 1}
set widths [lmap column [list #0 {*}[$table cget -displaycolumns]] {$table column $column -width}]
ok [expr {[::tcl::mathop::+ {*}$widths] <= [winfo width $table]}] \
    "all columns of the selection that are shown are within its table: $widths of [winfo width $table]"
ok [expr {[llength $widths] < 5}] "others are left out"
select none
beside plain.pith
sync
settle
set table $top.panes.pair.tree
proc names_shown {} {
    variable table
    return [lmap item [$table children {}] {string trim [$table item $item -text]}]
}
settle_until {[winfo width $table] > 1 && [string match "blue red comp* green" [names_shown]]}
set widths [lmap column [list #0 {*}[$table cget -displaycolumns]] {$table column $column -width}]
ok [expr {[::tcl::mathop::+ {*}$widths] <= [winfo width $table]}] \
    "with a second log, too: $widths of [winfo width $table]"
like [names_shown] {^blue red comp.* green$} "names have room"
set said $top.panes.second.bar.difference
ok [expr {[font measure TkDefaultFont [$said cget -text]] <= [winfo width $said]}] "what is said of both is cut: [$said cget -text]"
beside none
show_keys
show_keys ;# all of them
set keys $top.keys
settle_until {[winfo ismapped $keys] && [winfo ismapped $keys.bar]}
ok [expr {[winfo width $keys] <= [winfo screenwidth .] && [winfo height $keys] <= [winfo screenheight .]}] \
    "the keys fit the screen: [winfo geometry $keys] of [winfo screenwidth .]x[winfo screenheight .]"
ok [winfo ismapped $keys.bar] "they scroll"
focus -force $keys
for {set i 0} {$i < 9} {incr i} {
    event generate $keys <Next>
}
update
is [lindex [$keys.view yview] 1] 1.0 "down to their end by Page Down"
event generate $keys.bar <Button-1> -x 2 -y 2
update
ok [winfo exists $keys] "a click on the scrollbar keeps them open"
event generate $keys <Escape>
update
ok [expr {![winfo exists $keys]}] "Escape closes them"
prefer scale 1
done
