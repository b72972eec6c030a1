#!/usr/bin/env bash
# `pith draw -o OUT.html`: its size, that it needs nothing else, and in Chromium what it shows and does.
. "$(dirname "$0")/../lib.sh"

if [ ! -x "$build/libexec/pith/pith-draw" ]; then
    skip "pith draw" "not built here: no cairo"
    finish
fi
${CC:-cc} -O1 -I"$top/formats" -I"$top/formats/reader" "$top/test/viewer/make_log.c" "$build/lib/libpithlog.a" -lz -lm -lpthread -o make_log
ok $? "the log maker compiles"
for kind in plain rich big nasty point fine deep; do
    ./make_log $kind $kind.pith && pith draw $kind.pith -o $kind.html
    is "$?:$(ls ./*.part 2>/dev/null)" "0:" "a page of the $kind log"
done
ok $(($(stat -c %s big.html) > 1000000)) "64 ranks: below 1 MB ($(stat -c %s big.html) bytes)"
ok $(($(stat -c %s plain.html) > 90000)) "a small log: a small page ($(stat -c %s plain.html) bytes)"
pith draw rich.pith -o again.html --title rich.pith
cmp rich.html again.html
ok $? "the same log gives the same bytes"
is "$(cat ./*.html | grep -aciE 'https?:|src=|href=|@import|url\(|fetch\(')" 0 "nothing is loaded from elsewhere"
is "$(LC_ALL=C grep -c $'[\001-\011\013-\037]' nasty.html)" 0 "names of control characters do no harm"
ok $(($(grep -c '^`,`[0-9]*$' rich.html) < 7)) "tiles"
pith draw rich.pith -o words.html -e 'zoom 4ms 6ms; rows 0-1; hide MPI_*; arrows off' --title '</script>"\'
like "$(cat words.html)" '^base: 0, from: 4000000, to: 6000000, .*arrowsOn: false, arrowsAll: false,$' "words: window, arrows"
is "$(grep -c 'label: "rank' words.html):$(grep -c 'name: "MPI' words.html)" "2:0" "words: rows, hidden states"
is "$(grep -c '</script>' words.html)" 1 "a title ends no script"

# In a browser: page_checks.py uses the pages as a reader does.
if ! command -v chromium >/dev/null; then
    skip "the page in a browser" "no chromium"
    finish
fi
pith draw big.pith -o piece.html --from 0.400000000 --to 0.400002000
# Without exact times a row of a band has the cells of its level, and with or without them its waiting.
printf '%b\n' '0\t0\t0\tenter\tstep' '0\t1\t0\tenter\tstep' '0.1\t0\t0\tenter\tMPI_Recv' '0.6\t1\t0\tenter\tMPI_Send' \
    '0.6\t1\t0\tsend\t\tcomm=0\tpeer=0\ttag=0\tbytes=8' '0.7\t0\t0\trecv\t\tcomm=0\tpeer=1\ttag=0\tbytes=8' \
    '0.7\t0\t0\tleave\tMPI_Recv' '0.7\t1\t0\tleave\tMPI_Send' '0.8\t0\t0\tleave\tstep' '0.8\t1\t0\tleave\tstep' >late.txt
pith draw big.pith -o big-folded.html --lanes 0-4 && pith draw big.pith -o big-bands.html --lanes 0-4 --unfold 3
sed 's/^0.6/0.61/' late.txt >later.txt # not where a column of the page begins
pith draw later.txt -o late.html --waits -e 'names off; arrows off'
. "$top/test/viewer/card_log.sh"
card_log >card.txt && pith draw card.txt -o card.html && pith draw card.txt -o card-bands.html --unfold 0
pith draw late.txt -o late-folded.html --waits && pith draw late.txt -o late-bands.html --waits --unfold 0
python3 - <<'P' >bands.out
import re
def read(path, label):
    text = open(path).read()
    labels = re.findall(r'^\{label: "([^"]*)', text, re.M)
    lines = re.search(r"whole: `([^`]*)`", text)[1].split("\n")
    size, at = int(lines[0]) + 4, labels.index(label)
    return [lines[1 + i * size:1 + (i + 1) * size] for i in range(at, len(labels))]
folded, bands = read("big-folded.html", "rank 3")[0], read("big-bands.html", "rank 3")
for level in range(3):
    print(len(folded[level]) > 10, bands[level][0] == folded[level], any(bands[level][1:-4]))
