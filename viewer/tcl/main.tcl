# main.tcl - `pith view LOG... ?-e SCRIPT?`: reads the arguments, loads Pith's extension of Tcl (libpithtk.so), and
# opens a window for each log. Each of the other files of this folder has one part of the window.

namespace eval ::pith {
    # The folder of this file; once installed, share/pith/viewer. The extension is looked for in lib/pith beside share.
    variable folder [file dirname [file normalize [info script]]]
    variable animated 0 ;# 1: --anim
    variable together 0 ;# 1: --together
    variable live 0     ;# 1: --live
    variable plain 0      ;# 1: there is a script without --restore, so nothing opens by itself
    variable remembers {} ;# 1: --restore; 0: --fresh; {}: neither, which means 1 if there is no script
    variable spill {}   ;# --spill: the folder into which the program records, as the animation library names it
}

# Prints TEXT as one line on stderr, and exits.
proc ::pith::die {text {status 1}} {
    puts stderr "pith: [string map {\n { }} $text]"
    exit $status
}

# Reports a missing log, with the names of some logs in its folder, and ends the program.
proc ::pith::no_such_file {path} {
    set logs [lsort [glob -nocomplain -type f -directory [file dirname $path] -tails *.pith]]
    set more [expr {[llength $logs] > 5 ? " ..." : ""}]
    die "$path: no such file[expr {$logs eq {} ? "" : "; this folder has [join [lrange $logs 0 4] {, }]$more"}]"
}

# Sources all files of this folder. Sourcing these files must not need Tk, because man/words.tcl also sources them, to
# make a man page from their tables.
proc ::pith::source_all {} {
    variable folder
    set sourced main.tcl
    foreach file [list commands.tcl {*}[lsort [glob -directory $folder -tails *.tcl]]] {
        if {$file ni $sourced} {
            lappend sourced $file
            source -encoding utf-8 [file join $folder $file]
        }
    }
}

# Returns the script that does the same as a command-line option with a value; "" if there is no such option.
proc ::pith::script_of {option value} {
    switch -- $option {
        -e { return $value }
        --from { return "zoom [list $value] \[lindex \[window] 1]" }
        --to { return "zoom \[lindex \[window] 0] [list $value]" }
        --at { return "in 20; goto [list $value]" }
        --rows { return "rows [list $value]" }
    }
}

# Parses the command line into a list of {LOG {OPTION SCRIPT}...}. A script belongs to the last log before it on the
# command line; scripts before the first log belong to the first log.
proc ::pith::arguments {words} {
    variable animated
    variable live
    variable together
    variable spill
    variable remembers
    set logs {}
    set early {}
    for {set i 0} {$i < [llength $words]} {incr i} {
        set word [lindex $words $i]
        switch -glob -- $word {
            -e - --from - --to - --at - --rows {
                if {[incr i] >= [llength $words]} {
                    die "view: $word needs [expr {$word eq "-e" ? "a script" : "a value"}]; see `pith help view`" 2
                }
                set script [list $word [script_of $word [lindex $words $i]]]
                if {$logs eq {}} {
                    lappend early $script
                } else {
                    lset logs end [list {*}[lindex $logs end] $script]
                }
            }
            --together { set together 1 }
            --anim { set animated 1 }
            --live { set live 1 }
            --fresh { set remembers 0 }
            --restore { set remembers 1 }
            --spill { set spill [lindex $words [incr i]] }
            -- {}
            -?* {
                die "view: no such option: $word; there are -e, --from, --to, --at, --rows, --live, --together, --anim,\
                    --fresh and --restore" 2
            }
            default {
                lappend logs [list [expr {$animated ? $word : [running $word $live]}] {*}$early]
                set early {}
            }
        }
    }
    if {$logs eq {}} {
        die "view: a log is missing; see `pith help view`" 2
    }
    if {$together} {
        set logs [join_two $logs]
    }
    return $logs
}

# Joins two logs to one entry, for the option --together. The entry has the first log, a script that opens the second
# log below the first one, and then the scripts of both.
proc ::pith::join_two {logs} {
    if {[llength $logs] != 2} {
        die "view: --together needs two logs; see `pith help view`" 2
    }
    lassign $logs first second
    if {![file exists [lindex $second 0]]} {
        no_such_file [lindex $second 0]
    }
    return [list [list [lindex $first 0] [list {} [list beside [lindex $second 0]]] {*}[lrange $first 1 end] \
        {*}[lrange $second 1 end]]]
}

# Returns the path to open for a log. This is the folder of spill files if it exists and there is no log yet, or if LIVE
# is 1 (the option --live); otherwise it is the log.
proc ::pith::running {log live} {
    set folder $log.spill
    return [expr {[file isdirectory $folder] && ($live || ![file exists $log]) ? $folder : $log}]
}

# Loads Tk and the extension, or prints what is missing.
proc ::pith::load_parts {} {
    variable folder
    set instead "a picture without a window: pith draw LOG -o OUT.png"
    # Empties argv, because Tk would read the arguments of this program as its own.
    set ::argv {}
    set ::argc 0
    if {[catch {package require Tk 8.6-} text]} {
        if {[string match "*display*" $text]} {
            die "view: no display ($text); $instead"
        }
        die "view: Tk does not load ($text); install it, or make $instead"
    }
    wm withdraw .
    set base [file join $folder .. .. ..]
    set places [list [file join $base lib pith libpithtk.so]]
    lappend places {*}[glob -nocomplain [file join $base lib * pith libpithtk.so]]
    foreach place $places {
        if {[file exists $place]} {
            if {[catch {load $place Pithtk} text]} {
                die "view: $place does not load ($text); run make again, or make $instead"
            }
            return
        }
    }
    die "view: [lindex $places 0] is missing; run make again, or make $instead"
}

proc ::pith::main {words} {
    set logs [arguments $words]
    # Checks the files before Tk is loaded, so that a missing log is reported even without a display.
    variable animated
    variable spill
    variable remembers
    foreach entry $logs {
        if {![file exists [lindex $entry 0]] && !($animated && ($spill ne {} || [file exists [lindex $entry 0].spill]))} {
            no_such_file [lindex $entry 0]
        }
    }
    load_parts
    source_all
    theme::apply
    variable plain
    set scripted [expr {[lsearch -integer -not [lmap entry $logs {llength $entry}] 1] >= 0}]
    set plain [expr {$scripted && $remembers ne 1}]
    if {$remembers eq {}} {
        set remembers [expr {!$scripted}]
    }
    set state::restores $remembers
    set state::saves $remembers
    interp bgerror {} ::pith::trouble::background
    set windows {}
    foreach entry $logs {
        if {[catch {expr {$animated ? [anim::open [lindex $entry 0] $spill] : [Window open [lindex $entry 0]]}} window options]} {
            if {[lrange [dict get $options -errorcode] 0 0] ne "PITH"} {
                puts stderr [dict get $options -errorinfo]
            }
            die $window
        }
        lappend windows $window
    }
    foreach entry $logs window $windows {
        foreach option [lrange $entry 1 end] {
            lassign $option name script
            if {[catch {$window run $script} text]} {
                # The name is empty if the script was made for --together. The user has not written this script, so the
                # message does not mention it.
                die [expr {$name eq {} ? $text : "view: $name: [words::error_text $text "; -e help lists the commands"]"}]
            }
        }
    }
}

::pith::main $argv
# tclsh, unlike wish, does not run the event loop by itself.
vwait ::pith::forever
