# pointer.tcl - handles the mouse in the timelines. The class Pointer tells the model what is under the pointer; it
# selects time, zooms and moves the picture when the user drags, and scrolls or zooms when the user turns the wheel.

oo::class create ::pith::Pointer {
    variable model timeline choice details
    variable crosshair band
    variable plot     ;# canvas of the timelines
    variable drag     ;# dict of the current drag: kind (select, zoom, move), x, y, moved...; {} none
    variable clicked  ;# 1: the last press was a click, not a drag
    variable hover    ;# after id of the search under the pointer
    variable at       ;# x y of the pointer in the plot; {} outside
    variable touched  ;# {key messages} of the state that was under the pointer last; {} none
    variable pinched  ;# {window time} at the begin of a pinch: the view, and the time under the fingers; {}: none

    constructor {its_timeline its_choice its_details its_model} {
        set choice $its_choice
        set model $its_model
        set timeline $its_timeline
        set details $its_details
        set plot [$timeline plot]
        lassign {} hover drag at touched pinched
        set clicked 0
        set crosshair [::pith::Crosshair new $timeline $model]
        set band [::pith::Band new $timeline $model]
        set me [self]
        bind $plot <Motion> [list $me moved %x %y]
        bind $plot <Leave> [list $me left]
        bind $plot <Double-Button-1> [list $me double %x %y]
        my bind_drag $plot %y
        # For drags on the axis, y is always -1, which means no row, because the axis has no rows.
        my bind_drag [$timeline axis] -1
        foreach widget [list $plot [[$timeline labels] path] [$timeline axis]] {
            foreach {modifier how} {{} {} Control- zoom Shift- pan} {
                ::pith::bind_wheel $widget $modifier [list $me wheel %x 1 $how] [list $me wheel %x -1 $how]
            }
        }
        $timeline after_drawing [list [self] drawn]
    }

    destructor {
        after cancel $hover
        $crosshair destroy
        $band destroy
    }

    # Called after the first picture. Lets two fingers on a touchpad zoom (method pinch).
    method finish {} { ::pithtk::pinch $plot [list [self] pinch] }

    # Called after each drawing of the picture. Looks for the record under the pointer again, because the new picture
    # may have another record there.
    method drawn {} {
        $plot delete outline
        my search_soon
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

    # What a drag without Ctrl or Shift does: `select` selects the time, `zoom` zooms to it at once, as the old viewer
    # upshot does.
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

    # Zooms while two fingers on a touchpad move apart or together. WHAT is begin, update or end. Undo takes back the
    # whole gesture at once.
    method pinch {what x scale} {
        if {$what eq "begin"} {
            set pinched [list [$model window] [$timeline time_at $x]]
            $model push_alone time
        } elseif {$what eq "update" && $pinched ne {} && $scale > 0} {
            lassign $pinched window time
            lassign $window t0 t1
            $model set_window [expr {$time - ($time - $t0) / $scale}] [expr {$time + ($t1 - $time) / $scale}]
        } else {
            set pinched {}
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
            # Moves time and rows with the pointer.
            lassign [dict get $drag from] t0 t1
            set by [expr {$x - [dict get $drag x]}]
            set shift [expr {wide(double($by) * ($t1 - $t0) / [lindex [$timeline size] 0])}]
            $model set_window [expr {$t0 - $shift}] [expr {$t1 - $shift}]
            $timeline scroll_to [expr {[dict get $drag row] - round(double($y - [dict get $drag y]) / [$model row_height])}]
        } elseif {[dict get $drag moved]} {
            set width [lindex [$timeline size] 0]
            $band drag_to [list [dict get $drag fixed] [$timeline time_at [expr {max(0, min($width, $x))}]]]
        }
        $crosshair move $x $y
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
        set interval [$band end_drag]
        if {$interval eq {}} {
            return
        }
        if {[dict get $was kind] eq "zoom"} {
            $model zoom {*}$interval
        } else {
            $model set_selection $interval
        }
    }

    method click {x y} {
        if {![$band holds [$timeline time_at $x]]} {
            $model set_selection {}
        }
        $choice choose [$details chosen_of [$details open_card $x $y]]
    }

    # Handles a double click. Tk also reports a double click when two drags begin at the same place; the second press
    # then only begins another drag.
    method double {x y} {
        if {!$clicked} {
            my press $x $y plain
            return
        }
        set drag {}
        $details close_card
        if {[$model selection] ne {} && [$band holds [$timeline time_at $x]]} {
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
        my search_soon
    }

    method left {} {
        set at {}
        $crosshair hide
        $plot delete outline
        $model set_pointer {}
    }

    # Shows the pointer line at X while the pointer is at this X in another pane with the same time axis. X {}: hides
    # the line, because the pointer has left that pane.
    method shadow {x} {
        if {$x eq {}} {
            $crosshair hide
        } else {
            $crosshair move $x -1
        }
    }

    # ---- The record under the pointer

    method search_soon {} {
        if {$hover eq {} && $at ne {}} {
            set hover [after idle [namespace code {my search}]]
        }
    }

    method search {} {
        set hover {}
        if {$at ne {} && [winfo exists $plot]} {
            if {[catch {$details what_is_at {*}$at} what]} {
                return
            }
            my outline $what
            $model set_pointer $what
        }
    }

    # The messages of a state. Keeps the result for further calls while the pointer moves within the same state. When
    # the digest has been read, looks for the messages again, because the log then knows more of them.
    method messages_of {hit} {
        set key [list [$model log] [$model reading] {*}[lmap key {rank thread id start end} {dict get $hit $key}]]
        if {[lindex $touched 0] ne $key} {
            set touched [list $key [dict get [$choice call_of $hit] messages]]
        }
        return [lindex $touched 1]
    }

    # Highlights the record under the pointer. Frames a state or function, and draws the messages of the state; draws a
    # message or bundle again as a stronger arrow.
    method outline {what} {
        lassign [$timeline size] width height
        $plot delete outline
        if {![dict exists $what kind]} {
            return
        }
        set hit [dict get $what hit]
        set accent [colour accent]
        switch [dict get $what kind] {
            state - function {
                set x0 [expr {max(-5, [$timeline x_of [dict get $hit start]])}]
                set x1 [expr {min($width + 5, max($x0 + 1, [$timeline x_of [dict get $hit end]]))}]
                set line [$model line_at [lindex $at 1]]
                set y0 [expr {$line * [$model row_height] + [dict get $hit top]}]
                set y1 [expr {$y0 + [dict get $hit height]}]
                $plot create rectangle [expr {$x0 - 1}] [expr {$y0 - 1}] $x1 $y1 -outline [colour paper] \
                    -width 3 -tags outline
                $plot create rectangle [expr {$x0 - 1}] [expr {$y0 - 1}] $x1 $y1 -outline $accent -width 1 -tags outline
                if {[dict get $what kind] eq "state" && [$model arrows]} {
                    foreach message [my messages_of $hit] {
                        $choice draw_message $message outline
                    }
                }
            }
            message - bundle {
                lassign [dict get $hit line] x0 y0 x1 y1
                # X11 coordinates have 16 bits. Tk cuts lines that are too long for them, but fails if coordinates are
                # in the billions. So an arrow with an end far outside the picture is not highlighted.
                if {max(abs($x0), abs($x1)) < 30000} {
                    $plot create line $x0 $y0 $x1 $y1 -fill [colour paper] -width 4 -tags outline
                    $plot create line $x0 $y0 $x1 $y1 -fill $accent -width 2 -arrow last -tags outline
                }
            }
        }
        $plot raise cursor
        $plot raise selection
    }
}

# Shows where the pointer is, by a line through all rows, by the exact time at the axis, and by a highlighted row label.
# Also draws a ring around the timelines when the user has moved the keyboard focus to them by the key Tab.
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
        $plot create line -1 0 -1 0 -fill [colour accent] -tags cursor -state hidden
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
                -outline [colour accent] -tags ring
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
        # Writes the time on a flag at the axis. Near an end of the axis, the flag is shifted, so that it is completely
        # visible.
        set width [lindex [$timeline size] 0]
        set fine [expr {max(1, [$model span] / max(1, $width))}]
        set text [$axis create text $x [px 11] -text [$model time_text [$timeline time_at $x] $fine] -font PithSmall \
            -fill [colour paper] -tags flag]
        lassign [$axis bbox $text] a b c d
        $axis move $text [expr {max(0, 5 - $a) - max(0, $c + 5 - $width)}] 0
        lassign [$axis bbox $text] a b c d
        set accent [colour accent]
        $axis create rectangle [expr {$a - 4}] 2 [expr {$c + 4}] [px 20] -fill $accent -outline $accent -tags flag
        $axis create line $x [px 20] $x [px 26] -fill $accent -tags flag
        $axis raise $text
        [$timeline labels] hover [$timeline row_at $y]
    }

}