folded, bands = read("late-folded.html", "rank 0")[0], read("late-bands.html", "rank 0")
print(folded[-2].count("B"), "A" in folded[-2], "A" in bands[0][-2], folded[-2].replace("B", "A") == bands[1][-2])
P
is "$(cat bands.out)" $'True True False\nTrue True False\nTrue True False\n1 False False True' "bands: cells and waiting"
is "$(grep -c '^exact: ``' piece.html):$(grep -c '^exact: ``' big.html)" 0:1 "a large log has no exact times, the page of a part has"
pith draw plain.pith -o bare.html --title plain.pith -e 'names off' # names would cover the pixels that are looked at
pith draw fine.pith -o fine-bare.html -e 'names off'
pith draw rich.pith -o rich-bare.html -e 'names off; arrows off; hide checkpoint'
python3 "$top/test/viewer/random_log.py" 1 >random.txt
# A colour for each name, none of which is another one darker.
colours=$(i=0; for letter in {a..z}; do printf 'colour state-%s #%02xff%02x; ' $letter $((i % 5 * 50)) $((i * 8)); i=$((i + 1)); done)
pith convert random.txt random.pith && pith draw random.pith -o random.html &&
    pith draw random.pith -o random-bare.html -e "names off; height 120; $colours" &&
    pith draw random.pith -o random-unfolded.html --unfold all &&
    pith draw random.pith -o random-unfolded-bare.html --unfold all -e "names off; height 20; $colours"
# Two lanes end early, in states that are never left.
awk -F'\t' '!($2 == 0 && $1 > 0.0012 || $2 == 1 && $1 > 0.0014)' random.txt >ended.txt &&
    pith convert ended.txt ended.pith && pith draw ended.pith -o ended.html
# Times that are no exact numbers in a script.
sed 's/^0/1700000000/' random.txt >epoch.txt && pith convert epoch.txt epoch.pith && pith draw epoch.pith -o epoch.html
# More levels than are drawn.
awk 'BEGIN { for (i = 0; i < 160; i++) { level = i < 80 ? i : 159 - i
    printf "%.9f\t0\t0\t%s\tf%d\n", i / 1e6, i < 80 ? "enter" : "leave", level % 7 } }' >recursive.txt
pith convert recursive.txt recursive.pith && pith draw recursive.pith -o recursive.html &&
    pith draw recursive.pith -o recursive-unfolded.html --unfold all
./make_log hosts many.pith && pith draw many.pith -o many.html -e 'height 120'
pith draw big.pith -o few.html -e 'rows 0-40'
printf '%s\t0\t0\t%s\n' 0 $'enter\twork' 0.2 $'leave\twork' 0.2 pause 0.5 resume 0.7 $'lost\t\tcount=12' 0.8 $'enter\twork' \
    1 $'leave\twork' >gaps.txt
printf '%s\t1\t0\t%s\n' 0 $'enter\twork' 1 $'leave\twork' >>gaps.txt
sort -s -g -k 1,1 gaps.txt >sorted.txt && pith convert sorted.txt gaps.pith && pith draw gaps.pith -o gaps.html -e 'names off'
# Lost records, and the next record at the same time: exact times, in which states that go on count once.
awk 'BEGIN { printf "0\t0\t0\tenter\tmain\n"; for (i = 0; i < 20; i++) {
    printf "%.9f\t0\t0\tenter\tinner\n", i + 0.1
    printf "%.9f\t0\t0\t%s\n%.9f\t0\t0\t%s\n", i + 0.4, "lost\t\tcount=3", i + 0.4, i % 2 ? "event\tmark" : "leave\tinner"
    if (i % 2) printf "%.9f\t0\t0\tleave\tinner\n", i + 0.8 } printf "20\t0\t0\tleave\tmain\n" }' >moments.txt
pith convert moments.txt moments.pith && pith draw moments.pith -o moments.html
cp big.pith damaged.pith
printf 'damage damage damage' | dd of=damaged.pith bs=1 seek=$(($(stat -c %s big.pith) / 2)) conv=notrunc status=none
rank=$(pith draw damaged.pith -o damaged.html 2>&1 | grep -oE 'rank [0-9]+' | tr -dc 0-9)
pith draw damaged.pith -o damaged.html -e "rows $((rank - 1))-$((rank + 1)); arrows off; names off" 2>/dev/null
pith draw plain.pith -o part.html -e 'hide green; select 100ms 400ms'
# Messages that would cover too much, and a selection.
awk 'BEGIN { for (i = 0; i < 400; i++) {
    printf "%.6f\t0\t0\tsend\t\tcomm=0\tpeer=1\ttag=0\tbytes=8\n", i / 1000
    printf "%.6f\t1\t0\trecv\t\tcomm=0\tpeer=0\ttag=0\tbytes=8\n", i / 1000 + 0.4 } }' | sort -s -g -k 1,1 >dense.txt
