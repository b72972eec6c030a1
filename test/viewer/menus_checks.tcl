# menus_checks.tcl - menus are short, and every entry and button has a tooltip; runs in a window of the log "plain".

source [file join [file dirname [info script]] window_tap.tcl]
source [file join [file dirname [info script]] hands.tcl]
sync

# ---- What is in the menus
set long {}
set mute {}
set scripts {}
proc look {menu} {
    variable long
    variable mute
    variable scripts
    set count 0
    for {set i 0} {$i <= [$menu index end]} {incr i} {
        switch [$menu type $i] {
            separator continue
            cascade {
                if {![string match *.recent [$menu entrycget $i -menu]]} {
                    look [$menu entrycget $i -menu]
                } else {
                    lappend scripts recent
                }
            }
            default {
                set script [lindex [$menu entrycget $i -command] end]
                lappend scripts $script
                if {![regexp {^[A-Z].* .* } [::pith::menus::help_of $script]]} {
                    lappend mute $script
                }
            }
        }
        incr count
    }
    if {$count > 12} {
        lappend long "$menu $count"
    }
}
set bar $top.menu
for {set i 0} {$i <= [$bar index end]} {incr i} {
    look [$bar entrycget $i -menu]
}
is $long {} "no menu has more than 12 entries"
is $mute {} "each entry says what it does, in a sentence"
set all {}
foreach {label entries} [::pith::menus::rows] {
    foreach {text script key} $entries {
        if {$text ne "-"} {
            lappend all $script
        }
    }
}
is [lsort $scripts] [lsort $all] "all entries of all parts are there, once"

# ---- Tooltips of buttons
is [tip_at $top.tools.fit 5 5] "Show the whole log (f)" "a button says what it does, and its key"
like [tip_at $top.tools.waits 5 5] {^Hatch .*\(Shift-w\)$} "a button of a part, too"
set mute {}
foreach button [winfo children $top.tools] {
    if {[winfo class $button] eq "TButton" && [::pith::menus::help_of [lindex [$button cget -command] end]] eq {}} {
        lappend mute $button
    }
}
is $mute {} "so does each"

# ---- The tooltip of an entry of an open menu
proc until {condition} {
    for {set i 0} {$i < 100 && ![uplevel 1 [list expr $condition]]} {incr i} {
        after 50
        update
    }
    return [uplevel 1 [list expr $condition]]
}
focus -force $plot
settle
hand "key Alt_L v" "key Down"
ok [until {[winfo exists .menutip.text] && [winfo ismapped .menutip.text]}] "it comes where the pointer rests"
set first [.menutip.text cget -text]
ok [expr {$first in [list [::pith::menus::help_of fit] [::pith::menus::help_of work]]}] "of this entry: $first"
hand "key Down"
ok [until {![winfo exists .menutip] || [.menutip.text cget -text] ne $first}] "another entry has another"
hand "key Escape" "key Escape"
ok [until {![winfo exists .menutip]}] "it goes with the menu"
done
