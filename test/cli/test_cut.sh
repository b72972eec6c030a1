#!/usr/bin/env bash
# pith cut: windows and lanes against brute force on the printed text, formats, and nothing left behind when it fails.
. "$(dirname "$0")/../lib.sh"
make_log=$build/test/cli/make_cli_log
check="python3 $top/test/cli/cut_check.py"
"$make_log" small small.pith && "$make_log" big 200000 big.pith && "$make_log" empty empty.pith && $check make 1 >a.txt && pith convert a.txt a.pith
ok $? "logs made"

records() { pith print "$1" | grep -v '^#'; }
same_cut() { # FROM TO LANES, in ns, - for none
    local options=()
    [ "$1" = - ] || options+=(--from "$1ns")
    [ "$2" = - ] || options+=(--to "$2ns")
    [ "$3" = - ] || options+=(--lane "$3")
    pith cut a.pith -o cut.pith "${options[@]}" && pith check cut.pith >checked || cat checked
    records cut.pith >cut.txt
    is "$($check check a.txt cut.txt "$@")" same "from $1 to $2, lanes $3"
}
same_cut - - -
is "$(pith print cut.pith | md5sum)" "$(pith print a.pith | md5sum)" "all of it: the same log"
same_cut 300000 600000 -
same_cut - 200000 -
same_cut 800000 - -
same_cut 444444 444444 -
same_cut - - 0,2
same_cut - - 1.1
same_cut - - 0.0,1.1,3
same_cut 250000 750000 0.1,2,3.0
same_cut 5000000 6000000 -
for seed in 2 3 4 5 6; do
    $check make $seed >a.txt && pith convert a.txt a.pith
    same_cut $((seed * 100000)) $((seed * 100000 + 150000)) 0,1.0,2.1,3
done
# pith counts the messages as the check does.
pith cut a.pith -o cut.pith --from 300us --to 600us
is "$(pith stat --by comm --csv cut.pith 2>/dev/null | awk -F, 'NR > 1 { n += $3 } END { print n }')" \
    "$(pith print a.pith | awk -F'[\t=]' '$4 == "send" || $4 == "recv" { if ($1 >= 0.0003 && $1 <= 0.0006) seen[$13]++ } END { for (b in seen) n += seen[b] == 2; print n }')" \
    "messages that have both ends in the window"

# ---- what is kept
pith cut small.pith -o part.pith --from 2.5ms --to 8ms
is "$(pith print part.pith | grep '^#' | grep -v '^# property	key=part	value=of a longer log$' | grep -v '^# property	key=part_ns	value=from=2500000 to=8000000$')" "$(pith print small.pith | grep '^#')" "definitions, hosts, colours, communicators, properties are kept"
is "$(records part.pith | grep -e recv -e send)" "0.003000000	1	0	recv	halo	comm=1	peer=-1	tag=5	bytes=7	posted=0
0.004000000	0	0	send	MPI_COMM_WORLD	comm=0	peer=1	tag=-1	bytes=1000
0.006000000	1	0	recv	MPI_COMM_WORLD	comm=0	peer=0	tag=-1	bytes=1000	posted=1" "a receive whose send lies before the window is there without peer"
# At both edges all ranks compute outside states, so that no record is there. A part of a part, and a merged one.
awk 'BEGIN { for (rank = 0; rank < 2; rank++) for (i = 1; i < 5; i++) {
    printf "%.9f\t%d\t0\tenter\tMPI_Barrier\n", 0.01 * i, rank; printf "%.9f\t%d\t0\tcoll\tMPI_COMM_WORLD\tcomm=0\troot=-1\n", 0.01 * i, rank
    printf "%.9f\t%d\t0\tleave\tMPI_Barrier\n", 0.01 * i + 0.001, rank } }' | sort -s -g -k 1,1 >edges.txt
