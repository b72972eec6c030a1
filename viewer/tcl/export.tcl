# export.tcl - saves the view as a picture. `pith draw` draws the picture; it gets the time, the rows, the colours and
# the hidden states as script commands, which it knows as the window does (draw/draw_words.c).

oo::class create ::pith::Export {
    variable window model
    variable path       ;# path of the toplevel
    variable file       ;# output file
    variable place      ;# position of the legend: bottom, right, none
    variable stats grey ;# 1: the picture has a table of states; 1: it is in greys
    variable trouble    ;# error message

    constructor {its_window} {
        set window $its_window
        set model [$window model]
        set path [$window top].export
        lassign {} file trouble
        set place bottom
        set stats 0
        set grey 0
    }

    # ---- The view as script commands

    method pattern {id} { return [::pith::pattern_of [$model name $id]] }

    method colour_words {} {
        set words [list [list theme [::pith::theme::name]]]
        dict for {id def} [$model defs] {
            lappend words [list colour [my pattern $id] [dict get $def colour]]
        }
        return $words
    }

    method view_words {} {
        lassign [$model window] t0 t1
        set words [my colour_words]
        lappend words [list zoom ${t0}ns ${t1}ns] [list set_rowstate [$model tree state]]
        lappend words [list height [$model row_height]]
        foreach id [$model hidden] {
            lappend words [list hide [my pattern $id]]
        }
        lappend words [list arrows [$model arrows_way]]
        if {[$model selection] ne {}} {
            lappend words [list select {*}[lmap time [$model selection] {string cat $time ns}]]
        }
        if {[$model message_filter] ne {}} {
            lappend words [list message_filter {*}[$model message_filter]]
        }
        if {![$model names_on]} {
            lappend words {names off}
        }
        if {[$model notes] ne {}} {
            lappend words {notes on}
        }
        lappend words {*}[[$window part Waiting] words] {*}[[$window part CoreWaits] words] {*}[[$window part Looks] words]
        lappend words [list ranges [[$window part Ranges] word]]
        return [join $words "; "]
    }

    method command {to arguments} {
        set words [list draw [$model path] -o [file normalize $to] --title [file tail [$model path]]]
        if {"--size" ni $arguments} {
            lappend words --size [winfo width [[$window timeline] path]]
        }
        return [list {*}$words -e [my view_words] {*}$arguments]
    }

    # ---- The command

    method word_save {to args} {
        ::pith::run_program [$window top] "Saving [file tail $to]" [my command $to $args]
        return
    }

    # ---- The dialog

    method choose {} {
        if {[winfo exists $path]} {
            raise $path
            return
        }
        if {$file eq {}} {
            set file [file join [pwd] [file rootname [file tail [$model path]]].png]
        }
        set trouble {}
        set pad [px 12]
        ::pith::open_dialog $path "Save picture" [$window top]
        wm resizable $path 1 0
        my build [ttk::frame $path.body -padding $pad]
        pack $path.body -fill both -expand 1
        bind $path <Return> [list [self] ok]
        focus $path.body.file
        $path.body.file icursor end
    }

    method build {body} {
        set px [px 6]
        ttk::label $body.to -text "File"
        ttk::entry $body.file -textvariable [my varname file] -width 46
        ttk::button $body.browse -text "Browse..." -command [list [self] browse]
        ttk::label $body.kinds -style Faint.TLabel \
            -text "The suffix sets the format: .png .svg .pdf .ps .eps, or .html for a web page that zooms"
        ttk::label $body.legend -text "Legend"
        ttk::frame $body.places
        foreach {value text} {bottom below right beside none none} {
            ttk::radiobutton $body.places.$value -text $text -value $value -variable [my varname place]
            pack $body.places.$value -side left -padx [list 0 $px]
        }
        ttk::checkbutton $body.stats -text "With a table of states: count, times, share" -variable [my varname stats]
        ttk::checkbutton $body.grey -text "Greys, for black-and-white printers" -variable [my varname grey]
        ttk::label $body.trouble -textvariable [my varname trouble] -style Alarm.TLabel
        ttk::frame $body.buttons
        ttk::button $body.buttons.save -text "Save" -default active -command [list [self] ok]
        ttk::button $body.buttons.cancel -text "Cancel" -command [list destroy $path]
        pack $body.buttons.cancel $body.buttons.save -side right -padx [list $px 0]
        grid $body.to $body.file $body.browse -sticky we -padx $px -pady [expr {$px / 2}]
        grid x $body.kinds - -sticky w -padx $px
        grid $body.legend $body.places - -sticky w -padx $px -pady $px
        grid x $body.stats - -sticky w -padx $px
        grid x $body.grey - -sticky w -padx $px
        grid x $body.trouble - -sticky we -padx $px
        grid $body.buttons - - -sticky we -pady [list $px 0]
        grid columnconfigure $body 1 -weight 1
    }

    method browse {} {
        set chosen [tk_getSaveFile -parent $path -title "Save picture" -initialfile [file tail $file] \
            -initialdir [file dirname $file] -filetypes {
                {PNG .png} {SVG .svg} {PDF .pdf} {PostScript {.ps .eps}} {{Web page} .html}}]
        if {$chosen ne {}} {
            set file $chosen
        }
    }

    method ok {} {
        set arguments [list --legend $place]
        foreach option {stats grey} {
            if {[set $option]} {
                lappend arguments --$option
            }
        }
        set trouble {}
        ::pith::Runner new $path "Saving [file tail $file]" [my command $file $arguments] [list [self] saved]
    }

    # Called when the program that saves the picture has ended. The dialog shows an error; if the user has already
    # closed the dialog, the window shows it.
    method saved {how text} {
        if {$how eq "failed"} {
            if {[winfo exists $path]} {
                set trouble $text
            } else {
                $window complain $text
            }
        } elseif {$how eq "done" && [winfo exists $path]} {
            destroy $path
        }
    }
}

