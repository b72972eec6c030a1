#!/usr/bin/env bash
# What recording adds to an MPI call, in floors (time stamp counter read and 16 bytes stored, measured in the same run), one
# rank, messages to itself. Goals: MPI_Comm_rank 3, Irecv+Send+Wait 10.
. "$(dirname "$0")/../lib.sh"

for mpi in $(mpis); do
    mpicc.$mpi -O2 -o calls "$top/test/bench/mpi/calls.c" 2>/dev/null || continue
    for way in plain recorded paused; do
        case $way in
            plain) mpiexec_of "$mpi" 1 ./calls ;;
            recorded) PITH_QUIET=1 mpiexec_of "$mpi" 1 pith run -o calls.pith ./calls ;;
            paused) PITH_QUIET=1 PITH_LOG=/dev/null/no mpiexec_of "$mpi" 1 pith run ./calls 2>/dev/null ;;
        esac >$way
    done
    echo "$mpi: ns unrecorded, recorded; added; added in floors; with recording off"
    join <(sort plain) <(sort recorded) | join - <(sort paused) | awk '$1 == "floor" { f = $3 } { line[NR] = $0 } END {
        for (i = 1; i <= NR; i++) { split(line[i], w, " ")
            if (w[1] == "floor") printf "%-18s %7.1f\n", "floor", f
            else printf "%-18s %7.1f %7.1f %7.1f   %5.2f floors   off %+.1f\n", w[1], w[2], w[3], w[3] - w[2], (w[3] - w[2]) / f, w[4] - w[2] } }'
done
