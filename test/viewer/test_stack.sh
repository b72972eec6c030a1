#!/usr/bin/env bash
# Iterations as marks of the time axis and one below the other (stack_checks.tcl), and `pith draw --iterations`.
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
# Of 100 iterations on 3 ranks from 300.102 ms on, each of 10.2 ms, number 47 takes 31.2 ms: rank 2 is in `force` for 21 ms
# longer.
python3 "$top/test/analyze/iterations.py" log.txt exact && pith convert log.txt log.pith
ok $? "a log is made"

# ---- pith draw: the plot begins at x = 152; 31.2 ms are 1032 pixels wide. A band has rows of 10 pixels and a gap of 6.
if [ -x "$build/libexec/pith/pith-draw" ]; then
    pith draw log.pith --iterations -o log.png && pith draw log.pith --iterations -o log.svg
    like "$(cat log.svg)" '>3 ranks, .*, 24 of 100 iterations, slowest: 47, \+21 ms force on rank 2</text>' "it says what is shown"
    is "$(grep -oE '>[0-9]+  [0-9.]+ ms<' log.svg | tr -d '><' | head -n 3 | tr '\n' ,)" "1  10.2 ms,6  10.2 ms,10  10.2 ms," "numbers and lengths"
    is "$(grep -oE '>47  [0-9.]+ ms<' log.svg)" ">47  31.2 ms<" "the slow one is among them"
    # Bars are as wide as their iterations are long. The paper is white.
    widths() { # FILE: the number of coloured pixels of each band's third row
        convert "$1" -crop 1032x900+152+0 +repage -depth 8 txt:- | python3 -c '
import re, sys
rows = {}
for line in sys.stdin:
    found = re.match(r"(\d+),(\d+): .*#([0-9A-F]{6})", line)
    if found and len(set((found[3][0:2], found[3][2:4], found[3][4:6]))) > 1:
        rows.setdefault(int(found[2]), set()).add(int(found[1]))
print(" ".join(str(len(rows.get(46 + band * 36 + 25, ()))) for band in range(24)))'
    }
    short=$((1032 * 102 / 312))
    wide=0 narrow=0
    for width in $(widths log.png); do
        [ "$width" -gt 1020 ] && wide=$((wide + 1))
        [ "$width" -ge $((short - 4)) ] && [ "$width" -le $((short + 2)) ] && narrow=$((narrow + 1))
    done
    is "$wide:$narrow" 1:23 "one band is wide, the others have a third of its width"
    pith draw log.pith --iterations=force -o force.svg
    is "$(grep -oE '>47  [0-9.]+ ms<' force.svg)" ">47  31 ms<" "the instances of a state"
    pith draw log.pith --iterations --from 0.75 --to 0.82 -o part.svg
    is "$(grep -oE '>[0-9]+  [0-9.]+ ms<' part.svg | tr -d '><' | cut -d' ' -f1 | tr '\n' ,)" "46,47,48,49," "those that begin in a part"
    pith draw log.pith --iterations --from 0 --to 0.2 -o none.svg 2>none.err
    is "$?:$(cat none.err)" "1:pith: log.pith: no iteration begins from 0 s to 0.2 s" "none there"
    python3 "$top/test/analyze/iterations.py" chance.txt chance
    pith draw chance.txt --iterations -o none.svg 2>none.err
    is "$?:$(cat none.err)" "1:pith: chance.txt: no iterations found; --iterations=STATE names a repeated state" "none found"
    pith draw log.pith --iterations=walk -o none.svg 2>none.err
    is "$?:$(cat none.err)" "1:pith: log.pith: --iterations: there is no state walk" "no such state"
    pith draw log.pith --iterations --text 2>none.err
    is "$?:$(cat none.err)" "2:pith: draw: --iterations: in pictures only, not in text and pages; see \`pith help draw\`" "not as text"
    [ ! -e none.svg ]
    ok $? "and no file is left"
else
    skip "pith draw" "not built here: no cairo"
fi

# ---- The window
start_display
inside log.pith stack_checks.tcl
finish
