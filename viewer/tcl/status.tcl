# status.tcl - the status line. It says what is under the pointer, and the time there.

oo::class create ::pith::Status {
    variable model
    variable second   ;# the model of the second log (beside.tcl); {}: none
    variable path     ;# frame
    variable text     ;# text on the left
    variable parts    ;# pieces of the text
    variable time     ;# text on the right
    variable tips     ;# tooltips of the text and of the trouble, both of which may be cut
    variable quiet    ;# after id of the end of a message, which stays until then; {}: there is no message

    constructor {parent its_model} {
        set model $its_model
        set path [ttk::frame $parent]
        lassign {} text parts time quiet second
        # The width of this label is fixed. It must not depend on the text, because the text is cut to the width that
        # the label has in the window.
        ttk::label $path.text -anchor w -padding {10 4} -width 1
        bind $path.text <Configure> [list [self] cut_text]
        ttk::label $path.time -textvariable [my varname time] -anchor e -padding {10 4} -style Faint.TLabel
        pack $path.time -side right
        # This label says that messages are left out of the picture; a click on it shows them.
        ttk::label $path.left_out -style Faint.TLabel -anchor e -padding {10 4} -cursor hand2
        bind $path.left_out <Button-1> [list $model toggle_arrows]
        # This label says how much of the picture is exact, while the records of a large log are still being read.
        ttk::label $path.exact -style Faint.TLabel -anchor e -padding {10 4}
        # This label says what is wrong with the log, such as damage. It stays visible whatever is under the pointer.
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

    # Shows a text that consists of several PIECES. If the whole text is too long, each piece is cut to a third of the
    # room, so that a long name leaves room for the other pieces.
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

    # Cuts the text that says what is wrong with the log, so that there is room for the text about what is under the
    # pointer.
    method cut_trouble {} {
        set room [expr {max([px 100], [winfo width $path] * 55 / 100)}]
        $path.alarm configure -text [::pith::cut_text [$model trouble] TkDefaultFont $room]
    }

    method whole_trouble {x y} { return [$model trouble] }

    # Says that messages are left out of the picture. This is called for each picture of a moving view, so the text is
    # set only if it has changed; otherwise Tk would draw the label each time.
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

    # Says how much of the picture is exact. If a second log is shown, this is about the less exact of the two pictures.
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

# A button beside the status line that stops the reading of the messages and counters of a large log.
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
