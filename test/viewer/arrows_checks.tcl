# arrows_checks.tcl - message arrows; runs in a window of the log "plain" and opens the large log "crowd" twice.
source [file join [file dirname [info script]] window_tap.tcl]

# Opens the log and waits until all is read. Records the texts of the status line, and whether a picture was drawn meanwhile.
proc listen {} {
    variable said {}
    variable drawn 0
    variable other [::pith::Window open crowd.pith]
    variable ended 0
    [$other model] follow [list apply {{ended what} {
        incr $ended [expr {$what eq "digest"}]
    }} [namespace current]::ended]
    while {!$ended} {
        update
        after 5
        set text [$other word_status]
        if {$text ni $said} {
            lappend said $text
        }
        set image [[$other word_canvas] itemcget picture -image]
        if {!$drawn && [image width $image] > 300} {
            set drawn [expr {[$image get 200 10] ne [$image get 200 0]}]
        }
    }
    [$other model] set_arrows on
    $other word_sync
}
# How many pixels of a picture are as dark as no state is.
proc dark {window} {
    set photo [image create photo]
    [[$window word_canvas] itemcget picture -image] copy $photo
    set rows [$photo data]
    image delete $photo
    set count 0
    foreach row $rows {
        foreach pixel $row {
            scan $pixel #%2x%2x%2x red green blue
            incr count [expr {$red + $green + $blue < 240}]
        }
    }
    return $count
}

listen
ok [expr {[lsearch -regexp $said {reading messages [0-9]+ %}] >= 0}] "the status line tells how much is read: [lindex $said end]"
ok $drawn "there is a picture before all is read"
ok [expr {![string match *reading* [$other word_status]]}] "then it tells no more: [$other word_status]"
# Where messages would cover too much they are left out, which is said; m shows them all the same.
set with [dark $other]
[$other model] set_arrows auto
set geometry [wm geometry [$other top]]
[$other part Looks] word_pane legend off
wm minsize [$other top] 100 100
wm geometry [$other top] 320x600
$other word_sync
$other word_sync
set cover [[$other model] left_out]
set label [winfo parent [$other top].status.text].left_out
ok [expr {$cover > 0.1 && [winfo ismapped $label]}] "messages that cover [format %.2f $cover] of the picture are left out"
like [$label cget -text] "^messages hidden: would cover [format %.0f [expr {100 * $cover}]] %; m shows them\$" "which is said"
# A zoom changes how much they would cover, which makes no row label anew.
set labels [[[$other timeline] labels] path]
set made [$labels find withtag label]
lassign [[$other model] window] from to
[$other model] zoom_about 0.2 $from
$other word_sync
ok [expr {[[$other model] left_out] != $cover && $made ne {} && [$labels find withtag label] eq $made}] \
    "a zoom makes no label anew where they would cover $cover, then [[$other model] left_out]"
[$other model] set_window $from $to
$other word_sync
set bare [dark $other]
$other act toggle_arrows
$other word_sync
ok [expr {[dark $other] > $bare + 1000 && ![winfo ismapped $label]}] "m shows them: [dark $other] dark pixels, before $bare"
$other act toggle_arrows
$other word_sync
is "[dark $other] [[$other model] arrows_way]" "$bare off" "and hides them"
$other act toggle_arrows
is [[$other model] arrows_way] auto "then they are shown where there is room"
[$other part Looks] word_pane legend on
wm geometry [$other top] $geometry
[$other model] set_arrows on
$other word_sync
$other word_sync

# While it moves the picture shows less of a crowd; at rest all of it again.
proc data_of {window} {
    set photo [image create photo]
    [[$window word_canvas] itemcget picture -image] copy $photo
    set data [$photo data]
    image delete $photo
    return $data
}
$other word_sync
set at_rest [data_of $other]
lassign [[$other model] window] from to
[$other model] zoom_about 0.5 $from
[$other timeline] draw_pending
[$other model] set_window $from $to
[$other timeline] draw_pending
set moving [data_of $other]
$other word_sync
ok [expr {$moving ne $at_rest && [data_of $other] eq $at_rest}] "a picture that moves is a rough one, at rest it is as before"

