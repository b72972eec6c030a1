# walk.tcl - lets the user step from the chosen record (choice.tcl) to another one: the next of its kind on its row, the
# enclosing state, the other end of a message, or a record on the next row. Each step is a command, and most have a key.
# The command chooses the new record, and returns a text that describes it.

oo::class create ::pith::Walk {
    variable window model choice
    variable job      ;# current search; {} none
    variable over     ;# written at the end of the search

    constructor {its_window} {
        set window $its_window
        set model [$window model]
        set choice [$window choice]
        set job {}
        set over 0
        $model follow [list [self] changed]
    }

    destructor {
        my stop
    }

    method stop {} {
        if {$job ne {}} {
            $job stop
        }
        set job {}
        set over 0
    }

    # The change `log` means that the model has got another log (live.tcl). Stops a search in the old one.
    method changed {what} {
        if {$what eq "log"} {
            my stop
        }
    }

    # ---- Starting point

    # The record from which a step starts: the chosen record, else the one under the pointer. Returns {} if there is
    # none, or if it is a function of samples, from which there are no steps.
    method start {} {
        set thing [$choice thing]
        if {$thing eq {}} {
            set thing [[$window details] chosen_of [$model pointer]]
        }
        return [expr {$thing ne {} && [dict get $thing kind] eq "function" ? {} : $thing}]
    }

    method start_on_row {} {
        set thing [my start]
        if {$thing eq {}} {
            set thing [my first_in_view]
        }
        return $thing
    }

    # The state at the middle of the time shown, on the topmost visible row that has a state there.
    method first_in_view {} {
        lassign [$model window] t0 t1
        for {set row [$model first_row]} {$row < [$model row_count]} {incr row} {
            set entry [$model row $row]
            if {[dict get $entry kind] eq "states" && ![dict get $entry flame]} {
                set hit [my state_of $entry [expr {($t0 + $t1) / 2}]]
                if {$hit ne {}} {
                    return [dict create kind state hit $hit]
                }
            }
        }
        return {}
    }

    method state_of {place time} {
        return [[$model log] stateof [dict get $place rank] [dict get $place thread] $time]
    }

    # A dict with the rank and thread of a record; for a message, those of its sender.
    method place {thing} {
        set hit [dict get $thing hit]
        if {[dict get $thing kind] eq "message"} {
            return [dict create rank [dict get $hit from] thread \
                [expr {[dict exists $hit from_thread] ? [dict get $hit from_thread] : 0}]]
        }
        return $hit
    }

    # ---- Going to a record

    method go {thing} {
        if {$thing eq {}} {
            $window say "none found"
            return {}
        }
        [$window details] close_card
        $choice choose $thing
        $choice show
        $window say [my text $thing]
        return [my text $thing]
    }

    method text {thing} {
        return [join [lmap {word value} [[$window details] lines_of $thing] {
            expr {$word eq {} ? $value : "$word $value"}
        }] {   }]
    }

    # Searches for the next or previous record along the row of THING, chooses it, and returns the text of the status
    # line. WHAT: a search for the log's method `find` (tk/log_object.h).
    method search_row {way what thing} {
        set place [my place $thing]
        dict set what ranks "[dict get $place rank].[dict get $place thread]"
        set time [dict get $thing hit start]
        set from [expr {$way eq "next" ? [list $time 4294967295 4294967295] : [list $time 0 0]}]
        my stop
        set job [[$model log] find [string map {prev previous} $way] $what $from [list [self] search_event]]
        while {[info object isa object [self]] && $job ne {}} {
            vwait [my varname over]
        }
        return [$window status_text]
    }

    method search_event {how {value {}}} {
        if {$how eq "progress"} {
            $window say "searching... [expr {round($value * 100)}] %"
            return
        }
        set job {}
        switch $how {
            failed { $window say $value }
            done { my go [expr {$value eq {} ? {} : [[$window part Search] thing $value]}] }
        }
        set over [clock microseconds]
    }

    # ---- Words

    # The command `same`. Goes to the next or previous instance of the same state or event on the same row.
    method word_same {way} {
        set thing [my start]
        if {$thing eq {}} {
            $window say "no record is chosen: click on a state first"
            return
        }
        if {[dict get $thing kind] eq "message"} {
            return [my word_message $way]
        }
        if {[dict get $thing kind] eq "counter"} {
            return [my word_state $way]
        }
        set kinds [dict create kinds [dict get $thing kind] ids [dict get $thing hit id]]
        return [my search_row [my check_direction $way] $kinds $thing]
    }

    method word_state {way} {
        set thing [my start_on_row]
        if {$thing eq {}} {
            return
        }
        return [my search_row [my check_direction $way] {kinds state} $thing]
    }

    method word_message {way} {
        set thing [my start_on_row]
        if {$thing eq {}} {
            return
        }
        return [my search_row [my check_direction $way] {kinds message} $thing]
    }

    method check_direction {word} {
        if {$word ni {next prev}} {
            throw {PITH USAGE} "$word: must be next or prev"
        }
        return $word
    }

    method word_parent {} {
        set thing [my start]
        if {$thing eq {}} {
            return
        }
        set hit [dict get $thing hit]
        switch [dict get $thing kind] {
            state { set around [[$window details] parent_of $hit] }
            event - counter { set around [my state_of $hit [dict get $hit start]] }
            message { set around [my state_of [my place $thing] [dict get $hit start]] }
        }
        return [my go [expr {$around eq {} ? {} : [dict create kind state hit $around]}]]
    }

    # The command `jump`. From a message, it shows the end at the receiver; used again, the end at the sender. From a
    # call, it goes to the call at the other end of the call's message, or to the member of its collective that came
    # last.
    method word_jump {} {
        set thing [my start]
        if {$thing ne {} && [dict get $thing kind] eq "state"} {
            return [my jump_from $thing]
        }
        if {$thing eq {} || [dict get $thing kind] ne "message" || ![dict exists $thing hit to_thread]} {
            $window say "no message is chosen: click on an arrow, or on a call that sends or receives, first"
            return
        }
        set hit [dict get $thing hit]
        set ahead [expr {![dict exists $hit jumped] || ![dict get $hit jumped]}]
        dict set thing hit jumped $ahead
        [$window details] close_card
        $choice choose $thing
        $choice show_end [expr {$ahead ? "end" : "start"}]
        $window say [my text $thing]
        return [my text $thing]
    }

    # Goes from a call to the call at the other end of its message. If it has several messages, follows the one that was
    # sent last, because a call that receives several messages must wait for this one. From a collective, goes to its
    # last member, or from the last member to the first. The newly chosen record has a key `back` with the old record,
    # so that the next jump returns to it.
    method jump_from {thing} {
        if {[$choice thing] ne $thing} {
            $choice choose $thing
        }
        set call [$choice call]
        set hit [dict get $thing hit]
        if {[dict exists $thing back]} {
            return [my go [dict get $thing back]]
        } elseif {[dict get $call messages] ne {}} {
            set known [lmap m [dict get $call messages] {
                if {![dict exists $m from_thread] || ![dict exists $m to_thread]} continue
                list [dict get $m start] $m
            }]
            if {$known eq {}} {
                $window say "the other end of its message is not in this log"
                return
            }
            set message [lindex [lsort -integer -index 0 $known] end 1]
            set end [expr {[dict get $message sent]
                ? [list [dict get $message to] [dict get $message to_thread] [dict get $message end]]
                : [list [dict get $message from] [dict get $message from_thread] [dict get $message start]]}]
        } elseif {[dict exists $call last]} {
            set last [dict get $call last]
            set is_last [expr {[dict get $last rank] == [dict get $hit rank]
                && [dict get $last thread] == [dict get $hit thread]}]
            set end [dict values [expr {$is_last ? [dict get $call first] : $last}]]
        } else {
            $window say "it has no message, and no collective that is known: Shift-w finds the members of collectives"
            return
        }
        set there [[$model log] stateof {*}$end]
        if {$there eq {}} {
            return [my go {}]
        }
        return [my go [dict create kind state hit $there back $thing]]
    }

    # Chooses the state on the next row (WAY is `next`) or the previous row (`prev`) at the time of the present record.
    method word_row {way} {
        set thing [my start_on_row]
        if {$thing eq {}} {
            return
        }
        set by [expr {[my check_direction $way] eq "next" ? 1 : -1}]
        set time [dict get $thing hit start]
        set row [lindex [$choice rows_of $thing] 0]
        while {$row >= 0 && [incr row $by] >= 0 && $row < [$model row_count]} {
            set entry [$model row $row]
            if {[dict get $entry kind] eq "states" && ![dict get $entry flame]} {
                set hit [my state_of $entry $time]
                if {$hit ne {}} {
                    return [my go [dict create kind state hit $hit]]
                }
            }
        }
        return [my go {}]
    }

    # The command `choose`. Chooses the state at a time on a row.
    method word_choose {time row} {
        set entry [$model row $row]
        if {$entry eq {}} {
            throw {PITH USAGE} "choose: there is no row $row"
        }
        set hit [my state_of $entry [::pith::words::time $time]]
        return [my go [expr {$hit eq {} ? {} : [dict create kind state hit $hit]}]]
    }

    method word_chosen {} {
        return [expr {[my start] eq {} ? {} : [[$window details] all_lines [my start]]}]
    }

    method word_copy {} {
        if {[my start] ne {}} {
            clipboard clear
            clipboard append [[$window details] text_of [my start]]
            $window say "copied"
        }
    }
}

