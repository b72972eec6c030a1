#!/usr/bin/env bash
# `pith draw`, what is said beside the picture: -e words, --legend, --stats, --grey; SVG within its size, PostScript.
. "$(dirname "$0")/../lib.sh"

if [ ! -x "$build/libexec/pith/pith-draw" ]; then
    skip "pith draw" "not built here: no cairo"
    finish
fi
make_log=$build/test/viewer/make_log
"$make_log" plain plain.pith && "$make_log" rich rich.pith && "$make_log" big big.pith
ok $? "logs are made"

printf '0\t0\t0\tevent\tping\n' >one.txt && pith draw one.txt -o one.svg
like "$(cat one.svg)" '>1 rank, 1 record, 0 ns</text>' "one record is no records"

# ---- words: the same as by options
same() { # WHAT WORDS OPTIONS...
    local what=$1 words=$2
    shift 2
    pith draw rich.pith -o words.png -e "$words" && pith draw rich.pith -o options.png "$@"
    cmp words.png options.png
    ok $? "-e '${words//$'\n'/ }': $what"
}
same "a window of time" 'zoom 4ms 6ms' --from 4ms --to 6ms
same "rows" 'rows 0-2' --lanes 0-2
same "undone by what comes later" 'zoom 4ms 6ms; rows 1; fit; rows'
same "zoom in and move" 'zoom 4ms 8ms; in 2; pan 0.5' --from 6ms --to 8ms
same "out" 'zoom 5ms 6ms; out' --from 4500us --to 6500us
same "braces, quotes, lines" $'hide {MPI_*};show "MPI_*"\n rows {0-2}\n' --lanes 0-2
same "unfolded rows" 'unfold_rows 1' --unfold 1
same "all of them" 'unfold_rows' --unfold all
same "of the rows chosen" 'rows 0-2; unfold_rows worker,2' --lanes 0-2 --unfold worker,2
same "folded again" 'unfold_rows; fold_rows 1-9' --unfold 0
same "as the window keeps them" 'set_rowstate {group none filter {} unfolded {0 3 77}}' --unfold 0.0,3
same "several -e" 'zoom 4ms 6ms' --from 4ms -e 'zoom 4ms 6ms'
pith draw plain.pith --text --size 72 -e 'hide green' >text.out
like "$(sed -n 2p text.out)" '^rank 0 +\|R{30,}B{29,33}\|$' "hide: what is around it shows"
is "$(grep -c green text.out)" 0 "hide: not in the legend"
# What the recorder tells those who replay logs is not for the eye, until it is asked for.
printf '%b\n' '0\t0\t0\tenter\tMPI_Wait' '0.5\t0\t0\tevent\tpith:coll_complete' '0.6\t0\t0\tevent\tmine' '1\t0\t0\tleave\tMPI_Wait' >aside.txt
is "$(pith draw aside.txt --text | grep -c coll_complete):$(pith draw aside.txt --text | grep -c mine):$(pith draw aside.txt --text -e 'show pith:*' | grep -c coll_complete)" \
    "0:1:1" "events for those who replay a log are hidden at first"
