#!/usr/bin/env bash
# --where in the commands: what is selected, errors with their column; pith print --columns and --format.
. "$(dirname "$0")/../lib.sh"
make_log=$build/test/cli/make_cli_log
"$make_log" small small.pith && "$make_log" names names.pith
ok $? "logs made"
t=$'\t'
lines() { pith print small.pith --where "$1" "${@:2}" | grep -v '^#' | cut -f1-5 | tr '\t' ' '; }

# ---- what is selected
is "$(lines 'state == solve and duration > 1ms')" "0.001000000 0 0 enter solve
0.001000000 1 0 enter solve
0.008000000 1 0 leave solve
0.009000000 0 0 leave solve" "a state is selected as a whole, the inner one of the same name is not"
is "$(lines 'state == io and end > 1.9')" "0.009000000 1 0 enter io" "a state without end lasts until the end of the log"
is "$(lines 'time < 1.5ms')" "0.000500000 0 0 comm halo
0.001000000 0 0 enter solve
0.001000000 1 0 enter solve
0.008000000 1 0 leave solve
0.009000000 0 0 leave solve" "time is the begin of a state; its end is selected with it"
is "$(lines 'time < 1.5ms' --to 8ms)" "0.000500000 0 0 comm halo
0.001000000 0 0 enter solve
0.001000000 1 0 enter solve
0.008000000 1 0 leave solve" "--to limits the lines"
is "$(lines 'tag != 5')" "0.004000000 0 0 send MPI_COMM_WORLD
0.006000000 1 0 recv MPI_COMM_WORLD" "a comparison of a missing field is false"
is "$(lines 'kind in (send, recv) and not tag == 5')" "$(lines 'tag != 5')" "not of a comparison"
is "$(lines 'not (tag == 5)' | wc -l) $(lines 'tag == 5' | wc -l)" "22 2" "not holds for what has no such field"
is "$(lines 'comm == "halo" and kind == "state"')" "0.001000000 0 0 enter solve
0.002000000 1 0 enter work
0.004000000 1 0 leave work
0.009000000 0 0 leave solve" "a state has the communicator of its first message"
is "$(lines 'payload ~ "n=4*"')" "0.003000000 0 1 event mark" "payload"
is "$(lines 'value > 1 and counter == heap or kind == lost')" "0.004000000 0 1 counter heap
0.008500000 1 0 lost " "counters; and binds tighter than or"
is "$(pith print names.pith --where 'kind == event' | grep -vc '^#')" "$(pith print names.pith | grep -cP '\tevent\t')" "events of a log with strange names"
is "$(lines 'rank == 1' --state 's*' --lane 0-1)" "0.001000000 1 0 enter solve
0.008000000 1 0 leave solve" "with --state and --lane: all must hold"
is "$(pith print small.pith --state '"\*' | grep -vc '^#')" 0 "a quote and a backslash in --state"

# ---- other commands
is "$(pith stat small.pith --where 'state == solve and duration > 1ms' --csv | cut -d, -f1,4-6)" "name,count,total_s,self_s
solve,2,0.015000000,0.012000000" "stat: the states inside count for the exclusive time, selected or not"
is "$(pith stat small.pith --by comm --where 'rank == 1 and tag == 5' --csv | cut -d, -f1-4)" "from,to,messages,bytes
0,1,1,7" "stat --by comm: either end"
is "$(pith stat small.pith --by lane --where 'rank == 1' --csv | cut -d, -f1,2,5)" "rank,thread,records
1,0,9" "stat --by lane: of the log that cut would write"
pith cut small.pith -o cut.pith --where 'rank == 0 and kind in send, state' && pith check cut.pith >/dev/null
is "$? $(pith info cut.pith | grep -E '^(ranks|records):' | tr -s ' ' | tr '\n' ' ')" "0 ranks: 1 records: 8 " "cut leaves out other ranks" || pith info cut.pith
is "$(pith print cut.pith --where 'kind == send' | grep -v '^#' | cut -f6-)" "comm=1${t}peer=1${t}tag=5${t}bytes=7
comm=0${t}peer=1${t}tag=-1${t}bytes=1000" "their ends of messages keep their peer"
pith cut small.pith -o half.pith --where 'kind == recv or state == solve'
is "$(pith print half.pith --where 'kind == recv' | grep -v '^#' | cut -f6-)" "comm=1${t}peer=-1${t}tag=5${t}bytes=7${t}posted=0
comm=0${t}peer=-1${t}tag=-1${t}bytes=1000${t}posted=1" "a receive without its send has no partner"
pith convert small.pith part.txt --where 'rank == 1 and state == work'
is "$(grep -v '^#' part.txt)" "0.002000000${t}1${t}0${t}enter${t}work
0.004000000${t}1${t}0${t}leave${t}work" "convert"
# What begins before the window is not in the order of time.
cat >open.txt <<END
0.003000000${t}1${t}0${t}enter${t}work
0.007000000${t}0${t}0${t}enter${t}work
0.020000000${t}0${t}0${t}leave${t}work
0.021000000${t}1${t}0${t}leave${t}work
END
is "$(pith cut open.txt --format text -o - --from 10ms --where 'time < 5ms' 2>&1 | grep -c work)" "$(pith cut open.txt --format text -o - --from 10ms --lane 1 2>&1 | grep -c work)" \
    "a state open at the start of the window, after one that does not match"
