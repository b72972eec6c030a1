# every_key_checks.tcl - presses all keys and chooses all menu entries; runs in a window of any log. An error in a binding
# would open the dialog of trouble.tcl.

source [file join [file dirname [info script]] window_tap.tcl]

# What waits for a person or ends the window is left out.
set left_out {choose_log choose_picture close quit save export choose_clip anim recent beside together preferences}
proc is_left_out {script} {
    variable left_out
    return [expr {[lindex $script 0] in $left_out || [string match *choose_* $script]}]
}
proc tidy {} {
    variable top
    foreach child [winfo children $top] {
        if {[winfo toplevel $child] eq $child && [winfo class $child] eq "Toplevel" && [winfo exists $child]} {
            lappend closed $child
            destroy $child
        }
    }
    update
}
set troubles {}
proc look {what} {
    variable top
    variable troubles
    update
    foreach dialog [list .trouble {*}[lmap child [list $top {*}[winfo children $top]] {set child $child.trouble}]] {
        if {[winfo exists $dialog]} {
            lappend troubles "$what: [$dialog.text cget -text]"
            destroy $dialog
        }
    }
}
rename ::tk_popup ::tk_popup_real
proc ::tk_popup {args} {}
foreach command {tk_getOpenFile tk_getSaveFile tk_messageBox tk_chooseColor} {
    catch {rename ::$command ::${command}_real}
    proc ::$command {args} { return {} }
}
sync
set pressed 0
foreach state {nothing selection} {
    if {$state eq "selection"} {
        fit
        set whole [window]
        select [lindex $whole 0] [lindex $whole 1]
    }
    foreach {events shown help script} [::pith::keys::rows] {
        if {[is_left_out $script]} continue
        focus -force $plot
        event generate $plot <Motion> -x 200 -y 40
        update
        set key [lassign [lreverse [split [lindex $events 0] -]] name]
        event generate $plot <[join [list {*}$key Key $name] -]>
        incr pressed
        look "key $shown"
        tidy
    }
}
sync
is $troubles {} "no key ends in trouble ($pressed were pressed)"
set troubles {}
set chosen 0
proc choose_all {menu} {
    variable chosen
    if {[$menu index end] in {none {}}} {
        return
    }
    for {set i 0} {$i <= [$menu index end]} {incr i} {
        if {[$menu type $i] eq "cascade"} {
            choose_all [$menu entrycget $i -menu]
        } elseif {[$menu type $i] in {command checkbutton radiobutton} && [$menu entrycget $i -state] ne "disabled" &&
            ![is_left_out [lindex [$menu entrycget $i -command] end]]} {
            set label [$menu entrycget $i -label]
            $menu invoke $i
            incr chosen
            look "menu $label"
            tidy
        }
    }
}
foreach menu [winfo children $top.menu] {
    if {![string match "#*" [winfo name $menu]] && [winfo class $menu] eq "Menu"} {
        choose_all $menu
    }
}
sync
is $troubles {} "no entry of a menu does ($chosen were chosen)"

done
