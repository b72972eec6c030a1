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
    echo "$mpi: ns unrecorded, recorded, added, added in floors: best round; median round; mean processor time; added while paused"
    join <(sort plain) <(sort recorded) | join - <(sort paused) | awk '$1 == "floor" { f = $2 } { line[NR] = $0 } END {
        printf "%-16s %6.1f\n", "floor", f
        for (i = 1; i <= NR; i++) { split(line[i], w, " ")
            if (w[1] == "floor") continue
            printf "%-16s", w[1]
            for (k = 2; k <= 4; k++) printf " %6.1f %6.1f %6.1f %6.2f   ", w[k], w[k + 3], w[k + 3] - w[k], (w[k + 3] - w[k]) / f
            printf " %+6.1f\n", w[8] - w[2] } }'
    if command -v eztrace >/dev/null && mpiexec_of "$mpi" 1 eztrace -t "$mpi" ./calls >eztrace 2>/dev/null; then
        echo "$mpi: added by eztrace: best, median round, mean processor time"
        join <(sort plain) <(sort eztrace) | awk '$1 != "floor" && $1 !~ /rank|Init/ { printf "%-16s %6.1f %6.1f %6.1f\n", $1, $5 - $2, $6 - $3, $7 - $4 }'
    fi
    rm -rf ./*_trace
done
