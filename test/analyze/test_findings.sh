#!/usr/bin/env bash
# The findings of pith analyze, on small logs.
. "$(dirname "$0")/../lib.sh"

# log RANK:STATE:MS ...: each rank is in these states one after another; at 100 ms all leave a barrier that they wait in.
log() {
    printf '# comm\tcomm=0\tname=MPI_COMM_WORLD\tsize=2\tranks=0,1\n' >log.txt
    printf '%s\n' "$@" | awk -F: '
        function line(ms, rank, text) { printf "%.9f\t%d\t0\t%s\n", ms / 1000, rank, text }
        { line(at[$1] + 0, $1, "enter\t" $2); at[$1] += $3; line(at[$1], $1, "leave\t" $2) }
        END { for (rank in at) {
            line(at[rank], rank, "enter\tMPI_Barrier")
            line(at[rank], rank, "coll\tMPI_COMM_WORLD\tcomm=0\troot=-1")
            line(100, rank, "leave\tMPI_Barrier") } }' | sort -s -g -k 1,1 >>log.txt
    pith convert log.txt log.pith
}
found() { pith analyze log.pith --csv | sed -n "s/^$1,//p" | cut -d, -f1; }

log 0:solve:60 1:solve:100
is "$(found 'load imbalance')" 0.040000000 "rank 1 solves 20 ms more than the mean of two ranks"
is "$(found 'wait at barrier')" 0.040000000 "and rank 0 waits for it"
log 0:ocean:100 1:radiation:60 1:flow:40
is "$(found 'load imbalance')" "" "ranks with different work, but the same amount, are balanced"
log 0:ocean:100 1:radiation:60 1:flow:30
is "$(found 'load imbalance' | sort -u)" 0.010000000 "or could give away what they have more in all"
finish
