#!/usr/bin/env bash
# Paraver: traces as Extrae writes them; written, checked by a program that knows the rules only, and read back.
. "$(dirname "$0")/../lib.sh"
make_golden=$build/test/golden/make_golden
dump=$top/test/golden/paraver_dump.py
records() { pith print "$@" | grep -v '^#'; }
tabs() { sed 's/|/\t/g'; }

# ---- As Extrae writes

cat >run.prv <<'T'
#Paraver (10/11/2019 at 10:24):9000_ns:2(2,1):1:2(2:1,1:2),2
c:1:1:2:1:2
c:1:2:1:2
1:1:1:1:1:0:1000:1
2:1:1:1:1:0:40000001:1:42000050:0
1:3:1:2:1:0:2000:1
1:1:1:1:1:1000:1500:4
2:1:1:1:1:1000:50000001:1:42000050:70
3:1:1:1:1:1000:1100:3:1:2:1:2000:3500:512:7
1:1:1:1:1:1500:9000:1
2:1:1:1:1:1500:50000001:0:42000050:12
1:3:1:2:1:2000:3500:3
2:3:1:2:1:2000:50000001:2:70000001:3
1:3:1:2:1:3500:9000:1
2:3:1:2:1:3500:50000001:0:70000001:0
2:1:1:1:1:4000:60000019:1
2:1:1:1:1:4100:60000019:2
2:1:1:1:1:4200:60000019:2
2:1:1:1:1:4300:60000019:0
2:1:1:1:1:4400:60000019:0
2:1:1:1:1:4500:60000019:0
2:2:1:1:2:5000:1000:4
2:2:1:1:2:5100:1000:5
2:2:1:1:2:5200:1000:0
2:2:1:1:2:5300:2000:1
2:2:1:1:2:5400:3000:17
2:1:1:1:1:6000:50000002:10:50100001:8:50100002:16:50100003:1:50100004:1
2:1:1:1:1:7000:50000002:0
2:1:1:1:1:7100:40000012:0
2:1:1:1:1:7200:40000012:1
T
cat >run.pcf <<'T'
DEFAULT_OPTIONS

LEVEL               THREAD
UNITS               NANOSEC

DEFAULT_SEMANTIC

THREAD_FUNC          State As Is

STATES
0    Idle
1    Running
3    Waiting a message
4    Blocking Send

STATES_COLOR
0    {117,195,255}
1    {0,0,255}
4    { 255 , 0 , 174 }

EVENT_TYPE
0    40000001    Application
VALUES
0      End
1      Begin

EVENT_TYPE
9    50000001    MPI Point-to-point
VALUES
2   MPI_Recv
1   MPI_Send
0   Outside MPI

EVENT_TYPE
9    50000002    MPI Collective Comm
VALUES
10   MPI_Allreduce
0   Outside MPI

EVENT_TYPE
0    60000019    User function
VALUES
0   End
1   main
2   solve it

EVENT_TYPE
0    70000001    Caller at level 1
0    70000002    Caller at level 2
VALUES
0   End
3   exchange

EVENT_TYPE
7  42000050 PAPI_TOT_INS [Instr completed]

EVENT_TYPE
0    1000    phase
VALUES
0      none
4      assembly
5      solution

EVENT_TYPE
0    2000    mark
VALUES
1      first mark
T
cat >run.row <<'T'
LEVEL CPU SIZE 3
1.alpha
2.alpha
1.beta

LEVEL NODE SIZE 2
alpha
beta

