#!/usr/bin/env bash
# PICL: both spellings, what lasts until its second compstats, the host, marks and messages; written and read back.
. "$(dirname "$0")/../lib.sh"
make_golden=$build/test/golden/make_golden
records() { pith print "$1" | grep -v '^#'; }

cat >compact.trf <<'T'
1 0 5 0 0 0 0
1 0 5 1 0 0 0
20 0 10 0 7 0 0
4 0 20 0 1 99 512
11 0 20 0 0 0
6 0 22 1 0 99 512
11 0 22 1 0 0
11 0 30 0 0 10
11 0 41 1 0 19
21 0 50 0 7 0 0
20 0 51 0 -1 0 0
21 0 60 0 -1 0 0
7 1 0 1 42
8 1 10 1 0 42 3
15 1 20 0 1234
16 1 30 0 hello, world
10 1 40 0
11 1 40 0 0 0
11 1 50 0 0 0
T
cat >verbose.trf <<'T'
trace_start clock 0 5 node 0 event 0 compstats 0 commstats 0
trace_start clock 0 5 node 1 event 0 compstats 0 commstats 0

block_begin clock 0 10 node 0 block_type 7 location_type 0 parameter_type 0
send clock 0 20 node 0 to 1 type 99 lth 512
compstats clock 0 20 node 0 busy 0 0 idle 0 0
recv clock 0 22 node 1 from 0 type 99 lth 512
compstats clock 0 22 node 1 busy 0 0 idle 0 0
11 0 30 0 0 10
compstats clock 0 41 node 1 busy 0 19 idle 0 0
block_end clock 0 50 node 0 block_type 7 location_type 0 parameter_type 0
block_begin clock 0 51 node 0 block_type -1 location_type 0 parameter_type 0
block_end clock 0 60 node 0 block_type -1 location_type 0 parameter_type 0
recv_blocking clock 1 0 node 1 type 42
recv_waking clock 1 10 node 1 from 0 type 42 lth 3
trace_mark clock 1 20 node 0 type 1234
trace_message clock 1 30 node 0 hello, world
sync clock 1 40 node 0
compstats clock 1 40 node 0 busy 0 0 idle 0 0
compstats clock 1 50 node 0 busy 0 0 idle 0 0
T
wanted=$(printf '%b\n' '0.000005000\t0\t0\tenter\tblock 7' '0.000015000\t0\t0\tenter\tsend' '0.000017000\t1\t0\tenter\trecv' \
    '0.000025000\t0\t0\tsend\tMPI_COMM_WORLD\tcomm=0\tpeer=1\ttag=99\tbytes=512' '0.000025000\t0\t0\tleave\tsend' \
    '0.000036000\t1\t0\trecv\tMPI_COMM_WORLD\tcomm=0\tpeer=0\ttag=99\tbytes=512\tposted=0' '0.000036000\t1\t0\tleave\trecv' \
    '0.000045000\t0\t0\tleave\tblock 7' '0.000046000\t0\t0\tenter\tbarrier' '0.000055000\t0\t0\tleave\tbarrier' \
    '0.999995000\t1\t0\tenter\trecv_blocking' '1.000005000\t1\t0\trecv\tMPI_COMM_WORLD\tcomm=0\tpeer=0\ttag=42\tbytes=3\tposted=1' \
    '1.000005000\t1\t0\tleave\trecv_blocking' '1.000015000\t0\t0\tevent\ttrace_mark\tpayload=1234' \
    '1.000025000\t0\t0\tevent\ttrace_message\tpayload=hello, world' '1.000035000\t0\t0\tenter\tsync' '1.000045000\t0\t0\tleave\tsync')
is "$(records compact.trf)" "$wanted" "compact lines"
is "$(records verbose.trf)" "$wanted" "verbose ones, and both mixed"
is "$(records <(cat compact.trf) 2>/dev/null; pith info compact.trf | head -n 1)" "format: picl" "told by content"
sed '3,$s/ 0 \([^ ]*\)$/ 0 \1/; s/^\(1[ 5]*[0-9]* 0 5\) 1 /\1 -32768 /; s/^\([0-9]* [0-9]* [0-9]*\) 1 /\1 -32768 /; s/^4 0 20 0 1 /4 0 20 0 -32768 /' compact.trf >host.trf
is "$(records host.trf | cut -f2,4,5 | sort -u | head -n 4; pith print host.trf | grep -c 'rank=0.*name=host')" "$(printf '%b\n' '0\tenter\trecv' '0\tenter\trecv_blocking' '0\tleave\trecv' '0\tleave\trecv_blocking' 1)" \
    "a host is process 0, the nodes move up"
sort -t' ' -k4,4n -s compact.trf >by_node.trf
is "$(records by_node.trf)" "$wanted" "node by node: put into order"

# wrong LINE SAID
wrong() {
    { head -n 2 compact.trf; echo "$1"; } >wrong.trf
    is "$(pith print wrong.trf 2>&1 >/dev/null)" "pith: wrong.trf: line 3: $2" "wrong: $1"
}
wrong '23 0 5 0' 'no such type of record'
wrong 'jump clock 0 5 node 0' 'no such type of record'
wrong '4 0 5x 0 1 2 3' 'a record has its time as seconds and microseconds, then its node'
wrong '4 0 5 0 1 2' 'a value is missing, or too large'
wrong '4 0 5 -7 1 2 3' 'no node has this number'

