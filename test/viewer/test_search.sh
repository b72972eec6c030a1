#!/usr/bin/env bash
# Finding states, events and messages: the bar, the words, the marks (search_checks.tcl).
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
"$make_log" plain plain.pith && "$make_log" rich rich.pith
ok $? "logs are made"
start_display
inside plain.pith search_checks.tcl
is "$(pith view rich.pith -e 'find compute; puts [hits]; quit')" "$(pith stat rich.pith --csv 2>/dev/null |
    awk -F, '$1 == "compute" { print $4 }')" "as many as pith stat counts"
# Queries find the states, events and sends that pith print selects.
"$build/test/bench/make_big_log" big.pith 2 4 300000
for log in rich big; do
    for query in 'duration > 2us and rank == 1' 'self < 1us or size >= 4' 'not depth == 0 and end < 300ms' 'comm == 0' 'kind == event or lane in 0, 3'; do
        pith print "$log.pith" --where "$query" | awk -F '\t' '/^#/ { next }
            $4 == "enter" || $4 == "event" { n++; last = $5 ", rank " $2; if (n == 1) print last }
            $4 == "send" { split($7, to, "="); n++; last = "message rank " $2 " to " to[2]; if (n == 1) print last }
            END { print "from the end: " last; print n }' >expected
        pith view "$log.pith" -e "puts [find {$query}]; puts [prev]; puts [hits]; quit" 2>&1 | sed 's/, at .*//; s/, [0-9].* bytes$//' >said
        is "$(cat said)" "$(cat expected)" "$log: $query"
    done
done
# A search that is replaced by another one reports its end later; that is not the end of the other one.
is "$(pith view big.pith -e 'for {set i 0} {$i < 20} {incr i} {
        find {depth == 0}; find {kind == event or lane in 0, 3}; lappend all [hits] }
    puts [lsort -unique $all]; quit' 2>&1)" "$(tail -n 1 expected)" "the number of hits is that of the last search"
is "$(pith view rich.pith -e 'note 1ms 0 mark; find; set bar [winfo toplevel [canvas]].search; update
    $bar.pattern insert 0 compute; event generate $bar.pattern <Return>; find mark -kind note
    after 300 {set over 1}; vwait over; puts [set [$bar.message cget -textvariable]]; quit' 2>&1)" "1 hit" \
    "a search of notes that replaces another one"
finish