LEVEL THREAD SIZE 3
THREAD 1.1.1
worker
THREAD 1.2.1
T
wanted=$(tabs <<'T'
0.000000000|0|0|enter|Running
0.000000000|0|0|enter|Application
0.000000000|0|0|counter|PAPI_TOT_INS [Instr completed]|value=0
0.000000000|1|0|enter|Running
0.000001000|0|0|leave|Running
0.000001000|0|0|enter|Blocking Send
0.000001000|0|0|enter|MPI_Send
0.000001000|0|0|counter|PAPI_TOT_INS [Instr completed]|value=70
0.000001000|0|0|send|MPI_COMM_WORLD|comm=0|peer=1|tag=7|bytes=512
0.000001500|0|0|leave|MPI_Send
0.000001500|0|0|counter|PAPI_TOT_INS [Instr completed]|value=12
0.000001500|0|0|leave|Blocking Send
0.000001500|0|0|enter|Running
0.000002000|1|0|leave|Running
0.000002000|1|0|enter|Waiting a message
0.000002000|1|0|enter|MPI_Recv
0.000002000|1|0|enter|exchange
0.000003500|1|0|recv|MPI_COMM_WORLD|comm=0|peer=0|tag=7|bytes=512|posted=0
0.000003500|1|0|leave|exchange
0.000003500|1|0|leave|MPI_Recv
0.000003500|1|0|leave|Waiting a message
0.000003500|1|0|enter|Running
0.000004000|0|0|enter|main
0.000004100|0|0|enter|solve it
0.000004200|0|0|enter|solve it
0.000004300|0|0|leave|solve it
0.000004400|0|0|leave|solve it
0.000004500|0|0|leave|main
0.000005000|0|1|enter|assembly
0.000005100|0|1|leave|assembly
0.000005100|0|1|enter|solution
0.000005200|0|1|leave|solution
0.000005300|0|1|event|mark|payload=first mark
0.000005400|0|1|counter|type 3000|value=17
0.000006000|0|0|enter|MPI_Allreduce
0.000006000|0|0|coll|MPI_COMM_WORLD|comm=0|bytes=8|got_bytes=16|root=0
0.000007000|0|0|leave|MPI_Allreduce
0.000007100|0|0|pause|
0.000007200|0|0|resume|
0.000009000|0|0|leave|Running
0.000009000|1|0|leave|Running
T
)
is "$(records run.prv)" "$wanted" "a trace of Extrae's: states, calls, functions, phases, marks, counters, messages, collectives"
is "$(pith print run.prv | grep -E '^# (lane|comm|state.*(Running|Blocking|MPI_Send))' | sort)" "$(sort <<'T' | tabs
# lane|rank=0|thread=0|name=|host=alpha
# lane|rank=0|thread=1|name=worker|host=alpha
# lane|rank=1|thread=0|name=|host=beta
# state|name=Running|colour=#0000ff|group=thread state
# state|name=Blocking Send|colour=#ff00ae|group=thread state
# state|name=MPI_Send|colour=|group=MPI point-to-point
# comm|comm=0|name=MPI_COMM_WORLD|size=2|ranks=0,1
# comm|comm=1|name=|size=1|ranks=1
T
)" "names of threads and hosts, colours, communicators"
is "$(pith info run.prv | head -n 1; cp run.prv x; pith info x | head -n 1)" "$(printf 'format: paraver\nformat: paraver')" "told by content"
is "$(records x | cut -f4,5 | grep -E 'enter' | sort -u | tr '\t\n' ' ;')" \
    "enter MPI_Allreduce;enter MPI_Recv;enter MPI_Send;enter state 1;enter state 3;enter state 4;enter type 60000019 value 1;enter type 60000019 value 2;" \
    "without the files beside it: the functions of MPI have their names"
{ head -n 3 run.prv; tail -n +4 run.prv | tac; } >late.prv
cp run.pcf late.pcf; cp run.row late.row
is "$(records late.prv | cut -f1-3,6- | sort)" "$(echo "$wanted" | cut -f1-3,6- | sort)" "lines that are out of order in time are put in order"
is "$(records late.prv | cut -f4 | sort | uniq -c)" "$(echo "$wanted" | cut -f4 | sort | uniq -c)" "with all that is in them"
sed '1s/_ns//' run.prv >us.prv
is "$(records us.prv | tail -n 1 | cut -f1)" 0.009000000 "times without _ns are microseconds"
sed 's/$/\r/' run.prv >crlf.prv
is "$(records crlf.prv | wc -l)" "$(records x | wc -l)" "lines may end with a carriage return"
cat >apps.prv <<'T'
#Paraver (10/11/2019 at 10:24):90_ns:1(4):2:2(1:1,2:1),0:1(1:1),0
2:1:1:2:2:10:60000019:1
2:1:2:1:1:20:60000019:0
3:1:1:2:1:30:30:1:2:1:1:25:25:-1:-5
1:1:2:1:1:40:70:1
1:1:2:1:1:50:60:3
T
is "$(records apps.prv | cut -f1-5,7-)" "$(tabs <<'T'
0.000000010|1|1|enter|type 60000019 value 1
0.000000025|2|0|recv|MPI_COMM_WORLD|peer=1|tag=-5|bytes=0|posted=0
0.000000030|1|0|send|MPI_COMM_WORLD|peer=2|tag=-5|bytes=0
0.000000040|2|0|enter|state 1
0.000000050|2|0|leave|state 1
0.000000050|2|0|enter|state 3
0.000000060|2|0|leave|state 3
T
)" "ranks go on counting over applications; a message that came before it went; states one over the other"
is "$(pith print apps.prv | grep -E 'paraver_(ends|states)' | cut -f2-3 | sort)" "$(printf 'key=paraver_ends_without_state\tvalue=1\nkey=paraver_states_cut\tvalue=1')" \
    "what was odd is a property of the log"

