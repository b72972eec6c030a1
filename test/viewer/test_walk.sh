#!/usr/bin/env bash
# From record to record, and the details of what is chosen (walk_checks.tcl).
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
"$make_log" plain plain.pith
ok $? "a log is made"
start_display
inside plain.pith walk_checks.tcl
"$make_log" rich rich.pith
inside rich.pith counter_checks.tcl
pith draw rich.pith -o rich.svg -e 'height 60' 2>err || sed 's/^/# /' err
is "$(grep -oE '<text [^>]*>(102\.4|0)<' rich.svg | sed 's/.*>\(.*\)</\1/' | xargs)" "102.4 0" "the graph of a counter has a scale"
while IFS='|' read -r unit value scale; do
    printf '# counter\tname=c\tunit=%s\n0\t0\t0\tcounter\tc\tvalue=0\n1\t0\t0\tcounter\tc\tvalue=%s\n' "$unit" "$value" >scale.txt
    pith draw scale.txt -o scale.svg
    is "$(grep -oE '<text [^>]*>[0-9.]+[^<]*<' scale.svg | sed 's/.*>\(.*\)</\1/' | grep -xF "$scale")" "$scale" "$value $unit: $scale"
done <<'END'
ns|2815123456|2.815 s
ns|12|12 ns
bytes|512|512 bytes
bytes|12345|12.35 kB
instructions|2815123456|2.815 G instructions
1|1234567|1.235 M
END
finish
