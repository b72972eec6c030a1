#!/usr/bin/env bash
# The findings of pith analyze, on small logs.
. "$(dirname "$0")/../lib.sh"

# log RANK:STATE:MS ...: each rank is in these states one after another; at 100 ms all leave a barrier that they wait in.
log() {
    local ranks
    ranks=$(printf '%s\n' "$@" | cut -d: -f1 | sort -u | wc -l)
    printf '# comm\tcomm=0\tname=MPI_COMM_WORLD\tsize=%d\tranks=%s\n' "$ranks" "$(seq -s, 0 $((ranks - 1)))" >log.txt
    printf '%s\n' "$@" | awk -F: '
        function line(ms, rank, text) { printf "%.9f\t%d\t0\t%s\n", ms / 1000, rank, text }
        { line(at[$1] + 0, $1, "enter\t" $2); at[$1] += $3; line(at[$1], $1, "leave\t" $2) }
        END { for (rank in at) {
            line(at[rank], rank, "enter\tMPI_Barrier")
            line(at[rank], rank, "coll\tMPI_COMM_WORLD\tcomm=0\troot=-1")
            line(100, rank, "leave\tMPI_Barrier") } }' | sort -s -g -k 1,1 >>log.txt
    pith convert log.txt log.pith
}
one_line() { pith analyze log.pith | tr -s ' \n' ' '; }
found() { pith analyze log.pith --csv | sed -n "s/^$1,//p" | cut -d, -f1; }

log 0:solve:60 1:solve:100
is "$(found 'load imbalance')" 0.040000000 "rank 1 solves 20 ms more than the mean of two ranks"
is "$(found 'wait at barrier')" 0.040000000 "and rank 0 waits for it"
log 0:ocean:100 1:radiation:60 1:flow:40
is "$(found 'load imbalance')" "" "ranks with different work, but the same amount, are balanced"
log 0:ocean:100 1:radiation:60 1:flow:30
is "$(found 'load imbalance' | sort -u)" 0.010000000 "or could give away what they have more in all"

# ---- The answer ------------------------------------------------------------------------------------------------------
# answer [LOG]: kind, rank, state, other, iterations, share and text, as JSON has them.
answer() {
    pith analyze "${1:-log.pith}" --json | python3 -c '
import json, sys
a = json.load(sys.stdin)["answer"]
print(*(a[key] for key in ("kind", "rank", "state", "other", "iterations")), "%.3f" % a["share"], a["text"], sep="|")'
}
log 0:refine:40 1:refine:100 2:refine:40 3:refine:40
is "$(answer)" "imbalance|1|refine|None|None|0.450|Rank 1 computes \`refine\` 2.5 times as long as the others: 45 % of the run is lost." \
    "one rank computes longer: 3 x 60 ms of 4 x 100 ms"
is "$(pith analyze log.pith | head -n 3 | paste -sd '|')" \
    "Rank 1 computes \`refine\` 2.5 times as long as the others: 45 % of the run is|lost.|  pith view log.pith --from 0.000000000s --to 0.100000000s --rows 1" \
    "which is what the page says first, and shows"
log 0:refine:50 1:refine:100 2:refine:50 3:refine:50 4:refine:100 5:refine:50
like "$(answer)" '^imbalance[|]1[|]refine[|]None[|]None[|]0[.]333[|]Ranks 1 and 4 compute `refine` twice as long as the others: 33 %' "two ranks"
log 0:solve:50 0:report:50 1:solve:50 2:solve:50
like "$(answer)" '^imbalance[|]0[|]report[|].*[|]Rank 0 alone computes `report`, and the others wait for it: 33 %' "a state of one rank"
log 0:solve:100 1:solve:98
is "$(answer)" "balanced|None|None|None|None|0.000|Nothing is badly wrong: ranks compute 99 % of the time." "a good run"
log 0:MPI_File_write:40 0:solve:60 1:solve:60 2:solve:60
is "$(answer)" "files|0|MPI_File_write|None|None|0.400|Rank 0 alone spends 40.00 ms in files (most in MPI_File_write), and 2 ranks wait: 40 % of the run is lost." "files"

# A name fills its 28 columns, and two ranks share the cause: rank 1 is late at a barrier, rank 2 at the next one.
awk 'function line(ms, rank, text) { printf "%.9f\t%d\t0\t%s\n", ms / 1000, rank, text }
    BEGIN {
        print "# comm\tcomm=0\tname=MPI_COMM_WORLD\tsize=3\tranks=0,1,2"
        for (step = 1; step <= 2; step++)
            for (rank = 0; rank < 3; rank++) {
                begin = 100 * (step - 1); reach = begin + (rank == step ? 99 : 9)
                line(begin, rank, "enter\tintegrate_the_momentum_equation"); line(reach, rank, "leave\tintegrate_the_momentum_equation")
                line(reach, rank, "enter\tMPI_Barrier"); line(reach, rank, "coll\tMPI_COMM_WORLD\tcomm=0\troot=-1")
                line(begin + 100, rank, "leave\tMPI_Barrier")
            }
    }' | sort -s -g -k 1,1 >log.txt && pith convert log.txt log.pith
is "$(pith analyze log.pith | grep -v 'pith view' | grep -E '.{81}')" "" "long causes are broken at 80 columns"
like "$(one_line)" ' caused by integrate_the_momentum_equat: 360[.]0 ms [(]100 %[)], most on rank 1 [(]50 %[)] ' "and nothing is left out"

# steps [STATE:]TIMES_OF_STEP ...: in each step, rank n computes for the n-th of these times in ms, then all meet in an Allreduce.
# STATE, "step" without it, is the state in which they compute.
steps() {
    awk -v steps="$*" 'BEGIN {
        count = split(steps, of, " "); ranks = split(of[1], ms, ",")
        for (i = 1; i <= count; i++) if (split(of[i], parts, ":") > 1) { state[i] = parts[1]; of[i] = parts[2] } else state[i] = "step"
        printf "# comm\tcomm=0\tname=MPI_COMM_WORLD\tsize=%d\tranks=0", ranks
        for (rank = 1; rank < ranks; rank++) printf ",%d", rank
        print ""
        for (i = 1; i <= count; i++) {
            split(of[i], ms, ","); end = 0
            for (rank = 0; rank < ranks; rank++) if (at + ms[rank + 1] > end) end = at + ms[rank + 1]
            for (rank = 0; rank < ranks; rank++) {
                head = "\t" rank "\t0\t"
                printf "%.9f%senter\t%s\n", at / 1000, head, state[i]
                printf "%.9f%sleave\t%s\n", (at + ms[rank + 1]) / 1000, head, state[i]
                printf "%.9f%senter\tMPI_Allreduce\n", (at + ms[rank + 1]) / 1000, head
                printf "%.9f%scoll\tMPI_COMM_WORLD\tcomm=0\troot=-1\n", (at + ms[rank + 1]) / 1000, head
                printf "%.9f%sleave\tMPI_Allreduce\n", end / 1000 + 1e-6, head
            }
            at = end + 1e-3
        } }' | sort -s -g -k 1,1 >log.txt
    pith convert log.txt log.pith
}
(echo '# comm	comm=0	name=MPI_COMM_WORLD	size=2	ranks=0,1'; printf '%s\t%s\t0\t%s\n' 0 0 'enter	read_config' 0.8 0 'leave	read_config' 0.8 0 'enter	MPI_Bcast' 0.8 0 'coll	MPI_COMM_WORLD	comm=0	root=0	bytes=8' 0.800001 0 'leave	MPI_Bcast' 0 1 'enter	MPI_Bcast' 0 1 'coll	MPI_COMM_WORLD	comm=0	root=0	got_bytes=8' 0.800001 1 'leave	MPI_Bcast') >start.txt
steps 20,20 20,20 20,20 20,20 24,20 20,20 20,20 20,20 20,20 20,20 20,20 20,20
(cat start.txt; awk -F '\t' -v OFS='\t' '!/^#/ { $1 = sprintf("%.9f", $1 + 0.800002); print }' log.txt) | sort -s -g -k 1,1 >both.txt && pith convert both.txt log.pith
is "$(answer)" "imbalance|0|read_config|None|None|0.385|Rank 0 alone computes \`read_config\`, and the others wait for it: 39 % of the run is lost, most of it before the iterations." \
    "what lies before all iterations is in none of them, though one of them costs something, too"
# shellcheck disable=SC2046
steps $(for _ in 1 2 3 4; do echo 40,10,10 10,40,10 10,10,40; done)
is "$(answer)" "moving imbalance|None|step|None|None|0.500|The slowest rank changes from iteration to iteration (3 of 3 ranks) in \`step\`, and the others wait for it: 50 % of the run is lost." \
    "another rank is slow in each iteration: 20 of 40 ms on average"
# shellcheck disable=SC2046
steps $(for i in {1..40}; do case $i in 12|31|37) echo 10,110,10 ;; *) echo 10,10,10 ;; esac; done)
is "$(answer)" "imbalance|1|step|None|[12, 37]|0.286|Rank 1 computes \`step\` twice as long as the others: 29 % of the run is lost, all of it in iterations 12, 31, 37." \
    "three of 40 iterations"
