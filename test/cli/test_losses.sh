#!/usr/bin/env bash
# pith convert loses nothing in silence: one log that has everything is written in each format and read back; what is
# different is what the notes say, and as many as they say (losses.py).
. "$(dirname "$0")/../lib.sh"

tr '|' '\t' >all.txt <<'T'
# property|key=program|value=solver
# property|key=start_unix_s|value=1700000000.5
# property|key=what for|value=a test\twith a tab
# lane|rank=0|thread=0|name=main|host=alpha
# lane|rank=0|thread=1|name=helper\tnumber one, with a name that is far longer than all that ALOG has room for on a line|host=alpha
# lane|rank=1|thread=0|name=|host=beta
# lane|rank=3|thread=0|name=Größe|host=a-very-long-host.example.org
# state|name=work|colour=#ff8000|group=solver
# state|name=MPI_Send|colour=#00ffff|group=MPI point-to-point
# state|name=MPI_Recv|colour=|group=MPI point-to-point
# state|name=MPI_Allreduce|colour=yellow|group=MPI collective
# state|name=a\ttab and a\nline, ü, and a long end: 01234567890123456789012345678901234567890123456789|colour=sea green|group=user
# state|name=a "second" one|colour=|group=user
# state|name=nobody is in it|colour=red|group=user
# event|name=plain|colour=white|group=user|format=
# event|name=step|colour=red|group=steps|format=i=%d
# event|name=note|colour=|group=user|format=%s
# event|name=both|colour=blue|group=user|format=x=%d y=%E
# counter|name=heap|colour=|group=memory|unit=bytes
# counter|name=never|colour=|group=user|unit=
# comm|comm=0|name=MPI_COMM_WORLD|size=4|ranks=0,1,2,3
# comm|comm=1|name=halo|size=2|ranks=1,0
# comm|comm=2|name=a communicator\twith a long name|size=2|ranks=0,3
# comm|comm=3|name=unused|size=1|ranks=1
-0.000001500|0|0|enter|work
0.000001000|1|0|enter|work
0.000001200|3|0|enter|work
0.000002000|0|0|comm|halo|comm=1|op=create
0.000003000|1|0|comm|halo|comm=1|op=create
0.000004000|0|0|comm|a communicator\twith a long name|comm=2|op=create
0.000010000|0|0|enter|MPI_Send
0.000011000|0|0|send|MPI_COMM_WORLD|comm=0|peer=1|tag=5|bytes=100
0.000012000|0|0|leave|MPI_Send
0.000013000|1|0|enter|MPI_Recv
0.000014000|1|0|recv|MPI_COMM_WORLD|comm=0|peer=0|tag=5|bytes=100|posted=0
0.000015000|1|0|leave|MPI_Recv
0.000020000|0|1|enter|work
0.000021000|0|1|enter|work
0.000022000|0|1|leave|work
0.000023000|0|1|leave|work
0.000024500|0|1|enter|a\ttab and a\nline, ü, and a long end: 01234567890123456789012345678901234567890123456789
0.000025500|0|1|enter|a "second" one
0.000030000|0|0|event|plain
0.000031000|0|0|event|step|payload=i=-7
0.000032000|1|0|event|note|payload=say "hello"
0.000032700|1|0|event|note|payload=one\ttwo, and more than ninety-nine bytes: 012345678901234567890123456789012345678901234567890123456789
0.000033000|3|0|event|both|payload=x=3 y=0.5
0.000040000|0|0|counter|heap|value=1.5
0.000041000|0|0|counter|heap|value=3
0.000050000|0|0|enter|MPI_Allreduce
0.000051000|0|0|coll|MPI_COMM_WORLD|comm=0|bytes=8|got_bytes=16
0.000052000|0|0|leave|MPI_Allreduce
0.000053000|1|0|enter|work|comm=1
0.000054000|1|0|leave|work|comm=1
0.000060000|1|0|send|halo|comm=1|peer=0|tag=2|bytes=7
0.000061000|0|0|recv|halo|comm=1|peer=1|tag=2|bytes=7|posted=0
0.000062000|0|0|send|MPI_COMM_WORLD|comm=0|peer=0|tag=6|bytes=1
0.000063000|0|0|recv|MPI_COMM_WORLD|comm=0|peer=0|tag=6|bytes=1|posted=1
0.000064000|0|0|send|MPI_COMM_WORLD|comm=0|peer=0|tag=7|bytes=1
0.000065000|0|0|recv|MPI_COMM_WORLD|comm=0|peer=0|tag=7|bytes=1|posted=2
0.000066000|0|1|send|MPI_COMM_WORLD|comm=0|peer=3|tag=8|bytes=3000000000
0.000067000|0|0|send|MPI_COMM_WORLD|comm=0|peer=3|tag=9|bytes=10
0.000068000|3|0|recv|MPI_COMM_WORLD|comm=0|peer=0|tag=9|bytes=10|posted=1
0.000069000|3|0|recv|MPI_COMM_WORLD|comm=0|peer=0|tag=8|bytes=3000000000|posted=0
0.000070000|3|0|recv|MPI_COMM_WORLD|comm=0|peer=-1|tag=0|bytes=0|posted=2
0.000071000|3|0|send|MPI_COMM_WORLD|comm=0|peer=1|tag=10|bytes=4
0.000072000|3|0|recv|MPI_COMM_WORLD|comm=0|peer=1|tag=11|bytes=4|posted=3
0.000073000|3|0|send|MPI_COMM_WORLD|comm=0|peer=7|tag=12|bytes=4
0.000080000|0|1|pause|
0.000081000|0|1|resume|
0.000082000|1|0|lost||count=3
0.000083000|0|1|leave|a\ttab and a\nline, ü, and a long end: 01234567890123456789012345678901234567890123456789
0.000084000|3|0|leave|MPI_Send
0.000090000|0|0|leave|work
0.000091000|0|0|comm|halo|comm=1|op=free
0.000092000|3|0|leave|work
T
pith convert all.txt all.pith && pith print all.pith >before
ok $? "a log that has everything"
is "$(pith info all.pith | grep -E '^(ranks|lanes|messages):' | tr '\n' ' ')" "ranks: 3 lanes: 4 messages: 7 " "as it should be"

