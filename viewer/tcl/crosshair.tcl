# crosshair.tcl - where the pointer is: a line through all rows, the exact time at the axis, the row's label marked. And
# a ring around the time lines when Tab has led there.

oo::class create ::pith::Crosshair {
    variable model timeline
    variable plot axis        ;# canvases
    variable at               ;# x y of the pointer in the plot; {} outside

    constructor {its_timeline its_model} {
        set model $its_model
        set timeline $its_timeline
        set plot [$timeline plot]
        set axis [$timeline axis]
        set at {}
        $plot create line -1 0 -1 0 -fill [::pith::theme::colour accent] -tags cursor -state hidden
        $timeline after_drawing [list [self] draw]
        $plot configure -takefocus 1
        bind $plot <<TraverseIn>> +[list [self] ring 1]
        bind $plot <FocusOut> +[list [self] ring 0]
    }

    method move {x y} {
        set at [list $x $y]
        my draw
    }

    method hide {} {
        set at {}
        [$timeline labels] hover -1
        my draw
    }

    method ring {on} {
        $plot delete ring
        if {$on} {
            lassign [$timeline size] width height
            $plot create rectangle 1 1 [expr {$width - 2}] [expr {$height - 2}] -width 2 \
                -outline [::pith::theme::colour accent] -tags ring
        }
    }

    method draw {} {
        if {![winfo exists $plot]} {
            return
        }
        $axis delete flag
        if {$at eq {}} {
            $plot itemconfigure cursor -state hidden
            return
        }
        lassign $at x y
        $plot coords cursor $x 0 $x [lindex [$timeline size] 1]
        $plot itemconfigure cursor -state normal
        my draw_time $x
        [$timeline labels] hover [$timeline row_at $y]
    }

    # A flag that stays inside of the axis.
    method draw_time {x} {
        set width [lindex [$timeline size] 0]
        set fine [expr {max(1, [$model span] / max(1, $width))}]
        set text [$axis create text $x [::pith::theme::px 11] -text [::pithtk::time [$timeline time_at $x] $fine] -font PithSmall \
            -fill [::pith::theme::colour paper] -tags flag]
        lassign [$axis bbox $text] a b c d
        $axis move $text [expr {max(0, 5 - $a) - max(0, $c + 5 - $width)}] 0
        lassign [$axis bbox $text] a b c d
        set accent [::pith::theme::colour accent]
        $axis create rectangle [expr {$a - 4}] 2 [expr {$c + 4}] [::pith::theme::px 20] -fill $accent -outline $accent -tags flag
        $axis create line $x [::pith::theme::px 20] $x [::pith::theme::px 26] -fill $accent -tags flag
        $axis raise $text
    }
}
