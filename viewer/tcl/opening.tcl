# opening.tcl - opens a log in a thread, with a progress dialog and a Stop button. Opening takes long if the log has
# another format, which is read completely, or has no index, which is then rebuilt.

namespace eval ::pith::opening {
    variable number 0
    variable outcome   ;# array: number -> {done LOG}, {failed TEXT}, {stopped}
    variable at_once 2000000 ;# bytes: smaller files are opened without a thread
    variable patience_ms 400 ;# delay of the progress dialog
}

# Opens a log and returns its command. Throws {PITH LOG} if the log cannot be read, and {PITH STOPPED} if the user stops
# the opening.
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
        # The user has stopped the opening, but the job opened the log meanwhile. Nobody else closes it.
        if {$how eq "done"} {
            $value close
        }
    } elseif {$how eq "progress"} {
        progress $me $value
    } else {
        set outcome($me) [list $how $value]
    }
}

# Shows the progress. As long as PART is 0, the bar only moves to and fro.
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

# The user stops the opening. The job's thread ends by itself soon; nothing waits for it.
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

# Switches input methods off while a window is built. Otherwise Tk would give each widget an input context at its first
# event, and ask the X server twice for the size of the widget: 120 round trips before the first picture. After the
# first picture, widgets get their contexts at their next event, entries when they get the focus.
namespace eval ::pith::typing {
    variable waiting 0 ;# number of windows being built
    variable methods 1 ;# 1: input methods were on before
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