# Sampled functions are samples: nothing is entered. The trace may have other states meanwhile; several depths are one stack.
cat >sampled.pcf <<'T'
EVENT_TYPE
6 30000000 Sampled functions
6 30000001 Sampled functions (depth 1)
6 30000100 Sampled lines functions
VALUES
0 End
5 foo
6 bar
7 main
T
cat >sampled.prv <<'T'
#Paraver (01/01/2026 at 00:00):10000_ns:1(1):1:2(1:1,1:1)
2:1:1:1:1:1000:30000000:5:30000001:7:30000100:6
2:1:1:1:1:2000:50000003:31
2:1:1:1:1:3000:30000000:6:30000001:7
2:1:1:2:1:3500:30000000:5
2:1:1:1:1:4000:50000003:0
2:1:1:1:1:6000:30000000:5:30000001:7
1:1:1:1:1:0:10000:1
T
is "$(pith print sampled.prv | grep -v '^#' | cut -f2-5,7 | grep -v pith:code)" "$(tabs <<'T'
0|0|enter|state 1
0|0|event|pith:sample|functions=main;foo
0|0|enter|MPI_Init
0|0|event|pith:sample|functions=main;bar
1|0|event|pith:sample|functions=foo
0|0|leave|MPI_Init
0|0|event|pith:sample|functions=main;foo
0|0|leave|state 1
T
)" "Extrae's sampled functions are samples"
is "$(pith stat sampled.prv --lane 0 --by function --csv | cut -d, -f1,2,6,8)" "function,self_s,total_s,samples
foo,0.000005500,0.000005500,2
bar,0.000002000,0.000002000,1
main,0.000000000,0.000007500,0" "with the time between them"
cat >two.prv <<'T'
#Paraver (10/11/2019 at 10:24):90_ns:1(4):2:2(1:1,1:1),1:2(1:1,1:1),1
c:1:1:2:1:2
2:1:1:1:1:10:50000001:1
3:1:1:1:1:10:10:1:1:2:1:25:25:8:5
2:1:2:1:1:20:50000002:8:50100001:4:50100002:4
3:1:2:1:1:30:30:1:2:2:1:45:45:8:5
2:1:2:1:1:40:50000002:0
2:1:1:1:1:90:50000001:0
T
is "$(pith print two.prv | grep '^# comm' | cut -f2-)" "$(tabs <<'T'
comm=0|name=MPI_COMM_WORLD|size=4|ranks=0,1,2,3
comm=1|name=MPI_COMM_WORLD|size=2|ranks=0,1
comm=2|name=MPI_COMM_WORLD|size=2|ranks=2,3
T
)" "each application has its MPI_COMM_WORLD"
is "$(records two.prv | grep -E 'send|recv|coll' | cut -f2,4,6)" "$(tabs <<'T'
0|send|comm=1
2|coll|comm=2
1|recv|comm=1
2|send|comm=2
3|recv|comm=2
T
)" "with its messages and collectives"
cat >old.prv <<'T'
#Paraver (26/01/04 at 16:35):260:2:1:2(1:1,1:2),2
c:1:91:2:1:2
c:1:92:1:-1
2:2:1:2:1:10:50000002:9
4:2:1:2:1:10:91:32:0:10:0
2:2:1:2:1:20:50000002:7
4:2:1:2:1:20:92:0:32:1:1
2:2:1:2:1:30:50000002:0
T
is "$(records old.prv)" "$(tabs <<'T'
0.000010000|1|0|enter|MPI_Reduce
0.000010000|1|0|coll|MPI_COMM_WORLD|comm=0|bytes=32|got_bytes=0|root=-1
0.000020000|1|0|leave|MPI_Reduce
0.000020000|1|0|enter|MPI_Bcast
0.000020000|1|0|coll||comm=1|bytes=0|got_bytes=32|root=1
0.000030000|1|0|leave|MPI_Bcast
T
)" "an old trace: microseconds, calls of MPI that did not end, global communications"

