#!/usr/bin/env bash
# `pith draw`: kinds of pictures, colours at known places, sizes, errors, reproducible bytes, text pictures.
. "$(dirname "$0")/../lib.sh"

if [ ! -x "$build/libexec/pith/pith-draw" ]; then
    skip "pith draw" "not built here: no cairo"
    finish
fi
make_log=$build/test/viewer/make_log
"$make_log" plain plain.pith && "$make_log" rich rich.pith
ok $? "logs are made"

# pixel FILE X Y: its colour as rrggbb.
pixel() { convert "$1[1x1+$2+$3]" -depth 8 rgb:- | od -An -tx1 | tr -d ' \n'; }
# size FILE: WxH.
size() { identify -format '%wx%h' "$1"; }

# ---- PNG: the plain log lies at known places. A second is 1121 pixels wide from x = 63 on (label, gap, margin 16 each side).
out=$(pith draw plain.pith -o plain.png 2>&1)
is "$?:$out" "0:" "draws a PNG and says nothing"
is "$(ls ./*.part 2>/dev/null)" "" "no partial file is left"
left=$(convert plain.png -crop 1200x1+0+61 txt:- | sed -n 's/^\([0-9]*\),0:.*#CC0000.*/\1/p' | head -n 1)
right=1184
at() { echo $((left + (right - left) * $1 / 1000)); }
like "$left" '^[4-9][0-9]$' "the first bar begins beside the label"
is "$(pixel plain.png "$(at 150)" 61)" cc0000 "rank 0 is red at 0.15 s"
is "$(pixel plain.png "$(at 250)" 61)" 00aa00 "green at 0.25 s, inside"
is "$(pixel plain.png "$(at 250)" 52)" cc0000 "and red around it"
is "$(pixel plain.png "$(at 800)" 61)" 0000cc "blue at 0.8 s"
is "$(pixel plain.png "$(at 300)" 95)" 0000cc "rank 1 is blue at 0.3 s"
is "$(pixel plain.png "$(at 200)" 95)" e9edf1 "idle at 0.2 s: light"
is "$(pixel plain.png "$(at 950)" 95)" ffffff "nothing after its last record"
is "$(pixel plain.png "$(at 100)" 81)" ff00ff "its event at 0.1 s"
# colours FILE WxH+X+Y: how many different ones there are.
colours() { convert "$1" -crop "$2" +repage -format '%k' info:; }
like "$(colours plain.png "$(($(at 480) - $(at 420)))x10+$(at 420)+60")" '^([3-9]|[1-9][0-9]+)$' "an arrow for the message, in the red bar"
is "$(colours plain.png "$(($(at 380) - $(at 310)))x10+$(at 310)+60")" 1 "and none where no message is under way"

# ---- windows, lanes, sizes
"$make_log" hosts hosts.pith
pith draw hosts.pith --text --ascii --group host --size 57 >hosts.text
is "$(grep -c '|' hosts.text)" 3 "--group host: a row each"
like "$(cat hosts.text)" '^beta  2 ranks  \|:W?W+H+W+:+\|$' "which is what most of its lanes do"
like "$(cat hosts.text)" '^B  MPI_Barrier 36\.7%' "shares are of all their lanes"
like "$(pith draw hosts.pith --text --ascii --group comm --lanes 'odd')" '^odd  4 ranks  *\|' "--lanes takes names, also of communicators"
pith draw plain.pith -o part.png --from 500ms --to 1 --lanes 0 --size 800x200
is "$(size part.png)" 800x200 "a size as asked for"
is "$(convert part.png -crop 600x1+150+60 -depth 8 txt:- | grep -c '#0000CC')" 600 "--from, --to and --lanes: all blue"
pith draw rich.pith -o rich.png --size 900
like "$(size rich.png)" '^900x[0-9]+$' "a width alone: as high as the rows need"
pith draw rich.pith -o small.png --size 240x170
is "$(size small.png)" 240x170 "a very small picture"

pith draw plain.pith -o deep.png --from 500000000ns --to 500000003ns
like "$(colours deep.png 4x6+600+73)" '^[2-9]' "three nanoseconds wide: the arrow, whose ends are far away, passes half way between its rows"

# ---- reproducible, all kinds
for kind in png svg pdf ps eps; do
    pith draw rich.pith -o a.$kind && sleep 0.05 && pith draw rich.pith -o b.$kind
    cmp a.$kind b.$kind
    ok $? "$kind: the same log gives the same bytes"
