#!/usr/bin/env bash
# pith print: every kind of record, the filters, the styles; nothing harmful gets through.
. "$(dirname "$0")/../lib.sh"
make_log=$build/test/cli/make_cli_log
"$make_log" small small.pith && "$make_log" names names.pith && "$make_log" empty empty.pith
ok $? "logs made"

t=$'\t'
is "$(pith print small.pith | grep -v '^#')" "0.000500000${t}0${t}0${t}comm${t}halo${t}comm=1${t}op=create
0.001000000${t}0${t}0${t}enter${t}solve
0.001000000${t}1${t}0${t}enter${t}solve
0.002000000${t}0${t}0${t}send${t}halo${t}comm=1${t}peer=1${t}tag=5${t}bytes=7
0.002000000${t}1${t}0${t}enter${t}work
0.002000001${t}0${t}1${t}enter${t}io
0.003000000${t}0${t}1${t}event${t}mark${t}payload=n=42 s=ok
0.003000000${t}1${t}0${t}recv${t}halo${t}comm=1${t}peer=0${t}tag=5${t}bytes=7${t}posted=0
0.004000000${t}0${t}0${t}send${t}MPI_COMM_WORLD${t}comm=0${t}peer=1${t}tag=-1${t}bytes=1000
0.004000000${t}0${t}1${t}counter${t}heap${t}value=1.5
0.004000000${t}1${t}0${t}leave${t}work
0.004500000${t}0${t}1${t}pause${t}
0.004600000${t}0${t}1${t}resume${t}
0.005000000${t}0${t}0${t}enter${t}solve
0.005000001${t}0${t}1${t}leave${t}io
0.006000000${t}0${t}0${t}leave${t}solve
0.006000000${t}1${t}0${t}recv${t}MPI_COMM_WORLD${t}comm=0${t}peer=0${t}tag=-1${t}bytes=1000${t}posted=1
0.007000000${t}0${t}0${t}coll${t}MPI_COMM_WORLD${t}comm=0${t}bytes=8${t}got_bytes=16${t}root=0
0.008000000${t}1${t}0${t}leave${t}solve
0.008500000${t}1${t}0${t}lost${t}${t}count=3
0.009000000${t}0${t}0${t}leave${t}solve
0.009000000${t}1${t}0${t}enter${t}io
0.009500000${t}0${t}0${t}comm${t}halo${t}comm=1${t}op=free
1.999999999${t}1${t}0${t}event${t}mark" "every record, in time order"

is "$(pith print small.pith | grep '^#' | grep -v property)" "# lane${t}rank=0${t}thread=0${t}name=main${t}host=alpha
# lane${t}rank=0${t}thread=1${t}name=writer${t}host=alpha
# lane${t}rank=1${t}thread=0${t}name=${t}host=beta
# state${t}name=solve${t}colour=red${t}group=user
# state${t}name=work${t}colour=#00ff00${t}group=user
# state${t}name=io${t}colour=${t}group=I/O
# event${t}name=mark${t}colour=blue${t}group=user${t}format=n=%d s=%s
# counter${t}name=heap${t}colour=${t}group=user${t}unit=bytes
# comm${t}comm=0${t}name=MPI_COMM_WORLD${t}size=2${t}ranks=0,1
# comm${t}comm=1${t}name=halo${t}size=2${t}ranks=0,1
# time_s${t}rank${t}thread${t}kind${t}name${t}key=value..." "lanes, definitions, communicators"
like "$(pith print small.pith)" "^# property${t}key=program${t}value=small\$" "properties"