first=$(mpis | head -n 1)
mpiexec_of "$first" 2 pith run -o in_turn.pith "$build/samples/$first/slow/in_turn" >/dev/null 2>err || cat err
pith cut in_turn.pith -o mpi.pith --where 'state ~ "MPI_*" or kind != state'
is "$(pith analyze in_turn.pith --csv --where 'state ~ "MPI_*" or kind != state')" "$(pith analyze mpi.pith --csv | sed 's/ mpi\.pith / in_turn.pith /')" \
    "analyze: as of the log that cut writes"

# ---- errors
pith print small.pith --where 'rank == 1 && tag == 2' >out 2>err
is "$?$(cat out)
$(cat err)" "2
pith: query: column 11: '&' is no operator; use and, or, not
  rank == 1 && tag == 2
            ^" "an error shows its column"
for command in 'stat small.pith' 'cut small.pith -o no.pith' 'convert small.pith no.pith' 'analyze small.pith'; do
    pith $command --where 'name == "é" or nosuch > 1' 2>err
    is "$? $(sed -n '1p;3p' err | tr '\n' ' ')" "2 pith: query: column 16: there is no field 'nosuch'; see pith-query(7)                  ^ " "pith $command"
done
[ ! -e no.pith ]; ok $? "and nothing is written"
pith print small.pith --where 'rank == 1' --where 'tag == 1' 2>err
is "$? $(cat err)" "2 pith: print: --where is given twice; join the queries by \`and\`; see \`pith help print\`" "--where twice"
is "$(pith print small.pith --follow --where 'rank == 1')" "$(pith print small.pith --where 'rank == 1')" "with --follow of a log: the same"
pith stat small.pith --waits --where 'rank == 1' 2>err; is "$?" 2 "not with --waits"

# ---- columns
columns=time_ns,kind,name,duration_ns,comm_name,payload
is "$(pith print small.pith --columns $columns --where 'rank == 0 and kind in event, state' | tr '\t' '|')" "# pith columns 1
# time_ns|kind|name|duration_ns|comm_name|payload
1000000|enter|solve|||
2000001|enter|io|||
3000000|event|mark|||n=42 s=ok
5000000|enter|solve|||
5000001|leave|io|3000000||
6000000|leave|solve|1000000||
9000000|leave|solve|8000000||" "--columns"
is "$(pith print small.pith --columns $columns --format csv --where 'tag == 5')" "# pith columns 1
time_ns,kind,name,duration_ns,comm_name,payload
2000000,send,halo,,halo,
3000000,recv,halo,,halo," "--columns with --format csv"
is "$(pith print small.pith --columns value,kind,posted --json --where 'kind in counter, recv')" '{"pith_columns":1}
{"kind":"recv","posted":0}
{"value":1.5,"kind":"counter"}
{"kind":"recv","posted":1}' "--columns with --json: no key for what is missing"
all=time_s,time_ns,rank,thread,lane,host,kind,name,group,depth,start_ns,duration_ns,self_ns,comm,comm_name,peer,tag,bytes,got_bytes,posted,root,op,count,value,payload
pith print small.pith --columns $all --format csv >all.csv
is "$(sed 1d all.csv | cut -d, -f1,3,4,7,8,14,16-)" "$(pith print small.pith --csv)" "all columns: those of --csv are the same"
is "$(grep -c . all.csv) $(sed 1d all.csv | tr -dc ',\n' | sort -u | tr -d '\n' | wc -c)" "26 24" "a cell for each"
is "$(sed -n 's/^0.009000000,.*leave/leave/p' all.csv)" "leave,solve,user,0,1000000,8000000,7000000,,,,,,,,,,,," "depth, start, duration and self"
for style in text csv json; do
    pith print small.pith --format $style >versioned
    case $style in text) option= first='# pith print 1' ;; csv) option=--csv first='# pith print 1' ;; json) option=--json first='{"pith_print":1}' ;; esac
    is "$(head -n 1 versioned)
$(sed 1d versioned)" "$first
$(pith print small.pith $option)" "--format $style: the version, then the lines"
done
pith print small.pith --format text >small.txt
is "$(pith print small.txt)" "$(pith print small.pith)" "the lines with a version are a log, too"
pith print small.pith --columns time_s,when 2>err
is "$? $(cat err)" "2 pith: print: --columns: there is no column 'when'; see \`pith help print\`" "no such column"
pith print small.pith --format xml 2>err; is "$?" 2 "no such format"

# ---- Names that need escapes: as pith print writes them.
printf '%b\n' '1\t0\t0\tenter\ttwo\\nlines' '2\t0\t0\tleave\ttwo\\nlines' '3\t0\t0\tenter\ta\\t"q"\\x01\\\\n' '4\t0\t0\tleave\ta\\t"q"\\x01\\\\n' >escapes.txt
count() { pith print escapes.txt --where "$1" | grep -c '	enter	'; }
is "$(count 'name == "two\nlines"') $(count "name in ('two\\nlines', x)") $(count 'name ~ "two\n*"') $(count 'name == "two\\nlines"')" "1 1 1 0" "a newline in a name"
name=$(pith print escapes.txt | awk -F'\t' '$4 == "enter" && $1 ~ /^3/ { print $5 }')
is "$(count "name == '$name'") $(count "name == \"${name//\"/\\\"}\"")" "1 1" "a name copied from pith print: $name"
finish
