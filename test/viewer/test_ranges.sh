#!/usr/bin/env bash
# Mountain ranges below the time lines, in the window and in pictures.
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
./make_log plain plain.pith && ./make_log big big.pith
ok $? "logs are made"
start_display
inside plain.pith ranges_checks.tcl

# A log with a summary: rough at once, exact by a job; the same as when all is read.
out=$(pith view big.pith -e 'ranges on; zoom 100ms 300ms; puts [ranges at 200ms]; quit' 2>&1)
like "$out" '^(\{[^{}]* [0-9.]+\} ?|\{\{[^{}]*\} [0-9.]+\} ?)+$' "a log with a summary: $out"
out=$(pith view big.pith -e 'ranges on; update; ranges off; ranges on; zoom 1ms 2ms; update; close' 2>&1)
is "$?:$out" "0:" "a window that is closed while its job runs"
finish
