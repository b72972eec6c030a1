#!/usr/bin/env bash
# What a message costs while 10, 1000, 100000 receives are open: what recording adds must not grow with their number.
. "$(dirname "$0")/../lib.sh"

for mpi in $(mpis); do
    mpicc.$mpi -O2 -o open "$top/test/bench/mpi/open_requests.c" 2>/dev/null || continue
    mpiexec_of "$mpi" 1 ./open >plain
    PITH_QUIET=1 mpiexec_of "$mpi" 1 pith run -o open.pith ./open >recorded
    echo "$mpi: open receives and how they are completed: ns a message unrecorded, recorded, added"
    paste plain recorded | awk '{ printf "%-12s %8.1f %8.1f %8.1f\n", $1, $2, $4, $4 - $2 }'
done
