# live.tcl - shows the timelines of a running program, from its folder of spill files. About every second a job reads
# the files (tk/commands.h), and the window then shows what it has read, a snapshot. If the view reaches to the end of
# the snapshot, it moves so that it reaches to the end of each new one. After the program has ended and its log exists,
# the window shows the log.

oo::class create ::pith::Live {
    variable window model
    variable folder    ;# folder of the spill files; {}: the window was opened with a log
    variable target    ;# path at which the program will write its log
    variable began     ;# start of the program, seconds since 1970
    variable before    ;# {mtime size} of a file at that path when the window opened; {}: none
    variable phase     ;# runs; ends (its log is not there yet); died; gone (the log exists, or will never exist)
    variable held      ;# 1: the view stays where it is when there is a new snapshot
    variable now       ;# end of the last snapshot, ns
    variable job       ;# job that reads the files; {}: none
    variable timer     ;# after id of the next reading
    variable asked_ms  ;# time at which the job started, ms
    variable failures  ;# number of consecutive readings that failed; the folder may exist without its files
    variable now_ms    ;# milliseconds of the clock at `now`
    variable ticking   ;# after id of the next update of the status line
    variable text      ;# text about the program in the status line

    constructor {its_window} {
        set window $its_window
        set model [$window model]
        lassign {} job timer ticking folder text
        set failures 0
        set held 0
        set phase gone
        if {[file isdirectory [$model path]]} {
            my begin [file normalize [$model path]]
        }
    }

    destructor {
        my stop
    }

    method begin {path} {
        set folder $path
        set target {}
        if {[file extension $path] eq ".spill"} {
            set target [file rootname $path]
        } elseif {[dict exists [[$model log] properties] log]} {
            my set_target [dict get [[$model log] properties] log]
        }
        set began [clock seconds]
        if {[dict exists [[$model log] properties] start_unix_s]} {
            regexp {^\d+} [dict get [[$model log] properties] start_unix_s] began
        }
        set before [my stamp]
        set phase runs
        set now [lindex [$model whole] 1]
        set now_ms [clock milliseconds]
        set label [$window top].status.live
        ttk::label $label -textvariable [my varname text] -style Bold.TLabel -padding {10 4}
        pack $label -side right -before [$window top].status.text
        my show_status
        set timer [after 300 [namespace code {my read}]]
    }

    method stop {} {
        after cancel $timer
        after cancel $ticking
        set timer {}
        if {$job ne {}} {
            catch {$job stop}
            set job {}
        }
    }

    # Sets the path at which the log is expected. NAME: the name that the program gives its log. A relative name is
    # looked for beside the folder of spill files.
    method set_target {name} {
        set target [file join [file dirname $folder] \
            [expr {[file pathtype $name] eq "absolute" ? $name : [file tail $name]}]]
    }

    # The time and the size of the log file, by which a changed file is noticed; {} if there is no file.
    method stamp {} {
        if {$target eq {} || [catch {list [file mtime $target] [file size $target]} stamp]} {
            return {}
        }
        return $stamp
    }

    # Returns 1 if the program has written its log. Returns 0 if there is no file, or if the file is older than the
    # program, because it is then the log of an earlier run.
    method is_written {} {
        set stamp [my stamp]
        if {$stamp eq {}} {
            return 0
        }
        set written [lindex $stamp 0]
        return [expr {$written > $began || ($written == $began && $stamp ne $before)}]
    }

    # ---- Reading

    method read {} {
        set timer {}
        if {$phase eq "ends" && [my is_written]} {
            my take_log
            return
        }
        if {![file exists $folder]} {
            my folder_gone
            return
        }
        set asked_ms [clock milliseconds]
        set job [::pithtk::snapshot $folder [list [self] job_event]]
    }

    # Reads the spill files again after a second. If the last reading took long, waits twice as long as it took, so that
    # reading does not keep a core busy all the time.
    method read_later {} {
        set took [expr {[clock milliseconds] - $asked_ms}]
        set timer [after [expr {max($phase eq "ends" ? 200 : 1000, 2 * $took)}] [namespace code {my read}]]
    }

    method job_event {what {value {}}} {
        switch $what {
            done {
                set job {}
                set failures 0
                set now [dict get $value now]
                set now_ms $asked_ms
                if {$target eq {}} {
                    my set_target [dict get $value name]
                }
                my show [dict get $value log] 1
                if {[dict get $value running]} {
                    set phase runs
                } elseif {[dict get $value finished]} {
                    set phase ends
                } else {
                    set phase died
                }
                if {$phase eq "died"} {
                    set now [lindex [$model whole] 1]
                } else {
                    my read_later
                }
                my show_status
            }
            failed {
                set job {}
                if {[file exists $folder] && [incr failures] < 3} {
                    my read_later
                } else {
                    my folder_gone
                }
            }
        }
    }

    # Shows a new snapshot or the finished log. Does nothing for a snapshot without new records. If the view reached to
    # the end of the last snapshot, moves it to the new end.
    method show {log digested} {
        if {$digested && [dict get [$log info] records] == [$model info records]} {
            $log close
            return
        }
        lassign [$model whole] first last
        lassign [$model window] from to
        $model replace $log $digested
        lassign [$model whole] new_first new_last
        if {$held || $to < $last} {
            $model set_window $from $to
        } elseif {$from <= $first} {
            $model set_window $new_first $new_last
        } else {
            $model set_window [expr {$new_last - ($to - $from)}] $new_last
        }
    }

    # ---- The end

    method folder_gone {} {
        if {[my is_written]} {
            my take_log
            return
        }
        set phase gone
        my show_status
    }

    # Shows the log instead of the last snapshot. If the log cannot be read, as is possible on a slow file system, keeps
    # the snapshot and reports this.
    method take_log {} {
        if {[catch {::pithtk::open $target} log]} {
            set phase gone
            $model set_trouble $log
        } else {
            my show $log 0
            set phase gone
            set now [lindex [$model whole] 1]
            $window say "The program has ended; this window now shows its log, [file tail $target]."
        }
        my show_status
    }

    # Shows the state of the program in the status line: how long it has run so far, and, if the snapshot is old, up to
    # which time the snapshot shows it.
    method show_status {} {
        after cancel $ticking
        switch $phase {
            runs {
                set since [expr {([clock milliseconds] - $now_ms) * 1000000}]
                set text "live, [my seconds [expr {$now + $since}]]"
                # Clocks of different machines drift apart. The drift is known, and can be corrected, only after the
                # second comparison of the clocks, which is usually at the end of the program.
                if {[expr {[dict exists [[$model log] properties] clock_sync_1]}]} {
                    append text ", clock drift not yet corrected"
                }
                if {$since > 3000000000} {
                    append text ", shown up to [my seconds $now]"
                }
                if {$held} {
                    append text ", held"
                }
                set ticking [after 250 [namespace code {my tick}]]
            }
            ends { set text "ended at [my seconds $now], its log is being written" }
            died { set text "died at [my seconds $now]; the window shows what it had recorded" }
            gone { set text "ended at [my seconds $now]" }
        }
    }

    # Reads at once if the program has ended, because the next planned reading may be much later. Otherwise updates the
    # status line.
    method tick {} {
        if {$job eq {} && ![file exists $folder]} {
            after cancel $timer
            my read
        } else {
            my show_status
        }
    }

    method seconds {time} { format {%.1f s} [expr {$time / 1e9}] }

    # ---- Words

    # Moves the view to the end of the snapshot, and from then on to the end of each new one. If the view already
    # follows the end in this way, stops following it.
    method word_tail {} {
        lassign [$model whole] first last
        lassign [$model window] from to
        set held [expr {!$held && $to >= $last}]
        if {!$held} {
            $model set_window [expr {$last - ($to - $from)}] $last
        }
        if {$folder ne {}} {
            my show_status
        }
    }

    # The text about the program in the status line, such as "live, 12.3 s"; {} if the window was opened with a finished
    # log.
    method word_live {} { return $text }
}

::pith::part::add Live {
    words {
        live {} {state of a running program: "live, 12.3 s"} word_live
        tail {} {go to the end of time and follow it; at the end, stop following} word_tail
    }
    keys {{T} {Shift-t} {go to the end of time and follow a running program; at the end, stop following} {tail}}
}
