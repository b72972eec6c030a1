#!/usr/bin/env bash
# The Trace Event Format read: what our own writer makes comes back; what other tools write, in all its spellings.
. "$(dirname "$0")/../lib.sh"
make_golden=$build/test/golden/make_golden
make_log=$build/test/cli/make_cli_log
records() { pith print "$1" | grep -v '^#'; }
# tells FILE WANTED WHAT: the records (WANTED with \t and \n), read from a file whose lines are events.
tells() { is "$(records "$1")" "$(printf '%b' "$2")" "$3"; }
events() { printf '[%s]' "$(cat)"; }
said() { pith info "$1" | sed -n 's/^chrome_\([a-z_]*\): /\1=/p' | tr '\n' ' '; }

# ---- There and back: what the format does not hold is left out; messages are of the world.
kept() {
    pith print "$1" | awk -F'\t' -v OFS='\t' '!/^#/ && $4 != "coll" && $4 != "comm" { if ($4 == "send" || $4 == "recv") { $5 = "MPI_COMM_WORLD"; $6 = "comm=0"; $10 = "" } print }' |
        sed 's/\t*$//' | sort
}
for kind in small plain deep states big; do
    case $kind in small) "$make_log" small small.pith ;; big) "$make_golden" big 20000 big.pith ;; *) "$make_golden" $kind $kind.pith ;; esac
    pith convert $kind.pith $kind.trace.json 2>/dev/null
    # Of small the states that are open at the end are closed.
    pith convert $kind.pith closed.txt
    [ $kind = small ] && printf '%b\n' '1.999999999\t1\t0\tleave\tio' >>closed.txt
    is "$(kept $kind.trace.json)" "$(kept closed.txt)" "$kind: there and back"
done
is "$(pith print small.trace.json | grep '^# lane' | cut -f2-5)" "$(pith print small.pith | grep '^# lane' | cut -f2-5)" "lanes, names and hosts"
is "$(pith stat small.trace.json --by comm --csv 2>/dev/null | wc -l)" "$(pith stat small.pith --by comm --csv | wc -l)" "messages find their partners"
"$make_golden" edge edge.pith && pith convert edge.pith edge.trace.json 2>/dev/null
is "$(records edge.trace.json | grep '	event	' | cut -f4-)" "$(records edge.pith | off_comms | grep '	event	' | cut -f4-)" "all payloads"
is "$(said edge.trace.json)" "" "nothing of our own is passed over"
pith print --json small.pith >lines && pith info lines 2>err
is "$?:$(cat err)" "1:pith: lines: cannot be read: it looks like the JSON of \`pith print\`, which Pith only writes; convert the log that it was made from" "lines of pith print --json are none"

# ---- Messages to oneself, which are flows within a lane
tr '|' '\t' >oneself.txt <<'T'
# lane|rank=0|thread=0|name=main|host=
0.000000000|0|0|send|MPI_COMM_WORLD|comm=0|peer=0|tag=5|bytes=100
0.000001000|0|0|recv|MPI_COMM_WORLD|comm=0|peer=0|tag=5|bytes=100|posted=0
0.000002000|0|0|send|MPI_COMM_WORLD|comm=0|peer=0|tag=5|bytes=200
0.000003000|0|0|recv|MPI_COMM_WORLD|comm=0|peer=0|tag=5|bytes=200|posted=1
T
pith convert oneself.txt oneself.trace.json 2>/dev/null
is "$(records oneself.trace.json)" "$(records oneself.txt)" "messages to oneself come back"
is "$(said oneself.trace.json)" "" "and none is passed over"

# ---- Whole states, in any order
events >whole <<'J'
{"ph":"X","name":"inner","pid":77,"tid":77,"ts":12.5,"dur":2,"cat":"c,d"},
{"ph":"X","name":"second","pid":77,"tid":77,"ts":15,"dur":5.25,"args":{"detail":"a \"b\"","n":[1,{"x":2}]}},
{"ph":"X","name":"outer","pid":77,"tid":77,"ts":12.5,"dur":7.75},
{"name":"neighbour","ph":"X","pid":77,"tid":77,"ts":20,"dur":3,"tts":1,"args":{}},
{"name":"none","ph":"X","pid":77,"tid":77,"ts":21,"dur":0}
J
tells whole '0.000000000\t0\t0\tenter\touter\n0.000000000\t0\t0\tenter\tinner\n0.000002000\t0\t0\tleave\tinner\n0.000002500\t0\t0\tenter\tsecond
0.000002500\t0\t0\tevent\tsecond\tpayload=detail=a "b" n=[1,{"x":2}]\n0.000007500\t0\t0\tenter\tneighbour\n0.000007750\t0\t0\tleave\tsecond
0.000007750\t0\t0\tleave\touter\n0.000008500\t0\t0\tenter\tnone\n0.000008500\t0\t0\tleave\tnone\n0.000010500\t0\t0\tleave\tneighbour' \
    "X by their ends; some overlap; arguments"
