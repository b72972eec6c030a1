#!/usr/bin/env bash
# A user who compiles a sample sees no warning, with gcc or clang and with each MPI.
. "$(dirname "$0")/../lib.sh"
[ -n "$(mpis)" ] || { skip "the samples" "no MPI"; finish; }

for mpi in $(mpis); do
    for compiler in gcc clang; do
        command -v "$compiler" >/dev/null || { skip "$mpi: $compiler" "not installed"; continue; }
        for sample in "$top"/samples/*.c "$top"/samples/slow/*.c; do
            MPICH_CC=$compiler OMPI_CC=$compiler "mpicc.$mpi" -O2 -Wall -fopenmp -I"$build/include" -c -o sample.o "$sample"
        done >out 2>&1
        is "$(cat out)" "" "$mpi: the samples compile without a warning by $compiler"
    done
done
finish
