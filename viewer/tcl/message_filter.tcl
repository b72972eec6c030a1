# message_filter.tcl - draws only some messages: by a query (size, tag, communicator, ranks ...), by transfer time, and by
# the time that the receiver waited for the sender. A bar at the bottom of the window, and the command message_filter.
# The model has the words of the filter; core/message_filter.h picks the messages, in a job.

oo::class create ::pith::MessageFilter {
    variable window model
    variable bar        ;# frame; packed while open
    variable entered    ;# array: values of the entries: query longer shorter late
    variable message    ;# text at the end of the bar
    variable job        ;# command of the job; {} none
    variable over       ;# written at the end of a job
    variable count      ;# number of messages that are drawn; {} all

    constructor {its_window} {
        set window $its_window
        set model [$window model]
        set bar [$window top].message_filter
        lassign {} message job count
        array set entered {query {} longer {} shorter {} late {}}
        $model follow [list [self] changed]
    }

    destructor {
        my stop
    }

    # ---- The job

    # A new log, or messages that have been read, are filtered, too.
    method changed {what} {
        if {$what eq "log"} {
            my stop
            set count {}
        } elseif {$what in {digest message_filter}} {
            my pick
        }
    }

    method stop {} {
        if {$job ne {}} {
            catch {$job stop}
            set job {}
        }
    }

    method pick {} {
        my stop
        set words [$model message_filter]
        my enter_words $words
        set job [[$model log] pick $words [list [self] picked]]
        if {$job eq {}} {
            my show {}
        } else {
            set message "picking messages..."
        }
    }

    method picked {how {value {}}} {
        switch $how {
            progress { set message [format "picking messages: %.0f %%" [expr {100 * $value}]] }
            done {
                set job {}
                my show $value
            }
            failed {
                set job {}
                set message $value
                $window say $value
                set over 1
            }
        }
    }

    # NUMBER: of messages that are drawn; {}: all.
    method show {number} {
        set count $number
        set message {}
        if {$number ne {}} {
            set message "[::pithtk::number $number] of [::pithtk::number [$model info messages]] messages"
            $window say "$message are drawn"
        }
        [$window timeline] redraw
        set over 1
    }

    # Waits until the messages are picked.
    method flush {} {
        while {[info object isa object [self]] && $job ne {}} {
            vwait [my varname over]
        }
        [$window timeline] flush
    }

    # ---- The bar

    method finish {} {
        ttk::frame $bar -padding {10 4}
        ttk::label $bar.lquery -text Messages
        ttk::entry $bar.query -width 36 -textvariable [my varname entered](query)
        pack $bar.lquery $bar.query -side left -padx {0 6}
        foreach {key text} {longer {took longer than} shorter {shorter than} late {late by}} {
            ttk::label $bar.l$key -text $text -style Faint.TLabel
            ttk::entry $bar.$key -width 7 -textvariable [my varname entered]($key)
            pack $bar.l$key -side left -padx {0 3}
            pack $bar.$key -side left -padx {0 6}
        }
        ttk::button $bar.all -text All -style Toolbutton -command [list [self] all]
        ttk::button $bar.close -text "\u00d7" -width 2 -style Toolbutton -command [list [self] close]
        ttk::label $bar.message -textvariable [my varname message] -style Faint.TLabel
        pack $bar.close -side right
        pack $bar.all -side left
        pack $bar.message -side left -padx 8
        foreach key {query longer shorter late} {
            bind $bar.$key <Return> [list [self] from_bar]
            bind $bar.$key <Escape> [list [self] close]
        }
        my hint
    }

    method hint {} {
        if {$message eq {} && $count eq {}} {
            set message {for example: size > 64kB and tag == 7 and rank in 0-3}
        }
    }

    method open_bar {} {
        if {![winfo ismapped $bar]} {
            pack $bar -side bottom -fill x -after [$window top].status
        }
        my hint
        focus $bar.query
        $bar.query selection range 0 end
    }

    method close {} {
        pack forget $bar
        focus [[$window timeline] plot]
    }

    # Words of the entries.
    method words {} {
        set words {}
        if {[string trim $entered(query)] ne {}} {
            lappend words [string trim $entered(query)]
        }
        foreach key {longer shorter late} {
            if {[string trim $entered($key)] ne {}} {
                lappend words -$key [string map {{ } {}} $entered($key)]
            }
        }
        return $words
    }

    method enter_words {words} {
        array set entered {query {} longer {} shorter {} late {}}
        if {[llength $words] % 2} {
            set words [lassign $words entered(query)]
        }
        foreach {option value} $words {
            set entered([string range $option 1 end]) $value
        }
    }

    method from_bar {} {
        try {
            my word_message_filter {*}[my words]
        } trap {PITH} text {
            set message $text
        }
    }

    method all {} {
        my word_message_filter
        my hint
    }

    # ---- Words

    # Wrong words leave the filter as it is.
    method word_message_filter {args} {
        [$model log] pick $args {}
        $model set_message_filter $args
        return
    }

    method word_messages_drawn {} {
        my flush
        return [expr {$count eq {} ? [$model info messages] : $count}]
    }

    # ---- Saving with the view

    method state {} { return [$model message_filter] }
    method restore {words} { catch {my word_message_filter {*}$words} }
}

::pith::part::add MessageFilter {
    words {
        message_filter {?QUERY? ?-longer TIME? ?-shorter TIME? ?-late TIME?} {draw only some messages: by a query (size > 64kB and tag == 7), by transfer time, by the least time that the receiver waited for the sender; without arguments draw all} word_message_filter
        messages_drawn {} {number of messages that match the filter} word_messages_drawn
        choose_messages {} {open the bar that filters messages} open_bar
    }
    keys {{Control-m} {Ctrl-m} {filter messages by size, tag, communicator, transfer time, late senders} {choose_messages}}
    group View
    menus {View {"Filter messages..." choose_messages Ctrl-M}}
}
