# reload.tcl - opens the log of a window again, by a command or a key, and keeps the view. Also watches the log's file.
# If the file changes, for example by another recording, a bar at the bottom of the window reports this, and has a
# button that reloads the log.

oo::class create ::pith::Reload {
    variable window model
    variable bar     ;# frame; packed while the file differs from the log
    variable text    ;# text in the bar
    variable stamp   ;# stamp of the file's version that is open, or that the user has refused; {}: there is no file
    variable seen    ;# the stamp at the last look; it changes from look to look while the file is being written
    variable timer
    variable busy    ;# 1: the log is being opened
    variable top_row ;# first row to be shown once all rows are known; {}: none

    constructor {its_window} {
        set window $its_window
        set model [$window model]
        set bar [$window top].reload
        lassign {} text timer top_row
        set busy 0
        my remember
        $model follow [list [self] changed]
    }

    destructor {
        after cancel $timer
    }

    method finish {} {
        ttk::frame $bar -padding {10 4}
        ttk::label $bar.text -textvariable [my varname text] -style Bold.TLabel
        ttk::button $bar.again -text Reload -width 0 -takefocus 0 -command [list $window act reload]
        ttk::button $bar.close -text "\u00d7" -width 2 -style Toolbutton -takefocus 0 -command [list [self] dismiss]
        pack $bar.close -side right
        pack $bar.text $bar.again -side left -padx {0 10}
        my look
    }

    # ---- Watching the file

    # Returns a stamp of the log's file, which is another one after a change of the file. Returns {} if there is no
    # file, or if the window shows the folder of a running program (live.tcl).
    method stamp_of_file {} {
        set path [$model path]
        if {[catch {file stat $path found}] || $found(type) ne "file"} {
            return {}
        }
        return [list $found(ino) $found(size) $found(mtime)]
    }

    method remember {} {
        set stamp [my stamp_of_file]
        set seen $stamp
    }

    method look {} {
        set timer [after $::pith::Reload::every_ms [namespace code {my look}]]
        set now [my stamp_of_file]
        if {$now ne {} && $stamp ne {} && $now ne $stamp && $now eq $seen && !$busy} {
            set text "[file tail [$model path]] has changed since it was opened."
            pack $bar -side bottom -fill x -after [$window top].status
        }
        set seen $now
    }

    # Hides the bar until the file changes again.
    method dismiss {} {
        my remember
        pack forget $bar
    }

    # The change `log` means that the window shows another log, such as the finished log of a program that was shown
    # while it ran (live.tcl).
    method changed {what} {
        switch $what {
            log { my remember }
            digest {
                # Rows of counters exist only when the digest has been read. So the row that was at the top before is
                # brought back only now.
                if {$top_row ne {}} {
                    after idle [list catch [list [$window timeline] scroll_to $top_row]]
                    set top_row {}
                }
            }
        }
    }

    # ---- Words

    # Reloads the log. The view keeps its time, as far as the new log has this time; if the view showed the whole log,
    # it shows the whole new log.
    method word_reload {} {
        if {$busy || [file isdirectory [$model path]]} {
            return
        }
        set me [self]
        set busy 1
        set opened [my stamp_of_file]
        try {
            set log [::pith::opening::open [$model path]]
        } finally {
            if {[info object isa object $me]} {
                set busy 0
            }
        }
        if {![info object isa object $me]} { ;# the window was closed meanwhile
            $log close
            return
        }
        set times [$model window]
        set whole [expr {$times eq [$model whole]}]
        set top_row [$model first_row]
        $model replace $log 0
        set stamp $opened
        $model set_window {*}[expr {$whole ? [$model whole] : $times}]
        lassign [$model log_time] first last
        lassign [$model selection] from to
        if {$from ne {} && ($from >= $last || $to <= $first)} {
            $model set_selection {}
        } else {
            $model set_selection [$model selection]
        }
        pack forget $bar
        $window say "[file tail [$model path]] was opened again"
        return
    }
}
# Every 1500 ms, the object looks whether the file has changed.
namespace eval ::pith::Reload { variable every_ms 1500 }

::pith::part::add Reload {
    words {reload {} {open the log again, as its file is now, and keep the view} word_reload}
    keys {{Control-r F5} {Ctrl-r  F5} {open the log again and keep the view} {reload}}
    menus {Log {"Reload" reload Ctrl-R}}
}
