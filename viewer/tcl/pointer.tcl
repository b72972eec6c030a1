# pointer.tcl - what the pointer does in the time lines: it is followed, tells what is under it, selects a stretch of
# time, zooms, moves the paper as a hand, and turns its wheel.

oo::class create ::pith::Pointer {
    variable model timeline choice details
    variable crosshair band
    variable plot     ;# the time lines' canvas
    variable drag     ;# dict of the drag under way: kind (select, zoom, move), x, y, moved...; {} none
    variable clicked  ;# 1: the last button was pressed and let go without a drag
    variable hover    ;# after id of the look at what is under the pointer
    variable at       ;# x y of the pointer in the plot; {} outside

    constructor {its_timeline its_choice its_details its_model} {
        set choice $its_choice
        set model $its_model
        set timeline $its_timeline
        set details $its_details
        set plot [$timeline plot]
        set hover {}
        set drag {}
        set at {}
        set clicked 0
        set crosshair [::pith::Crosshair new $timeline $model]
        set band [::pith::Band new $timeline $model]
        my bind_pointer
        $timeline after_drawing [list [self] drawn]
    }

    destructor {
        after cancel $hover
        $crosshair destroy
        $band destroy
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
        bind $plot <Double-Button-1> [list $me double %x %y]
        my bind_drag $plot %y
        # At the axis there are no rows.
        my bind_drag [$timeline axis] -1
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

    method bind_drag {widget y} {
        set me [self]
        foreach {event kind} {Button-1 plain  Control-Button-1 zoom  Shift-Button-1 move  Button-2 move} {
            bind $widget <$event> [list $me press %x $y $kind]
        }
        foreach button {1 2} {
            bind $widget <B$button-Motion> [list $me dragged %x $y]
            bind $widget <ButtonRelease-$button> [list $me release %x $y]
        }
    }

    # What a drag without a key does: select, or zoom at once, as upshot did.
    method plain_drag {} {
        return [::pith::preferences::get drag]
    }

    method wheel {x steps how} {
        if {$how eq {}} {
            set preferred [::pith::preferences::get wheel]
            set how [expr {$preferred eq "zoom" || $preferred eq "auto" && [$timeline all_rows_seen] ? "zoom" : "rows"}]
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
        if {$kind eq "plain"} {
            set kind [my plain_drag]
        }
        set fixed [$band fixed_end $x]
        if {$kind eq "select" && $fixed ne {}} {
            set drag [dict create kind select x $x fixed $fixed moved 1]
            return
        }
        set drag [dict create kind $kind x $x y $y moved 0 fixed [$timeline time_at $x] from [$model window] \
            row [$model first_row]]
        if {$kind eq "move"} {
            $plot configure -cursor fleur
        }
    }

    method dragged {x y} {
        if {$drag eq {}} {
            return
        }
        if {abs($x - [dict get $drag x]) > 3} {
            dict set drag moved 1
        }
        if {[dict get $drag kind] eq "move"} {
            my move_paper $x $y
        } elseif {[dict get $drag moved]} {
            set width [lindex [$timeline size] 0]
            $band pull [list [dict get $drag fixed] [$timeline time_at [expr {max(0, min($width, $x))}]]]
        }
        $crosshair move $x $y
    }

    # The hand: time and rows go with it.
    method move_paper {x y} {
        lassign [dict get $drag from] t0 t1
        set by [expr {$x - [dict get $drag x]}]
        set shift [expr {wide(double($by) * ($t1 - $t0) / [lindex [$timeline size] 0])}]
        $model set_window [expr {$t0 - $shift}] [expr {$t1 - $shift}]
        $timeline scroll_to [expr {[dict get $drag row] - round(double($y - [dict get $drag y]) / [$model row_height])}]
    }

    method release {x y} {
        set was $drag
        set drag {}
        set clicked [expr {$was ne {} && ![dict get $was moved]}]
        $plot configure -cursor crosshair
        if {$was eq {} || [dict get $was kind] eq "move"} {
            return
        }
        if {![dict get $was moved]} {
            my click $x $y
            return
        }
        set stretch [$band let_go]
        if {$stretch eq {}} {
            return
        }
        if {[dict get $was kind] eq "zoom"} {
            $model zoom {*}$stretch
        } else {
            $model set_selection $stretch
        }
    }

    method click {x y} {
        if {![$band holds [$timeline time_at $x]]} {
            $model set_selection {}
        }
        $choice choose [$details chosen_of [$details open_card $x $y]]
    }

    # Two drags from the same place are no double click.
    method double {x y} {
        if {!$clicked} {
            my press $x $y plain
            return
        }
        set drag {}
        $details close_card
        if {[$band holds [$timeline time_at $x]]} {
            $model zoom {*}[$model selection]
        } else {
            $details zoom_to_pointed
        }
    }

    method moved {x y} {
        set at [list $x $y]
        $crosshair move $x $y
        set over [expr {[$band fixed_end $x] ne {} && [my plain_drag] eq "select"}]
        $plot configure -cursor [expr {$over ? "sb_h_double_arrow" : "crosshair"}]
        my look_soon
    }

    method left {} {
        set at {}
        $crosshair hide
        $plot delete outline
        $model set_pointer {}
    }

    # The line of the pointer when it is in another pane that shares the time axis, at x; {} it is gone.
    method shadow {x} {
        if {$x eq {}} {
            $crosshair hide
        } else {
            $crosshair move $x -1
        }
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
                set line [$model line_at [lindex $at 1]]
                set y0 [expr {$line * [$model row_height] + [dict get $hit top]}]
                set y1 [expr {$y0 + [dict get $hit height]}]
                $plot create rectangle [expr {$x0 - 1}] [expr {$y0 - 1}] $x1 $y1 -outline [::pith::theme::colour paper] \
                    -width 3 -tags outline
                $plot create rectangle [expr {$x0 - 1}] [expr {$y0 - 1}] $x1 $y1 -outline $accent -width 1 -tags outline
            }
            message - bundle {
                lassign [dict get $hit line] x0 y0 x1 y1
                # X11 has 16 bits for a coordinate; Tk clips, but not billions.
                if {max(abs($x0), abs($x1)) < 30000} {
                    $plot create line $x0 $y0 $x1 $y1 -fill [::pith::theme::colour paper] -width 4 -tags outline
                    $plot create line $x0 $y0 $x1 $y1 -fill $accent -width 2 -arrow last -tags outline
                }
            }
        }
        $plot raise cursor
        $plot raise selection
    }
}