# wrong LINE SAID
wrong() {
    { head -n 3 run.prv; echo "$1"; } >wrong.prv
    is "$(pith print wrong.prv 2>&1 >/dev/null)" "pith: wrong.prv: line 4: $2" "wrong: $1"
}
wrong '5:1:1:1:1:0' "no such record: its type is 1, 2, 3 or 4"
wrong 'x' "no such record: its type is 1, 2, 3 or 4"
wrong '2:1:1:1:1:' "a record has cpu, application, task, thread, time, with ':' between"
wrong '1:1:1:0:1:5:6:1' "a record has cpu, application, task, thread, time, with ':' between"
wrong '1:1:1:1:1:5:6' "numbers are missing, or are none"
wrong '3:1:1:1:1:5:6:1:1:1:1:5:6' "numbers are missing, or are none"
wrong '2:1:1:1:1:5:6' "an event has types and values, with ':' between"
wrong '2:1:1:3:1:5:6:7' "the header has no such application or task"
wrong '2:1:2:1:1:5:6:7' "the header has no such application or task"
wrong '2:1:1:1:1:9223372036854775807:6:7' "a time beyond reason"
head_wrong() {
    echo "#Paraver ($1" >wrong.prv
    is "$(pith print wrong.prv 2>&1 >/dev/null)" "pith: wrong.prv: line 1: $2" "wrong header: $1"
}
head_wrong 'today' "the header is not (DATE):TIME:NODES(CPUS):APPLICATIONS:..."
head_wrong '):1:1(1):1:2(1:1)' "an application does not tell of all its tasks"
head_wrong '):1:1(1):1:1(1:1,1:1)' "an application tells of more tasks than it has"
head_wrong '):1:1(1):3:1(1:1)' "the header does not tell of all applications"
head_wrong '):1:1(1):4000000000:1(1:1)' "the header does not tell of all applications"

# ---- Written, and back

# What Paraver does not hold: communicators of messages, order of receives, what has no partner or start; ends at the window.
kept() {
    records "$1" | awk -F'\t' -v OFS='\t' '$4 == "send" || $4 == "recv" { $5 = "-"; $6 = ""; sub(/\tposted=.*/, "") } { print }'
}
for kind in plain deep states; do
    "$make_golden" $kind $kind.pith
    pith convert $kind.pith $kind.prv 2>notes
    is "$?:$(cat notes)" "0:" "$kind: nothing is lost that would have to be said"
    is "$(kept $kind.prv)" "$(kept $kind.pith)" "$kind: the same there and back"
    python3 "$dump" $kind.prv >$kind.dump
    is "$?:$(cut -f1-4 $kind.dump)" "0:$(records $kind.pith | cut -f1-4)" "$kind: by the rules of Paraver, with all records"
