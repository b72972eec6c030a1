#!/usr/bin/env bash
# Real programs under each MPI, recorded with a wrapper that burns up to 10 us in each call, in a time of their own (played.c):
# what is right is known exactly. Compensated they are the plain run; own costs alone are wrong where ranks wait.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/heavy.sh"
sim="python3 $top/test/cli/compensate_sim.py"
export PITH_QUIET=1

# played MPI RANKS COST LOG COMMAND...: recorded, with the burning where records cost something: 500 looks at the clock, and
# one that is in nobody's account
played() {
    local mpi=$1 ranks=$2 cost=$3 log=$4
    shift 4
    TIMEOUT=60 timeout -k 5 90 "mpiexec.$mpi" -n "$ranks" env LD_PRELOAD="$PWD/heavy-$mpi.so:$PWD/played-$mpi.so" PLAYED_COST="$cost" \
        PLAYED_LATENCY="$latency" PLAYED_EAGER=$eager HEAVY_NS=$((cost * 500)) PITH_LOG="$log" "$@" >out 2>err </dev/null
}
# text LOG: its records as text, but for what only a recorded run has, and its end
text() { pith print "$1" | grep -vE 'pith:own|pith:flush|MPI_Finalize'; }
# off TEXT: the largest difference to the plain run in thousandths of it
off() { $sim compare plain.txt "$1" | awk '{ print $1 == "worst" ? int($2 * 1000 / $4) : "other records" }'; }

# Posted messages of more than EAGER bytes leave when their sender waits; as the log is told in place of what it knew.
tell_eager() {
    pith print "$1" | sed "/key=eager_bytes/d; 1i # property\tkey=eager_bytes\tvalue=same_host=$eager" >told.txt && pith convert told.txt "$1"
}

for mpi in $(mpis); do
    make_heavy "$mpi" && make_workloads "$mpi" &&
        "mpicc.$mpi" -std=gnu11 -O1 -fPIC -shared -o "played-$mpi.so" "$top/test/mpi/played.c" -ldl || { ok 1 "$mpi: built"; continue; }
    while read -r ranks waits cost latency eager program args; do
        name="$mpi $program ${args%% *} $ranks, $eager"
        played "$mpi" "$ranks" 0 plain.pith "./$program-$mpi" $args && mv out plain.out &&
            played "$mpi" "$ranks" "$cost" slow.pith "./$program-$mpi" $args
        ok $? "$name: runs" || { head -n 20 err; continue; }
        is "$(cat out)" "$(cat plain.out)" "$name: with the same result"
        tell_eager slow.pith || ok 1 "$name: can be told"
        pith compensate slow.pith -o out.pith 2>said && pith compensate --local slow.pith -o local.pith 2>/dev/null || cat said
        for log in plain slow out local; do text $log.pith >$log.txt; done
        is "$($sim order out.txt)" good "$name: in order"
        slow=$(off slow.txt) right=$(off out.txt) local=$(off local.txt)
        [ "$slow" -gt 300 ] && [ "$right" -le 10 ]
        ok $? "$name: dilated by $((slow / 10)) %, compensated right to $right thousandths" || cat said
        [ $waits = alone ] || { [ "$local" -gt 50 ]; ok $? "$name: own costs alone would be wrong by $((local / 10)) %"; }
    done <<'END'
4 waits 20 2000 8 workloads ring 30 20000 sleep
2 waits 20 2000 8 workloads montecarlo 60 20000 sleep
4 waits 20 2000 8 workloads wavefront 64 20000 sleep
4 alone 20 2000 8 workloads sort 40 20000 sleep
2 alone 20 2000 8 workloads onesided 40 20000 sleep
4 waits 2 20000 64 heat2d 16 60
2 alone 10 20000 63 heat2d 16 60
4 alone 10 20000 63 heat2d 16 60
END
done
finish