# shellcheck disable=SC2046
steps $(for i in {1..40}; do [ "$i" -gt 20 ] && echo 10,30,10 || echo 10,10,10; done)
like "$(answer)" '^imbalance[|]1[|]step[|]None[|].21, 40.[|].*, in iterations 21 to 40 of 40[.]$' "the second half of them"

# turns: in each of ten steps of 30 ms, three ranks write 10 ms in turn.
turns() {
    awk 'BEGIN {
        print "# comm\tcomm=0\tname=MPI_COMM_WORLD\tsize=3\tranks=0,1,2"
        for (i = 0; i < 10; i++) for (rank = 0; rank < 3; rank++) {
            at = i * 30; head = "\t" rank "\t0\t"; us = "\tMPI_COMM_WORLD\tcomm=0\t"
            if (rank) {
                printf "%.9f%senter\tMPI_Recv\n", at / 1000, head
                printf "%.9f%srecv%speer=%d\ttag=0\tbytes=4\tposted=%d\n", (at + 10 * rank) / 1000, head, us, rank - 1, i
                printf "%.9f%sleave\tMPI_Recv\n", (at + 10 * rank) / 1000, head
            }
            at += 10 * rank
            printf "%.9f%senter\twrite\n%.9f%sleave\twrite\n", at / 1000, head, (at + 10) / 1000, head
            at += 10
            if (rank < 2) {
                printf "%.9f%senter\tMPI_Send\n", at / 1000, head
                printf "%.9f%ssend%speer=%d\ttag=0\tbytes=4\n%.9f%sleave\tMPI_Send\n", at / 1000, head, us, rank + 1, at / 1000, head
            }
            printf "%.9f%senter\tMPI_Barrier\n%.9f%scoll%sroot=-1\n%.9f%sleave\tMPI_Barrier\n", at / 1000, head, at / 1000, head, us, (i + 1) * 30 / 1000, head
        } }' | sort -s -g -k 1,1 >log.txt
    pith convert log.txt log.pith
}
turns
is "$(answer)" "serialisation|0|write|None|None|0.667|The ranks are in \`write\` one after another, not at the same time: 67 % of the run is lost." "ranks that write in turn"

# couple: in each of ten steps of 20 ms, rank 0 computes the ocean, sends it, and rank 1 computes the radiation.
couple() {
    awk 'BEGIN {
        print "# comm\tcomm=0\tname=MPI_COMM_WORLD\tsize=2\tranks=0,1"
        us = "\tMPI_COMM_WORLD\tcomm=0\t"
        for (i = 0; i < 10; i++) {
            begin = i * 0.020002; middle = begin + 0.01; end = begin + 0.02
            printf "%.9f\t0\t0\tenter\tocean\n%.9f\t0\t0\tleave\tocean\n", begin, middle
            printf "%.9f\t0\t0\tenter\tMPI_Send\n%.9f\t0\t0\tsend%speer=1\ttag=0\tbytes=4\n%.9f\t0\t0\tleave\tMPI_Send\n", middle, middle, us, middle + 1e-6
            printf "%.9f\t1\t0\tenter\tMPI_Recv\n%.9f\t1\t0\trecv%speer=0\ttag=0\tbytes=4\tposted=%d\n%.9f\t1\t0\tleave\tMPI_Recv\n", begin, middle, us, i, middle
            printf "%.9f\t1\t0\tenter\tradiation\n%.9f\t1\t0\tleave\tradiation\n", middle, end
            for (rank = 0; rank < 2; rank++)
                printf "%.9f\t%d\t0\tenter\tMPI_Barrier\n%.9f\t%d\t0\tcoll%sroot=-1\n%.9f\t%d\t0\tleave\tMPI_Barrier\n", rank ? end : middle + 1e-6, rank, rank ? end : middle + 1e-6, rank, us, end + 2e-6, rank
        } }' | sort -s -g -k 1,1 >log.txt
    pith convert log.txt log.pith
}
couple
is "$(answer)" "serialisation|0|ocean|1|None|0.500|Rank 0 in \`ocean\` and rank 1 in \`radiation\` work one after the other, not at the same time: 50 % of the run is lost." "two ranks that take turns with different work"
is "$(found 'load imbalance')" "" "of which none has more to do than the other from one collective to the next"

# phases FIRST SECOND CALL CALL: 8 steps of two ranks; rank 0 is in FIRST for 60 ms and rank 1 for 20, both wait in the first call;
# then rank 1 is in SECOND for 60 and rank 0 for 20, and both wait in the second. "": outside of states.
phases() {
    awk -v first="$1" -v second="$2" -v one="$3" -v two="$4" '
        function line(ms, rank, text) { printf "%.9f\t%d\t0\t%s\n", ms / 1000, rank, text }
        BEGIN {
            print "# comm\tcomm=0\tname=MPI_COMM_WORLD\tsize=2\tranks=0,1"
            for (i = 0; i < 16; i++) {
                state = i % 2 ? second : first; call = i % 2 ? two : one
                for (rank = 0; rank < 2; rank++) {
                    from = i * 60.01; to = from + (rank == i % 2 ? 60 : 20); end = from + 60.01
                    if (state) line(from, rank, "enter\t" state)
                    if (state) line(to, rank, "leave\t" state)
                    line(to, rank, "enter\t" call)
                    if (call == "MPI_Sendrecv") {
                        line(to, rank, "send\tMPI_COMM_WORLD\tcomm=0\tpeer=" 1 - rank "\ttag=0\tbytes=4")
                        line(end, rank, "recv\tMPI_COMM_WORLD\tcomm=0\tpeer=" 1 - rank "\ttag=0\tbytes=4\tposted=" i)
                    } else
                        line(to, rank, "coll\tMPI_COMM_WORLD\tcomm=0\troot=-1")
                    line(end, rank, "leave\t" call)
                }
            } }' | sort -s -g -k 1,1 >log.txt
    pith convert log.txt log.pith
}
for calls in "MPI_Barrier MPI_Barrier" "MPI_Barrier MPI_Allreduce" "MPI_Sendrecv MPI_Sendrecv"; do
    # shellcheck disable=SC2086
    phases assemble solve $calls
    is "$(answer)" "moving imbalance|0|assemble|None|None|0.333|Rank 0 computes \`assemble\` 3.0 times as long as the others, and rank 1 \`solve\`: 33 % of the run is lost." \
        "each of two states takes longer on another rank ($calls)"
done
phases '' '' MPI_Barrier MPI_Allreduce
changes="The slowest rank changes from one collective or message to the next, and the others wait for it: 34 % of the run is lost."
is "$(answer)" "moving imbalance|None|computing|None|None|0.340|$changes" "without states: from one collective to the next"
phases '' '' MPI_Sendrecv MPI_Barrier
is "$(answer | cut -d '|' -f 1,7)" "moving imbalance|$changes" "from a message to a collective"

# shellcheck disable=SC2046
steps $(for i in {1..20}; do [ "$i" -gt 10 ] && echo 20,20,20,60 || echo 60,20,20,20; done)
like "$(answer)" '^moving imbalance[|]None[|]step[|].*[|]Rank 0 computes `step` longer than the others in iterations 1 to 10, and rank 3 in 11 to 20 of 20: (49|50) %' \
    "the slow rank of each half"
# shellcheck disable=SC2046
steps $(for i in {1..20}; do [ "$i" -gt 7 ] && [ "$i" -lt 15 ] && echo 20,20,60 || echo 60,20,20; done)
like "$(answer)" '[|]Rank 0 computes `step` longer than the others in iterations 1 to 7, rank 2 in 8 to 14, and rank 0 in 15 to 20 of 20: ' "three turns"
# shellcheck disable=SC2046
steps $(for _ in {1..10}; do echo assemble:60,20,20,20 solve:20,60,20,20 output:20,20,60,20; done)
like "$(answer)" '^moving imbalance[|]0[|]assemble[|].*[|]Rank 0 computes `assemble` 3.0 times as long as the others, rank 1 `solve`, and rank 2 `output`: (49|50) %' \
    "each of three states takes longer on another rank"
# shellcheck disable=SC2046
steps $(for _ in {1..10}; do echo chemistry:30,30,0.1,0.1 transport:0.1,0.1,30,30; done)
like "$(answer)" '^moving imbalance[|]0[|]chemistry[|].*[|]Ranks 0 and 1 alone compute `chemistry`, and ranks 2 and 3 `transport`, and the others wait for them: (48|49|50) %' \
    "half of the ranks wait in each of two states"
# shellcheck disable=SC2046
steps $(for _ in {1..10}; do echo assemble:20,60,20,20 output:5,5,5,20; done)
is "$(found 'load imbalance' | paste -sd ' ')" "1.200000000 0.450000000" "two causes with a collective between: less work before it does not make up for more behind it"
# shellcheck disable=SC2046
steps $(for i in {1..20}; do ((i % 5)) && echo 20,20,20,20 || echo 120,20,20,20; done)
is "$(pith analyze log.pith | grep -c '^ *nearly all of it in 4 of 20 iterations$')" 2 "a cost in every fifth iteration"
log 0:give:1 1:task:90 2:task:30 3:task:30
like "$(answer)" '[|]Rank 1 computes `task` 3.0 times as long as the others: ' "a rank without tasks is no measure"
# After its last record, a rank that has called MPI_Finalize does not compute.
{
    printf '0\t%d\t0\tenter\tsolve\n' 0 1
    printf '%s\t0\t0\t%s\n' 0.01 'leave	solve' 0.01 'enter	MPI_Finalize' 0.011 'leave	MPI_Finalize' 0.011 'enter	pith:flush' 0.012 'leave	pith:flush'
    printf '%s\t1\t0\t%s\n' 0.1 'leave	solve' 0.1 'enter	MPI_Finalize' 0.101 'leave	MPI_Finalize'
} >ended.txt
is "$(pith analyze ended.txt --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["useful_ns"])')" "[11000000, 100000000]" "a rank that has ended does not compute"
like "$(answer ended.txt)" '^imbalance[|]1[|]solve[|].*[|]0[.]44' "and waits for the last one"

