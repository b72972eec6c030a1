# opening.tcl - opening a log beside the window: what takes long shows that it does, and can be stopped. Logs of foreign
# formats are read as a whole, and those without an index are rebuilt.

namespace eval ::pith::opening {
    variable number 0
    variable outcome   ;# array: number -> {done LOG}, {failed TEXT}, {stopped}
    variable at_once 2000000 ;# bytes: smaller files are opened without further ado
    variable patience_ms 400 ;# before the progress is shown
}

# The C core's command of a log. {PITH LOG}: it cannot be read; {PITH STOPPED}: the user did not want to wait.
proc ::pith::opening::open {path} {
    variable number
    variable outcome
    variable at_once
    variable patience_ms
    if {![file exists $path]} {
        return -code error -errorcode {PITH LOG} "$path: no such file"
    }
    if {[file isdirectory $path] || [file size $path] < $at_once} {
        return [::pithtk::open $path]
    }
    set me [incr number]
    set job [::pithtk::open $path [list ::pith::opening::told $me]]
    set timer [after $patience_ms [list ::pith::opening::show $me $path $job]]
    while {![info exists outcome($me)]} {
        vwait ::pith::opening::outcome($me)
    }
    after cancel $timer
    destroy .opening$me
    lassign $outcome($me) how value
    unset outcome($me)
    switch $how {
        done { return $value }
        failed { return -code error -errorcode {PITH LOG} $value }
    }
    return -code error -errorcode {PITH STOPPED} "$path: not opened, as you wished"
}

proc ::pith::opening::told {me how {value {}}} {
    variable outcome
    if {[info exists outcome($me)]} {
        # Stopped before: nobody waits for it.
        if {$how eq "done"} {
            $value close
        }
    } elseif {$how eq "progress"} {
        progress $me $value
    } else {
        set outcome($me) [list $how $value]
    }
}

# A job that has told nothing yet is not known to go on: of a log that only reads slowly, say.
proc ::pith::opening::progress {me part} {
    set dialog .opening$me
    if {![winfo exists $dialog] || $part <= 0} {
        return
    }
    if {[$dialog.bar cget -mode] eq "indeterminate"} {
        $dialog.bar stop
        $dialog.bar configure -mode determinate -maximum 1.0
    }
    $dialog.bar configure -value $part
    $dialog.part configure -text [format {%.0f %%} [expr {100 * $part}]]
}

# The window does not wait for the thread, which ends soon.
proc ::pith::opening::stop {me job} {
    variable outcome
    catch {$job stop}
    set outcome($me) stopped
}

proc ::pith::opening::show {me path job} {
    set dialog [toplevel .opening$me -background [::pith::theme::colour panel] -padx 18 -pady 14]
    wm title $dialog "Pith: opening [file tail $path]"
    wm resizable $dialog 0 0
    wm protocol $dialog WM_DELETE_WINDOW [list ::pith::opening::stop $me $job]
    ttk::label $dialog.what -text "Opening [file tail $path], [::pith::opening::megabytes $path]" -style Bold.TLabel
    ttk::label $dialog.why -style Faint.TLabel \
        -text "Formats other than Pith's own, and logs without an index, are read as a whole."
    ttk::progressbar $dialog.bar -mode indeterminate -length 360
    ttk::button $dialog.stop -text Stop -command [list ::pith::opening::stop $me $job]
    ttk::label $dialog.part -style Faint.TLabel
    pack $dialog.what $dialog.why -anchor w
    pack $dialog.bar -fill x -pady 10
    pack $dialog.stop -side right
    pack $dialog.part -side left
    bind $dialog <Escape> [list ::pith::opening::stop $me $job]
    $dialog.bar start 40
    focus $dialog.stop
}

proc ::pith::opening::megabytes {path} {
    return [format {%.0f MB} [expr {[file size $path] / 1e6}]]
}
