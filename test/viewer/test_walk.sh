#!/usr/bin/env bash
# From record to record, and the details of what is chosen (walk_checks.tcl).
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
"$make_log" plain plain.pith
ok $? "a log is made"
start_display
inside plain.pith walk_checks.tcl
"$make_log" rich rich.pith
inside rich.pith counter_checks.tcl
pith draw rich.pith -o rich.svg -e 'height 60' 2>err || sed 's/^/# /' err
is "$(grep -oE '<text [^>]*>(102\.4|0)<' rich.svg | sed 's/.*>\(.*\)</\1/' | xargs)" "102.4 0" "the graph of a counter has a scale"
finish
