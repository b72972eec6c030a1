# hands_checks.tcl - keys and the pointer of the X server, which reach all bindings of a widget, also those of its
# class; runs in a window of the log "plain".

source [file join [file dirname [info script]] window_tap.tcl]
source [file join [file dirname [info script]] hands.tcl]

set dialog $top.commands
set list $dialog.list
sync
focus -force $plot
hand [onto $plot]
# The place of the entry with this title in the list of all commands.
proc entry {title} {
    variable list
    foreach item [$list children {}] {
        if {[$list item $item -text] eq $title} {
            lassign [$list bbox $item] x y width height
            return [list [expr {$x + 40}] [expr {$y + $height / 2}]]
        }
    }
}

# ---- A double click in the list of all commands
zoom 0.2 0.4
hand "key Control_L P"
ok [winfo exists $dialog] "Ctrl-Shift-P opens the list"
type_in "show all"
set at [entry "View: Show all"]
hand [onto $list {*}$at] "click 1" "click 1"
ok [expr {![winfo exists $dialog]}] "a double click on an entry runs it, and closes the list"
ok [near [window] {0 1}] "it ran: [window]"
is [troubles] {} "without trouble"
zoom 0.2 0.4
focus -force $plot
hand "key Control_L P"
type_in "show all"
hand [onto $list {*}[entry "View: Show all"]] "click 1" "key Return"
ok [expr {![winfo exists $dialog] && [near [window] {0 1}]}] "so does Return in the list"
is [troubles] {} "without trouble, too"
focus -force $plot
hand "key Control_L P"
type_in "show all"
hand [onto $list 40 [expr {[winfo height $list] - 5}]] "click 1" "click 1"
ok [winfo exists $dialog] "a double click below the last entry runs none"
hand "key Escape"

# ---- Modifiers that a key does not have
foreach {keys what} {
    {Alt_L s} "Alt-s opens a menu"  {Alt_L h} "Alt-h"  {Control_L h} "Ctrl-h"  {Super_L s} "Super-s"
} {
    zoom 0.2 0.4
    focus -force $plot
    hand [onto $plot [x_of 0.25] 12] "key $keys"
    is "[near [window] {0.2 0.4}] [[[lindex [info class instances ::pith::Window] 0] model] hidden]" "1 " \
        "$what does not run the key"
    hand "key Escape" "key Escape"
}
zoom 0.2 0.4
focus -force $plot
hand "wait 0.7" "key s" ;# later, so that both can be undone
ok [near [window] {0.1 0.5}] "the key alone does: [window]"
hand "key Control_L z"
ok [near [window] {0.2 0.4}] "and a key with Ctrl"

# ---- The command line
focus -force $plot
hand "key g"
type_in "0.1 0.2"
hand "key Return"
ok [near [window] {0.1 0.2}] "g and two times: [window]"
is [focus] $plot "then keys are for the timelines again"
hand "key f"
ok [near [window] {0 1}] "f shows all"
ok [expr {![winfo ismapped $top.command]}] "the line is closed"
hand "key colon"
type_in "zoon"
hand "key Return"
is [focus] $top.command.line "an error stays, and the line can be typed anew"
hand "key Escape"

done