# As written: read, written and read again the records are the same; written, read and written again the bytes.
again() { # LOG WHAT
    pith convert "$1" once.trf 2>/dev/null && pith convert once.trf twice.trf 2>/dev/null && cmp once.trf twice.trf
    ok $? "$2: written, read, written: the same bytes"
}
for log in compact host by_node; do
    pith convert $log.trf out.trf 2>notes
    is "$(records out.trf)" "$(records $log.trf)" "$log: read, written, read: the same records"
    again $log.trf "$log"
done
is "$(cat notes)" "" "nothing of PICL's own is lost"
written() { grep -vE '^16 0 0 0 (block|mark)' "$1" | grep -E '^(4|6|7|8|10|15|16|20|21) ' | cut -d' ' -f1,4- | sort; }
pith convert compact.trf out.trf
is "$(written out.trf)" "$(written compact.trf)" \
    "sends, receives, waits, syncs, marks, texts and blocks are such records again, with their numbers"

"$make_golden" plain plain.pith
pith convert plain.pith plain.trf 2>notes
is "$(grep -c 'payloads of events' notes)" 1 "written, with what is lost"
is "$(records plain.trf | awk -F'\t' '$4 ~ /send|recv|enter|leave/' | cut -f1-9)" \
    "$(records plain.pith | awk -F'\t' '$4 ~ /send|recv|enter|leave/' | cut -f1-9)" "states and messages are the same, and no state is added"
again plain.pith "a native log"
# The original upshot wants a compstats of each node before its first send.
is "$(grep -nE '^(1|11) 0 0 0 ' plain.trf | head -n 2 | tr '\n' ' ')" "1:1 0 0 0 0 0 0 2:11 0 0 0 0 0 " "a compstats behind each node's start"
is "$(grep -c '^1 ' plain.trf)" "$(awk '/^1 / { node = $4 } /^11 0 0 / && $4 == node { n++; node = -1 } END { print n }' plain.trf)" "of all nodes"

# States of those names that are no records of PICL; what is not nested; messages of threads; awkward names.
tr '|' '\t' >odd.txt <<'T'
# lane|rank=0|thread=0|name=|host=
# lane|rank=0|thread=1|name=|host=
# lane|rank=4|thread=0|name=|host=
# state|name=send|colour=|group=user
# state|name= a\tb \x22|colour=|group=user
# state|name=recv_blocking|colour=|group=user
# state|name=block 1|colour=|group=user
# event|name=trace_mark|colour=|group=user|format=%d
# event|name=other|colour=|group=user|format=
0.000001000|0|0|enter|send
0.000002000|0|0|enter| a\tb \x22
0.000003000|0|0|leave|send
0.000004000|0|0|leave| a\tb \x22
0.000005000|0|0|enter|send
0.000006000|0|0|send|MPI_COMM_WORLD|comm=0|peer=4|tag=1|bytes=8
0.000007000|0|0|leave|send
0.000008000|0|0|enter|send
0.000008000|0|0|send|MPI_COMM_WORLD|comm=0|peer=4|tag=2|bytes=8
0.000008000|0|0|leave|send
0.000009000|0|0|enter|send
0.000009500|0|1|send|MPI_COMM_WORLD|comm=0|peer=4|tag=3|bytes=8
0.000010000|0|0|send|MPI_COMM_WORLD|comm=0|peer=4|tag=4|bytes=8
0.000010000|0|0|leave|send
0.000011000|4|0|enter|recv_blocking
0.000012000|4|0|enter|recv_blocking
0.000013000|4|0|recv|MPI_COMM_WORLD|comm=0|peer=0|tag=1|bytes=8|posted=0
0.000013000|4|0|leave|recv_blocking
0.000014000|4|0|recv|MPI_COMM_WORLD|comm=0|peer=0|tag=2|bytes=8|posted=1
0.000015000|4|0|leave|recv_blocking
0.000016000|4|0|recv|MPI_COMM_WORLD|comm=0|peer=0|tag=3|bytes=8|posted=2
0.000017000|0|0|event|trace_mark|payload=0
0.000018000|0|0|event|other
0.000019000|4|0|enter|block 1
0.000020000|4|0|send|MPI_COMM_WORLD|comm=0|peer=0|tag=-7|bytes=8
T
again odd.txt "odd states"
is "$(pith check once.trf >/dev/null; echo $?; records once.trf | awk -F'\t' '$4 == "send" || $4 == "recv" { n[$4]++ } $4 == "enter" { n["in"]++ } $4 == "leave" { n["in"]-- } END { print n["send"], n["recv"], n["in"] }')" \
    "0
5 3 0" "every message once, every state closed"
is "$(records once.trf | cut -f4,5 | sort | uniq -c | grep -E 'enter|event' | sed 's/^ *//' | tr '\n\t' ', ')" \
    '2 enter  a\tb ",1 enter block 1,2 enter recv_blocking,4 enter send,1 event other,1 event trace_mark,' "every name as it was"

"$make_golden" edge edge.pith
pith convert edge.pith edge.trf 2>notes && pith check edge.trf >/dev/null
ok $? "a log with everything in it is written, and reads back"
if [ -e "$top/../shared/logs/fft.trf" ]; then
    is "$(pith info "$top/../shared/logs/fft.trf" | grep -E '^(ranks|states|messages)' | tr '\n' ' ')" "ranks: 16 states: 192 messages: 64 " "a log of the ancestors"
fi
finish