# ---- More ranks than cores, threads ----------------------------------------------------------------------------------
# crowd CORES LATE_US: 20 steps of 4 ms, each an MPI_Allreduce of four ranks that come at the same time. In four of them it
# takes 20 us, in the others 3 ms. If LATE_US is not 0, rank 1 begins another call LATE_US before the end of these. At the end
# rank 1 computes for LONGER_MS more than the others, if it is given, and all meet in a barrier.
crowd() {
    awk -v cores="$1" -v late="$2" -v longer="${3:-0}" 'BEGIN {
        print "# property\tkey=cores\tvalue=" cores
        print "# comm\tcomm=0\tname=MPI_COMM_WORLD\tsize=4\tranks=0,1,2,3"
        for (i = 0; i < 20; i++) for (rank = 0; rank < 4; rank++) {
            us = 4000 * i; head = "\t" rank "\t0\t"; takes = i % 5 == 0 ? 20 : 3000; ends = us + takes
            if (rank == 1 && late && takes > 20) ends -= 1000
            printf "%.9f%senter\tMPI_Allreduce\n%.9f%scoll\tMPI_COMM_WORLD\tcomm=0\tbytes=8\troot=-1\n", us / 1e6, head, us / 1e6, head
            printf "%.9f%sleave\tMPI_Allreduce\n", ends / 1e6, head
            if (rank == 1 && late && takes > 20)
                printf "%.9f%senter\tMPI_Iprobe\n%.9f%sleave\tMPI_Iprobe\n", (us + takes - late) / 1e6, head, (us + takes) / 1e6, head
            printf "%.9f%senter\tsolve\n%.9f%sleave\tsolve\n", (us + takes) / 1e6, head, (us + 4000) / 1e6, head
        }
        for (rank = 0; longer && rank < 4; rank++) {
            head = "\t" rank "\t0\t"; from = 0.08; to = from + (rank == 1) * longer / 1e3
            printf "%.9f%senter\tgrow\n%.9f%sleave\tgrow\n%.9f%senter\tMPI_Barrier\n", from, head, to, head, to, head
            printf "%.9f%scoll\tMPI_COMM_WORLD\tcomm=0\troot=-1\n%.9f%sleave\tMPI_Barrier\n", to, head, from + longer / 1e3, head
        } }' | sort -s -g -k 1,1 >log.txt
    pith convert log.txt log.pith
}
crowd 2 0
is "$(answer)" "cores|None|None|None|None|0.596|4 ranks share 2 cores and wait for a core: 60 % of the run is lost." \
    "more ranks than cores: 16 of 20 calls take 2.98 ms too long, though the median is 3 ms"
is "$(pith analyze log.pith --csv | sed -n 2p | cut -d, -f1)" "descheduled ranks" "which is the first finding"
like "$(joined "$(pith analyze log.pith)")" '[|]  4 ranks share 2 cores: all these figures contain waiting for a core' "and said beside the efficiencies"
like "$(pith analyze log.pith --what-if network=ideal)" 'contain waiting for a core' "and the predictions"
crowd 2 0 150
like "$(answer)" '^imbalance[|]1[|]grow[|]' "unless one rank computes longer and that costs twice as much: 450 ms, cores 191 ms"
is "$(pith analyze log.pith --csv | sed -n 2p | cut -d, -f1)" "load imbalance" "which is the first finding then"
crowd 2 0 90
like "$(answer)" '^cores[|]' "270 ms are less than twice as much"
is "$(pith analyze log.pith --csv | sed -n 2p | cut -d, -f1)" "descheduled ranks" "and the cores the first finding"
crowd 4 0
like "$(answer)" '^transfer[|]' "with as many cores as ranks it is transfer"
crowd 2 10
is "$(found 'descheduled ranks')" 0.031680000 "a call that ends where another rank's begins is not descheduled: rank 1's are left, 16 of 2 ms, not 20 us"

# Bound to some of the cores. What says nothing certain, such as a list that was cut, changes nothing.
for bound in "0|1" "1-2|2" "0,2-3|3" "rank 0 on 0, rank 1 on 0-1, rank 2 on 1, rank 3 on 0-1|2"; do
    crowd 4 0
    { head -1 log.txt && printf '# property\tkey=affinity\tvalue=%s\n' "${bound%|*}" && sed 1d log.txt; } >bound.txt
    pith convert bound.txt log.pith
    cores=${bound#*|}
    like "$(answer)" "^cores[|].*4 ranks share $cores cores?, of 4, and wait for a core: 60 %" "ranks bound to ${bound%|*}"
    like "$(pith analyze log.pith | grep 'host')" ", 4 cores, of which ranks may use $cores\$" "which the head says"
done
for bound in "rank 0 on 0, rank 1 on 1, ..." "0-9999" "3-1" "none"; do
    crowd 4 0
    { head -1 log.txt && printf '# property\tkey=affinity\tvalue=%s\n' "$bound" && sed 1d log.txt; } >bound.txt
    pith convert bound.txt log.pith
    like "$(answer)" '^transfer[|]' "affinity '$bound': all cores"
done

# inner LONG_US: 20 times MPI_Reduce to rank 0, which comes with rank 2. In four of them rank 1 does, too; else 3 ms later. All
# calls end LONG_US after it. By the rules, rank 2 needs nobody.
inner() {
    awk -v long="$1" 'BEGIN {
        print "# comm\tcomm=0\tname=MPI_COMM_WORLD\tsize=3\tranks=0,1,2"
        for (i = 0; i < 20; i++) for (rank = 0; rank < 3; rank++) {
            us = 8000 * i; late = i % 5 == 0 ? 0 : 3000; begin = us + (rank == 1 ? late : 0); head = "\t" rank "\t0\t"
            printf "%.9f%senter\tMPI_Reduce\n%.9f%scoll\tMPI_COMM_WORLD\tcomm=0\tbytes=8\troot=0\n", begin / 1e6, head, begin / 1e6, head
            printf "%.9f%sleave\tMPI_Reduce\n", (us + late + (late ? long : 20)) / 1e6, head
        } }' | sort -s -g -k 1,1 >log.txt
    pith convert log.txt log.pith
}
inner 200
is "$(found 'descheduled ranks')" "" "a member that ends 200 us after another one came has waited for it"
inner 2000
is "$(found 'descheduled ranks')" 0.095040000 "if it ends 2 ms after it, 16 calls of three ranks are 1.98 ms too long"

# team SERIAL SLOW [RANK]: ten steps on two ranks with three threads each; in a step, SERIAL ms on the first thread; then a region
# in which thread 2 works SLOW ms (on RANK only, if given), the others 10 ms; then MPI_Barrier.
team() {
    awk -v serial="$1" -v slow="$2" -v only="${3-}" 'BEGIN {
        print "# state\tname=omp:implicit_task\tgroup=OpenMP"
        print "# state\tname=omp:barrier\tgroup=OpenMP waiting"
        print "# state\tname=omp:idle\tgroup=OpenMP waiting"
        print "# comm\tcomm=0\tname=MPI_COMM_WORLD\tsize=2\tranks=0,1"
        for (i = 0; i < 10; i++) for (rank = 0; rank < 2; rank++) for (thread = 0; thread < 3; thread++) {
            at = i * (serial + slow); begin = at + serial; all = begin + slow; head = "\t" rank "\t" thread "\t"
            end = only == "" || rank == only ? all : begin + 10
            if (thread) printf "%.9f%senter\tomp:idle\n%.9f%sleave\tomp:idle\n", at / 1000, head, begin / 1000, head
            printf "%.9f%senter\tomp:implicit_task\n", begin / 1000, head
            if (thread < 2) printf "%.9f%senter\tomp:barrier\n%.9f%sleave\tomp:barrier\n", (begin + 10) / 1000, head, end / 1000, head
            printf "%.9f%sleave\tomp:implicit_task\n", end / 1000, head
            if (!thread) printf "%.9f%senter\tMPI_Barrier\n%.9f%scoll\tMPI_COMM_WORLD\tcomm=0\troot=-1\n%.9f%sleave\tMPI_Barrier\n", end / 1000, head, end / 1000, head, all / 1000, head
        } }' | sort -s -g -k 1,1 >log.txt
    pith convert log.txt log.pith
}
team 20 60
is "$(answer)" "threads|0|omp:implicit_task|None|None|0.417|Thread 2 of each rank works 6.0 times as long as the others of its team: 42 % of the threads' time is lost." \
    "a slow thread: 2 x 50 of 3 x 80 ms"
