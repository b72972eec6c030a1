#!/usr/bin/env bash
# Logs at scale: one of 1e9 records of 64 ranks, and one of 100000 ranks with 100 records each. Written, opened, read in
# order, a window printed, drawn; how long, and how much memory. Only with BIG=1 (some minutes, 4 GB of disk in TMPDIR).
# BENCH_RECORDS: how many records. When a log is opened first it is not in memory, if the system can be told so (root).
. "$(dirname "$0")/../lib.sh"
. "$top/test/bench/bench.sh"
[ -n "${BIG:-}" ] || { echo "not asked for: make bench BIG=1"; exit 0; }
records=${BENCH_RECORDS:-1000000000}
cc -O2 -o peak "$top/test/bench/peers/peak.c" &&
    cc -O2 -I"$build/include" -o read "$top/test/bench/peers/peer_read.c" -L"$build/lib" -lpithlog -Wl,-rpath,"$build/lib" || exit 0
cold="not in memory"

# big NAME RANKS RECORDS SIZE RATE: RECORDS of each rank; one lane a rank; goals for size and reading, or "".
big() {
    local name=$1 ranks=$2 records=$3 size_goal=$4 rate_goal=$5 all=$(($2 * $3)) seconds peak rate middle
    ./peak used "$build/test/bench/make_big_log" big.pith "$ranks" "$ranks" "$records" || return
    read -r seconds peak <used
    row "$name: made and written" "$(calc "$all / $seconds / 1e6")" Mevents/s
    row "$name: memory of the writer" "$peak" MiB 0 "<=64"
    row "$name: size" "$(calc "$(stat -c %s big.pith) / $all")" bytes/event 0 "$size_goal"

    sync && { echo 1 >/proc/sys/vm/drop_caches; } 2>/dev/null || cold="first time"
    ./peak used pith info big.pith >info
    read -r seconds peak <used
    row "$name: opened, $cold" "$seconds" s
    ./peak used pith info big.pith >info
    read -r seconds peak <used
    row "$name: opened, in memory" "$seconds" s
    row "$name: memory of pith info" "$peak" MiB 0 "<=64"

    rate=$(./peak used ./read big.pith)
    read -r seconds peak <used
    row "$name: read in order" "$rate" Mevents/s 0 "$rate_goal"
    row "$name: memory to read in order" "$peak" MiB 0 "<=64"

    # A thousandth of it, in the middle.
    middle=$(awk '$1 == "duration_s:" { print $2 / 2 }' info)
    ./peak used pith print --from "$middle" --to "$(calc "$middle * 1.002")" big.pith >window
    read -r seconds peak <used
    row "$name: $(grep -vc '^#' window) lines from the middle printed" "$seconds" s
    row "$name: memory of pith print" "$peak" MiB 0 "<=64"
    if [ -x "$build/libexec/pith/pith-draw" ] && ./peak used pith draw big.pith -o big.png; then
        read -r seconds peak <used
        row "$name: drawn" "$seconds" s
        row "$name: memory of pith draw" "$peak" MiB
    fi
    rm -f big.pith window
}
big "$(calc "$records / 1e9")e9 records" 64 $((records / 64)) "<=2.3" ">=50"
big "100000 ranks" 100000 100 "" ""
