#!/usr/bin/env bash
# The sample that records by hand: its log holds what the program says it did.
. "$(dirname "$0")/../lib.sh"

PITH_LOG=threads.pith "$build/samples/threads" 40 >out 2>err
is "$?" 0 "threads runs" || cat err
is "$(cat out)" "threads: 40 jobs, 40 results over 1" "threads: output"
is "$(grep -c 'WARNING: ThreadSanitizer' err)" 0 "no data race" || head -n 40 err
pith check threads.pith >check.out 2>&1
ok $? "the log is good" || cat check.out
pith print threads.pith >lines
count() { grep -cP "^[0-9.]+\t\d+\t\d+\t$1" lines; }
is "$(count 'enter\tproduce')" 40 "a state a job produced"
is "$(count 'enter\tcompute') $(count 'leave\tcompute') $(count 'leave\tsum')" "40 40 40" "computed, and summed"
is "$(count 'event\tjob done')" 40 "an event a job"
is "$(grep -oP 'job done\t.*job=\K\d+' lines | sort -n | tr '\n' ' ')" "$(seq -s ' ' 0 39) " "with the job's number as payload"
is "$(count 'counter\tqueue length')" 80 "the queue's length at each put and take"
is "$(pith info threads.pith | sed -n 's/^lanes: //p')" 4 "a lane a thread"
is "$(grep -cE '^#.*(producer|consumer [0-2])' lines)" 4 "with their names"
is "$(ls -d ./*.spill 2>/dev/null)" "" "no spill folder stays"
finish
