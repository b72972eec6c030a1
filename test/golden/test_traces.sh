#!/usr/bin/env bash
# What the writers for Perfetto and chrome://tracing make of logs, read by programs of their own that know the formats' rules only.
. "$(dirname "$0")/../lib.sh"
here=$top/test/golden
make_golden=$build/test/golden/make_golden

# As the dumps have it, without what these formats do not hold.
expected() {
    pith print "$1" | awk -F'\t' '{ t = $1 }
        $4 == "enter" || $4 == "leave" || $4 == "event" { print t "\t" $2 "\t" $3 "\t" $4 "\t" $5 }
        $4 == "counter" { sub("value=", "", $6); print t "\t" $2 "\t" $3 "\t" $4 "\t" $5 "=" sprintf("%g", $6) }'
}

for kind in plain sparse deep edge; do
    "$make_golden" $kind $kind.pith
    for format in perfetto chrome; do
        pith convert $kind.pith $kind.$format --format $format 2>$kind.$format.notes
        ok $? "$kind: written for $format"
        python3 "$here/${format}_dump.py" $kind.$format >$kind.$format.dump
        ok $? "$kind: what $format expects is kept"
    done
    # Threads have numbers in the one and places in the other.
    is "$(cut -f1,2,4- $kind.perfetto.dump)" "$(cut -f1,2,4- $kind.chrome.dump)" "$kind: both tell the same"
    [ $kind = edge ] || is "$(grep -v "$(printf '\tto\t')" $kind.perfetto.dump)" "$(expected $kind.pith)" "$kind: all states, events and counters"
done
is "$(grep -c "$(printf '\tto\t')" edge.perfetto.dump):$(wc -l <edge.perfetto.notes)" "3:12" "edge: messages as flows; what is left out is said"
like "$(cat edge.perfetto.notes)" 'note: 1 ends of states that were not nested' "edge: a state is cut in two"
is "$(grep -v ' formats of payloads \| units of counters ' edge.chrome.notes)" "$(cat edge.perfetto.notes)" "edge: the same of chrome"

pith convert plain.pith run.trace.json
python3 "$here/chrome_dump.py" run.trace.json >again
is $? 0 "trace.json is the suffix of chrome"
cmp again plain.chrome.dump
ok $? "with the same in it"
pith convert plain.pith run.pftrace && cmp run.pftrace plain.perfetto
ok $? "pftrace is one of Perfetto"
pith convert edge.pith part.trace.json --from 0.00102 --to 0.00104 2>notes && python3 "$here/chrome_dump.py" part.trace.json >part.dump
ok $? "a window: states that reach into it begin and end there"

if command -v protoc >/dev/null; then
    protoc --decode_raw <edge.perfetto >raw
    is "$?:$(grep -c '^1 {' raw)" "0:$(python3 -c "import re; print(open('raw').read().count('\n  13: '))")" "protoc decodes all packets"
else
    skip "protoc decodes all packets" "no protoc"
fi
finish
