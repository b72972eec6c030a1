#!/usr/bin/env bash
# `pith draw --waits --critical-path`: hatched waiting and the line of the path, in all kinds of pictures.
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/wait_log.sh"
if [ ! -x "$build/libexec/pith/pith-draw" ]; then
    skip "pith draw" "not built here: no cairo"
    finish
fi
wait_log >log.txt && pith convert log.txt log.pith
ok $? "a log is made"

# ---- PNG: a second is 1121 pixels wide from x = 63 on. Bars are 24 high, at 49, 79 and 109; the path is in the middle.
out=$(pith draw log.pith -o log.png --waits --critical-path -e 'names off' 2>&1)
is "$?:$out" "0:" "a picture, and nothing is said"
at() { echo $((63 + 1121 * $1 / 1000)); }
# colours FROM TO Y: how many colours there are from one thousandth to another, in 8 scanlines; the first of them.
crop() { convert log.png -crop "$(($(at "$2") - $(at "$1") - 8))x8+$(($(at "$1") + 4))+$3" +repage "${@:4}"; }
colours() { crop "$@" -format %k info:; }
commonest() { crop "$@" -depth 8 txt:- | sed -n 's/.*#\([0-9A-F]\{6\}\).*/\1/p' | sort | uniq -c | sort -rn | awk 'NR == 1 { print $2 }'; }
recv=$(commonest 500 600 50) barrier=$(commonest 900 920 110)
is "$(colours 500 600 50):$(colours 500 550 92):$(colours 900 920 110)" 1:1:1 "transfer is plain"
for place in "200 500 50 $recv" "600 900 82 $barrier" "300 900 110 $barrier"; do
    read -r from to y state <<<"$place"
    ok $(($(colours "$from" "$to" "$y") < 3)) "from 0.$from to 0.$to s: hatched"
    [ "$(commonest "$from" "$to" "$y")" != "$state" ]
    ok $? "on a paler ground"
done
path=D6006C
row_of_path() { # THOUSANDTH: the y of the line there
    convert log.png -crop "1x90+$(at "$1")+46" -depth 8 txt:- | sed -n "s/^0,\([0-9]*\):.*#$path.*/\1/p" | head -n 1
}
is "$(($(row_of_path 300) / 30)):$(($(row_of_path 700) / 30)):$(($(row_of_path 950) / 30))" 1:0:2 "the path: sender, receiver, tail"
is "$(convert log.png -crop "20x1+$(($(at 500) - 10))+76" -depth 8 txt:- | grep -c "#$path")" 3 "a step between the rows"
pith draw log.pith -o plain.png
is "$(convert plain.png -depth 8 txt:- | grep -c "#$path")" 0 "no path unless it is asked for"

# ---- The same by words
pith draw log.pith -o words.png -e 'names off; waits on; critical_path on'
cmp log.png words.png
ok $? "-e 'waits on; critical_path on': the same picture"
pith draw log.pith -o off.png --waits --critical-path -e 'waits off; critical_path off'
cmp plain.png off.png
ok $? "off: as if nothing was said"
pith draw log.pith -o hidden.png --waits -e 'hide MPI_*' && pith draw log.pith -o bare.png -e 'hide MPI_*'
is "$(compare -metric AE hidden.png[1200x100+0+44] bare.png[1200x100+0+44] null: 2>&1)" 0 "hidden calls are not hatched"

# ---- SVG, PDF
pith draw log.pith -o log.svg --waits --critical-path && pith draw log.pith -o plain.svg
like "$(cat log.svg)" '>3 ranks, 29 records, 1 s, hatched: waiting, line: critical path</text>' "the line below the title tells of both"
lines() { grep -c '^<path d="M[0-9.]* [0-9.]*l[0-9.]* -[0-9.]*"/>$' "$1"; }
ok $(($(lines log.svg) < 200)) "hatching in an SVG: $(lines log.svg) lines"
is "$(lines plain.svg)" 1 "only the arrow without"
like "$(cat log.svg)" '<path stroke="#d6006c"' "the path in an SVG"
is "$(grep -ci d6006c plain.svg)" 0 "not without"
# Names on hatched ground have a rim in the colour of their bar, below the letters.
rimmed() { sed -n '/<g .*paint-order="stroke"/,/<.g>/ s/.*<text [^>]*>\(.*\)<.text>/\1/p' "$1" | tr '\n' ';'; }
is "$(rimmed log.svg):$(rimmed plain.svg)" \
    "MPI_Recv;400 ms;Finalize;MPI_Barrier;320 ms;Finalize;MPI_Barrier;620 ms;:" "names on hatched ground, and only they, have rims"
