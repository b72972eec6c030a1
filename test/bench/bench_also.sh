#!/usr/bin/env bash
# What `pith run --also` adds to a call of each kind: CPU time, the same program without it beside, the least of three runs.
. "$(dirname "$0")/../lib.sh"
. "$top/test/bench/bench.sh"
export PITH_QUIET=1 OMP_NUM_THREADS=1

mpi=$(mpis | head -n 1)
"mpicc.$mpi" -O2 -fopenmp -finstrument-functions -o also "$top/test/bench/mpi/also_cost.c" || exit 0
# one KIND FILE: what a call takes.
one() { awk -v kind="$1" '$1 == kind { print $2 }' "$2" >values && lowest values; }
# row_of KIND WHAT
row_of() {
    if [ ! -e "$build/lib/pith/libpith-$1.so" ]; then return; fi
    for _ in 1 2 3; do mpiexec_of "$mpi" 1 pith run --also "$1" -o also.pith ./also; done >recorded
    row "$2, recorded" "$(one "$1" recorded)" ns "$(one "$1" plain)"
}
for _ in 1 2 3; do mpiexec_of "$mpi" 1 pith run -o plain.pith ./also; done >plain
row_of functions "a function of 1 ns"
row_of io "pwrite of 100 bytes"
row_of openmp "OpenMP region and barrier, 1 thread"
row_of pthread "a free mutex, locked and unlocked"
row_of memory "malloc and free of 100 bytes"
