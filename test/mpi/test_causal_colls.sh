#!/usr/bin/env bash
# The causal pass and what MPI does: times of a real program's collectives contradict nothing, and when they are made wrong they
# are mended, blocking and nonblocking ones.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/functions.sh"

check() { python3 "$top/test/cli/causal_check.py" "$1"; }

for mpi in $(mpis); do
    compile colls "$mpi" || { ok 1 "$mpi: compiles"; continue; }
    for ranks in 1 2 4; do
        record colls "$mpi" $ranks
        is "$status" 0 "$mpi $ranks: ends well" || head -n 20 err
        pith print colls.pith >true
        like "$(check true)" '^backwards 0 early 0 of ' "$mpi $ranks: nothing is early"
        pith convert --causal colls.pith same.pith 2>said
        is "$(cat said)" "pith: note: no time was moved" "$mpi $ranks: and nothing is mended"
        started=$(awk -F '\t' '$4 == "event" && $5 == "pith:coll_started"' true | wc -l)
        is "$(awk -F '\t' '$4 == "event" && $5 == "pith:coll_complete"' true | wc -l)" "$started" "$mpi $ranks: $started requests, each complete"
        [ $ranks -gt 1 ] || continue
        python3 "$top/test/cli/skew.py" 1=-1000000000,0 <true >wrong
        like "$(check wrong)" ' early [0-9]*[1-9][0-9]* of' "$mpi $ranks: a rank is 1 s early: $(check wrong)"
        pith convert --causal wrong mended.pith 2>said && pith print mended.pith >mended
        like "$(check mended)" '^backwards 0 early 0 of [0-9]*[1-9]' "$mpi $ranks: mended: $(cat said)"
    done
done
finish