like "$(grep -B 1 '<text [^>]*>MPI_Recv<' log.svg | head -n 1)" "<g .* stroke=\"#${recv,,}\" stroke-width=\"2.4\" " "in the colour of the bar"
# The letters are readable on the rim and on the ground of the hatches, in both themes: a contrast of 4.5.
pith draw log.pith -o dark.svg --waits --theme dark
for picture in log dark; do
    is "$(python3 - "$picture.svg" <<'P'
import re, sys
def light(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (0, 2, 4)]
    parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2] + 0.05
pairs = set(re.findall(r'<g fill="#(\w+)" stroke="#(\w+)" stroke-width="2.4"', open(sys.argv[1]).read()))
contrasts = [max(light(a), light(b)) / min(light(a), light(b)) for a, b in pairs]
print(len(pairs) > 1, min(contrasts) >= 4.5)
P
)" "True True" "$picture: names on hatched ground are readable"
done
like "$(grep -B 1 '<text [^>]*>MPI_Recv<' dark.svg | head -n 1)" '<g fill="#ffffff" ' "dark: white on the dark ground of the hatches"
pith draw log.pith -o log.pdf --waits --critical-path
like "$(head -c 5 log.pdf)" '%PDF-' "a PDF"

# ---- Text
pith draw log.pith --text --ascii --size 59 --waits --critical-path >text.out
is "$(sed -n 2,5p text.out)" "rank 0 |IIIII.....~~~~~~~~~~~~~~~RRRRR...............B.~~F|
rank 1 |IIIII....................SSS..~~~~~~~~~~~~~~~B.~~F|
rank 2 |IIIII..........~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~BTT.F|
path   |     ....................RRRRR...............BTT. |" "text: ~ waits, and what is on the path"
like "$(cat text.out)" '   ~  waiting for another rank$' "the key"
like "$(pith draw log.pith --text --waits --colour always)" $'\xe2\x96\x92' "in colour: shaded"

# ---- Findings
findings="1 wait at barrier in MPI_Barrier: 900 ms, 34.1 %, 2 times; longest: rank 2 waits 600 ms for rank 0 at 300 ms
2 late sender in MPI_Recv: 300 ms, 11.4 %, 1 time; longest: rank 0 waits 300 ms for rank 1 at 200 ms
3 wait at finalize in MPI_Finalize: 80 ms, 3.0 %, 2 times; longest: rank 0 waits 40 ms for rank 2 at 940 ms"
is "$(pith draw log.pith --text --findings | tail -n 3)" "$findings" "--findings: kinds and functions, most time first"
pith draw log.pith -o found.svg --findings -e 'zoom 0.1 0.5'
like "$(cat found.svg)" '>late sender in MPI_Recv</text>' "in a picture"
is "$(grep -c '>1</text>' found.svg):$(grep -c '>2</text>' found.svg):$(grep -c '>3</text>' found.svg)" 2:2:1 \
    "with its number in the list, and at the longest if that is shown"
pith draw log.pith -o words.svg -e 'findings on; zoom 0.1 0.5'
cmp found.svg words.svg
ok $? "-e 'findings on': the same picture"

# ---- A page, which page_checks.py looks at
if [ -e "$build/share/pith/page/viewer.html" ]; then
    pith draw log.pith -o log.html --waits --critical-path --findings && pith draw log.pith -o plain.html
    is "$(grep -c 'waits 1.*critical_path 1.*findings 1' log.html):$(grep -c 'waits 0.*critical_path 0.*findings 0' plain.html)" 1:1 "a page is told so"
fi
finish