# Bundles: pointed at, and clicked on.
proc find_bundle {} {
    variable other
    lassign [[$other timeline] size] width height
    for {set y 25} {$y < 200} {incr y 7} {
        for {set x 10} {$x < $width} {incr x} {
            set what [[$other details] what_is_at $x $y]
            if {[dict exists $what kind] && [dict get $what kind] eq "bundle"} {
                return [list $x $y [dict get $what hit]]
            }
        }
    }
}
lassign [find_bundle] x y hit
set plot [$other word_canvas]
event generate $plot <Motion> -x $x -y $y
$other word_sync
like [$other status_text] {^[^a-z]+ messages   from rank [0-9]+   to rank [0-9]+   size .* bytes   mean .* us   longest .* us} \
    "a bundle is told of: [$other status_text]"
is [llength [$plot find withtag outline]] 2 "and outlined"
is [dict get $hit bytes] [expr {8192 * [dict get $hit count]}] "its bytes are those of all its messages"
set longest [dict get $hit longest]
ok [expr {[dict get $longest end] - [dict get $longest start] > [dict get $hit mean]}] "the longest is longer than the mean"
event generate $plot <Button-1> -x $x -y $y
event generate $plot <ButtonRelease-1> -x $x -y $y
$other word_sync
set thing [[$other choice] thing]
is "[dict get $thing kind] [dict get $thing hit]" "message $longest" "a click chooses its longest message"
ok [winfo exists [winfo toplevel $plot].card] "and opens the card"
is [[winfo toplevel $plot].card.v0 cget -text] [lindex [[$other details] bundle_lines $hit] 1] \
    "which tells of the bundle"
[$other part Walk] word_jump
lassign [[$other model] window] t0 t1
ok [expr {$t0 <= [dict get $longest end] && [dict get $longest end] <= $t1}] "j goes to its other end"
$other escape
$other escape

[$other model] set_arrows 0
$other word_sync
set without [dark $other]
ok [expr {$with > $without + 1000}] "messages are seen ($with dark pixels, without them $without)"
[$other model] set_arrows 1
$other close_now
update

set begin [clock milliseconds]
listen
ok [expr {[lsearch -regexp $said {reading messages}] < 0}] "the second time nothing is read ([expr {[clock milliseconds] - $begin}] ms)"
ok [expr {abs([dark $other] - $with) < $with / 100}] "the same messages are seen"
$other close_now

# Stopped by its button, then read after all.
file delete -force $::env(XDG_CACHE_HOME)/pith
set other [::pith::Window open crowd.pith]
[$other model] set_arrows on
set button [$other top].status.stop
for {set i 0} {$i < 400 && ![winfo ismapped $button]} {incr i} {
    update
    after 5
}
ok [winfo ismapped $button] "while it reads there is a button"
event generate $button <Enter>
event generate $button <Button-1>
event generate $button <ButtonRelease-1>
$other word_sync
ok [expr {![winfo ismapped $button] && [dark $other] < $without + ($with - $without) / 2}] "which stops it: no messages"
[$other part Reading] word_messages read
$other word_sync
$other word_sync ;# the counter's row has come, and with it the labels have become wider
ok [expr {abs([dark $other] - $with) < $with / 100}] "read after all ([dark $other] dark pixels, [[$other model] reading])"
$other close_now

# Closed while it reads: no harm.
file delete -force $::env(XDG_CACHE_HOME)/pith
set other [::pith::Window open crowd.pith]
for {set i 0} {$i < 200 && [[$other model] reading] eq {}} {incr i} {
    update
    after 5
}
$other close_now
update
ok 1 "closed while messages are read"
listen
ok [expr {[dark $other] > $without + 1000}] "opened again: all there"
$other close_now
done