like "$(pith analyze log.pith)" '^  Threads are lowest: they work 42 % of the time' "and the threads are said to be lowest"
team 0 60 1
is "$(answer)" "threads|1|omp:implicit_task|None|None|0.694|Thread 2 of rank 1 works 6.0 times as long as the others of its team, and other ranks wait for that: 69 % of the threads' time is lost." \
    "one of one rank: five of six threads wait 50 of 60 ms"
team 60 10
is "$(answer)" "threads|None|None|None|None|0.571|Other threads have no work while the first one of each rank works alone: 57 % of the threads' time is lost." \
    "a serial part: 2 x 60 of 3 x 70 ms"
sed 's/omp:/part_/' log.txt >unknown.txt
like "$(joined "$(pith analyze unknown.txt)")" 'Waiting of threads for one another is not in the log [(]pith run --also pthread,[|]' "without such states, the page says what it cannot see"

# no_calls RANKS MORE: in each of ten steps, rank 1 receives while it computes 50 ms without a call. Rank 0 sends to it after 10 ms, and
# then computes MORE ms; the other ranks compute 10 ms. All meet.
no_calls() {
    awk -v ranks="$1" -v more="$2" 'BEGIN {
        all = "0"; for (rank = 1; rank < ranks; rank++) all = all "," rank
        print "# comm\tcomm=0\tname=MPI_COMM_WORLD\tsize=" ranks "\tranks=" all
        for (i = 0; i < 10; i++) for (rank = 0; rank < ranks; rank++) {
            step = 0.052 + more / 1000; at = i * step; head = "\t" rank "\t0\t"; meets = rank > 1 ? 0.01 : rank ? 0.051 : 0.05001 + more / 1000
            if (rank == 1) {
                printf "%.9f%senter\tMPI_Irecv\n%.9f%sleave\tMPI_Irecv\n", at, head, at + 1e-6, head
                printf "%.9f%senter\tMPI_Wait\n%.9f%srecv\tMPI_COMM_WORLD\tcomm=0\tpeer=0\ttag=1\tbytes=1000000\tposted=%d\n%.9f%sleave\tMPI_Wait\n", at + 0.05, head, at + 0.051, head, i, at + 0.051, head
            } else if (rank == 0)
                printf "%.9f%senter\tMPI_Send\n%.9f%ssend\tMPI_COMM_WORLD\tcomm=0\tpeer=1\ttag=1\tbytes=1000000\n%.9f%sleave\tMPI_Send\n", at + 0.01, head, at + 0.01, head, at + 0.05001, head
            printf "%.9f%senter\tMPI_Barrier\n%.9f%scoll\tMPI_COMM_WORLD\tcomm=0\troot=-1\n%.9f%sleave\tMPI_Barrier\n", at + meets, head, at + meets, head, at + step, head
        } }' | sort -s -g -k 1,1 >log.txt
    pith convert log.txt log.pith
}
no_calls 2 40
like "$(answer)" '^progress[|]1[|]computing[|]0[|].*[|]Rank 1 computes without calling MPI, so rank 0 waits in MPI_Send for it: 2[12] % of the run is lost' \
    "a rank waits for one that does not call MPI"
no_calls 2 0
like "$(answer)" '^imbalance[|]1[|]computing[|].*[|]Rank 1 computes 5.0 times as long as the others: ' "if it has more to do, calls would not help"
no_calls 4 0
like "$(answer)" '^imbalance[|]1[|]computing[|].*[|]Rank 1 computes 5.0 times as long as the others: ' "if more wait for what it computes, calls would not help"

# serve MS: in each of ten steps, three ranks compute 40 ms, rank 1 for MS, send a request to the second thread of the next rank, and
# meet. That thread only receives it and works 1 ms.
serve() {
    awk -v late="$1" 'BEGIN {
        print "# comm\tcomm=0\tname=MPI_COMM_WORLD\tsize=3\tranks=0,1,2"
        us = "MPI_COMM_WORLD\tcomm=0"; step = (late > 40 ? late : 40) + 1.01
        for (i = 0; i < 10; i++) for (rank = 0; rank < 3; rank++) {
            at = i * step; end = at + (rank == 1 ? late : 40); head = "\t" rank "\t0\t"; from = (rank + 2) % 3; comes = at + (from == 1 ? late : 40)
            printf "%.9f%senter\tsolve\n%.9f%sleave\tsolve\n", at / 1000, head, end / 1000, head
            printf "%.9f%senter\tMPI_Send\n%.9f%ssend\t%s\tpeer=%d\ttag=7\tbytes=4\n%.9f%sleave\tMPI_Send\n", end / 1000, head, end / 1000, head, us, (rank + 1) % 3, (end + 0.001) / 1000, head
            printf "%.9f%senter\tMPI_Barrier\n%.9f%scoll\t%s\troot=-1\n", (end + 0.001) / 1000, head, (end + 0.001) / 1000, head, us
            printf "%.9f%sleave\tMPI_Barrier\n", (at + step - 1) / 1000, head
            head = "\t" rank "\t1\t"
            printf "%.9f%senter\tMPI_Recv\n%.9f%srecv\t%s\tpeer=%d\ttag=7\tbytes=4\tposted=%d\n", at / 1000, head, comes / 1000, head, us, from, i
            printf "%.9f%sleave\tMPI_Recv\n%.9f%senter\tanswer\n%.9f%sleave\tanswer\n", (comes + 0.005) / 1000, head, (comes + 0.005) / 1000, head, (comes + 1.005) / 1000, head
        } }' | sort -s -g -k 1,1 >log.txt
    pith convert log.txt log.pith
}
serve 40
like "$(answer)" '^balanced[|].*ranks compute (9[0-9]|100) %' "threads that only serve others wait for requests, which costs nothing"
is "$(found 'load imbalance')" "" "and are no measure for what the others compute"
serve 80
like "$(answer)" '^imbalance[|]1[|]solve[|].*[|]Rank 1[.]0 computes `solve` twice as long as the others: 3[34] %' "a rank that is late beside them: 2 x 40 of 3 x 81 ms"

# start MS: rank 1 of three calls MPI_Init so much later than the others; all compute 600 ms after it.
start() {
    for rank in 0 1 2; do
        echo "$rank $((rank == 1 ? $1 : rank))"
    done | awk -v late="$1" '
        function state(from, to, name) { printf "%.6f\t%d\t0\tenter\t%s\n%.6f\t%d\t0\tleave\t%s\n", from / 1000, $1, name, to / 1000, $1, name }
        { state($2, late + 10, "MPI_Init"); state(late + 610, late + 620, "MPI_Finalize") }' | sort -s -g -k 1,1 >log.txt
    pith convert log.txt log.pith
}
start 370
like "$(answer)" '^start and end[|]1[|]None[|]None[|]None[|]0[.]37.[|]Rank 1 calls MPI_Init 36[0-9.]+ ms after all other ranks: 37 % of the run is lost[.]$' "a rank that starts late"
# delayed MS: the same three ranks on four cores, each 300 ms in MPI_Send; the system gave them no core for so long, by its own
# count.
delayed() {
    start 1
    for rank in 0 1 2; do printf '0.06\t%d\t0\tenter\tMPI_Send\n0.36\t%d\t0\tleave\tMPI_Send\n' $rank $rank; done | sort -s -g -k 1,1 log.txt - >calls.txt
    mv calls.txt log.txt
    printf '# property\tkey=cores\tvalue=4\n# property\tkey=run_delay_ns\tvalue=delay=%d000000 cpu=1 time=1800000000 ranks=3\n' "$1" | cat - log.txt >delay.txt
    pith convert delay.txt log.pith
}
delayed 900
like "$(answer)" '^cores[|]None[|]None[|]None[|]None[|]0[.](49|5).*[|]Other programs use the 4 cores, so ranks wait for a core: (49|50) % of the run is lost[.]$' "fewer ranks than cores, and no core"
like "$(pith analyze log.pith | grep -A6 'transfer: ')" 'try: first give each rank a core' "calls that take long then get no advice about messages"
sed 's/key=cores\tvalue=4/key=cores\tvalue=2/' delay.txt >fewer.txt
like "$(answer fewer.txt)" '^cores[|].*[|]Other programs use the 2 cores, ' "three ranks that want 1.5 cores do not take one from each other"
sed 's/cpu=1 /cpu=400000000 /' fewer.txt >share.txt
like "$(answer share.txt)" '^cores[|].*[|]3 ranks share 2 cores and wait for a core: ' "those that want 2.2 do"
delayed 90
like "$(answer)" '^transfer[|]' "below a tenth it is not said"
like "$(pith analyze log.pith | grep -A6 'transfer: ')" 'try: send less' "and the advice is about messages"
# Two ranks send to each other by turns, which takes 10 ms each time, once 250 ms: half of the time they wait, and half is transfer.
# They had no core for 1 s in all, of which 0.65 s may be waiting; the transfer may be nothing else.
python3 - <<'END' | sort -s -g -k 1,1 >log.txt
print("# comm\tcomm=0\tname=MPI_COMM_WORLD\tsize=2\tranks=0,1")
print("# property\tkey=cores\tvalue=2\n# property\tkey=run_delay_ns\tvalue=delay=1000000000 cpu=1 time=1300000000 ranks=2")
comm, last = "MPI_COMM_WORLD\tcomm=0", [0.01, 0.01]
def line(time, rank, text):
    print(f"{time:.6f}\t{rank}\t0\t{text}")
