#!/usr/bin/env tclsh
# words.tcl - writes the sections COMMANDS and KEYS of pith-view.1 from the tables of the window (viewer/tcl):
#
#     tclsh man/words.tcl          writes the page anew
#     tclsh man/words.tcl check    checks whether that would change it: exit status 0 or 1

set top [file dirname [file dirname [file normalize [info script]]]]
set page [file join $top man pith-view.1]
namespace eval ::pith { variable folder {} }
source -encoding utf-8 [file join $top viewer tcl commands.tcl] ;# once: its table of parts starts empty
foreach file [lsort [glob -directory [file join $top viewer tcl] -tails *.tcl]] {
    if {$file ni {main.tcl commands.tcl}} {
        source -encoding utf-8 [file join $top viewer tcl $file]
    }
}

proc roff {text} {
    set text [string map [list \\ \\e - \\- ' \\(aq \" \\(dq \u2013 \\(en] $text]
    return [expr {[string index $text 0] in {. '} ? "\\&$text" : $text}]
}

proc sentence {text} {
    set text [string toupper $text 0 0]
    return [expr {[string match {*[.?]} $text] ? $text : "$text."}]
}

proc words_text {} {
    set text ".SH COMMANDS\n"
    dict for {group rows} [::pith::words::groups] {
        append text ".SS $group\n"
        foreach {word arguments help method} $rows {
            append text ".TP\n.B [roff $word]\n"
            if {$arguments ne {}} {
                append text "[roff $arguments]\n.br\n"
            }
            append text "[roff [sentence $help]]\n"
        }
    }
    return $text
}

proc keys_text {} {
    set text ".SH KEYS\n"
    dict for {group rows} [::pith::keys::groups] {
        append text ".SS [expr {$group eq {} ? {Other} : $group}] keys\n"
        foreach {events shown help script} $rows {
            append text ".TP\n.B [roff $shown]\n[roff [sentence $help]]\n"
        }
    }
    append text ".SS Mouse\n"
    foreach {shown help} $::pith::keys::pointing {
        append text ".TP\n.B [roff $shown]\n[roff [sentence $help]]\n"
    }
    return $text
}

proc read_text {path} {
    set channel [open $path]
    fconfigure $channel -encoding utf-8
    set text [read $channel]
    close $channel
    return $text
}

set from ".\\\" man/words.tcl writes the following lines.\n"
set to ".\\\" End of the lines written by man/words.tcl.\n"
set old [read_text $page]
set begin [string first $from $old]
set end [string first $to $old]
if {$begin < 0 || $end < $begin} {
    puts stderr "$page: the lines that man/words.tcl writes between are missing"
    exit 1
}
set new [string range $old 0 $begin-1]$from[words_text][keys_text][string range $old $end end]
if {[lindex $argv 0] eq "check"} {
    exit [expr {$new ne $old}]
}
set channel [open $page w]
fconfigure $channel -encoding utf-8
puts -nonewline $channel $new
close $channel
