# runner.tcl - another program of Pith at work for a window: `pith draw`, `pith convert`. It runs beside the window;
# when it takes longer, a small window tells so and can stop it.
#
#     ::pith::Runner new $top "Saving x.svg" {draw run.pith -o x.svg} {callback}
#
# calls the callback at the end with `done {}`, `failed TEXT` (the program's own line) or `stopped {}`, and is gone.
# Destroyed before, it ends the program and calls nobody.

oo::class create ::pith::Runner {
    variable top       ;# the window that it works for
    variable title
    variable callback
    variable channel   ;# of the program's standard error
    variable said      ;# what came from there
    variable stopped   ;# 1: by the user
    variable box later ;# the small window, {} none; after id of its opening

    constructor {its_top its_title words its_callback} {
        set top $its_top
        set title $its_title
        set callback $its_callback
        set said {}
        set stopped 0
        set box {}
        set later {}
        set program [file join $::pith::folder .. .. .. bin pith]
        if {[catch {open |[list $program {*}$words </dev/null 2>@1] r} channel]} {
            after idle [list {*}$callback failed $channel]
            set channel {}
            after idle [list [self] destroy]
            return
        }
        chan configure $channel -blocking 0
        chan event $channel readable [list [self] hear]
        set later [after 400 [list [self] show]]
    }

    destructor {
        after cancel $later
        if {$box ne {}} {
            destroy $box
        }
        if {$channel ne {}} {
            my kill
            catch {close $channel}
        }
    }

    method kill {} {
        catch {exec kill {*}[pid $channel]}
    }

    method hear {} {
        append said [chan read $channel]
        if {![chan eof $channel]} {
            return
        }
        chan configure $channel -blocking 1
        set bad [catch {close $channel}]
        set channel {}
        # The last line is about what went wrong; notes may stand above it.
        set text [lindex [split [string trim $said] \n] end]
        regsub {^pith: (draw: )?} $text {} text
        regsub {; see `pith help [a-z]+`$} $text {} text
        set answer [expr {$stopped ? {stopped {}} : $bad ? [list failed $text] : {done {}}}]
        set call $callback
        my destroy
        {*}$call {*}$answer
    }

    method show {} {
        set box [toplevel $top.runner[incr ::pith::Runner::count] -background [::pith::theme::colour panel]]
        wm title $box "Pith"
        wm transient $box $top
        wm resizable $box 0 0
        wm protocol $box WM_DELETE_WINDOW [list [self] stop]
        ttk::frame $box.body -padding {14 12}
        ttk::label $box.body.title -text $title
        ttk::progressbar $box.body.bar -mode indeterminate -length 260
        ttk::button $box.body.stop -text "Stop" -command [list [self] stop]
        pack $box.body
        pack $box.body.title -anchor w
        pack $box.body.bar -fill x -pady 8
        pack $box.body.stop -anchor e
        bind $box <Escape> [list [self] stop]
        $box.body.bar start 40
    }

    method stop {} {
        set stopped 1
        my kill
    }
}
namespace eval ::pith::Runner { variable count 0 }

proc ::pith::set_answer {place how text} {
    set $place [list $how $text]
}

# Runs it to its end while the window goes on; an error says what the program said.
proc ::pith::run_program {top title words} {
    set place ::pith::Runner::answer[incr ::pith::Runner::count]
    ::pith::Runner new $top $title $words [list ::pith::set_answer $place]
    vwait $place
    lassign [set $place] how text
    unset $place
    if {$how eq "failed"} {
        return -code error -errorcode {PITH IO} $text
    }
    return $how
}