# ---- filters
count() { pith print "$@" | grep -vc '^#'; }
is "$(count --lane 1 small.pith)" 9 "--lane 1: one rank"
is "$(count --lane 0.1 small.pith)" 6 "--lane 0.1: one thread"
is "$(count --lane 0 small.pith)" 15 "--lane 0: all threads of a rank"
is "$(count --lane 0.1,1 small.pith)" 15 "--lane 0.1,1: a list"
is "$(count --lane 0.1 --lane 1 small.pith)" 15 "--lane twice: both"
is "$(count --lane 0-1 small.pith)" 24 "--lane 0-1: a range"
is "$(pith print small.pith --from 0.009 --to 9.5ms | grep -v '^#' | cut -f1,4)" "0.009000000${t}leave
0.009000000${t}enter
0.009500000${t}comm" "--from and --to include both ends; options after the log"
is "$(count --from 8500001ns small.pith)" 4 "--from with a unit"
is "$(count --to 500us small.pith)" 1 "--to with a unit"
is "$(count --to 0.0004 small.pith)" 0 "an empty window is no error"
is "$(pith print --state 's*' small.pith | grep -v '^#' | cut -f5 | sort -u)" solve "--state: only names that match"
is "$(pith print --state '[wm]*k' small.pith | grep -v '^#' | cut -f4 | sort | uniq -c | tr -s ' \n' ' ')" " 1 enter 2 event 1 leave " "--state takes sets, and events too"
is "$(count --state nothing small.pith)" 0 "--state without a match: no record"

# ---- other styles
is "$(pith print --csv small.pith | sed -n '1p;2p;5p;8p;9p;11p;19p;21p')" "time_s,rank,thread,kind,name,comm,peer,tag,bytes,got_bytes,posted,root,op,count,value,payload
0.000500000,0,0,comm,halo,1,,,,,,,create,,,
0.002000000,0,0,send,halo,1,1,5,7,,,,,,,
0.003000000,0,1,event,mark,,,,,,,,,,,n=42 s=ok
0.003000000,1,0,recv,halo,1,0,5,7,,0,,,,,
0.004000000,0,1,counter,heap,,,,,,,,,,1.5,
0.007000000,0,0,coll,MPI_COMM_WORLD,0,,,8,16,,0,,,,
0.008500000,1,0,lost,,,,,,,,,,3,," "--csv: a column a value"
is "$(pith print --json small.pith | grep -e '"send"' -e '"mark"' -e '"heap"' -e 'halo' | head -n 7)" '{"define":"event","name":"mark","colour":"blue","group":"user","format":"n=%d s=%s"}
{"define":"counter","name":"heap","colour":"","group":"user","unit":"bytes"}
{"define":"comm","comm":1,"name":"halo","size":2,"ranks":[0,1]}
{"time_s":0.000500000,"rank":0,"thread":0,"kind":"comm","name":"halo","comm":1,"op":"create"}
{"time_s":0.002000000,"rank":0,"thread":0,"kind":"send","name":"halo","comm":1,"peer":1,"tag":5,"bytes":7}
{"time_s":0.003000000,"rank":0,"thread":1,"kind":"event","name":"mark","payload":"n=42 s=ok"}
{"time_s":0.003000000,"rank":1,"thread":0,"kind":"recv","name":"halo","comm":1,"peer":0,"tag":5,"bytes":7,"posted":0}' "--json: an object a line"
is "$(count empty.pith)" 0 "an empty log prints no record"
is "$(pith print --csv empty.pith | wc -l)" 1 "an empty log as csv is the head line"

