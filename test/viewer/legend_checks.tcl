# legend_checks.tcl - run inside of a window that shows the log "rich" of make_log: the legend under real clicks and keys.

# In here `colour` is a pixel.
rename colour colour_word
source [file join [file dirname [info script]] window_tap.tcl]
set pane $top.panes.legend
set tree $pane.tree
wm geometry $top 1400x700
legend_columns on
sync

# The names in the table, from top to bottom.
proc names {} {
    return [lmap row [legend_rows] {lindex $row 0}]
}
proc item_of {name} {
    variable tree
    set rows [[[lindex [::info class instances ::pith::Window] 0] legend] rows]
    foreach item [concat {*}[lmap top [$tree children {}] {list $top {*}[$tree children $top]}]] {
        if {[$rows name $item] eq $name} {
            return $item
        }
    }
}
# A click into a row's column (#0 is the name; its colour with `part` image), with a button and how often.
proc click {name column {part text} {button 1} {times 1}} {
    variable tree
    set item [item_of $name]
    $tree see $item
    sync
    lassign [$tree bbox $item $column] x y w h
    set x [expr {$x + ($column eq "#0" && $part eq "image" ? 22 : $w / 2)}]
    set y [expr {$y + $h / 2}]
    if {$column eq "#0" && $part eq "image"} {
        while {[$tree identify element $x $y] ne "image" && $x < 60} {
            incr x
        }
        incr x 5
    }
    event generate $tree <Motion> -x $x -y $y
    for {set i 0} {$i < $times} {incr i} {
        event generate $tree <Button-$button> -x $x -y $y
        event generate $tree <ButtonRelease-$button> -x $x -y $y
    }
    sync
}
proc click_heading {column} {
    variable tree
    sync
    lassign [$tree bbox [lindex [$tree children {}] 0] $column] x y w h
    event generate $tree <Motion> -x [expr {$x + 6}] -y 6
    event generate $tree <Button-1> -x [expr {$x + 6}] -y 6
    event generate $tree <ButtonRelease-1> -x [expr {$x + 6}] -y 6
    sync
}
proc type {widget text} {
    focus -force $widget
    update
    foreach char [split $text {}] {
        event generate $widget <Key> -keysym [expr {$char eq "*" ? "asterisk" : $char eq "_" ? "underscore" : $char}]
    }
    sync
}

# Whether it is somewhere in the picture of the window.
proc has_colour {rgb} {
    shot colour.png
    set png [image create photo -file colour.png]
    set has [string match *$rgb* [$png data]]
    image delete $png
    return $has
}

# ---- What is listed
is [names] {user compute prefetch {write checkpoint} repair step checkpoint residual {MPI collective} MPI_Allreduce computing {MPI wait} MPI_Waitall {MPI point-to-point} MPI_Isend MPI_Irecv messages} \
    "by groups that come from the names, by their own time"
is [lindex [legend_rows] [lsearch [names] MPI_Allreduce]] [list MPI_Allreduce \u2611 \u2611 144 {45.8 ms} {45.8 ms} {29.9 %}] "a row"
is [lindex [legend_rows] [lsearch [names] "MPI point-to-point"]] [list {MPI point-to-point} \u2611 \u2611 576 {} {4.4 ms} {2.9 %}] \
    "a group's sums; inclusive times of states in states are not added up"
is [lindex [legend_rows] end] [list messages \u2611 {} 288 {} {} {}] "messages"
set sums [legend]
set own 0
foreach row $sums {
    if {[lindex $row 0] in {compute prefetch {write checkpoint} repair step}} {
        set own [expr {$own + [lindex $row 3]}]
    }
}
is [format %.2f [expr {$own * 1e3}]] 58.45 "the sum of a group is that of its members"
set log [[[lindex [::info class instances ::pith::Window] 0] model] log]
$log sumsjob 4000000 12000000 [list apply {args {set ::sums_said $args}}]
while {![info exists ::sums_said] || [lindex $::sums_said 0] ne "done"} {
    vwait ::sums_said
}
is [lindex $::sums_said 1] [$log sums 4000000 12000000] "sums from a job are those made at once, shares too"

# ---- Sums come beside the window
proc row_colour {} {
    variable tree
    return [$tree tag configure row -foreground]
}
zoom 5ms 6ms
is [row_colour] [::pith::theme::colour hidden] "the window has moved: the old numbers are grey"
set late [after 20000 {set ::waited late}]
proc look_again {} {
    if {[row_colour] ne [::pith::theme::colour hidden]} {
        set ::waited done
    } else {
        after 20 [namespace code look_again]
    }
}
look_again
vwait ::waited
after cancel $late
is $::waited done "until there are new ones, which come without being asked for"
is [$tree set [item_of compute] count] 12 "and are those of this window"