done
"$make_golden" edge edge.pith
pith convert edge.pith edge.prv 2>notes
is "$?:$(cat notes)" "0:pith: note: 1 states still open at the end are closed there
pith: note: 1 ends of states without a start are left out
pith: note: 6 states and events on a communicator: that is left out
pith: note: 5 ends of messages: their communicators are left out
pith: note: 1 sends and receives of which the partner is not in the log are left out
pith: note: 1 receives that got no message are left out
pith: note: 1 receives ended before one posted earlier: the order of posting is not kept
pith: note: 1 groups of states, events and counters are left out
pith: note: 1 colours became others that the format has
pith: note: 1 intercommunicators: their two groups are one" "edge: what is lost is said, each with its count"
# Not there: an end without start, a send without partner, a cancelled receive.
is "$(kept edge.prv | grep -v 'leave.*üüü')" "$(kept edge.pith | off_comms | awk '!(/leave.*the second/ && seen++) && !/send.*tag=1\t/ && !/peer=-1/')" "edge: the same but for that"
python3 "$dump" edge.prv >edge.dump
ok $? "edge: by the rules of Paraver"
is "$(pith print edge.prv | grep -E '^# (lane|event|counter)' | sed -E 's/colour=[^\t]*//')" "$(pith print edge.pith | grep -E '^# (lane|event|counter)' | sed -E 's/colour=[^\t]*//')" \
    "edge: threads with their gaps, formats of payloads, units"
"$build/test/cli/make_cli_log" names names.pith && pith convert names.pith names.prv
is "$(records names.prv)" "$(records names.pith)" "names with every character, numbers of every kind"
is "$(LC_ALL=C grep -c -P '[\x00-\x08\x0b-\x1f\x7f]' names.prv names.pcf names.row)" "$(printf 'names.prv:0\nnames.pcf:0\nnames.row:0')" "no control character in the files"
"$build/test/cli/make_cli_log" empty empty.pith && pith convert empty.pith empty.prv && records empty.prv >empty
is "$(wc -c <empty)" 0 "a log without records"
"$make_golden" sparse sparse.pith && pith convert sparse.pith sparse.prv 2>notes
is "$(cat notes):$(pith print sparse.prv | grep '^# lane' | cut -f2)" "pith: note: 1 ends of messages: their communicators are left out
pith: note: 2 sends and receives of which the partner is not in the log are left out
pith: note: 5 members of communicators that have no lane are left out:rank=1" "one rank of many keeps its number"
"$build/test/bench/make_big_log" many.pith 300 600 100 && pith convert many.pith many.prv 2>/dev/null
is "$(records many.prv | grep enter | sort)" "$(records many.pith | grep enter | sort)" "600 lanes of 300 ranks: states"
is "$(pith stat many.prv | head -n 40)" "$(pith stat many.pith | head -n 40)" "their times"
is "$(pith info many.prv | grep messages)" "$(pith info many.pith | grep messages)" "all messages that are whole"
python3 "$dump" many.prv >many.dump
is "$?:$(cut -f4 many.dump | sort | uniq -c)" "0:$(records many.prv | cut -f4 | sort | uniq -c)" "by the rules of Paraver"
pith convert many.pith again.prv 2>/dev/null && cmp many.prv again.prv && cmp many.pcf again.pcf && cmp many.row again.row
ok $? "the same bytes every time"
pith convert edge.pith part.prv --from 0.0010045 --to 0.001012 2>/dev/null && python3 "$dump" part.prv >part.dump
is "$?:$(head -n 1 part.dump)" "0:$(printf '0.000000000\t0\t0\tenter\twork')" "a window begins at 0, with what is open"
"$build/test/cli/make_cli_log" small small.pith && pith convert small.pith small.prv 2>/dev/null
is "$(head -n 1 small.prv)" "#Paraver (09/09/2001 at 01:46):1999999999_ns:2(2,1):1:2(2:1,1:2),2" "the date of the start"

# Many payloads: each text once, numbers as numbers.
{ printf '# event\tname=n\tformat=i=%%d\n# event\tname=s\tformat=%%s\n'
    for i in $(seq 1 300); do printf '%d.0\t0\t0\tevent\tn\tpayload=i=%d\n%d.5\t0\t0\tevent\ts\tpayload=t%d\n' $i $((i - 150)) $i $((i % 7)); done; } >many.txt
