# panel_checks.tcl - the panel with tabs, by real keys and a real pointer; runs in a window of the log "rich" of make_log.

source [file join [file dirname [info script]] window_tap.tcl]
source [file join [file dirname [info script]] hands.tcl]

set panes $top.panes
set book $panes.panel.book
set pages {legend findings selection details lengths matrix stack calltree sql}
# Real keys go to the window that has the focus.
proc focus_plot {} {
    variable plot
    focus -force $plot
    settle
}
proc click_tab {name} {
    variable book
    variable pages
    set number [lsearch -exact $pages $name]
    for {set x 3} {[$book index @$x,8] ne $number} {incr x 4} {}
    hand [onto $book [expr {$x + 8}] 8] "click 1"
    sync
}
# What fills a page, if it can be seen.
proc filled {name} {
    variable book
    return [lmap slave [grid slaves $book.$name] {
        if {![winfo ismapped $slave] || [winfo width $slave] < 100 || [winfo height $slave] < 40} continue
        set slave
    }]
}
wm geometry $top 1400x800+0+0
sync
sync

# ---- Time gets the width
is [lindex [panel] 0] below "in a window of 1400 pixels the panel lies below"
is [winfo width $panes.time] [winfo width $panes] "the timelines have all of the width"
ok [expr {[winfo height $panes.panel] < 0.47 * [winfo height $panes]}] "and more than half of the height"
is "[tab] [llength [filled legend]]" "legend 1" "the legend is there"
wm geometry $top 1700x800+0+0
sync
sync
is [lindex [panel] 0] beside "in a wide window it lies beside"
ok [expr {[winfo height $panes.time] == [winfo height $panes] && [winfo rootx $panes.panel] > [winfo rootx $panes.time] + 800}] \
    "the timelines have all of the height"
wm geometry $top 1400x400+0+0
sync
sync
is [lindex [panel] 0] beside "in a low one, too"
wm geometry $top 1400x800+0+0
sync
sync
is [lindex [panel] 0] below "and below again"
is [catch {panel above} text]:$text "1:panel: must be below, beside, auto or size PIXELS" "another place there is not"
is [catch {tab none} text]:$text "1:no such tab: none; must be one of [join $pages {, }]" "nor another tab"

# ---- As large as it may be: rows stay above it and above panes with the same time axis
panel size 2000
derive "time(*)"
ranges on
sync
sync
ok [expr {[winfo ismapped $plot] && [winfo height $plot] >= 60}] "a large panel and two panes leave room for rows ([winfo height $plot])"
ok [expr {[winfo rooty $panes.time.overview] + [winfo height $panes.time.overview] <= [winfo rooty $panes.panel]}] \
    "and for the whole log below"
set low [winfo height $panes.panel]
ranges off
derive off
sync
sync
ok [expr {[winfo height $panes.panel] > $low + 200}] "without the panes it is larger"
wm geometry $top 1400x800+0+0
panel size 360
sync
sync

# ---- Tabs, by a click: the keys of the timelines go on
focus_plot
click_tab findings
is "[tab] [filled findings]" "findings $panes.findings" "a click on a tab chooses it, and fills it"
lassign [window] from to
hand "key plus"
sync
ok [expr {[lindex [window] 1] - [lindex [window] 0] < 0.6 * ($to - $from)}] "the key + still zooms"
hand "key f"
sync
foreach name {lengths matrix stack calltree sql details selection legend} {
    click_tab $name
    is "[tab] [llength [filled $name]]" "$name 1" "so is the tab of $name"
}

