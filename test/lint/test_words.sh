#!/usr/bin/env bash
# The words and keys of the window: each once, each in pith-view(1) as in the tables, each entry of a menu or key a word.
. "$(dirname "$0")/../lib.sh"
tcl=$(command -v tclsh8.6 || command -v tclsh) || { skip "words" "no tclsh"; finish; }
"$tcl" "$top/man/words.tcl" check
ok $? "pith-view(1) has all words and keys; if not: tclsh man/words.tcl"
cat >words_check.tcl <<'END'
set top [lindex $argv 0]
namespace eval ::pith { variable folder {} }
foreach file [list part.tcl {*}[lsort [glob -directory [file join $top viewer tcl] -tails *.tcl]]] {
    if {$file ne "main.tcl"} { source -encoding utf-8 [file join $top viewer tcl $file] }
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
END
is "$("$tcl" words_check.tcl "$top")" "" "each word and each key has one meaning, and help"
finish