sed 's/coll_complete/site/; s/mine/pith:sample/' aside.txt >sites.txt && sed '/event/d' aside.txt >no_events.txt
for log in sites no_events; do pith draw $log.txt -o $log.svg; done
is "$(sed 's/[0-9]* records//; s/sites/no_events/' sites.svg)" "$(sed 's/[0-9]* records//' no_events.svg)" "call sites and samples, too: the picture has only the state"
pith draw plain.pith -o plain_all.png -e 'arrows off' && pith draw plain.pith -o lit.png -e 'arrows off; select 0 500ms'
inside=$(compare -metric AE plain_all.png[200x60+200+40] lit.png[200x60+200+40] null: 2>&1)
outside=$(compare -metric AE plain_all.png[200x60+850+40] lit.png[200x60+850+40] null: 2>&1)
is "$inside:$((outside > 4000))" 0:1 "select: pale outside ($outside pixels), inside as before ($inside)"
like "$(convert lit.png -crop 200x60+850+40 -depth 8 txt:- | sort -u -k 3,3)" '#9999EB' "blue becomes pale"
pith draw plain.pith -o unlit.png -e 'arrows off; select 0 500ms; select none' && cmp plain_all.png unlit.png
ok $? "select none"
is "$(pith draw plain.pith -o wrong.png -e 'select 0 soon' 2>&1)" 'pith: draw: -e: select: '"'soon' is not a time such as 1.5, 3ms, 1:02:33, init, finalize, end-1s or STATE[n]; see \`pith help draw\`" "a wrong time"
pith draw plain.pith -o arrows.svg && pith draw plain.pith -o none.svg -e 'arrows off'
is "$(grep -c '<g stroke="#16202a' arrows.svg):$(grep -c '16202a' none.svg)" "1:0" "arrows off: no arrow"
is "$(pith draw plain.pith --text --from 500 --to 600 2>&1 >text.out)" "$(pith print plain.pith --from 500 --to 600 2>&1 >text.out)" "a window beside the log is said"
pith draw rich.pith -o high.png -e 'height 40' && pith draw rich.pith -o low.png -e 'height 12'
ok $(($(identify -format %h high.png) - $(identify -format %h low.png) != 28 * 9)) "height: of each of 9 rows"

wrong() { # PATTERN WORDS
    local out
    out=$(pith draw plain.pith -o wrong.png -e "$2" 2>&1)
    is "$?:$(wc -l <<<"$out")" 2:1 "-e '$2': exit status, one line"
    like "$out" "^pith: draw: .*$1" "-e '$2': what it says"
    is "$(ls wrong.png* 2>/dev/null)" "" "-e '$2': no file"
}
wrong 'no such word for pictures: jump; there are: arrows collapse colour core_waits critical_path expand findings fit' 'fit; jump 3'
wrong 'zoom: must end after it begins' 'zoom 3 2'
wrong "zoom: 'x' is not a time such as 1\.5, .*, end-1s or STATE.n." 'zoom x 2'
wrong 'theme: must be light or dark, not blue' 'theme blue'
wrong 'colour: must be like #1f77b4: red' 'colour red red'
wrong 'zoom: needs FROM TO' 'zoom 3'
wrong 'fit: needs no argument' 'fit 3'
wrong 'does not end' 'hide {a'
wrong 'rows: none fits a-b' 'rows a-b'
wrong 'unfold_rows: none fits 77;' 'unfold_rows 77'
wrong 'group: must be host, comm, alike or none, not x' 'group x'
is "$(pith draw plain.pith -o wrong.png --unfold 77 2>&1; echo $?)" $'pith: draw: --unfold 77: no row matches; see `pith help draw`\n2' "--unfold without rows"
for how in "--unfold 0" "-e unfold_rows"; do
    # shellcheck disable=SC2086
    like "$(pith draw plain.pith --text $how 2>&1; echo $?)" '^pith: draw: .*in pictures and pages only, not in text; see `pith help draw`$' "$how --text: said"
