#!/usr/bin/env bash
# SLOG-2: what is written keeps every rule of the format, as a decoder of its own says, and holds what the log does; read
# back it is the same log, but for what the format cannot hold.
. "$(dirname "$0")/../lib.sh"
here=$top/test/golden
make_golden=$build/test/golden/make_golden make_cli_log=$build/test/cli/make_cli_log make_big_log=$build/test/bench/make_big_log

# What SLOG-2 keeps of records: no counters and so on, no posted receives without a message, communicators by their order.
kept() {
    pith print "$1" | awk -F'\t' -v OFS='\t' '!/^#/ && $4 ~ /^(enter|leave|event|send|recv)$/ {
        if ($4 == "send" || $4 == "recv") {
            if (!($6 in order)) order[$6] = ++n
            $5 = ""; $6 = order[$6]; sub(/posted=.*/, "posted")
        }
        print }'
}
# States alone, without what is at the log's end: there those that are open end.
states() { kept "$1" | awk -F'\t' -v end="$(pith print "$1" | tail -n 1 | cut -f1)" '$4 ~ /enter|leave/ && $1 != end'; }
# checked NAME WANTED: NAME.slog2 keeps the rules and has the drawables of NAME.pith; its counts match WANTED.
checked() {
    pith print "$1.pith" | off_comms >"$1.txt"
    python3 "$here/slog2_dump.py" --counts "$1.slog2" "$1.txt" >"$1.dump"
    ok $? "$1: keeps the rules, and has what the log has" || grep BAD "$1.dump" | sed 's/^/# /'
    like "$(tr '\n' ' ' <"$1.dump")" "$2" "$1: $2"
}

for kind in plain sparse deep states edge; do
    "$make_golden" $kind $kind.pith
    pith convert $kind.pith $kind.slog2 2>$kind.notes
    ok $? "$kind: written"
    checked $kind "nodes"
done
for kind in plain deep states; do
    is "$(kept $kind.slog2)" "$(kept $kind.pith)" "$kind: read back, the same records"
done
is "$(cat plain.notes)" "" "plain: nothing is lost"
is "$(cat edge.notes)" "pith: note: 1 states still open at the end are closed there
pith: note: 1 ends of states without a start are left out
pith: note: 6 states and events on a communicator: that is left out
pith: note: 2 values of counters are left out
pith: note: 2 definitions of counters are left out
pith: note: 1 collective operations: their bytes and roots are left out
pith: note: 9 records of communicators made and freed are left out
pith: note: 1 sends and receives of which the partner is not in the log are left out
pith: note: 1 receives that got no message are left out
pith: note: 1 receives ended before one posted earlier: the order of posting is not kept
pith: note: 2 pauses and resumes are left out
pith: note: 1 records of lost records are left out
pith: note: 1 groups of states, events and counters are left out
pith: note: 1 colours became others that the format has
pith: note: 2 names of lanes are left out
pith: note: 3 lanes: their hosts are left out
pith: note: 1 communicators without a message are left out
pith: note: 2 names of communicators are left out" "edge: what is lost is said"
is "$(pith print edge.slog2 | grep '^# comm' | cut -f4-)" "$(printf '%b\n' 'size=3\tranks=0,1,2' 'size=3\tranks=2,0,1' 'size=1\tranks=0' \
    'size=2\tranks=1,2' 'size=1\tranks=0\tremote_ranks=1,2')" "edge: communicators with their members, the two groups of one beside it"
is "$(pith print edge.slog2 | grep -E '^# (event|state)' | cut -f2 | sort)" "$(pith print edge.pith | grep -E '^# (event|state)' | cut -f2 | sort)" "edge: all names"
is "$(pith print edge.slog2 | grep -c 'payload=')" "$(pith print edge.pith | grep -c 'payload=')" "edge: payloads of every kind"

# A tree of some depth, previews and all; threads; many lanes; and without threads.
"$make_big_log" deeper.pith 4 8 10000
pith convert deeper.pith deeper.slog2 2>/dev/null
checked deeper "nodes [4-9][0-9] depth [5-9] previews [0-9]{3,4} lines 8 exact 1"
is "$(states deeper.slog2)" "$(states deeper.pith)" "deeper: read back, all states"
pith convert deeper.slog2 again.slog2 && cmp deeper.slog2 <(pith convert deeper.pith /dev/stdout --format slog2 2>/dev/null)
ok $? "deeper: into a pipe the same bytes"
python3 "$here/slog2_dump.py" deeper.slog2 | sort >one; python3 "$here/slog2_dump.py" again.slog2 | sort >two
is "$(diff one two | head -n 5)" "" "deeper: written again from what was read: the same drawables"
"$make_big_log" wide.pith 300 300 200
pith convert wide.pith wide.slog2 2>/dev/null
checked wide "depth [1-9] .* lines 300 "
is "$(states wide.slog2)" "$(states wide.pith)" "wide: read back, all states"