for format in native text clog2 slog2 alog picl chrome paje paraver otf2; do
    if ! pith convert all.pith "all.$format" --format "$format" 2>notes.$format; then
        skip "$format" "$(head -n 1 notes.$format)"
        continue
    fi
    pith print "all.$format" >after && pith check "all.$format" >/dev/null
    ok $? "$format: read back, without a fault"
    is "$(python3 "$top/test/cli/losses.py" "$format" before after notes.$format 2>&1)" "" "$format: the notes are what is lost"
done
is "$(cat notes.native notes.text)" "" "native and text lose nothing"

# Times since 1970: CLOG-2 and SLOG-2 have doubles. Those of days are exact.
for begin in 1700000000 1000000; do
    awk -F'\t' -v OFS='\t' -v begin=$begin '/^[^#]/ { sub(/^-?0/, begin, $1) } { print }' all.txt >since.txt
    pith convert since.txt since.pith && pith print since.pith >before
    for format in clog2 slog2; do
        pith convert since.pith since.out --format $format 2>notes && pith print since.out >after
        is "$? $(python3 "$top/test/cli/losses.py" "$format" before after notes 2>&1)" "0 " "$format: times from $begin s on"
        is "$(grep -c 'seconds in doubles' notes)" "$((begin > 4503600))" "$format: what is said of them"
    done
done

# What is only written says it in the same words.
for format in perfetto ctf sqlite csv json; do
    pith convert all.pith "all.$format" --format "$format" 2>notes
    ok $? "$format: written"
    is "$(grep -vE '^pith: note: [1-9][0-9]* [a-z]' notes)$(sort notes | uniq -d)" "" "$format: each once, with its count"
    case $format in json | sqlite) kept=5 ;; ctf) kept=2 ;; *) kept=0 ;; esac # program; start_unix_s; of 5 with the two that the reader of text counts
    [ $kept = 5 ] || grep -qx "pith: note: $((5 - kept)) properties of the run are left out" notes
    ok $? "$format: properties"
    case $format in csv | json | ctf) continue ;; esac
    is "$(grep 'are closed there' notes | sort)" "pith: note: 1 states still open at the end are closed there
