# trouble.tcl - the error dialog. It has a sentence that says what is wrong and what to do. For an internal error, it
# also has details, which the user can copy into a report.

namespace eval ::pith::trouble {
    variable last {} ;# last internal error, which is not shown again
}

# Shows the error dialog. DETAILS: text for a report; {}: none.
proc ::pith::trouble::show {parent text {details {}}} {
    set dialog [expr {$parent eq "." ? {} : $parent}].trouble
    destroy $dialog
    toplevel $dialog -background [::pith::theme::colour panel] -padx 18 -pady 14
    wm title $dialog Pith
    if {$parent ne "." && [winfo ismapped $parent]} {
        wm transient $dialog $parent
        wm geometry $dialog +[expr {[winfo rootx $parent] + 80}]+[expr {[winfo rooty $parent] + 80}]
    }
    ttk::label $dialog.text -text $text -wraplength 460 -justify left
    set buttons [ttk::frame $dialog.buttons]
    ttk::button $buttons.close -text Close -command [list destroy $dialog]
    pack $buttons.close -side right
    if {$details ne {}} {
        ttk::button $buttons.details -text Details -command [list ::pith::trouble::unfold $dialog $details]
        ttk::button $buttons.copy -text Copy -command [list ::pith::trouble::copy $text $details]
        pack $buttons.details $buttons.copy -side left -padx {0 4}
    }
    pack $buttons -side bottom -fill x -pady {14 0}
    pack $dialog.text -anchor w
    bind $dialog <Escape> [list destroy $dialog]
    bind $dialog <Return> [list destroy $dialog]
    focus $buttons.close
}

proc ::pith::trouble::unfold {dialog details} {
    if {[winfo exists $dialog.details]} {
        destroy $dialog.details
        return
    }
    text $dialog.details -width 80 -height 12 -font PithSmall -wrap none -background [::pith::theme::colour paper] \
        -foreground [::pith::theme::colour text] -relief flat -highlightthickness 0
    $dialog.details insert end $details
    $dialog.details configure -state disabled
    pack $dialog.details -fill both -expand 1 -pady {10 0}
}

proc ::pith::trouble::copy {text details} {
    clipboard clear
    clipboard append "Pith [package provide pithtk], Tk $::tk_patchLevel\n$text\n$details\n"
}

# Tk calls this for errors in bindings and timers. Shows the error dialog over the active window, and prints a line on
# stderr.
proc ::pith::trouble::background {text options} {
    variable last
    if {$text eq $last} {
        return
    }
    set last $text
    set code [dict get $options -errorcode]
    puts stderr "pith: [string map {\n { }} $text]"
    set parent [winfo toplevel [expr {[focus] eq {} ? "." : [focus]}]]
    if {[lindex $code 0] eq "PITH"} {
        show $parent $text
    } else {
        show $parent "Internal error: $text. You can continue to use the window.\
            Please report this error with the details." \
            [dict get $options -errorinfo]
    }
}
