# opening.tcl - opens a log in a thread, and shows a progress dialog with a Stop button. Opening takes long in two
# cases: if the log is of a foreign format, it is read completely; if it has no index, the index is made anew.

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
        # The user stopped the opening, but before that the job had already opened the log. Closes the log here, because
        # no window will use it.
        if {$how eq "done"} {
            $value close
        }
    } elseif {$how eq "progress"} {
        progress $me $value
    } else {
        set outcome($me) [list $how $value]
    }
}

# Shows how much of the log has been read. As long as PART is 0, there is nothing to show, and the bar only moves to and
# fro.
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

# Called when the user stops the opening. Tells the job to stop, but does not wait for the end of its thread, which
# comes soon.
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

# Switches input methods (for typing such as Chinese) off while a window is built, because they delay its first picture.
# With input methods, Tk gives each widget an input context at its first event, and asks the X server twice for the size
# of the widget, which makes 120 round trips. After the first picture they are on again, and a widget gets its context
# at its next event, for example an entry when it gets the focus.
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
