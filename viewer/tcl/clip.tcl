# clip.tcl - a log of its own of what happened in a stretch of time: `pith convert` makes it. The word `clip`, and the
# menu's entry.

oo::class create ::pith::Clip {
    variable window model

    constructor {its_window} {
        set window $its_window
        set model [$window model]
    }

    # The selection, or when there is none, the window of time.
    method stretch {} {
        return [expr {[$model selection] ne {} ? [$model selection] : [$model window]}]
    }

    method command {to} {
        lassign [my stretch] from until
        return [list convert [$model path] [file normalize $to] --from ${from}ns --to ${until}ns]
    }

    method title {to} { return "Writing [file tail $to]" }

    method word_clip {to} {
        ::pith::run_program [$window top] [my title $to] [my command $to]
        return
    }

    method choose {} {
        set name [file rootname [file tail [$model path]]]-part.pith
        set to [tk_getSaveFile -parent [$window top] -title "Save this stretch of time as a log" -initialfile $name \
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
        clip        {FILE} {the selection, or what is shown, as a log of its own} word_clip
        choose_clip {}     {the dialog for it}                                    choose
    }
    menus {Log {- - -  "Save this stretch as a log..." choose_clip {}}}
}
