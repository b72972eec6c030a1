#!/usr/bin/env bash
# What `pith run --lib check` costs: MPI_Allreduce of 8 bytes on two ranks, with it and without, each the best of three
# runs in turns. The check is a sum of 8 bytes itself, but one that does not block. And MPI_Irecv, MPI_Send and MPI_Wait of a
# message to itself, whose request and call site are followed.
. "$(dirname "$0")/../lib.sh"
. "$top/test/bench/bench.sh"
export PITH_QUIET=1

for mpi in $(mpis); do
    mpicc.$mpi -O2 -o agreed "$top/test/bench/mpi/agreed.c" 2>/dev/null || continue
    rm -f plain checked plain_message checked_message
    for _ in 1 2 3; do
        timeout 60 "mpiexec.$mpi" -n 2 ./agreed >>plain 2>/dev/null
        timeout 60 "mpiexec.$mpi" -n 2 pith run --lib check ./agreed >>checked 2>/dev/null
        timeout 60 "mpiexec.$mpi" -n 1 ./agreed message >>plain_message 2>/dev/null
        timeout 60 "mpiexec.$mpi" -n 1 pith run --lib check ./agreed message >>checked_message 2>/dev/null
    done
    row "$mpi: MPI_Allreduce of 8 bytes, checked" "$(calc "$(lowest checked) / $(lowest plain)")" "x plain"
    peer "$mpi: MPI_Allreduce of 8 bytes, checked" "plain, ns" "$(lowest plain)"
    row "$mpi: Irecv, Send, Wait to itself, checked" "$(calc "$(lowest checked_message) - $(lowest plain_message)")" "ns more"
    peer "$mpi: Irecv, Send, Wait to itself, checked" "plain, ns" "$(lowest plain_message)"
done