for rank in (0, 1):
    line(0, rank, "enter\tMPI_Init"), line(0.01, rank, "leave\tMPI_Init")
for i in range(40):
    at, rank, to, takes = 0.011 + i * 0.010002 + 0.24 * (i > 20), i % 2, 1 - i % 2, 0.25 if i == 20 else 0.01
    line(at, rank, "enter\tMPI_Send"), line(at, rank, f"send\t{comm}\tpeer={to}\ttag=0\tbytes=9"), line(at + 1e-6, rank, "leave\tMPI_Send")
    line(last[to] + 2e-6, to, "enter\tMPI_Recv"), line(at + takes, to, f"recv\t{comm}\tpeer={rank}\ttag=0\tbytes=9\tposted={i // 2}")
    line(at + takes, to, "leave\tMPI_Recv")
    last = [at + 2e-6 if who == rank else at + takes for who in (0, 1)]
for rank in (0, 1):
    line(0.6512, rank, "enter\tMPI_Finalize"), line(0.6513, rank, "leave\tMPI_Finalize")
END
pith convert log.txt log.pith
like "$(pith analyze log.pith | grep -A3 'transfer: ')" 'a guess: that ranks had no core at times may be the only reason' "a transfer that may be a lack of cores"
like "$(answer)" '^cores[|].*[|]Other programs use the 2 cores, so ranks wait for a core: 3[0-9] % of the run is lost[.]$' "is no larger cause than that"
like "$(pith analyze log.pith | sed '/How far/q' | paste -sd'|')" '[|]   18[.][0-9] %  descheduled ranks[|]   2[0-9][.][0-9] %  no core[|]' "and has no line above; nor is a part of it to the right of one"
is "$(pith analyze log.pith --json | python3 -c '
import json, sys
found = json.load(sys.stdin)
start = "%.9fs" % (found["window"]["from_ns"] / 1e9)
print([f["command"].split()[4] == start for f in found["findings"] if f["name"] == "no core"])')" "[True]" "its place is the analysed part, and the command shows no more"
sed 's/delay=1000000000/delay=100000000/' log.txt >less.txt
like "$(pith analyze less.txt --csv)" '^descheduled ranks,0[.]100000000,' "calls of 0.25 s without a core are no longer than what the system counted"
# Of what the system counted, 1.2 s may lie outside the analysed part: 3 x 0.3 s of waiting for a core are then not certain.
sed 's/time=1800000000/time=2960000000/; s/delay=90000000/delay=900000000/' delay.txt >outside.txt
unlike "$(pith analyze outside.txt --csv)" '^no core' "a core that may have been missing outside the analysed part"
# counted MS FILE [THREADS_MS]: the findings of FILE, of ranks that had no core for MS in all, as the system counted, and their
# other threads for THREADS_MS; those that are guesses, and
# the place of the one that each is part of.
counted() {
    { printf '# property\tkey=cores\tvalue=4\n# property\tkey=run_delay_ns\tvalue=delay=%d000000 cpu=1 time=320000000 ranks=4 threads=%d000000\n' "$1" "${3:-0}"; cat "$2"; } >counted.txt
    pith analyze counted.txt --json | python3 -c '
import json, sys
for f in json.load(sys.stdin)["findings"]:
    guess = {f.get("guess", False), "a guess: " in f["text"], "try: first give each rank a core" in f["text"]}
    print(f["name"], f.get("part_of", "-"), *("guess" if g else "sure" for g in guess), end=";")'
}
# [late_ms=MS] phases LATE...: four ranks compute for 10 ms in each phase, but rank LATE 10 ms longer, or MS; "-": none.
phases() {
    printf '# comm\tcomm=0\tname=MPI_COMM_WORLD\tsize=4\tranks=0,1,2,3\n'
    for rank in 0 1 2 3; do
        echo "$rank $*"
    done | awk -v late="${late_ms:-10}" '{
        head = "\t" $1 "\t0\t"; end = 10
        printf "0%senter\tMPI_Init\n0.01%sleave\tMPI_Init\n", head, head
        for (i = 2; i <= NF; i++) {
            from = end; to = from + 10 + ($i == $1 ? late : 0); end = from + 10 + ($i == "-" ? 0 : late)
            printf "%.3f%senter\tsolve\n%.3f%sleave\tsolve\n", from / 1e3, head, to / 1e3, head
            printf "%.3f%senter\tMPI_Barrier\n%.3f%scoll\tMPI_COMM_WORLD\tcomm=0\troot=-1\n%.3f%sleave\tMPI_Barrier\n", to / 1e3, head, to / 1e3, head, end / 1e3, head
        }
        printf "%.3f%senter\tMPI_Finalize\n%.3f%sleave\tMPI_Finalize\n", end / 1e3, head, (end + 1) / 1e3, head
    }' | sort -s -g -k 1,1
}
phases 0 1 2 3 >turns.txt
is "$(counted 39 turns.txt)" "wait at barrier - sure;" "each of four ranks is late for 10 ms, so 3 wait for 4 x 10 ms; 39 ms without a core may cause 117 of them"
is "$(counted 41 turns.txt)" "wait at barrier - guess;" "41 ms may cause all"
is "$(counted 20 turns.txt 21)$(counted 20 turns.txt 19)" "wait at barrier - guess;wait at barrier - sure;" "or other threads of the ranks, for which they may wait"
phases 1 1 1 1 >same.txt
is "$(counted 41 same.txt)" "load imbalance - sure;wait at barrier 0 sure;" "but not if the same rank is late each time, 30 ms more than the mean"
is "$(counted 121 same.txt)" "load imbalance - guess;wait at barrier 0 guess;" "unless ranks lack that on average"
is "$(counted 201 same.txt)" "load imbalance - guess;wait at barrier 0 guess;no core - sure;" "before a lack of cores that costs less"
is "$(counted 280 same.txt)" "no core - sure;load imbalance 0 guess;wait at barrier 0 guess;" "below one that costs more"
like "$(answer counted.txt)" '^cores[|].*[|]Other programs use the 4 cores, so ranks wait for a core: at least [0-9]+ % of the run is lost' "at least: those that wait for others need no core"
unlike "$(pith analyze counted.txt | sed -n '1,/^How far/p')" 'barrier|imbalance' "the first lines have no guesses"
like "$(pith analyze counted.txt)" '^     - wait at barrier: ' "the list has"
late_ms=1 phases 0 1 - - - - - - - - - - - - - - - - - - - - >rare.txt
is "$(counted 5 rare.txt)$(counted 2 rare.txt)" "wait at barrier - guess;wait at barrier - sure;" "a lack of cores that costs less than 0.5 % explains nothing: 2 of 888 ms"
# A state whose name begins like the advice, in a finding that is latency-bound.
awk 'BEGIN {
    print "# property\tkey=cores\tvalue=1\n# property\tkey=run_delay_ns\tvalue=delay=1500000000 cpu=1 time=2000000000 ranks=2"
    print "# comm\tcomm=0\tname=MPI_COMM_WORLD\tsize=2\tranks=0,1"
    for (rank = 0; rank < 2; rank++) printf "0.001\t%d\t0\tenter\tMPI_Init\n0.010\t%d\t0\tleave\tMPI_Init\n", rank, rank
    for (i = 0; i < 8; i++) {
        at = 20 + 110 * i
        printf "%.4f\t0\t0\tenter\tMPI_Recv\n%.4f\t1\t0\tenter\tMPI_Test\n", at / 1e3, at / 1e3
        printf "%.4f\t1\t0\tleave\tMPI_Test\n%.4f\t1\t0\tenter\tretry: work\n", (at + 60) / 1e3, (at + 60) / 1e3
        printf "%.4f\t1\t0\tleave\tretry: work\n%.4f\t1\t0\tenter\tMPI_Send\n", (at + 100) / 1e3, (at + 100) / 1e3
        printf "%.4f\t1\t0\tsend\tMPI_COMM_WORLD\tcomm=0\tpeer=0\ttag=0\tbytes=1000\n", (at + 100) / 1e3
        printf "%.4f\t0\t0\trecv\tMPI_COMM_WORLD\tcomm=0\tpeer=1\ttag=0\tbytes=1000\tposted=%d\n", (at + 100.1) / 1e3, i
        printf "%.4f\t0\t0\tleave\tMPI_Recv\n%.4f\t1\t0\tleave\tMPI_Send\n", (at + 100.1) / 1e3, (at + 100.1) / 1e3
    }
    for (rank = 0; rank < 2; rank++) printf "0.95\t%d\t0\tenter\tMPI_Finalize\n0.951\t%d\t0\tleave\tMPI_Finalize\n", rank, rank
}' >retry.txt
like "$(joined "$(pith analyze retry.txt)")" 'retry: work: 319[.]7 ms .* on rank 1[|] +worst: [^|]*[|] +a guess: that ranks had no core at times may be the only reason[|] +try: first' "names of states are not taken for advice"
# gaps NS: between 1000 barriers, rank 0 computes 10 ns and rank 1 50; a record costs NS.
gaps() {
    awk -v cost="$1" 'BEGIN {
        print "# property\tkey=own_cost_ns\tvalue=enter=" cost " leave=" cost
        print "# comm\tcomm=0\tname=MPI_COMM_WORLD\tsize=2\tranks=0,1"
        for (i = 0; i < 1000; i++) for (rank = 0; rank < 2; rank++) {
            at = i * 100 + (rank ? 50 : 10); head = "\t" rank "\t0\t"
            printf "%.9f%senter\tMPI_Barrier\n%.9f%scoll\tMPI_COMM_WORLD\tcomm=0\troot=-1\n%.9f%sleave\tMPI_Barrier\n", at / 1e9, head, at / 1e9, head, (i * 100 + 100) / 1e9, head
        } }' | sort -s -g -k 1,1 >gaps.txt
    pith analyze gaps.txt --csv | grep -c '^load imbalance'
}
is "$(gaps 6) $(gaps 7)" "1 0" "20 ns more than the mean in each gap: with three records of 7 ns it may all be recording and new memory for them"
# taken SHARE: two ranks on two cores send to each other in turn. Three of four messages take 20 ms, while the receiver has no core
# and the sender waits for the next message from it; the system counted a missing core for this part of the time.
taken() {
    python3 - "$1" >taken.txt <<'END'
import sys
print(f"# property\tkey=cores\tvalue=2\n# property\tkey=run_delay_ns\tvalue=delay={int(1208e6 * float(sys.argv[1]))} cpu=1 time=1208000000 ranks=2")
print("# comm\tcomm=0\tname=MPI_COMM_WORLD\tsize=2\tranks=0,1")
lines, ms = [], 1.0
def put(ms, rank, *text): lines.append((ms, f"{ms / 1e3:.9f}\t{rank}\t0\t" + "\t".join(text)))
for rank in 0, 1: put(0, rank, "enter", "MPI_Init"), put(1, rank, "leave", "MPI_Init")
put(ms, 1, "enter", "MPI_Recv")
for step in range(40):
    s, r, long = step % 2, 1 - step % 2, 20 if step % 4 else 0.02
    put(ms, s, "enter", "MPI_Send")
    put(ms, s, "send", "MPI_COMM_WORLD", "comm=0", f"peer={r}", "tag=1", "bytes=8")
    put(ms + 0.01, s, "leave", "MPI_Send")
    put(ms + 0.01, s, "enter", "MPI_Recv" if step < 39 else "MPI_Finalize")
    ms += long
    put(ms, r, "recv", "MPI_COMM_WORLD", "comm=0", f"peer={s}", "tag=1", "bytes=8")
    put(ms, r, "leave", "MPI_Recv")
put(ms, 1 if s == 0 else 0, "enter", "MPI_Finalize")
for rank in 0, 1: put(ms + 1, rank, "leave", "MPI_Finalize")
print("\n".join(text for _, text in sorted(lines, key=lambda line: line[0])))
END
}
taken 0.02
like "$(joined "$(pith analyze taken.txt)")" '[|] +1[.] transfer: .*[|] +- late sender: .*[|] +latency-bound: [^|]*[|] +worst: [^|]*[|] +try: send less, fewer messages' "waiting for data under way is a part of transfers, with their advice"
taken 0.5
like "$(answer taken.txt)" '^cores[|].*[|]0[.]9.*[|]Other programs use the 2 cores, so ranks wait for a core: 100 % of the run is lost[.]$' "other programs make calls long, and others wait for these"
like "$(pith analyze taken.txt | grep -A8 'transfer: ')" 'try: first give each rank a core; part of this waits for one$' "the advice is about cores"
like "$(flowing "$(pith analyze taken.txt)")" ' the core of the rank or of its partner; other programs were running ' "and it is known why"
taken 0.05
like "$(answer taken.txt)" '^transfer[|]' "not if the system counted next to nothing"
# A rank whose core other programs use: 100 steps of four ranks on four cores, where rank 2 computes LATE ms and the others EARLY
# before a barrier. DELAYS: ms without a core of each rank in all of the run, as it is told of each; "": only their sum is.
neighbour() {
    python3 - "$1" "$2" "$3" "$4" >neighbour.txt <<'END'
import sys
late, early, total, delays = float(sys.argv[1]), float(sys.argv[2]), sys.argv[3], sys.argv[4].split()
print(f"# property\tkey=cores\tvalue=4\n# property\tkey=run_delay_ns\tvalue=delay={total}000000 cpu=1 time={4 * 100 * late:.0f}000000 ranks=4 threads=0")
for rank, ms in enumerate(delays):
    if ms != "0": print(f"# property\tkey=run_delay_ns {rank}\tvalue=delay={ms}000000 threads=0")
print("# comm\tcomm=0\tname=MPI_COMM_WORLD\tsize=4\tranks=0,1,2,3")
lines = []
def put(ms, rank, *text): lines.append((ms, f"{ms / 1e3:.9f}\t{rank}\t0\t" + "\t".join(text)))
for rank in range(4):
    put(0, rank, "enter", "MPI_Init"), put(1, rank, "leave", "MPI_Init")
    for step in range(100):
        begin = 1 + step * late
        ready = begin + (late if rank == 2 else early) - 0.01
        put(begin, rank, "enter", "work"), put(ready, rank, "leave", "work")
        put(ready, rank, "enter", "MPI_Barrier"), put(ready, rank, "coll", "MPI_COMM_WORLD", "comm=0", "bytes=0", "got_bytes=0", "root=-1")
        put(begin + late, rank, "leave", "MPI_Barrier")
    put(1 + 100 * late, rank, "enter", "MPI_Finalize"), put(2 + 100 * late, rank, "leave", "MPI_Finalize")
print("\n".join(text for _, text in sorted(lines, key=lambda line: line[0])))
END
}
imbalance() { # rank, and 1 if it is a guess
    pith analyze --json neighbour.txt | python3 -c '
import json, sys
print(*(" ".join((str(f["rank"]), str(int(f.get("guess", False))))) for f in json.load(sys.stdin)["findings"] if f["name"] == "load imbalance"))'
}
neighbour 20 10 1000 "0 0 1000 0"
like "$(answer neighbour.txt)" '^cores[|]2[|].*[|]0[.](49|50).*[|]Other programs use the core of rank 2, which waits for it: (49|50) % of the run is lost[.]$' "the core of one rank is used by others"
is "$(imbalance)" "2 1" "that it computes longer is then no imbalance of the program"
like "$(flowing "$(pith analyze neighbour.txt)")" 'rank 2 could run, but the system gave it no core for 1[.]000 s while it did not wait for others; others waited (2[.]99.|3[.]000) s for it' "the page says what it cost itself and others"
like "$(pith analyze neighbour.txt)" '^  All these figures contain waiting for a core, which costs 50 % of the run[.]$' "nor does the line on efficiencies speak of balance"
sed -i '/key=run_delay_ns\t/s/$/, delay=1 cpu=1 time=1 ranks=4/' neighbour.txt
is "$(imbalance)" "2 0" "sums of several logs that were merged: unknown"
neighbour 20 10 1000 ""
like "$(answer neighbour.txt) $(imbalance)" '^imbalance.* 2 0$' "a log that knows only the sum of all ranks does not tell"
neighbour 20 10 1000 "400 400 200 0"
like "$(answer neighbour.txt) $(imbalance)" '^imbalance.* 2 0$' "other ranks had no core"
neighbour 12 4 2400 "600 600 600 600"
is "$(imbalance)" "2 0" "all had none for half of the time: an imbalance remains, of 6 to 2 ms"
neighbour 20 10 500 "0 0 500 0"
is "$(imbalance)" "2 0" "only half of what it computes longer"
start 90
like "$(answer)" '^balanced[|]' "a tenth of a second is what launchers need"
# A run of 0.3 ms.
start 1
awk -F'\t' -v OFS='\t' '/^#/ { print; next } { $1 = sprintf("%.9f", $1 / 2000); print }' log.txt >exact.txt
sed '1i # property\tkey=pith\tvalue=0.1.0' exact.txt >brief.txt
like "$(answer brief.txt)" '^unknown[|].*[|]Only 3[0-9.]+ us lie between MPI_Init and MPI_Finalize: too short to judge the run[.]$' "a recorded run of less than 1 ms"
unlike "$(answer exact.txt)" 'too short' "exact times of a simulation can be judged"
unlike "$(pith analyze brief.txt --from 0.0001 --answer)" 'too short' "so can a part that was asked for"

