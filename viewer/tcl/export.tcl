# export.tcl - what the window shows as a file: `pith draw` makes it of the same window of time, rows, colours and
# hidden states, told in words that both know (draw/draw_words.c). The word `save`, and the dialog.

oo::class create ::pith::Export {
    variable window model
    variable path       ;# the toplevel, while it is open
    variable file       ;# where to
    variable place      ;# of the legend: bottom, right, none
    variable stats grey ;# 1: with a table of states; greys
    variable trouble    ;# why it was not saved

    constructor {its_window} {
        set window $its_window
        set model [$window model]
        set path [$window top].export
        set file {}
        set place bottom
        set stats 0
        set grey 0
        set trouble {}
    }

    # ---- The view in words

    # A name as a pattern that fits nothing else.
    method pattern {id} {
        return [string map {\\ \\\\ * \\* ? \\? [ \\[ ] \\]} [dict get [$model def $id] name]]
    }

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
        if {![$model arrows]} {
            lappend words {arrows off}
        }
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

    # ---- The word

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
        set pad [::pith::theme::px 12]
        toplevel $path -background [::pith::theme::colour panel]
        wm title $path "Save picture"
        wm transient $path [$window top]
        wm resizable $path 1 0
        my build [ttk::frame $path.body -padding $pad]
        pack $path.body -fill both -expand 1
        bind $path <Return> [list [self] ok]
        bind $path <Escape> [list destroy $path]
        focus $path.body.file
        $path.body.file icursor end
    }

    method build {body} {
        set px [::pith::theme::px 6]
        ttk::label $body.to -text "File"
        ttk::entry $body.file -textvariable [my varname file] -width 46
        ttk::button $body.browse -text "Browse..." -command [list [self] browse]
        ttk::label $body.kinds -style Faint.TLabel \
            -text "Its suffix says which kind: .png .svg .pdf .ps .eps, or .html, a page that zooms"
        ttk::label $body.legend -text "Legend"
        ttk::frame $body.places
        foreach {value text} {bottom below right beside none none} {
            ttk::radiobutton $body.places.$value -text $text -value $value -variable [my varname place]
            pack $body.places.$value -side left -padx [list 0 $px]
        }
        ttk::checkbutton $body.stats -text "A table of the states: count, times, share" -variable [my varname stats]
        ttk::checkbutton $body.grey -text "Greys, for printers without colour" -variable [my varname grey]
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
                {PNG .png} {SVG .svg} {PDF .pdf} {PostScript {.ps .eps}} {{Page for a browser} .html}}]
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

    # The dialog may be closed by now; then only an error is told.
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
        save {FILE ?OPTION...?} {what is shown as png, svg, pdf, ps, eps, html; options as of pith draw} word_save
        choose_picture {}       {the dialog for it}                                                 choose
    }
}
