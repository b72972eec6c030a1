#!/usr/bin/env bash
# pith merge: pieces of one run give the whole again; several programs stay apart; clocks; and what is wrong is said.
. "$(dirname "$0")/../lib.sh"
make_log=$build/test/cli/make_cli_log
make="python3 $top/test/cli/cut_check.py make"
$make 1 >a.txt && $make 2 >b.txt && "$make_log" small small.pith && "$make_log" empty empty.pith
for log in a b; do sed -i "1s/made/.bin.$log/" $log.txt; sed -i '1s:\.bin\.:/bin/:' $log.txt; pith convert $log.txt $log.pith; done
ok $? "logs made"
records() { pith print "$1" | grep -v '^#'; }
defs() { pith print "$1" | grep '^#' | grep -v -e '# property' | sort; }

# ---- one run
for rank in 0 1 2 3; do pith cut a.pith -o a$rank.pith --lane $rank; done
pith merge -o m.pith a2.pith a0.pith a3.pith a1.pith 2>err
is "$? $(cat err)" "0 pith: note: a2.pith does not state when it began: all logs start at the same time" "logs of the ranks of a run, without clocks"
pith merge -o m.pith --align none a2.pith a0.pith a3.pith a1.pith 2>err
is "$? $(cat err)" "0 " "told not to move them"
is "$(records m.pith)" "$(records a.pith)" "the same records again"
is "$(defs m.pith)" "$(defs a.pith)" "the same definitions, lanes, communicators"
is "$(pith info m.pith | grep program)" "program: /bin/a" "the same properties"
is "$(pith stat --by comm --csv m.pith)" "$(pith stat --by comm --csv a.pith)" "the same messages"
pith check m.pith >/dev/null
ok $? "a good log"
pith merge -o 0 --format text --align none a0.pith a1.pith a2.pith a3.pith && cmp -s <(grep -vx '# the last line is "# end"\|# end' 0) <(pith print m.pith)
ok $? "whatever their order, and in any format"
# Windows of a run: every lane goes on where it was cut.
pith cut a.pith -o e.pith --to 500us && pith cut a.pith -o l.pith --from 500us
pith merge -o m.pith --ranks keep --align none l.pith e.pith
is "$(pith info m.pith | grep -E '^(ranks|lanes):')" "$(pith info a.pith | grep -E '^(ranks|lanes):')" "windows of a run: no new lanes"
is "$(pith stat --csv m.pith | cut -d, -f1,5,6)" "$(pith stat --csv a.pith | cut -d, -f1,5,6)" "and the same times in all states"
# The same ranks at the same time: threads come behind.
pith merge -o m.pith --ranks keep --align none a.pith b.pith
is "$(pith info m.pith | grep -E '^(ranks|lanes|threads):' | tr '\n' ' ')" "ranks: 4 lanes: 16 threads: 4 " "ranks at the same time: the second log's threads follow"
is "$(records m.pith | awk -F'\t' '$3 > 1' | awk -F'\t' -v OFS='\t' '{ $3 -= 2 } 1' | sort)" "$(records b.pith | sort)" "with its records"

