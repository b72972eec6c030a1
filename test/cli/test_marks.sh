#!/usr/bin/env bash
# Directional marks in names are shown escaped: U+202E and the like turn the order of the letters around them, so that a name looks
# like another one.
. "$(dirname "$0")/../lib.sh"
turn=$'\u202e' isolate=$'\u2066' arabic=$'\u061c' left=$'\u200e' name=$'A\u00e4\u20ac'
printf '# state\tname=%s\tcolour=red\n# state\tname=%s\tcolour=blue\n# event\tname=%s\tcolour=green\n' \
    "${turn}evil$name" "b${isolate}c" "${arabic}e$left" >log.txt
printf '# lane\trank=0\tthread=0\tname=%s\thost=%s\n' "lane$turn" "host$turn" >>log.txt
printf '%s\t0\t0\t%s\t%s\n' 0.000000001 enter "${turn}evil$name" 0.000000002 event "${arabic}e$left" 0.000000003 enter "b${isolate}c" \
    0.000000500 leave "b${isolate}c" 0.000001000 leave "${turn}evil$name" >>log.txt
pith convert log.txt log.pith
ok $? "a log with such names"
marks=$'\xe2\x80[\xaa-\xae\x8e\x8f]|\xe2\x81[\xa6-\xa9]|\xd8\x9c'
# clean WHAT FILE: no mark is in it
clean() { ! LC_ALL=C grep -qE "$marks" "$2"; ok $? "$1: no directional mark" || LC_ALL=C grep -nE "$marks" "$2" | head -n 3 | cat -v | sed 's/^/# /'; }
for command in print "print --csv" "print --json" info stat "stat --csv" "stat --json" "stat --by lane" check \
    "draw --text" "draw --text --stats"; do
    # shellcheck disable=SC2086
    pith $command log.pith >out 2>&1
    ok $? "$command"
    clean "$command" out
done
pith draw log.pith -o x.svg
ok $? "draw x.svg"
clean x.svg x.svg
grep -q '\\u202e' x.svg
ok $? "x.svg: the mark is escaped"
pith print log.pith >out
like "$(cat out)" '\\xe2\\x80\\xaeevil'"$name" "print: the bytes, and the letters behind them as they are"
like "$(pith print --json log.pith)" '"\\u202eevil'"$name" "print --json: as JSON has it"
is "$(pith print --json log.pith | python3 -c 'import json, sys
for line in sys.stdin:
    one = json.loads(line)
    if one.get("kind") == "enter":
        print(one["name"])
        break')" "${turn}evil$name" "which gives back the name"
# What is written as a log keeps the names.
pith convert out again.pith --format native
is "$(pith print again.pith)" "$(cat out)" "text: read back, the same"
pith convert log.pith x.clog2 && pith print x.clog2 >clog2
like "$(cat clog2)" '\\xe2\\x80\\xaeevil'"$name" "CLOG-2 keeps the name"
pith convert "missing${turn}.pith" x.txt 2>err
is "$?" 1 "an error about a file of such a name"
clean "the error" err
pith draw "missing${turn}.pith" -o x.svg 2>err
clean "draw: the error" err
finish
