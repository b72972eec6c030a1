# choice.tcl - keeps the chosen record of a window. The user chooses a record by a click, by a search, or by a key that
# steps to it. The chosen record has a frame in the timelines until another record is chosen.
#
# A `thing` is a dict of kind (state, event, message, counter, function) and hit. A hit has start and end. A hit of a
# state or event also has rank, thread, id and name; a hit of a message has from and to (ranks).

oo::class create ::pith::Choice {
    variable model timeline
    variable plot axis
    variable thing     ;# {} nothing
    variable changed   ;# written at every change, for traces
    variable call      ;# the messages and the collective of a chosen state (details.tcl); {}: not looked up yet

    constructor {its_timeline its_model} {
        set model $its_model
        set timeline $its_timeline
        set plot [$timeline plot]
        set axis [$timeline axis]
        set thing {}
        set changed 0
        set call {}
        $model follow [list [self] model_changed]
        $timeline after_drawing [list [self] draw]
    }

    # From now on, calls CALLBACK with the new `thing` whenever another record is chosen.
    method follow {callback} {
        trace add variable [my varname thing] write [list ::pith::followed [my varname thing] $callback]
    }

    method thing {} { return $thing }

    method choose {its_thing} {
        set call {}
        set thing $its_thing
        my draw
    }

    # Looks up the chosen call again after the digest has been read or the log was analyzed. The digest adds the other
    # ends of the call's messages; the analysis adds the members of its collective.
    method model_changed {what} {
        if {$what in {digest waiting log}} {
            set call {}
        }
    }

    # The messages and the collective of the chosen state.
    method call {} {
        if {$call eq {}} {
            set call [expr {$thing ne {} && [dict get $thing kind] eq "state" ? [my call_of [dict get $thing hit]]
                : [dict create messages {} total 0]}]
        }
        return $call
    }

    # The messages and the collective of a state, as the log's method `callof` returns them.
    method call_of {hit} {
        return [[$model log] callof {*}[lmap key {rank thread id start end} {dict get $hit $key}]]
    }

    # The rows of the chosen record: for a message, the row of its sender and that of its receiver; for other records,
    # one row. The row is -1 if its lane is not shown.
    method rows {} {
        return [my rows_of $thing]
    }

    method rows_of {its_thing} {
        set hit [dict get $its_thing hit]
        if {[dict get $its_thing kind] eq "message"} {
            return [list [$model row_of [dict get $hit from] [my thread $hit from_thread]] \
                [$model row_of [dict get $hit to] [my thread $hit to_thread]]]
        }
        if {[dict get $its_thing kind] eq "function"} {
            return [list [[$model log] flamerow [dict get $hit rank] [dict get $hit thread] [dict get $hit flame]]]
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
        # If part of the record is outside the view, centres the view on the record. Zooms out if the record needs more
        # than four fifths of the view.
        lassign [$model window] t0 t1
        set span [expr {$t1 - $t0}]
        if {($start < $t0 || $end > $t1) && $end - $start > 0.8 * $span} {
            set margin [expr {($end - $start) / 10 + 1}]
            $model zoom [expr {$start - $margin}] [expr {$end + $margin}]
        } elseif {$start < $t0 || $end > $t1} {
            set from [expr {$start + ($end - $start) / 2 - $span / 2}]
            $model zoom $from [expr {$from + $span}]
        }
        $timeline show_row [lindex [my rows] 0]
    }

    # Shows one end of the chosen message. WHICH: `start` (at the sender) or `end` (at the receiver). If this time is
    # outside the view, centres the view on it.
    method show_end {which} {
        set time [dict get $thing hit $which]
        lassign [$model window] t0 t1
        if {$time < $t0 || $time > $t1} {
            set half [expr {($t1 - $t0) / 2}]
            $model zoom [expr {$time - $half}] [expr {$time + $half}]
        }
        $timeline show_row [lindex [my rows] [expr {$which eq "end"}]]
    }

    # ---- The frame

    # The x of a time. For a time far outside the picture, the x is just outside the picture, because X11 coordinates
    # have only 16 bits.
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
            message { my draw_message [dict get $thing hit] choice }
            state - event - function {
                my draw_frame
                foreach message [dict get [my call] messages] {
                    my draw_message $message choice
                }
            }
        }
        set x [my x_of [dict get $thing hit start]]
        set up [px 20]
        $axis create polygon [expr {$x - 4}] $up [expr {$x + 5}] $up $x [px 26] -fill [colour text] -tags choice
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
        $plot create rectangle $x0 $y0 $x1 $y1 -outline [colour paper] -width 4 -tags choice
        $plot create rectangle $x0 $y0 $x1 $y1 -outline [colour text] -width 2 -tags choice
    }

    # Top and height of a state's bar within its row, which depend on its nesting level.
    method level_of {row hit} {
        set pixels [$model row_height]
        if {[dict get $thing kind] ne "event"} {
            set start [dict get $hit start]
            foreach part {0.5 0.35 0.2 0.05} {
                if {[catch {[$model log] stateat $row $start [expr {$start + 1}] [expr {$pixels * $part}] $pixels} there]} {
                    break
                }
                if {$there ne {} && [dict get $there name] eq [dict get $hit name] && [dict get $there start] == $start} {
                    return [list [dict get $there top] [dict get $there height]]
                }
            }
        }
        return [list 1 [expr {$pixels - 2}]]
    }

    # Draws the chosen message as a strong arrow over the faint arrow in the picture.
    method draw_message {hit tag} {
        lassign [my rows_of [dict create kind message hit $hit]] from to
        if {$from < 0 || $to < 0 || ![dict exists $hit from_thread] || ![dict exists $hit to_thread]} {
            return
        }
        set ends {}
        foreach row [list $from $to] time [list [dict get $hit start] [dict get $hit end]] {
            lappend ends [my x_of $time] [expr {([$model line_of $row] + 0.5) * [$model row_height]}]
        }
        $plot create line {*}$ends -fill [colour paper] -width [px 5] -tags $tag
        $plot create line {*}$ends -fill [colour text] -width [px 2] -arrow last -tags $tag
    }
}