# ---- By keys
focus_plot
foreach {key name} {x matrix A findings l lengths K stack space details} {
    hand "key [expr {$key eq {A} ? {Shift_L a} : $key eq {K} ? {Shift_L k} : $key}]"
    sync
    is [tab] $name "the key $key chooses $name"
    focus_plot
}
hand "key space"
sync
is [tab] stack "once more: the tab before"
click_tab legend
set walked {}
foreach page $pages {
    hand "key Control_L Next"
    sync
    lappend walked [tab] [llength [filled [tab]]]
}
is $walked [concat {*}[lmap page [list {*}[lrange $pages 1 end] legend] {list $page 1}]] "Ctrl-Page Down walks all tabs"
hand "key Control_L Prior"
sync
is [tab] [lindex $pages end] "Ctrl-Page Up goes back"
set high [winfo height $panes.time]
hand "key F9"
sync
is "[lindex [panel] 0] [winfo ismapped $panes.panel] [winfo height $panes.time]" "off 0 [winfo height $panes]" \
    "F9: the timelines have all of the window"
hand "key x"
sync
is "[lindex [panel] 0] [tab] [winfo height $panes.time]" "below matrix $high" "what opens a page brings the panel back"
hand "key F9" "key F9"
sync
is "[tab] [winfo height $panes.time]" "matrix $high" "so does F9"

# ---- Keys inside of a page are the page's own
set combo $top.matrix.body.controls.scope
focus -force $combo
settle
set rows [row_list]
hand "key z" "key minus"
sync
is "[window] [row_list]" "[window] $rows" "a list of choices keeps its keys"
focus -force $top.matrix.body.book.matrix.canvas
settle
hand "key Escape"
sync
is "[winfo exists $top.matrix] [tab]" "0 [lindex $pages end]" "Escape closes a page, and shows the one before"
tab details
focus -force $top.details.buttons.copy
settle
hand "key space"
sync
is [tab] details "Space on a button presses the button alone"
clipboard clear
focus_plot

# ---- Details: the page in place of the card
arrows off
zoom 100us 300us
sync
hand [onto $plot [x_of 0.00021] [expr {int([height] / 2)}]] "click 1"
sync
ok [expr {![winfo exists $top.card]}] "no card covers the timelines"
like [$top.details.text get 1.0 end] {on\trank 0} "the page says what is chosen"
tab legend
hand [onto $plot [x_of 0.00028] [expr {int([height] / 2)}]] "click 1"
sync
ok [winfo exists $top.card] "without the page there is a card"
hand "key Escape"
sync

