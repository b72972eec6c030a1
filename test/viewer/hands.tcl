# hands.tcl - real keys and a real pointer for checks inside a window (hands.py); sourced after window_tap.tcl.

set hands [::open "|python3 [list [file join [file dirname [info script]] hands.py]]" r+]
fconfigure $hands -buffering line

# Does the actions of hands.py, one after the other, and lets the window handle what came of each.
proc hand {args} {
    variable hands
    foreach action $args {
        ::puts $hands $action
        if {[gets $hands] ne "done"} {
            error "hands.py has ended"
        }
        settle
    }
}
# Until all that the server sent is handled.
proc settle {} {
    for {set i 0} {$i < 3} {incr i} {
        winfo pointerxy .
        update
    }
}
# "move X Y" to a place in a widget, in pixels; by default its middle.
proc onto {widget {x {}} {y {}}} {
    set x [expr {$x eq {} ? [winfo width $widget] / 2 : $x}]
    set y [expr {$y eq {} ? [winfo height $widget] / 2 : $y}]
    return "move [expr {[winfo rootx $widget] + $x}] [expr {[winfo rooty $widget] + $y}]"
}
proc type_in {text} {
    foreach char [split $text {}] {
        hand "key [expr {[string is alnum $char] ? $char : [dict get {{ } space . period : colon * asterisk} $char]}]"
    }
}
# The dialog of an internal error says so.
proc troubles {} {
    variable top
    set places [list {} $top {*}[winfo children $top]]
    return [lmap dialog [lmap place $places {set place $place.trouble}] {
        if {![winfo exists $dialog]} continue
        $dialog.text cget -text
    }]
}