# Time outside all states, of the window and the rows shown, as `pith stat` has it.
proc computing {} {
    return [lindex [legend_rows] [lsearch [names] computing] 5]
}
proc computing_of {args} {
    set csv [exec pith stat rich.pith --csv {*}$args]
    return [::pith::board::time_in_column [expr {round(1e9 * [lindex [split [lsearch -inline [split $csv \n] computing,*] ,] 5])}] \
        9000000] ;# the longest time of this window is some milliseconds
}
is [computing] [computing_of --from 5ms --to 6ms] "computing: time outside all states"
rows 1-3
sync
is [computing] [computing_of --from 5ms --to 6ms --lane 1-3] "of the rows shown"
rows
fit
sync

# ---- Names that have no room
set panes $top.panes
panel beside
sync
panel size 580
sync
proc move_sash {x} {
    variable panes
    panel size [expr {[winfo width $panes] - $x - [winfo width $panes.sash]}]
}
set sash [winfo x $panes.sash]
for {set at $sash} {[$tree column #0 -width] > [::pith::theme::px 130] && $at < 1300} {incr at 5} {
    move_sash $at
    update
}
sync
proc text_of {name} {
    variable tree
    return [string trim [$tree item [item_of $name] -text]]
}
is "[text_of compute] [string match wri*\u2026 [text_of {write checkpoint}]] [string match MPI*\u2026 [text_of {MPI point-to-point}]]" \
    "compute 1 1" "are cut, with an ellipsis: [text_of {write checkpoint}], [text_of {MPI point-to-point}]"
lassign [$tree bbox [item_of {write checkpoint}] #0] x y w h
for {set try 0} {$try < 10 && ![winfo exists $top.tip]} {incr try} { # other events hide it
    event generate $tree <Motion> -x [expr {$x + 50}] -y [expr {$y + 5}]
    after 500 {set ::waited yes}
    vwait ::waited
}
ok [expr {[winfo exists $top.tip] && [$top.tip cget -text] eq "write checkpoint"}] "and are told in full under the pointer"
event generate $tree <Leave>
ok [expr {![winfo exists $top.tip]}] "until it leaves"
lassign [$tree bbox [lindex [$tree children {}] 0] exclusive] x y w h
like [tip_at $tree [expr {$x + $w / 2}] 6] {^Self: the time in it, without} "a heading says what is below it"
move_sash $sash
sync

# ---- Another size of the window: the timelines keep more than half of it, or what the user gave them
proc timelines_at {width} {
    variable top
    variable panes
    wm geometry $top ${width}x600
    for {set try 0} {$try < 200 && abs([winfo width $panes] - $width) > 2} {incr try} {
        after 20 {set ::waited yes}
        vwait ::waited
    }
    sync
    return [winfo width $panes.time]
}
set geometry [wm geometry $top]
set first [winfo width $panes.legend]
ok [expr {[timelines_at 640] >= 340}] "in a narrow window the timelines have more than half: [winfo width $panes.time]"
ok [expr {[timelines_at 480] >= 255}] "in the narrowest one, too: [winfo width $panes.time]"
timelines_at 1280
ok [expr {abs([winfo width $panes.legend] - $first) <= 4}] \
    "then the legend is as wide as at first: [winfo width $panes.legend], $first"
pane legend off
timelines_at 640
pane legend on
sync
ok [expr {[winfo width $panes.time] >= 340}] "the same if the legend is shown only then: [winfo width $panes.time]"
timelines_at 1280
set x [expr {[winfo rootx $panes.sash] + 2}]
foreach {event at} {ButtonPress-1 0 B1-Motion -150 B1-Motion -300 ButtonRelease-1 -300} {
    event generate $panes.sash <$event> -rootx [expr {$x + $at}] -rooty 200
}
sync
set part [expr {1.0 * [winfo width $panes.legend] / [winfo width $panes]}]
ok [expr {$part > 0.6}] "the sash is dragged: $part"
timelines_at 800
ok [expr {abs(1.0 * [winfo width $panes.legend] / 800 - $part) < 0.02}] "the legend keeps the part that it was given"
wm geometry $top $geometry
sync
move_sash $sash
sync
is [text_of {write checkpoint}] "write checkpoint" "a wider column has room"

# ---- Groups
$pane.bar.grouped invoke
sync
is [lrange [names] 0 2] {MPI_Allreduce compute computing} "without groups"
$pane.bar.grouped invoke
fold {MPI*}
sync
ok [expr {![$tree item {group:MPI wait} -open]}] "a group folded up by word"
focus -force $tree
$tree focus {group:MPI wait}
event generate $tree <Key-Right>
sync
ok [$tree item {group:MPI wait} -open] "and unfolded by a key"
zoom 1ms 2ms
ok [expr {[$tree item {group:MPI wait} -open] && ![$tree item {group:MPI collective} -open]}] "both stay when the window moves"
fit
fold * off
sync

# ---- Sorting
legend_groups off
click_heading count
is [lrange [names] 0 1] {MPI_Isend MPI_Irecv} "a click on Count: the most frequent first"
like [$tree heading count -text] "^Count.*\u25be" "marked"
click_heading count
is [lindex [names] 0] residual "again: the other way round"
click_heading #0
is [lrange [names] 0 3] {checkpoint compute computing messages} "by name"
is [lmap column {inclusive exclusive} {lindex [split [$tree heading $column -text] \u2009] 0}] {Total Self} "total and self, as in pith stat"
click_heading inclusive
is [lindex [names] 0] step "by inclusive time"
click_heading share
is [lindex [names] 0] MPI_Allreduce "by share"
legend_sort name down
is [lindex [names] 0] {write checkpoint} "by word"
ok [catch {legend_sort colour}] "by what is not there: refused"
hide MPI_*
click_heading show
is [lindex [names] end] [lindex [lsort [lrange [names] end-3 end]] [lsearch [lsort [lrange [names] end-3 end]] [lindex [names] end]]] "by what is shown"
like [lrange [names] end-3 end] MPI.*MPI.*MPI.*MPI "hidden ones last"
show_all
legend_sort exclusive down
legend_groups on

# ---- Search box
type $pane.bar.filter mpi_i
is [names] {MPI_Isend MPI_Irecv} "typed: a part of the names"
ok [expr {![winfo ismapped $pane.bar.hint]}] "what the box is for is told no more"
is [$pane.bar.filter get] mpi_i "the keys are the search box's own"
is [near [window] {0.000018 0.01918}] 1 "and do nothing in the time lines"
event generate $pane.bar.filter <Key-Escape>
sync
is [llength [names]] 17 "Escape lists all"
after 700 ;# the next change is undone alone
filter {*check*}
is [names] {{write checkpoint} checkpoint} "a pattern"
undo
is "[llength [names]] [$pane.bar.filter get]" "17 " "undo takes it back"
redo
is "[names] [$pane.bar.filter get]" "{write checkpoint} checkpoint *check*" "redo brings it again"
filter "point-to"
is [names] {MPI_Isend MPI_Irecv} "a group's name"
filter
press_key Control-l
is [focus] $pane.bar.filter "Ctrl-l goes there"

# ---- Used, all
zoom 100us 200us
ok [expr {"repair" ni [names]}] "what is not in the window is not listed"
$pane.bar.all invoke
sync
ok [expr {"repair" in [names]}] "unless all is"
is [lrange [lindex [legend_rows] [lsearch [names] repair]] 3 end] {{} {} {} {}} "without numbers"
$pane.bar.all invoke
fit
sync

# ---- Switches
set colour_of_compute [colour 0.00021 0]
click compute show
is [lindex [legend_rows] [lsearch [names] compute] 1] \u2610 "a click hides"
ok [expr {[colour 0.00021 0] ne $colour_of_compute}] "in the picture too"
is [lindex [legend_rows] 0 1] \u25a3 "its group is shown in part"
click compute show
is [colour 0.00021 0] $colour_of_compute "again: shown"
click user show
is [lmap row [lrange [legend_rows] 1 7] {lindex $row 1}] [lrepeat 7 \u2610] "a group's switch hides all of it"
click user show
click repair find
is [lsearch [searchable] repair] -1 "the other switch: searches pass over it"
ok [expr {"compute" in [searchable]}] "but not over others"
searchable repair on
is [lindex [legend_rows] [lsearch [names] repair] 2] \u2611 "and back by word"
click messages show
sync
is [lindex [legend_rows] end 1] \u2610 "messages are hidden"
arrows on
is [lindex [legend_rows] end 1] \u2611 "and shown by word"

# ---- Selection, menu
click compute #0
lassign [$tree bbox [item_of repair] count] x y
event generate $tree <Shift-Button-1> -x [expr {$x + 6}] -y [expr {$y + 9}]
sync
is [llength [$tree selection]] 4 "several rows are selected"
click prefetch show
is [lsort [lmap row [legend_rows] {if {[lindex $row 1] ne "\u2610"} continue; lindex $row 0}]] {compute prefetch repair {write checkpoint}} \
    "a switch of one is for all of them"
focus -force $tree
event generate $tree <Key-space>
sync
is [lsearch -all -inline [lmap row [legend_rows] {lindex $row 1}] \u2610] {} "the space bar shows them again"
set menu $tree.menu
click MPI_Waitall #0
set x [lindex [$tree bbox [item_of MPI_Waitall] #0] 0]
# A menu takes the pointer for itself; what it would run is run here.
rename ::tk_popup ::tk_popup_real
proc ::tk_popup {args} {}
click MPI_Waitall #0 text 3
$menu invoke "Hide all others"
sync
is [lsort [lmap row [legend_rows] {if {[lindex $row 1] eq "\u2610"} continue; lindex $row 0}]] {{MPI wait} MPI_Waitall computing messages} "the menu: hide all but this"
$menu invoke "Show all"
is [colour 0.00021 0] $colour_of_compute "show all"
click user #0 text 3
$menu invoke "Exclude from searches"
is [lsort [searchable]] {MPI_Allreduce MPI_Irecv MPI_Isend MPI_Waitall} "of a group: its members"
$menu invoke "Include in searches"
only compute
is [lsort [lmap row [legend_rows] {if {[lindex $row 1] eq "\u2610"} continue; lindex $row 0}]] {compute computing messages user} "the word only"
ok [catch {only nonsense}] "of nothing: refused"
show_all
only {group:MPI collective}
is [colour 0.00021 0] e9edf1 "only a group"
show_all

# ---- Colours
click compute #0 image 1 2
set editor $top.colour
ok [winfo exists $editor] "a double click on the colour opens the editor"
is [$editor.head.sample cget -text] compute "of this state"
is [$editor.entry.text get] #$colour_of_compute "with its colour"
event generate $editor.swatches.s5 <Button-1>
sync
is [colour 0.00021 0] bbddff "a click on another: at once in the picture"
is [lindex [lindex [searchable] 0]] step "nothing else has changed"
focus -force $editor.entry.text
$editor.entry.text delete 0 end
type $editor.entry.text navy
is [colour 0.00021 0] 000080 "a name typed"
is [$editor.head.sample cget -foreground] #ffffff "the sample can be read"
$editor.entry.text delete 0 end
type $editor.entry.text yellow
is [$editor.head.sample cget -foreground] #000000 "on light colours too"
type $editor.entry.text x
is "[colour 0.00021 0] [set [$editor.entry.trouble cget -textvariable]]" "ffff00 no such colour" "nonsense is said and changes nothing"
focus -force $editor
event generate $editor <Key-Escape>
sync
is [colour 0.00021 0] $colour_of_compute "Escape: as it was"
click compute #0 image 1 2
event generate $editor.swatches.s5 <Button-1>
event generate $editor <Key-Return>
sync
ok [expr {![winfo exists $editor]}] "Return: OK"
is [colour 0.00021 0] bbddff "it stays"
palette safe
sync
palette log
is [colour 0.00021 0] bbddff "also when the palette changes"
edit_colour compute
$editor.buttons.default invoke
sync
is [colour 0.00021 0] $colour_of_compute "Default: the log's own"
is [colour_word compute #010203] #010203 "by word"
ok [catch {colour_word compute blurb}] "no colour: refused"
ok [catch {colour_word nonsense red}] "no state: refused"
colour_word compute default

# ---- Counters
fit
sync
colour_word residual #fedcba now
sync
set drawn [has_colour #fedcba]
hide residual
sync
ok [expr {$drawn && ![has_colour #fedcba]}] "a hidden counter is not drawn"
show_all

# ---- Themes
colour_word MPI_Isend #000090 now
theme dark
sync
is [format %02x%02x%02x {*}[$photo get 3 [expr {[winfo height $plot] - 3}]]] 15191e "dark: the picture's paper"
is [$plot cget -background] #15191e "and the canvas"
is [ttk::style lookup Treeview -background] #15191e "and the table"
is [$top.menu cget -background] #20262d "and menus"
is [colour_word MPI_Isend] #000090 "a colour that was given stays"
theme light
is [$plot cget -background] #ffffff "light again"
is [ttk::style lookup . -background] #f4f6f8 "all of it"
ok [catch {theme pink}] "no such theme: refused"

done
