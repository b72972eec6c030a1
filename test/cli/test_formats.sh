#!/usr/bin/env bash
# The table of `pith help formats`, row by row: each format is chosen by suffix and by name, its file is told by content, what
# it cannot hold is said once, and the rest comes back. A new row that is written needs a line in `losses` below.
. "$(dirname "$0")/../lib.sh"

# name|access|suffixes|summary: the table without its wrapping
rows() {
    pith help formats | awk 'function field(from, size, text) { text = substr($0, from, size); gsub(/^ +| +$/, "", text); return text }
        NR == 1 { next }
        /^$/ { exit }
        { name = field(1, 9); suffixes = field(21, 16); summary = field(37, 64) }
        name != "" { if (row != "") print row "|" all "|" text; row = name "|" field(10, 11); all = suffixes; text = summary; next }
        { all = all (suffixes == "" ? "" : " " suffixes); text = text (summary == "" ? "" : " " summary) }
        END { print row "|" all "|" text }'
}
rows >rows
is "$(pith help formats | awk 'length > 100 || / $/')" "" "the table is 100 columns wide at most"

# The manual page says the same.
page() {
    awk '/^\.SH/ { on = $2 == "FORMATS" } on && /^\.BR / { name = $2; split($0, part, /"/); access = part[2]; getline text
        gsub(/^ \(|\)$/, "", access); sub(/; /, "|", access); print name "|" access "|" text }' "$top/man/pith-formats.5" |
        sed "s/\\\\-/-/g; s/\\\\(aq/'/g; s/\\\\(ga/\`/g; s/\\\\e/\\\\/g"
}
is "$(page)" "$(cat rows)" "pith-formats(5) has the same table"

# A log with everything in it, in whole microseconds, its states nested.
tr '|' '\t' >rich.txt <<'T'
# lane|rank=0|thread=0|name=main|host=alpha
# lane|rank=0|thread=1|name=helper|host=alpha
# lane|rank=1|thread=0|name=|host=beta
# state|name=work|colour=#ff8000|group=user
# state|name=MPI_Send|colour=#00ffff|group=MPI point-to-point
# state|name=MPI_Recv|colour=#0000ff|group=MPI point-to-point
# event|name=plain|colour=white|group=user|format=
# event|name=step|colour=red|group=user|format=i=%d
# event|name=note|colour=red|group=user|format=%s
# counter|name=heap|colour=|group=user|unit=bytes
# comm|comm=0|name=MPI_COMM_WORLD|size=2|ranks=0,1
# comm|comm=1|name=halo|size=2|ranks=1,0
0.000000000|0|0|enter|work
0.000001000|1|0|enter|work
0.000002000|0|0|comm|halo|comm=1|op=create
0.000003000|1|0|comm|halo|comm=1|op=create
0.000010000|0|0|enter|MPI_Send
0.000011000|0|0|send|MPI_COMM_WORLD|comm=0|peer=1|tag=5|bytes=100
0.000012000|0|0|leave|MPI_Send
0.000013000|1|0|enter|MPI_Recv
0.000014000|1|0|recv|MPI_COMM_WORLD|comm=0|peer=0|tag=5|bytes=100|posted=0
0.000015000|1|0|leave|MPI_Recv
0.000020000|0|1|enter|work
0.000021000|0|1|enter|work
0.000022000|0|1|leave|work
0.000023000|0|1|leave|work
0.000030000|0|0|event|plain
0.000031000|0|0|event|step|payload=i=-7
0.000032000|1|0|event|note|payload=hello
0.000040000|0|0|counter|heap|value=1.5
0.000041000|0|0|counter|heap|value=3
0.000050000|0|0|coll|MPI_COMM_WORLD|comm=0|bytes=8|got_bytes=16|root=1
0.000060000|1|0|send|halo|comm=1|peer=0|tag=-2|bytes=7
0.000061000|0|0|recv|halo|comm=1|peer=1|tag=-2|bytes=7|posted=0
0.000070000|0|1|pause|
0.000071000|0|1|resume|
0.000080000|1|0|lost||count=3
0.000090000|0|0|leave|work
0.000091000|0|0|comm|halo|comm=1|op=free
0.000092000|1|0|leave|work
T
pith convert rich.txt rich.pith

