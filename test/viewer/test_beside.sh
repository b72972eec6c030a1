#!/usr/bin/env bash
# Two logs on one time axis.
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
./make_log plain plain.pith && ./make_log rich rich.pith && pith convert plain.pith later.pith --from 250ms
ok $? "logs are made"
start_display
inside plain.pith beside_checks.tcl

is "$(pith view --together plain.pith later.pith -e 'puts [file tail [beside]]; quit' 2>&1)" later.pith "--together"
is "$(pith view --together plain.pith 2>&1)" 'pith: view: --together needs two logs; see `pith help view`' "of one log"
is "$(pith view --together plain.pith none.pith 2>&1)" 'pith: none.pith: no such file' "a log that is not there"
echo "no log" >text.pith
like "$(pith view --together plain.pith text.pith 2>&1)" '^pith: text\.pith: ' "no log"
out=$(pith view --together plain.pith rich.pith -e 'beside align init; sync; close' 2>&1)
is "$?:$out" "0:" "a window with two logs is closed"
finish
