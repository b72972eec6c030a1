#!/usr/bin/env bash
# Pith beside what else Debian has for the same work: one loop (peers/peer.h), its events recorded by Pith, OTF2, LTTng-UST,
# uftrace and fprintf, in turns, best of 3; then their logs turned into text and read. Processor time of the program itself
# (not of LTTng's daemon). What is not installed is said. BENCH_EVENTS: how many (default 5 million).
. "$(dirname "$0")/../lib.sh"
. "$top/test/bench/bench.sh"
export PITH_QUIET=1 PITH_LOG=peer.pith TIMEFORMAT='%U %S'
peers=$top/test/bench/peers
events=${BENCH_EVENTS:-5000000}
lttng_events=$((events / 5)) # babeltrace2 would take too long over more

# compiled OUT SOURCE FLAGS...: in peers/, or no such file.
compiled() { local out=$1 source=$2; shift 2; cc -O2 -I"$build/include" -I"$peers" -o "$out" "$peers/$source" "$@" 2>/dev/null; }
pith_flags="-L$build/lib -lpith -Wl,-rpath,$build/lib"
# shellcheck disable=SC2046,SC2086
{
    compiled floor peer_floor.c
    compiled pith peer_pith.c $pith_flags
    compiled read peer_read.c -L$build/lib -lpithlog -Wl,-rpath,$build/lib
    compiled json peer_json.c
    compiled otf2 peer_otf2.c -lotf2
    compiled otf2_clock peer_otf2.c -DCLOCK -lotf2
    compiled otf2_read peer_otf2_read.c -lotf2
    have lttng lttng-sessiond && compiled lttng peer_lttng.c $(pkg-config --cflags --libs lttng-ust 2>/dev/null)
    compiled none peer_none.c && have uftrace && compiled uftrace peer_none.c -pg
}

# A session of LTTng of our own; its daemon, if none is there, for as long.
LTTNG_HOME=$scratch
export LTTNG_HOME
lttng_begin() {
    lttng -n list >/dev/null 2>&1 || lttng-sessiond --no-kernel --daemonize --pidfile="$scratch/sessiond" >/dev/null 2>&1
    lttng -n create pith_bench --output="$scratch/lttng_log" && lttng -n enable-channel -u --subbuf-size=4M --num-subbuf=16 bench &&
        lttng -n enable-event -u -c bench 'pith_bench:*' && lttng -n start
} </dev/null >/dev/null 2>&1
lttng_end() {
    lttng -n stop
    lttng -n list pith_bench | awk '/Discarded events: [1-9]/ { print "LTTng left out " $3 " events" }' >&3
    lttng -n destroy pith_bench
    [ ! -s "$scratch/sessiond" ] || kill "$(cat "$scratch/sessiond")"
    rm -f "$scratch/sessiond"
} </dev/null 3>&1 >/dev/null 2>&1

# No daemon is left behind, however this ends.
trap '[ ! -s "$scratch/sessiond" ] || lttng_end; cd /; rm -rf "$TMPDIR"' EXIT

for round in 1 2 3; do
    for way in floor pith json otf2 otf2_clock none; do
        [ -x $way ] || continue
        [[ $way != otf2* ]] || rm -rf peer_otf2
        ./$way "$events" >>time.$way
    done
    [ ! -x uftrace ] || { rm -rf uftrace_log; uftrace record --no-libcall -d uftrace_log ./uftrace "$events" >>time.uftrace 2>/dev/null; }
    [ ! -x lttng ] || [ $round != 1 ] || lttng_begin || { lttng_end; rm -f lttng; }
    [ ! -x lttng ] || ./lttng "$lttng_events" >>time.lttng
done
[ ! -x lttng ] || lttng_end
./pith "$events" spins >/dev/null

# loop NAME, whole NAME: ns an event, in the loop, and until all is in files.
loop() { [ ! -s "time.$1" ] || cut -d' ' -f1 "time.$1" | sort -g | head -n 1; }
whole() { [ ! -s "time.$1" ] || cut -d' ' -f2 "time.$1" | sort -g | head -n 1; }
# each FILE... EVENTS: bytes an event.
each() { local files=("${@:1:$#-1}"); [ ! -e "${files[0]}" ] || calc "$(du -cb "${files[@]}" | tail -n 1 | cut -f1) / ${*: -1}"; }
uftrace_ns=$(loop uftrace)
[ -z "$uftrace_ns" ] || uftrace_ns=$(calc "$uftrace_ns - $(loop none)")

what="beside peers: an event, mean of $(calc "$events / 1e6") million"
row "$what" "$(loop pith)" ns "$(loop floor)"
peer "$what" "OTF2" "$(loop otf2)"
peer "$what" "OTF2 with clock_gettime" "$(loop otf2_clock)"
peer "$what" "LTTng-UST" "$(loop lttng)"
peer "$what" "uftrace" "$uftrace_ns"
peer "$what" "JSON by fprintf" "$(loop json)"
what="beside peers: an event, until the log is written"
row "$what" "$(whole pith)" ns "$(loop floor)"
peer "$what" "OTF2" "$(whole otf2)"
peer "$what" "JSON by fprintf" "$(whole json)"
what="beside peers: size of the log"
row "$what" "$(each peer.pith "$events")" bytes/event
peer "$what" "OTF2" "$(each peer_otf2 "$events")"
peer "$what" "LTTng-UST" "$(each lttng_log $((3 * lttng_events)))"
peer "$what" "uftrace" "$(each uftrace_log/[0-9]*.dat "$events")"
peer "$what" "JSON" "$(each peer.json "$events")"

# rate EVENTS COMMAND...: million events a second of processor time, the best of 2.
rate() {
    local count=$1; shift
    for _ in 1 2; do { time "$@" >/dev/null 2>&1; } 2>&1; done | awk -v n="$count" '{ s = $1 + $2 } !best || s < best { best = s } END { printf "%.3f", n / best / 1e6 }'
}
otf2_rate= babel_rate= json_rate=
[ ! -d peer_otf2 ] || ! have otf2-print || otf2_rate=$(rate "$events" otf2-print peer_otf2/peer.otf2)
[ ! -d lttng_log ] || ! have babeltrace2 || babel_rate=$(rate $((3 * lttng_events)) babeltrace2 lttng_log)
pith print --json peer.pith | head -n 1000000 >lines.json
json_rate=$(python3 -c 'import json, time
begin, n = time.process_time(), 0
for line in open("lines.json"):
    n += bool(json.loads(line))
print("%.3f" % (n / 1e6 / (time.process_time() - begin)))')
what="beside peers: a log as text"
read_rate=$(for _ in 1 2 3; do ./read peer.pith; done | sort -g | tail -n 1)
row "$what" "$(rate "$events" pith print peer.pith)" Mevents/s "$read_rate" ">=5"
peer "$what" otf2-print "$otf2_rate"
peer "$what" babeltrace2 "$babel_rate"
peer "$what" "python json, read" "$json_rate"
what="beside peers: a log read by a C program"
row "$what" "$read_rate" Mevents/s
peer "$what" "OTF2 callbacks" "$([ ! -x otf2_read ] || for _ in 1 2 3; do ./otf2_read peer_otf2/peer.otf2; done | sort -g | tail -n 1)"
