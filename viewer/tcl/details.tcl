# details.tcl - describes in words what lies under a point of the timelines, and shows this text on a card beside the
# point. The point may be over one of these kinds of records: state, event, message, counter, bundle (so many messages
# that they are not drawn one by one), group (so many lanes that several share a row of pixels), function (of samples;
# flames.tcl) and core (time outside all states, in a log with samples).

oo::class create ::pith::Details {
    variable model timeline
    variable plot     ;# canvas of the timelines
    variable card      ;# a child of the window, so that it lies over all other widgets
    variable shown     ;# the view in which the card was opened
    variable last_core ;# {LOG ROW GENERATION} and the last hit of core_at there; {}: none

    constructor {its_timeline its_model} {
        set model $its_model
        lassign {} last_core shown
        set timeline $its_timeline
        set plot [$timeline plot]
        set card [winfo toplevel $plot].card
        $timeline after_drawing [list [self] drawn]
    }

    # Returns a dict that describes a point: its time, and, if a record is there, also the kind of the record, its hit
    # (what the log's method returned) and lines, a list {NAME VALUE...} for display.
    method what_is_at {x y} {
        set what [dict create time [$timeline time_at $x]]
        set row [$timeline row_at $y]
        if {$row < 0} {
            return $what
        }
        set interruption [my interruption_at $row $x $y]
        set kinds {event bundle message interruption group counter state core}
        if {[dict exists $interruption what] && [dict get $interruption what] eq "missing"} {
            set kinds {bundle message interruption} ;# found without reading the records, which are damaged there
        }
        foreach kind $kinds {
            if {$kind eq "interruption"} {
                if {$interruption ne {}} { ;# a pause or hole has no kind and hit, because it cannot be chosen
                    return [dict create {*}$what lines [my interruption_lines $interruption]]
                }
                continue
            }
            set hit [my ${kind}_at $row $x $y]
            if {$hit ne {}} {
                if {[dict exists $hit flame]} {
                    set kind function
                }
                return [dict merge $what [dict create kind $kind hit $hit lines [my ${kind}_lines $hit]]]
            }
        }
        return $what
    }

    # The event near a point; {} if there is none. An event is found only in the upper part of a row, because it is
    # drawn there.
    method event_at {row x y} {
        if {[$model within_line $y] > [$model row_height] * 0.4} {
            return {}
        }
        set reach [expr {max(1, [$timeline time_at 5] - [$timeline time_at 0])}]
        return [[$model log] eventat $row [$timeline time_at $x] $reach]
    }

    method message_at {row x y} {
        if {![$model arrows]} {
            return {}
        }
        # The drawing core searches among the arrows of its last picture. This picture must be the present view, so if a
        # new picture is pending, it is drawn first.
        $timeline draw_pending
        set hit [[$model log] arrowat $x $y]
        if {$hit eq {}} {
            set bundle [[$model log] bundleat $x $y]
            if {$bundle ne {}} {
                set hit [dict create {*}[dict get $bundle longest] line [dict get $bundle line]]
            }
        }
        return $hit
    }

    # The bundle of messages at a point; {} if there is none, or if it has only one message.
    method bundle_at {row x y} {
        if {![$model arrows]} {
            return {}
        }
        $timeline draw_pending
        set hit [[$model log] bundleat $x $y]
        return [expr {$hit ne {} && [dict get $hit count] > 1 ? $hit : {}}]
    }

    # The group of lanes at a point. There are groups only if rows are so low that several share a line of pixels. The
    # start and end of the returned hit are equal, so that commands that zoom to a record do nothing here.
    method group_at {row x y} {
        if {[$model row_height] >= 1} {
            return {}
        }
        $timeline draw_pending
        set hit [my group_of_row $row $y {*}[my column $x]]
        if {$hit ne {}} {
            set hit [dict create {*}$hit start [$timeline time_at $x] end [$timeline time_at $x]]
        }
        return $hit
    }

    method group_of_row {row y from to} { return [[$model log] groupat $row $y $from $to] }

    # Start and end of the time of a column of pixels.
    method column {x} {
        set from [$timeline time_at $x]
        return [list $from [expr {max($from + 1, [$timeline time_at [expr {$x + 1}]])}]]
    }

    method counter_at {row x y} {
        set hit [[$model log] counterat $row {*}[my column $x]]
        if {$hit ne {}} {
            lassign [my column $x] from to
            dict set hit start $from
            dict set hit end $from
        }
        return $hit
    }

    method state_at {row x y} {
        set column [my column $x]
        set hit [[$model log] stateat $row {*}$column [$model within_line $y] [$model row_height]]
        if {[dict exists $hit alike]} {
            dict set hit column $column
        }
        return $hit
    }

    # The interval outside all states that contains a point; {} if there is none. The last result is kept for further
    # points in the same interval, because many samples must be read for a long interval.
    method core_at {row x y} {
        set time [$timeline time_at $x]
        if {$last_core ne {} && [lindex $last_core 0] eq [list [$model log] $row [$model tree generation]]} {
            set hit [lindex $last_core 1]
            if {$time > [dict get $hit start] && $time < [dict get $hit end]} {
                return $hit
            }
        }
        set hit [[$model log] coreat $row $time]
        set last_core [expr {$hit eq {} ? {} : [list [list [$model log] $row [$model tree generation]] $hit]}]
        return $hit
    }

    method place_of {hit {rank rank} {thread thread}} {
        set place "rank [dict get $hit $rank]"
        if {[dict exists $hit $thread] && [dict get $hit $thread]} {
            append place " thread [dict get $hit $thread]"
        }
        return $place
    }

    # Describes a record (a `thing` of choice.tcl) by a list of names and values in turn. The first name is empty, and
    # its value is the title.
    method lines_of {thing} {
        return [my [dict get $thing kind]_lines [dict get $thing hit]]
    }

    method state_lines {hit} {
        set lines [my interval_lines [dict get $hit name] $hit]
        if {![dict get $hit ended]} {
            lappend lines not ended
        }
        lappend lines {*}[my core_wait_lines $hit] {*}[my wait_lines $hit]
        if {[dict get $hit depth]} {
            lappend lines within "[dict get $hit depth] state[expr {[dict get $hit depth] > 1 ? "s" : {}}]"
        }
        if {[dict exists $hit alike]} {
            lappend lines in "[dict get $hit alike] of [dict get $hit lanes] lanes of this row"
        }
        return $lines
    }

    # The lines that describe a state or an interval outside all states.
    method interval_lines {title hit} {
        set start [dict get $hit start]
        set end [dict get $hit end]
        set fine [expr {max(1, ($end - $start) / 1000)}]
        return [list {} $title on [my place_of $hit] from [$model time_text $start $fine] to [$model time_text $end $fine] \
            for [::pithtk::duration [expr {$end - $start}]]]
    }

    method function_lines {hit} {
        return [list {*}[my interval_lines [dict get $hit name] $hit] {*}[my core_wait_lines $hit] of [dict get $hit place]]
    }

    method core_lines {hit} {
        set function [dict get $hit name]
        if {![string match *([dict get $hit place]*) $function]} { ;# the name may have it
            append function " ([dict get $hit place])"
        }
        return [list {*}[my interval_lines computing $hit] {*}[my core_wait_lines $hit] mostly "in $function" \
            {} "[dict get $hit samples] of [dict get $hit all] samples"]
    }

    # The interruption or hole at a point: a pause, a lost record, or an interval whose records are missing because the
    # file is damaged; {} if there is none.
    method interruption_at {row x y} {
        return [[$model log] interruptionat $row [$timeline time_at $x] [expr {[$timeline time_at 4] - [$timeline time_at 0]}]]
    }

    method interruption_lines {hit} {
        switch [dict get $hit what] {
            pause { return [my interval_lines "recording paused" $hit] }
            lost {
                return [list {} "[::pithtk::number [dict get $hit lost]] records lost" on [my place_of $hit] \
                    at [$model time_text [dict get $hit start] 1]]
            }
            missing { return [list {} "records are missing: the file is damaged" on [my place_of $hit]] }
        }
    }

    # The wait state of a call; {} if the call has no wait state, or if the log is not analyzed yet (waiting.tcl).
    method wait_of {hit} {
        return [[$model log] waitof [dict get $hit rank] [dict get $hit thread] [dict get $hit id] \
            [dict get $hit start] [dict get $hit end]]
    }

    # A line that says how long the thread had no core during a state; {} if it always had one, or if the log does not
    # have the counters for this (core_waits.tcl).
    method core_wait_lines {hit} {
        set ns [[$model log] corewaitof [dict get $hit rank] [dict get $hit thread] [dict get $hit start] [dict get $hit end]]
        if {$ns in {{} 0}} {
            return {}
        }
        return [list {no core for} "[::pithtk::duration $ns], [my percent $ns [expr {[dict get $hit end] - [dict get $hit start]}]]"]
    }

    # Lines that say which rank a call waits for, and why; {} if it does not wait, or if the log is not analyzed yet
    # (waiting.tcl).
    method wait_lines {hit} {
        set wait [my wait_of $hit]
        if {$wait eq {}} {
            return {}
        }
        return [list waits "[::pithtk::duration [expr {[dict get $wait end] - [dict get $wait start]}]]\
            for [my place_of $wait]: [dict get $wait kind]"]
    }

    # Lines about the messages that a call sent or received, and about its collective.
    method call_lines {hit} {
        set most 4
        set call [[$model log] callof {*}[lmap key {rank thread id start end} {dict get $hit $key}]]
        set lines {}
        foreach message [lrange [dict get $call messages] 0 [expr {$most - 1}]] {
            set end [expr {[dict get $message sent] ? "to [my place_of $message to to_thread]"
                : "from [my place_of $message from from_thread]"}]
            set bytes [::pithtk::number [dict get $message bytes]]
            lappend lines [expr {[dict get $message sent] ? "sent" : "received"}] \
                "$bytes bytes $end, tag [dict get $message tag][my transfer $message]"
        }
        if {[dict get $call total] > $most} {
            lappend lines {} "([expr {[dict get $call total] - $most}] more messages)"
        }
        if {[dict exists $call comm]} {
            set name [expr {[dict get $call comm] eq {} ? "a communicator" : [dict get $call comm]}]
            set root [expr {[dict get $call root] < 0 ? {} : ", root rank [dict get $call root]"}]
            lassign [lmap key {bytes got} {::pithtk::number [dict get $call $key]}] bytes got
            lappend lines members "[dict get $call size] of $name$root" moved "$bytes bytes sent, $got received"
        }
        if {[dict exists $call last]} {
            foreach which {first last} {
                lappend lines $which [my member_text $hit [dict get $call $which]]
            }
        }
        return $lines
    }

    # Text that says how long a message was under way; {} if its send or its receive is not known.
    method transfer {message} {
        set took [expr {[dict get $message end] - [dict get $message start]}]
        return [expr {$took > 0 ? ", took [::pithtk::duration $took]" : {}}]
    }

    # Describes a member of a collective: its rank, and how long before or after the call HIT it began.
    method member_text {hit member} {
        set later [expr {[dict get $member start] - [dict get $hit start]}]
        set order [expr {$later < 0 ? "before" : "after"}]
        if {[dict get $member rank] == [dict get $hit rank] && [dict get $member thread] == [dict get $hit thread]} {
            return "this call"
        }
        return "[my place_of $member], [::pithtk::duration [expr {abs($later)}]] $order this call"
    }

    method event_lines {hit} {
        set lines [list {} [dict get $hit name] on [my place_of $hit] at [$model time_text [dict get $hit start] 1]]
        if {[dict get $hit payload] ne {}} {
            lappend lines with [dict get $hit payload]
        }
        if {[dict exists $hit count] && [dict get $hit count] > 1} {
            lappend lines {} "([expr {[dict get $hit count] - 1}] more nearby)"
        }
        return $lines
    }

    # Describes a counter. If its value changed within the pixel column under the pointer, also tells the range of its
    # values there.
    method counter_lines {hit} {
        # A counter with the unit 1 has no unit.
        set unit [expr {[dict get $hit unit] eq "1" ? {} : [dict get $hit unit]}]
        set value [string trim "[format %.10g [dict get $hit last]] $unit"]
        if {$unit eq "ns" && abs([dict get $hit last]) >= 1e3 && abs([dict get $hit last]) < 9e18} {
            append value " ([::pithtk::duration [expr {wide([dict get $hit last])}]])"
        }
        set lines [list {} [dict get $hit name] on [my place_of $hit] value $value]
        if {[dict get $hit low] != [dict get $hit high]} {
            lappend lines here "[format %.10g [dict get $hit low]] to [format %.10g [dict get $hit high]]"
        }
        return [list {*}$lines at [$model time_text [dict get $hit start] [expr {max(1, [$model span] / 2000)}]]]
    }

    # Describes a message. If its receive is not known, its end is the same as its start.
    method message_lines {hit} {
        set span [expr {[dict get $hit end] - [dict get $hit start]}]
        set lines [list {} message from [my place_of $hit from from_thread] to [my place_of $hit to to_thread] \
            size "[::pithtk::number [dict get $hit bytes]] bytes" tag [dict get $hit tag] \
            sent [$model time_text [dict get $hit start] 1]]
        if {$span} {
            lappend lines took [::pithtk::duration $span]
        }
        # `error`: by how much the transfer time may be wrong, because sender and receiver have different clocks; -1:
        # unknown.
        if {[dict exists $hit error] && [dict get $hit error] > 0} {
            lappend lines within "\u00b1 [::pithtk::duration [dict get $hit error]] clock error"
        }
        if {$span > 0 && [dict get $hit bytes]} {
            lappend lines rate [format {%.4g MB/s} [expr {[dict get $hit bytes] * 1e3 / $span}]]
        }
        return $lines
    }

    # Describes a bundle. If it has very many messages, its numbers are estimates and are marked by "about".
    method bundle_lines {hit} {
        set about [expr {[dict get $hit about] ? "about " : {}}]
        set longest [dict get $hit longest]
        return [list {} "$about[::pithtk::number [dict get $hit count]] messages" from [dict get $hit from] \
            to [dict get $hit to] size "$about[::pithtk::number [dict get $hit bytes]] bytes" \
            mean [::pithtk::duration [dict get $hit mean]] \
            longest [::pithtk::duration [expr {[dict get $longest end] - [dict get $longest start]}]]]
    }

    method group_lines {hit} {
        return [list {} [dict get $hit place] of "[dict get $hit lanes] lane[expr {[dict get $hit lanes] == 1 ? {} : {s}}]" \
            {*}[my mix_lines [dict get $hit mix] 3]]
    }

    # Lines about the mix of states on a row that shows many lanes.
    method lines_of_mix {hit} {
        set row [$model row_of [dict get $hit rank] [dict get $hit thread]]
        set group [my group_of_row $row 0 {*}[dict get $hit column]]
        return [list here [dict get $group place] {*}[my mix_lines [dict get $group mix] 6]]
    }

    # Lines about the MOST most frequent states of a mix: their names and shares.
    method mix_lines {mix most} {
        set lines {}
        foreach {name share} [lrange $mix 0 [expr {2 * $most - 1}]] {
            lappend lines $name [my percent $share 1]
        }
        if {[llength $mix] > 2 * $most} {
            lappend lines {} "([expr {[llength $mix] / 2 - $most}] more)"
        }
        return $lines
    }

    # The record that a click chooses, if WHAT is under the pointer; {} if there is none. A click on a bundle chooses
    # the bundle's longest message.
    method chosen_of {what} {
        if {![dict exists $what kind]} {
            return {}
        }
        switch [dict get $what kind] {
            group - core { return {} }
            bundle {
                set hit [dict get $what hit longest]
                return [dict create kind message hit $hit lines [my message_lines $hit]]
            }
            default { return $what }
        }
    }

    # ---- More details, which take too long to find for each move of the pointer

    # Returns all lines about a record: those of the card and more.
    method all_lines {thing} {
        set lines [my lines_of $thing]
        catch {lappend lines {*}[my more_of_[dict get $thing kind] [dict get $thing hit]]}
        return $lines
    }

    method group_of {hit} {
        set group [dict get [$model def [dict get $hit id]] group]
        return [expr {$group eq {} ? {} : [list group $group]}]
    }

    method percent {part whole} {
        return [format {%.3g %%} [expr {$whole > 0 ? 100.0 * $part / $whole : 100.0}]]
    }

    method more_of_state {hit} {
        set lines [my group_of $hit]
        set site [[$model log] siteof [dict get $hit rank] [dict get $hit thread] [dict get $hit id] \
            [dict get $hit start] [dict get $hit end]]
        if {$site ne {}} {
            lappend lines called $site
        }
        lappend lines {*}[my call_lines $hit]
        set length [expr {[dict get $hit end] - [dict get $hit start]}]
        set parent [my parent_of $hit]
        if {$parent ne {}} {
            lappend lines inside "[dict get $parent name], [my percent $length \
                [expr {[dict get $parent end] - [dict get $parent start]}]] of it"
        }
        lassign [$model whole] first last
        lappend lines share "[my percent $length [expr {$last - $first}]] of the run"
        if {[dict exists $hit column]} {
            lappend lines {*}[my lines_of_mix $hit]
        }
        return $lines
    }

    method more_of_function {hit} {
        lassign [$model whole] first last
        return [list depth [dict get $hit flame] share "[my percent [expr {[dict get $hit end] - [dict get $hit start]}] \
            [expr {$last - $first}]] of the run"]
    }

    method more_of_event {hit} {
        set lines [my group_of $hit]
        set around [[$model log] stateof [dict get $hit rank] [dict get $hit thread] [dict get $hit start]]
        if {$around ne {}} {
            lappend lines inside [dict get $around name]
        }
        return $lines
    }

    # The communicator of a message, and the calls that sent and received it.
    method more_of_message {hit} {
        set lines {}
        if {[dict exists $hit comm] && [dict get $hit comm] ne {}} {
            lappend lines communicator [dict get $hit comm]
        }
        foreach {word rank thread time} {"sent in" from from_thread start "received in" to to_thread end} {
            if {![dict exists $hit $thread]} continue
            set call [[$model log] stateof [dict get $hit $rank] [dict get $hit $thread] [dict get $hit $time]]
            if {$call ne {}} {
                lappend lines $word "[dict get $call name], [::pithtk::duration \
                    [expr {[dict get $call end] - [dict get $call start]}]]"
            }
        }
        return $lines
    }

    # The state that directly encloses a state; {} if there is none.
    method parent_of {hit} {
        return [[$model log] parent [dict get $hit rank] [dict get $hit thread] [dict get $hit id] [dict get $hit start] \
            [dict get $hit depth]]
    }

    # All details of a record for the clipboard, with a line "name: value" for each.
    method text_of {thing} {
        set text {}
        foreach {word value} [my all_lines $thing] {
            append text [expr {$word eq {} ? $value : "$word: $value"}] \n
        }
        return $text
    }

    # ---- The card of details

    # Shows the card about what is at a point, and returns the record there; {} if there is nothing to show.
    method open_card {x y} {
        my close_card
        set what [my what_is_at $x $y]
        if {![dict exists $what lines]} {
            return {}
        }
        set page [winfo toplevel $plot].details
        if {[winfo exists $page] && [winfo ismapped $page]} {
            return $what ;# no card, because a page of the panel already shows all details
        }
        lassign [$timeline size] width height
        ttk::frame $card -style Card.TFrame -padding {10 7}
        grid columnconfigure $card 1 -weight 1
        set line 0
        foreach {word value} [my all_lines $what] {
            ttk::label $card.w$line -text $word -style CardFaint.TLabel
            ttk::label $card.v$line -text $value -style [expr {$line ? "Card.TLabel" : "CardBold.TLabel"}] \
                -wraplength [expr {max([px 100], $width - [px 40] - ($line ? [winfo reqwidth $card.w$line] : 0))}]
            if {$line} {
                grid $card.w$line $card.v$line -sticky nw
                grid configure $card.w$line -padx {0 8}
            } else {
                grid $card.v$line -columnspan 2 -sticky w
            }
            incr line
        }
        update idletasks
        # `update` may have run a pending change of the view, which closes the card. So the card may be gone.
        if {[winfo exists $card]} {
            set shown [my view]
            my place_card $what $x $y
        }
        return $what
    }

    # Places the card beside its record, so that it does not hide the record: below it if there is room, else above,
    # else to the right, else to the left. If none of these places has enough room, puts the card at the pointer. The
    # whole card is always inside the window.
    method place_card {what x y} {
        set window [winfo toplevel $plot]
        lassign [my box_of $what $x $y] x0 y0 x1 y1
        lassign [list [winfo width $window] [winfo height $window] [winfo reqwidth $card] [winfo reqheight $card]] \
            all_wide all_high wide high
        foreach name {x x0 x1} { incr $name [expr {[winfo rootx $plot] - [winfo rootx $window]}] }
        foreach name {y y0 y1} { incr $name [expr {[winfo rooty $plot] - [winfo rooty $window]}] }
        set gap [px 6]
        lassign [list [expr {$x + 12}] [expr {$y + 12}]] left top
        if {$y1 + $gap + $high < $all_high} {
            set top [expr {$y1 + $gap}]
        } elseif {$y0 - $gap - $high > 0} {
            set top [expr {$y0 - $gap - $high}]
        } elseif {$x1 + $gap + $wide < $all_wide} {
            set left [expr {$x1 + $gap}]
        } elseif {$x0 - $gap - $wide > 0} {
            set left [expr {$x0 - $gap - $wide}]
        }
        place $card -x [expr {max(2, min($left, $all_wide - $wide - 2))}] \
            -y [expr {max(2, min($top, $all_high - $high - 2))}]
        raise $card
    }

    # The box {X0 Y0 X1 Y1} of a record in the plot: for a state, its bar; for other records, the place of the pointer.
    method box_of {what x y} {
        set hit [expr {[dict exists $what hit] ? [dict get $what hit] : {}}]
        if {![dict exists $hit top] || ![dict exists $hit height]} {
            return [list $x $y $x $y]
        }
        set width [lindex [$timeline size] 0]
        set top [expr {[$model line_at $y] * [$model row_height] + [dict get $hit top]}]
        return [lmap place [list [expr {max(0, [$timeline x_of [dict get $hit start]])}] $top \
            [expr {min($width, [$timeline x_of [dict get $hit end]])}] [expr {$top + [dict get $hit height]}]] {
            expr {round($place)}
        }]
    }

    # Returns a list that is different if the picture shows another view. After such a change the card is closed,
    # because another record may then be at its place.
    method view {} {
        return [list [$model window] [$model first_row] [$model row_height] [$timeline size] [$model row_count] \
            [$model tree generation]]
    }

    method drawn {} {
        if {[winfo exists $card] && $shown ne {} && $shown ne [my view]} {
            my close_card
        }
    }

    # Closes the card. Returns 1 if it was open.
    method close_card {} {
        set was [winfo exists $card]
        destroy $card
        set shown {}
        return $was
    }

    method zoom_to_pointed {} {
        set hit [expr {[dict exists [$model pointer] hit] ? [dict get [$model pointer] hit] : {}}]
        if {$hit ne {} && [dict get $hit end] > [dict get $hit start]} {
            my close_card
            set margin [expr {([dict get $hit end] - [dict get $hit start]) / 5 + 1}]
            $model zoom [expr {[dict get $hit start] - $margin}] [expr {[dict get $hit end] + $margin}]
        }
    }
}

