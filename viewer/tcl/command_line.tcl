# command_line.tcl - a line at the bottom of the window, in which the user types script commands (Tcl). It has a
# history, completes names of commands, and shows help on the command being typed and its result or error.

oo::class create ::pith::CommandLine {
    variable window
    variable bar        ;# frame; packed while open
    variable line       ;# text of the entry
    variable answer     ;# text beside the entry: help, result or error
    variable history    ;# lines, oldest first
    variable at         ;# index of the history's line that is shown; the length of the history: none

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

    # Completes the typed word. If several commands begin with this word, completes only as many letters as all of them
    # have in common.
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

    # Runs the typed command. Then closes the command line, unless it shows an answer or an error for the user to read.
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
        # Saves the name of this object, because the command may close the window and destroy the object. Calling [self]
        # would then fail.
        set me [self]
        if {[catch {$window evaluate $script} result]} {
            set result [my error_text $result]
        }
        if {[info object isa object $me]} {
            set answer [lindex [split $result \n] 0]
            if {$answer eq {}} {
                my close
            }
        }
    }

    method error_text {text} { return [::pith::words::error_text $text "; Tab lists the commands"] }
}

::pith::part::add CommandLine {
    words {command {?TEXT?} {open the command line with this text} word_command}
    keys {
        {colon} {:} {open the command line} {command}
        {g} {g} {go to a time: 1.5, 1:02:33, 20ms 30ms, init+1s, last 10 ms} {command {goto }}
    }
    menus {Window {"Command line..." command :}  Search {"Go to a time..." {command {goto }} g}}
}