done
like "$(head -c 300 a.svg)" '<svg .*width="1200(px)?"' "an SVG"
command -v xmllint >/dev/null && { xmllint --noout a.svg; ok $? "well formed"; }
is "$(head -c 5 a.pdf)" "%PDF-" "a PDF"
is "$(TZ=UTC pdfinfo a.pdf | grep -c '^CreationDate: .* 1970')" 1 "without the date of today"
convert a.svg svg.png 2>/dev/null && like "$(size svg.png)" '^1200x' "the SVG can be drawn"

# ---- text
pith draw plain.pith --text --size 72 >text.out
like "$(sed -n 1p text.out)" '^plain\.pith: 2 ranks, 2 lanes, 1 message, 1 s$' "text: a title"
like "$(sed -n 2p text.out)" '^rank 0 +\|R{11,13}G{5,7}R{11,13}B{29,33}\|$' "text: red, green inside, blue"
like "$(sed -n 3p text.out)" '^rank 1 +\| {5,7}\.{8,10}:?B{29,33}:? {14,17}\|$' "text: life, blue"
like "$(sed -n 4p text.out)" '^ +\+\+-+\+-+' "text: an axis"
like "$(sed -n 5p text.out)" '^ +0\.0 s +0\.[25] s' "text: its labels"
like "$(cat text.out)" 'B  blue 50\.0%.*R  red 20\.0%.*G  green 5\.0%' "text: a key with shares of time"
is "$(pith draw rich.pith --ascii | LC_ALL=C grep -c '[^ -~]')" 0 "--ascii: plain letters only"
is "$(awk '{ print length }' text.out | sort -n | tail -n 1)" 72 "text: as wide as asked for"
coloured=$(COLORTERM=truecolor pith draw plain.pith --text --colour always)
like "$coloured" $'\033\\[38;2;204;0;0m' "in colour when asked for"
like "$coloured" $'\u2584' "a state inside another: two halves"
like "$(pith draw rich.pith --text | tail -n 2 | head -n 1)" '^and [12] more states?, each below 0\.1%$' "tiny states are counted"
is "$(pith draw plain.pith --text | grep -c $'\033')" 0 "not into a pipe"
is "$(pith draw plain.pith --text --colour always | grep -c '38;2;')" 0 "256 colours where the terminal says no more"

# ---- the axis of a short time long after 0: its texts do not cover each other
printf '%s\t0\t0\t%s\twork\n' 1700000000.1234 enter 1700000000.1244 leave >epoch.txt
like "$(pith draw epoch.txt --text --size 80 | sed -n 4p)" '^1700000000 s {8,}\+123\.6 ms ' "text: the time before all others is whole"
pith draw epoch.txt -o epoch.svg --size 600
is "$(grep -o '>[+0-9.]*[0-9]\{3\}[0-9.]* m\?s<' epoch.svg | tr -d '\n')" ">1700000000 s<>+123.6 ms<>+123.8 ms<>+124.0 ms<>+124.2 ms<" \
    "a picture: the label that it would cover is left out"
for time in 0 1 2; do printf '%s\t0\t0\t%s\twork\n' 170000000$time.5 enter 170000000$((time + 1)).25 leave; done >long.txt
pith draw long.txt -o long.svg --size 600
is "$(grep -o '>1[0-9.]* s<' long.svg | tr -d '\n')" ">1700000000.5 s<>1700000001.5 s<>1700000002.5 s<" "wide labels: each second one"

# ---- odd logs
for kind in nasty empty point; do "$make_log" $kind $kind.pith; done
like "$(pith draw nasty.pith --text)" '^rank 0 ' "names of control characters: a picture"
is "$(pith draw nasty.pith --text --size 60 | LC_ALL=C grep -c $'[\001-\011\013-\037]')" 0 "no control character of a name reaches the terminal"
pith draw nasty.pith -o nasty.png
is "$?" 0 "names that are no UTF-8 are drawn all the same"
pith draw point.pith -o point.png && pith draw point.pith --text >point.out
like "$?:$(cat point.out)" '^0:point\.pith: 1 rank, 1 lane, 0 ns' "a log of one moment"
like "$(pith draw rich.pith --text --lanes 1 | head -n 3 | tail -n 2)" '^rank 1 .*$' "--text takes lanes as well"