# threads RANK.THREAD:STATE:MS ...: in each of five steps, the threads are in these states one after another; pthread_ is the
# group of --also pthread. First threads then meet in MPI_Barrier, 60 ms after the begin of the step.
threads() {
    printf '# state\tname=%s\tgroup=pthread\n' pthread_join pthread_cond_wait >log.txt
    printf '%s\n' "$@" | awk -F '[.:]' '
        function line(ms, rank, thread, text) { printf "%.9f\t%d\t%d\t%s\n", ms / 1000, rank, thread, text }
        { ranks[$1]; for (i = 0; i < 5; i++) {
            begin = i * 60 + at[$1, $2]
            line(begin, $1, $2, "enter\t" $3); line(begin + $4, $1, $2, "leave\t" $3) }
          at[$1, $2] += $4 }
        END { for (rank in ranks) for (i = 0; i < 5; i++) {
            begin = i * 60 + at[rank, 0]
            line(begin, rank, 0, "enter\tMPI_Barrier"); line(begin, rank, 0, "coll\tMPI_COMM_WORLD\tcomm=0\troot=-1")
            line((i + 1) * 60, rank, 0, "leave\tMPI_Barrier") } }' | sort -s -g -k 1,1 >records.txt
    printf '# comm\tcomm=0\tname=MPI_COMM_WORLD\tsize=2\tranks=0,1\n' | cat - records.txt >>log.txt
    pith convert log.txt log.pith
}
threads {0,1}.0:{solve:20,pthread_join:40} {0,1}.1:filter:60
is "$(answer)" "threads|0|filter|None|None|0.333|Ranks wait for threads of their own, most rank 0 in \`pthread_join\` while its thread 1 is in \`filter\`: 33 % of the threads' time is lost." \
    "each rank waits 40 of 60 ms for a thread: 2 x 40 of 2 x 120 ms"
