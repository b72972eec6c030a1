#!/usr/bin/env bash
# The window, on an Xvfb of its own: how long a log takes until its first picture, and each step of a fixed tour of pans
# and zooms until the X server has drawn it (viewer_tour.tcl); 64 and 256 lanes, through shared memory and as a Tk photo,
# and on a screen of 3840 x 2160; the memory beyond that of a window with a small log. 1e7 records; with BIG=1 1e8. The
# floor of a first picture is a window of Tk with one canvas in it.
# Beside it ViTE: how long it takes to load the same log as Paje and to draw it once, a million records.
. "$(dirname "$0")/../lib.sh"
. "$top/test/bench/bench.sh"
{ [ -e "$build/lib/pith/libpithtk.so" ] && have Xvfb; } || { echo "no window here"; exit 0; }
records=${BENCH_RECORDS:-$([ -n "${BIG:-}" ] && echo 100000000 || echo 10000000)}
make="$build/test/bench/make_big_log"

exec 9<> <(:)
Xvfb -noreset -displayfd 9 -screen 0 4400x2400x24 >/dev/null 2>xvfb.log &
xvfb=$!
trap 'kill $xvfb 2>/dev/null; cd /; rm -rf "$TMPDIR"' EXIT
read -r -t 20 -u 9 display || exit 0
export DISPLAY=":$display" XDG_CONFIG_HOME=$PWD/config XDG_CACHE_HOME=$PWD/cache
mkdir -p config/pith cache
"$make" small.pith 1 1 1000

# tour LOG WIDTHxHEIGHT WAY: what viewer_tour.tcl says, in the file `said`.
tour() {
    echo "image $3" >config/pith/view.conf
    BENCH_LOG=$1 BENCH_SIZE=$2 timeout 300 pith view small.pith -e "namespace eval :: {source $top/test/bench/viewer_tour.tcl}" >said 2>&1 ||
        { tail -n 2 said; return 1; }
}
said() { awk -v w="$1" -v i="$2" '$1 == w { print $(i + 1) }' said; }
# The median of five programs that show a log's first picture, as most people have it.
warm() {
    for _ in 1 2 3 4 5; do
        BENCH_ONLY=open tour "$1" 1600x900 shared && said open 1
    done | sort -n | sed -n 3p
}
# frames WHAT GOAL: the tour's distribution.
frames() {
    row "$1: frame, 95 of 100 within" "$(said frames 2)" ms 0 "$2"
    row "$1: frame, median" "$(said frames 1)" ms
    row "$1: frame, 99 of 100; the longest" "$(said frames 3)" ms 0 "" "$(said frames 3)" "$(said frames 4)"
    row "$1: pans, zooms, 95 of 100" "$(said pans 2)" ms 0 "" "$(said pans 2)" "$(said zooms 2)"
}

for lanes in 64 256; do
    goal=$([ $lanes = 64 ] && echo "<=12" || echo "<=16")
    "$make" log.pith $lanes $lanes $((records / lanes)) || exit 0
    sync && { echo 1 >/proc/sys/vm/drop_caches; } 2>/dev/null
    tour log.pith 1600x900 shared || continue
    row "$lanes lanes: first picture, cold" "$(said open 1)" ms "$(said bare 1)" "<=300"
    frames "$lanes lanes, shared memory" "$goal"
    row "$lanes lanes: all right, of everything" "$(said right 1)" ms
    row "$lanes lanes: memory beyond a small log's" "$(said resident 1)" MiB 0 "<=64"
    row "$lanes lanes: first picture, warm" "$(warm log.pith)" ms "$(said bare 1)" "<=50"
    tour log.pith 1600x900 photo || continue
    frames "$lanes lanes, photo" "$goal"
    [ $lanes = 64 ] && tour log.pith 3840x2160 shared && frames "$lanes lanes, 3840x2160, shared memory" "<=16.7"
    [ $lanes = 64 ] && tour log.pith 1600x900 sent && frames "$lanes lanes, sent" ""
    rm -f log.pith
done

what="a million records: loaded and drawn once, as a file"
"$make" million.pith 64 64 15625
row "$what" "$(least pith draw million.pith -o a.svg)" s
if have vite; then
    pith convert million.pith million.trace
    peer "$what" ViTE "$(QT_QPA_PLATFORM=offscreen least timeout 120 vite -e b.svg million.trace)"
else
    peer "$what" ViTE ""
fi
