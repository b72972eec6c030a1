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
    is "$(pith print "$1.trace" | python3 "$top/test/golden/paje_expect.py" "$2" keep)" "$(dump "$1.trace")" "$3: and Pith reads what pj_dump reads"
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
pith: note: 5 formats of payloads are left out
pith: note: 2 units of counters are left out
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

# ---- Reading: files of others, as pj_dump reads them
# def NAME NUMBER FIELD...: the definition of an event.
def() { echo "%EventDef $1 $2"; shift 2; printf '%%\t%s string\n' "$@"; echo "%EndEventDef"; }
{
    echo "# a comment"
    def PajeDefineContainerType 1 Alias Type Name; def PajeDefineStateType 3 Name Type; def PajeDefineEntityValue 6 Alias Type Name Color
    def PajeDefineVariableType 50 Alias Type Name; def PajeDefineEventType 51 Alias Type Name
    def PajeDefineLinkType 9 Alias Type StartContainerType EndContainerType Name; def PajeCreateContainer 7 Time Alias Type Container Name
    def PajeDestroyContainer 8 Time Name Type; def PajeSetState 10 Time Container Type Value; def PajePushState 11 Container Type Value Time
    def PajePopState 12 Time Type Container; def PajeResetState 13 Time Type Container; def PajeSetVariable 20 Time Type Container Value
    def PajeAddVariable 21 Time Type Container Value; def PajeSubVariable 22 Time Type Container Value; def PajeNewEvent 30 Time Type Container Value
    def PajeStartLink 42 Time Type Container StartContainer Value Key; def PajeEndLink 43 Time Type Container EndContainer Value Key
} >head
cat head - >others.trace <<'T'
1 M 0 Machine
1 P M Process
1 T P "Worker thread"
3 PState P
3 "T State" T
3 Other T
6 r PState Running "0 1 0"
6 "w" "T State" "is waiting" "1.0 0.5 0.0"
50 V T Queue
51 E P Marker
9 L M P T Msg
7 0 m M 0 "machine A"
7 0 p1 P m proc-7
7 0.0 p2 P m proc-3
  7 0.5 t1 T p1 first
7 0.5 t2 T p1 second
10 1 p1 PState r
11 t1 "T State" w 1.25
11 t1 "T State" "is waiting" 1.5
11 t1 Other odd 1.5e0
20 1.5 V t1 4
21 1.75 V t1 2.5
22 2 V t1 1
42 2 L m p1 hello k1
42 2.125 L m p1 hello k2

30 2.25 E p2 "something happened"
12 2.5 "T State" t1
43 2.5 L m t2 hello k2
43 2.75 L m t1 hello k1
10 3 p1 PState Blocked
13 4 Other t1
10 4.5 p1 PState r
8 5 t1 T
13 6 PState p1
8 6 p1 P
8 6 p2 P
8 6 t2 T
8 6 m M
T
# What both see: kind, container, type, times, value. Pith has the type of a state as its group, and no names of links.
python3 - >seen <<'P'
import subprocess
from collections import defaultdict
out = subprocess.run(["pith", "print", "others.trace"], check=True, capture_output=True, text=True).stdout
lanes, groups, stacks, sends, receives, ranks = {}, {}, defaultdict(list), [], [], defaultdict(list)
for line in out.splitlines():
    f = line.split("\t")
    key = dict(x.split("=", 1) for x in f[1:] if "=" in x)
    if f[0] == "# lane":
        lanes[f[1][5:], f[2][7:]] = key["name"].split(": ")[-1]
    elif f[0] == "# state":
        groups[key["name"]] = key["group"]
    elif line[0] != "#":
        lane, ns = lanes[f[1], f[2]], f[0]
        if f[3] == "enter":
            stacks[lane, f[4]].append(ns)
        elif f[3] == "leave":
            print("State", lane, groups[f[4]], stacks[lane, f[4]].pop(), ns, f[4], sep=", ")
        elif f[3] == "counter":
            print("Variable", lane, f[4], ns, float(key["value"]), sep=", ")
        elif f[3] == "event":
            print("Event", lane, f[4], ns, key["payload"], sep=", ")
        elif f[3] == "send":
            sends.append((ns, lane))
        elif f[3] == "recv":
            receives.append((int(key["posted"]), ns, lane))
