# waiting.tcl - starts the analysis of the log, and switches on and off what it finds: wait states, the critical path,
# findings (findings.tcl) and iterations (iterations.tcl, stack.tcl). Also goes to the cause of a wait state. The
# analysis is a job; it starts when one of these is first shown. As the page of findings opens with the window, most
# logs are analyzed at once; a large or incomplete log is analyzed only when the user asks for it.

oo::class create ::pith::Waiting {
    variable window model
    variable shown    ;# dict: waits, path, findings, iterations, stack -> 1: shown
    variable asked    ;# 1: the user asked for the findings; 0: their page opened with the window
    variable iterations_of ;# state whose instances are the iterations; {}: the analysis finds the iterations
    variable job      ;# current analysis; {}: none
    variable found    ;# 1: the log was analyzed
    variable over     ;# set at the end of a job, for vwait

    constructor {its_window} {
        set window $its_window
        set model [$window model]
        set shown {waits 0 path 0 findings 0 iterations 0 stack 0}
        dict set shown findings [expr {!$::pith::plain && [::pith::preferences::get legend] &&
            [::pith::preferences::get findings]}]
        set asked 0
        set iterations_of {}
        set job {}
        set found 0
        set over 0
        $model follow [list [self] changed]
    }

    destructor {
        my stop
    }

    # ---- The analysis

    method stop {} {
        if {$job ne {}} {
            $job stop
        }
        set job {}
        set over 0
    }

    method start {} {
        if {$job eq {} && !$found} {
            set id [lindex [$model ids_named [list $iterations_of]] 0]
            set job [[$model log] analyze [expr {$iterations_of eq {} || $id eq {} ? -1 : $id}] [list [self] analyzed]]
        }
    }

    # Sets the state whose instances are the iterations. If this is another state than before, drops the results and
    # analyzes the log again.
    method set_iterations_of {name} {
        if {$name ne $iterations_of} {
            set iterations_of $name
            my stop
            set found 0
            my apply
            $model notify waiting
        }
    }

    method analyzed {how {value {}}} {
        if {$how eq "progress"} {
            set percent [format "%.0f %%" [expr {100 * $value}]]
            [$window part Findings] progress "analyzing... $percent"
            if {[my shows_more]} {
                $window say "looking for wait states... $percent"
            }
            return
        }
        set job {}
        switch $how {
            done {
                set found 1
                if {$value ne {}} {
                    $model set_trouble $value
                }
                if {[my shows_more]} {
                    $window end_message
                }
                if {[my is_shown waits] && 1 ni [lmap finding [[$model log] findings] {dict get $finding waits}]} {
                    $window say "no call waits for another rank"
                } elseif {[my is_shown iterations] && ![dict get [[$model log] iterations] count]} {
                    $window say "no iterations found; `iterations_of STATE` names a repeated state"
                }
            }
            failed {
                set shown [dict map {what on} $shown {expr 0}]
                $window say $value
            }
        }
        my show_columns
        $model notify waiting
        set over [clock microseconds]
    }

    # Waits until the analysis is done or the window is closed.
    method finish_job {} {
        while {[info object isa object [self]] && $job ne {}} {
            vwait [my varname over]
        }
    }

    # Returns 1 if the log has been analyzed.
    method is_ready {} { return $found }

    # Returns a sentence that says why the log is analyzed only when the user asks for it. Returns {} if the log has
    # been analyzed, or is analyzed without being asked for.
    method why_not {} {
        if {$asked || $found || [my shows_more]} {
            return {}
        }
        if {![$model info complete]} {
            return "The log is incomplete[regsub {^(?=.)} [$model info incomplete] {: }]."
        }
        if {[$model info records] > $::pith::Waiting::most_records} {
            return "An analysis of [::pithtk::number [$model info records]] records takes a while."
        }
    }

    method ask {} {
        set asked 1
        my set_shown findings 1
    }

    method wait_for {} {
        my start
        my finish_job
    }

    # The change `log` means that the model has got another log (live.tcl). Drops the analysis, because it is about the
    # old one.
    method changed {what} {
        if {$what eq "log"} {
            my stop
            set found 0
            my apply
        }
    }

    # ---- Switches

    method is_shown {what} { return [dict get $shown $what] }

    method set_shown {what on} {
        dict set shown $what [expr {!!$on}]
        my apply
        $model notify waiting
    }

    # Returns 1 if any switch is on, apart from that of the findings.
    method shows_more {} { return [expr {1 in [dict values [dict remove $shown findings]]}] }

    # Shows or hides the legend's columns Waiting and Caused. They are shown if the log has been analyzed and any switch
    # is on; the switch of the findings counts only if the user has asked for the findings.
    method show_columns {} {
        set on [expr {$found && ([my shows_more] || $asked && [my is_shown findings])}]
        [$window legend] show_waiting $on
    }

    # Applies the switches to the picture. Starts the analysis if a switch is on, unless the user must ask for it; stops
    # the analysis if all switches are off.
    method apply {} {
        [$model log] showwaiting [my is_shown waits] [my is_shown path]
        if {1 ni [dict values $shown]} {
            my stop
        } elseif {[my why_not] eq {}} {
            my start
        }
        my show_columns
    }

    method switch_by {what word} {
        if {$word eq "toggle"} {
            set word [expr {![my sees $what]}]
        }
        if {![string is boolean -strict $word]} {
            throw {PITH USAGE} "$what: must be on or off"
        }
        if {$what eq "findings"} {
            set asked [expr {!!$word}]
        }
        my set_shown $what $word
        if {$what eq "findings" && $word} {
            [$window panel] select findings
        }
    }

    # Returns 1 if what a switch shows is visible, so that menus and buttons mark it as on. The findings are visible
    # only while their tab is in front.
    method sees {what} {
        return [expr {[my is_shown $what] && ($what ne "findings" || [[$window panel] sees findings])}]
    }

    method word_waits {word} { my switch_by waits $word }
    method word_critical_path {word} { my switch_by path $word }

    # Script commands for `pith draw`. A picture that the user saves (export.tcl) thereby has the same switches on as
    # the window.
    method words {} {
        return [lmap {what word} {waits {waits on} path {critical_path on} findings {findings on}} {
            if {![my is_shown $what] || $what eq "findings" && !$asked} continue
            set word
        }]
    }

    # ---- The cause

    # The command `cause`. Goes from the chosen call, or from the call under the pointer, to the call for which it
    # waits.
    method word_cause {} {
        set walk [$window part Walk]
        set thing [$walk start]
        if {$thing eq {} || [dict get $thing kind] ne "state"} {
            $window say "no call is chosen: first click on a call that waits"
            return
        }
        my wait_for
        set wait [[$window details] wait_of [dict get $thing hit]]
        if {$wait eq {}} {
            $window say "[dict get $thing hit name] does not wait for another rank here"
            return
        }
        set hit [$walk state_of $wait [dict get $wait release]]
        return [$walk go [expr {$hit eq {} ? {} : [dict create kind state hit $hit]}]]
    }

    # ---- The window

    method flush {} {
        if {$job ne {}} {
            my finish_job
            [$window timeline] flush
        }
        [$window legend] finish_waiting
    }

    # Starts the analysis, if it is needed. Called only after the first picture, which the analysis would delay.
    method finish {} {
        my apply
        if {[my is_shown findings] || [my is_shown iterations]} {
            $model notify waiting
        }
    }

    method state {} { return [dict replace [dict remove $shown stack] asked $asked] }

    method restore {value} {
        foreach what {waits path findings iterations} {
            dict set shown $what [expr {[dict exists $value $what] && [dict get $value $what]}]
        }
        set asked [expr {[dict exists $value asked] && [dict get $value asked]}]
    }
}
# A log with at most this many records is analyzed as soon as its window is open.
namespace eval ::pith::Waiting { variable most_records 5000000 }

::pith::part::add Waiting {
    words {
        waits {on|off} {hatch the part of each MPI call that waits for another rank} word_waits
        critical_path {on|off} {draw the critical path, which determines how long the run takes} word_critical_path
        cause {} {choose the call that the chosen call waits for} word_cause
    }
    keys {
        {W} {Shift-w} {hatch waiting for other ranks, or stop it} {waits toggle}
        {c} {c} {show or hide the critical path} {critical_path toggle}
        {y} {y} {go to the call that the chosen call waits for} {cause}
    }
    menus {
        View {- - -  "Waiting" {waits toggle} W  "Critical path" {critical_path toggle} c}
        Search {"Cause of the waiting" cause y}
    }
    buttons {
        waits "Waiting" {waits toggle} {hatch the time in which calls wait for other ranks}
        path "Critical path" {critical_path toggle} {show or hide the critical path}
        findings "Findings" {findings toggle} {the run at a glance, and what makes it slow}
    }
}