# The command `goto` and its notation of times: "1.5", "1:02:33", "20ms 30ms", "20 ms to 30 ms", "last 10 ms",
# "first 5 us", "+2 ms", "init", "solve[3]", "init+1s end-1s".
oo::class create ::pith::Goto {
    variable model

    constructor {window} {
        set model [$window model]
    }

    # Makes each time in a text one word: "20 ms" becomes 20ms, "2026-11-29 14:03:05" becomes 2026-11-29T14:03:05.
    method joined {text} {
        set text [regsub -all -nocase {([0-9.])\s+(ns|us|ms|s)(?![a-z])} $text {\1\2}]
        set text [regsub -all {(\d{4}-\d\d-\d\d) (\d\d:)} $text {\1T\2}]
        # A text such as 14:03:05 is a time of day if the axis shows times of day; otherwise it is the time since the
        # start of the log.
        return [expr {[$model time_of_day] ? [regsub -all {(^|\s)(\d\d:\d\d:\d\d)} $text {\1T\2}] : $text}]
    }

    method word_goto {args} {
        set text [my joined [string trim [join $args]]]
        lassign [$model window] t0 t1
        lassign [$model whole] first last
        set time {(?:(?:[0-9]+:)?[0-9]+:[0-5][0-9](?:\.[0-9]*)?|[0-9.]+(?:e[-+]?[0-9]+)?(?:ns|us|ms|s)?)}
        set place {(?:[^ ]+|[^ ].*\[[0-9]+\][^ ]*)} ;# names of states may have blanks
        switch -regexp -matchvar part -nocase -- $text [list \
            "^last\\s+($time)\$" { $model zoom [expr {$last - [my time $part]}] $last } \
            "^first\\s+($time)\$" { $model zoom $first [expr {$first + [my time $part]}] } \
            "^(\[-+])\\s*($time)\$" {
                set by [expr "[lindex $part 1][my time [list {} [lindex $part 2]]]"]
                $model zoom [expr {$t0 + $by}] [expr {$t1 + $by}]
            } \
            "^($time)\$" { my centre [my time $part] } \
            "^($time)(?:\\s+to\\s+|\\s*-\\s*|\\s+)($time)\$" {
                my go_between {*}[lrange $part 1 2]
            } \
            "^($place)(?:\\s+to\\s+|\\s+)($place)\$" {
                my show [[$model log] time [lindex $part 1] begin] [[$model log] time [lindex $part 2] end]
            } \
            "^$place\$" { my centre [[$model log] time $text begin] } \
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

    # Shows an interval. In "2-6ms" the unit of the end applies to the start as well.
    method go_between {from to} {
        if {[string is double -strict $from] && [regexp {[a-z]+$} $to unit]} {
            append from $unit
        }
        set from [::pith::words::time [string tolower $from]]
        my show $from [::pith::words::time [string tolower $to]]
    }

    method show {from to} {
        if {$from >= $to} {
            throw {PITH USAGE} "goto: must end after it begins"
        }
        $model zoom $from $to
    }
}

::pith::part::add Goto {
    words {goto {TIME | FROM TO | last TIME | first TIME | +TIME} {show this interval; a single time moves to the middle} word_goto}
}

# A dialog with a list of everything that the window can do: script commands, menu entries, keys, and commands of `pith`
# that report on the log. What the user types limits the list to the entries that fit. Tab completes the selected entry,
# Return runs it.

oo::class create ::pith::CommandPalette {
    variable window
    variable dialog     ;# path of the toplevel
    variable typed      ;# text of the entry, traced
    variable answer     ;# text below: usage of the selected entry, or an error
    variable entries    ;# list of dicts: title, help, key, script, word (its first word), takes (its arguments)
    variable shown      ;# indices into `entries`, in the order of the list
    variable report     ;# path of the toplevel with the answer of a command of pith

    constructor {its_window} {
        set window $its_window
        set dialog [$window top].commands
        set report [$window top].report
        lassign {} typed answer entries shown
    }

    # ---- The entries

    # Commands of `pith` that need no other argument than the log, and help on them.
    method reports {} {
        return {
            {info} {what the log holds}
            {stat} {count, total, mean and percentiles of states}
            {stat --by lane} {the same by rank and thread}
            {stat --by comm} {messages by communicator}
            {stat --by size} {messages by size}
            {analyze} {why the run is slow}
            {check} {verify the whole log}
        }
    }

    # Collects the entries: first those of menus, then keys whose scripts are in no menu, then commands that are neither
    # in a menu nor bound to a key, and last the reports of `pith`.
    method collect {} {
        set entries {}
        set seen {}
        foreach {menu rows} [::pith::menus::rows] {
            foreach {text script key} $rows {
                if {$text ne "-" && $script ne "recent" && $script ni $seen} {
                    my add "$menu: [string trimright $text .]" {} $key $script {}
                    lappend seen $script
                }
            }
        }
        foreach {events key help script} [::pith::keys::rows] {
            if {$script ni $seen} {
                my add [string toupper $help 0 0] {} $key $script {}
                lappend seen $script
            }
        }
        foreach {word takes help method} [$window word_rows_of_table] {
            if {$word ni $seen} {
                my add [string trim "$word $takes"] $help {} $word $takes
            }
        }
        foreach {words help} [my reports] {
            my add "pith $words" $help {} [list pith_report {*}$words] {}
        }
    }

    method add {title help key script takes} {
        lappend entries [dict create title $title help $help key $key script $script word [lindex $script 0] \
            takes $takes]
    }

    # Returns how well an entry fits the typed words: a number from 0 (best) to 4, or {} if the entry does not contain
    # all of these words.
    method fit {entry terms} {
        set title [string tolower [dict get $entry title]]
        set all "$title [string tolower [dict get $entry help]] [dict get $entry word]"
        foreach term $terms {
            if {[string first $term $all] < 0} {
                return {}
            }
        }
        set first [lindex $terms 0]
        if {$first eq {}} {
            return 0
        }
        if {[my begins $title [join $terms]]} {
            return 0
        }
        return [expr {[dict get $entry word] eq $first ? 1 : [my begins $title $first] ? 2 :
            [string first $first $title] >= 0 ? 3 : 4}]
    }

    # Returns 1 if a title begins with TEXT. The title of a menu's entry, "MENU: ENTRY", may also begin with the name of
    # the menu, followed by TEXT.
    method begins {title text} {
        return [expr {[string first $text $title] == 0 || [string first ": $text" $title] >= 0}]
    }

    # ---- The dialog

    method word_commands {{text {}}} {
        if {[winfo exists $dialog]} {
            destroy $dialog
            return
        }
        my collect
        my build
        set typed $text
        $dialog.line icursor end
        my narrow
        ::pith::theme::put_over $dialog [$window top]
        focus $dialog.line
    }

    method build {} {
        set me [self]
        ::pith::open_dialog $dialog "Pith: commands" [$window top]
        set typed {}
        ttk::entry $dialog.line -textvariable [my varname typed] -width 64
        ttk::treeview $dialog.list -columns {help key} -show tree -height 14 -selectmode browse
        $dialog.list column #0 -width [px 280] -stretch 0
        $dialog.list column help -width [px 330] -stretch 1
        $dialog.list column key -width [px 90] -stretch 0 -anchor e
        ttk::label $dialog.answer -textvariable [my varname answer] -style Faint.TLabel -anchor w -padding {4 4} \
            -wraplength [px 680]
        pack $dialog.line -fill x -padx 8 -pady {8 4}
        pack $dialog.answer -side bottom -fill x -padx 8 -pady {0 4}
        pack $dialog.list -fill both -expand 1 -padx 8
        bind $dialog.line <KeyRelease> [list $me typed_key %K]
        bind $dialog.line <Return> "$me enter; break"
        bind $dialog.line <Tab> "$me complete; break"
        bind $dialog.line <Up> "$me step -1; break"
        bind $dialog.line <Down> "$me step 1; break"
        bind $dialog.line <Prior> "$me step -13; break"
        bind $dialog.line <Next> "$me step 13; break"
        bind $dialog.list <<TreeviewSelect>> [list $me explain]
        # These bindings may close the dialog. `break` keeps Tk from then running the list's own bindings, which need
        # the list.
        bind $dialog.list <Double-Button-1> "[list $me double] %x %y; break"
        bind $dialog.list <Return> "[list $me enter]; break"
        bind $dialog.list <Destroy> [list catch [list [::pith::Tip new $dialog.list [list $me whole_at]] destroy]]
    }

    method typed_key {key} {
        if {$key ni {Return Tab Up Down Prior Next Escape}} {
            my narrow
        }
    }

    method terms {} { return [split [string tolower [join [regexp -all -inline {\S+} $typed]]]] }

    # Returns 1 if the typed text is a command with arguments, such as "zoom 0.2 0.4"; 0 if it is, for example, the
    # title of an entry, such as "show all".
    method is_line {} {
        set terms [my terms]
        if {[string first { } [string trimleft $typed]] < 0 || ![dict exists [my words] [lindex $terms 0]]} {
            return 0
        }
        return [expr {[llength $terms] < 2 || [lsearch -exact [lmap entry $entries {
            my begins [string tolower [dict get $entry title]] [join $terms]
        }] 1] < 0}]
    }

    method words {} { return [[$window part CommandLine] words] }

    # Lists the entries that fit the typed text, best first.
    method narrow {} {
        set terms [expr {[my is_line] ? [lrange [my terms] 0 0] : [my terms]}]
        set fits {}
        set index 0
        foreach entry $entries {
            set fit [my fit $entry $terms]
            if {$fit ne {}} {
                lappend fits [list $fit $index]
            }
            incr index
        }
        set shown [lmap pair [lsort -integer -index 0 $fits] {lindex $pair 1}]
        $dialog.list delete [$dialog.list children {}]
        foreach index $shown {
            set entry [lindex $entries $index]
            $dialog.list insert {} end -id $index -text [my cut $entry title 252] \
                -values [list [my cut $entry help 318] [dict get $entry key]]
        }
        if {$shown ne {}} {
            $dialog.list selection set [lindex $shown 0]
            $dialog.list see [lindex $shown 0]
        }
        my explain
    }

    method cut {entry key room} { ::pith::cut_text [dict get $entry $key] TkDefaultFont [px $room] }

    # The full title and help of the entry at a point, if the list cuts one of the two.
    method whole_at {x y} {
        set index [$dialog.list identify item $x $y]
        if {$index eq {}} {
            return {}
        }
        set entry [lindex $entries $index]
        set seen [list [$dialog.list item $index -text] [$dialog.list set $index help]]
        return [expr {$seen eq [list [dict get $entry title] [dict get $entry help]] ? {}
            : "[dict get $entry title]\n[dict get $entry help]"}]
    }

    # The selected entry; {} if there is none.
    method selected {} {
        set index [lindex [$dialog.list selection] 0]
        return [expr {$index eq {} ? {} : [lindex $entries $index]}]
    }

    method step {by} {
        set at [lsearch -exact $shown [lindex [$dialog.list selection] 0]]
        if {$shown ne {}} {
            set index [lindex $shown [expr {max(0, min([llength $shown] - 1, $at + $by))}]]
            $dialog.list selection set $index
            $dialog.list see $index
        }
    }

    method explain {} {
        set words [my words]
        set entry [my selected]
        if {[my is_line]} {
            lassign [dict get $words [lindex [my terms] 0]] takes help
            set answer "[lindex [my terms] 0] $takes \u2013 $help; Return runs it"
        } elseif {$entry eq {}} {
            set answer "nothing fits"
        } elseif {[my needs_more $entry]} {
            set answer "needs [dict get $entry takes]: Tab or Return inserts the command"
        } elseif {[dict get $entry help] ne {}} {
            set answer "[dict get $entry help]; Return runs it"
        } else {
            set answer "Return runs it; Up and Down choose another"
        }
    }

    # Returns 1 if the entry is a command that cannot run without arguments.
    method needs_more {entry} {
        return [expr {[dict get $entry takes] ne {} && ![string match {\?*} [dict get $entry takes]]}]
    }

    # ---- Running

    method double {x y} {
        if {[$dialog.list identify item $x $y] ne {}} {
            my enter
        }
    }

    # Puts the selected command into the entry field, so that the user can add arguments.
    method complete {} {
        set entry [my selected]
        if {$entry ne {} && ![my is_line]} {
            set typed [expr {[dict get $entry takes] eq {} ? [dict get $entry title] : "[dict get $entry word] "}]
            $dialog.line icursor end
            my narrow
        }
    }

    method enter {} {
        if {[my is_line]} {
            my run $typed
            return
        }
        set entry [my selected]
        if {$entry eq {}} {
            return
        }
        if {[my needs_more $entry]} {
            my complete
        } elseif {[dict get $entry word] eq "pith_report"} {
            destroy $dialog
            my word_pith_report {*}[lrange [dict get $entry script] 1 end]
        } else {
            my run [dict get $entry script]
        }
    }

    # Runs the command SCRIPT. On an error, the dialog stays and shows the error; otherwise it closes. The command may
    # close the whole window, so the dialog may be gone afterwards.
    method run {script} {
        set me [self]
        if {[catch {$window evaluate $script} result]} {
            set answer [[$window part CommandLine] error_text $result]
            return
        }
        if {[info object isa object $me]} {
            destroy $dialog
            if {[string trim $result] ne {}} {
                $window say [lindex [split $result \n] 0]
            }
        }
    }

    # Runs `pith COMMAND` on this log, and shows its output in a dialog.
    method word_pith_report {command args} {
        set words [list $command [[$window model] path] {*}$args]
        ::pith::Runner new [$window top] "pith [join [list $command {*}$args]]" $words \
            [list [self] show_report "pith [join [list $command {*}$args]]"]
        return
    }

    method show_report {title how text} {
        if {$how ne "done"} {
            if {$how eq "failed"} {
                $window complain $text
            }
            return
        }
        destroy $report
        ::pith::open_dialog $report "Pith: $title" [$window top]
        text $report.text -width 110 -height 30 -wrap none -font TkFixedFont -background [colour paper] \
            -foreground [colour text] -borderwidth 0 -padx 8 -pady 8 -yscrollcommand [list $report.y set] \
            -xscrollcommand [list $report.x set]
        ttk::scrollbar $report.y -command [list $report.text yview]
        ttk::scrollbar $report.x -orient horizontal -command [list $report.text xview]
        grid $report.text $report.y -sticky nsew
        grid $report.x -sticky nsew
        grid rowconfigure $report 0 -weight 1
        grid columnconfigure $report 0 -weight 1
        $report.text insert end $text
        $report.text configure -state disabled
        ::pith::theme::put_over $report [$window top]
        focus $report.text
    }
}

::pith::part::add CommandPalette {
    words {
        commands {?TEXT?} {open or close the list of all commands, narrowed to TEXT} word_commands
        pith_report {COMMAND ?OPTION...?} {show the output of `pith COMMAND` for this log: info, stat, analyze, check} word_pith_report
    }
    keys {{Control-P} {Ctrl-Shift-p} {list of all commands} {commands}}
    menus {Window {"All commands..." commands Ctrl-Shift-P}}
}