pith convert many.txt payloads.prv
is "$(records payloads.prv)" "$(records many.txt)" "payloads: negative numbers, texts again and again"
is "$(grep -c 't[0-6]$' payloads.pcf)" 7 "each text is one value"

# ---- Samples and call sites: their functions as Extrae writes them

deep=$(for i in $(seq 120); do printf '%016x' $((0x200 + 0x100 * (i % 2))); done)
sed 's/|/\t/g' >samples.txt <<T
# event|name=pith:sample|colour=gray50|group=pith|format=cpu=%l
# event|name=pith:code|colour=gray50|group=pith|format=begin=%X end=%X name=%s
# event|name=pith:site|colour=gray50|group=pith|format=address=%X
# state|name=MPI_Barrier|colour=red|group=MPI collective
0.001000000|0|0|event|pith:sample|payload=cpu=1 00000000000001100000000000000210
0.002000000|0|1|event|pith:sample|payload=cpu=1 0000000000000310
0.003000000|0|0|event|pith:sample|payload=cpu=2 000000000000011000000000000009100000000000000210
0.004000000|0|0|enter|MPI_Barrier
0.004000000|0|0|event|pith:site|payload=address=220
0.005000000|0|0|event|pith:sample|payload=cpu=3 $deep
0.006000000|0|0|leave|MPI_Barrier
0.012000000|0|0|event|pith:code|payload=begin=100 end=200 name=exp
0.012000000|0|0|event|pith:code|payload=begin=200 end=300 name=main
0.012000000|0|0|event|pith:code|payload=begin=300 end=400 name=step
T
pith convert samples.txt samples.prv 2>notes
is "$?:$(cat notes)" "0:pith: note: 3 groups of states, events and counters are left out
pith: note: 20 functions of samples: callers beyond depth 99 are left out" "samples: written"
python3 "$dump" samples.prv >samples.dump
is "$?:$(grep -P '\t(stack|caller)\t' samples.dump)" "0:$(pith print samples.txt | awk -F'\t' -v OFS='\t' '
    function innermost(stack, i, n, f) { # 100 at most
        n = split(stack, f, ";"); stack = f[n]
        for (i = n - 1; i > 0 && i > n - 100; i--) stack = f[i] ";" stack
        return stack
    }
    sub("^functions=", "", $NF) { print $1, $2, $3, $5 == "pith:site" ? "caller" : "stack", innermost($NF) }')" \
    "by the rules of Paraver, with all functions"
is "$(grep -A 3 -P '^0 +30000000 ' samples.pcf; grep -P '^0 +(30000099|30000100|70000001) ' samples.pcf)" "0    30000000    Sampled functions
0    30000001    Sampled functions (depth 1)
0    30000002    Sampled functions (depth 2)
0    30000003    Sampled functions (depth 3)
0    30000099    Sampled functions (depth 99)
0    70000001    Caller at level 1" "the types have Extrae's names"
is "$(records samples.prv)" "$(records samples.txt)" "all come back, with addresses and names"
pith merge -o merged.prv samples.txt 2>notes
like "$(cat notes)" '5 samples and call sites are events with addresses, without the names of functions' "without names of functions, that is said"

# Files that cannot be written leave nothing.
if mkdir full && mount -t tmpfs -o size=64k tmpfs full 2>/dev/null; then
    pith convert many.pith full/many.prv 2>notes
    is "$?:$(ls full)" "1:" "a full disk: nothing is left"
    umount full
else
    skip "a full disk: nothing is left" "no tmpfs"
fi
# Definitions without a name keep their format and unit, and events their payloads.
tr '|' '\t' >nameless.txt <<'T'
# event|name=|colour=red|group=user|format=at=%s
# counter|name=|colour=red|group=user|unit=W
0.000001000|0|0|event||payload=at=a[1] b
0.000002000|0|0|counter||value=1.5
T
pith convert nameless.txt nameless.prv 2>err
is "$(pith print nameless.prv | grep -E '^(# event|# counter|0)' | sed 's/\tcolour=[^\t]*//')" "$(grep -E '^(# event|# counter|0)' nameless.txt | sed 's/\tcolour=[^\t]*//')" \
    "definitions without a name"

finish