# ---- errors: one line, the exit status, no file
fails() { # STATUS PATTERN WHAT ARGS...
    local status=$1 pattern=$2 what=$3 out
    shift 3
    rm -f out.png
    out=$(pith draw "$@" 2>&1 >/dev/null)
    is "$?:$(wc -l <<<"$out")" "$status:1" "$what: exit status, one line"
    like "$out" "^pith: $pattern" "$what: what it says"
    is "$(ls out.png out.png.part 2>/dev/null)" "" "$what: no file"
}
fails 1 'none\.pith: ' "no such log" none.pith -o out.png
echo "no log at all, only some words" >text.pith
fails 1 'text\.pith: ' "no log" text.pith -o out.png
: >nothing.pith
fails 1 'nothing\.pith: ' "an empty file" nothing.pith -o out.png
fails 1 'empty\.pith: nothing to draw' "a log without records" empty.pith -o out.png
fails 2 'draw: LOG is missing' "no log given" -o out.png
fails 2 'draw: where to\?' "no output given" plain.pith
fails 2 'draw: -o out\.gif: .*\.png' "an unknown kind" plain.pith -o out.gif
fails 2 'draw: no such option: --frm' "an unknown option" plain.pith -o out.png --frm 3
fails 2 "draw: --from: 'abc' is not a time" "no time" plain.pith -o out.png --from abc
fails 2 'draw: --size 5x: ' "no size" plain.pith -o out.png --size 5x
fails 2 'draw: --size must be from 240x120 to 32000x32000, not 90000x90000' "too large" plain.pith -o out.png --size 90000x90000
fails 2 'draw: --group planet: must be host, comm, alike or none' "no grouping" plain.pith -o out.png --group planet
fails 1 'plain\.pith: no lanes a-b' "no lanes" plain.pith -o out.png --lanes a-b
fails 1 'plain\.pith: no lanes 7' "lanes that are not there" plain.pith -o out.png --lanes 7
fails 1 'plain\.pith: nothing to draw from 0\.7 s to 0\.2 s' "an empty window" plain.pith -o out.png --from 0.7 --to 0.2
fails 1 'nowhere/out\.png' "a folder that is not there" plain.pith -o nowhere/out.png
out=$(ulimit -f 1; pith draw plain.pith -o out.png 2>&1)
is "$?:$out" "1:pith: out.png: cannot write: File too large" "a full disk"
is "$(ls out.png* 2>/dev/null)" "" "a full disk: no file"
# A log of more than a million records is drawn by its summary; without its end, by one made anew.
"$make_log" big damaged.pith
head -c -100 damaged.pith >cut.pith
for window in "" "--from 0.2 --to 0.3" "--from 0.31 --to 0.3105"; do
    # shellcheck disable=SC2086
    pith draw damaged.pith -o whole.png --title big $window && pith draw cut.pith -o cut.png --title big $window 2>/dev/null
    cmp whole.png cut.png
    ok $? "the same picture by the log's summary and by a new one: ${window:-all}"
done
# A damaged block: the rest is drawn, and it is said.
size=$(stat -c %s damaged.pith)
printf 'damage damage damage' | dd of=damaged.pith bs=1 seek=$((size / 2)) conv=notrunc status=none
for how in "-o damaged.png" "--text"; do
    pith draw damaged.pith $how >out 2>err
    is "$?:$(wc -l <err)" "0:1" "draw $how of a damaged log: exit status, one line"
    like "$(cat err)" '^pith: damaged\.pith: byte [0-9]+: .*the rest is drawn' "which says what is wrong"
done
like "$(convert damaged.png -format %k info:)" '^[1-9][0-9]' "the other lanes are drawn"
# What is missing is marked on its lane, in each kind of picture.
pith draw damaged.pith --text >out 2>err
marked=$(grep '^rank.*!' out | grep -oE '^rank [0-9]+')
is "$(wc -l <<<"$marked"):$(grep -cF "a block of $marked is damaged" err)" 1:1 "text: the lane of the message has marks: $marked"
is "$(grep -c '^!  records are missing' out):$(pith draw plain.pith --text | grep -c '!')" 1:0 "and the key says what they mean"
printf '%s\t0\t0\t%s\n' 0 $'enter\twork' 0.5 $'lost\t\tcount=3' 0.8 pause 0.8 resume 1 $'leave\twork' >lost.txt
is "$(pith draw lost.txt --text | grep -oE '!.*!|^!.*' | tr -s '!')" $'!\n!  records are missing' "lost records: the file is not damaged"
pith draw damaged.pith -o damaged.svg 2>err
is "$(grep -c 'red lines: records are missing' damaged.svg)" 1 "a picture says what its red lines mean"
pith draw plain.pith -o no.png --from init 2>err
is "$?:$(cat err)" "1:pith: plain.pith: init: there is no MPI_Init in this log" "--from init without MPI_Init"
pith draw plain.pith -o no.png --to nowhere 2>err
is "$?:$(cat err)" "2:pith: draw: --to: 'nowhere' is not a time such as 1.5, 3ms, 1:02:33, init, finalize, end-1s or STATE[n]; see \`pith help draw\`" "no such time"
finish
