# window_checks.tcl - real events and their effects; runs in a window of the log "plain", which make_log.c describes:
# `pith view plain.pith -e 'source window_checks.tcl'`. Prints TAP lines.

source [file join [file dirname [info script]] window_tap.tcl]

set models [info class instances ::pith::Model]

# ---- The picture
panel beside ;# the names in the bars lie as these checks expect
sync
panel size 538
sync
ok [winfo ismapped $plot] "a window is there"
ok [near [window] {0 1}] "it shows the whole log"
is [colour 0.1 0] cc0000 "rank 0 is red at 0.1 s"
is [colour 0.25 0] 00aa00 "green inside at 0.25 s"
is [colour 0.25 0 0.14] cc0000 "red around it"
is [colour 0.8 0] 0000cc "blue at 0.8 s"
is [colour 0.2 1] e9edf1 "rank 1 idles at 0.2 s"
is [colour 0.5 1] 0000cc "blue at 0.5 s"
is $::pith::typing::waiting:[tk useinputmethods] 0:$::pith::typing::methods "input methods are as before, when it stands"
ok [expr {[$top.menu.view index end] > 5}] "the menus are filled"

# ---- Details
like [point 0.1 0] {^red   on rank 0   from 0 s   to 500 ms   for 500 ms$} "details of a state"
like [point 0.25 0] {^green   on rank 0   from 200 ms   to 300 ms   for 100 ms   within 1 state$} "of the state inside"
like [point 0.25 0 0.14] {^red } "of the state around it, on its rim"
like [point 0.1 1 0.2] {^mark   on rank 1   at 100 ms   with answer=42$} "of an event, with its payload"
like [point 0.5 0 1.0] {^message   from rank 0   to rank 1   size 1.?024 bytes   tag 7   sent 400 ms   took 200 ms   rate} "of a message"
ok [expr {[$plot find withtag outline] ne {}}] "what is told of is outlined"
like [point 0.9 1] {^2 ranks, 11 records, 1 message  } "nothing there: what the log is"
ok [expr {[$plot find withtag outline] eq {}}] "where nothing is, nothing is outlined"
is [dict get [at 0.25 0] name] green "the word at: the innermost state"
is [dict get [at 0.25 0 0] name] red "and the outermost"

# ---- Keys
press_key plus
ok [near [window] {0.25 0.75}] "+ zooms in about the middle: [window]"
press_key Right
ok [near [window] {0.375 0.875}] "Right moves by a quarter: [window]"
press_key Key-minus
ok [near [window] {0.0 1.0}] "- zooms out, no further than the log"
press_key Key-w
press_key Key-a
ok [near [window] {0.125 0.625}] "w and a do as + and Left: [window]"
press_key f
ok [near [window] {0 1}] "f shows all"
zoom 0.2 0.4
after 700
zoom 0.25 0.3
press_key u
ok [near [window] {0.2 0.4}] "u goes back: [window]"
press_key r
ok [near [window] {0.25 0.3}] "r goes forth"
fit
after 700
hide green
rows 1
arrows off
zoom 0.2 0.4
press_key u
ok [near [window] {0 1}] "u undoes the zoom first"
press_key u
is [[lindex $models 0] arrows_way] auto "then messages are shown again"
press_key u
is [llength [row_list]] 2 "then all rows"
is [colour 0.25 0] cc0000 "the state is still hidden"
press_key u
is [colour 0.25 0] 00aa00 "then it is not"
press_key r
press_key r
is "[colour 0.5 0] [llength [row_list]]" "0000cc 1" "r hides state and rows again"
press_key u
press_key u
unfold_rows
is [llength [row_list]] 3 "a row for each level"
press_key u
is [llength [row_list]] 2 "is undone"
hide_rows 1
press_key u
is [llength [row_list]] 2 "hidden rows come back"
pin 1
press_key u
is [[lindex $models 0] pinned_count] 0 "pinned rows are free again"
after 700
rows 1
after 700
ok [catch {rows 77}] "there is no such row"
press_key u
is [llength [row_list]] 2 "which is nothing to undo: the choice before it is undone"
fit
press_key question
proc key_count {} {
    variable top
    set count 0
    set frames [list $top.keys.view.rows]
    while {$frames ne {}} {
        set frames [lassign $frames frame]
        lappend frames {*}[winfo children $frame]
        incr count [string match k* [winfo name $frame]]
    }
    return $count
}
sync
set few [key_count]
ok [expr {$few >= 15 && $few <= 20}] "? shows the keys that a newcomer needs: $few"
focus -force $top.keys
event generate $top.keys <Key-question>
sync
ok [expr {[winfo exists $top.keys] && [key_count] > 60}] "? again shows all: [key_count]"
focus -force $top.keys
event generate $top.keys <Key-question>
sync
ok [expr {![winfo exists $top.keys]}] "and once more closes them"
press_key question
$top.keys.all invoke
sync
ok [expr {[winfo exists $top.keys] && [key_count] > 60}] "the button shows all, too"
focus -force $top.keys
event generate $top.keys <Escape>
sync
ok [expr {![winfo exists $top.keys]}] "Escape closes them"
set before [colour 0.45 0 0.72]
arrows off
sync
like [point 0.5 0 1.0] {^2 ranks|^blue|^red} "without arrows none is found"
arrows on

point 0.25 0
press_key z
ok [near [window] {0.18 0.32}] "z zooms to the state under the pointer: [window]"
fit