# Draws the selected time: its edges over the timelines, its duration, and a bar at the axis. The timelines are pale
# outside the selected time. The class Pointer lets the user drag the edges.
oo::class create ::pith::Band {
    variable model timeline
    variable plot axis  ;# canvases
    variable dragged     ;# {from to} during a drag, shown instead of the selection of the model; {} none

    constructor {its_timeline its_model} {
        set model $its_model
        set timeline $its_timeline
        set plot [$timeline plot]
        set axis [$timeline axis]
        set dragged {}
        $model follow [list [self] changed]
        $timeline after_drawing [list [self] draw]
    }

    method changed {what} {
        if {$what eq "selection"} {
            my draw
        }
    }

    # Shows the selection during a drag. The selection in the model, which all other views show, changes only when the
    # button is released.
    method drag_to {interval} {
        set dragged [lsort -integer $interval]
        my draw
    }

    method end_drag {} {
        set interval $dragged
        set dragged {}
        my draw
        return $interval
    }

    method interval {} {
        return [expr {$dragged ne {} ? $dragged : [$model selection]}]
    }

    # If X is on one edge of the selection, returns the time of the other edge; this edge stays where it is while the
    # user drags the first one. Otherwise returns {}.
    method fixed_end {x} {
        if {[my interval] eq {}} {
            return {}
        }
        lassign [my interval] from to
        foreach end [list $from $to] other [list $to $from] {
            if {abs([$timeline x_of $end] - $x) <= 4} {
                return $other
            }
        }
        return {}
    }

    method holds {time} {
        lassign [my interval] from to
        expr {$from ne {} && $time >= $from && $time <= $to}
    }

    method draw {} {
        if {![winfo exists $plot]} {
            return
        }
        $plot delete selection
        $axis delete selection
        $timeline light [my interval]
        if {[my interval] eq {}} {
            return
        }
        lassign [$timeline size] width height
        lassign [my interval] from to
        # X11 coordinates have only 16 bits. So an edge of the selection that is far outside the picture is drawn just
        # outside the picture.
        set x0 [expr {max(-9, min($width + 9, [$timeline x_of $from]))}]
        set x1 [expr {max(-9, min($width + 9, [$timeline x_of $to]))}]
        if {$x1 < 0 || $x0 > $width} {
            return
        }
        set accent [colour accent]
        $plot create rectangle $x0 -2 $x1 [expr {$height + 2}] -outline $accent -tags selection
        $axis create rectangle $x0 [px 22] $x1 [px 26] -outline {} -fill $accent -tags selection
        # Writes the duration at the bottom, where it hides the least.
        set x [expr {(max($x0, 0) + min($x1, $width)) / 2}]
        set span [expr {$to - $from}]
        set text [$plot create text $x [expr {$height - [px 14]}] -text [::pithtk::duration $span] -font PithBold \
            -fill [colour text] -tags selection]
        lassign [$plot bbox $text] a b c d
        set by [expr {max(0, 6 - $a) - max(0, $c + 6 - [lindex [$timeline size] 0])}]
        $plot move $text $by 0
        lassign [$plot bbox $text] a b c d
        $plot create rectangle [expr {$a - 4}] [expr {$b - 2}] [expr {$c + 4}] [expr {$d + 2}] \
            -fill [colour paper] -outline [colour accent] -tags selection
        $plot raise $text
        $plot raise cursor
    }

}
