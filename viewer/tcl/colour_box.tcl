# colour_box.tcl - the small pictures that stand for states, events, counters and messages in lists: a box, a triangle,
# bars, an arrow, in their colour; empty when they are hidden. Made once for each look.

namespace eval ::pith::box {
    variable made ;# array: kind,colour,on -> image
    array set made {}

    # Rows of a picture 16 wide and 12 high: # outline, o filled.
    variable shapes {
        state {
            {} {##############} {#oooooooooooo#} {#oooooooooooo#} {#oooooooooooo#} {#oooooooooooo#} {#oooooooooooo#}
            {#oooooooooooo#} {#oooooooooooo#} {#oooooooooooo#} {##############}
        }
        event {
            {} {..###########} {..#ooooooooo#} {...#ooooooo#} {...#ooooooo#} {....#ooooo#} {....#ooooo#} {.....#ooo#}
            {.....#ooo#} {......#o#} {.......#}
        }
        counter {
            {} {.........####} {.........#oo#} {...####..#oo#} {...#oo#..#oo#} {...#oo####oo#} {...#oo#oo#oo#}
            {####oo#oo#oo#} {#oo#oo#oo#oo#} {#oo#oo#oo#oo#} {#############}
        }
        message {
            {} {} {...........#} {............#} {.............#} {###############} {.............#} {............#}
            {...........#}
        }
    }
}

# `on` 0: hidden.
proc ::pith::box::image {kind colour on} {
    variable made
    set key $kind,$colour,$on
    if {![info exists made($key)]} {
        set made($key) [draw $kind $colour $on]
    }
    return $made($key)
}

# Another theme, another size: the old ones go, nobody may show them any more.
proc ::pith::box::forget {} {
    variable made
    foreach {key image} [array get made] {
        ::image delete $image
    }
    array unset made
}

proc ::pith::box::draw {kind colour on} {
    variable shapes
    set step [expr {max(1, [::pith::theme::px 1])}]
    set picture [::image create photo -width [expr {18 * $step}] -height [expr {12 * $step}]]
    set paint [dict create # [::pith::theme::colour [expr {$on ? "rim" : "hidden"}]] \
        o [expr {$on ? $colour : [::pith::theme::colour paper]}]]
    set y 0
    foreach row [dict get $shapes $kind] {
        set x [expr {2 * $step}]
        foreach dot [split $row {}] {
            if {[dict exists $paint $dot]} {
                $picture put [dict get $paint $dot] -to $x $y [expr {$x + $step}] [expr {$y + $step}]
            }
            incr x $step
        }
        incr y $step
    }
    return $picture
}
