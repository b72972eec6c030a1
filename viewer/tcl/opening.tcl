# opening.tcl - opens a log in a thread, with a progress dialog and a Stop button: logs of other formats are
# read completely, and logs without an index are rebuilt.

namespace eval ::pith::opening {
    variable number 0
    variable outcome   ;# array: number -> {done LOG}, {failed TEXT}, {stopped}
    variable at_once 2000000 ;# bytes: smaller files are opened without a thread
    variable patience_ms 400 ;# delay of the progress dialog
}

# Returns the command of the log. {PITH LOG}: it cannot be read; {PITH STOPPED}: the user stopped it.
proc ::pith::opening::open {path} {
    variable number
    variable outcome
    variable at_once
    variable patience_ms
    if {![file exists $path]} {
        throw {PITH LOG} "$path: no such file"
    }
    if {[file isdirectory $path] || [file size $path] < $at_once} {
        return [::pithtk::open $path]
    }
    set me [incr number]
    set job [::pithtk::open $path [list ::pith::opening::job_event $me]]
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
        failed { throw {PITH LOG} $value }
    }
    throw {PITH STOPPED} "$path: opening was stopped"
}

proc ::pith::opening::job_event {me how {value {}}} {
    variable outcome
    if {[info exists outcome($me)]} {
        # It was stopped before: close the log.
        if {$how eq "done"} {
            $value close
        }
    } elseif {$how eq "progress"} {
        progress $me $value
    } else {
        set outcome($me) [list $how $value]
    }
}

# No progress yet: the bar stays indeterminate.
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

# Does not wait for the thread, which ends soon.
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
        -text "Logs of other formats and logs without an index are read completely."
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

# Input methods while a window is built. Tk gives each widget an input context at its first event,
# and asks the X server for the size of the widget twice for each: 120 round trips before the first picture.
# Input methods are therefore off until then; widgets get theirs at the next event, entries when they get the
# focus.
namespace eval ::pith::typing {
    variable waiting 0 ;# number of windows being built
    variable methods 1 ;# setting of the user
}

proc ::pith::typing::wait {} {
    variable waiting
    variable methods
    if {[incr waiting] == 1} {
        set methods [tk useinputmethods]
        tk useinputmethods 0
    }
}

proc ::pith::typing::go_on {} {
    variable waiting
    variable methods
    if {[incr waiting -1] == 0} {
        tk useinputmethods $methods
    }
}
