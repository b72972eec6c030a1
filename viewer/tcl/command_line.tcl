# command_line.tcl - a line at the bottom of the window for script commands (Tcl), with history, completion,
# help on the command being typed, and the result or the error.

oo::class create ::pith::CommandLine {
    variable window
    variable bar        ;# frame; packed while open
    variable line       ;# text of the entry
    variable answer     ;# text beside it: help, result or error
    variable history    ;# lines, oldest first
    variable at         ;# index of the line shown; the length of the history: none

    constructor {its_window} {
        set window $its_window
        set bar [$window top].command
        lassign {} line answer history
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

    # Dict of all commands: name -> {arguments help}.
    method words {} {
        set words {}
        foreach {word arguments help method} [$window word_rows_of_table] {
            dict set words $word [list $arguments $help]
        }
        return $words
    }

    # The command being typed: the last one in the line.
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
            set answer "type a command; Tab completes it, Up and Down show earlier lines"
        } else {
            set answer [my matching $word]
        }
    }

    method matching {word} {
        set matching [lsearch -all -inline -glob [lsort [dict keys [my words]]] $word*]
        return [join $matching {  }]
    }

    # Completes the common prefix of all matches.
    method complete {} {
        set word [my word]
        if {$word eq {} || [string first { } $word] >= 0} {
            my help
            return
        }
        set matching [lsearch -all -inline -glob [lsort [dict keys [my words]]] $word*]
        if {$matching eq {}} {
            set answer "no command begins with $word"
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
        # The command may close the window.
        set me [self]
        if {[catch {$window evaluate $script} result]} {
            set result [my error_text $result]
        }
        if {[info object isa object $me]} {
            set answer [lindex [split $result \n] 0]
        }
    }

    method error_text {text} { return [::pith::words::error_text $text "; Tab lists the commands"] }
}

::pith::part::add CommandLine {
    words {command {?TEXT?} {open the command line with this text} word_command}
    keys {
        {colon} {:} {open the command line} {command}
        {g} {g} {go to a time: 1.5, 20ms 30ms, last 10 ms} {command {goto }}
    }
    menus {Window {"Command line..." command :  "Go to a time..." {command {goto }} g}}
}

# The command `goto` and its notation of times: "1.5", "20ms 30ms", "20 ms to 30 ms", "last 10 ms",
# "first 5 us", "+2 ms", "init", "solve[3]".
oo::class create ::pith::Goto {
    variable model

    constructor {window} {
        set model [$window model]
    }

    # "20 ms" -> 20ms
    method joined {text} {
        return [regsub -all -nocase {([0-9.])\s+(ns|us|ms|s)(?![a-z])} $text {\1\2}]
    }

    method word_goto {args} {
        set text [my joined [string trim [join $args]]]
        lassign [$model window] t0 t1
        lassign [$model whole] first last
        set time {[0-9.]+(?:e[-+]?[0-9]+)?(?:ns|us|ms|s)?}
        set of_log {(?:init|finalize|.+\[[0-9]+\])}
        switch -regexp -matchvar part -nocase -- $text [list \
            "^last\\s+($time)\$" { $model zoom [expr {$last - [my time $part]}] $last } \
            "^first\\s+($time)\$" { $model zoom $first [expr {$first + [my time $part]}] } \
            "^(\[-+])\\s*($time)\$" {
                set by [expr "[lindex $part 1][my time [list {} [lindex $part 2]]]"]
                $model zoom [expr {$t0 + $by}] [expr {$t1 + $by}]
            } \
            "^($time)\$" { my centre [my time $part] } \
            "^$of_log\$" { my centre [[$model log] time $text begin] } \
            "^($time)(?:\\s+to\\s+|\\s*-\\s*|\\s+)($time)\$" {
                my go_between {*}[lrange $part 1 2]
            } \
            default {
                throw {PITH USAGE} "goto: need a time such as 1.5, 20ms 30ms, last 10 ms, first 5 us or +2 ms"
            }]
        return
    }

    method centre {time} {
        lassign [$model window] t0 t1
        set half [expr {($t1 - $t0) / 2}]
        $model zoom [expr {$time - $half}] [expr {$time + $half}]
    }

    method time {part} {
        return [::pith::words::time [string tolower [lindex $part 1]]]
    }

    # "2-6ms": the unit of the end applies to the start as well.
    method go_between {from to} {
        if {[string is double -strict $from] && [regexp {[a-z]+$} $to unit]} {
            append from $unit
        }
        set from [::pith::words::time [string tolower $from]]
        set to [::pith::words::time [string tolower $to]]
        if {$from >= $to} {
            throw {PITH USAGE} "goto: must end after it begins"
        }
        $model zoom $from $to
    }
}

::pith::part::add Goto {
    words {goto {TIME | FROM TO | last TIME | first TIME | +TIME} {show this stretch of time; a single time moves to the middle} word_goto}
}
