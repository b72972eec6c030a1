#!/usr/bin/env bash
# Random programs of point-to-point calls tell the same with PITH_COMPENSATE as without Pith. More of them:
# test_random.sh FIRST COUNT.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/functions.sh"
export PITH_QUIET=1
# told FILE: what all ranks told
told() { cat told.* >"$1"; rm -f told.*; }

for mpi in $(mpis); do
    compile random_calls "$mpi"
    for ranks in 1 2 4; do
        programs="${1:-1} ${2:-$((ranks == 4 ? 3 : 8))}"
        timeout -k 5 90 "mpiexec.$mpi" -n $ranks "./random_calls-$mpi" $programs >out 2>err
        is "$?" 0 "$mpi $ranks: without Pith" || { head -n 5 err; continue; }
        told plain
        for mode in message datatype auto; do
            rm -rf log.pith*
            PITH_COMPENSATE=$mode timeout -k 5 90 "mpiexec.$mpi" -n $ranks pith run -o log.pith "./random_calls-$mpi" $programs >out 2>err
            status=$?
            told got
            is "$status $(cat got)" "0 $(cat plain)" "$mpi $ranks $mode: all as without Pith" || head -n 5 err
        done
    done
done
finish