pith: note: 1 states that end where records are missing are closed there" "$format: open states"
done

# A window cuts states at both edges; messages that reach over an edge have no partner in it.
pith convert all.pith part.slog2 --from 0.000011500 --to 0.000062500 2>notes
is "$(grep -E 'open at|partner' notes)" "pith: note: 4 states open at the start of the window begin there
pith: note: 5 states still open at the end are closed there
pith: note: 2 sends and receives of which the partner is not in the log are left out" "what a window cuts"

# Payloads longer than a format has room for: a string is cut between characters.
{ printf '# event\tname=note\tcolour=red\tgroup=user\tformat=%%d %%s\n'
  for size in 400 2000 30000; do printf '0.%09d\t0\t0\tevent\tnote\tpayload=7 %s\n' $size "$(printf 'ä%.0s' $(seq $size))"; done; } >long.txt
while read -r format cut kept; do
    pith convert long.txt "long.$format" --format "$format" 2>notes
    is "$(sed -n 's/^pith: note: \([0-9]*\) payloads.* cut.*/\1/p' notes)" "$cut" "$format: long payloads"
    [ -z "$kept" ] || is "$(pith print "long.$format" | sed -n 's/.*payload=7 \(ä*\)$/\1/p' | awk '{ printf "%s ", length }')" "$kept " "$format: what is left of them"
done <<'T'
slog2 1 800 4000 32760
chrome 1
paje 1
perfetto 2
T

# Many lanes are merged in another way.
{ for ((i = 0; i < 300; i++)); do printf '# lane\trank=%d\tthread=0\tname=\thost=\n' $i; done
  printf '# state\tname=work\tcolour=red\tgroup=user\n'
  for ((i = 0; i < 300; i++)); do printf '0.000001000\t%d\t0\tenter\twork\n0.000002000\t%d\t0\tenter\twork\n0.000003000\t%d\t0\tleave\twork\n' $i $i $i; done; } >wide.txt
pith convert wide.txt wide.alog 2>notes
is "$(cat notes)" "pith: note: 300 states still open at the end are closed there" "open states of 300 lanes"

# A program that never leaves its states: if 4096 are open on a lane, 2048 of them end, so that each has one end.
{ printf '# lane\trank=0\tthread=0\tname=\thost=\n# state\tname=work\tcolour=red\tgroup=user\n'
  for ((i = 1; i <= 4200; i++)); do printf '0.%09d\t0\t0\tenter\twork\n' $i; done; } >deep.txt
for format in alog clog2 slog2 picl paraver chrome paje perfetto; do
    pith convert deep.txt "deep.$format" --format $format 2>notes
    case $format in alog | clog2 | slog2) cut= ;; *) cut="pith: note: 1984 ends of states that were not nested: the states inside are cut in two
" ;; esac
    is "$(grep -E 'open at|not nested' notes)" "${cut}pith: note: 2152 states still open at the end are closed there
pith: note: 2048 states end early: too many are open at once" "$format: 4200 open states"
done

# ALOG's -6 is the first event's time, and Pith's own files keep their times all the same.
printf '# lane\trank=0\tthread=0\tname=\thost=\n# state\tname=work\tcolour=red\tgroup=user\n5.000000000\t0\t0\tenter\twork\n6.000000000\t0\t0\tleave\twork\n' >late.txt
pith convert late.txt late.alog
is "$? $(grep -E '^-[67] ' late.alog | tr '\n' ' ')$(pith print late.alog | grep -v '^#' | cut -f1 | tr '\n' ' ')" \
    "0 -6 0 0 0 0 5000000 -7 0 0 0 0 6000000 5.000000000 6.000000000 " "the start in the header of an ALOG"
is "$(sed '1s/Pith/Other/' late.alog >other.alog; pith print other.alog | grep -v '^#' | cut -f1 | tr '\n' ' ')" "0.000000000 1.000000000 " \
    "others' files begin at their -6"
for format in picl chrome perfetto paje; do
    pith convert late.txt "late.$format" --format $format 2>/dev/null
    case $format in picl | chrome) is "$(pith print "late.$format" | grep -v '^#' | cut -f1 | tr '\n' ' ')" "5.000000000 6.000000000 " "$format: time 0 stays" ;; esac
done
finish
