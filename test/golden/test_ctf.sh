#!/usr/bin/env bash
# CTF: what babeltrace2 reads of a written log is every record of it.
. "$(dirname "$0")/../lib.sh"
make_golden=$build/test/golden/make_golden
make_cli_log=$build/test/cli/make_cli_log
if ! command -v babeltrace2 >/dev/null; then
    skip "what babeltrace2 reads" "no babeltrace2"
    finish
fi

# Of `pith print`, for comparison: counters as babeltrace2 shows them; a log where times are equal in the order of lanes.
expected() {
    pith print "$@" | grep -v '^#' | off_comms | awk -F'\t' -v OFS='\t' '$4 == "counter" { sub("value=", "", $6); $6 = sprintf("value=%g", $6) } 1' |
        sort -s -t"$(printf '\t')" -k1,1n -k2,2n -k3,3n
}
read_back() { timeout 60 babeltrace2 --clock-cycles --no-delta "$1" 2>"$1.err" | python3 "$top/test/golden/ctf_dump.py"; }
same() { # LOG WHAT
    pith convert "$1.pith" "$1.ctf" 2>"$1.notes"
    ok $? "$2: written"
    is "$(read_back "$1.ctf")" "$(expected "$1.pith")" "$2: the same records"
    is "$(grep -v 'Tracer discarded' "$1.ctf.err")" "" "$2: babeltrace2 has nothing to say"
}

for kind in edge plain sparse deep states; do
    "$make_golden" $kind $kind.pith && same $kind $kind
done
for kind in small names empty; do "$make_cli_log" $kind $kind.pith; done
same small "small"
same empty "no records"
is "$(ls empty.ctf | tr '\n' ' ')" "metadata " "no records: only the metadata"
# Numbers that babeltrace2 spells otherwise: nan, inf.
pith convert names.pith names.ctf && read_back names.ctf | sed 's/-nan/nan/' >names.got
is "$(cut -f1-5 names.got)" "$(expected names.pith | cut -f1-5)" "names that could do harm"

is "$(cat edge.notes small.notes plain.notes)" "pith: note: 2 communicators: their members are left out
pith: note: 6 states and events on a communicator: that is left out
pith: note: 1 groups of states, events and counters are left out
pith: note: 10 colours are left out
pith: note: 1 communicators: their members are left out
pith: note: 1 groups of states, events and counters are left out
pith: note: 3 colours are left out
pith: note: 3 colours are left out" "what is lost is said"
like "$(babeltrace2 small.ctf 2>/dev/null | head -n 1)" '^\[01:46:40\.000500000\] ' "the hour of the day, where it is known"
like "$(cat small.ctf.err)" 'discarded 3 events between .*rank_1_thread_0' "lost records are told as babeltrace2 knows them"
printf '%b\n' '0.5\t0\t0\tlost\t\tcount=7' '0.6\t0\t0\tevent\te' '0.8\t0\t0\tlost\t\tcount=2' |
    cat <(printf '# lane\trank=0\tthread=0\tname=\thost=\n# event\tname=e\tcolour=\tgroup=user\tformat=\n# time_s\trank\tthread\tkind\tname\tkey=value...\n') - >lost.txt
pith convert lost.txt lost.pith && same lost "a loss first"
is "$(grep -o 'discarded [0-9]* events' lost.ctf.err)" "discarded 7 events
discarded 2 events" "a loss first: both losses are told"
like "$(babeltrace2 --component source.ctf.fs --params "inputs=[\"$PWD/small.ctf\"]" --component sink.text.details 2>/dev/null | tr -d '\n')" \
    'rank_0_host: alpha.*rank_0_thread_1_name: writer.*rank_1_host: beta.*ranks: 2' "program, hosts and names of threads are in the environment"

# Gaps that 32 bits of time cannot span; a payload longer than a packet is meant to be; times before the log's start.
python3 - >gaps.txt <<'P'
print("# lane\trank=0\tthread=0\tname=\thost=\n# event\tname=e\tcolour=\tgroup=user\tformat=%s")
print("# time_s\trank\tthread\tkind\tname\tkey=value...")
t = -5
for i, gap in enumerate((1, 2**32 - 1, 2**32, 2**32 + 1, 2**40, 5, 2**52, 0, 0)):
    t += gap
    print("%s%d.%09d\t0\t0\tevent\te\tpayload=%s" % ("-" * (t < 0), abs(t) // 10**9, abs(t) % 10**9, str(i) * (60000 if i == 4 else 1)))
P
pith convert gaps.txt gaps.pith && pith convert gaps.pith gaps.ctf
# What the clock shows as 0 is 4 ns before the log's start.
is "$(read_back gaps.ctf)" "$(pith print gaps.pith | grep -v '^#' | python3 -c '
import sys
from decimal import Decimal
for line in sys.stdin:
    time, rest = line.split("\t", 1)
    print("%.9f\t%s" % (Decimal(time) + Decimal("4e-9"), rest), end="")')" "long gaps, a long payload, times below 0"

"$make_cli_log" big 50000 big.pith && same big "50000 records"
is "$(($(stat -c %s big.ctf/rank_0_thread_0) / $(pith print big.pith --lane 0 | grep -vc '^#') < 24))" 1 "most records take less than 24 bytes"
"$build/test/bench/make_big_log" lanes.pith 300 300 20 && same lanes "300 ranks"
is "$(ls lanes.ctf | wc -l)" 301 "300 ranks: as many streams"

# A window: what is in it, with states cut at its edges.
pith convert small.pith part.ctf --from 3ms --to 5ms 2>/dev/null
is "$(read_back part.ctf | awk -F'\t' '$4 == "enter" || $4 == "leave"' | cut -f1-5)" "$(printf '%b\n' '0.003000000\t0\t0\tenter\tsolve' '0.003000000\t0\t1\tenter\tio' \
    '0.003000000\t1\t0\tenter\tsolve' '0.003000000\t1\t0\tenter\twork' '0.004000000\t1\t0\tleave\twork' '0.005000000\t0\t0\tenter\tsolve' \
    '0.005000000\t0\t0\tleave\tsolve' '0.005000000\t0\t0\tleave\tsolve' '0.005000000\t0\t1\tleave\tio' '0.005000000\t1\t0\tleave\tsolve')" "a window"

# Written again the bytes are the same, and a log that was there is replaced; other folders are not.
cp -r small.ctf before && pith convert small.pith small.ctf 2>/dev/null && diff -r before small.ctf
ok $? "the same bytes again, over what was there"
mkdir other.ctf
is "$(pith convert small.pith other.ctf 2>&1)" "pith: other.ctf: is a directory, and no log in the format ctf; remove it, or give another name" "a folder that is none is left alone"
mkdir small_disk
if mount -t tmpfs -o size=64k none small_disk 2>/dev/null; then
    is "$(pith convert big.pith small_disk/big.ctf 2>&1; ls small_disk)" "pith: small_disk/big.ctf.part/rank_0_thread_0: cannot write: No space left on device" "a full disk: said, nothing is left"
    umount small_disk
else
    skip "a full disk" "cannot mount a small file system here"
fi
finish
