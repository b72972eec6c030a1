#!/usr/bin/env bash
# What recording adds to an MPI call, in floors (time stamp counter read and 16 bytes stored, measured in the same run), one
# rank, messages to itself. Goals: MPI_Comm_rank 3, Irecv+Send+Wait 10. Where eztrace is installed, what it adds stands
# beside (it records neither MPI_Comm_rank nor MPI_Initialized).
. "$(dirname "$0")/../lib.sh"

for mpi in $(mpis); do
    mpicc.$mpi -O2 -o calls "$top/test/bench/mpi/calls.c" 2>/dev/null || continue
    for way in plain recorded paused; do
        case $way in
            plain) mpiexec_of "$mpi" 1 ./calls ;;
            recorded) PITH_QUIET=1 mpiexec_of "$mpi" 1 pith run -o calls.pith ./calls ;;
            paused) PITH_QUIET=1 mpiexec_of "$mpi" 1 pith run -o calls.pith ./calls paused ;;
        esac >$way
    done
    echo "$mpi: ns unrecorded, recorded, added, added in floors (best round); the same for the median round; added while paused"
    join <(sort plain) <(sort recorded) | join - <(sort paused) | awk '$1 == "floor" { f = $2 } { line[NR] = $0 } END {
        printf "%-16s %6.1f\n", "floor", f
        for (i = 1; i <= NR; i++) { split(line[i], w, " ")
            if (w[1] != "floor") printf "%-16s %6.1f %6.1f %6.1f %6.2f floors   %6.1f %6.1f %6.1f %6.2f floors   %+6.1f\n", w[1],
                w[2], w[4], w[4] - w[2], (w[4] - w[2]) / f, w[3], w[5], w[5] - w[3], (w[5] - w[3]) / f, w[6] - w[2] } }'
    if command -v eztrace >/dev/null && mpiexec_of "$mpi" 1 eztrace -t "$mpi" ./calls >eztrace 2>/dev/null; then
        echo "$mpi: added by eztrace: best, median round"
        join <(sort plain) <(sort eztrace) | awk '$1 != "floor" && $1 !~ /rank|Init/ { printf "%-16s %6.1f %6.1f\n", $1, $4 - $2, $5 - $3 }'
    fi
    rm -rf ./*_trace
done
