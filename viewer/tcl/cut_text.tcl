# cut_text.tcl - texts that are cut to fit, and tooltips that show them in full.

# TEXT as far as it fits into ROOM pixels, with an ellipsis if it is cut; {} if not even one character fits.
proc ::pith::cut_text {text font room} {
    set width [font measure $font $text]
    if {$width <= $room} {
        return $text
    }
    set keep [expr {min([string length $text] - 1, [string length $text] * max(0, $room) / $width + 2)}]
    while {$keep > 0 && [font measure $font "[string range $text 0 $keep-1]\u2026"] > $room} {
        incr keep -1
    }
    return [expr {$keep ? "[string range $text 0 $keep-1]\u2026" : {}}]
}

# A tooltip of a widget, shown when the pointer rests.
oo::class create ::pith::Tip {
    variable path    ;# the widget
    variable text_at ;# script called with x y, returns the text; {}: no tooltip there
    variable timer   ;# after id

    constructor {its_path script} {
        set path $its_path
        set text_at $script
        set timer {}
        bind $path <Motion> +[list [self] moved %x %y]
        foreach event {<Leave> <ButtonPress>} {
            bind $path $event +[list [self] hide]
        }
    }

    destructor {
        after cancel $timer
    }

    method moved {x y} {
        my hide
        set timer [after 400 [namespace code [list my show $x $y]]]
    }

    method hide {} {
        after cancel $timer
        destroy [winfo toplevel $path].tip
    }

    method show {x y} {
        if {![winfo exists $path] || [set text [{*}$text_at $x $y]] eq {}} {
            return
        }
        set top [winfo toplevel $path]
        set tip [ttk::label $top.tip -text $text -style Card.TLabel -relief solid -borderwidth 1 -padding {6 3}]
        # Not beyond the right edge of the window.
        set left [expr {min([winfo rootx $path] - [winfo rootx $top] + $x + 12, [winfo width $top] - [winfo reqwidth $tip])}]
        place $tip -x [expr {max(0, $left)}] -y [expr {[winfo rooty $path] - [winfo rooty $top] + $y + 14}]
        raise $tip
    }
}
