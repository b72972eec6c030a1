# main.tcl - `pith view LOG... ?-e SCRIPT?`: the command line, the extension, a window for each log.
#
# Everything else lies in files of one class each, beside this one. What they say to each other goes through the model.

namespace eval ::pith {
    # Where this file lies; the extension is found from here: share/pith/viewer -> lib/pith.
    variable folder [file dirname [file normalize [info script]]]
    variable animated 0 ;# 1: --anim
    variable together 0 ;# 1: --together
    variable live 0     ;# 1: --live
    variable remembers {} ;# 0: --fresh, 1: --restore; {}: unless there is a script
    variable spill {}   ;# --spill: what the anim library says that it records into
    variable usage {Usage: pith view LOG... [-e SCRIPT]          the timelines in a window
       pith view --together LOG LOG          two logs in one window, on one time axis
       pith view --live LOG... [-e SCRIPT]   of a program that is being recorded as LOG, as they grow
       pith view --anim LOG... [-e SCRIPT]   the animation: a program that runs, or its log

  --anim      ranks and messages as they move; of a program that is being recorded as LOG, while it runs
  --fresh     as if the log were opened for the first time; nothing is remembered
  --restore   as it was last looked at, also with -e
  -e SCRIPT   words to the window of the log before it: zoom 1.2 1.4; hide MPI_*; shot x.png; quit
              (they are listed below)

In the window, ? shows the keys. Without a display: pith draw LOG -o OUT.png, pith draw LOG --text
}
}

# One line on stderr, and the end.
proc ::pith::die {text {status 1}} {
    puts stderr "pith: [string map {\n { }} $text]"
    exit $status
}

# All files of this folder; they need no Tk for that.
proc ::pith::source_all {} {
    variable folder
    set sourced main.tcl
    foreach file [list part.tcl {*}[lsort [glob -directory $folder -tails *.tcl]]] {
        if {$file ni $sourced} {
            lappend sourced $file
            source -encoding utf-8 [file join $folder $file]
        }
    }
}

proc ::pith::help {} {
    variable usage
    source_all
    catch {
        puts -nonewline $usage
        puts "\nWords of scripts:\n"
        puts -nonewline [words::help [words::groups]]
    }
    exit 0
}

# The words of the command line as a list of {log script...}; a script before any log goes to the first one.
proc ::pith::arguments {words} {
    variable usage
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
            --help { help }
            -e {
                if {[incr i] >= [llength $words]} {
                    die "view: -e needs a script; see `pith help view`" 2
                }
                if {$logs eq {}} {
                    lappend early [lindex $words $i]
                } else {
                    lset logs end [list {*}[lindex $logs end] [lindex $words $i]]
                }
            }
            --together { set together 1 }
            --anim { set animated 1 }
            --live { set live 1 }
            --fresh { set remembers 0 }
            --restore { set remembers 1 }
            --spill { set spill [lindex $words [incr i]] }
            -- {}
            -?* { die "view: no such option: $word; see `pith help view`" 2 }
            default {
                lappend logs [list [expr {$animated ? $word : [running $word $live]}] {*}$early]
                set early {}
            }
        }
    }
    if {$logs eq {}} {
        die "view: which log? see `pith help view`" 2
    }
    if {$together} {
        set logs [join_two $logs]
    }
    return $logs
}

# --together: the first log, with the words that put the other one beside it before those of both.
proc ::pith::join_two {logs} {
    if {[llength $logs] != 2} {
        die "view: --together needs two logs; see `pith help view`" 2
    }
    lassign $logs first second
    if {![file exists [lindex $second 0]]} {
        die "[lindex $second 0]: no such file"
    }
    return [list [list [lindex $first 0] [list beside [lindex $second 0]] {*}[lrange $first 1 end] \
        {*}[lrange $second 1 end]]]
}

# What to open for a log: the folder of spill files of the program that is recording it, if there is no log yet or
# that is what is asked for.
proc ::pith::running {log live} {
    set folder $log.spill
    return [expr {[file isdirectory $folder] && ($live || ![file exists $log]) ? $folder : $log}]
}

# Tk and the extension, or one line that says what is missing.
proc ::pith::load_parts {} {
    variable folder
    set instead "a picture without a window: pith draw LOG -o OUT.png"
    # Tk reads argv for itself; what is not for it must not be seen.
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
    # A log that cannot be read is said even where there is no display: files first.
    variable animated
    variable spill
    variable together
    variable remembers
    foreach entry $logs {
        if {![file exists [lindex $entry 0]] && !($animated && ($spill ne {} || [file exists [lindex $entry 0].spill]))} {
            die "[lindex $entry 0]: no such file"
        }
    }
    load_parts
    source_all
    theme::apply
    if {$remembers eq {}} {
        set remembers [expr {[lsearch -integer -not [lmap entry $logs {llength $entry}] 1] < 0}]
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
        foreach script [lrange $entry 1 end] {
            if {[catch {$window run $script} text]} {
                # --together is a script of its own, which the user did not write.
                die [expr {$together && [string match "beside *" $script] ? $text : "view: -e: $text"}]
            }
        }
    }
}

::pith::main $argv
# Under tclsh, unlike under wish, nobody else waits for events.
vwait ::pith::forever