# ---- several programs
pith merge -o m.pith --align none --ranks follow a.pith b.pith a.pith
is "$(pith print m.pith | grep '# lane' | cut -f2-4 | uniq -f2 | tr '\n\t' '  ')" "rank=0 thread=0 name=a rank=4 thread=0 name=b rank=8 thread=0 name=a:2 " "ranks follow, rows are named after the programs"
is "$(pith print m.pith | grep '# comm' | cut -f3-)" "name=MPI_COMM_WORLD	size=12	ranks=0,1,2,3,4,5,6,7,8,9,10,11
name=a MPI_COMM_WORLD	size=4	ranks=0,1,2,3
name=b MPI_COMM_WORLD	size=4	ranks=4,5,6,7
name=a:2 MPI_COMM_WORLD	size=4	ranks=8,9,10,11" "each has a world of its own"
expect() { # LOG BASE COMM NAME
    records "$1" | awk -F'\t' -v OFS='\t' -v base="$2" -v comm="$3" -v name="$4" '{ $2 += base } /comm=0/ { sub(/comm=0/, "comm=" comm); $5 = name " " $5;
        for (i = 6; i <= NF; i++) if ($i ~ /^peer=/ && $i != "peer=-1") $i = "peer=" substr($i, 6) + base } 1'
}
is "$(records m.pith | sort)" "$({ expect a.pith 0 1 a; expect b.pith 4 2 b; expect a.pith 8 3 a:2; } | sort)" "every record, with its ranks and communicator"
is "$(pith stat --by comm --csv m.pith | tail -n +2 | awk -F, -v OFS=, '$1 >= 4 && $1 < 8 { $1 -= 4; $2 -= 4; print }')" "$(pith stat --by comm --csv b.pith | tail -n +2)" "messages stay with their program"
is "$(pith info m.pith | grep program)" "program: /bin/a, /bin/b" "the names of both programs"
pith check m.pith >/dev/null
ok $? "a good log"
pith merge -o m.clog2 --align none a.pith b.pith 2>/dev/null
is "$? $(pith info m.clog2 | grep -E '^(format|ranks):' | tr '\n' ' ')" "0 format: clog2 ranks: 8 " "as CLOG-2"
pith merge -o m2.pith --align none m.clog2 small.pith && pith info m2.pith | grep -x 'ranks: 10' >/dev/null
ok $? "of CLOG-2"
cp empty.pith empty2.pith
pith merge -o m.pith --align none empty.pith small.pith empty2.pith
is "$? $(records m.pith)" "0 $(records small.pith)" "logs without ranks and records change nothing"

# An event that two programs write differently is two.
event() { printf '# event\tname=x\tcolour=\tgroup=user\tformat=%s\n# time_s\n0.000000001\t%s\t0\tevent\tx\tpayload=%s\n' "$1" "$3" "$2" >$4; }
event 'i=%d' i=5 0 x.txt; event 's=%s' s=ok 1 y.txt
pith merge -o m.txt --align none x.txt y.txt && is "$(grep -v '^#' m.txt | cut -f2-)" "0	0	event	x	payload=i=5
1	0	event	x (2)	payload=s=ok" "an event with another payload is another event"

# ---- times
at() { { printf '# property\tkey=start_unix_s\tvalue=%s\n' "$1"; cat "$2"; } >"$3"; }
at 1000.5 a.txt c.txt; at 1000.250000001 b.txt d.txt
first() { pith print "$1" --lane "$2" | awk -F'\t' '!/^#/ { print $1; exit }'; }
plus() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.9f\n", a + b }'; }
pith merge -o m.pith c.txt d.txt
is "$(first m.pith 0-3) $(first m.pith 4-7)" "$(plus "$(first a.pith 0-3)" 0.249999999) $(first b.pith 0-3)" "by the clock"
is "$(pith info m.pith | grep start_unix_s)" "start_unix_s: 1000.250000001" "it begins when the first of them did"
pith merge -o m.pith --align start c.txt d.txt
is "$(first m.pith 0-3) $(first m.pith 4-7) $(pith info m.pith | grep -c start_unix)" "$(first a.pith 0-3) $(first a.pith 0-3) 0" "by the first records"
pith merge -o m.pith --align none c.txt --shift -3ms d.txt
is "$(first m.pith 0-3) $(first m.pith 4-7)" "$(first a.pith 0-3) $(plus "$(first b.pith 0-3)" -0.003)" "not at all, and one moved"
pith merge -o m.pith c.txt --shift 1s d.txt
is "$(first m.pith 0-3) $(first m.pith 4-7)" "$(plus "$(first a.pith 0-3)" 0.249999999) $(plus "$(first b.pith 0-3)" 1)" "by the clock, and one moved"

