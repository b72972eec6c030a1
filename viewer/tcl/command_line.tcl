# command_line.tcl - a line at the foot of the window for the words of scripts, Tcl as they are: with history, completion,
# the help of the word that is being typed, and the answer or what is wrong in one line.

oo::class create ::pith::CommandLine {
    variable window
    variable bar        ;# the frame; packed while it is open
    variable line       ;# what is typed
    variable answer     ;# beside it: help, answer, error
    variable history    ;# lines, the oldest first
    variable at         ;# which of them is shown; the length of the history: none

    constructor {its_window} {
        set window $its_window
        set bar [$window top].command
        set line {}
        set answer {}
        set history {}
        set at 0
    }

    method finish {} {
        ttk::frame $bar -padding {10 4}
        ttk::label $bar.prompt -text ":" -style Bold.TLabel
        ttk::entry $bar.line -width 46 -textvariable [my varname line]
        ttk::label $bar.answer -textvariable [my varname answer] -style Faint.TLabel -anchor w
        ttk::button $bar.close -text "\u00d7" -width 2 -style Toolbutton -command [list [self] close]
        pack $bar.prompt $bar.line -side left -padx {0 6}
        pack $bar.close -side right
        pack $bar.answer -side left -fill x -expand 1
        set me [self]
        bind $bar.line <Return> [list $me enter]
        bind $bar.line <Escape> [list $me close]
        bind $bar.line <Up> "$me older -1; break"
        bind $bar.line <Down> "$me older 1; break"
        bind $bar.line <Tab> "$me complete; break"
        bind $bar.line <KeyRelease> [list $me typed %K]
    }

    method word_command {{text {}}} {
        if {![winfo ismapped $bar]} {
            pack $bar -side bottom -fill x -after [$window top].status
        }
        set line $text
        set at [llength $history]
        $bar.line icursor end
        my help
        focus $bar.line
    }

    method close {} {
        pack forget $bar
        focus [[$window timeline] plot]
    }

    # ---- Typing

    method typed {key} {
        if {$key ni {Return Tab Up Down Escape}} {
            my help
        }
    }

    # Name -> {arguments help} of all words.
    method words {} {
        set words {}
        foreach {word arguments help method} [$window word_rows_of_table] {
            dict set words $word [list $arguments $help]
        }
        return $words
    }

    # The word that is being typed: the last one that begins a command.
    method word {} {
        return [string trimleft [lindex [split $line {;[}] end]]
    }

    method help {} {
        set words [my words]
        set word [lindex [split [my word]] 0]
        if {[dict exists $words $word]} {
            lassign [dict get $words $word] arguments help
            set answer "$word $arguments \u2013 $help"
        } elseif {$word eq {}} {
            set answer "words of scripts; Tab completes, Up and Down go through what was typed"
        } else {
            set answer [my matching $word]
        }
    }

    method matching {word} {
        set matching [lsearch -all -inline -glob [lsort [dict keys [my words]]] $word*]
        return [join $matching {  }]
    }

    # As far as all that match are alike.
    method complete {} {
        set word [my word]
        if {$word eq {} || [string first { } $word] >= 0} {
            my help
            return
        }
        set matching [lsearch -all -inline -glob [lsort [dict keys [my words]]] $word*]
        if {$matching eq {}} {
            set answer "no word begins with $word"
            return
        }
        set common [lindex $matching 0]
        foreach other $matching {
            while {![string match $common* $other]} {
                set common [string range $common 0 end-1]
            }
        }
        append line [string range $common [string length $word] end]
        if {[llength $matching] == 1} {
            append line { }
        }
        $bar.line icursor end
        my help
    }

    method older {by} {
        set at [expr {max(0, min([llength $history], $at + $by))}]
        set line [lindex $history $at]
        $bar.line icursor end
        my help
    }

    # ---- Running

    method enter {} {
        if {[string trim $line] eq {}} {
            my close
            return
        }
        set script $line
        if {$script ne [lindex $history end]} {
            lappend history $script
        }
        set at [llength $history]
        set line {}
        # It may close the window.
        set me [self]
        if {[catch {$window evaluate $script} result]} {
            set result [my trouble $result]
        }
        if {[info object isa object $me]} {
            set answer [lindex [split $result \n] 0]
        }
    }

    method trouble {text} {
        if {[regexp {^invalid command name "(.*)"} $text -> word]} {
            return "there is no word $word; Tab shows the words"
        }
        if {[regexp {^wrong # args: should be "(.*)"} $text -> usage]} {
            return "so it is used: $usage"
        }
        return $text
    }
}

::pith::part::add CommandLine {
    words {command {?TEXT?} {open the line for these words} word_command}
    keys {
        {colon} {:} {a line for the words of scripts} {command}
        {g} {g} {go to a time: 1.5, 20ms 30ms, last 10 ms} {command {goto }}
    }
    menus {Window {"Command line..." command :  "Go to a time..." {command {goto }} g}}
}
