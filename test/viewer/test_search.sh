#!/usr/bin/env bash
# Finding states, events and messages: the bar, the words, the marks (search_checks.tcl).
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
./make_log plain plain.pith && ./make_log rich rich.pith
ok $? "logs are made"
start_display
inside plain.pith search_checks.tcl
is "$(pith view rich.pith -e 'find compute; puts [hits]; quit')" "$(pith stat rich.pith --csv 2>/dev/null |
    awk -F, '$1 == "compute" { print $4 }')" "as many as pith stat counts"
finish