like "$(joined "$(pith analyze log.pith)")" "[|] +1[.] thread waiting: 66[.]7 %, 400[.]0 ms[|] +threads that call MPI wait for other threads of their ranks:[|] +most in pthread_join, 200[.]0 ms on rank 0[.]0 [(]67 %[)][|] +meanwhile thread 1 is in filter, 100 % of it[|] +try: let" \
    "a finding with the call, the rank, its share, and what the other thread does"
like "$(one_line)" ' Ranks compute 33 % of the time, wait for others 0 %, for threads 67 %, move data 0 %[.] ' "which is no computing"
like "$(joined "$(pith analyze log.pith)")" '[|]  all threads +0[.]67 .*[|]  Threads are lowest: they work 67 %' "nor work of the threads"
like "$(joined "$(pith analyze log.pith --explain thread-waiting)")" 'pith run [|]?--also pthread.*Here: 66[.]7 %' "--explain"
threads {0,1}.0:{solve:20,pthread_cond_wait:30,solve:10} {0,1}.1:pthread_cond_wait:60 {0,1}.2:{filter:50,pthread_cond_wait:10}
like "$(answer)" '^threads[|]0[|]filter[|].*in `pthread_cond_wait` while its thread 2 is in `filter`: 17 % ' "a thread that waits for work explains nothing: 2 x 30 of 6 x 60 ms"
threads {0,1}.0:solve:60 {0,1}.1:pthread_cond_wait:60
is "$(answer)$(found 'thread waiting')" "balanced|None|None|None|None|0.000|Nothing is badly wrong: ranks compute 100 % of the time." \
    "nor is it a finding that it waits"
threads 0.0:solve:20 1.0:{solve:20,pthread_join:40} {0,1}.1:filter:60
is "$(answer)" "threads|1|filter|None|None|0.333|Rank 1 waits in \`pthread_join\` while its thread 1 is in \`filter\`, and other ranks wait for that: 33 % of the threads' time is lost." \
    "one of two ranks waits, and the other one for it: 40 + 40 of 2 x 120 ms"
threads {0,1}.0:{solve:20,pthread_join:40}
like "$(pith analyze log.pith)" '^ +what its other threads do meanwhile is not in the log$' "only what the log shows"

# The critical path goes to the thread that is waited for.
team 20 60
is "$(pith analyze --json log.pith | python3 -c '
import json, sys
print(*sorted((p["rank"], p["lane"] % 3, p["state"], p["ns"] // 1000000) for p in json.load(sys.stdin)["critical_path"]["profile"] if p["ns"] > 1e6))' | tr -d "',")" \
    "(0 0 computing 200) (0 0 omp:implicit_task 100) (0 2 omp:implicit_task 500)" "the path: thread 0 alone and to its barrier, then the last thread"
is "$(python3 "$top/test/analyze/thread_path.py" 60)" "0 wrong" "the path through waits for threads: 60 random logs against a brute force"

# ---- Files -----------------------------------------------------------------------------------------------------------
log 0:solve:10 0:MPI_File_write:40 1:solve:10
is "$(found 'serialised MPI-IO')" 0.040000000 "rank 1 waits 40 ms for the write of rank 0"
like "$(pith analyze log.pith)" 'other ranks wait 40[.]00 ms for calls like MPI_File_write on rank 0' "which is named"
log 0:MPI_File_write:40 0:solve:60 1:solve:60
is "$(found files)" 0.040000000 "its own time in files"
is "$(pith analyze log.pith --json | python3 -c '
import json, sys
for f in json.load(sys.stdin)["findings"]: print(f["name"], f.get("part_of"), end=";")')" \
    "files None;serialised MPI-IO 0;wait at barrier 0;" "the waiting and the turns are part of it"
like "$(joined "$(pith analyze log.pith)")" '[|]  1[.] files: 20[.]0 %, 40[.]00 ms[|]     rank 0 alone spends 40[.]00 ms in files, most in MPI_File_write[|].*[|]     - wait at barrier: ' "and stand below it"
log 0:solve:50 0:io_fwrite:50 1:solve:50
sed 's/io_fwrite/io:fwrite/' log.txt >io.txt
is "$(pith analyze io.txt --json | python3 -c '
import json, sys
a = json.load(sys.stdin)
print(a["useful_ns"], a["efficiencies"]["load_balance"], a["answer"]["kind"], a["answer"]["rank"], "%.2f" % a["answer"]["share"])')" \
    "[50000000, 50000000] 1 files 0 0.50" "POSIX calls are no useful time: the ranks are balanced"
log 0:MPI_File_write:20 1:MPI_File_write:40 2:MPI_File_write:60
is "$(found 'serialised MPI-IO')" 0.120000000 "writes that begin together and end in turn: 20 + 40 ms; others wait 40 + 20 ms at the barrier"
like "$(one_line)" ' 1 time, calls of several ranks began together but ended one after another; ' "which are counted"
like "$(one_line)" ' their time beyond that of the quickest is 60[.]00 ms; most of it in MPI_File_write ' "with their cost"
log 0:MPI_File_write:60 1:MPI_File_write:60 2:MPI_File_write:60
is "$(found 'serialised MPI-IO')" "" "writes at the same time"
log 0:MPI_File_write:20 1:MPI_File_write:21 2:MPI_File_write:60
is "$(found 'serialised MPI-IO')" 0.079000000 "two end together, so only the barrier counts"
log 0:MPI_File_write:20 1:MPI_File_write:40
is "$(found 'serialised MPI-IO')" 0.020000000 "of two ranks, one may write twice as much: only the barrier counts"
like "$(pith analyze log.pith --explain serialised-MPI-IO)" 'the waiting that calls of MPI_File_[*] cause' "explained"

# ---- Transfers and their peers -------------------------------------------------------------------------------------
# hosts SLOW_US: four ranks on as many hosts; each two exchange eight messages, waited for, of 100 us; from a to d SLOW_US
hosts() {
    awk -v slow="$1" 'BEGIN {
        for (rank = 0; rank < 4; rank++) printf "# lane\trank=%d\tthread=0\tname=\thost=%s\n", rank, substr("abcd", rank + 1, 1)
        print "# comm\tcomm=0\tname=MPI_COMM_WORLD\tsize=4\tranks=0,1,2,3"
        for (from = 0; from < 4; from++) for (to = 0; to < 4; to++) for (n = 0; n < 4; n++) if (from != to) {
            us = 1000 * slot++; end = us + 50 + (from + to == 3 && from * to == 0 ? slow : 100)
            printf "%.9f\t%d\t0\tenter\tMPI_Recv\n", us / 1e6, to
            printf "%.9f\t%d\t0\tenter\tMPI_Send\n", (us + 50) / 1e6, from
            printf "%.9f\t%d\t0\tsend\tMPI_COMM_WORLD\tcomm=0\tpeer=%d\ttag=0\tbytes=100\n", (us + 50) / 1e6, from, to
            printf "%.9f\t%d\t0\tleave\tMPI_Send\n", (us + 51) / 1e6, from
            printf "%.9f\t%d\t0\trecv\tMPI_COMM_WORLD\tcomm=0\tpeer=%d\ttag=0\tbytes=100\tposted=%d\n", end / 1e6, to, from, posted[to]++
            printf "%.9f\t%d\t0\tleave\tMPI_Recv\n", end / 1e6, to
        } }' >log.txt
    pith convert log.txt log.pith
}
hosts 500
is "$(found 'slow hosts')" 0.003200000 "eight messages between two hosts take 400 us longer than others"
like "$(one_line)" ' 8 messages between hosts a and d take longer than [^;]*; in MPI_Recv 500[.]0 us, not 100[.]0 us ' "which are named"
hosts 150
is "$(found 'slow hosts')" "" "half as much again is no finding"

# collectives BYTES: twenty calls of MPI_Allreduce on four ranks, the last 100 us after the others; it takes 100 us, and the
# sixth and the twelfth, of BYTES, 1 ms
collectives() {
    awk -v bytes="$1" 'BEGIN {
        print "# comm\tcomm=0\tname=MPI_COMM_WORLD\tsize=4\tranks=0,1,2,3"
        for (n = 1; n <= 20; n++) for (rank = 0; rank < 4; rank++) {
            us = 2000 * n; from = us + (rank == 3 ? 100 : 0); is_slow = n == 6 || n == 12
            printf "%.9f\t%d\t0\tenter\tMPI_Allreduce\n", from / 1e6, rank
            printf "%.9f\t%d\t0\tcoll\tMPI_COMM_WORLD\tcomm=0\tbytes=%d\tgot_bytes=%d\troot=-1\n", from / 1e6, rank, is_slow ? bytes : 8, is_slow ? bytes : 8
            printf "%.9f\t%d\t0\tleave\tMPI_Allreduce\n", (us + 100 + (is_slow ? 1000 : 100)) / 1e6, rank
        } }' | sort -s -g -k 1,1 >log.txt
    pith convert log.txt log.pith
}
collectives 8
is "$(found 'slow collectives')" 0.007200000 "two calls of a collective take 900 us longer on four ranks"
like "$(flowing "$(pith analyze log.pith)")" 'MPI_Allreduce: 8 of 80 calls took .*slowest: 1[.]000 ms, median 100[.]0 us, on rank 0 at 0[.]012000s' "which are counted"
collectives 1048576
is "$(found 'slow collectives')" "" "calls of another size are no peers"
like "$(pith analyze log.pith --explain slow-collectives)" 'three times the median' "explained"

# ---- pithlog_analysis_findings -----------------------------------------------------------------------------------
cat >list.c <<'C'
#include <pithlog_findings.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    struct pithlog *log;
    struct pithlog_analysis *analysis;
    const struct pithlog_finding *list, *again;
    uint32_t count, counted;

    if (argc < 2 || pithlog_open(argv[1], &log) ||
        pithlog_analyze(log, &(struct pithlog_analyze_query){.from_ns = INT64_MIN, .to_ns = INT64_MAX}, &analysis) ||
        pithlog_analysis_findings(analysis, &list, &count) || pithlog_analysis_findings(analysis, &again, &counted))
        return 1;
    for (uint32_t i = 0; i < count; i++)
        printf("%s|%.0f|%.3f|%s|%s|%d|%.9f\n%s", list[i].name, list[i].ns, list[i].share,
               list[i].kind ? pithlog_wait_kind_name(list[i].kind) : "-",
               list[i].state == PITHLOG_COMPUTING ? "-" : pithlog_get_def(log, list[i].state)->name, (int)list[i].lane,
               list[i].worst ? (double)list[i].worst->from_ns / 1e9 : 0, list[i].text);
    pithlog_analysis_free(analysis);
    pithlog_close(log);
    return list != again || count != counted;
}
C
${CC:-cc} -std=gnu11 -I"$build/include" -o list list.c "$build/lib/libpithlog.a" -lz -lm -ldl -lpthread
ok $? "a program on pithlog_findings.h"