# ---- names that could do harm
is "$(pith print names.pith | grep -P '\tenter\t' | cut -f5)" 'tab\there
quote"d, comma
escape\x1b[31mred
back\\slash
line\nbreak
café
c1\xc2\x9b1m
broken\xffutf8
 blanks ' "names are escaped"
is "$(pith print names.pith | grep -P '\tevent\t' | cut -f4-)" "event${t}text${t}payload=a\\x1b\\tb\"c" "payloads are escaped once"
is "$(pith print names.pith | grep -P '\tcounter\t' | cut -f6)" "value=0.1
value=-1e+300
value=0.3333333333333333
value=-0
value=3000000000
value=inf" "numbers read back as the same number"
for style in '' --csv --json; do
    is "$(pith print $style names.pith | LC_ALL=C tr -d '\t\n -~' | sed 's/\xc3\xa9//g' | tr -d '\357\277\275' | wc -c)" 0 "no control character passes${style:+ with }$style"
done
pith print --csv names.pith >names.csv
pith print --json names.pith >names.json
is "$(python3 - <<'P'
import csv, json
rows = list(csv.DictReader(open("names.csv", newline="")))
objects = [json.loads(line) for line in open("names.json")]
records = [o for o in objects if "define" not in o]
print(len(rows), len(records), set(map(len, rows)) == {16}, all(None not in r.values() for r in rows))
print([r["name"] for r in rows if r["kind"] == "leave"][1])
print([o["name"] for o in records if o["kind"] == "leave"])
print([o["payload"] for o in records if o["kind"] == "event"], [o["value"] for o in records if o["kind"] == "counter"])
P
)" "25 25 True True
quote\"d, comma
['tab\\there', 'quote\"d, comma', 'escape\\x1b[31mred', 'back\\\\slash', 'line\\nbreak', 'café', 'c1\\x9b1m', 'broken"$'\357\277\275'"utf8', ' blanks ']
['a\\\\x1b\\\\tb\"c'] [0.1, -1e+300, 0.3333333333333333, 0, 3000000000, None]" "csv and json read back in Python"

# ---- the reader goes away
"$make_log" big 200000 big.pith
is "$(pith print big.pith 2>err | head -n 1 | cut -c1-10; cat err)" "# lane	ran" "| head: no message"
is "$(python3 - <<'P' 2>&1
import subprocess, signal
# Python's children inherit an ignored SIGPIPE unless told otherwise; then writing fails with EPIPE.
p = subprocess.Popen(["pith", "print", "big.pith"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, restore_signals=False)
p.stdout.readline(); p.stdout.close()
print(p.stderr.read().decode(), end="")
P
)" "" "the same where SIGPIPE is ignored"
is "$(pith print big.pith | grep -vc '^#')" 208334 "nothing is missing from a log of many blocks"
is "$(pith print big.pith | grep -v '^#' | cut -f1 | sort -c -n 2>&1)" "" "and it is in time order"
# Each communicator costs the same, however many its rank has described: 32,000 took 23 s, of quadratic time.
python3 - >comms.txt <<'P'
for i in range(1, 32000): print(f"# comm\tcomm={i}\tname=c{i}\tsize=3\tranks=0,{i},{i + 1}")
for i in range(32000): print(f"0.{i:09d}\t0\t0\tcoll\tc{i}\tcomm={i}\tbytes=8\tgot_bytes=8\troot=-1")
P
pith convert comms.txt comms.pith
timeout 60 pith print comms.pith >comms.out
is "$? $(grep -c '^# comm.*size=3' comms.out)" "0 31999" "32,000 communicators with their members, in linear time"
timeout 60 pith convert comms.pith again.pith && pith print again.pith | cmp -s - comms.out
ok $? "and copied"
pith print big.pith 2>err >/dev/full
is "$? $(cat err)" "1 pith: standard output: No space left on device" "a full disk is said"
# ---- For spreadsheets: no name becomes a formula; numbers stay numbers.
printf '%b\n' '1\t0\t0\tenter\t=1+1' '2\t0\t0\tleave\t=1+1' '3\t0\t0\tcounter\t@x, y\tvalue=-5' '4\t0\t0\tcounter\t-7\tvalue=1' '5\t0\t0\tcounter\t+a\tvalue=1' >formulas.txt
is "$(pith print formulas.txt --spreadsheet | tail -n +2 | cut -d, -f5-6 | tr '\n' ' ')" "'=1+1, '=1+1, \"'@x, y\" -7, '+a, " "--spreadsheet: names that look like formulas"
is "$(pith print formulas.txt --spreadsheet | sed "s/'\([=@+]\)/\1/")" "$(pith print formulas.txt --csv)" "else as --csv"
is "$(pith stat formulas.txt --spreadsheet | cut -d, -f1 | sort | tr '\n' ' ')" "\"'@x '+a '=1+1 -7 computing name " "pith stat has it, too"
fails() { "$@" 2>&1 >/dev/null; }
like "$(fails pith print formulas.txt --spreadsheet --json)" '--csv and --json cannot be used together' "not with --json"
finish