computes() { pith analyze "$@" --json | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["window"]["from_ns"], d["window"]["to_ns"], d["useful_ns"])'; }
pith cut edges.txt -o edges.pith --from 15ms --to 38ms && pith cut edges.pith -o inner.pith --from 12ms --to 35ms
is "$(computes edges.pith)" "$(computes edges.txt --from 15ms --to 38ms)" "computing at the edges stays"
is "$(computes inner.pith)" "15000000 35000000 [18000000, 18000000]" "in a part of a part, too"
pith merge edges.pith -o moved.pith --shift 1s 2>/dev/null
is "$(pith info moved.pith | grep -c part_ns)" 0 "and where times were moved, nothing wrong is said of them"
pith cut small.pith -o part.pith --lane 1
is "$(records part.pith)" "$(pith print small.pith --lane 1 | grep -v '^#')" "one rank: its records, as they are"
is "$(pith info part.pith | grep -E '^(ranks|lanes|host):')" "ranks: 1
lanes: 1
host: beta" "and nothing of the others"
pith cut big.pith -o big2.pith && pith convert big.pith big3.pith && cmp -s big3.pith big2.pith
ok $? "all of a native log: as convert does it"
pith cut big.pith -o big.pith --lane 2
is "$? $(pith info big.pith | grep ^lanes:)" "0 lanes: 1" "onto itself"
for window in "--from 7" "--to -1"; do
    pith cut small.pith -o e.pith $window 2>err
    is "$? $(cat err)" "0 pith: note: small.pith: no record lies in the window; the log covers 0.000500000 s to 1.999999999 s" "$window: beside the log: said"
done
pith cut small.pith -o e.pith --from 1.999999999 2>err; is "$? $(cat err)" "0 " "its last record: nothing to say"
pith cut empty.pith -o e.pith --from 1 --to 2 && pith check e.pith >/dev/null
ok $? "a log without records"

# ---- formats
for format in clog2 alog text trf; do
    pith convert small.pith s.x --format $format 2>/dev/null
    pith cut s.x -o p.x --from 2ms --to 7ms --lane 0 2>err
    is "$? $(pith info p.x | grep -E '^(format|ranks):')" "0 format: $(pith info s.x | sed -n 's/^format: //p')
ranks: 1" "$format stays $format"
done
pith cut small.pith -o p.txt --to 3ms
is "$(grep -vx '# the last line is "# end"\|# end' p.txt)" "$(pith cut small.pith -o p.pith --to 3ms && pith print p.pith)" "the suffix of OUT says the format"
pith cut small.pith -o p.y --to 3ms --format text && cmp -s p.y p.txt
ok $? "--format too"

# ---- failures
fails() { # STATUS MESSAGE WHAT COMMAND...
    local status=$1 message=$2 what=$3; shift 3
    "$@" 2>err >/dev/null
    is "$? $(cat err)" "$status $message" "$what"
}
fails 2 "pith: cut: -o OUT is missing; see \`pith help cut\`" "no OUT" pith cut small.pith
fails 2 "pith: cut: LOG is missing; see \`pith help cut\`" "no LOG" pith cut -o x.pith
fails 2 "pith: cut: --from: 'x' is not a time such as 1.5, 3ms, 1:02:33, init, finalize, end-1s or STATE[n]; see \`pith help cut\`" "no time" pith cut small.pith -o x.pith --from x
fails 2 "pith: cut: --lane needs ranks, or rank.thread, such as 0-3,7.1, not 'x'; see \`pith help cut\`" "no lane" pith cut small.pith -o x.pith --lane x
fails 1 "pith: small.pith: no lane matches --lane; \`pith info\` shows how many lanes the log has" "a lane that is not there" pith cut small.pith -o x.pith --lane 9
fails 1 "pith: none.pith: cannot be opened: No such file or directory" "a log that is not there" pith cut none.pith -o x.pith
fails 1 "pith: x/y.pith: cannot write: the folder x does not exist; make it first" "a folder that is not there" pith cut small.pith -o x/y.pith
fails 1 "pith: /dev/full: cannot write: No space left on device" "a full device" pith cut small.pith -o /dev/full --format text
mkdir small_disk
if mount -t tmpfs -o size=64k none small_disk 2>/dev/null; then
    "$make_log" big 200000 big.pith
    fails 1 "pith: small_disk/x.pith: cannot write: No space left on device" "a full disk" pith cut big.pith -o small_disk/x.pith --lane 0-2
    fails 1 "pith: small_disk/x.clog2: cannot write: No space left on device" "a full disk, another format" pith cut big.pith -o small_disk/x.clog2 --lane 0-2
    fails 1 "pith: small_disk/x.pith: cannot write: No space left on device" "a full disk, merged" pith merge -o small_disk/x.pith --align none --ranks follow big.pith big.pith
    is "$(ls small_disk)" "" "nothing is left behind"
    TMPDIR=small_disk fails 1 "pith: the temporary copy (see TMPDIR): byte 65536: cannot write: No space left on device; make room or choose another place" \
        "no room for the temporary copy" pith cut big.pith -o x.clog2
    umount small_disk
else
    skip "a full disk" "cannot mount a small file system here"
fi
is "$(ls x.pith* 2>&1)" "ls: cannot access 'x.pith*': No such file or directory" "nothing is left behind"
finish
