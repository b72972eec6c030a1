#!/usr/bin/env bash
# pith analyze as people and scripts use it: the page, the terms, predictions, other formats, logs with little in them.
. "$(dirname "$0")/../lib.sh"

# Rank 0 computes 5 ms and sends to 1; rank 1 computes 3 ms, receives and sends to 2 at once; rank 2 computes 1 ms.
line() { printf '%s\t%s\t0\t%s\t%s' "0.$1" "$2" "$3" "$4"; shift 4; [ $# = 0 ] || printf '\t%s' "$@"; echo; }
chain() {
    line 000000000 0 enter refine
    line 001000000 2 enter MPI_Recv
    line 003000000 1 enter MPI_Recv
    line 005000000 0 leave refine
    line 005000000 0 enter MPI_Send
    line 005000000 0 send MPI_COMM_WORLD comm=0 peer=1 tag=0 bytes=5
    line 005000000 0 leave MPI_Send
    line 005000000 1 recv MPI_COMM_WORLD comm=0 peer=0 tag=0 bytes=5 posted=0
    line 005000000 1 leave MPI_Recv
    line 005000000 1 enter MPI_Send
    line 005000000 1 send MPI_COMM_WORLD comm=0 peer=2 tag=0 bytes=5
    line 005000000 1 leave MPI_Send
    line 005000000 2 recv MPI_COMM_WORLD comm=0 peer=1 tag=0 bytes=5 posted=0
    line 005000000 2 leave MPI_Recv
}
chain >log.txt
pith convert log.txt log.pith
page=$(pith analyze log.pith)
is "$(sed '/pith view/,$d' <<<"$page" | paste -sd ' ')" "Rank 0 alone computes \`refine\`, and the others wait for it: 27 % of the run is lost." "the answer comes first"
like "$(joined "$page")" '[|][|]log[.]pith: 3 ranks, 1 host[|]5[.]000 ms analysed, from the start to the end[|]' "the head"
like "$page" 'parallel +0[.]60 ' "parallel efficiency: (5 + 3 + 1) / 3 / 5"
like "$page" 'Load balance is lowest' "the sentence for the lowest"
like "$page" 'late sender: 40[.]0 %, 6[.]000 ms' "6 ms of 15 ms are waiting"
like "$page" 'caused by +refine: 4[.]000 ms \(67 %\), on rank 0' "rank 0 causes its receiver's wait and the one behind"
like "$page" ' computing: 2[.]000 ms \(33 %\), on rank 1' "rank 1 causes 2 ms"
like "$page" 'worst: 4[.]000 ms on rank 2, waiting for rank 1' "the worst instance"
like "$page" 'pith view log[.]pith --from 0[.]000000000s --to 0[.]005[0-9]*s --rows 2,1$' "the command that shows it"
like "$page" 'refine: 5[.]000 ms \(100 %\), on rank 0' "the critical path"
is "$(awk 'length($0) > 80' <<<"$page")" "" "lines are short"

is "$(pith analyze log.pith --csv | grep '^late sender')" "late sender,0.006000000,0.4,2,1,0.001000000,0.005000000,,,,\"$(grep -o 'pith view .*' <<<"$page" | grep 2,1)\"" "findings as CSV"
pith analyze log.pith --json --waits >got.json
python3 - <<'END' >got
import json
a = json.load(open("got.json"))
print([(w["rank"], w["handed_ns"]) for w in a["wait_states"]])
print(a["window"], a["ranks"], a["useful_ns"], len(a["wait_states"]), sum(d["direct_ns"] + d["indirect_ns"] for d in a["delays"]))
END
is "$(head -n 1 got)" "[(1, 2000000), (2, 0)]" "rank 1 hands on the half of rank 2's waiting that its own caused"
is "$(tail -n 1 got)" "{'from_ns': 0, 'to_ns': 5000000, 'part': 1} 3 [5000000, 3000000, 1000000] 2 6000000" "JSON, whose delays sum up to the waiting"
like "$(pith analyze log.pith --from 2ms --to 4ms)" 'late sender: 50[.]0 %, 3[.]000 ms' "a window: 2 ms + 1 ms of waiting in it"

# Two ranks compute 5 ms in turn; the message between them is received at MS, and the answer at 10.21 ms.
turns() { # MS
    local at=00${1/./}0000
    line 000000000 0 enter refine; line 005000000 0 leave refine
    line 000000000 1 enter MPI_Recv
    line 005000000 0 enter MPI_Send; line 005000000 0 send MPI_COMM_WORLD comm=0 peer=1 tag=0 bytes=5
    line 005000000 0 leave MPI_Send; line 005000000 0 enter MPI_Recv
    line "$at" 1 recv MPI_COMM_WORLD comm=0 peer=0 tag=0 bytes=5 posted=0; line "$at" 1 leave MPI_Recv
    line "$at" 1 enter refine; line 010210000 1 leave refine
    line 010210000 1 enter MPI_Send; line 010210000 1 send MPI_COMM_WORLD comm=0 peer=0 tag=0 bytes=5
    line 010210000 1 leave MPI_Send
    line 010210000 0 recv MPI_COMM_WORLD comm=0 peer=1 tag=0 bytes=5 posted=0; line 010210000 0 leave MPI_Recv
}
turns 5.01 >turns.txt
is "$(pith analyze turns.txt | grep -A 1 'Serialisation is lowest: .* A faster network$' | tail -n 1)" "  would not help." "serialisation, and no time in the network"
turns 5.21 >turns.txt
is "$(pith analyze turns.txt | grep -A 1 'Serialisation is lowest: .* A faster network$' | tail -n 1)" "  would save 2 % of the run at most." "serialisation, and some time in the network"

# Rank 0 receives tag 1 first, which is sent at 4 ms and 9 ms; tag 2 of rank 1 is there since 2 ms, that of rank 2 since 3 ms.
order() { # SOURCE of the message that is there
    line 000000000 0 enter MPI_Recv
    line 002000000 "$1" enter MPI_Send
    line 002000000 "$1" send MPI_COMM_WORLD comm=0 peer=0 tag=2 bytes=5
    line 002100000 "$1" leave MPI_Send
    line 004000000 1 enter MPI_Send
    line 004000000 1 send MPI_COMM_WORLD comm=0 peer=0 tag=1 bytes=5
    line 004100000 1 leave MPI_Send
    line 004200000 0 recv MPI_COMM_WORLD comm=0 peer=1 tag=1 bytes=5 posted=0
    line 004200000 0 leave MPI_Recv
    line 004300000 0 enter MPI_Recv
    line 004400000 0 recv MPI_COMM_WORLD comm=0 peer="$1" tag=2 bytes=5 posted=1
    line 004400000 0 leave MPI_Recv
}
order 1 >order.txt
like "$(pith analyze order.txt --json --waits)" '"wrong_order":"same source"' "wrong order, same source"
like "$(pith analyze order.txt)" 'wrong order: 4[.]000 ms in 1 of them' "and on the page"
order 1 | sed 's/0[.]004300000/0.004250000/' >order.txt
is "$(pith analyze order.txt --json --waits | grep -c wrong_order)" 0 "but not if the rank computes for only 50 us between the two: nothing is gained"
order 2 >order.txt
like "$(pith analyze order.txt --json --waits)" '"wrong_order":"other source"' "wrong order, other source"
is "$(pith analyze log.pith --json --waits | grep -c wrong_order)" 0 "a chain is in order"

# Rank 0 sends ten messages of 8 bytes, one after the other, each call 10 us; rank 1 receives them, with a transfer of 10 us
# each but the last, which takes 5 ms.
small() {
    for i in 0 1 2 3 4 5 6 7 8 9; do
        at=$((100 + 20 * i))
        line "000${at}000" 0 enter MPI_Send
        line "000${at}000" 0 send MPI_COMM_WORLD comm=0 peer=1 tag=0 bytes="$1"
        line "000${at}000" 1 enter MPI_Recv
        end=000$((at + 10))000
        line "$end" 0 leave MPI_Send
        [ $i -lt 9 ] || end=005300000
        line "$end" 1 recv MPI_COMM_WORLD comm=0 peer=0 tag=0 bytes="$1" posted=$i
        line "$end" 1 leave MPI_Recv
    done
}
small 8 >small.txt
like "$(pith analyze small.txt --csv)" '^small messages,0[.]000090000,' "nine small messages cost the time of their calls"
like "$(pith analyze small.txt)" '^  [0-9]+ more costs? less than 1 %( each)? ' "which is little: counted on the page, not listed"
like "$(pith analyze small.txt --explain small-messages)" '9 of 10 messages could be part of the message before them' "and are counted"
like "$(pith analyze small.txt --to 195us | tr -s ' \n' ' ')" 'small messages: 21[.]1 %, 40[.]00 us 4 of 5 messages' "only those of the part that is analysed"
small 2000 >large.txt
is "$(pith analyze large.txt | grep -c 'small messages')" 0 "longer messages are not small"
like "$(joined "$(pith analyze small.txt)")" 'descheduled ranks: 48[.]2 %, 5[.]010 ms[|]       in 1 call,' \
    "one transfer takes 5.02 ms, and usually 10 us"

# A record costs 1 us; each rank makes four in each of 100 steps of 100 us.
awk 'BEGIN {
    print "# property\tkey=own_cost_ns h\tvalue=enter=1000\n# lane\trank=0\tthread=0\tname=\thost=h\n# lane\trank=1\tthread=0\tname=\thost=h"
    for (i = 0; i < 100; i++) for (k = 0; k < 4; k++) for (r = 0; r < 2; r++)
        printf "%.9f\t%d\t0\t%s\t%s\n", (i * 100 + k * 20) / 1e6, r, k % 2 ? "leave" : "enter", k < 2 ? "solve" : "MPI_Comm_rank" }' >cost.txt
like "$(pith analyze cost.txt)" 'recording: 4[.]0 %, 79[0-9][.]. us' "the cost of recording"
like "$(pith analyze cost.txt --from 2ms --to 4ms)" 'recording: [34][.][0-9] %, 1[56][0-9][.]. us' "of a part of the run"

# One-sided: rank 1 posts its window at 3 ms; rank 0 starts its access at 1 ms, and in the second epoch MPI_Win_start returns at
# once and MPI_Win_complete waits. Rank 1 waits for the end of the accesses. Then both lock rank 0's window: rank 1 has it.
windows() {
    printf '# event\tname=pith:epoch\tcolour=gray50\tgroup=pith\tformat=what=%%s ranks=%%s\n'
    epoch() { line "$1" "$2" enter "$3"; line "$1" "$2" event pith:epoch "payload=what=$4 ranks=$5"; }
    epoch 001000000 0 MPI_Win_start start 1
    epoch 003000000 1 MPI_Win_post post 0
    line 003100000 1 leave MPI_Win_post
    line 003200000 0 leave MPI_Win_start
    epoch 003500000 1 MPI_Win_wait wait ""
    epoch 004000000 0 MPI_Win_complete complete ""
    line 004100000 0 leave MPI_Win_complete
    line 004200000 1 leave MPI_Win_wait
    epoch 005000000 0 MPI_Win_start start 1
    line 005100000 0 leave MPI_Win_start
    epoch 005200000 0 MPI_Win_complete complete ""
    epoch 006200000 1 MPI_Win_post post 0
    line 006300000 1 leave MPI_Win_post
    line 006400000 0 leave MPI_Win_complete
    epoch 006500000 1 MPI_Win_wait wait ""
    line 006600000 1 leave MPI_Win_wait
    epoch 007000000 1 MPI_Win_lock "$1" 0
    line 007100000 1 leave MPI_Win_lock
    epoch 007500000 0 MPI_Win_lock "$1" 0
    epoch 009000000 1 MPI_Win_unlock unlock 0
    line 009100000 1 leave MPI_Win_unlock
    line 009200000 0 leave MPI_Win_lock
    epoch 009300000 0 MPI_Win_unlock unlock 0
    line 009400000 0 leave MPI_Win_unlock
}
waited() { pith analyze "$@" --json --waits | python3 -c 'import json, sys
for w in json.load(sys.stdin)["wait_states"]: print(w["rank"], w["kind"], w["state"], w["to_ns"] - w["from_ns"], w["cause_lane"])' | sort; }
windows exclusive >windows.txt
is "$(waited windows.txt)" "0 late post MPI_Win_complete 1000000 1
0 late post MPI_Win_start 2000000 1
0 lock contention MPI_Win_lock 1500000 1
1 early wait MPI_Win_wait 500000 0" "one-sided epochs, to the nanosecond"
windows shared >shared.txt
is "$(waited shared.txt | grep -c lock)" 0 "shared locks do not wait for each other"
sed 's/ranks=1$/ranks=/' windows.txt >unknown.txt
is "$(waited unknown.txt | grep -c post)" 0 "an unknown group"
like "$(pith analyze windows.txt --explain late-post)" 'Here: 2 times, 3[.]000 ms' "a late post, explained"

# MPI_Init: rank 2 begins last, at 5 ms. Where rank 0 ends it before, none waited.
init() { # END of rank 0
    for r in 0 1 2; do
        line 00$((r * 5 / 2))000000 $r enter MPI_Init
        [ $r = 0 ] && line "00${1}000000" $r leave MPI_Init || line 006000000 $r leave MPI_Init
        line 007000000 $r enter MPI_Finalize
    done | sort -s -g -k 1,1
}
init 6 >init.txt
is "$(waited init.txt --from 0)" "0 wait at init MPI_Init 5000000 2
1 wait at init MPI_Init 3000000 2" "MPI_Init, with --from 0"
is "$(waited init.txt)" "" "by default the analysis begins after MPI_Init"
init 4 >early.txt
is "$(waited early.txt --from 0)" "" "MPI_Init does not wait if one rank ends it early"
like "$(pith analyze init.txt --from 0 --explain wait-at-init)" 'Here: 2 times, 8[.]000 ms' "wait at init, explained"

# A persistent barrier and broadcast: rank 1 starts them at 3 ms, and rank 0 completes them from 1 ms on.
persistent() { # FUNCTION
    printf '# event\tname=pith:coll_%s\tformat=%s\n' kept 'request=%d number=%d' started 'request=%d' complete 'request=%d'
    for r in 0 1; do
        at=$((3 * r))
        line 000000000 $r enter "MPI_${1}_init"
        line 000000000 $r event pith:coll_kept "payload=request=7 number=0"
        line 000100000 $r leave "MPI_${1}_init"
        line 00${at}500000 $r enter MPI_Start
        line 00${at}500000 $r event pith:coll_started payload=request=7
        line 00${at}500000 $r coll MPI_COMM_WORLD comm=0 root=1 bytes=8 got_bytes=8
        line 00${at}600000 $r leave MPI_Start
        line 00$((at + 1))000000 $r enter MPI_Wait
        line 004${r}00000 $r event pith:coll_complete payload=request=7
        line 004${r}00000 $r leave MPI_Wait
    done | sort -s -g -k 1,1
}
persistent Barrier >persistent.txt
is "$(waited persistent.txt)" "0 wait at barrier MPI_Wait 2500000 1" "a persistent barrier"
persistent Bcast >persistent.txt
is "$(waited persistent.txt)" "0 late broadcast MPI_Wait 2500000 1" "a persistent broadcast"

# ---- Terms and predictions -------------------------------------------------------------------------------------------
like "$(pith analyze log.pith --explain late-sender)" 'Here: 2 times, 6[.]000 ms, 40[.]0 %' "a wait state, explained"
like "$(pith analyze log.pith --explain Serialisation)" '= 1[.]000 here' "an efficiency, explained"
like "$(pith analyze log.pith --explain load-imbalance)" 'longer in a state than the mean' "a finding, explained"
like "$(joined "$(pith analyze log.pith --explain load-imbalance)")" '[|]Here: 40[.]0 % of all ranks. time, 6[.]000 ms:[|]  refine takes 5[.]000 ms on rank 0' "with its numbers"
like "$(pith analyze log.pith --explain small-messages)" '^Here: below 0[.]5 % of all ranks. time$' "a finding that this log does not have"
like "$(pith analyze log.pith --explain critical-path)" '^Here: refine: 5[.]000 ms [(]100 %[)], on rank 0$' "the critical path, with its states"
like "$(pith analyze log.pith --explain imbalance)" '^Here: refine: 3[.]333 ms, 67 % of the run$' "imbalance, with its states"
printf '%s\t%s\t0\t%s\t%s\n' 0 0 enter s 0 1 enter s 0.001 0 leave s 0.001 0 enter a 0.005 1 leave s 0.005 1 enter MPI_Recv 0.010 0 leave a \
    0.010 0 enter MPI_Send 0.010 0 send '	comm=0	peer=1	bytes=8' 0.0101 0 leave MPI_Send 0.0101 1 recv '	comm=0	peer=0	bytes=8' 0.0101 1 leave MPI_Recv >short.txt
is "$(pith analyze short.txt --explain imbalance | grep -A9 Here)" "Here: a: 4.500 ms, 45 % of the run" "of states that take longer on the path than on average"
like "$(joined "$(pith analyze log.pith --explain delay)")" '[|]Here: refine on rank 0 causes 4[.]000 ms of late sender[|] +[(]2[.]000 ms direct, the rest indirect[)][|] +computing on rank 1 causes 2[.]000 ms' "delays, with the largest"
like "$(pith analyze log.pith --explain wrong-order)" '^Here: 0 times, 0 ns, 0[.]0 %' "wrong order"
for term in parallel 'load balance' communication serialisation transfer 'critical path' delay imbalance 'load imbalance' 'descheduled ranks' \
    'no core' 'slow hosts' 'slow collectives' 'serialised MPI-IO' files answer 'small messages' messages 'OpenMP waiting' 'thread waiting' recording 'wrong order' 'all threads' \
    iterations 'late sender' 'wait at N x N' 'wait for progress'; do
    pith analyze log.pith --explain "$term" || echo "exit $?: $term"
done >terms
is "$(grep -E '.{81}|^exit|^$' terms | grep -v '^$')" "" "each term of the page, in 80 columns"
pith analyze log.pith --explain nothing >out 2>err
is "$?" 2 "an unknown term"
like "$(cat err)" "^pith: analyze: --explain knows .*'late sender'.*; not 'nothing'$" "is answered in one line"
like "$(pith analyze log.pith --what-if refine@0=2)" '^refine@0=2 +0[.]003000 s, -40[.]0 % .*unchanged: 0[.]005000 s, measured: 0[.]005000 s' \
    "refine twice as fast: rank 1's 3 ms decide"
like "$(joined "$(pith analyze log.pith --what-if network=ideal --what-if computing=2)")" '0[.]005000 s[^|]*[|].*0[.]005000 s' "two predictions, two lines"
# Without the first send, nobody knows for whom rank 1 waits in its 2 ms of MPI_Recv, which the path passes over.
{ chain | grep -v 'send.*peer=1'; line 006000000 2 enter MPI_Barrier; } >unknown.txt
like "$(joined "$(pith analyze unknown.txt)")" '[|]  Unknown: 11 % of the time, and 33 % of the critical path, is in calls whose[|]  partners are not in the log' "the share of unknown needs"
is "$(pith analyze unknown.txt --json | python3 -c 'import json, sys; t = json.load(sys.stdin)["trust"]; print(t["unknown_ns"], t["path_unknown_ns"])')" "2000000 2000000" "the same as JSON"
is "$(pith analyze unknown.txt --csv | grep -c descheduled)" 0 "and it is not said to have had no core"
pith analyze unknown.txt --what-if balanced >out 2>err
is "$? $(cat out err)" "1 pith: unknown.txt: no prediction: 11 % of the time is in calls whose partners are not in the log" "above 10 %, no prediction"
like "$(pith analyze log.pith --what-if balanced)" '^balanced +0[.]003000 s, -40[.]0 % ' "balanced: 9 ms of computing on three ranks"
# Rank 0 computes 1 ms, 2 ms and waits for rank 1, which computes 9 ms at once. Balanced: each computes 6 ms.
{
    line 000000000 0 enter MPI_Barrier; line 000000000 1 enter MPI_Barrier
    line 000000000 0 coll MPI_COMM_WORLD comm=0 op=barrier root=-1 bytes=0; line 000000000 1 coll MPI_COMM_WORLD comm=0 op=barrier root=-1 bytes=0
    line 000000000 0 leave MPI_Barrier; line 000000000 1 leave MPI_Barrier
    line 003000000 0 enter MPI_Recv
    line 009000000 1 enter MPI_Send
    line 009000000 1 send MPI_COMM_WORLD comm=0 peer=0 tag=0 bytes=5
    line 009500000 1 leave MPI_Send
    line 009500000 0 recv MPI_COMM_WORLD comm=0 peer=1 tag=0 bytes=5 posted=0
    line 009500000 0 leave MPI_Recv
} >uneven.txt
like "$(pith analyze uneven.txt --what-if balanced)" '^balanced +0[.]006500 s, -31[.]6 % .*unchanged: 0[.]009500 s' "balanced: 3 and 9 ms become 6 ms; the transfer stays"
# Before a barrier rank 0 computes 1 ms and rank 1 3 ms, behind it 5 ms and 1 ms: balanced 2 ms and 3 ms. Over the whole
# run they would be 6 and 4 ms, each scaled to 5: the longer parts of the ranks, 3.75 and 4.17 ms, would remain.
{
    line 000000000 0 enter a; line 000000000 1 enter a
    line 001000000 0 leave a; line 001000000 0 enter MPI_Barrier; line 003000000 1 leave a; line 003000000 1 enter MPI_Barrier
    line 001000000 0 coll MPI_COMM_WORLD comm=0 op=barrier root=-1 bytes=0; line 003000000 1 coll MPI_COMM_WORLD comm=0 op=barrier root=-1 bytes=0
    line 003000000 0 leave MPI_Barrier; line 003000000 1 leave MPI_Barrier
    line 003000000 0 enter b; line 003000000 1 enter b
    line 008000000 0 leave b; line 004000000 1 leave b
    line 008000000 0 enter MPI_Barrier; line 004000000 1 enter MPI_Barrier
    line 008000000 0 coll MPI_COMM_WORLD comm=0 op=barrier root=-1 bytes=0; line 004000000 1 coll MPI_COMM_WORLD comm=0 op=barrier root=-1 bytes=0
    line 008000000 0 leave MPI_Barrier; line 008000000 1 leave MPI_Barrier
} | sort -s -g -k 1,1 >phases.txt
printf '%s\t%d\t0\t%s\n' 0 0 'enter	solve' 0.01 0 'leave	solve' 0.01 0 'enter	MPI_Wait' 0.04 0 'leave	MPI_Wait' 0 1 'enter	solve' 0.04 1 'leave	solve' \
    0.04 1 'enter	MPI_Comm_rank' 0.04 1 'leave	MPI_Comm_rank' |
    sort -s -g -k 1,1 >hidden.txt
like "$(pith analyze hidden.txt --what-if balanced)" '^balanced +0[.]055000 s, [+]37[.]5 %' "a rank that waits 30 ms, as far as the log shows, for nobody"
like "$(joined "$(pith analyze hidden.txt --what-if balanced)")" 'Balanced takes longer: .*So this is no prediction[.]' "which it says"
unlike "$(pith analyze phases.txt --what-if balanced)" 'takes longer' "elsewhere it does not"
like "$(pith analyze phases.txt --what-if balanced)" '^balanced +0[.]005000 s, -37[.]5 % .*unchanged: 0[.]008000 s' "balanced in each phase: 2 + 3 ms, not 8"
# The same with messages that both exchange instead of barriers.
sed -E 's/MPI_Barrier/MPI_Sendrecv/; s/^([0-9.]+)\t([01])\t0\tcoll.*/\1\t\2\t0\tsend\tMPI_COMM_WORLD\tcomm=0\tpeer=\2\ttag=0\tbytes=4/; s/peer=0/peer=one/; s/peer=1/peer=0/; s/peer=one/peer=1/' phases.txt |
    awk -F '\t' -v OFS='\t' '$4 == "leave" && $5 == "MPI_Sendrecv" { print $1, $2, $3, "recv", "MPI_COMM_WORLD", "comm=0", "peer=" 1 - $2, "tag=0", "bytes=4", "posted=" 0 + n[$2]++ } 1' >exchanges.txt
like "$(pith analyze exchanges.txt --what-if balanced)" '^balanced +0[.]005000 s, -37[.]5 % .*unchanged: 0[.]008000 s' "balanced between two exchanges of messages"
like "$(pith analyze phases.txt --from 0.002s --what-if balanced)" '^balanced +0[.]004000 s, -33[.]3 % .*unchanged: 0[.]006000 s' "in a window: the 1 ms of rank 1 before the barrier, then 3 ms"
# Two ranks in turn compute 1 ms and send 1000, 10000 or 100000 bytes, which take 10 us + 1 ns a byte; the last message takes
# MORE ns. The other rank waits.
network() { # MORE
    python3 - "$1" <<'END'
import sys
at, begin, got = 0, [0, 0], [0, 0]
def put(ns, rank, *rest): print("%.9f" % (ns / 1e9), rank, 0, *rest, sep="\t")
for i in range(25):
    size, rank, other = 10 ** (3 + i % 3), i % 2, 1 - i % 2
    sent = at + 1000000
    at = sent + 10000 + size + (int(sys.argv[1]) if i == 24 else 0)
    put(begin[other], other, "enter", "MPI_Recv")
    put(sent, rank, "enter", "MPI_Send")
    put(sent, rank, "send", "MPI_COMM_WORLD", "comm=0", "peer=%d" % other, "tag=0", "bytes=%d" % size)
    put(sent, rank, "leave", "MPI_Send")
    put(at, other, "recv", "MPI_COMM_WORLD", "comm=0", "peer=%d" % rank, "tag=0", "bytes=%d" % size, "posted=%d" % got[other])
    put(at, other, "leave", "MPI_Recv")
    begin[rank] = sent
    got[other] += 1
for rank, ns in ((0, sent), (1, at)):
    put(ns, rank, "enter", "MPI_Finalize")
    put(at + 1000, rank, "leave", "MPI_Finalize")
END
}
network 0 >network.txt
like "$(pith analyze network.txt)" '^  Matched: 25 of 25 messages$' "the head says what was matched"
like "$(pith analyze network.txt)" 'A replay on the fitted network takes as long as the run[.]' "a latency and a byte rate explain the run"
# 25 ms of computing, 250 us of latency, 889 us of bytes
like "$(pith analyze network.txt --what-if network=latency)" '^network=latency +0[.]025250 s, .*fitted network: 0[.]026139 s, measured: 0[.]026139 s' "without the time of bytes"
like "$(pith analyze network.txt --what-if network=10)" '^network=10 +0[.]025114 s' "ten times faster"
network 3000000 >stopped.txt
like "$(flowing "$(pith analyze stopped.txt)")" 'is 10[.]3 % shorter than the run, so predictions for another network cannot be trusted[.]' "a rank that did not run is not of the network"
like "$(joined "$(pith analyze stopped.txt --what-if network=2 | tail -n 2)")" 'replay is 10 % shorter[.][|]Its predictions cannot' "nor do predictions hide it"
like "$(pith analyze stopped.txt)" "^  Differs most: MPI_Recv, 4[.]139 ms, in the replay 1[.]139 ms[.]$" "where the replay differs"
is "$(pith analyze stopped.txt --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["trust"]["worst"])')" \
    "[{'state': 'MPI_Recv', 'calls': 25, 'log_ns': 4139000, 'replay_ns': 1139000}]" "the same as JSON"
network 30000000 >still.txt
like "$(joined "$(pith analyze still.txt)")" 'Transfer is lowest: [^|]* 55 % of the run[.][|]  Most of it is in calls of ranks that did not run: see descheduled ranks[.]' "transfer that is none"
like "$(flowing "$(pith analyze still.txt)")" 'descheduled ranks: .* ran something else on the core of the rank or of its partner; are there more ranks than cores[?]' "cores that the log does not say"
like "$(joined "$(sed '1i # property\tkey=cores\tvalue=2' still.txt >enough.txt; pith analyze enough.txt)")" 'partner; were other programs running[?]' "cores for all ranks"
sed -i '1i # property\tkey=cores\tvalue=1' stopped.txt
like "$(pith analyze stopped.txt)" ', 1 core$' "cores"
like "$(flowing "$(pith analyze stopped.txt)")" 'cannot be trusted: there are more ranks than cores[.]' "are fewer than ranks"
is "$(pith analyze stopped.txt --from 2ms --to 20ms | grep 'ms analysed')" "18.00 ms analysed, from 0.002000 s to 0.020000 s" "another part of the run"
is "$(pith analyze stopped.txt --from 2ms | grep 'ms analysed')" "27.14 ms analysed, from 0.002000 s to MPI_Finalize" "from a time on"
for wrong in nothing=2 refine@7=2 refine=0 refine network=x; do
    pith analyze log.pith --what-if "$wrong" >out 2>err
    is "$? $(wc -l <err) $(wc -c <out)" "2 1 0" "--what-if $wrong: one line, status 2"
done

# ---- Other formats give the same figures -----------------------------------------------------------------------------
figures() { pith analyze "$1" --csv | sed "s|pith view [^ ]*|pith view LOG|"; }
for format in clog2 otf2; do
    out=log.$format
    if pith convert log.pith "$out" 2>/dev/null && [ -e "$out" ]; then
        [ -d "$out" ] && out=$(find "$out" -name '*.otf2' | head -n 1)
        is "$(figures "$out")" "$(figures log.pith)" "the same from $format"
    else
        skip "$format" "it is not written here"
    fi
done
pith convert log.pith with.txt --with analysis
is "$(grep -c $'\tlate sender$' with.txt) $(grep -c $'enter\tcritical path$' with.txt)" "4 1" "convert --with analysis: two wait states, one interval of the path"
is "$(grep -v $'\t[12]000000\t' with.txt | grep -c '^[0-9]')" "14" "beside the records of the log"
is "$(pith stat with.txt --csv | grep ^computing)" "$(pith stat log.pith --csv | grep ^computing)" "these lanes do not compute"
is "$(figures with.txt)" "$(figures log.pith)" "nor are they threads, if the log is analysed again"

# ---- Threads --------------------------------------------------------------------------------------------------------
# Rank 0 computes 6 ms of 10 and waits 4 ms in a barrier, rank 1 computes 10 ms. A thread of each works for 3 ms.
{
    line 000000000 0 enter solve; line 000000000 1 enter solve
    for r in 0 1; do printf '0.001\t%d\t1\tenter\tsolve\n0.004\t%d\t1\tleave\tsolve\n' $r $r; done
    for r in 0 1; do
        t=00$((6 + 4 * r))000000
        [ $r = 0 ] || t=010000000
        line $t $r leave solve; line $t $r enter MPI_Barrier
        line $t $r coll MPI_COMM_WORLD comm=0 op=barrier root=-1 bytes=0
    done
    line 010000000 0 leave MPI_Barrier; line 010000000 1 leave MPI_Barrier
} | sort -s -g -k 1,1 >threads.txt
page=$(pith analyze threads.txt)
like "$page" 'parallel +0[.]80 ' "of the threads with MPI calls: (6 + 10) / 2 / 10"
like "$page" 'all threads +0[.]55 ' "of all threads: (6 + 10 + 3 + 3) / 4 / 10"
like "$page" '  threads +0[.]69 ' "their quotient"
pith analyze threads.txt --html threads.html
is "$(grep -oE '">(all threads|MPI|threads)<.*">0[.][0-9]+<' threads.html | sed -E 's/">(.*)<.*">(.*)</\1 \2/; s/<.* / /')" \
    "$(printf 'all threads 0.55\nMPI 0.80\nthreads 0.69')" "the same in the page for a browser"
is "$(pith analyze uneven.txt threads.txt | grep threads | grep -v '^B')" "$(printf '  all threads                     -       0.55\n    threads                       -       0.69')" "beside a log without such threads"
is "$(pith analyze uneven.txt threads.txt --csv | head -n 3 | cut -d, -f 16,17)" "$(printf 'all_threads,threads\n,\n0.55,0.6875')" "the same as CSV"
is "$(grep -c 'all threads' <<<"$(pith analyze uneven.txt)")" 0 "a log without such threads has no such line"
is "$(pith analyze threads.txt | awk 'length($0) > 80')" "" "lines are short"

# OpenMP. Of 10 ms, rank 0 computes 5, waits 3 for its thread, 1 of them in a task, and is 2 in a barrier; its thread
# works for 3 and is idle for the rest. Rank 1 computes 10 ms, its thread 3.
{
    printf '# state\tname=omp:%s\tcolour=\tgroup=OpenMP%s\n' barrier ' waiting' idle ' waiting' task '' implicit_task ''
    sort -s -g -k 1,1 <<'EOF' | awk -v OFS='\t' '{ print $1 / 1000, $2, $3, $4, $5 }'
0 0 0 enter omp:implicit_task
5 0 0 enter omp:barrier
6 0 0 enter omp:task
7 0 0 leave omp:task
8 0 0 leave omp:barrier
8 0 0 leave omp:implicit_task
8 0 0 enter MPI_Barrier
10 0 0 leave MPI_Barrier
0 0 1 enter omp:implicit_task
3 0 1 leave omp:implicit_task
3 0 1 enter omp:idle
10 0 1 leave omp:idle
0 1 0 enter solve
10 1 0 leave solve
10 1 0 enter MPI_Barrier
10 1 0 leave MPI_Barrier
2 1 1 enter omp:implicit_task
5 1 1 leave omp:implicit_task
EOF
} >hybrid.txt
page=$(pith analyze hybrid.txt)
like "$page" '^  parallel +0[.]90 ' "OpenMP: outside MPI: (8 + 10) / 2 / 10"
like "$page" '^  all threads +0[.]55 ' "at work: (6 + 10 + 3 + 3) / 4 / 10"
like "$page" '^    threads +0[.]61 ' "their quotient"
like "$page" '^      load balance +0[.]61 ' "load balance: (0.55 / 1) / (0.9 / 1)"
like "$page" '^      communication +1[.]00 ' "communication: (10 / 10) / (10 / 10)"
like "$(joined "$page")" 'OpenMP waiting: 10[.]0 %, 2[.]000 ms[|] +threads that call MPI wait.*most in omp:barrier, 2[.]000 ms on rank 0[.]0' \
    "waiting of threads that call MPI, without the task"
is "$(grep -c 'omp:barrier takes' <<<"$page")" 0 "waiting is no load to be balanced"
is "$(python3 "$top/test/analyze/hybrid_check.py" hybrid.txt 2>&1)" "0.5500 = 0.9000 x 0.6111" "by definition"
like "$(pith stat hybrid.txt)" '^computing +5 +22[.]00 ms +0 ns' "computing: the intervals between MPI calls and waiting"
like "$(pith analyze hybrid.txt --explain openmp-waiting)" 'OpenMP waiting' "--explain"

# ---- Logs with little in them ----------------------------------------------------------------------------------------
{ line 000000000 0 enter work; line 001000000 0 leave work; } >alone.txt
like "$(pith analyze alone.txt)" 'The log has no MPI calls' "no MPI: no efficiencies"
{ line 000000000 0 enter MPI_Init; line 001000000 0 leave MPI_Init; line 002000000 0 enter MPI_Finalize; line 003000000 0 leave MPI_Finalize; } >one.txt
like "$(pith analyze alone.txt)" 'nothing can be said about waiting' "and no findings"
is "$(pith analyze alone.txt | wc -l)" 5 "in a few lines"
pith analyze alone.txt --from 2 >out 2>err
is "$? $(wc -l <err) $(wc -c <out)" "1 2 0" "a part without records: a note of the log's times, and one line"
like "$(cat err)" 'alone.txt: nothing to analyse' "which says so"
sed 's/^0.000000000\(.*\)leave/0.000100000\1leave/; /\tcoll\t/d' uneven.txt | sort -s -g -k 1,1 >states.txt
like "$(pith analyze states.txt)" 'does not contain the members of collectives' "calls of collectives without their records"
like "$(pith analyze one.txt)" '1[.]000 ms analysed, from the end of MPI_Init to MPI_Finalize' "one rank"
like "$(pith analyze one.txt)" 'Nothing is badly wrong' "of which nothing is wrong"
like "$(pith analyze one.txt)" 'Nothing costs' "and no finding"
: >empty.txt
pith analyze empty.txt >out 2>err
is "$? $(wc -l <err)" "1 1" "an empty file: one line"
head -c 250 log.pith >half.pith
pith analyze half.pith >out 2>err
like "$? $(grep -v note: err)" '^1 pith: half.pith: nothing to analyse: .*the log is incomplete: byte' "a log without its records"
chain | head -n 8 >cut.txt
pith analyze cut.txt >out 2>err
is "$?" 0 "a log whose receives are missing"
pith analyze nothere.pith >out 2>err
is "$? $(wc -l <err)" "1 1" "no such log: one line"
finish
