#!/usr/bin/env bash
# What the ready libraries add to an MPI call, in floors (time stamp counter read and 16 bytes stored, measured in the same run),
# one rank, messages to itself: log beside time, time with all that can be asked for, and trace into a file. Goal: time no
# dearer than log. The rounds of the ways take turns, the best of each counts, for others use the machine too.
. "$(dirname "$0")/../lib.sh"
export PITH_QUIET=1

for mpi in $(mpis); do
    mpicc.$mpi -O2 -o calls "$top/test/bench/mpi/calls.c" 2>/dev/null || continue
    rm -f best.*
    for round in 1 2 3; do
        for way in plain log time time-all trace; do
            rm -f calls.*
            case $way in
                plain) mpiexec_of "$mpi" 1 ./calls ;;
                log) mpiexec_of "$mpi" 1 pith run -o calls.pith ./calls ;;
                time) mpiexec_of "$mpi" 1 pith run --lib time -o calls.csv ./calls ;;
                time-all) PITH_TIME_COMM=1 PITH_TIME_MATRIX=1 mpiexec_of "$mpi" 1 pith run --lib time -o calls.csv ./calls ;;
                trace) [ $round != 1 ] || mpiexec_of "$mpi" 1 pith run --lib trace -o calls.trace ./calls ;;
            esac 2>/dev/null | awk '{ print $1, $2 }' >>best.$way
        done
    done
    echo "$mpi: added ns (floors) by log, time, time with partners and communicators, trace; and what the call takes by itself"
    for way in plain log time time-all trace; do
        awk '!($1 in best) || $2 < best[$1] { best[$1] = $2 } END { for (name in best) print name, best[name] }' best.$way | sort >$way
    done
    join plain log | join - time | join - time-all | join - trace | awk '$1 == "floor" { f = $2 } { line[NR] = $0 } END {
        printf "%-16s %6.1f ns\n", "floor", f
        for (i = 1; i <= NR; i++) { split(line[i], w, " ")
            if (w[1] != "floor") { printf "%-16s", w[1]
                for (k = 3; k <= 6; k++) printf " %8.1f (%6.1f)", w[k] - w[2], (w[k] - w[2]) / f
                printf "   %8.1f\n", w[2] } } }'
done