"$make_cli_log" names names.pith
pith convert names.pith names.slog2 2>notes
python3 "$here/slog2_dump.py" names.slog2 | LC_ALL=C grep -cE "$(printf '[\001-\010\013-\037\177]')" >escapes
is "$(cat escapes)" "0" "names: no control characters in the file's names"
"$make_cli_log" empty empty.pith
pith convert empty.pith empty.slog2 && python3 "$here/slog2_dump.py" --counts empty.slog2 >empty.dump
is "$?:$(pith info empty.slog2 | grep -E '^records')" "0:records: 0" "a log of nothing"
"$make_cli_log" small small.pith
pith convert small.pith part.slog2 --from 0.0025 --to 0.0055 2>/dev/null && python3 "$here/slog2_dump.py" part.slog2 >part.dump
is "$?:$(grep state part.dump)" "0:$(printf '%b\n' '0.002500000\t0\t0\tstate\tsolve\t0.005500000' '0.002500000\t0\t1\tstate\tio\t0.005000001' \
    '0.002500000\t1\t0\tstate\tsolve\t0.005500000' '0.002500000\t1\t0\tstate\twork\t0.004000000' '0.005000000\t0\t0\tstate\tsolve\t0.005500000')" \
    "a window: states that reach into it begin and end there"

# Arrows that overtake each other keep their ends: two sends, received the other way round.
arrows() { python3 "$here/slog2_dump.py" "$1" | grep arrow; }
cat >crossed.txt <<'T'
# state	name=s	colour=red	group=user
0.000000001	0	0	send	w	comm=0	peer=1	tag=1	bytes=10
0.000000002	0	0	send	w	comm=0	peer=1	tag=1	bytes=20
0.000000003	2	0	send	w	comm=0	peer=1	tag=1	bytes=30
0.000000004	1	0	recv	w	comm=0	peer=2	tag=1	bytes=30	posted=0
0.000000005	1	0	recv	w	comm=0	peer=0	tag=1	bytes=20	posted=2
0.000000009	1	0	recv	w	comm=0	peer=0	tag=1	bytes=10	posted=1
0.000000009	2	0	recv	w	comm=0	peer=0	tag=7	bytes=1	posted=0
0.000000010	0	0	send	w	comm=0	peer=2	tag=7	bytes=1
T
pith convert crossed.txt crossed.slog2 && pith convert crossed.slog2 back.pith && pith convert back.pith back.slog2
is "$?:$(arrows crossed.slog2)" "0:$(printf '%b\n' '0.000000001\t0\t0\tarrow\t0.000000009\t1\t0\tmsg_tag=1\tmsg_size=10' \
    '0.000000002\t0\t0\tarrow\t0.000000005\t1\t0\tmsg_tag=1\tmsg_size=20' '0.000000003\t2\t0\tarrow\t0.000000004\t1\t0\tmsg_tag=1\tmsg_size=30' \
    '0.000000010\t0\t0\tarrow\t0.000000009\t2\t0\tmsg_tag=7\tmsg_size=1')" "arrows that overtake, and one back in time"
is "$(arrows back.slog2)" "$(arrows crossed.slog2)" "they are the same when they were read as messages"

pith convert deeper.pith /dev/full --format slog2 2>err
is "$?:$(cat err)" "1:pith: /dev/full: cannot write: No space left on device" "a full disk"
is "$(ls ./*.part 2>/dev/null)" "" "nothing is left behind"

# What is wrong is said, with the place.
wrong() {
    cp plain.slog2 bad.slog2
    printf "$2" | dd of=bad.slog2 bs=1 seek="$1" conv=notrunc 2>/dev/null
    like "$(pith print bad.slog2 2>&1 >/dev/null)" "^pith: (note: )?bad.slog2: (incomplete: )?$3" "wrong: $4"
}
wrong 11 5 'byte 2: its version is "SLOG 2.0.5"' "an older version"
wrong 24 '\377' 'byte [0-9]*: the file is cut: its categories should be at' "a place behind the end"
wrong 72 '\0\0\0\0\0\0\0\0' 'byte 72: no tree' "a file that was never finished"
head -c 600 plain.slog2 >bad.slog2
like "$(pith print bad.slog2 2>&1)" '^pith: note: bad.slog2: incomplete: byte 600: the file is cut' "wrong: the half of a file"
finish
