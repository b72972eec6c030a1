#!/usr/bin/env bash
# What the end of a recorded MPI program costs: seconds that MPI_Finalize takes, of the slowest rank, recorded less
# unrecorded; with a constant number of records a rank, and with a constant number in all. The floor is what MPI_Finalize
# takes unrecorded; beside it stands MPI_Barrier, since ranks that share a core wait for their turn in each collective.
# With --answer: what the page of `pith analyze` adds to it; the floor is the command by itself, without the cache.
# By record and core: the seconds of all cores in use, by all records: does the work grow faster than the records?
# Best of 3 runs each. BENCH_RANKS: the sizes (default 1 4 16 64; MPICH, which does not yield, 1 and 4 only).
. "$(dirname "$0")/../lib.sh"
. "$top/test/bench/bench.sh"
export PITH_QUIET=1
PER_RANK=250000 IN_ALL=4000000
cores=$(nproc)

# ends COMMAND...: "SECONDS BARRIER" of the slowest rank, best of 3.
ends() {
    for _ in 1 2 3; do
        "$@" 2>err | awk '$1 > s { s = $1 } $2 > b { b = $2 } END { if (NR) print s, b }'
    done | sort -g | head -n 1
}

offline() { rm -rf "$XDG_CACHE_HOME" && pith analyze end.pith; }

for mpi in openmpi mpich; do
    mpis | grep -x $mpi >/dev/null && mpicc.$mpi -O2 -o at_finalize "$top/test/bench/mpi/at_finalize.c" || continue
    for ranks in ${BENCH_RANKS:-1 4 16 64}; do
        [ $mpi = openmpi ] || [ "$ranks" -le 4 ] || continue
        read -r plain barrier <<<"$(ends mpiexec_of $mpi "$ranks" ./at_finalize 1000)"
        for events in $(printf '%d\n' $PER_RANK $((IN_ALL / ranks)) | sort -nu); do
            read -r recorded _ <<<"$(ends mpiexec_of $mpi "$ranks" pith run -o end.pith ./at_finalize "$events")"
            [ -n "${recorded:-}" ] || { echo "$mpi, $ranks ranks: failed"; sed 's/^/    /' err; continue; }
            what="$mpi: finalize, $ranks x $events records"
            goal=; [ "$ranks $events" != "4 1000000" ] || goal="<=0.25"
            row "$what" "$(calc "$recorded - $plain")" s "$plain" $goal
            peer "$what" MPI_Barrier "$barrier"
            busy=$((ranks < cores ? ranks : cores))
            row "$what: by record and core" "$(calc "($recorded - $plain) * $busy * 1e9 / $ranks / $events")" ns
            if [ "$goal" ]; then
                read -r answered _ <<<"$(ends mpiexec_of $mpi "$ranks" pith run --answer -o end.pith ./at_finalize "$events")"
                row "$what: with --answer" "$(calc "${answered:-0} - $recorded")" s "$(least offline)"
            fi
            rm -rf end.pith*
        done
    done
done
