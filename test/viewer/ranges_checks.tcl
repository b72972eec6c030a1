# ranges_checks.tcl - mountain ranges, by real events; runs in a window of the log "plain" of make_log.
# Innermost: red [0, 0.2) and [0.3, 0.5), green [0.2, 0.3), blue [0.5, 1) on rank 0; blue [0.25, 0.75) on rank 1.

source [file join [file dirname [info script]] window_tap.tcl]

panel beside ;# all of the height for the rows
sync
is [ranges] off "off at first"
press_key M
sync
is [ranges] on "M shows them"
set pane_plot [winfo parent $plot].rangesplot
set pane_photo [$pane_plot itemcget [lindex [$pane_plot find all] 0] -image]
set height [ranges height]
ok [winfo ismapped $pane_plot] "a pane is there"
is [winfo rootx $pane_plot]:[winfo width $pane_plot] [winfo rootx $plot]:[winfo width $plot] \
    "as wide as the time lines, below them"
ok [expr {[winfo rooty $pane_plot] >= [winfo rooty $plot] + [winfo height $plot]}] "and not over them"

# Of the picture's pane: at a time, at a part of its height from the foot.
proc layer {seconds part} {
    variable pane_photo
    sync
    format %02x%02x%02x {*}[$pane_photo get [x_of $seconds] [expr {int([ranges height] * (1 - $part))}]]
}
proc pane_event {event seconds part args} {
    variable pane_plot
    event generate $pane_plot $event -x [x_of $seconds] -y [expr {int([ranges height] * (1 - $part))}] {*}$args
    sync
}

proc double_click {seconds part} {
    foreach i {1 2} {
        pane_event <Button-1> $seconds $part
        pane_event <ButtonRelease-1> $seconds $part
    }
}

is [ranges order] {blue red green} "the state with the most time lies at the bottom"
is [layer 0.1 0.2]:[layer 0.1 0.7] cc0000:ffffff "one process in red"
is [layer 0.6 0.2]:[layer 0.6 0.9] 0000cc:0000cc "both in blue"
is [layer 0.4 0.2]:[layer 0.4 0.7] 0000cc:cc0000 "blue below red"
is [ranges at 0.27] {{blue 1.0000} {green 1.0000}} "the word at: {name processes}"
ranges depth outermost
is [ranges at 0.27] {{blue 1.0000} {red 1.0000}} "outermost: red around green"
ranges depth innermost

# ---- The pointer
pane_event <Motion> 0.4 0.7
like [status] {^red   1 of 2 processes   50\.0 %$} "what is under the pointer: [status]"
ok [expr {[lindex [$plot coords cursor] 0] == [x_of 0.4] && [$plot itemcget cursor -state] eq "normal"}] \
    "its line runs through the time lines"
ok [expr {[$pane_plot find withtag note] ne {}}] "a note beside it"
pane_event <Motion> 0.1 0.9
like [status] {^no state   1 of 2 processes} "above the mountains: who is in no state"
point 0.6 0
ok [expr {abs([lindex [$pane_plot coords cursor] 0] - [x_of 0.6]) <= 1}] "the time lines' pointer runs through the pane"
event generate $pane_plot <Leave>
sync
is [$plot itemcget cursor -state] hidden "it goes with the pointer"

# ---- Time
pane_event <Button-4> 0.6 0.5
ok [near [expr {[lindex [window] 1] - [lindex [window] 0]}] 0.8] "the wheel zooms"
fit
zoom 0.2 0.4
is [layer 0.22 0.4]:[layer 0.38 0.2] 00aa00:0000cc "zoomed with the time lines"
pane_event <Shift-Button-1> 0.3 0.5
pane_event <B1-Motion> 0.25 0.5
pane_event <ButtonRelease-1> 0.25 0.5
ok [near [window] {0.25 0.45}] "Shift-drag moves: [window]"
fit

# ---- Order
pane_event <Button-1> 0.4 0.2
pane_event <B1-Motion> 0.4 0.4
pane_event <B1-Motion> 0.4 0.8
pane_event <ButtonRelease-1> 0.4 0.8
is [ranges order] {red blue green} "blue was dragged above red"
is [layer 0.4 0.2]:[layer 0.4 0.7] cc0000:0000cc "and is drawn so"
pane_event <Button-1> 0.4 0.8
pane_event <B1-Motion> 0.4 0.2
pane_event <ButtonRelease-1> 0.4 0.2
is [ranges order] {blue red green} "and back below it"
is [ranges order green] {green blue red} "the word order: green to the bottom"
is [layer 0.27 0.2] 00aa00 "drawn so"
is [ranges order time] {blue red green} "by time again"
is [catch {ranges order none} text]:$text "1:ranges: no state is called none" "no such state"

# ---- Which states
double_click 0.4 0.7
is [layer 0.37 0.2]:[layer 0.37 0.7] cc0000:ffffff "a double click: red only"
double_click 0.4 0.2
is [layer 0.4 0.2] 0000cc "and all again"
ranges only b* green
is [layer 0.27 0.2]:[layer 0.27 0.7] 0000cc:00aa00 "only some"
is [layer 0.1 0.2] ffffff "without red"
ranges only
hide green
is [ranges at 0.22] {{red 1.0000}} "what is hidden in the legend is not there: red shows"
show *

# ---- Smooth, the sash
set before [layer 0.497 0.2]
ranges smooth on
sync
set steps {}
for {set x [expr {[x_of 0.5] - 6}]} {$x < [x_of 0.5] + 6} {incr x} {
    for {set y 0} {$y < [ranges height] && [$pane_photo get $x $y] in {{255 255 255} {223 227 232}}} {incr y} {}
    lappend steps $y
}
ok [expr {[llength [lsort -unique $steps]] == 1}] "smooth keeps what is flat"
set steps {}
for {set x [expr {[x_of 0.25] - 6}]} {$x < [x_of 0.25] + 6} {incr x} {
    for {set y 0} {$y < [ranges height] && [$pane_photo get $x $y] in {{255 255 255} {223 227 232}}} {incr y} {}
    lappend steps $y
}
ok [expr {[llength [lsort -unique $steps]] > 6}] "and makes slopes of steps"
ranges smooth off
set bar [winfo parent $plot].rangesbar
set before [winfo height $pane_plot]
event generate $bar <Button-1> -x 5 -y 5 -rootx 5 -rooty 500
event generate $bar <B1-Motion> -x 5 -y -25 -rootx 5 -rooty 470
sync
is [expr {[winfo height $pane_plot] - $before}] 30 "the bar above it is a sash"
is [image height $pane_photo] [winfo height $pane_plot] "the picture grows with it"
event generate $bar.smooth <Enter>
event generate $bar.smooth <Button-1> -x 3 -y 3
event generate $bar.smooth <ButtonRelease-1> -x 3 -y 3
sync
ok [lindex [[lindex [$bar.close cget -command] 0] look] 0] "a button for smooth"
$bar.close invoke
sync
is [ranges]:[winfo ismapped $pane_plot] off:0 "closed by its cross"
rows 1
ranges on
is [ranges at 0.1]:[ranges at 0.5] :[list {blue 1.0000}] "the rows selected only"
is [catch {ranges nonsense} text] 1 "an unknown word: $text"
done
