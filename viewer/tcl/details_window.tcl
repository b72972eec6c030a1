# details_window.tcl - a window that tells all about what is chosen, and follows it; with buttons that walk on.

oo::class create ::pith::DetailsWindow {
    variable window
    variable dialog  ;# the toplevel, when it is open
    variable text    ;# the text in it

    constructor {its_window} {
        set window $its_window
        set dialog [$window top].details
        [$window choice] follow [list [self] changed]
    }

    method changed {thing} {
        if {[winfo exists $dialog]} {
            my fill
        }
    }

    method word_details {} {
        if {[winfo exists $dialog]} {
            destroy $dialog
            return
        }
        my build
        my fill
    }

    method build {} {
        set top [$window top]
        toplevel $dialog -background [::pith::theme::colour panel]
        wm title $dialog "Pith: details"
        wm transient $dialog $top
        wm geometry $dialog +[expr {[winfo rootx $top] + [winfo width $top] - 420}]+[expr {[winfo rooty $top] + 80}]
        set text $dialog.text
        text $text -width 46 -height 14 -relief flat -borderwidth 0 -padx 14 -pady 10 -wrap word -cursor {} \
            -font TkDefaultFont -background [::pith::theme::colour paper] -foreground [::pith::theme::colour text] \
            -highlightthickness 0 -state disabled -tabs 110 -takefocus 1
        $text tag configure title -font PithBold -spacing3 6
        $text tag configure word -foreground [::pith::theme::colour faint]
        $text tag configure line -lmargin2 110 -spacing3 2
        my build_buttons [ttk::frame $dialog.buttons -padding 8]
        pack $dialog.buttons -side bottom -fill x
        pack $text -fill both -expand 1
        bind $dialog <Escape> [list destroy $dialog]
        focus $dialog.buttons.next
    }

    method build_buttons {frame} {
        set row 0
        set column 0
        foreach {name label word help} {
            prev "\u25c0 Same" {same prev} {}  next "Same \u25b6" {same next} {}  parent "Around it" parent {}
            jump "Other end" jump {}  copy Copy copy {}
        } {
            ttk::button $frame.$name -text $label -width 0 -command [list [self] do $word]
            pack $frame.$name -side left -padx 2
        }
        ttk::button $frame.close -text Close -width 0 -command [list destroy $dialog]
        pack $frame.close -side right
    }

    method do {word} {
        $window act $word
    }

    method fill {} {
        set thing [[$window choice] thing]
        $text configure -state normal
        $text delete 1.0 end
        if {$thing eq {}} {
            $text insert end "Nothing is chosen. Click on a state, an event or a message." word
        } else {
            foreach {word value} [[$window details] all_lines $thing] {
                if {$word eq {}} {
                    $text insert end $value\n title
                } else {
                    $text insert end $word\t {word line} $value\n line
                }
            }
        }
        $text configure -state disabled
    }
}

::pith::part::add DetailsWindow {
    words {details {} {a window with all about what is chosen; again: close it} word_details}
    keys {{space} {Space} {a window with all about what is chosen} {details}}
    menus {Search {"Details..." details Space}}
}
