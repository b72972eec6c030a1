#!/usr/bin/env bash
# What each way to carry delays along costs a message (PITH_COMPENSATE), by its size, 8 bytes to 4 MB: half of a round trip
# between two ranks (which need a core each) recorded, beside the same recorded without; the shortest of many rounds in each
# of some runs, in turns; the median, lowest and highest of the turns. The peers: unrecorded, and own costs only.
# BENCH_TURNS: how many (default 3). BENCH_UNDER='chrt -r 10': ranks before all other programs.
. "$(dirname "$0")/../lib.sh"
. "$top/test/bench/bench.sh"
export PITH_QUIET=1
turns=${BENCH_TURNS:-3}

# of NAME SIZE: its times, a line each turn, into `all`
of() { awk -v s="$2" '$1 == s { print $2 }' "$1".[0-9]* >all; }

for mpi in $(mpis); do
    "mpicc.$mpi" -O2 -o pingpong "$top/test/bench/mpi/pingpong.c" 2>/dev/null || continue
    for turn in $(seq "$turns"); do
        timeout 60 "mpiexec.$mpi" -n 2 ${BENCH_UNDER:-} ./pingpong >plain.$turn 2>/dev/null
        for way in "" local message datatype auto; do
            PITH_COMPENSATE=$way timeout 60 "mpiexec.$mpi" -n 2 env LD_PRELOAD="$build/lib/pith/$mpi/libpith-mpi.so" PITH_LOG=p.pith \
                ${BENCH_UNDER:-} ./pingpong >"${way:-recorded}.$turn" 2>err
        done
    done
    for size in 8 64 512 4096 32768 262144 4194304; do
        of recorded $size; floor=$(median all)
        for way in message datatype auto; do
            of $way $size
            what="$mpi: $size bytes, $way"
            row "$what" "$(median all)" ns "$floor" "" "$(lowest all)" "$(highest all)"
            of plain $size; peer "$what" unrecorded "$(median all)"
            of local $size; peer "$what" "own costs only" "$(median all)"
        done
    done
done