# place NAME: rank, other lane, begin and end of the first finding of this name.
place() {
    pith analyze log.pith --json | python3 -c '
import json, sys
for f in json.load(sys.stdin)["findings"]:
    if f["name"] == sys.argv[1]:
        print(f.get("rank"), f.get("other_lane"), f["from_ns"] / 1e3, f["to_ns"] / 1e3)
        break' "$1"
}
log 0:solve:10 0:other:30 0:solve:20 1:solve:30 1:other:10 1:solve:60
is "$(place 'load imbalance')" "1 None 40000.0 100000.0" "a load imbalance shows the longest instance of its state"
is "$(place 'wait at barrier')" "0 1 60000.0 100000.0" "a wait state shows the longest one, and its cause"
hosts 500
is "$(place 'slow hosts')" "0 3 36000.0 36550.0" "slow hosts show the first of the slowest messages, with both ranks"
is "$(place 'transfer')" "0 None 36000.0 36550.0" "a transfer shows the call with the longest"
collectives 8
is "$(place 'slow collectives')" "0 None 12000.0 13100.0" "a slow collective shows the slowest call"

log 0:solve:60 1:solve:100
is "$(./list log.pith)" "load imbalance|40000000|0.200|-|solve|1|0.000000000
solve takes 100.0 ms on rank 1 and 80.00 ms on average
try: give a part of its work to other ranks
wait at barrier|40000000|0.200|wait at barrier|MPI_Barrier|0|0.060000000
ranks wait at a barrier for the last one:
in MPI_Barrier, 1 time, rank 0
caused by solve: 40.00 ms (100 %), on rank 1
worst: 40.00 ms on rank 0, waiting for rank 1
try: balance the work before the barrier, or do without it" "it gets the findings, largest first"
is "$(pith analyze log.pith --json | python3 -c 'import json, sys; print([f.get("command") for f in json.load(sys.stdin)["findings"]])')" \
    "['pith view log.pith --from 0.000000000s --to 0.100000000s --rows 1', 'pith view log.pith --from 0.040000000s --to 0.100000000s --rows 0,1']" \
    "pith analyze adds the command that shows the worst"

# ---- Where the excess is ---------------------------------------------------------------------------------------------
# All compute for 30 ms and meet, then rank 1 computes for 25 ms and the others for 5.
# shellcheck disable=SC2046
steps $(for _ in {1..10}; do echo 30,30,30 5,25,5; done)
place() { pith analyze "$1" --json | python3 -c 'import json, sys; f = next(f for f in json.load(sys.stdin)["findings"] if f["name"] == "load imbalance"); print((f["to_ns"] - f["from_ns"]) // 1000000)'; }
is "$(place log.pith)" 25 "the place is where the others wait for it, not where it is longest"
like "$(answer)" '^imbalance[|]1[|]step[|]' "and it is rank 1"
# Two ranks of four have nothing to do; and a rank has a second thread that calls MPI and hardly computes.
log 0:MPI_Wtime:100 1:MPI_Wtime:100 2:MPI_Wtime:1 3:MPI_Wtime:1
like "$(answer)" '^imbalance[|]0[|]computing[|].*[|]Ranks 0 and 1 alone compute, and the others wait for them: 50 %' "no factor of a hundred; a loop that reads the clock is computing"
is "$(pith analyze log.pith --csv | grep -c '^transfer')" 0 "and no transfer"
log 0:solve:40 1:solve:80 2:solve:40 >/dev/null
awk -F '\t' -v OFS='\t' '/^#/ { print; next } { print } $2 == 2 && /solve/ { next }
    END { print "0.000000000", 2, 1, "enter", "MPI_Test"; print "0.099000000", 2, 1, "leave", "MPI_Test" }' log.txt | sort -s -g -k 1,1 >threads.txt
pith convert threads.txt threads.pith
like "$(answer threads.pith)" 'Rank 1 computes `solve` twice as long as the others' "threads with next to no work are no measure"
# Iterations that change in one step do not drift.
# shellcheck disable=SC2046
steps $(for i in {1..40}; do [ "$i" -gt 20 ] && echo 30,30 || echo 10,10; done)
like "$(pith analyze log.pith)" '^  From iteration 21 on, they take 30[.]00 ms, before 10[.]00 ms[.]$' "from the 21st on"
unlike "$(pith analyze log.pith)" 'than the one before' "that is no drift"
# shellcheck disable=SC2046
steps $(for i in {1..40}; do echo "$((10 + i)),$((10 + i))"; done)
like "$(pith analyze log.pith)" '^  Each is 1[.]000 ms longer than the one before: ' "but this is"
# Every tenth iteration costs something: no range of them has it.
# shellcheck disable=SC2046
steps $(for i in {1..60}; do ((i % 10)) && echo 10,10,10 || echo 10,110,10; done)
like "$(answer)" ', all of it in 6 of 60 iterations[.]$' "every tenth"
unlike "$(pith analyze log.pith)" 'spread over all|in iterations [0-9]+ to' "the findings do not say otherwise"
# What a call takes itself can be faster, too: 20 ms of 30.
log 0:solve:10 1:solve:10
sed 's/^0\.100000000/0.030000000/' log.txt >short.txt
like "$(pith analyze short.txt --what-if MPI_Barrier=2)" '^MPI_Barrier=2 +0[.]020000 s, -33[.]3 % ' "an MPI function that is twice as fast"
# Partners that are not in the log, and a log that ends before MPI_Finalize.
alone() {
    printf '# comm\tcomm=0\tname=MPI_COMM_WORLD\tsize=2\tranks=0,1\n# property\tkey=recovered\tvalue=2 of 2 ranks\n'
    for rank in 0 1; do
        printf '%s\t%d\t0\t%s\n' 0 $rank 'enter\tMPI_Init' 0.01 $rank 'leave\tMPI_Init' | sed 's/\\t/\t/'
        for i in {1..9}; do printf '%s\t%d\t0\t%s\n' "0.$i" $rank 'enter\tMPI_Recv' "0.${i}9" $rank 'leave\tMPI_Recv' | sed 's/\\t/\t/'; done
        printf '0.995\t%d\t0\tenter\tMPI_Bcast\n' $rank
    done
}
alone | sort -s -g -k 1,1 >alone.txt
like "$(answer alone.txt)" 'MPI calls take long, most MPI_Recv .*; the log does not have their partners: 8[0-9] % of the run is lost[.] The log ends before MPI_Finalize, when 2 of 2 ranks are in MPI_Bcast[.]$' "both are said"
alone | grep -v -E '0\.[1-9]' | sort -s -g -k 1,1 >alone.txt
(cat alone.txt; printf '0.010001\t%d\t0\tenter\tMPI_Recv\n' 0 1) >brief.txt
like "$(answer brief.txt)" 'between MPI_Init and the last record: too short to judge the run[.] The log ends before MPI_Finalize, when 2 of 2 ranks are in MPI_Recv[.]$' "a deadlock from the first"
finish
