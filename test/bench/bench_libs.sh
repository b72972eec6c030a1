#!/usr/bin/env bash
# What the ready libraries add to an MPI call, one rank, messages to itself: log beside time, time with all that can be asked
# for, and trace into a file. The floor: time stamp counter read and 16 bytes stored, measured in the same run. Goal: time no
# dearer than log. The rounds of the ways take turns, the best of each counts, for others use the machine too.
. "$(dirname "$0")/../lib.sh"
. "$top/test/bench/bench.sh"
export PITH_QUIET=1

for mpi in $(mpis); do
    mpicc.$mpi -O2 -o calls "$top/test/bench/mpi/calls.c" 2>/dev/null || continue
    rm -f best.*
    for round in 1 2 3; do
        for way in plain log time time-all trace; do
            rm -f calls.*
            case $way in
                plain) mpiexec_of "$mpi" 1 ./calls 20 ;;
                log) mpiexec_of "$mpi" 1 pith run -o calls.pith ./calls 20 ;;
                time) mpiexec_of "$mpi" 1 pith run --lib time -o calls.csv ./calls 20 ;;
                time-all) PITH_TIME_COMM=1 PITH_TIME_MATRIX=1 mpiexec_of "$mpi" 1 pith run --lib time -o calls.csv ./calls 20 ;;
                trace) mpiexec_of "$mpi" 1 pith run --lib trace -o calls.trace ./calls 2 ;;
            esac 2>/dev/null | awk '{ print $1, $2 }' >>best.$way
        done
    done
    for way in plain log time time-all trace; do
        awk '!($1 in best) || $2 < best[$1] { best[$1] = $2 } END { for (name in best) print name, best[name] }' best.$way | sort >$way
    done
    floor=$(awk '$1 == "floor" { print $2 }' plain)
    while read -r name plain log time all trace; do
        [ "$name" != floor ] || continue
        what="$mpi: $name, added by --lib"
        row "$what time" "$(calc "$time - $plain")" ns "$floor" "<=$(calc "$log - $plain")"
        peer "$what time" "log" "$(calc "$log - $plain")"
        peer "$what time" "time, all" "$(calc "$all - $plain")"
        peer "$what time" "trace" "$(calc "$trace - $plain")"
    done < <(join plain log | join - time | join - time-all | join - trace)
done
