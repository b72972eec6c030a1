# live.tcl - the time lines of a program that runs, a part of the window: of a window on a folder of spill files. About
# every second a job reads what there is (tk/running.h), and the window takes it; it goes with the end of time as long
# as it shows the end. When the program has ended and its log is there, the window shows that.

oo::class create ::pith::Live {
    variable window model
    variable folder    ;# of the spill files; {} the window shows a log: nothing is done
    variable target    ;# the log to be
    variable began     ;# when the program began, seconds since 1970
    variable before    ;# what was there under that name when the window opened: {mtime size}, {} nothing
    variable phase     ;# runs, ends (its log is awaited), died, gone (the log is there, or will not come)
    variable held      ;# 1: the window does not go with the end of time
    variable now       ;# time of the last look, ns
    variable job       ;# that reads; {} none
    variable timer     ;# after id of the next look
    variable asked_ms  ;# when the job was started
    variable failures  ;# looks in succession that gave nothing: the files may have gone and left the folder
    variable now_ms    ;# our clock at `now`
    variable ticking   ;# after id of the next word in the status line
    variable text      ;# in the status line

    constructor {its_window} {
        set window $its_window
        set model [$window model]
        set job {}
        set failures 0
        set timer {}
        set ticking {}
        set folder {}
        set held 0
        set phase gone
        set text {}
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
            my aim [dict get [[$model log] properties] log]
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
        my tell
        set timer [after 300 [namespace code {my look}]]
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

    # The name of the log to be, as the program knows it.
    method aim {name} {
        set target [file join [file dirname $folder] \
            [expr {[file pathtype $name] eq "absolute" ? $name : [file tail $name]}]]
    }

    # Of the log to be: something else once it is written.
    method stamp {} {
        if {$target eq {} || [catch {list [file mtime $target] [file size $target]} stamp]} {
            return {}
        }
        return $stamp
    }

    # The log is there. One of that name from an earlier run is not it: it is older than this program.
    method is_written {} {
        set stamp [my stamp]
        if {$stamp eq {}} {
            return 0
        }
        set written [lindex $stamp 0]
        return [expr {$written > $began || ($written == $began && $stamp ne $before)}]
    }

    # ---- Looking

    method look {} {
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
        set job [::pithtk::snapshot $folder [list [self] heard]]
    }

    # The next look: in a second, or later where a look takes long, so that reading never fills a core.
    method look_later {} {
        set took [expr {[clock milliseconds] - $asked_ms}]
        set timer [after [expr {max($phase eq "ends" ? 200 : 1000, 2 * $took)}] [namespace code {my look}]]
    }

    method heard {what {value {}}} {
        switch $what {
            done {
                set job {}
                my take $value
            }
            failed {
                set job {}
                if {[file exists $folder] && [incr failures] < 3} {
                    my look_later
                } else {
                    my folder_gone
                }
            }
        }
    }

    method take {snapshot} {
        set failures 0
        set now [dict get $snapshot now]
        set now_ms $asked_ms
        if {$target eq {}} {
            my aim [dict get $snapshot name]
        }
        my show [dict get $snapshot log] 1
        if {[dict get $snapshot running]} {
            set phase runs
        } elseif {[dict get $snapshot finished]} {
            set phase ends
        } else {
            set phase died
        }
        if {$phase eq "died"} {
            set now [lindex [$model whole] 1]
        } else {
            my look_later
        }
        my tell
    }

    # Nothing new: the picture stays as it is. Else the window goes with the end, if it shows it.
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
        my tell
    }

    # The log takes the place of the snapshots. It may still be one that cannot be read yet, on a slow file system.
    method take_log {} {
        if {[catch {::pithtk::open $target} log]} {
            set phase gone
            $model set_trouble $log
        } else {
            my show $log 0
            set phase gone
            set now [lindex [$model whole] 1]
            $window say "The program has ended; this is its log, [file tail $target]."
        }
        my tell
    }

    # In the status line: how far the program is, now and then also how far it was seen.
    method tell {} {
        after cancel $ticking
        switch $phase {
            runs {
                set since [expr {([clock milliseconds] - $now_ms) * 1000000}]
                set text "live, [my seconds [expr {$now + $since}]]"
                if {[my several_clocks]} {
                    append text ", times not yet corrected for drift"
                }
                if {$since > 3000000000} {
                    append text ", seen up to [my seconds $now]"
                }
                if {$held} {
                    append text ", held"
                }
                set ticking [after 250 [namespace code {my tick}]]
            }
            ends { set text "ended at [my seconds $now], its log is being written" }
            died { set text "died at [my seconds $now]: this is what it had recorded" }
            gone { set text "ended at [my seconds $now]" }
        }
    }

    # How machines' clocks drift apart is known when they are compared again, mostly at the end.
    method several_clocks {} {
        return [expr {[dict exists [[$model log] properties] clock_sync_1]}]
    }

    # A program may end long before the next look.
    method tick {} {
        if {$job eq {} && ![file exists $folder]} {
            after cancel $timer
            my look
        } else {
            my tell
        }
    }

    method seconds {time} { format {%.1f s} [expr {$time / 1e9}] }

    # ---- Words

    # To the end of time and on with it; at the end: stay there.
    method word_tail {} {
        lassign [$model whole] first last
        lassign [$model window] from to
        set held [expr {!$held && $to >= $last}]
        if {!$held} {
            $model set_window [expr {$last - ($to - $from)}] $last
        }
        if {$folder ne {}} {
            my tell
        }
    }

    # What the status line says of it: "live, 12.3 s", and whether times may yet change; {} the window shows a log.
    method word_live {} { return $text }
}

::pith::part::add Live {
    words {
        live {} {of a program that runs: "live, 12.3 s"} word_live
        tail {} {to the end of time, and on with it as it grows; at the end: stay} word_tail
    }
    keys {{T} {Shift-t} {to the end of time, and on with a program that runs; at the end: stay there} {tail}}
}
