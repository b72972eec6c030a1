#!/usr/bin/env bash
# pith analyze on logs of messages with waiting: records per second, memory, page faults, and how they grow with the
# number of lanes. Processor time is that of all threads: it can be compared with the floor beside other work, too.
# The floor is reading the same records in order (pithlog_iter). BENCH_RECORDS: how many records (default 3.2e7). With
# BIG=1 also 1e9 records of 64 lanes, which need 30 GB of disk in TMPDIR, and 65,536 lanes.
. "$(dirname "$0")/../lib.sh"
. "$top/test/bench/bench.sh"
records=${BENCH_RECORDS:-32000000}
cc -O2 -o peak "$top/test/bench/peers/peak.c" &&
    cc -O2 -I"$build/include" -o read "$top/test/bench/peers/peer_read.c" -L"$build/lib" -lpithlog -Wl,-rpath,"$build/lib" || exit 0

# lanes NUMBER RATE_GOAL MEMORY_GOAL: a log of that many ranks with one lane each.
lanes() {
    local lanes=$1 each=$((records / $1 / 8 * 8)) seconds peak floor cpu faults name
    name="$lanes lanes, $(calc "$records / 1e6")e6 records"
    "$build/test/bench/make_big_log" log.pith "$lanes" "$lanes" "$each" mpi || return
    floor=$(./read log.pith)
    row "$name: read in order (floor)" "$floor" Mevents/s
    rm -rf "$XDG_CACHE_HOME" # an analysis is kept there
    ./peak used pith analyze log.pith --csv >out
    { read -r seconds peak && read -r cpu && read -r faults; } <used
    row "$name: analyzed" "$(calc "$lanes * $each / $seconds / 1e6")" Mevents/s "$floor" "$2"
    row "$name: analyzed, by processor time" "$(calc "$lanes * $each / $cpu / 1e6")" Mevents/s "$floor" ""
    row "$name: memory" "$peak" MiB 0 "$3"
    row "$name: page faults" "$(calc "$faults * 1000 / $lanes / $each")" "a 1000 rec." 0 ""
    ./peak used pith analyze log.pith --csv >again && cmp -s out again || return
    read -r seconds peak <used
    row "$name: analyzed again" "$(calc "$lanes * $each / $seconds / 1e6")" Mevents/s "$floor" ""
    rm -f log.pith
}
lanes 64 ">=10" "<=64"
lanes 1024 ">=8" "<=68"
lanes 16384 ">=5" "<=128"
if [ -n "${BIG:-}" ]; then
    lanes 65536 "" "<=320"
    records=${BENCH_RECORDS:-1000000000}
    lanes 64 "" "<=64"
fi
