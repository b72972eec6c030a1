# band.tcl - the stretch of time that is selected, as a tinted band over the time lines with its duration, and a bar at
# the axis. What drags it is pointer.tcl's.

oo::class create ::pith::Band {
    variable model timeline
    variable plot axis  ;# canvases
    variable pulled     ;# {from to} while a drag is under way, in place of the model's; {} none

    constructor {its_timeline its_model} {
        set model $its_model
        set timeline $its_timeline
        set plot [$timeline plot]
        set axis [$timeline axis]
        set pulled {}
        $model follow [list [self] changed]
        $timeline after_drawing [list [self] draw]
    }

    method changed {what} {
        if {$what eq "selection"} {
            my draw
        }
    }

    # Shown while it is dragged: the others hear of it when the button is up.
    method pull {stretch} {
        set pulled [lsort -integer $stretch]
        my draw
    }

    method let_go {} {
        set stretch $pulled
        set pulled {}
        my draw
        return $stretch
    }

    method stretch {} {
        return [expr {$pulled ne {} ? $pulled : [$model selection]}]
    }

    # The end of the selection that is not under x, when the other one is: what stays where it is while x is dragged.
    # {} no end is under x.
    method fixed_end {x} {
        if {[my stretch] eq {}} {
            return {}
        }
        lassign [my stretch] from to
        foreach end [list $from $to] other [list $to $from] {
            if {abs([$timeline x_of $end] - $x) <= 4} {
                return $other
            }
        }
        return {}
    }

    method holds {time} {
        lassign [my stretch] from to
        expr {$from ne {} && $time >= $from && $time <= $to}
    }

    method draw {} {
        if {![winfo exists $plot]} {
            return
        }
        $plot delete selection
        $axis delete selection
        if {[my stretch] eq {}} {
            return
        }
        lassign [$timeline size] width height
        lassign [my stretch] from to
        # X11 has 16 bits for a coordinate: what lies outside is drawn just outside.
        set x0 [expr {max(-9, min($width + 9, [$timeline x_of $from]))}]
        set x1 [expr {max(-9, min($width + 9, [$timeline x_of $to]))}]
        if {$x1 < 0 || $x0 > $width} {
            return
        }
        set accent [::pith::theme::colour accent]
        $plot create rectangle $x0 -2 $x1 [expr {$height + 2}] -outline $accent -stipple gray25 \
            -fill [::pith::theme::colour select] -tags selection
        $axis create rectangle $x0 [::pith::theme::px 22] $x1 [::pith::theme::px 26] -outline {} -fill $accent -tags selection
        my draw_duration [expr {(max($x0, 0) + min($x1, $width)) / 2}] $height [expr {$to - $from}]
        $plot raise cursor
    }

    # At the foot, where it covers what is told least.
    method draw_duration {x height span} {
        set text [$plot create text $x [expr {$height - [::pith::theme::px 14]}] -text [::pithtk::duration $span] -font PithBold \
            -fill [::pith::theme::colour text] -tags selection]
        lassign [$plot bbox $text] a b c d
        set by [expr {max(0, 6 - $a) - max(0, $c + 6 - [lindex [$timeline size] 0])}]
        $plot move $text $by 0
        lassign [$plot bbox $text] a b c d
        $plot create rectangle [expr {$a - 4}] [expr {$b - 2}] [expr {$c + 4}] [expr {$d + 2}] \
            -fill [::pith::theme::colour paper] -outline [::pith::theme::colour accent] -tags selection
        $plot raise $text
    }
}
