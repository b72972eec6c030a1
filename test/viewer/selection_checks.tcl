# selection_checks.tcl - drags in the timelines; runs in a window of the log "plain".

source [file join [file dirname [info script]] window_tap.tcl]

proc drag {from to {y 20} {button 1} {modifier {}} {to_y 24}} {
    variable plot
    lassign [list [x_of $from] [x_of $to]] x0 x1
    event generate $plot <${modifier}Button-$button> -x $x0 -y $y
    event generate $plot <B$button-Motion> -x [expr {($x0 + $x1) / 2}] -y [expr {($y + $to_y) / 2}]
    event generate $plot <B$button-Motion> -x $x1 -y $to_y
    event generate $plot <ButtonRelease-$button> -x $x1 -y $to_y
    sync
}
# The bounds of the band that is drawn, in seconds.
proc band {} {
    variable plot
    if {[$plot find withtag selection] eq {}} {
        return {}
    }
    lassign [window] t0 t1
    lassign [$plot coords [lindex [$plot find withtag selection] 0]] x0 y0 x1
    return [lmap x [list $x0 $x1] {expr {$t0 + $x * ($t1 - $t0) / [winfo width $plot]}}]
}
sync
is [selected] {} "at first nothing is selected"

# ---- The selection
drag 0.2 0.4
ok [near [selected] {0.2 0.4} 0.003] "a drag selects: [selected]"
ok [near [window] {0 1}] "and does not zoom"
ok [near [band] {0.2 0.4} 0.003] "a band is drawn there: [band]"
set texts [lmap item [$plot find withtag selection] {if {[$plot type $item] ne "text"} continue; $plot itemcget $item -text}]
like $texts {(199|200)[.0-9]* ms} "with its duration"
is "[colour 0.3 0 0.14] [colour 0.45 0 0.14] [colour 0.8 0 0.14] [colour 0.3 1 0.14]" "cc0000 eb9999 9999eb 0000cc" \
    "outside of it everything is pale; inside colours are as before"
event generate $plot <Button-1> -x [x_of 0.45] -y 20
event generate $plot <B1-Motion> -x [x_of 0.48] -y 20
is "[colour 0.3 0 0.14] [colour 0.46 0 0.14]" "eb9999 cc0000" "already while it is dragged"
event generate $plot <ButtonRelease-1> -x [x_of 0.48] -y 20
sync
press_key Escape
is "[colour 0.3 0 0.14] [colour 0.8 0 0.14]" "cc0000 0000cc" "without a selection nothing is pale"
drag 0.2 0.4
drag 0.4 0.6
ok [near [selected] {0.2 0.6} 0.006] "an edge can be dragged: [selected]"
drag 0.2 0.8
ok [near [selected] {0.6 0.8} 0.006] "over the other one, too: [selected]"
drag 0.5 0.3
ok [near [selected] {0.3 0.5} 0.003] "a drag to the left makes a new one: [selected]"
drag 0.5 1.2
ok [near [selected] {0.3 1} 0.003] "dragged beyond the window, it ends with it: [selected]"
drag 0.3 0.4
select 0.3 0.5
is [selected] {0.300000000 0.500000000} "the word select"
select 500ms 0.2
is [selected] {0.200000000 0.500000000} "in any order, with units"
zoom 0.1 0.5
sync
ok [near [band] {0.2 0.5}] "the band follows the window"
zoom 0.6 0.9
sync
is [band] {} "out of sight, none is drawn"
press_key z
ok [near [window] {0.2 0.5}] "z zooms to the selection: [window]"
fit
press_key Return
ok [near [window] {0.2 0.5}] "so does Return"
fit
sync
press_key Escape
is [selected][band] {} "Escape: nothing is selected"
drag 0.2 0.4
event generate $plot <Button-1> -x [x_of 0.3] -y 20
event generate $plot <ButtonRelease-1> -x [x_of 0.3] -y 20
sync
ok [near [selected] {0.2 0.4} 0.003] "a click inside keeps the selection"
ok [winfo exists $top.card] "and opens a card"
press_key Escape
ok [near [selected] {0.2 0.4} 0.003] "Escape closes the card first"
event generate $plot <Button-1> -x [x_of 0.8] -y 20
event generate $plot <ButtonRelease-1> -x [x_of 0.8] -y 20
sync
is [selected] {} "a click outside forgets it"
press_key Escape
set axis [winfo parent $plot].axis
event generate $axis <Button-1> -x [x_of 0.1] -y 10
event generate $axis <B1-Motion> -x [x_of 0.6] -y 10
event generate $axis <ButtonRelease-1> -x [x_of 0.6] -y 10
sync
ok [near [selected] {0.1 0.6} 0.003] "a drag at the axis selects as well: [selected]"
ok [catch {select nonsense 1}] "a selection must have times"
select none
is [selected] {} "select none"

# ---- The hand
zoom 0.2 0.6
sync
drag 0.4 0.3 20 1 Shift-
ok [near [window] {0.3 0.7} 0.003] "Shift-drag moves time: [window]"
drag 0.4 0.5 20 2
ok [near [window] {0.2 0.6} 0.003] "the middle button, too: [window]"
wm geometry $top [winfo width $top]x500 ;# too low for both rows
height 200
sync
set before [colour 0.4 0]
drag 0.4 0.4 250 2 {} 40
is "[expr {$before eq {0000cc}}] [colour 0.5 0]" "0 0000cc" "and rows: rank 1 is on top"
fit

# ---- The crosshair
height 40
sync
event generate $plot <Motion> -x [x_of 0.5] -y 60
sync
set flag [lmap item [$axis find withtag flag] {if {[$axis type $item] ne "text"} continue; $axis itemcget $item -text}]
ok [near [expr {[::pithtk::parse [string map {{ } {}} [lindex $flag 0]]] / 1e9}] 0.5 0.004] "the time of the pointer stands at the axis: $flag"
set labels [winfo parent $plot].labels
lassign [$labels coords rowmark] x0 y0 x1 y1
is [list $y0 $y1] {40.0 79.0} "the label of its row is marked"
event generate $plot <Leave>
sync
is [$axis find withtag flag][$labels find withtag rowmark] {} "outside, neither"

# ---- The keyboard alone
focus -force $plot
update
::tk::TabToWindow $plot
update
ok [expr {[$plot find withtag ring] ne {}}] "Tab leads to the time lines: they have a ring"
focus $top.panes.legend.tree
update
ok [expr {[$plot find withtag ring] eq {}}] "elsewhere it goes"
set seen {}
focus $plot
for {set widget [tk_focusNext $plot]} {$widget ne $plot && [llength $seen] < 100} {set widget [tk_focusNext $widget]} {
    lappend seen $widget
}
ok [expr {"$top.panes.legend.tree" in $seen}] "Tab goes from the time lines to the legend, and back: [llength $seen] stations"

done
