#!/usr/bin/env bash
# Paje: what pj_dump makes of a written log is every state, event, value and message of it; ViTE draws it.
. "$(dirname "$0")/../lib.sh"
make_golden=$build/test/golden/make_golden
make_cli_log=$build/test/cli/make_cli_log
if ! command -v pj_dump >/dev/null; then
    skip "what pj_dump reads" "no pj_dump"
    finish
fi

dump() { timeout 60 pj_dump -l 9 "$1" 2>&1 | python3 "$top/test/golden/paje_expect.py" --dump; }
# same LOG PROGRAM WHAT: written, and all of it is there; the lines are in order of time.
same() {
    pith convert "$1.pith" "$1.trace" 2>"$1.notes"
    ok $? "$3: written"
    is "$(dump "$1.trace")" "$(pith print "$1.pith" | python3 "$top/test/golden/paje_expect.py" "$2")" "$3: all that was recorded"
    is "$(awk '$1 ~ /^[0-9]+$/ && $1 >= 6 { if ($2 + 0 < t) bad++; t = $2 + 0 } END { print bad + 0 }' "$1.trace")" 0 "$3: in order of time"
}

for kind in edge plain sparse deep states; do
    "$make_golden" $kind $kind.pith && same $kind program $kind
done
for kind in small names empty; do "$make_cli_log" $kind $kind.pith; done
same small small small
same empty program "no records"
# Without values: -1e300 is none that pj_dump knows.
pith convert names.pith names.trace 2>/dev/null
is "$(dump names.trace | grep -v 'Variable')" "$(pith print names.pith | python3 "$top/test/golden/paje_expect.py" program | grep -v 'Variable')" "names that could do harm"
is "$(cat edge.notes)" "pith: note: 1 ends of states that were not nested: the states inside are cut in two
pith: note: 1001500 ns: by so much all times are moved
pith: note: 1 states still open at the end are closed there
pith: note: 1 ends of states without a start are left out
pith: note: 6 states and events on a communicator: that is left out
pith: note: 1 collective operations: their bytes and roots are left out
pith: note: 9 records of communicators made and freed are left out
pith: note: 1 sends and receives of which the partner is not in the log are left out
pith: note: 1 receives that got no message are left out
pith: note: 1 receives ended before one posted earlier: the order of posting is not kept
pith: note: 1 groups of states, events and counters are left out
pith: note: 3 communicators: their names and members are left out" "what is lost is said"
is "$(pj_dump -l 9 small.trace | sed -n 's/^Container, \([^,]*\), \([^,]*\),.*, \(.*\)/\1 > \3 \2/p' | sort)" "0 > 0 0
0 > small Program
rank 0 (alpha) > 0.0 main Thread
rank 0 (alpha) > 0.1 writer Thread
rank 1 (beta) > 1.0 Thread
small > rank 0 (alpha) Rank
small > rank 1 (beta) Rank" "a program of ranks of threads, with hosts and names"
is "$(grep -c '"1.000 0.000 0.000"' small.trace):$(pj_dump -u small.trace | grep '^Link' | head -n 1 | grep -c ' 5, 7')" "1:1" "colours; tag and bytes of messages"

# Names that Paje itself uses, quotes, payloads as long as they get; a receive before its send; no names; states cut by a window.
python3 - >odd.txt <<'P'
print("# lane\trank=0\tthread=0\tname=\thost=\n# lane\trank=0\tthread=7\tname=\thost=\n# lane\trank=1\tthread=0\tname=\thost=")
names = "State", "Message", "Thread", "it's 100% # \\\\ \"q\"", ""
for kind, extra in ("state", ""), ("event", "\tformat=%s"), ("counter", "\tunit="):
    for name in names:
        print("# %s\tname=%s\tcolour=\tgroup=user%s" % (kind, name, extra))
print("# time_s\trank\tthread\tkind\tname\tkey=value...")
t = 0
for name in names:
    for what in "enter\t%s" % name, "counter\t%s\tvalue=1" % name, "event\t%s\tpayload=%s" % (name, "x'y" * 1300), "leave\t%s" % name:
        t += 1000
        print("0.%09d\t0\t0\t%s" % (t, what))
print("1.000000000\t1\t0\trecv\tMPI_COMM_WORLD\tcomm=0\tpeer=0\ttag=1\tbytes=5\tposted=0")
print("2.000000001\t0\t0\tsend\tMPI_COMM_WORLD\tcomm=0\tpeer=1\ttag=1\tbytes=5")
P
pith convert odd.txt odd.pith && same odd program "odd names"
pith convert small.pith part.trace --from 3ms --to 5ms 2>/dev/null
is "$(dump part.trace | grep '^State' | cut -d, -f2,4,5,8)" "$(printf '%s\n' ' 0.0 main, 0.000000000, 0.002000000, solve' ' 0.0 main, 0.002000000, 0.002000000, solve' \
    ' 0.1 writer, 0.000000000, 0.002000000, io' ' 1.0, 0.000000000, 0.001000000, work' ' 1.0, 0.000000000, 0.002000000, solve')" "a window"

# Many messages under way, many lanes; the same bytes each time; to standard output; a full disk.
"$make_golden" big 20000 big.pith && same big program "20000 records"
"$build/test/bench/make_big_log" lanes.pith 300 300 40 && same lanes program "300 ranks"
pith convert big.pith again.paje && cmp again.paje big.trace && pith convert --format paje big.pith - | cmp - big.trace
ok $? "the same bytes again, and to standard output"
is "$(pith convert big.pith /dev/full --format paje 2>&1)" "pith: /dev/full: cannot write: No space left on device" "a full disk"

if command -v vite >/dev/null; then
    for kind in small edge odd; do
        QT_QPA_PLATFORM=offscreen timeout 60 vite -e $kind.svg $kind.trace >$kind.said 2>&1
        is "$(grep -c '0 errors and 0 warnings' $kind.said):$(grep -c '</svg>' $kind.svg)" "1:1" "ViTE draws $kind"
    done
else
    skip "ViTE draws it" "no vite"
fi
finish
