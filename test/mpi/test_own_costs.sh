#!/usr/bin/env bash
# What recording costs is in the log of real programs under each MPI, measured without a trace; pith compensate keeps
# all their records in order. (How right it is, test/cli/test_compensate.sh shows where the truth is known.)
. "$(dirname "$0")/../lib.sh"
undisturbed
waiting_burns
. "$top/test/mpi/functions.sh"
sim="python3 $top/test/cli/compensate_sim.py"
texts() { pith print "$1" | grep -v '^#' | cut -f2- | sort; }

cat >shared.c <<'E'
#include <mpi.h>
int main(int argc, char **argv)
{
    char buf[2][800];
    volatile double sum = 0;
    double x = 1, y;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 300; i++) {
        for (int k = 0; k < 20000; k++)
            sum += k;
        MPI_Sendrecv(buf[0], 800, MPI_BYTE, !rank, 0, buf[1], 800, MPI_BYTE, !rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    return MPI_Finalize();
}
E
# Each rank has a core that it shares with two busy loops. Own costs of both ranks are at most 5 % of the run. (300 steps
# cost some 5 ms and take more than 100.)
costs_little() {
    local loops=() core cores status
    cores=$(taskset -cp $$ | sed 's/.*: //' | tr , '\n' | awk -F- '{ for (i = $1; i <= $NF; i++) print i }' | head -n 2)
    for core in $cores $cores; do
        taskset -c "$core" sh -c 'while :; do :; done' & loops+=($!)
    done
    # shellcheck disable=SC2016,SC2086
    PITH_COMPENSATE=auto TIMEOUT=60 timeout -k 5 90 "mpiexec.$mpi" -n 2 sh -c 'shift ${PMI_RANK:-$OMPI_COMM_WORLD_RANK}
        exec taskset -c $1 pith run -o shared.pith ./shared' sh $cores >out 2>err </dev/null
    status=$?
    kill "${loops[@]}"
    wait "${loops[@]}" 2>/dev/null
    said=$(pith print shared.pith | awk -F'\t' '$5 == "pith:own" { sub("value=", "", $6); own[$2] = $6 } !/^#/ { end = $1 } $4 == "leave" && $5 == "MPI_Init" { begin = $1 }
        END { printf "%d of %d us", (own[0] + own[1]) / 1000, 1e6 * (end - begin) }')
    [ $status = 0 ] && awk -v said="$said" 'BEGIN { split(said, part, " "); exit !(part[1] > 0 && part[1] < 0.05 * part[3]) }'
}

for mpi in $(mpis); do
    for program in p2p colls; do
        compile $program "$mpi"
        for ranks in 1 4; do
            name="$mpi $program $ranks"
            record $program "$mpi" $ranks
            is "$status" 0 "$name: runs" || head -n 20 err
            like "$(pith info $program.pith)" '^own_cost_ns .*: call=[0-9.]+ enter=[0-9.]+ leave=[0-9.]+ event=[0-9.]+ counter=[0-9.]+ send=[0-9.]+ recv=[0-9.]+ coll=[0-9.]+$' "$name: its log tells what each record cost"
            pith info $program.pith | grep -E '^own_cost_ns.* (enter|leave|send|recv|coll)=0\.0' >/dev/null
            is $? 1 "$name: none cost nothing"
            is "$(pith info $program.pith | grep ^lost)" "lost: 0" "$name: nothing lost by measuring"
            pith compensate $program.pith -o out.pith 2>said && pith check out.pith >/dev/null
            ok $? "$name: compensated" || cat said
            is "$(texts out.pith | md5sum)" "$(texts $program.pith | md5sum)" "$name: with all its records"
            pith print out.pith >out.txt
            is "$($sim order out.txt)" good "$name: in order"
        done
    done
    # Beside busy loops, parts of PITH_COMPENSATE lose their core for ms: that is no cost of recording. (It is one where ranks
    # yield, as they give it away in our collectives: delay.c.)
    "mpicc.$mpi" -O1 -o shared shared.c && quota 3 5 costs_little
    ok $? "$mpi: compensated beside busy loops, own costs are a small part of the run ($quota)" || echo "# $said"
    PITH_SKIP=messages record p2p "$mpi" 2
    like "$status $(pith info p2p.pith)" '^own_cost_ns .* enter=[1-9]' "$mpi: without messages"
done
finish
