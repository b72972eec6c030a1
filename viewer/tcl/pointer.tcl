# pointer.tcl - what the pointer does in the time lines: it is followed by a line, tells what is under it, drags, and
# turns its wheel.

oo::class create ::pith::Pointer {
    variable model timeline details
    variable plot     ;# the time lines' canvas
    variable drag     ;# dict of the drag under way: kind, x, from...; {} none
    variable hover    ;# after id of the look at what is under the pointer
    variable at       ;# x y of the pointer in the plot; {} outside

    constructor {its_timeline its_details its_model} {
        set model $its_model
        set timeline $its_timeline
        set details $its_details
        set plot [$timeline plot]
        set hover {}
        set drag {}
        set at {}
        $plot create line -1 0 -1 0 -fill [::pith::theme::colour accent] -tags cursor -state hidden
        my bind_pointer
        $timeline after_drawing [list [self] drawn]
    }

    destructor {
        after cancel $hover
    }

    # A new picture: something else is under the pointer.
    method drawn {} {
        $plot delete outline
        my look_soon
    }

    method bind_pointer {} {
        set me [self]
        bind $plot <Motion> [list $me moved %x %y]
        bind $plot <Leave> [list $me left]
        bind $plot <Button-1> [list $me press %x %y zoom]
        bind $plot <Shift-Button-1> [list $me press %x %y move]
        bind $plot <Button-2> [list $me press %x %y move]
        bind $plot <B1-Motion> [list $me dragged %x %y]
        bind $plot <B2-Motion> [list $me dragged %x %y]
        bind $plot <ButtonRelease-1> [list $me release %x %y]
        bind $plot <ButtonRelease-2> [list $me release %x %y]
        bind $plot <Double-Button-1> [list $me double]
        foreach widget [list $plot [[$timeline labels] path] [$timeline axis]] {
            # Tk 8.6 reports the wheel as buttons under X11, Tk 9 as MouseWheel.
            foreach {button steps} {4 1 5 -1} {
                bind $widget <Button-$button> [list $me wheel %x $steps {}]
                bind $widget <Control-Button-$button> [list $me wheel %x $steps zoom]
                bind $widget <Shift-Button-$button> [list $me wheel %x $steps pan]
            }
            bind $widget <MouseWheel> "$me wheel %x \[expr {%D > 0 ? 1 : -1}\] {}"
            bind $widget <Control-MouseWheel> "$me wheel %x \[expr {%D > 0 ? 1 : -1}\] zoom"
            bind $widget <Shift-MouseWheel> "$me wheel %x \[expr {%D > 0 ? 1 : -1}\] pan"
        }
    }

    method wheel {x steps how} {
        if {$how eq {}} {
            set how [expr {[$timeline all_rows_seen] ? "zoom" : "rows"}]
        }
        switch $how {
            zoom { $model zoom_about [expr {$steps > 0 ? 0.8 : 1.25}] [$timeline time_at $x] }
            pan { $model pan [expr {-0.1 * $steps}] }
            rows { $timeline scroll_rows scroll [expr {-2 * $steps}] units }
        }
    }

    method press {x y kind} {
        $details close_card
        focus $plot
        set drag [dict create kind $kind x $x y $y from [$model window] moved 0]
    }

    method dragged {x y} {
        lassign [$timeline size] width height
        if {$drag eq {}} {
            return
        }
        set by [expr {$x - [dict get $drag x]}]
        if {abs($by) > 3} {
            dict set drag moved 1
        }
        if {[dict get $drag kind] eq "move"} {
            lassign [dict get $drag from] t0 t1
            set shift [expr {wide(double($by) * ($t1 - $t0) / $width)}]
            $model set_window [expr {$t0 - $shift}] [expr {$t1 - $shift}]
        } elseif {[dict get $drag moved]} {
            my show_selection [dict get $drag x] $x
        }
    }

    method show_selection {x0 x1} {
        lassign [$timeline size] width height
        $plot delete selection
        set accent [::pith::theme::colour accent]
        $plot create rectangle $x0 -2 $x1 [expr {$height + 2}] -outline $accent -fill $accent -stipple gray25 \
            -tags selection
        set span [expr {abs([$timeline time_at $x1] - [$timeline time_at $x0])}]
        set text [$plot create text [expr {($x0 + $x1) / 2}] 14 -text [::pithtk::duration $span] -font PithBold \
            -fill [::pith::theme::colour text] -tags selection]
        lassign [$plot bbox $text] a b c d
        $plot create rectangle [expr {$a - 4}] [expr {$b - 2}] [expr {$c + 4}] [expr {$d + 2}] \
            -fill [::pith::theme::colour paper] -outline $accent -tags selection
        $plot raise $text
    }

    method release {x y} {
        lassign [$timeline size] width height
        if {$drag eq {}} {
            return
        }
        set was $drag
        set drag {}
        $plot delete selection
        if {[dict get $was kind] eq "zoom"} {
            if {[dict get $was moved]} {
                set x0 [expr {max(0, min($x, [dict get $was x]))}]
                set x1 [expr {min($width, max($x, [dict get $was x]))}]
                $model zoom [$timeline time_at $x0] [$timeline time_at $x1]
            } else {
                $details open_card $x $y
            }
        }
    }

    method double {} {
        set drag {}
        $details zoom_to_pointed
    }

    method moved {x y} {
        lassign [$timeline size] width height
        set at [list $x $y]
        $plot coords cursor $x 0 $x $height
        $plot itemconfigure cursor -state normal
        my look_soon
    }

    method left {} {
        set at {}
        $plot itemconfigure cursor -state hidden
        $plot delete outline
        $model set_pointer {}
    }

    # ---- What is under the pointer

    method look_soon {} {
        if {$hover eq {} && $at ne {}} {
            set hover [after idle [namespace code {my look}]]
        }
    }

    method look {} {
        set hover {}
        if {$at ne {} && [winfo exists $plot]} {
            if {[catch {$details what_is_at {*}$at} what]} {
                return
            }
            my outline $what
            $model set_pointer $what
        }
    }

    # A frame around the state, a line along the message that is told of.
    method outline {what} {
        lassign [$timeline size] width height
        $plot delete outline
        if {![dict exists $what kind]} {
            return
        }
        set hit [dict get $what hit]
        set accent [::pith::theme::colour accent]
        switch [dict get $what kind] {
            state {
                set x0 [expr {max(-5, [$timeline x_of [dict get $hit start]])}]
                set x1 [expr {min($width + 5, max($x0 + 1, [$timeline x_of [dict get $hit end]]))}]
                set line [expr {[$timeline row_at [lindex $at 1]] - [$model first_row]}]
                set y0 [expr {$line * [$model row_height] + [dict get $hit top]}]
                set y1 [expr {$y0 + [dict get $hit height]}]
                $plot create rectangle [expr {$x0 - 1}] [expr {$y0 - 1}] $x1 $y1 -outline white -width 3 -tags outline
                $plot create rectangle [expr {$x0 - 1}] [expr {$y0 - 1}] $x1 $y1 -outline $accent -width 1 -tags outline
            }
            arrow {
                lassign [dict get $hit line] x0 y0 x1 y1
                # X11 has 16 bits for a coordinate; Tk clips, but not billions.
                if {max(abs($x0), abs($x1)) < 30000} {
                    $plot create line $x0 $y0 $x1 $y1 -fill white -width 4 -tags outline
                    $plot create line $x0 $y0 $x1 $y1 -fill $accent -width 2 -arrow last -tags outline
                }
            }
        }
        $plot raise cursor
        $plot raise selection
    }
}