::pith::part::add Export {
    words {
        save {FILE ?OPTION...?} {save the view as png, svg, pdf, ps, eps or html; options of pith draw} word_save
        choose_picture {}       {open the dialog that saves a picture}                            choose
    }
}

# Saves an interval as a log of its own, with `pith convert`.
oo::class create ::pith::Clip {
    variable window model

    constructor {its_window} {
        set window $its_window
        set model [$window model]
    }

    # The interval to be saved: the selection, or the time shown if nothing is selected.
    method interval {} {
        return [expr {[$model selection] ne {} ? [$model selection] : [$model window]}]
    }

    method command {to} {
        lassign [my interval] from until
        return [list convert [$model path] [file normalize $to] --from ${from}ns --to ${until}ns]
    }

    method title {to} { return "Writing [file tail $to]" }

    method word_clip {to} {
        ::pith::run_program [$window top] [my title $to] [my command $to]
        return
    }

    method choose {} {
        set name [file rootname [file tail [$model path]]]-part.pith
        set to [tk_getSaveFile -parent [$window top] -title "Save this interval as a log" -initialfile $name \
            -initialdir [file dirname [file normalize [$model path]]] \
            -filetypes {{Log .pith} {CLOG-2 .clog2} {ALOG .alog}}]
        if {$to ne {}} {
            ::pith::Runner new [$window top] [my title $to] [my command $to] [list [self] written]
        }
    }

    method written {how text} {
        if {$how eq "failed"} {
            $window complain $text
        }
    }
}

::pith::part::add Clip {
    words {
        clip        {FILE} {save the selection, else the time shown, as a log} word_clip
        choose_clip {}     {open the dialog that saves this interval as a log}     choose
    }
    menus {Log {- - -  "Save this interval as a log..." choose_clip {}}}
}

