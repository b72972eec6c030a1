# message_filter.tcl - lets the user draw only some messages. A filter selects messages by a query (size, tag,
# communicator, ranks ...), by their transfer time, and by the time that the receiver waited for the sender. The user
# sets it in a bar at the bottom of the window or by the command message_filter. The model has the filter, as the words
# of this command.

# Finds the messages that the filter of a model lets through (core/measure/messages.h), in a job. Followers of the model
# are notified of `picking` when the job starts and as it proceeds, and of `picked` when it has ended; after this, other
# messages may be drawn.

oo::class create ::pith::Picking {
    variable model
    variable job     ;# command of the job; {} none
    variable count   ;# number of messages that the filter lets through; {}: all
    variable text    ;# text about the progress of the job, or about its error
    variable over    ;# written at the end of a job

    constructor {its_model} {
        set model $its_model
        lassign {} job count text
        $model follow [list [self] changed]
    }

    destructor { my stop }

    method count {} { return $count }
    method text {} { return $text }

    # Starts a new job after the filter has changed, or after the messages of the log have been read. If the model gets
    # another log, stops the job.
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
            set over 1
        }
    }

    method pick {} {
        my stop
        set job [[$model log] pick [$model message_filter] [list [self] picked]]
        if {$job eq {}} {
            my end {} {}
        } else {
            my picked progress 0
        }
    }

    method picked {how {value {}}} {
        switch $how {
            progress {
                set text [format "picking messages: %.0f %%" [expr {100 * $value}]]
                $model notify picking
            }
            done { my end $value {} }
            failed { my end $count $value }
        }
    }

    method end {number words} {
        set job {}
        set count $number
        set text $words
        set over 1
        $model notify picked
    }

    # Waits until the job has ended.
    method finish {} {
        while {[info object isa object [self]] && $job ne {}} {
            vwait [my varname over]
        }
    }
}

oo::class create ::pith::MessageFilter {
    variable window model
    variable bar        ;# frame; packed while open
    variable entered    ;# array: values of the entries: query longer shorter late
    variable message    ;# text at the end of the bar

    constructor {its_window} {
        set window $its_window
        set model [$window model]
        set bar [$window top].message_filter
        set message {}
        array set entered {query {} longer {} shorter {} late {}}
        $model follow [list [self] changed]
    }

    method changed {what} {
        switch $what {
            message_filter { my enter_words [$model message_filter] }
            picking { set message [[$model picking] text] }
            picked { my show [$model picking] }
        }
    }

    method show {picking} {
        set message [$picking text]
        if {$message eq {} && [$picking count] ne {}} {
            set message "[::pithtk::number [$picking count]] of [::pithtk::number [$model info messages]] messages"
            $window say "$message are drawn"
        } elseif {$message ne {}} {
            $window say $message
        }
    }

    # Waits until the filter has selected its messages and the timelines show them.
    method flush {} {
        [$model picking] finish
        [$window timeline] flush
    }

    # ---- The bar

    method finish {} {
        ttk::frame $bar -padding {10 4}
        ttk::label $bar.lquery -text Messages
        ttk::entry $bar.query -width 36 -textvariable [my varname entered](query)
        grid $bar.lquery $bar.query -row 0 -sticky ew -padx {0 6}
        foreach {key text} {longer {took longer than} shorter {shorter than} late {late by}} {
            ttk::label $bar.l$key -text $text -style Faint.TLabel
            ttk::entry $bar.$key -width 7 -textvariable [my varname entered]($key)
            set column [lindex [grid size $bar] 0]
            grid $bar.l$key -row 0 -column $column -padx {0 3}
            grid $bar.$key -row 0 -column [incr column] -padx {0 6}
        }
        ttk::button $bar.all -text All -style Toolbutton -command [list [self] all]
        ttk::button $bar.close -text "\u00d7" -width 2 -style Toolbutton -command [list [self] close]
        ttk::label $bar.message -textvariable [my varname message] -style Faint.TLabel
        # In a narrow window the message and the query get less room, so that all fields and buttons stay visible.
        set column [lindex [grid size $bar] 0]
        grid $bar.all -row 0 -column $column
        grid $bar.message -row 0 -column [incr column] -sticky ew -padx 8
        grid columnconfigure $bar $column -weight 1000
        grid columnconfigure $bar 1 -weight 1 -minsize [px 60]
        grid $bar.close -row 0 -column [incr column]
        foreach key {query longer shorter late} {
            bind $bar.$key <Return> [list [self] from_bar]
            bind $bar.$key <Escape> [list [self] close]
        }
        my hint
    }

    method hint {} {
        if {$message eq {} && [[$model picking] count] eq {}} {
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

    # The filter that the user has typed into the entries, as words of the command message_filter.
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
            $window say $text ;# shown here, too, because a narrow bar has no room for the text
        }
    }

    method all {} {
        my word_message_filter
        my hint
    }

    # ---- Words

    # Sets the filter. If it is not valid, the log's method `pick` throws an error, and the old filter stays.
    method word_message_filter {args} {
        [$model log] pick $args {}
        $model set_message_filter $args
        return
    }

    method word_messages_drawn {} {
        my flush
        set count [[$model picking] count]
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