for (start, a), (_, end, b) in zip(sends, sorted(receives)):
    print("Link", start, end, a, b, sep=", ")
P
pj_dump -l 9 -n others.trace | python3 -c 'import sys
for line in sys.stdin:
    f = line.strip().split(", ")
    if f[0] == "State": print(*f[:5], f[7], sep=", ")
    if f[0] == "Variable": print(*f[:4], float(f[6]), sep=", ")
    if f[0] == "Event": print(*f, sep=", ")
    if f[0] == "Link": print("Link", f[3], f[4], f[7], f[8], sep=", ")' | sort >wanted
is "$(sort seen)" "$(cat wanted)" "states by set, push, pop and reset, sums of variables, links, containers that end: as pj_dump has them"
is "$(pith print others.trace | grep -E '^# (lane|state)' | cut -f2-5)" "$(printf '%b\n' 'rank=3\tthread=0\tname=proc-3\thost=' 'rank=7\tthread=0\tname=proc-7\thost=' \
    'rank=7\tthread=1\tname=proc-7: first\thost=' 'rank=7\tthread=2\tname=proc-7: second\thost=' 'name=Running\tcolour=#00ff00\tgroup=PState' \
    'name=is waiting\tcolour=#ff8000\tgroup=T State' 'name=odd\tcolour=\tgroup=Other' 'name=Blocked\tcolour=\tgroup=PState')" "containers are lanes, with their numbers; values are states with their colours"
{ cat others.trace; printf '12 7 Other t2\n42 7 L m p1 hello k9\n10 6.5 p1 PState r\n'; } >more.trace
is "$(pith check more.trace | sed 's/ (.*//')" "more.trace: 1 ends without state
more.trace: 1 links without partner
more.trace: 21 records read, no damage found" "what has no partner is counted; a time that is late is put in order"
head -c -5 others.trace >cut.trace
like "$(pith info cut.trace 2>/dev/null | grep ^incomplete)" '^incomplete: byte [0-9]+: the file ends here, inside a line$' "a file cut in a line"
{ cat head; printf '1 M 0 Machine\n7 0 m M 0 host\n3 S M\n10 1 m S one\n'; def PajeSetState 10 Container Value Type Time; printf '10 m two S 2\n12 3 S m\n'; } >twice.trace
is "$(pith print twice.trace | awk -F '\t' '$4 == "enter" { print $1 + 0, $5 }' | xargs)" "1 one 2 two" "a number that is defined again has the new fields"
# wrong LINE SAID
wrong() {
    { cat head; printf '1 M 0 Machine\n7 0 m M 0 host\n3 S M\n%b\n# more\n' "$1"; } >wrong.trace
    is "$(pith info wrong.trace 2>&1)" "pith: wrong.trace: line $(($(wc -l <head) + 4)): $2" "wrong: $1"
}
wrong '99 1 2 3' 'no %EventDef defines this event: 99'
wrong '10 1 m S' 'an event has fewer fields than its %EventDef'
wrong '10 1 x S v' 'no such container was created: x'
wrong '10 1 m X v' 'no such type was defined: X'
wrong '10 one m S v' 'this is no time: one'
wrong '10 1e99 m S v' 'this is no time: 1e99'
wrong '% Field string' 'a field stands outside of %EventDef: Field'
wrong '%EventDef PajeX' '%EventDef needs the name of an event and a number'
wrong '42 1 S 0 m v k' 'no such type was defined: S'

if command -v vite >/dev/null; then
    for kind in small edge odd; do
        QT_QPA_PLATFORM=offscreen timeout 60 vite -e $kind.svg $kind.trace >$kind.said 2>&1
        is "$(grep -c '0 errors and 0 warnings' $kind.said):$(grep -c '</svg>' $kind.svg)" "1:1" "ViTE draws $kind"
    done
else
    skip "ViTE draws it" "no vite"
fi
finish
