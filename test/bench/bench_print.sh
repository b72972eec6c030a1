#!/usr/bin/env bash
# What the text tools cost: million records a second of `pith print`, `stat`, `convert` on one log of 4 ranks, beside
# the floor (the same log read in time order, nothing printed) measured in the same run. Best of 3.
. "$(dirname "$0")/../lib.sh"
. "$top/test/bench/bench.sh"
records=5000000
"$build/test/cli/make_cli_log" big $records big.pith || exit 0
records=$(pith info big.pith | sed -n 's/^records: //p')

rate() { calc "$records / $1 / 1e6"; } # of SECONDS
floor=$(rate "$(least pith print --state ' none ' big.pith)")
line() { # NAME GOAL COMMAND...
    local name=$1 goal=$2; shift 2
    row "$name" "$(rate "$(least "$@")")" Mevents/s "$floor" $goal
}
row "read in order, nothing printed" "$floor" Mevents/s
line "pith print" ">=5" pith print big.pith
line "pith print --csv" "" pith print --csv big.pith
line "pith print --json" ">=3" pith print --json big.pith
line "pith stat" "" pith stat big.pith
line "pith convert to .pith" "" pith convert big.pith out.pith
line "pith convert to .clog2" ">=15" pith convert big.pith out.clog2
line "pith convert to .alog" "" pith convert big.pith out.alog