# The page of the panel that has all details of the chosen record, and buttons that choose its neighbours (walk.tcl).
oo::class create ::pith::DetailsWindow {
    variable window
    variable dialog  ;# path of the page
    variable text    ;# text widget in it

    constructor {its_window} {
        set window $its_window
        set dialog [$window top].details
        [$window choice] follow [list [self] changed]
    }

    method changed {thing} {
        if {[winfo exists $dialog]} {
            my fill
        }
    }

    method word_details {} {
        if {[[$window panel] sees details]} {
            my close
            return
        }
        my open
    }

    method open {} {
        if {![winfo exists $dialog]} {
            my build
        }
        [$window panel] select details
        my fill
    }

    method close {} {
        destroy $dialog
        [$window panel] leave details
    }

    method build {} {
        ttk::frame $dialog
        [$window panel] put details $dialog
        set text $dialog.text
        text $text -width 46 -height 6 -relief flat -borderwidth 0 -padx 14 -pady 10 -wrap word -cursor {} \
            -font TkDefaultFont -background [colour paper] -foreground [colour text] \
            -highlightthickness 0 -state disabled -tabs 110 -takefocus 1
        # Disables Tk's pasting by the middle button, which makes no sense in a text that cannot be edited. Tk would
        # wait for the text to be pasted, and if Escape closed the page meanwhile, Tk's binding would fail.
        bind $text <ButtonRelease-2> break
        $text tag configure title -font PithBold -spacing3 6
        $text tag configure word -foreground [colour faint]
        $text tag configure line -lmargin2 110 -spacing3 2
        set frame [ttk::frame $dialog.buttons -padding 8]
        set row 0
        set column 0
        foreach {name label word help} {
            prev "\u25c0 Same" {same prev} {}  next "Same \u25b6" {same next} {}  parent "Enclosing" parent {}
            jump "Other end" jump {}  copy Copy copy {}
        } {
            ttk::button $frame.$name -text $label -width 0 -command [list [self] do $word]
            pack $frame.$name -side left -padx 2
        }
        pack $dialog.buttons -side bottom -fill x
        pack $text -fill both -expand 1
    }

    method do {word} {
        $window act $word
    }

    method fill {} {
        set thing [[$window choice] thing]
        $text configure -state normal
        $text delete 1.0 end
        if {$thing eq {}} {
            $text insert end "No record is chosen. Click on a state, an event or a message." word
        } else {
            foreach {word value} [[$window details] all_lines $thing] {
                if {$word eq {}} {
                    $text insert end $value\n title
                } else {
                    $text insert end $word\t {word line} $value\n line
                }
            }
        }
        $text configure -state disabled
    }
}

::pith::part::add DetailsWindow {
    words {details {} {show all details of the chosen record, or hide them} word_details}
    keys {{space} {Space} {all details of the chosen record, or hide them} {details}}
    menus {Search {"Details" details Space}}
}
