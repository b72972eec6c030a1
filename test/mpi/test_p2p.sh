#!/usr/bin/env bash
# Every way to send and to receive: all messages matched, each with its own; outputs and results as without Pith.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/functions.sh"
reader matched

for mpi in $(mpis); do
    compile p2p "$mpi"
    for ranks in 1 2 4; do
        name="$mpi $ranks"
        plain p2p "$mpi" $ranks
        record p2p "$mpi" $ranks
        is "$status $plain_status" "0 0" "$name: ends well" || head -n 20 err
        is "$(cat out)" "$(cat plain.out)" "$name: output as without Pith"
        sent=$(awk '{ n += $4 } END { print n }' out)
        # MPICH 4.0 does not tell what MPI_Isendrecv and its twin received.
        unsized=$([ "$mpi" = mpich ] && grep -q Isendrecv <(calls_of p2p.pith) && echo $((2 * ranks)) || echo 0)
        is "$(./matched p2p.pith)" "messages $sent wrong 0 unsized $unsized unmatched 0 0 nobody $ranks" "$name: each message matched with its own"
        is "$(pith check p2p.pith >/dev/null 2>&1; echo $?)" 0 "$name: the log is good"
    done
    record p2p "$mpi" 2 truncated
    is "$status $(grep -c 'failed 0$' out)" "0 2" "$mpi: errors are returned as without Pith" || cat out
    like "$(./matched p2p.pith)" "unmatched 0 0 nobody 4$" "$mpi: a truncated message is matched; a failed receive is nobody's"
done
finish