# The context menu of the timelines, with commands for the state, event, message or row under the pointer.
oo::class create ::pith::Context {
    variable window model
    variable menu

    constructor {its_window} {
        set window $its_window
        set model [$window model]
    }

    method finish {} {
        set plot [[$window timeline] plot]
        set menu [menu $plot.context -tearoff 0]
        bind $plot <Button-3> [list [self] popup %x %y %X %Y]
        bind $plot <Menu> [list [self] popup_chosen]
    }

    method popup {x y root_x root_y} {
        set what [[$window details] what_is_at $x $y]
        set what [[$window details] chosen_of $what]
        if {$what ne {}} {
            [$window choice] choose $what
        }
        my fill $what [[$window timeline] row_at $y]
        foreach {text script key} [[$window part Notes] entries $x $y] {
            my add $text $script $key
        }
        tk_popup $menu $root_x $root_y
    }

    # Opens the menu for the chosen record. A key calls this.
    method popup_chosen {} {
        set thing [[$window choice] thing]
        my fill $thing [expr {$thing eq {} ? -1 : [lindex [[$window choice] rows] 0]}]
        set plot [[$window timeline] plot]
        tk_popup $menu [expr {[winfo rootx $plot] + 60}] [expr {[winfo rooty $plot] + 30}]
    }

    method fill {what row} {
        $menu delete 0 end
        if {[dict exists $what kind]} {
            my add_[dict get $what kind] [dict get $what hit]
            my add "Details..." details Space
            my add "Copy as text" copy Ctrl-C
            $menu add separator
        }
        if {[$model selection] ne {}} {
            my add "Zoom to the selection" zoom_chosen z
            my add "Clear the selection" {select none} Esc
        }
        my add "Show all" fit f
        my add "Back" undo u
        my add "Bookmark this view" bookmark b
        if {$row >= 0} {
            my add_row [$model row $row]
        }
    }

    method add {text script {key {}}} {
        $menu add command -label $text -accelerator $key -command [list $window act $script]
    }

    method add_state {hit} {
        my add_named $hit
        my add_times $hit
        my add "Enclosing state" parent o
        set call [[$window choice] call]
        if {[dict get $call messages] ne {} || [dict exists $call last]} {
            my add "Other end of its message, or last member" jump j
        }
        my add "Cause of its waiting" cause y
        my add "Distribution of its length..." [list lengths [dict get $hit name]] l
    }

    method add_function {hit} { my add_times $hit }

    method add_times {hit} {
        my add "Zoom to it" [list zoom [dict get $hit start]ns [expr {max([dict get $hit end], [dict get $hit start] + 1)}]ns]
        my add "Select its time" [list select [dict get $hit start]ns [dict get $hit end]ns]
    }

    method add_event {hit} {
        my add_named $hit
        my add "Enclosing state" parent o
    }

    method add_named {hit} {
        set name [dict get $hit name]
        my add "Hide $name" [list hide $name] h
        my add "Find $name" [list find $name] /
        my add "Next with this name" {same next} .
        my add "Previous with this name" {same prev} ,
    }

    method add_counter {hit} {
        my add "Enclosing state" parent o
    }

    method add_message {hit} {
        my add "Jump to its other end" jump j
        my add "State that sent it" parent o
        my add "Messages with tag [dict get $hit tag]" [list find {} -kind message -tag [dict get $hit tag]]
        my add "Next message" {message next} Ctrl-.
        my add "Distribution of message times..." {lengths messages} l
    }

    method add_row {entry} {
        if {$entry eq {} || ![dict exists $entry rank]} {
            return
        }
        $menu add separator
        my add "Only rank [dict get $entry rank]" [list rows [dict get $entry rank]]
        my add "All rows" rows
    }
}

::pith::part::add Context {}
