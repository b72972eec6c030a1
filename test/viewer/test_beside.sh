#!/usr/bin/env bash
# Two logs on one time axis.
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
"$make_log" plain plain.pith && "$make_log" rich rich.pith && pith convert plain.pith later.pith --from 250ms
ok $? "logs are made"
screen_size=1300x1400
start_display
inside plain.pith beside_checks.tcl
# What changed, by cause.
make_tour_log=$build/test/viewer/make_tour_log
"$make_tour_log" before before.pith && "$make_tour_log" after after.pith
inside before.pith changes_checks.tcl
like "$(pith view --together before.pith plain.pith -e 'puts [lindex [beside changes] 0]; quit' 2>&1)" '.' "logs that have nothing in common: something is said"

is "$(pith view --together plain.pith later.pith -e 'puts [file tail [beside]]; quit' 2>&1)" later.pith "--together"
is "$(pith view --together plain.pith 2>&1)" 'pith: view: --together needs two logs; see `pith help view`' "of one log"
is "$(pith view --together plain.pith none.pith 2>&1)" 'pith: none.pith: no such file; this folder has after.pith, before.pith, later.pith, plain.pith, rich.pith' "a log that is not there"
echo "no log" >text.pith
like "$(pith view --together plain.pith text.pith 2>&1)" '^pith: text\.pith: ' "no log"
out=$(pith view --together plain.pith rich.pith -e 'beside align init; sync; close' 2>&1)
is "$?:$out" "0:" "a window with two logs is closed"
# Another number of ranks: times are those of a rank, and shares leave empty time out. One rank of plain has red 0.5 s (0.1
# of it in green) and blue 0.5 s, the other blue 0.5 s.
"$make_log" alone alone.pith
is "$(pith view --together plain.pith alone.pith -e 'puts [beside table]; quit' 2>&1)" \
    "{blue 0.500000000 0.500000000} {red 0.200000000 0.400000000} {green 0.050000000 0.100000000} {computing 0.075000000 0.000000000}" "times of a rank"
finish