# Runs a command of pith as a process of its own, while the window stays responsive. If the command takes long, a small
# window appears, with a button that stops the command.
#
#     ::pith::Runner new $top "Saving x.svg" {draw run.pith -o x.svg} {callback}
#
# When the command ends, the Runner calls the callback and destroys itself. It adds one of these to the callback: `done
# TEXT` (all output of the command), `failed TEXT` (the last line of the output), or `stopped {}` if the user stopped
# the command. If the Runner is destroyed before that, it ends the command and does not call the callback.
#
# APART 1: standard output and standard error are read separately. The callback then gets `done OUTPUT ERRORS`, or
# `failed TEXT OUTPUT`, where OUTPUT is what the command printed before it failed, such as the answer from the readable
# rest of a damaged log. MOST: the Runner ends the command after this many lines of output, and the result counts as
# done; 0: no limit.
oo::class create ::pith::Runner {
    variable top       ;# window over which the small window appears
    variable title
    variable callback
    variable channel   ;# output of the program
    variable errors    ;# channel of standard error if it is read separately; {}: none
    variable said notes ;# texts read from `channel` and from `errors`
    variable most lines ;# most lines that are read (0: all); lines read so far
    variable stopped   ;# 1: the user has stopped the program
    variable box later ;# small window ({}: none); after id of its opening

    constructor {its_top its_title words its_callback {apart 0} {its_most 0}} {
        set top $its_top
        set title $its_title
        set callback $its_callback
        set most $its_most
        lassign {} said notes box later errors
        lassign {0 0} stopped lines
        set program [file join $::pith::folder .. .. .. bin pith]
        set to 2>@1
        if {$apart} {
            lassign [chan pipe] errors end
            chan configure $errors -blocking 0
            set to "2>@$end"
        }
        set bad [catch {open |[list $program {*}$words </dev/null $to] r} channel]
        if {$apart} {
            close $end
        }
        if {$bad} {
            after idle [list {*}$callback failed $channel]
            set channel {}
            after idle [list [self] destroy]
            return
        }
        if {$errors ne {}} {
            chan event $errors readable [list [self] read_errors]
        }
        chan configure $channel -blocking 0
        chan event $channel readable [list [self] read_output]
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
        if {$errors ne {}} {
            close $errors
        }
    }

    # Process ids of the program; {} if it has ended.
    method pids {} { expr {$channel eq {} ? {} : [pid $channel]} }

    # Keeps the small window from appearing.
    method quiet {} { after cancel $later }

    method kill {} {
        catch {exec kill {*}[pid $channel]}
    }

    # Reads standard error while the program runs, because a full pipe would block it.
    method read_errors {} {
        append notes [chan read $errors]
        if {[chan eof $errors]} {
            chan event $errors readable {}
        }
    }

    method read_output {} {
        set new [chan read $channel]
        append said $new
        incr lines [regexp -all \n $new]
        set is_enough [expr {$most && $lines >= $most}]
        if {![chan eof $channel] && !$is_enough} {
            return
        }
        if {$is_enough} {
            my kill
        }
        chan configure $channel -blocking 1
        set bad [expr {[catch {close $channel}] && !$is_enough}]
        set channel {}
        if {$errors ne {}} {
            my read_errors
        }
        # The error message is the last line of the output. Other lines may be before it, such as notes.
        set text [lindex [split [string trim [expr {$errors ne {} && $notes ne {} ? $notes : $said}]] \n] end]
        regsub {^pith: (draw: )?} $text {} text
        regsub {; see `pith help [a-z]+`$} $text {} text
        set answer [expr {$stopped ? {stopped {}} : $bad ? [list failed $text] : [list done $said]}]
        if {$errors ne {} && [lindex $answer 0] ne "stopped"} {
            lappend answer [expr {[lindex $answer 0] eq "done" ? $notes : $said}]
        }
        set call $callback
        my destroy
        {*}$call {*}$answer
    }

    method show {} {
        set box $top.runner[incr ::pith::Runner::count]
        ::pith::open_dialog $box "Pith" $top [list [self] stop]
        wm resizable $box 0 0
        ttk::frame $box.body -padding {14 12}
        ttk::label $box.body.title -text $title
        ttk::progressbar $box.body.bar -mode indeterminate -length 260
        ttk::button $box.body.stop -text "Stop" -command [list [self] stop]
        pack $box.body
        pack $box.body.title -anchor w
        pack $box.body.bar -fill x -pady 8
        pack $box.body.stop -anchor e
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

# Runs a command of pith and waits for its end, while the window stays responsive. Returns its output; throws its error
# message.
proc ::pith::run_program {top title words} {
    set place ::pith::Runner::answer[incr ::pith::Runner::count]
    ::pith::Runner new $top $title $words [list ::pith::set_answer $place]
    vwait $place
    lassign [set $place] how text
    unset $place
    if {$how eq "failed"} {
        throw {PITH IO} $text
    }
    return $how
}
