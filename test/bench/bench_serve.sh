#!/usr/bin/env bash
# `pith serve` over a line of 10 Mbit/s with 50 ms delay (slow_line.py), in Chromium: how long, with how many requests and
# bytes, until the first picture of a log, the exact one, and those of a zoom into a tenth; and until the first one when
# the browser has the page's program. The page itself is among the requests. 8e6 records of 64 lanes; with BIG=1 1e9. Each log was opened before, so that its digest is in the cache.
. "$(dirname "$0")/../lib.sh"
. "$top/test/bench/bench.sh"
{ [ -x "$build/libexec/pith/pith-serve" ] && [ -e "$build/share/pith/page/viewer.html" ] && have chromium; } || { echo "no server or no browser here"; exit 0; }
records=${BENCH_RECORDS:-$([ -n "${BIG:-}" ] && echo 1000000000 || echo 8000000)}
trap 'kill "$server" 2>/dev/null; cd /; rm -rf "$TMPDIR"' EXIT

mkdir folder
"$build/test/bench/make_big_log" folder/mpi.pith 64 64 $((records / 64)) mpi &&
    "$build/test/bench/make_big_log" folder/states.pith 64 64 $((records / 64)) || exit 0
mkfifo link.pipe
pith serve folder >link.pipe 2>/dev/null &
server=$!
read -r link <link.pipe
for log in mpi states; do
    until python3 -c 'import sys, urllib.request; sys.exit(b"ready" not in urllib.request.urlopen(sys.argv[1]).read())' "${link}facts?log=$log.pith"; do sleep 0.2; done
    timeout 600 python3 "$top/test/bench/serve_first.py" "$PWD/chromium.$log" "$link" $log.pith >said || { cat said; continue; }
    while IFS=$'\t' read -r what ms requests megabytes; do
        row "$log, $what: time" "$ms" ms 0 "$([[ $what = first || $what = again ]] && echo '<=1000')"
        row "$log, $what: requests" "$requests" requests 0 "$([[ $what = first || $what = again ]] && echo '<=10')"
        row "$log, $what: bytes" "$megabytes" MB
    done <said
done