# How far clocks may be apart is known of pieces of one log only.
with_error() { { printf '# property\tkey=clock_error_ns\tvalue=%s\n' "$1"; cat "$2"; } >"$3"; }
error() { pith merge -o m.pith "$@" && pith info m.pith | sed -n 's/^clock_error_ns: //p'; }
with_error 100 c.txt e.txt; with_error 100 d.txt f.txt; with_error 2300 c.txt g.txt; with_error unknown c.txt h.txt
is "$(error e.txt f.txt)" unknown "two runs, laid by the time of day: clocks agree as well as nobody knows"
is "$(error --align start e.txt f.txt)" unknown "by their first records"
is "$(error --align none e.txt f.txt)" unknown "as they are"
for rank in 0 1 2 3; do pith cut e.txt -o e$rank.pith --lane $rank; done
is "$(error e0.pith e1.pith e2.pith e3.pith)" 100 "pieces of one run: as before"
is "$(error e0.pith e1.pith --shift 1us e2.pith e3.pith)" unknown "one piece is moved"
is "$(error e.txt g.txt)" 2300 "pieces with several errors: the largest"
is "$(error e.txt h.txt)" unknown "a piece whose error is unknown"
is "$(error e.txt c.txt)" unknown "a piece that does not tell it"
is "$(error e.txt)" 100 "one log: as before"
is "$(error c.txt d.txt)" "" "nothing is made up where no log tells of clocks"

# ---- many
for ((i = 0; i < 1100; i++)); do printf '# state\tname=s\n0.%09d\t%d\t0\tenter\ts\n1\t%d\t0\tleave\ts\n' $i $i $i >r$i.txt; done
pith merge -o m.pith --align none r{0..1099}.txt
is "$? $(pith info m.pith | grep -E '^(ranks|records):' | tr '\n' ' ')" "0 ranks: 1100 records: 2200 " "1100 logs"

# ---- What one log cannot have of several is said.
for i in 1 2; do
    printf '# property\tkey=long\tvalue=%s\n# lane\trank=0\tthread=0\tname=\thost=host%d\n# state\tname=s\tcolour=%s\tgroup=user\n# counter\tname=c\tcolour=\tgroup=user\tunit=%s\n0.000001000\t0\t0\tenter\ts\n0.000002000\t0\t0\tcounter\tc\tvalue=%d\n' \
        "$(printf "%02500d" $i)" $i "$([ $i = 1 ] && echo red || echo blue)" "u$i" $i >differ$i.txt
done
pith merge differ1.txt differ2.txt -o differ.pith --ranks keep --align none 2>err
is "$? $(cat err)" "0 pith: note: 1 definitions differ in colour or group between logs: those of the first log are kept
pith: note: 1 ranks differ in host between logs: those of the last log are kept
pith: note: 1 values of properties left out: the property would be too long" "colours, hosts, long properties"
is "$(pith print differ.pith | grep -cE 'colour=red|host=host2|unit=u[12]')" 5 "the first one's colour, the last one's host, a counter for each unit"
pith merge differ1.txt differ1.txt -o differ.pith --ranks keep --align none 2>err
is "$? $(cat err)" "0 " "nothing to be said of equal ones"

# ---- failures
fails() { # STATUS MESSAGE WHAT COMMAND...
    local status=$1 message=$2 what=$3; shift 3
    "$@" 2>err >/dev/null
    is "$? $(cat err)" "$status $message" "$what"
}
fails 2 "pith: merge: -o OUT is missing; see \`pith help merge\`" "no OUT" pith merge a.pith
fails 2 "pith: merge: LOG is missing; see \`pith help merge\`" "no LOG" pith merge -o x.pith
fails 2 "pith: merge: --ranks needs keep or follow, not 'x'; see \`pith help merge\`" "what to do with ranks" pith merge -o x.pith --ranks x a.pith
fails 2 "pith: merge: --align needs clock, start or none, not 'x'; see \`pith help merge\`" "how to align" pith merge -o x.pith --align x a.pith
fails 2 "pith: merge: --shift has no log after it; see \`pith help merge\`" "a shift of nothing" pith merge -o x.pith a.pith --shift 3ms
fails 1 "pith: a.pith: does not state when it began (start_unix_s); use --align start or none" "no clock" pith merge -o x.pith --align clock c.txt a.pith
fails 1 "pith: none.pith: cannot be opened: No such file or directory" "a log that is not there" pith merge -o x.pith a.pith none.pith
"$make_log" big 200000 big.pith; dd if=/dev/zero of=big.pith bs=1 seek=100000 count=64 conv=notrunc 2>/dev/null
pith merge -o x.pith --align none b.pith big.pith 2>err
like "$? $(cat err)" "^1 pith: big.pith: byte .* is damaged" "a damaged log"
is "$(ls x.pith* 2>&1)" "ls: cannot access 'x.pith*': No such file or directory" "nothing is left behind"
finish
