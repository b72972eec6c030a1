#!/usr/bin/env bash
# The time without a core: hatched in the window and in pictures, compared with the values of the counter.
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
log="$top/test/viewer/core_waits_log.py"
python3 "$log" make 3 >log.txt
pith convert log.txt log.pith
pith print log.pith >printed
python3 "$log" gains printed >gains
is "$(wc -l <gains)" 118 "a log with the counter is made"
export GAINS="$PWD/gains"
start_display
for SCALE in 1 2; do
    export SCALE
    inside log.pith core_waits_checks.tcl
done
"$make_log" plain plain.pith
is "$(pith view plain.pith -e 'core_waits on; sync; puts [status]; quit')" \
    "the log does not tell when threads had no core; record with PITH_COUNTERS=run-delay" "a log without the counter: it says so"

# Pictures: lines of the same colour.
if [ -e "$build/libexec/pith/pith-draw" ]; then
    pith draw log.pith -o with.svg --core-waits >out 2>&1
    is "$? $(cat out)" "0 " "pith draw --core-waits"
    pith draw log.pith -o by_word.svg -e 'core_waits on'
    is "$(cmp with.svg by_word.svg 2>&1)" "" "the same by the word"
    pith draw log.pith -o without.svg
    like "$(cat with.svg)" 'grey lines: no core' "the picture says what the lines are"
    lines() { grep -o '#a7b1bb' "$1" | wc -l; }
    ok $((!($(lines with.svg) > $(lines without.svg)))) "there are lines" || echo "# $(lines with.svg) $(lines without.svg)"
    pith draw log.pith -o with.png --core-waits && pith draw log.pith -o without.png
    ok $((!($(cmp -s with.png without.png; echo $?) == 1))) "and in PNG"
    pith draw plain.pith -o plain.png --core-waits >out 2>&1
    is "$? $(cat out) $(ls plain.png 2>/dev/null)" \
        "1 pith: plain.pith: does not tell when threads had no core; record with PITH_COUNTERS=run-delay " "without the counter"
    pith draw log.pith --text --core-waits >out 2>&1
    like "$? $(cat out)" "^0 pith: note: texts do not show the time without a core" "a text has none"
    if [ -e "$build/share/pith/page/viewer.html" ]; then
        pith draw log.pith -o page.html --core-waits >out 2>&1
        is "$? $(cat out) $(grep -c 'core_waits 1' page.html)" "0  1" "a page"
    fi
fi
finish