is "$(pith print whole | grep 'name=inner')" "$(printf '# state\tname=inner\tcolour=\tgroup=c,d')" "a category is a group"

# ---- Begins and ends; a file that was never finished; a comma too many; a mark at the start
cat >open <<'J'
[
{"ph":"E","ts":1.0,"pid":1,"tid":"io"},
{"ph":"B","ts":"3","pid":1,"tid":"io","name":"b"},
{"ph":"B","ts":2e0,"pid":1,"tid":"io","name":"a"},
{"ph":"i","ts":3.1234,"pid":1,"tid":"io","name":"mark","s":"g"},
{"ph":"I","ts":3.1236,"pid":1,"tid":"io","name":"old","args":{"payload":"text","more":true}},
{"ph":"E","ts":4,"pid":1,"tid":"io"},
{"ph":"E","ts":5,"pid":1,"tid":"io"},
{"ph":"B","ts":6,"pid":1,"tid":"io","name":"never en
J
tells open '0.000001000\t0\t0\tenter\ta\n0.000002000\t0\t0\tenter\tb\n0.000002123\t0\t0\tevent\tmark\n0.000002124\t0\t0\tevent\told\tpayload=text more=true
0.000003000\t0\t0\tleave\tb\n0.000004000\t0\t0\tleave\ta' "B and E out of order, times as text, a file cut in an event"
is "$(said open)$(pith info open | grep ^incomplete)" "ends_without_state=1 incomplete: byte $(stat -c %s open): the file ends here, without the bracket that closes its events" "and it says so"
for cut in 1 30 60 100; do
    head -c -$cut open >shorter && pith check shorter >/dev/null || break
done
ok $? "cut anywhere"
printf '\xef\xbb\xbf{"displayTimeUnit":"ms","other":{"a":[1,2,{"b":null}],},\n"traceEvents":[ {"ph":"i","ts":1,"pid":1,"tid":1,"name":"x"}, null, 7, ],"stackFrames":{}}\n' >object
tells object '0.000000000\t0\t0\tevent\tx' "the object form"
printf '{"traceEvents":[]}' >none && printf '[]' >nothing
is "$(pith info none | sed -n 's/^records: //p'):$(pith info nothing 2>&1 >/dev/null | grep -c 'not a log')" "0:1" "no events"

# ---- Counters
events >counters <<'J'
{"ph":"C","ts":1,"pid":5,"name":"mem","args":{"value":1.5}},
{"ph":"C","ts":2,"pid":5,"name":"mem","args":{"rss":-2e3,"shared":4}},
{"ph":"C","ts":3,"pid":5,"tid":9,"id":"gpu","name":"mem","args":{"value":6,"word":"no"}},
{"ph":"X","ts":3,"dur":1,"pid":5,"tid":9,"name":"s"}
J
tells counters '0.000000000\t0\t0\tcounter\tmem\tvalue=1.5\n0.000001000\t0\t0\tcounter\tmem.rss\tvalue=-2000\n0.000001000\t0\t0\tcounter\tmem.shared\tvalue=4
0.000002000\t0\t0\tcounter\tmem[gpu]\tvalue=6\n0.000002000\t0\t0\tenter\ts\n0.000003000\t0\t0\tleave\ts' "counters of a process, with several values, with an id"
# As Bazel writes them: numbers in quotes. A word in quotes is none.
events >quoted <<'J'
{"ph":"C","ts":1,"pid":1,"tid":1,"name":"load","args":{"cpu":"1.5"}},{"ph":"C","ts":2,"pid":1,"tid":1,"name":"load","args":{"cpu":2.5,"unit":"%","none":""}}
J
is "$(records quoted | cut -f4-) $(said quoted)" "$(printf '%b' 'counter\tload.cpu\tvalue=1.5\ncounter\tload.cpu\tvalue=2.5 events_left_out=2 ')" "counters with numbers in quotes"

# ---- Backslashes that begin no escape stay, with the letter behind them (PyTorch on Windows).
events >backslash <<'J'
{"ph":"X","pid":1,"tid":1,"name":"torch\cuda\__init__.py(219): _lazy_init","ts":1,"dur":2},{"ph":"X","pid":1,"tid":1,"name":"C:\users\\x \u00e9","ts":5,"dur":2}
J
is "$(pith stat backslash --json | python3 -c 'import json, sys
print([s["name"] for s in json.load(sys.stdin) if s["name"] != "computing"])')" "['torch\\\\cuda\\\\__init__.py(219): _lazy_init', 'C:\\\\users\\\\x é']" "no letter is eaten"

# ---- Lengths that are negative or missing
events >lengths <<'J'
{"pid":0,"tid":0,"ph":"X","ts":10,"dur":-5,"name":"neg"},{"pid":0,"tid":0,"ph":"X","ts":20,"dur":5,"name":"pos"},{"pid":0,"tid":0,"ph":"X","ts":30,"name":"nodur"},
{"pid":0,"tid":0,"ph":"X","ts":31,"dur":"x","name":"word"},{"pid":0,"tid":0,"ph":"X","ts":32,"dur":0,"name":"zero"}
J
is "$(said lengths)$(pith check lengths | head -n 2)" "states_without_length=2 states_of_negative_length=1 lengths: 2 states without length (chrome_states_without_length in pith info)
lengths: 1 states of negative length (chrome_states_of_negative_length in pith info)" "states without a length are counted"

# ---- Asynchronous events: lanes of their own, as many as operations at once
events >async <<'J'
{"ph":"b","cat":"io","id":"1","name":"read","pid":7,"tid":7,"ts":0,"args":{"bytes":8}},{"ph":"b","cat":"io","id":"2","name":"write","pid":7,"tid":8,"ts":10},
{"ph":"e","cat":"io","id":"1","name":"read","pid":7,"tid":9,"ts":50},{"ph":"n","cat":"io","id":"2","name":"half","pid":7,"tid":8,"ts":55},
{"ph":"b","cat":"io","id":3,"name":"read","pid":7,"tid":7,"ts":60},{"ph":"b","cat":"io","id":3,"name":"wait","pid":7,"tid":7,"ts":61},
{"ph":"e","cat":"io","id":3,"name":"wait","pid":7,"tid":7,"ts":62},{"ph":"e","cat":"io","id":3,"name":"read","pid":7,"tid":7,"ts":63},
{"ph":"e","cat":"io","id":"2","name":"write","pid":7,"tid":8,"ts":70},{"ph":"e","cat":"io","id":"4","name":"read","pid":7,"tid":8,"ts":71},
{"ph":"b","cat":"io","id":"1","name":"other","pid":9,"tid":1,"ts":1},{"ph":"e","cat":"io","id":"1","name":"other","pid":9,"tid":1,"ts":2},
{"ph":"b","cat":"ipc","id2":{"global":"0x1"},"name":"call","pid":7,"tid":7,"ts":80},{"ph":"e","cat":"ipc","id2":{"global":"0x1"},"name":"call","pid":9,"tid":1,"ts":81},
{"ph":"S","cat":"old","id":1,"name":"a","pid":7,"tid":7,"ts":90},{"ph":"T","cat":"old","id":1,"name":"a","pid":7,"tid":7,"ts":91},{"ph":"S","cat":"old","id":1,"name":"b","pid":7,"tid":7,"ts":92},
{"ph":"F","cat":"old","id":1,"name":"a","pid":7,"tid":7,"ts":93},{"ph":"F","cat":"old","id":1,"name":"b","pid":7,"tid":7,"ts":94},
{"ph":"X","pid":7,"tid":8,"name":"thread","ts":0,"dur":1}
J
is "$(pith print async | grep '^# lane' | cut -f2-4)" "$(printf '%b\n' 'rank=0\tthread=0\tname=' 'rank=0\tthread=1\tname=io' 'rank=0\tthread=2\tname=io 2' \
    'rank=0\tthread=3\tname=ipc' 'rank=0\tthread=4\tname=old' 'rank=0\tthread=5\tname=old 2' 'rank=1\tthread=0\tname=io')" "asynchronous events have lanes behind those of the threads"
is "$(records async | cut -f1-5 | sed 's/^0.0000//; s/000\t/ /; s/\t/ /g')" "00 0 0 enter thread
00 0 1 enter read
00 0 1 event read
01 0 0 leave thread
01 1 0 enter other
02 1 0 leave other
10 0 2 enter write
50 0 1 leave read
55 0 2 event half
60 0 1 enter read
61 0 1 enter wait
62 0 1 leave wait
63 0 1 leave read
70 0 2 leave write
80 0 3 enter call
81 0 3 leave call
90 0 4 enter a
91 0 4 event a
92 0 5 enter b
93 0 4 leave a
94 0 5 leave b" "an operation takes a free lane; ids are of a process, or global; the old phases"
is "$(said async)" "ends_without_state=1 " "an end without a begin is counted"
python3 - >many <<'P'
print("[" + ",".join('{"ph":"%s","cat":"c","id":%d,"name":"op","pid":0,"tid":0,"ts":%d}' % (p, i, i + w) for i in range(50000) for p, w in (("b", 0), ("e", 3))) + "]")
P
is "$(pith info many | grep -E '^(lanes|states)')" "lanes: 3
states: 50000" "50000 operations, 3 at once"

# ---- Processes and threads
events >places <<'J'
{"ph":"M","name":"process_name","pid":900,"args":{"name":"server"}},
{"ph":"M","name":"process_sort_index","pid":18446744073709551615,"args":{"sort_index":-1}},
{"ph":"M","name":"thread_name","pid":900,"tid":901,"args":{"name":"worker \ud83d\ude00"}},
{"ph":"M","name":"thread_name","pid":900,"tid":999,"args":{"name":"idle"}},
{"ph":"M","name":"thread_sort_index","pid":900,"tid":905,"args":{"sort_index":-5}},
{"ph":"i","ts":1,"pid":900,"tid":901,"name":"e"},{"ph":"i","ts":1,"pid":900,"tid":900,"name":"e"},
{"ph":"i","ts":1,"pid":900,"tid":905,"name":"e"},{"ph":"i","ts":1,"pid":"gpu","tid":"q\u00e4","name":"e"},
{"ph":"i","ts":1,"pid":"20","tid":1,"name":"e"},{"ph":"i","ts":1,"pid":18446744073709551615,"tid":1,"name":"e"}
J
is "$(pith print places | grep '^# lane' | cut -f2-4)" "$(printf '%b\n' 'rank=0\tthread=0\tname=18446744073709551615' 'rank=1\tthread=0\tname=' 'rank=2\tthread=0\tname=server' \
    'rank=2\tthread=1\tname=server' 'rank=2\tthread=2\tname=server: worker 😀' 'rank=3\tthread=0\tname=gpu: qä')" "processes by sort index, number, word; main comes first; no lane for what does nothing"
events >ranks <<'J'
{"ph":"i","ts":1,"pid":2,"tid":7,"name":"e"},{"ph":"i","ts":2,"pid":0,"tid":7,"name":"e"},{"ph":"i","ts":3,"pid":1,"tid":8,"name":"e"}
J
is "$(records ranks | cut -f2,3 | tr '\t\n' '. ')" "2.0 0.0 1.0 " "process numbers that are ranks stay"

# As PyTorch's profiler writes it: microseconds of the epoch with fractions, words for processes.
cat >torch <<'J'
{"schemaVersion":1,"deviceProperties":[{"id":0,"name":"A \/ B"}],"traceEvents":[
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":4711,"tid":4711,"ts":2795188971176861.123,"dur":2.002,"args":{"Input Dims":[[2,3],[3,2]],"Ev Idx":7}},
{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":2795188971176862.124,"dur":1,"args":{}},
{"ph":"s","id":8,"pid":4711,"tid":4711,"ts":2795188971176861.123,"cat":"ac2g","name":"ac2g"},{"ph":"f","id":8,"pid":0,"tid":7,"ts":2795188971176862.124,"cat":"ac2g","name":"ac2g","bp":"e"},
{"name":"process_sort_index","ph":"M","ts":2795188971176861.123,"pid":0,"tid":0,"args":{"sort_index":5000000}},
{"name":"Record Window End","ph":"i","s":"g","pid":"","tid":"","ts":2795188971176870}],"traceName":"x.json"}
J
tells torch '0.000000000\t0\t0\tenter\taten::mm\n0.000000000\t0\t0\tevent\taten::mm\tpayload=Input Dims=[[2,3],[3,2]] Ev Idx=7\n0.000000000\t0\t0\tsend\tMPI_COMM_WORLD\tcomm=0\tpeer=2\ttag=0\tbytes=0
0.000001001\t2\t0\tenter\tgemm\n0.000001001\t2\t0\trecv\tMPI_COMM_WORLD\tcomm=0\tpeer=0\ttag=0\tbytes=0\tposted=0\n0.000002001\t2\t0\tleave\tgemm
0.000002002\t0\t0\tleave\taten::mm\n0.000008877\t1\t0\tevent\tRecord Window End' "a profile of PyTorch's kind"
# Of a rank of a job, said before the events or behind them: all its processes are lanes of this rank.
sed 's/{"schemaVersion":1,/&"distributedInfo":{"backend":"nccl","rank":3,"world_size":8},/' torch >before
sed 's/"traceName":/"distributedInfo":{"backend":"nccl","rank":3,"world_size":8},&/' torch >behind
for file in before behind; do
    is "$(pith print $file | grep '^# [lp]' | cut -f2-4)" "$(printf '%b\n' 'key=distributedInfo\tvalue={"backend":"nccl","rank":3,"world_size":8}' 'rank=3\tthread=0\tname=' \
        'rank=3\tthread=1\tname=' 'rank=3\tthread=2\tname=')" "$file: it is rank 3"
    is "$(records $file | cut -f3-5)" "$(records torch | awk -F'\t' -v OFS='\t' '{ $3 = $2 == 0 ? 0 : $2 == 2 ? 1 : 2; print $3, $4, $5 }')" "$file: and has the same records"
done
sed 's/"rank":3/"rank":1/' before >other_rank && pith merge -o job.pith before other_rank 2>/dev/null
is "$(pith info job.pith | grep -E '^(ranks|lanes)')" "ranks: 2
lanes: 6" "the profiles of two ranks as a log"

# ---- Flows
events >flows <<'J'
{"ph":"s","ts":1,"pid":0,"tid":0,"id":1,"name":"m","cat":"x"},{"ph":"t","ts":2,"pid":1,"tid":0,"id":1,"name":"m","cat":"x"},
{"ph":"f","ts":3,"pid":2,"tid":0,"id":1,"name":"m","cat":"x","bp":"e","args":{"tag":3,"bytes":10}},
{"ph":"f","ts":4,"pid":1,"tid":0,"id":"0x2","name":"m"},{"ph":"s","ts":5,"pid":0,"tid":0,"id":"0x2","name":"m"},
{"ph":"s","ts":6,"pid":0,"tid":0,"id":3,"name":"m"},{"ph":"f","ts":7,"pid":0,"tid":0,"id":3,"name":"m"},
{"ph":"s","ts":6,"pid":0,"tid":0,"id":4,"name":"m"},{"ph":"f","ts":8,"pid":0,"tid":1,"id":4,"name":"other"},
{"ph":"s","ts":9,"pid":0,"tid":0,"id":1,"name":"m","cat":"x"},{"ph":"f","ts":9,"pid":0,"tid":1,"id":1,"name":"m","cat":"x"},
{"ph":"s","ts":10,"pid":0,"tid":0,"id":5,"name":"m"},{"ph":"s","ts":11,"pid":0,"tid":0,"id":6,"name":"m"},
{"ph":"f","ts":12,"pid":1,"tid":0,"id":6,"name":"m"},{"ph":"f","ts":13,"pid":1,"tid":0,"id":5,"name":"m"}
J
is "$(records flows | cut -f1,2,3,4,7- | sed 's/^0.0000//')" "$(printf '%b\n' '00000\t0\t0\tsend\tpeer=1\ttag=0\tbytes=0' '01000\t1\t0\trecv\tpeer=0\ttag=0\tbytes=0\tposted=0' \
    '01000\t1\t0\tsend\tpeer=2\ttag=3\tbytes=10' '02000\t2\t0\trecv\tpeer=1\ttag=3\tbytes=10\tposted=0' '03000\t1\t0\trecv\tpeer=0\ttag=0\tbytes=0\tposted=1' \
    '04000\t0\t0\tsend\tpeer=1\ttag=0\tbytes=0' '08000\t0\t0\tsend\tpeer=0\ttag=0\tbytes=0' '08000\t0\t1\trecv\tpeer=0\ttag=0\tbytes=0\tposted=0' \
    '09000\t0\t0\tsend\tpeer=1\ttag=0\tbytes=0' '10000\t0\t0\tsend\tpeer=1\ttag=0\tbytes=0' '11000\t1\t0\trecv\tpeer=0\ttag=0\tbytes=0\tposted=3' '12000\t1\t0\trecv\tpeer=0\ttag=0\tbytes=0\tposted=2')" \
    "flows are messages, also backward in time, through a third, with an id used again; receives in the order of sending"
is "$(said flows)" "flows_inside_a_lane=1 flows_without_partner=2 " "what is none is counted"

events >bound <<'J'
{"ph":"X","ts":1,"dur":1,"pid":0,"tid":0,"name":"post","bind_id":"0xa","flow_out":true},{"ph":"X","ts":3,"dur":1,"pid":1,"tid":0,"name":"pass","bind_id":"0xa","flow_in":true,"flow_out":true},
{"ph":"B","ts":5,"pid":2,"tid":0,"name":"run","bind_id":"0xa","flow_in":true},{"ph":"E","ts":6,"pid":2,"tid":0}
J
is "$(records bound | cut -f1-4,7 | grep -E 'send|recv')" "$(printf '%b\n' '0.000000000\t0\t0\tsend\tpeer=1' '0.000002000\t1\t0\trecv\tpeer=0' \
    '0.000002000\t1\t0\tsend\tpeer=2' '0.000004000\t2\t0\trecv\tpeer=1')" "states that are bound to a flow"

# ---- What is passed over; what is wrong
events >other <<'J'
{"ph":"X","pid":0,"name":"no time"},
{"ph":"i","ts":1e99,"pid":0,"tid":0,"name":"x"},{"pid":0},{"ph":"i","ts":5,"pid":0,"tid":0,"name":"bad \xZ \ud800 \u0000 \ud"}
J
printf '%s' "$(cat other)" | sed "s/bad /bad \xff\xc0\xafok /" >bytes
is "$(records bytes | cut -f5):$(said bytes)" "bad ��ok \\\\xZ � � \\\\ud:events_left_out=3 " "events without a time are counted; text is made UTF-8"
# wrong TEXT SAID
wrong() { printf '[{"ph":"i","ts":1,"pid":0,"tid":0,"name":"x"},\n%s' "$1" >wrong; is "$(pith print wrong 2>&1 >/dev/null)" "pith: wrong: byte $2" "wrong: ${1:0:20}"; }
wrong '{"ph":"i" "ts":2}]' '57: a comma or the end is wanted here'
wrong '{"ph":"i","ts" 2}]' '62: a colon is wanted here'
wrong '{"ph":tru}]' '53: no value of JSON begins so'
wrong '{"ph"; 1}]' '52: a colon is wanted here'
wrong '{7:1}]' '48: a key in quotes is wanted here'
wrong "{\"args\":$(printf '[%.0s' {1..300})" '255: nested too deep'

# ---- Large, in no order, in bounded memory; a compiler's
python3 - >shuffled <<'P'
import random
random.seed(1)
lines = ['{"ph":"X","name":"s%d","pid":%d,"tid":0,"ts":%d.5,"dur":%d}' % (i % 7, i % 4, 10 * i, 5 + i % 3) for i in range(400000)]
random.shuffle(lines)
print("[" + ",\n".join(lines) + "]")
P
is "$(records shuffled | awk -F'\t' '{ if ($1 < t) bad++; t = $1; n[$4]++ } END { print n["enter"], n["leave"], bad + 0 }')" "400000 400000 0" "400000 states in no order, more than is sorted in memory"
if command -v clang >/dev/null; then
    echo 'int main(void) { return 0; }' >unit.c && clang -c -ftime-trace -ftime-trace-granularity=0 unit.c
    is "$(pith info unit.json | sed -n 's/^format: //p'):$(pith print unit.json --state ExecuteCompiler | grep -c '	enter	'):$(pith check unit.json >/dev/null; echo $?)" "chrome:1:0" "what clang -ftime-trace writes"
    is "$(pith info unit.json | sed -n 's/^states: //p')" "$(grep -o '"ph":"X"' unit.json | wc -l)" "all of it"
else
    skip "what clang -ftime-trace writes" "no clang"
fi
finish
