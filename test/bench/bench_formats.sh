#!/usr/bin/env bash
# Every format that `pith help formats` tells of: how fast a log of 4 ranks is written in it and read from it, in processor
# time, the best of 3; the memory for that at most; the size of what was written. A format that has no reader is not read,
# and one that is only read is not measured. Beside them what otf2-print, babeltrace2 and Python take for logs of the same
# records. The floor: the same log read in order, nothing printed. BENCH_RECORDS: how many (default 2 million).
. "$(dirname "$0")/../lib.sh"
. "$top/test/bench/bench.sh"
cc -O2 -o peak "$top/test/bench/peers/peak.c" &&
    "$build/test/bench/make_big_log" log.pith 4 4 $((${BENCH_RECORDS:-2000000} / 4)) || exit 0
records=$(pith info log.pith | sed -n 's/^records: //p')
opened=0

# spend COMMAND...: sets $rate, million records a second, less what it takes to open a log that was read before ($opened);
# and $peak, MiB. The output goes to /dev/null. 1: the command failed.
spend() {
    local best="" seconds
    peak=0
    for _ in 1 2 3; do
        rm -rf "$XDG_CACHE_HOME" # what is read once is kept there
        ./peak used "$@" >/dev/null 2>err || return 1
        { read -r _ peak && read -r seconds; } <used
        best=$(printf '%s\n' $best "$seconds" | sort -g | head -n 1)
    done
    rate=$(calc "$records / ($best - $opened > 0.0005 ? $best - $opened : 0.0005) / 1e6")
}
# measure NAME GOAL COMMAND...: rows of rate and memory. 1: the command failed.
measure() {
    local name=$1 goal=$2; shift 2
    spend "$@" || { echo "$name: $(tail -n 1 err)"; return 1; }
    row "$name" "$rate" Mevents/s "${floor:-0}" "$goal"
    row "$name: memory" "$peak" MiB 0 "<=64"
}
bytes() { calc "$(du -cb "$@" | tail -n 1 | cut -f1) / $records"; }

measure "formats: read in order, nothing printed" "" pith print --state ' none ' log.pith
floor=$rate
declare -A out_goal=([text]=">=5" [clog2]=">=15" [json]=">=3") in_goal=([clog2]=">=15" [alog]=">=5")
while read -r name can suffix _; do
    case $can in *writ*) ;; *) continue ;; esac
    file=log.out.${suffix%/}
    measure "formats: $name written" "${out_goal[$name]:-}" pith convert log.pith "$file" --format "$name" || continue
    row "formats: $name, size" "$(bytes log.out.*)" bytes/event
    case $can/$name in
    */native) ;;
    read*) measure "formats: $name read" "${in_goal[$name]:-}" pith info "$file" ;;
    esac
    case $name in
    otf2) [ ! -e "$file" ] || have otf2-print && { spend otf2-print "$file"/*.otf2 && print_otf2=$rate; } ;;
    ctf) have babeltrace2 && { spend babeltrace2 "$file" && print_ctf=$rate; } ;;
    json) spend python3 -c 'import json, sys
for line in open(sys.argv[1]):
    json.loads(line)' "$file" && read_json=$rate ;;
    esac
    rm -rf log.out.*
done < <(pith help formats | grep -E '^[a-z0-9]+ +(read|writ)')
peer "formats: text written" "otf2-print, of OTF2" "${print_otf2:-}"
peer "formats: otf2 read" "otf2-print, to text" "${print_otf2:-}"
peer "formats: text written" "babeltrace2, of CTF" "${print_ctf:-}"
peer "formats: json written" "python json, read" "${read_json:-}"

measure "pith print --lane 2" "" pith print --lane 2 log.pith
measure "pith stat" "" pith stat log.pith
