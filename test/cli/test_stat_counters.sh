#!/usr/bin/env bash
# Sums of the counters of threads by state: the example of formats/analysis/thread_counters.h, and its corner cases.
. "$(dirname "$0")/../lib.sh"

# Rank 0: the example. Rank 1: another thread takes over the lane, a state is left out of order, one stays open.
cat >counted.txt <<'END'
# lane	rank=0	thread=0	name=	host=alpha
# lane	rank=1	thread=0	name=	host=alpha
# counter	name=thread:task-clock	colour=	group=system	unit=ns
# counter	name=thread:page-faults	colour=	group=system	unit=
# counter	name=pith:own	colour=	group=user	unit=ns
# state	name=solve	colour=red	group=user
# state	name=MPI_Send	colour=blue	group=MPI point-to-point
0.000001000	0	0	counter	thread:task-clock	value=0
0.000001000	0	0	counter	thread:page-faults	value=0
0.000002000	0	0	enter	solve
0.000003000	0	0	counter	thread:task-clock	value=5
0.000003000	0	0	counter	pith:own	value=900
0.000004000	0	0	enter	MPI_Send
0.000005000	0	0	counter	thread:task-clock	value=7
0.000005000	0	0	counter	thread:page-faults	value=3
0.000006000	0	0	leave	MPI_Send
0.000007000	0	0	counter	thread:task-clock	value=9
0.000008000	0	0	leave	solve
0.000009000	0	0	counter	thread:task-clock	value=13
0.000001000	1	0	counter	thread:task-clock	value=100
0.000002000	1	0	enter	solve
0.000003000	1	0	counter	thread:task-clock	value=140
0.000004000	1	0	counter	thread:task-clock	value=0
0.000005000	1	0	counter	thread:task-clock	value=20
0.000006000	1	0	enter	MPI_Send
0.000007000	1	0	leave	solve
0.000008000	1	0	counter	thread:task-clock	value=21
END
# sums ARGS: name, cpu_s, page-faults of the states and of computing.
sums() { pith stat counted.txt --csv "$@" | awk -F, 'NR == 1 || $2 == "state" || $2 == "computing" { print $1, $7, $8 }' | sort; }
is "$(sums --lanes 0)" "MPI_Send 0.000000002 3
computing 0.000000004 0
name cpu_s page-faults
solve 0.000000007 0" "the example"
is "$(sums --lanes 1)" "MPI_Send 0.000000001 0
computing 0.000000000 0
name cpu_s page-faults
solve 0.000000060 0" "a thread that takes over a lane; a state that is left out of order"
is "$(sums)" "MPI_Send 0.000000003 3
computing 0.000000004 0
name cpu_s page-faults
solve 0.000000067 0" "both"
is "$(sums --lanes 0 --from 3.5us --to 7.5us)" "MPI_Send 0.000000000 0
computing 0.000000000 0
name cpu_s page-faults
solve 0.000000002 0" "a window: the first value in it is the base"
pith stat counted.txt | head -n 1 >head.txt
like "$(cat head.txt)" '^name +count +total +self +cpu +page-faults +mean ' "columns for people"
grep -v thread: counted.txt >plain.txt
is "$(pith stat plain.txt --csv | head -n 1)" "name,kind,group,count,total_s,self_s,mean_s,min_s,p50_s,p95_s,p99_s,max_s" "a log without such counters has no such columns"
is "$(pith stat counted.txt --csv --where 'duration > 1us' | head -n 1)" "$(pith stat plain.txt --csv | head -n 1)" "nor has a selection of states"
pith convert counted.txt counted.pith
is "$(pith stat counted.pith --csv)" "$(pith stat counted.txt --csv)" "the same from the native log"
# Instructions per cycle: with both counters, as PITH_COUNTERS=instructions,cycles records them.
cat >ipc.txt <<'END'
# counter	name=thread:instructions	colour=	group=system	unit=
# counter	name=thread:cycles	colour=	group=system	unit=
# state	name=solve	colour=red	group=user
# state	name=MPI_Send	colour=blue	group=MPI point-to-point
0.000001000	0	0	counter	thread:instructions	value=0
0.000001000	0	0	counter	thread:cycles	value=0
0.000002000	0	0	enter	solve
0.000004000	0	0	counter	thread:instructions	value=3000
0.000004000	0	0	counter	thread:cycles	value=2000
0.000004000	0	0	enter	MPI_Send
0.000005000	0	0	counter	thread:instructions	value=3100
0.000005000	0	0	counter	thread:cycles	value=2400
0.000005000	0	0	leave	MPI_Send
0.000007000	0	0	counter	thread:instructions	value=4100
0.000007000	0	0	counter	thread:cycles	value=4400
0.000007000	0	0	leave	solve
END
is "$(pith stat ipc.txt --csv | cut -d, -f 1,7-9)" "name,instructions,cycles,ipc
solve,4000,4000,1
MPI_Send,100,400,0.25
computing,0,0,
thread:instructions,,,
thread:cycles,,," "instructions per cycle"
like "$(pith stat ipc.txt)" '^MPI_Send .* 100 +400 +0[.]250 ' "for people"
like "$(pith stat ipc.txt --json)" '"cycles":400,"ipc":0.25,' "as JSON"
grep -v thread:cycles ipc.txt >no_cycles.txt
is "$(pith stat no_cycles.txt --csv | head -n 1 | grep -c ipc)" 0 "not without cycles"
finish