# FORMAT, the kinds of records that it does not hold, and what else is not told: comm (of messages), commname, payload.
losses='
native
text
clog2    counter coll pause resume lost
slog2    counter coll comm pause resume lost  commname
alog     counter coll comm pause resume lost  comm
picl     counter coll comm pause resume lost  comm payload
chrome   coll comm                            comm
paraver                                       comm
otf2
perfetto coll comm
paje     coll comm
ctf
sqlite   comm pause resume lost
csv
json
'
loses() { awk -v format="$1" '$1 == format { print; found = 1 } END { exit !found }' <<<"$losses"; }
# lines LOST...: records without those kinds, and without what else is lost
lines() {
    grep -v '^#' | awk -F'\t' -v OFS='\t' -v lost=" $* " 'index(lost, " " $4 " ") && $4 != "comm" { next }
        index(lost, " comm ") && index(lost, " coll ") && $4 == "comm" { next }
        { message = $4 == "send" || $4 == "recv" }
        message && index(lost, " commname ") { $5 = "-" }
        message && index(lost, " comm ") { $5 = "-"; $6 = "-" }
        $4 == "event" && index(lost, " payload ") { sub(/\tpayload=.*/, "") }
        { print }'
}
# PICL has a node for each lane.
from_picl() {
    awk -F'\t' -v OFS='\t' 'NR == FNR { if (/^# lane/) { sub(/rank=/, "", $2); sub(/thread=/, "", $3); lane[n + 0] = $2 OFS $3; rank[n++ + 0] = $2 } next }
        /^#/ { next }
        $4 == "send" || $4 == "recv" { sub(/peer=/, "", $7); $7 = "peer=" rank[$7] }
        { split(lane[$2], at, OFS); $2 = at[1]; $3 = at[2]; print }' rich.txt -
}
back() { if [ "$1" = picl ]; then pith print "$2" | from_picl; else pith print "$2"; fi; }

# The same bytes; an archive of OTF2 has a number of its own, made from the time.
same() {
    if [ "$name" = otf2 ]; then cmp <(pith print "$1") <(pith print "$2"); else diff -rq "$1" "$2" >/dev/null; fi
}

while IFS='|' read -r name access suffixes summary; do
    like "$access:$suffixes:$summary" '^(read|written|read\+write):[^:]+:.' "$name: a whole row"
    case $access in *writ*) ;; *) continue ;; esac
    if [ "$name" = otf2 ] && ! pith convert rich.pith try.otf2 2>err; then
        skip "otf2" "$(cat err)"
        continue
    fi
    for suffix in $suffixes; do
        folder=${suffix#"${suffix%/}"}
        pith convert rich.pith "by_suffix.${suffix%/}" 2>"$name.notes"
        ok $? "$name: chosen by the suffix $suffix"
        if [ -n "$folder" ]; then [ -d "by_suffix.${suffix%/}" ]; else [ -s "by_suffix.${suffix%/}" ]; fi
        ok $? "$name: there is ${folder:+a folder of }it"
        pith convert rich.pith "by_name.${name}_" --format "$name" 2>/dev/null && same "by_name.${name}_" "by_suffix.${suffix%/}"
        ok $? "$name: the same by --format"
        [ "$access" = written ] || is "$(pith info "by_suffix.${suffix%/}" | sed -n 's/^format: //p')" "$name" "$name: told by content"
    done
    is "$(sed -E 's/[0-9]+//' "$name.notes" | sort | uniq -d)$(grep -vE '^pith: note: [0-9]+ .' "$name.notes")" "" "$name: each loss is said once, with its count"
    lost=$(loses "$name")
    ok $? "$name: this test knows what it loses"
    for kind in $lost; do
        case $kind in
        counter) word='counter' ;;
        coll) word='collective' ;;
        comm) word='communicator' ;;
        pause) word='pauses' ;;
        lost) word='lost' ;;
        payload) word='payloads' ;;
        *) continue ;;
        esac
        grep -q "^pith: note: [1-9][0-9]* .*$word" "$name.notes"
        ok $? "$name: what is lost of '$kind' is said"
    done
    [ "$access" = read+write ] || continue
    # shellcheck disable=SC2086
    is "$(back "$name" "by_suffix.${suffixes%% *}" | lines $lost)" "$(lines $lost <rich.txt)" "$name: the rest is the same there and back"
    pith check "by_suffix.${suffixes%% *}" >/dev/null
    ok $? "$name: without a fault"
done <rows
finish
