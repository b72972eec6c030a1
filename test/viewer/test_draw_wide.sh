#!/usr/bin/env bash
# pith draw of 16,384 ranks, and of as many threads: a picture by default, several lanes a row, in bounded memory.
. "$(dirname "$0")/../lib.sh"
[ -x "$build/libexec/pith/pith-draw" ] || { skip "pith draw" "not built"; finish; }

# wide RANKS THREADS OUT: two states of each lane, one behind the other.
wide() {
    python3 - "$1" "$2" >wide.txt <<'P' && pith convert wide.txt "$3"
import sys
ranks, threads = map(int, sys.argv[1:])
print("# state\tname=red\tcolour=#cc0000\n# state\tname=blue\tcolour=#0000cc")
lanes = [(r, t) for r in range(ranks) for t in range(threads)]
for time, kind, name in ((0, "enter", "red"), (5, "leave", "red"), (5, "enter", "blue"), (10, "leave", "blue")):
    for rank, thread in lanes:
        print(f"{time}.0\t{rank}\t{thread}\t{kind}\t{name}")
P
}
# drawn OUT ARGS...: its peak memory in MB; what it said is in `err`.
drawn() {
    python3 - "$@" 2>err <<'P'
import resource, subprocess, sys
status = subprocess.call(["pith", "draw", *sys.argv[2:], "-o", sys.argv[1]])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1000)
sys.exit(status)
P
}
sanitized=$(sanitizers) # its memory is not ours
small() { [ -n "$sanitized" ] || [ "${1:-999}" -lt 250 ]; }

wide 16384 1 ranks.pith && wide 1 16384 threads.pith
ok $? "logs made"
page=$([ -e "$build/share/pith/page/viewer.html" ] && echo ranks.html)
for out in ranks.png ranks.svg $page threads.png; do
    peak=$(drawn $out "${out%.*}.pith")
    is "$?" 0 "$out without further ado" || cat err
    small "$peak"; ok $? "in bounded memory ($peak MB)"
done
like "$(identify -format '%wx%h' ranks.png)" '^1200x2[01][0-9]{2}$' "of some 2000 pixels"

# ---- text of a given height
pith draw ranks.pith --text --size 60x20 >text.out
is "$(wc -l <text.out)" 18 "text: no more than 20 lines"
like "$(head -n 1 text.out)" '^ranks\.pith: 16384 ranks, 16384 lanes, 1261 a row, 10 s$' "the title says how many lanes a row has"
is "$(grep -cE '^rank [0-9]+ +\|R+B+\|$' text.out)" 13 "and what most of them do"
like "$(cat text.out)" 'B  blue 50.0%.*R  red 50.0%|R  red 50.0%.*B  blue 50.0%' "with the key"
pith draw ranks.pith --text --lanes 0-3 --size 60x20 >text.out
is "$(grep -cE '^rank [0-3] ' text.out) $(wc -l <text.out)" "4 9" "fewer rows than lines: each by itself"
for height in 1 5 7 100; do
    pith draw ranks.pith --text --size 60x$height >text.out
    echo "$height $(wc -l <text.out)"
done >heights
is "$(tr '\n' ' ' <heights)" "1 6 5 6 7 6 100 78 " "other heights"
pith draw ranks.pith --text --legend none --size 60x10 >text.out
is "$(wc -l <text.out)" 10 "without a key the rows have its lines"
finish
