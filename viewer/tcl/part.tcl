# part.tcl - parts of a window that nobody else knows: dialogs, panes, features. A part is a class in a file of its own,
# which ends by telling what it brings along:
#
#     ::pith::part::add Histogram {
#         words {lengths {?NAME?} {how long states last, as a histogram} word_lengths}    rows as in words.tcl
#         keys  {{l} {l} {how long states last} {lengths}}                                rows as in keys.tcl
#         menus {Statistics {"State lengths..." lengths l}}                               text, script, key
#         buttons {lengths "Lengths" lengths {how long states last}}                      name, text, script, help
#         group Statistics                     of its keys and words in the help; if not said, its first menu
#     }
#
# Each window makes one object of the class, `::pith::Histogram new $window`; methods named in `words` are that object's.
# What it needs of the window it asks for: `$window model`, `timeline`, `top`, `part Histogram`. A method `flush`, if there
# is one, draws what is still to be drawn: the word `sync` calls it. A method `finish` makes what the first picture does
# without (bars that are not open, menus), and is called when that is on the screen, before any word or key acts.
#
# A part with the methods `state` (a text) and `restore` (takes it) has it kept for the next time the log is opened
# (view_state.tcl).

namespace eval ::pith::part {
    variable all {} ;# class -> dict of words, keys, menus
}

proc ::pith::part::add {class brings} {
    variable all
    dict set all $class [dict merge {words {} keys {} menus {} buttons {}} $brings]
}

proc ::pith::part::classes {} {
    variable all
    return [dict keys $all]
}

# All rows of a kind, of the window's own table and of the parts.
proc ::pith::part::rows {kind own} {
    variable all
    dict for {class brings} $all {
        lappend own {*}[dict get $brings $kind]
    }
    return $own
}

# The words, and the keys, of a part's class.
proc ::pith::part::words {class} {
    variable all
    return [dict get $all $class words]
}

proc ::pith::part::keys {class} {
    variable all
    return [dict get $all $class keys]
}

# The group in which its keys and words are listed: the first menu that it has entries in.
proc ::pith::part::group {class} {
    variable all
    set menus [dict get $all $class menus]
    return [expr {[dict exists $all $class group] ? [dict get $all $class group] :
        $menus eq {} ? "View" : [lindex $menus 0]}]
}