fit
sync
# ---- The legend keeps its place when it is asked for bars by rank
set tree $panes.legend.tree
set group [lindex [$tree children {}] 0]
set item [lindex [$tree children $group] 0]
set place [list [winfo rootx $tree] [winfo rooty $tree]]
lassign [$tree bbox $item #0] x y w h
hand [onto $tree [expr {$x + $w - 5}] [expr {$y + $h / 2}]] "click 1"
sync
is "[tab] [llength [filled legend]]" "legend 2" "a click on a state: bars by rank beside the legend"
is [list [winfo rootx $tree] [winfo rooty $tree]] $place "which stays where it is"
ok [expr {[winfo rootx $panes.selection] >= [winfo rootx $tree] + [winfo width $tree]}] "beside it"
panel beside
sync
ok [expr {[winfo rooty $panes.selection] >= [winfo rooty $tree] + [winfo height $tree]}] "or below it"
panel auto
sync
$panes.selection.body.head.close invoke
sync
is [llength [filled legend]] 1 "closed"

# ---- Nothing jumps while one reads
tab findings
waits on
critical_path on
sync
is [tab] findings "other switches leave the tab"
waits off
critical_path off
select 0.002 0.004
sync
is [tab] selection "a selection shows its statistics"
select none
sync
is [tab] findings "without it, the tab before is back"
findings off
stack close
tab legend

# ---- Shares as bars, an eye, a lens
proc cell {item column} {
    variable tree
    lassign [$tree bbox $item $column] x y w h
    return [onto $tree [expr {$x + $w / 2}] [expr {$y + $h / 2}]]
}
is [$tree cget -displaycolumns] {share eye lens} "no columns of figures"
# The filled pixels of the bar: those of its mask in a line, without the icon.
proc bar_of {item} {
    variable tree
    set mask [lindex [::pith::box::rows [[lindex [$tree item $item -image] 0] cget -maskdata]] 6]
    set bar [string length [string map {0 {}} [string range $mask 18 end]]]
    return [expr {double($bar) / ([string length $mask] - 18)}]
}
set wrong {}
foreach one [$tree children $group] {
    if {[scan [$tree set $one share] %f share] == 1 && abs([bar_of $one] - $share / 100) > 0.025} {
        lappend wrong "[$tree item $one -text] $share [bar_of $one]"
    }
}
is $wrong {} "each bar is as long as its share"
ok [expr {[bar_of $item] > 0.05}] "the first has one"
is [$tree set $item eye][$tree set $item lens] {} "no eye where the pointer is not"
hand [cell $item share]
sync
is [$tree set $item eye][$tree set $item lens] \u25c9\u2315 "an eye and a lens where it is"
set id $item
hand [cell $item eye] "click 1"
sync
is "[$tree set $item show] [$tree set $item eye]" "\u2610 \u25cb" "a click on the eye hides"
hand [onto $plot]
sync
is [$tree set $item eye] \u25cb "what is hidden keeps its eye"
hand [cell $item eye] "click 1"
sync
is [$tree set $item show] \u2611 "a click shows it again"
hand [cell $item lens] "click 1"
sync
is [$tree set $item find] \u2610 "a click on the lens leaves it out of searches"
hand [cell $item lens] "click 1"
sync
like [tip_at $tree [expr {[lindex [$tree bbox $item eye] 0] + 8}] [expr {[lindex [$tree bbox $item eye] 1] + 5}]] \
    {^Shown: a click hides it} "a tooltip of the eye"
hand [onto $panes.legend.bar.detailed 8] "click 1"
sync
ok [expr {"exclusive" in [$tree cget -displaycolumns]}] "on request all columns are there"
hand [onto $panes.legend.bar.detailed 8] "click 1"
sync
is [$tree cget -displaycolumns] {share eye lens} "and gone"

# ---- In a narrow panel the titles of tabs are small, and the pointer shows them
panel beside
wm geometry $top 900x700
update
set book $top.panes.panel.book
is [$book cget -style] Narrow.TNotebook "small tabs"
is [tip_at $book 12 12] Legend "with tooltips"
wm geometry $top 1500x700
panel below
update
is [$book cget -style] TNotebook "usual tabs where there is room"
is [tip_at $book 12 12] {} "need none"

# ---- In a narrow panel no title of a tab is cut: those without room are in a menu
tab calltree
panel beside
wm geometry $top 720x470
panel size 300
sync
set book $top.panes.panel.book
set more $top.panes.panel.more
proc titles {} {
    variable book
    return [lmap tab [$book tabs] {expr {[$book tab $tab -state] eq "normal" ? [$book tab $tab -text] : [continue]}}]
}
set listed {}
for {set i 0} {$i <= [$more.menu index end]} {incr i} {
    lappend listed [$more.menu entrycget $i -label]
}
ok [winfo ismapped $more] "a button for the tabs that have no room"
is [lsort [concat [titles] $listed]] [lsort [lmap tab [$book tabs] {$book tab $tab -text}]] "each tab is there or in its menu"
ok [expr {"Call tree" in [titles]}] "that of the page is there"
set needed [::tcl::mathop::+ {*}[lmap title [titles] {expr {[font measure PithSmall $title] + [::pith::theme::px 6]}}]]
ok [expr {$needed <= [winfo x $more]}] "titles have room: $needed of [winfo x $more]"
set before [tab]
$more.menu invoke 0
sync
is [expr {[tab] ne $before}]:[expr {[lindex $listed 0] in [titles]}] 1:1 "the menu chooses a page, which has its tab then"
wm geometry $top 1200x860
panel below
sync
is [llength [titles]]:[winfo ismapped $more] 9:0 "all of them again in a wide panel"
done