done
# Every word is one of the window's, and takes what it takes there.
window=$(sed -nE 's/^        ([a-z_]+) +\{.*\} +word_[a-z_]+$/\1/p; s/^    words \{([a-z_]+) .*/\1/p' "$top"/viewer/tcl/*.tcl | sort)
drawn=$(pith draw plain.pith -o wrong.png -e jump 2>&1 | sed 's/.*there are: //' | tr ' ' '\n')
is "$(comm -13 <(echo "$window") <(sort <<<"$drawn"))" "" "all words are words of the window"
like "$(pith help draw)" "$(sed -n 1p <<<"$drawn")" "help tells of them"

pith draw plain.pith -o dark.png -e 'theme dark; colour r* #abcdef; colour blue #123456 now'
left=$(convert dark.png -crop 1200x1+0+61 txt:- | sed -n 's/^\([0-9]*\),0:.*#ABCDEF.*/\1/p' | head -n 1)
like "$left" '^[4-9][0-9]$' "colour: red is another"
is "$(convert 'dark.png[1x1+1000+61]' -depth 8 rgb:- | od -An -tx1 | tr -d ' ')" 123456 "and blue too"
ok $((0x$(convert 'dark.png[1x1+2+2]' -depth 8 rgb:- | od -An -tx1 | tr -d ' ') > 0x404040)) "theme dark: dark paper"
pith draw plain.pith --text --size 72 -e 'only blue' >text.out
is "$(grep -cE 'red|green|mark' text.out):$(grep -c blue text.out)" 0:1 "only blue"
pith draw plain.pith -o a.svg -e 'arrows off; hide *; show_all' && pith draw plain.pith -o b.svg
cmp a.svg b.svg
ok $? "show_all: as if nothing was said"

# ---- rows as a tree
pith draw rich.pith --text --size 80 -e 'group host; collapse; hide_rows 5; pin 3' >rows.out
is "$(sed -n '2,6s/ *|.*//p' rows.out | tr '\n' ,)" "rank 3,rank 0  2 threads,rank 1  2 threads,rank 2,rank 4," "collapsed, pinned, hidden"
like "$(sed -n 's/.*compute \([0-9.]*\)%.*/\1/p' rows.out)" '^(2[5-9]|3[0-2])\.' "shares of all lanes' time, also of groups"
pith draw rich.pith --text --size 80 -e 'rows *worker*' >rows.out
is "$(sed -n '2,9s/ *|.*//p' rows.out | tr '\n' ,)" "0.1 worker,1.1 worker," "rows by a name"
pith draw rich.pith --text --size 80 -e 'set_rowstate {group comm filter {0-2} opened {} closed {comm:0/0} hidden comm:0/1 pinned {} order {comm:0 {comm:0/2 comm:0/0}}}' >rows.out
is "$(sed -n '2,9s/ *|.*//p' rows.out | head -n 2 | tr '\n' ,)" "rank 2,rank 0  2 threads," "an arrangement as the window tells it"

pith draw rich.pith -o a.png -e 'ranges on' && pith draw rich.pith -o b.png --ranges
cmp a.png b.png
ok $? "ranges on: as --ranges"
options() { grep -oE '^ +--?[a-z]+' | tr -d ' ' | sort; }
for option in $(pith help draw | options); do
    grep -qF -- "${option//-/\\-}" "$top/man/pith-draw.1"
    ok $? "the manual page tells of $option"
done

# ---- statistics
pith draw plain.pith --text --size 72 --stats >stats.out
like "$(cat stats.out)" '^blue +2 +1 s +1 s +50\.0%$' "--stats: count, inclusive, exclusive, share"
like "$(cat stats.out)" '^red +1 +500 ms +400 ms +20\.0%$' "--stats: what is inside is not exclusive"
like "$(cat stats.out)" '^computing +150 ms +7\.5%$' "--stats: time outside of states, as in the legend"
like "$(cat stats.out)" '^mark +1$' "--stats: events"
like "$(cat stats.out)" '^messages +1$' "--stats: messages"
like "$(pith draw plain.pith --text --stats --to 300ms | tail -n 1)" '^messages +0$' "--stats: of the window"
pith draw plain.pith -o stats.svg --stats
for text in total self '500 ms' '400 ms' '20 %' messages; do
    like "$(cat stats.svg)" ">$text</text>" "--stats in a picture: $text"
done
# ---- terminals: a width, and colours
is "$(COLUMNS=60 pith draw plain.pith --text | awk '{ print length }' | sort -n | tail -n 1)" 60 "COLUMNS says how wide"
is "$(COLUMNS=5 pith draw plain.pith --text | sed -n 2p | awk '{ print length }')" 30 "but not narrower than can be read"
is "$(pith draw plain.pith --text | sed -n 3p | awk '{ print length }')" 100 "100 letters into a pipe"
if command -v script >/dev/null; then
    on_terminal() { env TERM=xterm "$@" script -qec "stty cols 70; pith draw plain.pith --text" /dev/null </dev/null; }
    like "$(on_terminal)" $'\033\\[' "in colour on a terminal"
    is "$(on_terminal NO_COLOR=1 | grep -c $'\033')" 0 "NO_COLOR: not"
    is "$(on_terminal NO_COLOR=1 | tr -d '\r' | sed -n 3p | awk '{ print length }')" 70 "as wide as the terminal"
fi
# ---- the legend's place
pith draw rich.pith -o bottom.svg && pith draw rich.pith -o right.svg --legend right && pith draw rich.pith -o none.svg --legend none
is "$(grep -c '>compute</text>' bottom.svg):$(grep -c '>compute</text>' right.svg):$(grep -c '>compute</text>' none.svg)" 1:1:0 \
    "--legend bottom, right, none"
x_of() { sed -nE 's/^<text x="([0-9]+).*>compute<.*/\1/p' "$1"; }
ok $(($(x_of right.svg) < 900 || $(x_of bottom.svg) > 900)) "right is right"
out=$(pith draw rich.pith -o x.png --legend left 2>&1)
is "$?:$out" "2:pith: draw: --legend left: must be bottom, right or none; see \`pith help draw\`" "left is not"
for size in 240x170 300x2000 2000x300; do
    for how in "--stats" "--legend right" "--legend right --stats"; do
        # shellcheck disable=SC2086
        pith draw rich.pith -o odd.png --size $size $how
        is "$?:$(identify -format %wx%h odd.png)" "0:$size" "$size $how"
    done
done
# Beside mountain ranges a legend of nine states has room, so the picture does not become higher.
for i in {1..9}; do for rank in 0 1; do printf '%s\t%s\t0\tenter\ts%s\n%s.5\t%s\t0\tleave\ts%s\n' $i $rank $i $i $rank $i; done; done | sort -s -g >nine.txt
for where in none right; do pith draw nine.txt -o $where.png --ranges --legend $where; done
is "$(identify -format %h right.png)" "$(identify -format %h none.png)" "--ranges --legend right: as high as without the legend"
# ---- grey
for kind in png svg; do
    pith draw rich.pith -o grey.$kind --grey --stats
done
is "$(convert grey.png -depth 8 rgb:- | od -An -v -tx1 -w3 | awk '$1 != $2 || $2 != $3' | sort -u | wc -l)" 0 "--grey: nothing but grey"
is "$(grep -oE '#[0-9a-f]{6}' grey.svg | sort -u | grep -vcE '#(..)\1\1')" 0 "--grey: as SVG"
pith draw plain.pith -o plain.png --grey
left=$(convert plain.png -crop 500x1+100+60 -format %k info:)
ok $((left < 2)) "states have different greys"

# ---- SVG: small
pith draw big.pith -o big.svg 2>err
ok $(($(stat -c %s big.svg) > 2000000)) "a dense SVG: $(stat -c %s big.svg) bytes"
pith draw big.pith -o huge.svg --size 4000 2>err
ok $(($(stat -c %s huge.svg) > 2000000)) "a wide one: $(stat -c %s huge.svg) bytes"
like "$(cat err)" '^pith: huge\.svg: drawn with [0-9]+ columns instead of 38[0-9]+ to stay below 2 MB; --full draws all$' "which is said"
pith draw big.pith -o full.svg --size 4000 --full 2>err
is "$?:$(cat err)" "0:" "--full: nothing is said"
ok $(($(stat -c %s full.svg) < 2000000)) "--full: $(stat -c %s full.svg) bytes"
"$make_log" nasty nasty.pith && pith draw nasty.pith -o nasty.svg --stats --title $'<&">\ufffe\xff'
ok $? "names and titles that are no XML"
for file in big huge full stats nasty; do
    python3 -c "import sys, xml.dom.minidom as m; m.parse('$file.svg')"
    ok $? "$file.svg is well-formed"
done
# ---- PostScript
pith draw rich.pith -o rich.ps && pith draw rich.pith -o rich.eps --size 400x600
is "$(head -c 4 rich.ps):$(sed -n 1p rich.eps)" '%!PS:%!PS-Adobe-3.0 EPSF-3.0' "PostScript, encapsulated or not"
like "$(grep -a BoundingBox rich.eps | head -n 1)" '^%%BoundingBox: 0 [0-9]+ 400 600$' "portrait"
is "$(grep -ac '%%CreationDate: Thu Jan  1 00:00:00 1970' rich.ps rich.eps | cut -d: -f2 | tr '\n' ' ')" "1 1 " "without the date of today"
is "$(grep -c -a 'BI$\|ID$\|/ImageType' rich.ps)" 0 "shapes, not images, though arrows are faint"

# ---- exactly: the bars of a picture, line by line as runs of colours (test/viewer/plain_raster.txt)
pith draw plain.pith -o exact.png --size 600x200 --legend none -e 'arrows off; names off; hide mark'
left=$(convert exact.png -crop 600x1+0+61 txt:- | sed -n 's/^\([0-9]*\),0:.*#840000.*/\1/p' | head -n 1)
convert exact.png -crop 520x120+"$left"+46 +repage ppm:exact.ppm
python3 "$top/test/viewer/raster_runs.py" exact.ppm >exact.txt
is "$(cat exact.txt)" "$(cat "$top/test/viewer/plain_raster.txt")" "every pixel of the bars is as it was"

# ---- interrupted, refused
pith draw rich.pith -o slow.png --size 20000x8000 & pid=$! # takes seconds
for ((i = 0; i < 1000; i++)); do
    [ ! -e slow.png.part ] || break
    sleep 0.01
done
kill -TERM $pid
wait $pid
is "$?:$(ls slow.png* 2>/dev/null)" "143:" "interrupted: no file"
if [ "$(id -u)" != 0 ]; then
    mkdir closed && chmod 555 closed
    out=$(pith draw rich.pith -o closed/x.png 2>&1)
    is "$?:$out" "1:pith: closed/x.png.part: Permission denied" "a folder that is closed"
fi

# Times of day, in the zone of the reader. What the axis shows is a time for --from.
printf '# property\tkey=start_unix_s\tvalue=1795957385.250000000\n0\t0\t0\tenter\twork\n7200\t0\t0\tleave\twork\n' >clock.txt
TZ=UTC-1 pith draw clock.txt --ascii --time-of-day >clock.out
like "$(cat clock.out)" '^2026-11-29 .* 14:30:00 .* 15:00:00 .* 15:30:00$' "times of day on the axis of a text"
is "$(TZ=UTC-1 pith draw clock.txt --ascii -e 'time_of_day on')" "$(cat clock.out)" "the word for it"
is "$(TZ=UTC-1 pith draw clock.txt --ascii --from T14:30:00 --to '2026-11-29T14:00:00Z')" \
    "$(pith draw clock.txt --ascii --from 26:54.75 --to 3414.75)" "times of day in --from and --to"
TZ=UTC-1 pith draw clock.txt -o clock.svg --time-of-day --from T14:30:00
like "$(cat clock.svg)" '2026-11-29 14:30:00 to 2026-11-29 16:03:05<' "and in a picture"
is "$(pith draw plain.pith --text --time-of-day 2>&1)" "pith: plain.pith: this log does not know when it was recorded" "a log without a clock"

# Numbers of messages lie between rows, where they cover no name: from rank 0 to 1, over one row, and over two.
{
    printf '# comm\tcomm=0\tname=MPI_COMM_WORLD\tsize=4\tranks=0,1,2,3\n'
    awk 'BEGIN {
        for (r = 0; r < 4; r++) printf "0.0\t%d\t0\tenter\tstate\n1.0\t%d\t0\tleave\tstate\n", r, r
        split("0 1 0 2 3 0", ends, " ")
        for (i = 0; i < 60; i++) for (k = 1; k < 6; k += 2) {
            printf "%.6f\t%d\t0\tsend\tMPI_COMM_WORLD\tpeer=%d\ttag=%d\tbytes=8\n", 0.4 + i / 1e5, ends[k], ends[k + 1], k
            printf "%.6f\t%d\t0\trecv\tMPI_COMM_WORLD\tpeer=%d\ttag=%d\tbytes=8\n", 0.6 + i / 1e5, ends[k + 1], ends[k], k } }' | sort -s -g -k 1,1
} >numbers.txt
pith draw numbers.txt -o numbers.svg
is "$(grep -o '<text[^>]*>[^<]*' numbers.svg | sed -E 's/.* y="([0-9.]+)".*>(.*)/\2 \1/' | awk '
    /^rank/ { row[$2] = $3 }
    /^[0-9]+ [0-9.]+$/ { for (k = 0; k < 3; k++) if ($2 > row[k] + 8 && $2 < row[k + 1] - 8) n++; all++ }
    END { print all, n }')" "3 3" "numbers of messages lie between rows"
finish
