#!/usr/bin/env bash
# What recording costs is in the log of real programs under each MPI, measured without a trace; pith compensate keeps
# all their records in order. (How right it is, test/cli/test_compensate.sh shows where the truth is known.)
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/functions.sh"
sim="python3 $top/test/cli/compensate_sim.py"
texts() { pith print "$1" | grep -v '^#' | cut -f2- | sort; }

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
    PITH_SKIP=messages record p2p "$mpi" 2
    like "$status $(pith info p2p.pith)" '^own_cost_ns .* enter=[1-9]' "$mpi: without messages"
done
finish