# ---- Wheel and mouse
set x [x_of 0.6]
event generate $plot <Control-Button-4> -x $x -y 10
sync
lassign [window] t0 t1
ok [near [list [expr {$t0 + ($t1 - $t0) * $x / double([winfo width $plot])}]] 0.6 0.003] "Ctrl-wheel keeps the time under the pointer"
ok [near [expr {$t1 - $t0}] 0.8] "and zooms by a fifth"
event generate $plot <Control-Button-5> -x $x -y 10
sync
ok [near [window] {0 1}] "and back"
event generate $plot <Button-4> -x $x -y 10
sync
lassign [window] t0 t1
ok [near [expr {$t1 - $t0}] 0.8] "all rows in sight: the plain wheel zooms too"
event generate $plot <Shift-Button-5> -x $x -y 10
sync
ok [expr {[lindex [window] 0] > $t0}] "Shift-wheel moves to the right"
fit
sync
set from [x_of 0.2]
set to [x_of 0.4]
event generate $plot <Control-Button-1> -x $from -y 20
event generate $plot <B1-Motion> -x [expr {($from + $to) / 2}] -y 24
ok [expr {[$plot find withtag selection] ne {}}] "dragging with Control shows what is dragged over"
event generate $plot <B1-Motion> -x $to -y 24
event generate $plot <ButtonRelease-1> -x $to -y 24
sync
ok [near [window] {0.2 0.4} 0.004] "and zooms to it: [window]"
ok [expr {[$plot find withtag selection] eq {}}] "nothing is selected by it"
is [colour 0.22 0] 00aa00 "the picture has followed"
set before [window]
event generate $plot <Button-2> -x 300 -y 20
event generate $plot <B2-Motion> -x 200 -y 20
event generate $plot <ButtonRelease-2> -x 200 -y 20
sync
ok [expr {[lindex [window] 0] > [lindex $before 0]}] "the middle button moves"
fit
sync
event generate $plot <Button-1> -x [x_of 0.25] -y [expr {[height] / 2}]
event generate $plot <ButtonRelease-1> -x [x_of 0.25] -y [expr {[height] / 2}]
sync
ok [winfo exists $top.card] "a click opens a card"
is [$top.card.v0 cget -text] green "with the state's name"
press_key Escape
ok [expr {![winfo exists $top.card]}] "Escape closes it"

# ---- The strip with the whole log
set strip [winfo parent $plot].overview
zoom 0.2 0.4
sync
event generate $strip <Button-1> -x [expr {[winfo width $strip] * 7 / 10}] -y 10
sync
ok [near [window] {0.6 0.8} 0.004] "a click in the strip moves the window there: [window]"
event generate $strip <B1-Motion> -x [expr {[winfo width $strip] * 5 / 10}] -y 10
sync
ok [near [window] {0.4 0.6} 0.004] "and a drag: [window]"
set strip_photo [$strip itemcget shown -image]
is "[format %02x%02x%02x {*}[$strip_photo get 2 7]] [format %02x%02x%02x {*}[$strip_photo get [expr {[image width $strip_photo] - 3}] 7]]" \
    "cc0000 0000cc" "in which the window's part of the log is shown"
set strip_photo [$strip itemcget 1 -image]
is [format %02x%02x%02x {*}[$strip_photo get [expr {[winfo width $strip] * 8 / 10}] 7]] 9999eb "beside it the rest, faded"
fit
sync

# ---- Legend, hiding
is [legend] {{blue 2 1.000000000 1.000000000} {red 1 0.500000000 0.400000000} {green 1 0.100000000 0.100000000} {mark 1 0.000000000 0.000000000}} \
    "the legend: counts, inclusive and exclusive times"
zoom 0.25 0.5
is [legend] {{blue 1 0.250000000 0.250000000} {red 1 0.250000000 0.200000000} {green 1 0.050000000 0.050000000}} "of the part in view"
fit
hide green
is [colour 0.25 0] cc0000 "a hidden state is not drawn"
show *
is [colour 0.25 0] 00aa00 "and shown again"
rows 1
is [colour 0.5 0] 0000cc "rows: only rank 1"
rows
ok [catch {rows 9}] "rows that are not there are refused"
ok [catch {zoom 0.5 0.2}] "so is a window that ends before it begins"

# ---- Buttons
$top.tools.in invoke
sync
ok [near [window] {0.25 0.75}] "the button + zooms in"
$top.tools.fit invoke
sync
ok [near [window] {0 1}] "the button Fit shows all"
# Those of the switches that are pressed.
proc pressed {} {
    variable top
    return [lmap name {arrows waits path findings} {expr {[$top.tools.$name instate selected] ? $name : [continue]}}]
}
arrows off
waits off
is [pressed] {} "buttons of switches that are off"
$top.tools.arrows invoke
is [pressed] arrows "a button shows that its switch is on"
waits on
is [pressed] {arrows waits} "also when a word sets it"
waits off
is [pressed] arrows "and when it is off again"

# ---- Scrolling rows
height 150
sync
set before [colour 0.9 0]
for {set i 0} {$i < 3} {incr i} {
    event generate $plot <Button-5> -x 10 -y 10
}
sync
wm geometry $top 800x330
update
sync
event generate $plot <Button-5> -x 10 -y 10
sync
set shown [format %02x%02x%02x {*}[$photo get [x_of 0.9] 75]]
is $shown ffffff "rows higher than the window: the wheel scrolls to rank 1, which has ended at 0.9 s"

# ---- A picture
shot window.png
set png [image create photo -file window.png]
is "[image width $png]x[image height $png]" "[winfo width $top]x[winfo height $top]" "shot: a picture of the window"
set x [expr {[winfo rootx $plot] - [winfo rootx $top] + [x_of 0.5]}]
set y [expr {[winfo rooty $plot] - [winfo rooty $top] + 75}]
is [format %02x%02x%02x {*}[$png get $x $y]] 0000cc "with rank 1's blue"
ok [catch {shot /nowhere/x.png}] "shot into a folder that is not there fails"

done
