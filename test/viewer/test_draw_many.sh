#!/usr/bin/env bash
# Pictures of many lanes and of dense logs: rows lower than a pixel are grouped; SVG, PostScript and PDF stay small, and
# show what the PNG shows.
. "$(dirname "$0")/../lib.sh"

if [ ! -x "$build/libexec/pith/pith-draw" ]; then
    skip "pith draw" "not built here: no cairo"
    finish
fi
make_big_log=$build/test/bench/make_big_log
"$make_big_log" thousand.pith 1000 1000 400 && "$make_big_log" dense.pith 64 64 14000
ok $? "logs are made"
bytes() { stat -c %s "$1"; }

# ---- Rows lower than a pixel: every fifth of 900 ranks is odd, and none is seen, as most are not.
awk 'BEGIN {
    for (rank = 0; rank < 900; rank++)
        printf "0.000000000\t%d\t0\tenter\t%s\n", rank, rank % 5 ? "even" : "odd"
    for (rank = 0; rank < 900; rank++)
        printf "1.000000000\t%d\t0\tleave\t%s\n", rank, rank % 5 ? "even" : "odd"
}' >fifths.txt
pith convert fifths.txt fifths.pith
ok $? "a log of 900 ranks"
colours_of() { # FILE: how many pixels are of the colour of odd ranks, and of the others
    convert "$1" -crop "$2" -depth 8 rgb:- | od -An -v -tx1 -w3 | sort | uniq -c | awk '/11 22 33/ { odd = $1 } /aa bb cc/ { even = $1 } END { print odd + 0, even + 0 }'
}
paint='colour odd #112233; colour even #aabbcc'
pith draw fifths.pith -o low.png --size 400x360 --legend none -e "$paint"
is "$?:$(identify -format %wx%h low.png)" 0:400x360 "900 rows in a picture 360 pixels high"
read -r odd even <<<"$(colours_of low.png 200x360+150+0)"
ok $((odd != 0 || even < 40000)) "each line of pixels shows what most of its lanes do ($odd odd, $even others)"
pith draw fifths.pith -o high.png -e "$paint"
read -r odd even <<<"$(colours_of high.png 200x1900+500+0)"
ok $((odd < 60000 || even < 4 * odd)) "where there is room each has its own ($odd odd, $even others)"
pith draw fifths.pith -o low.svg --size 400x360 --legend none
like "$(cat low.svg)" '900 ranks, .* lanes a row</text>' "it is told how many are in a row"
is "$(pith draw fifths.pith -o high.svg; grep -c 'lanes a row' high.svg)" 0 "where each has its own, not"
is "$(grep -c '>rank 0</text>' low.svg)" 1 "rows have the label of their first lane"
is "$(pith draw fifths.pith -o half.png -e 'height 0.5' 2>&1)$(pith draw fifths.pith -o half.png -e 'height 1')" \
    "$(pith draw fifths.pith -o half.png -e 'height 0.5' 2>&1)" "the word height"

# ---- SVG
pith draw thousand.pith -o thousand.svg 2>err
ok $(($(bytes thousand.svg) > 2000000)) "1000 dense lanes as SVG: $(bytes thousand.svg) bytes"
like "$(cat err)" '^pith: thousand\.svg: drawn with [4-9][0-9]{2} columns instead of 10[0-9]{2}, [248] lanes a row, to stay below 2 MB; --full draws all$' \
    "what was given up for that is told"
pith draw dense.pith -o dense.svg --size 2400 2>err
ok $(($(bytes dense.svg) > 2000000)) "64 dense lanes: $(bytes dense.svg) bytes"
like "$(cat err)" 'drawn with [0-9]{3,4} columns instead of 23[0-9]{2} to stay' "with fewer columns, each lane with its row"
for file in thousand dense; do
    python3 -c "import sys, xml.dom.minidom as m; m.parse('$file.svg')"
    ok $? "$file.svg is well-formed"
done

# ---- PostScript and PDF: beyond some number, rectangles are an image, which is as the PNG
for log in thousand dense; do
    for kind in ps pdf; do
        pith draw $log.pith -o $log.$kind
        ok $(($(bytes $log.$kind) > 2000000)) "$log.$kind: $(bytes $log.$kind) bytes"
    done
done
cp dense.ps again.ps && pith draw dense.pith -o dense.ps && cmp dense.ps again.ps
ok $? "the same bytes each time"
part_of() { convert "$1" -crop 1000x900+120+50 +repage "$2"; } # the bars of a picture
if command -v gs >/dev/null; then
    pith draw dense.pith -o plain.png -e 'arrows off' && part_of plain.png bars.png
    for kind in ps eps pdf; do
        pith draw dense.pith -o plain.$kind -e 'arrows off'
        gs -q -dNOPAUSE -dBATCH -sDEVICE=png16m -r72 -dEPSCrop -sOutputFile=$kind.png plain.$kind
        is "$(identify -format %wx%h $kind.png)" "$(identify -format %wx%h plain.png)" "$kind: as large as the PNG"
        part_of $kind.png part.png
        is "$(compare -metric AE bars.png part.png null: 2>&1)" 0 "$kind: its bars are those of the PNG, pixel by pixel"
    done
    # With arrows PostScript has them in the image, half-transparent, though it knows no transparency.
    pith draw dense.pith -o dense.png && part_of dense.png bars.png
    gs -q -dNOPAUSE -dBATCH -sDEVICE=png16m -r72 -sOutputFile=ps.png dense.ps && part_of ps.png part.png
    off=$(compare -metric MAE bars.png part.png null: 2>&1 | sed 's/.*(\(.*\))/\1/')
    ok "$(awk "BEGIN { print !($off < 0.03) }")" "with arrows PostScript is much as the PNG (off by $off)"
else
    skip "PostScript as an image" "no gs"
fi
# Of few records there are shapes, which can be scaled.
pith draw fifths.pith -o few.pdf --lanes 0-9 && pith draw fifths.pith -o few.ps --lanes 0-9
is "$(grep -ac '/Subtype /Image' few.pdf):$(grep -ac /ImageType few.ps)" 0:0 "of few records shapes, no image"
is "$(grep -ac '/Subtype /Image' dense.pdf)" 1 "of many an image"
finish