pith convert dense.txt dense.pith && pith draw dense.pith -o dense.html && pith draw dense.pith -o asked.html -e 'arrows on'
pith draw plain.pith -o selected.html -e 'names off; arrows off; select 500ms 1s'
# Messages of 6 ranks that are bundles, one of more than 10,000. SVGs whose time lines have 1024 pixels.
awk 'BEGIN { for (i = 0; i < 34000; i++) { from = i < 24000 ? i % 6 : 2; to = (from + 1 + 4 * (i % 5 == 0 && i < 24000)) % 6
    t = i < 24000 ? i / 26000 : 0.95 + (i - 24000) / 1e9
    printf "%.9f\t%d\t0\tsend\t\tcomm=0\tpeer=%d\ttag=0\tbytes=%d\n", t, from, to, i % 100
    printf "%.9f\t%d\t0\trecv\t\tcomm=0\tpeer=%d\ttag=0\tbytes=%d\n", t + 0.0002 * (1 + i % 7 * (i < 24000)), to, from, i % 100 }
    printf "0\t0\t0\tenter\twork\n1\t0\t0\tleave\twork\n" }' | sort -s -g -k 1,1 >crowd.txt
pith convert crowd.txt crowd.pith && pith draw crowd.pith -o crowd.html &&
    pith draw crowd.pith -o crowd.svg --size 1103 --legend none -e 'names off' &&
    pith draw crowd.pith -o crowd-part.svg --size 1103 --legend none -e 'names off' --from 0.25 --to 0.5
# Critical paths: of two steps, at times that are no columns of a page, and of 20,000.
sed 's/^0.6/0.612345678/; s/^0.8\t1/0.75\t1/' late.txt | sort -s -g -k 1,1 >path.txt
pith draw path.txt -o path.html --critical-path -e 'names off; arrows off'
awk 'BEGIN { for (i = 0; i < 20000; i++) { from = i % 2; t = i / 20000
    printf "%.9f\t%d\t0\tenter\tMPI_Recv\n", t + 1e-6, 1 - from
    printf "%.9f\t%d\t0\tenter\tMPI_Send\n%.9f\t%d\t0\tsend\t\tcomm=0\tpeer=%d\ttag=0\tbytes=8\n", t + 3e-5, from, t + 3e-5, from, 1 - from
    printf "%.9f\t%d\t0\tleave\tMPI_Send\n%.9f\t%d\t0\trecv\t\tcomm=0\tpeer=%d\ttag=0\tbytes=8\n", t + 4e-5, from, t + 4e-5, 1 - from, from
    printf "%.9f\t%d\t0\tleave\tMPI_Recv\n", t + 4e-5, 1 - from } }' >steps.txt
pith convert steps.txt steps.pith && pith draw steps.pith -o steps.html --critical-path
printf '%s\t0\t0\t%s\twork\n' 0 enter 87823.4 leave >long.txt
pith draw long.txt -o long.html
sed '1i # property\tkey=start_unix_s\tvalue=1795957385.250000000' long.txt >clock.txt
TZ=UTC-1 pith draw clock.txt -o clock.html --time-of-day
timeout 800 python3 "$top/test/viewer/page_checks.py" "$scratch/chromium" rich big nasty point fine deep words >checks.out 2>checks.err
is "$?" 0 "the checks in the browser come to their end" || tail -n 5 checks.err | sed 's/^/# /'
like "$(tail -n 1 checks.out)" '^1\.\.[0-9]+$' "with all of them"
checks_of checks.out "page: "
like "$(convert big.png -format %k info:)" '^[1-9][0-9]' "64 ranks in colour"
# An SVG, which is our own, is drawn as the PNG, which is cairo's: every pixel of the bars.
for kind in png svg; do
    pith draw rich.pith -o bars.$kind --size 1000x400 --legend none -e 'arrows off; names off; hide checkpoint'
done
python3 -c '
import sys
sys.path.insert(0, sys.argv[1])
from browser import Browser
with Browser("chromium") as browser:
    browser.open("bars.svg", size=(1000, 400)).shot("browser.png")' "$top/test/viewer"
bars=800x250+120+46
convert bars.png -crop $bars +repage a.ppm && convert browser.png -crop $bars +repage b.ppm
is "$(compare -fuzz 1% -metric AE a.ppm b.ppm null: 2>&1)" 0 "an SVG in the browser: the same bars as in a PNG"
finish
