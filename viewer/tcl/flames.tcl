# flames.tcl - shows the functions that samples of the log fell into, below the states of an unfolded lane, and in the
# time outside all states. `pith stat --flame` finds the functions, beside the window: after the first picture, or in a
# large log when the first lane is unfolded.

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

    # Starts to find the functions. Not for a running program, because its folder is read again every second, which is
    # too often.
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

    # Finds the functions now, and waits for them.
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
    # A shell that waits until its standard input ends, which happens when the viewer ends, even if it is killed. Then
    # ends the program ($2), and deletes its file ($1).
    variable guarding {trap "" INT TERM HUP; read -r end || { kill "$2"; sleep 1; }; rm -f -- "$1"}
}

::pith::part::add Flames {}
