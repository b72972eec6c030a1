# colours.tcl - the colours that the user gave to states: in the file colours beside the preferences, as lines
#
#     rule NAME #rrggbb             in all logs; NAME is a pattern
#     log PATH NAME #rrggbb         in one log, stronger than rules
#
# each a Tcl list. Of several lines that fit, the last one counts.

namespace eval ::pith::colours {}

proc ::pith::colours::path {} {
    return [file join [::pith::preferences::folder] colours]
}

# #rrggbb of what people type: a name that Tk knows, or a number; {PITH USAGE} otherwise.
proc ::pith::colours::parse {text} {
    if {[catch {winfo rgb . $text} channels]} {
        return -code error -errorcode {PITH USAGE} "no colour: $text; give one such as #1f77b4 or blue"
    }
    return [format #%02x%02x%02x {*}[lmap channel $channels {expr {$channel >> 8}}]]
}

# A list of {pattern log colour}, log {} for rules. What is damaged is said; the rest is used.
proc ::pith::colours::read {} {
    set rows {}
    set number 0
    if {[catch {::pith::preferences::lines_of [path]} lines]} {
        ::pith::preferences::say "[path]: $lines"
        return {}
    }
    foreach line $lines {
        incr number
        if {[regexp {^\s*(#|$)} $line]} {
            continue
        }
        if {[catch {row_of $line} row]} {
            ::pith::preferences::say "[path]: line $number: must be rule NAME #rrggbb, or log PATH NAME #rrggbb"
        } else {
            lappend rows $row
        }
    }
    return $rows
}

proc ::pith::colours::row_of {line} {
    switch [lindex $line 0]:[llength $line] {
        rule:3 { lassign $line -> pattern colour; set log {} }
        log:4 { lassign $line -> log pattern colour }
        default { error "" }
    }
    if {![regexp {^#[[:xdigit:]]{6}$} $colour]} {
        error ""
    }
    return [list $pattern $log $colour]
}

# A dict id -> colour of what the user gave to definitions of a log.
proc ::pith::colours::chosen {log defs} {
    set log [file normalize $log]
    set found {}
    set rows [read]
    foreach of [list {} $log] {
        foreach row $rows {
            lassign $row pattern its_log colour
            if {$its_log ne $of} {
                continue
            }
            dict for {id def} $defs {
                if {[dict get $def name] eq $pattern || [string match $pattern [dict get $def name]]} {
                    dict set found $id $colour
                }
            }
        }
    }
    return $found
}

# Stores a colour of a name, {} none; log {} for a rule.
proc ::pith::colours::store {pattern log colour} {
    ::pith::preferences::change_file [path] [list ::pith::colours::changed $pattern $log $colour]
}

proc ::pith::colours::changed {pattern log colour lines} {
    set kept {}
    foreach line $lines {
        if {[catch {row_of $line} row] || [lrange $row 0 1] ne [list $pattern $log]} {
            lappend kept $line
        }
    }
    if {$colour ne {}} {
        lappend kept [expr {$log eq {} ? [list rule $pattern $colour] : [list log $log $pattern $colour]}]
    }
    return $kept
}
