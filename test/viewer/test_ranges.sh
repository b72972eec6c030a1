#!/usr/bin/env bash
# Mountain ranges below the time lines, in the window and in pictures.
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
"$make_log" plain plain.pith && "$make_log" big big.pith
ok $? "logs are made"

# ---- pith draw: of the log "plain" in 1000 pixels
if [ -x "$build/libexec/pith/pith-draw" ]; then
    pith draw plain.pith -o without.png && pith draw plain.pith --ranges -o with.png
    ok $? "pith draw --ranges"
    higher=$(($(identify -format %h with.png) - $(identify -format %h without.png)))
    ok $((higher < 100 || higher > 200)) "higher by the mountains ($higher pixels)"
    count() { convert "$1" -fill black +opaque "$2" -fill white -opaque "$2" -format '%[fx:round(mean*w*h)]' info:; }
    more=$(($(count with.png '#0000cc') - $(count without.png '#0000cc')))
    convert with.png -crop 0x1+0+51 +repage row.png # through the bar of rank 0, red and blue all along
    width=$(($(count row.png '#0000cc') + $(count row.png '#cc0000')))
    # Blue: half of a lane and half of another, of two: half of the area.
    area=$((width * 130))
    ok $((more * 100 < area * 48 || more * 100 > area * 52)) "half of the area is blue ($more of $area)"
    pith draw plain.pith -e 'ranges on' -o word.png && cmp with.png word.png
    ok $? "the word of the window does the same"
    pith draw plain.pith --ranges -o with.svg && grep -q '>ranks<' with.svg
    ok $? "as SVG"
    is "$(pith draw plain.pith --ranges --text 2>&1)" 'pith: draw: --ranges: in pictures only, not in text and pages; see `pith help draw`' "not as text"
fi

# ---- The window
start_display
inside plain.pith ranges_checks.tcl

export XDG_STATE_HOME=$TMPDIR/state
pith view --restore plain.pith -e 'ranges on; ranges height 90; ranges order green; ranges only green blue; close' 2>&1
is "$(pith view --restore plain.pith -e 'puts "[ranges] [ranges height] [ranges order]"; puts [ranges at 0.1]; quit' 2>&1)" \
    "on 90 green blue red
{red 1.0000}" "kept with the view of the log"

# A log with a summary: rough at once, exact by a job; the same as when all is read.
out=$(pith view big.pith -e 'ranges on; zoom 100ms 300ms; puts [ranges at 200ms]; quit' 2>&1)
like "$out" '^(\{[^{}]* [0-9.]+\} ?|\{\{[^{}]*\} [0-9.]+\} ?)+$' "a log with a summary: $out"
out=$(pith view big.pith -e 'ranges on; update; ranges off; ranges on; zoom 1ms 2ms; update; close' 2>&1)
is "$?:$out" "0:" "a window that is closed while its job runs"
finish
