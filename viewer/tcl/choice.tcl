# choice.tcl - the record that is chosen: by a click, a search, a jump, or the keys that walk from state to state. It has
# a frame in the time lines that stays until something else is chosen, and can be brought into view.
#
# A thing is a dict: kind (state, event, message, counter), and hit, a dict with start, end, and of states and events rank, thread,
# id, name; of messages from and to (ranks).

oo::class create ::pith::Choice {
    variable model timeline
    variable plot axis
    variable thing     ;# {} nothing
    variable changed   ;# traced

    constructor {its_timeline its_model} {
        set model $its_model
        set timeline $its_timeline
        set plot [$timeline plot]
        set axis [$timeline axis]
        set thing {}
        set changed 0
        $timeline after_drawing [list [self] draw]
    }

    # CALLBACK THING whenever it is another one.
    method follow {callback} {
        trace add variable [my varname thing] write [list ::pith::followed [my varname thing] $callback]
    }

    method thing {} { return $thing }

    method choose {its_thing} {
        set thing $its_thing
        my draw
    }

    # The rows of the chosen thing: one, or two of a message; -1 where it is not shown.
    method rows {} {
        return [my rows_of $thing]
    }

    method rows_of {its_thing} {
        set hit [dict get $its_thing hit]
        if {[dict get $its_thing kind] eq "message"} {
            return [list [$model row_of [dict get $hit from] [my thread $hit from_thread]] \
                [$model row_of [dict get $hit to] [my thread $hit to_thread]]]
        }
        return [list [$model row_of [dict get $hit rank] [dict get $hit thread]]]
    }

    method thread {hit key} {
        return [expr {[dict exists $hit $key] ? [dict get $hit $key] : 0}]
    }

    # ---- Into view

    method show {} {
        if {$thing eq {}} {
            return
        }
        set start [dict get $thing hit start]
        set end [dict get $thing hit end]
        my show_time $start $end
        $timeline show_row [lindex [my rows] 0]
    }

    # One end of a message is brought into the middle: `start` or `end`.
    method show_end {which} {
        set time [dict get $thing hit $which]
        lassign [$model window] t0 t1
        if {$time < $t0 || $time > $t1} {
            set half [expr {($t1 - $t0) / 2}]
            $model zoom [expr {$time - $half}] [expr {$time + $half}]
        }
        $timeline show_row [lindex [my rows] [expr {$which eq "end"}]]
    }

    # As little as possible is moved; what is longer than the window makes it wider.
    method show_time {start end} {
        lassign [$model window] t0 t1
        set span [expr {$t1 - $t0}]
        if {($start < $t0 || $end > $t1) && $end - $start > 0.8 * $span} {
            set margin [expr {($end - $start) / 10 + 1}]
            $model zoom [expr {$start - $margin}] [expr {$end + $margin}]
        } elseif {$start < $t0 || $end > $t1} {
            set from [expr {$start + ($end - $start) / 2 - $span / 2}]
            $model zoom $from [expr {$from + $span}]
        }
    }

    # ---- The frame

    # X11 has 16 bits for a coordinate.
    method x_of {time} {
        return [expr {max(-20.0, min([lindex [$timeline size] 0] + 20.0, [$timeline x_of $time]))}]
    }

    method draw {} {
        if {![winfo exists $plot]} {
            return
        }
        $plot delete choice
        $axis delete choice
        if {$thing eq {}} {
            return
        }
        switch [dict get $thing kind] {
            message { my draw_message }
            state - event { my draw_frame }
        }
        my draw_flag
    }

    method draw_flag {} {
        set x [my x_of [dict get $thing hit start]]
        set up [::pith::theme::px 20]
        $axis create polygon [expr {$x - 4}] $up [expr {$x + 5}] $up $x [::pith::theme::px 26] -fill [::pith::theme::colour text] -tags choice
    }

    method draw_frame {} {
        set row [lindex [my rows] 0]
        if {$row < 0} {
            return
        }
        set hit [dict get $thing hit]
        set pixels [$model row_height]
        set top [expr {[$model line_of $row] * $pixels}]
        lassign [my level_of $row $hit] y height
        set x0 [expr {[my x_of [dict get $hit start]] - 1}]
        set x1 [expr {max($x0 + 2, [my x_of [dict get $hit end]])}]
        set y0 [expr {$top + $y - 1}]
        set y1 [expr {$top + $y + $height}]
        $plot create rectangle $x0 $y0 $x1 $y1 -outline [::pith::theme::colour paper] -width 4 -tags choice
        $plot create rectangle $x0 $y0 $x1 $y1 -outline [::pith::theme::colour text] -width 2 -tags choice
    }

    # Top and height of its bar within the row: of the level at which it is drawn.
    method level_of {row hit} {
        set pixels [$model row_height]
        if {[dict get $thing kind] eq "state"} {
            set start [dict get $hit start]
            foreach part {0.5 0.35 0.2 0.05} {
                if {[catch {[$model log] stateat $row $start [expr {$start + 1}] [expr {$pixels * $part}] $pixels} there]} {
                    break
                }
                if {$there ne {} && [dict get $there id] == [dict get $hit id] && [dict get $there start] == $start} {
                    return [list [dict get $there top] [dict get $there height]]
                }
            }
        }
        return [list 1 [expr {$pixels - 2}]]
    }

    method draw_message {} {
        lassign [my rows] from to
        if {$from < 0 || $to < 0} {
            return
        }
        set hit [dict get $thing hit]
        set ends {}
        foreach row [list $from $to] time [list [dict get $hit start] [dict get $hit end]] {
            lappend ends [my x_of $time] [expr {([$model line_of $row] + 0.5) * [$model row_height]}]
        }
        $plot create line {*}$ends -fill [::pith::theme::colour paper] -width 5 -tags choice
        $plot create line {*}$ends -fill [::pith::theme::colour text] -width 2 -arrow last -tags choice
    }
}
