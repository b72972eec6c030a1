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

# A bitmap: the first photo of a program has Tk ask the X server for 256 colours, one by one.
proc ::pith::box::draw {kind colour on} {
    set step [expr {max(1, [::pith::theme::px 1])}]
    return [::image create bitmap -data [bits $kind $step #] -maskdata [bits $kind $step #o] \
        -foreground [::pith::theme::colour [expr {$on ? "rim" : "hidden"}]] \
        -background [expr {$on ? $colour : [::pith::theme::colour paper]}]]
}

# The dots of some kinds as an X bitmap, each `step` pixels wide and high.
proc ::pith::box::bits {kind step kinds} {
    variable shapes
    set bytes {}
    for {set y 0} {$y < 12 * $step} {incr y} {
        set row "  [lindex [dict get $shapes $kind] [expr {$y / $step}]]"
        for {set x 0} {$x < 18 * $step} {incr x 8} {
            set byte 0
            for {set bit 0} {$bit < 8} {incr bit} {
                set dot [string index $row [expr {($x + $bit) / $step}]]
                if {$dot ne {} && [string first $dot $kinds] >= 0} {
                    incr byte [expr {1 << $bit}]
                }
            }
            lappend bytes $byte
        }
    }
    return [format "#define box_width %d\n#define box_height %d\nstatic char box_bits\[\] = { %s };" \
        [expr {18 * $step}] [expr {12 * $step}] [join $bytes ,]]
}
