#!/usr/bin/env bash
# Logs that MPE and its forerunners wrote, if a collection of them lies beside the tree: what `pith draw` shows is what
# their text says.
. "$(dirname "$0")/../lib.sh"
logs=$top/../shared/logs

if [ ! -x "$build/libexec/pith/pith-draw" ]; then
    skip "pith draw" "not built here: no cairo"
    finish
fi
for name in gmm.log srtest.alog systest_profile.log cpilog.clog2 srtest.clog2; do
    [ -r "$logs/$name" ] || [ -r "$logs/$name.gz" ] || { skip "$name" "no ../shared/logs/$name"; continue; }
    text=$name
    [ "${name%.clog2}" = "$name" ] || text=${name}_print.txt
    for file in "$name" "$text"; do
        if [ -r "$logs/$file" ]; then cp "$logs/$file" .; else gzip -dc "$logs/$file.gz" >"$file"; fi
    done
    pith draw "$name" --text --stats >drawn.txt 2>err.txt
    is "$?:$(cat err.txt)" "0:" "$name: opens"
    same=$(python3 "$top/test/viewer/old_log_sums.py" "$text" drawn.txt)
    ok $? "$name: states, events, times, messages: $same"
    pith draw "$name" -o drawn.png 2>err.txt
    is "$?:$(cat err.txt)" "0:" "$name: a picture"
    rgb=$(pith print "$name" | awk -F'\t' '/^# state/ { sub(/name=/, "", $2); sub(/colour=/, "", $3); print $2 "\t" $3 }' |
        while IFS=$'\t' read -r state colour; do
            sed -n '/^ .*total .*self/,$p' drawn.txt | sed -n 2p | grep "^$state  " >/dev/null && echo "$colour"
        done | head -n 1)
    [ "$rgb" = green ] && rgb=lime # X11's green, which logs mean, is ImageMagick's lime
    if [ -n "$rgb" ]; then
        share=$(convert drawn.png -fuzz 4% -fill black +opaque "$rgb" -fill white -opaque "$rgb" -format '%[fx:mean*100]' info:)
        ok "$(awk "BEGIN { print !($share > 0.02) }")" "$name: what takes most of the time is there in its colour, $rgb: $share %"
    fi
done
finish