::pith::part::add Walk {
    words {
        choose {TIME ROW} {choose the state at this time on this row} word_choose
        chosen {} {details of the chosen record, as a list of names and values} word_chosen
        same {next|prev} {choose the next or previous record of the same name on this row} word_same
        state {next|prev} {choose the next or previous state on this row} word_state
        message {next|prev} {choose the next or previous message sent on this row} word_message
        row {next|prev} {choose the state at the same time on the row below or above} word_row
        parent {} {choose the enclosing state} word_parent
        jump {} {jump to the other end of the chosen message or call, or to the last member, and back} word_jump
        copy {} {copy the details of the chosen record to the clipboard} word_copy
    }
    keys {
        {period} {.} {next record of the same name on this row} {same next}
        {comma} {,} {previous record of the same name} {same prev}
        {Control-Right} {Ctrl-Right} {next state on this row} {state next}
        {Control-Left} {Ctrl-Left} {previous state on this row} {state prev}
        {Control-Down} {Ctrl-Down} {row below, at the same time} {row next}
        {Control-Up} {Ctrl-Up} {row above, at the same time} {row prev}
        {o} {o} {enclosing state} {parent}
        {j} {j} {other end of the chosen message or call, and back} {jump}
        {Control-period} {Ctrl-.} {next message sent on this row} {message next}
        {Control-comma} {Ctrl-,} {previous message sent on this row} {message prev}
        {Control-c} {Ctrl-c} {copy the details of the chosen record} {copy}
    }
    menus {
        Search {- - -  "Next with the same name" {same next} .  "Previous with the same name" {same prev} ,
                "Next state on this row" {state next} Ctrl-Right  "Previous state on this row" {state prev} Ctrl-Left
                "Row below" {row next} Ctrl-Down  "Row above" {row prev} Ctrl-Up
                "Enclosing state" parent o  "Other end of the message" jump j
                "Next message" {message next} Ctrl-.  "Previous message" {message prev} Ctrl-,
                - - -  "Copy as text" copy Ctrl-C}
    }
}
