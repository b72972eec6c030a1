#!/usr/bin/env bash
# The causal pass and what MPI does: times of a real program's collectives and fences contradict nothing, and when they are made
# wrong they are mended, blocking and nonblocking ones.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/functions.sh"

check() { python3 "$top/test/cli/causal_check.py" "$1"; }

for mpi in $(mpis); do
    compile colls "$mpi" && compile windows "$mpi" || { ok 1 "$mpi: compiles"; continue; }
    for run in "1 colls" "2 colls" "4 colls" "1 windows" "2 windows" "4 windows"; do
        read -r ranks program <<<"$run"
        name="$mpi $ranks $program" log=$program.pith
        record "$program" "$mpi" "$ranks" 10 halves
        is "$status" 0 "$name: ends well" || head -n 20 err
        is "$(pith check "$log" >/dev/null 2>&1; echo $?)" 0 "$name: the log is good"
        pith print "$log" >true
        like "$(check true)" '^backwards 0 early 0 of ' "$name: nothing is early"
        pith convert --causal "$log" same.pith 2>said
        is "$(cat said)" "pith: note: no time was moved" "$name: and nothing is mended"
        started=$(awk -F '\t' '$4 == "event" && $5 == "pith:coll_started"' true | wc -l)
        is "$(awk -F '\t' '$4 == "event" && $5 == "pith:coll_complete"' true | wc -l)" "$started" "$name: $started requests, each complete"
        [ "$ranks" -gt 1 ] || continue
        python3 "$top/test/cli/skew.py" 1=-1000000000,0 <true >wrong
        like "$(check wrong)" ' early [0-9]*[1-9][0-9]* of' "$name: a rank is 1 s early: $(check wrong)"
        pith convert --causal wrong mended.pith 2>said && pith print mended.pith >mended
        like "$(check mended)" '^backwards 0 early 0 of [0-9]*[1-9]' "$name: mended: $(cat said)"
    done
    # of each rank in 10 turns: two fences of one window that end an epoch, and two of the other one, of which one does
    is "$(awk -F '\t' '$4 == "event" && $5 == "pith:coll_of_all"' true | wc -l)" $((4 * 30 + 2 * 19 + 2 * 9)) "$mpi: which fences are barriers"
done
finish
