#!/usr/bin/env bash
# What a message costs while 10, 1000, 100000 receives are open: what recording adds must not grow with their number.
. "$(dirname "$0")/../lib.sh"
. "$top/test/bench/bench.sh"

for mpi in $(mpis); do
    mpicc.$mpi -O2 -o open "$top/test/bench/mpi/open_requests.c" 2>/dev/null || continue
    mpiexec_of "$mpi" 1 ./open >plain
    PITH_QUIET=1 mpiexec_of "$mpi" 1 pith run -o open.pith ./open >recorded
    while read -r name plain _ recorded; do
        what="$mpi: a message, ${name/-/ receives open, wait-}, added"
        row "$what" "$(calc "$recorded - $plain")" ns
        peer "$what" "the message itself" "$plain"
    done < <(paste plain recorded)
done
