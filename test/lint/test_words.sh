#!/usr/bin/env bash
# The commands and keys of the window: each occurs once, and pith-view(1) lists all of them as the tables do.
. "$(dirname "$0")/../lib.sh"
tcl=$(command -v tclsh8.6 || command -v tclsh) || { skip "words" "no tclsh"; finish; }
"$tcl" "$top/man/words.tcl" check
ok $? "pith-view(1) has all commands and keys; otherwise run: tclsh man/words.tcl"
cat >words_check.tcl <<'END'
set top [lindex $argv 0]
namespace eval ::pith { variable folder {} }
source -encoding utf-8 [file join $top viewer tcl commands.tcl] ;# once: its table of parts starts empty
foreach file [lsort [glob -directory [file join $top viewer tcl] -tails *.tcl]] {
    if {$file ni {main.tcl commands.tcl}} { source -encoding utf-8 [file join $top viewer tcl $file] }
}
set words {}
foreach {word arguments help method} [::pith::part::rows words $::pith::words::table] {
    if {$word in $words} { puts "two words $word" }
    if {$help eq {}} { puts "no help for $word" }
    lappend words $word
}
set keys {}
foreach {events shown help script} [::pith::keys::rows] {
    foreach event $events {
        if {$event in $keys} { puts "two meanings of the key $event" }
        lappend keys $event
    }
}
puts "parts: [lsort [::pith::part::classes]]"
END
parts=$(sed -n 's/^::pith::part::add \([A-Za-z]*\).*/\1/p' "$top"/viewer/tcl/*.tcl | LC_ALL=C sort | xargs)
is "$("$tcl" words_check.tcl "$top")" "parts: $parts" "all parts are there; each command and each key has one meaning, and help"
finish
