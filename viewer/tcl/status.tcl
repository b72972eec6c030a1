# status.tcl - the status line: what is under the pointer, and its time.

oo::class create ::pith::Status {
    variable model
    variable second   ;# the model of the second log (beside.tcl); {}: none
    variable path     ;# frame
    variable text     ;# text on the left
    variable parts    ;# pieces of the text
    variable time     ;# text on the right
    variable tips     ;# tooltips of the text and of the trouble, both of which may be cut
    variable quiet    ;# after id: until then a message stays, whatever is under the pointer; {} none

    constructor {parent its_model} {
        set model $its_model
        set path [ttk::frame $parent]
        lassign {} text parts time quiet second
        # The label requests no width for its text, because the text is cut to the width that the window gives the
        # label.
        ttk::label $path.text -anchor w -padding {10 4} -width 1
        bind $path.text <Configure> [list [self] cut_text]
        ttk::label $path.time -textvariable [my varname time] -anchor e -padding {10 4} -style Faint.TLabel
        pack $path.time -side right
        # Says that messages are left out; a click shows them.
        ttk::label $path.left_out -style Faint.TLabel -anchor e -padding {10 4} -cursor hand2
        bind $path.left_out <Button-1> [list $model toggle_arrows]
        # Says how much of the picture is exact, while the records of a large log are read.
        ttk::label $path.exact -style Faint.TLabel -anchor e -padding {10 4}
        # Stays as long as the log has a trouble, whatever is under the pointer.
        ttk::label $path.alarm -style Alarm.TLabel -anchor w -padding {10 4}
        set tips [list [::pith::Tip new $path.alarm [list [self] whole_trouble]] \
            [::pith::Tip new $path.text [list [self] whole_text]]]
        bind $path <Configure> [list [self] cut_trouble]
        pack $path.text -side left -fill x -expand 1
        my show_log
        $model follow [list [self] changed]
    }

    destructor {
        after cancel $quiet
        foreach tip $tips {
            $tip destroy
        }
    }

    method text {} { expr {[$model trouble] eq {} ? $text : "[$model trouble]   $text"} }

    # Shows a text of several PIECES. If it is too long, each piece gets at most a third of the room, so that a long
    # name leaves room for the others.
    method put {pieces} {
        set parts $pieces
        set text [join $parts {   }]
        my cut_text
    }

    method cut_text {} {
        set room [expr {[winfo width $path.text] - 20}]
        set shown $text
        if {$room > 0 && [font measure TkDefaultFont $text] > $room} {
            set most [expr {[llength $parts] > 1 ? $room / 3 : $room}]
            set cut [lmap part $parts {::pith::cut_text $part TkDefaultFont $most}]
            set shown [::pith::cut_text [join $cut {   }] TkDefaultFont $room]
        }
        $path.text configure -text $shown
    }

    method whole_text {x y} { expr {[$path.text cget -text] eq $text ? {} : $text} }

    # Shows a message for some seconds.
    method say {what} {
        my put [list $what]
        after cancel $quiet
        set quiet [after 4000 [namespace code {my end_message}]]
    }

    method end_message {} {
        after cancel $quiet
        set quiet {}
        my changed pointer
    }

    method changed {what} {
        switch $what {
            pointer { my show [$model pointer] }
            trouble { my show_trouble; my show_log }
            log { my show_trouble }
            left_out { my show_left_out }
            exact { my show_exact }
            digest - reading - rows {
                if {$quiet eq {}} {
                    my show_log
                }
            }
        }
    }

    method show_trouble {} {
        my cut_trouble
        if {[$model trouble] eq {}} {
            pack forget $path.alarm
        } else {
            pack $path.alarm -side left -before $path.text
        }
    }

    # Cuts the text on the log's trouble, so that there is room for what is under the pointer.
    method cut_trouble {} {
        set room [expr {max([px 100], [winfo width $path] * 55 / 100)}]
        $path.alarm configure -text [::pith::cut_text [$model trouble] TkDefaultFont $room]
    }

    method whole_trouble {x y} { return [$model trouble] }

    # Shows that messages are left out. Called for each picture while the window moves. The text is set only if it has
    # changed, because Tk would draw the label again.
    method show_left_out {} {
        set cover [$model left_out]
        set said [format "messages hidden: would cover %.0f %%; m shows them" [expr {min(100, 100 * $cover)}]]
        if {$said ne [$path.left_out cget -text]} {
            $path.left_out configure -text $said
        }
        if {!$cover} {
            pack forget $path.left_out
        } elseif {[winfo manager $path.left_out] eq {}} {
            pack $path.left_out -side right -after $path.time
        }
    }

    method set_second {its_model} {
        set second $its_model
        my show_exact
    }

    # Shows how much of the picture is exact; with two logs, of the less exact picture.
    method show_exact {} {
        set part [::tcl::mathfunc::min {*}[lmap of [list $model {*}$second] {$of exact}]]
        if {$part == 1} {
            pack forget $path.exact
            return
        }
        $path.exact configure -text [format "picture %.0f %% exact" [expr {floor(100 * $part)}]]
        if {[winfo manager $path.exact] eq {}} {
            pack $path.exact -side right -after $path.time
        }
    }

    # Describes the log. Shown while nothing is under the pointer.
    method show_log {} {
        if {$quiet ne {}} {
            return
        }
        set said "[my counted ranks rank], [my counted records record]"
        if {[$model info messages]} {
            append said ", [my counted messages message]"
        }
        if {[$model info lost]} {
            append said ", [my counted lost record] lost"
        }
        if {![$model info complete]} {
            append said ", incomplete: [$model info incomplete]"
        }
        if {[$model reading] ni {{} 0}} {
            append said [format "      reading messages %.0f %%" [expr {100 * [$model reading]}]]
        }
        my put [list "$said      ? shows keys"]
    }

    method counted {key noun} {
        set count [$model info $key]
        return "[::pithtk::number $count] $noun[expr {$count == 1 ? {} : {s}}]"
    }

    method show {hit} {
        if {[dict exists $hit time]} {
            set time [$model time_text [dict get $hit time] [expr {max(1, [$model span] / 2000)}]]
        } else {
            set time {}
        }
        if {$quiet ne {}} {
            return
        }
        if {![dict exists $hit lines]} {
            my show_log
            return
        }
        my put [lmap {key value} [dict get $hit lines] {expr {$key eq {} ? $value : "$key $value"}}]
    }
}

# A button beside the status line. It stops reading the messages and counters of a large log.
oo::class create ::pith::Reading {
    variable model
    variable button

    constructor {window} {
        set model [$window model]
        set button [$window top].status.stop
        ttk::button $button -text "Stop reading" -style Toolbutton -takefocus 0 -command [list $model stop_reading]
        $model follow [list [self] changed]
    }

    method changed {what} {
        switch $what {
            reading {
                if {[winfo manager $button] eq {}} {
                    pack $button -side right -before [winfo parent $button].text
                }
            }
            digest { pack forget $button }
        }
    }

    method word_messages {{what {}}} {
        switch $what {
            stop { $model stop_reading }
            read { $model digest }
            {} { return [expr {[$model reading] eq {} ? 1.0 : [$model reading]}] }
            default { throw {PITH USAGE} "messages: must be stop or read" }
        }
    }
}

::pith::part::add Reading {
    words {
        messages {?stop|read?} {stop or start reading messages and counters; without argument: the part read} word_messages
    }
}
