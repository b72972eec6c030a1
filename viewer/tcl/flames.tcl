# flames.tcl - shows the functions in which samples of the log were taken, below the states of an unfolded lane, and in
# the time outside all states. `pith stat --flame` finds the functions, as a process of its own. It starts after the
# first picture; for a large log, only when the user unfolds the first lane.

oo::class create ::pith::Flames {
    variable window model
    variable state   ;# idle; running; done (the functions were found, or cannot be found)
    variable runner  ;# the Runner of the program; {}: none
    variable file    ;# the file that the program writes; {}: none
    variable guard   ;# channel to the shell that deletes the file; {} none

    constructor {its_window} {
        set window $its_window
        set model [$window model]
        lassign {idle {}} state runner file guard
        $model follow [list [self] changed]
    }

    destructor {
        my stop
    }

    method finish {} {
        if {[$model info records] <= $::pith::Waiting::most_records} {
            my start
        }
    }

    method changed {what} {
        switch $what {
            log {
                my stop
                my finish
            }
            rows {
                if {$state eq "idle" && [[$model log] flames] && [dict get [$model tree state] unfolded] ne {}} {
                    my start
                }
            }
        }
    }

    # Starts to find the functions of samples. Does nothing if the window shows a running program. The window reads this
    # program's files again every second, and the functions would have to be found anew each time.
    method start {} {
        if {$state ne "idle" || ![[$model log] flames] || [file isdirectory [$model path]]} {
            return
        }
        if {[catch {close [file tempfile file functions.pith]} text]} {
            set file {}
            my found failed $text
            return
        }
        set state running
        set runner [::pith::Runner new [$window top] "Finding functions" [list stat [$model path] --flame $file] \
            [list [self] found]]
        $runner quiet
        set guard [open |[list sh -c $::pith::Flames::guarding sh $file {*}[$runner pids] 2>/dev/null] w]
    }

    method stop {} {
        if {$runner ne {}} {
            $runner destroy
        }
        my forget
        set state idle
    }

    method forget {} {
        if {$guard ne {}} {
            catch {puts $guard end}
            catch {close $guard}
        }
        lassign {} runner file guard
    }

    method found {how text} {
        if {$how eq "done" && [catch {[$model log] flames $file} text]} {
            set how failed
        }
        my forget
        if {$how eq "failed"} {
            $model set_trouble "no functions: $text"
        }
        set state done
        $model rows_changed
    }

    # Starts to find the functions, and waits until they are found.
    method find_all {} {
        my start
        my flush
    }

    # Waits until the functions are found.
    method flush {} {
        while {[info object isa object [self]] && $state eq "running"} {
            vwait [my varname state]
        }
        [$window timeline] flush
        [$window legend] refresh
    }
}

namespace eval ::pith::Flames {
    # A shell script that deletes the temporary file ($1) in any case, even if the viewer is killed. It waits for a line
    # on its standard input, which is a pipe from the viewer. If the viewer writes a line, the script only deletes the
    # file. If the pipe ends without a line, the viewer is gone, and the script first ends the program that writes the
    # file ($2).
    variable guarding {trap "" INT TERM HUP; read -r end || { kill "$2"; sleep 1; }; rm -f -- "$1"}
}

::pith::part::add Flames {}
