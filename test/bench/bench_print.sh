#!/usr/bin/env bash
# What the text tools cost: million records a second of `pith print`, `stat`, `convert` on one log of 4 ranks, beside
# the floor (the same log read in time order, nothing printed) measured in the same run. Best of 3. Never fails.
. "$(dirname "$0")/../lib.sh"
records=5000000
make -s -C "$top" O="$build" "$build/test/cli/make_cli_log" >/dev/null && "$build/test/cli/make_cli_log" big $records big.pith || exit 0
records=$(pith info big.pith | sed -n 's/^records: //p')

best() { # COMMAND...: the shortest of 3 runs, in ns
    local best=0 begin took
    for _ in 1 2 3; do
        begin=$(date +%s%N)
        "$@" >/dev/null 2>&1
        took=$(($(date +%s%N) - begin))
        if [ $best = 0 ] || [ $took -lt $best ]; then best=$took; fi
    done
    echo $best
}
floor=$(best pith print --state ' none ' big.pith)
line() { # NAME GOAL COMMAND...
    local name=$1 goal=$2 took; shift 2
    took=$(best "$@")
    awk -v n="$name" -v r="$records" -v t="$took" -v f="$floor" -v g="$goal" \
        'BEGIN { printf "%-22s %7.1f Mrecords/s  %5.2f x floor%s\n", n, r * 1000 / t, t / f, g ? "  (goal " g " Mrecords/s)" : "" }'
}
awk -v r="$records" -v t="$floor" 'BEGIN { printf "%-22s %7.1f Mrecords/s\n", "floor: read in order", r * 1000 / t }'
line "print" 5 pith print big.pith
line "print --csv" "" pith print --csv big.pith
line "print --json" 3 pith print --json big.pith
line "stat" "" pith stat big.pith
line "convert to .pith" "" pith convert big.pith out.pith
line "convert to .clog2" 15 pith convert big.pith out.clog2
line "convert to .alog" "" pith convert big.pith out.alog
