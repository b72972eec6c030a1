#!/usr/bin/env bash
# A log of 1e9 records: written, opened, read in order, a window of it printed, drawn; how long, and how much memory. Only
# with BIG=1 (some minutes, 4 GB of disk in TMPDIR). BENCH_RECORDS: how many. The log is not in memory's way when it is opened
# first, if the system can be told so (root).
. "$(dirname "$0")/../lib.sh"
. "$top/test/bench/bench.sh"
[ -n "${BIG:-}" ] || { echo "not asked for: make bench BIG=1"; exit 0; }
records=${BENCH_RECORDS:-1000000000}
cc -O2 -o peak "$top/test/bench/peers/peak.c" &&
    cc -O2 -I"$build/include" -o read "$top/test/bench/peers/peer_read.c" -L"$build/lib" -lpith -Wl,-rpath,"$build/lib" || exit 0
name="a log of $(calc "$records / 1e9")e9 records"

./peak used "$build/test/cli/make_cli_log" big "$records" big.pith || exit 0
read -r seconds peak <used
row "$name, made and written" "$(calc "$records / $seconds / 1e6")" Mevents/s
row "$name, memory of the writer" "$peak" MiB 0 "<=64"
row "$name, size" "$(calc "$(stat -c %s big.pith) / $records")" bytes/event 0 "<=2.3"

# opened HOW: by pith info, which opens it and asks what it holds.
opened() { ./peak used pith info big.pith >info; read -r seconds peak <used; row "$name, opened, $1" "$seconds" s; }
cold="not in memory"
sync && { echo 1 >/proc/sys/vm/drop_caches; } 2>/dev/null || cold="first time"
opened "$cold"
opened "in memory"
row "$name, memory of pith info" "$peak" MiB 0 "<=64"

rate=$(./peak used ./read big.pith)
read -r seconds peak <used
row "$name, read in order" "$rate" Mevents/s 0 ">=50"
row "$name, memory to read in order" "$peak" MiB 0 "<=64"

# A hundredth of a second in the middle.
middle=$(awk '$1 == "duration_s:" { print $2 / 2 }' info)
./peak used pith print --from "$middle" --to "$(calc "$middle + 0.01")" big.pith >window
read -r seconds peak <used
row "$name, 10 ms of it printed ($(grep -vc '^#' window) lines)" "$seconds" s
row "$name, memory of pith print" "$peak" MiB 0 "<=64"
if [ -x "$build/libexec/pith/pith-draw" ] && ./peak used pith draw big.pith -o big.png 2>/dev/null; then
    read -r seconds peak <used
    row "$name, drawn" "$seconds" s
    row "$name, memory of pith draw" "$peak" MiB 0 "<=64"
fi
