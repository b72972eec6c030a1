#!/usr/bin/env bash
# Real programs under each MPI, recorded with a wrapper that burns up to 10 us in each call, in a time of their own (played.c):
# what is right is known exactly. Compensated they are the plain run, by pith compensate and by PITH_COMPENSATE while they run; own
# costs alone are wrong where ranks wait.
. "$(dirname "$0")/../lib.sh"
undisturbed
. "$top/test/mpi/heavy.sh"
sim="python3 $top/test/cli/compensate_sim.py"
export PITH_QUIET=1 PITH_CLOCK=monotonic # all times come from played.c

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
# off TEXT...: the largest difference to the plain run in thousandths of it
off() { $sim compare plain.txt "$@" | awk '{ printf "%s ", $1 == "worst" ? int($2 * 1000 / $4) : "other records" }'; }

# runs LOG: of each rank, from the end of MPI_Init to the beginning of MPI_Finalize, in ns; less the delay that the log has
runs() {
    pith print "$1" | awk -F'\t' '/^# property\tkey=delay_ns/ { split($2, key, " "); sub("value=", "", $3); delay[key[2]] = $3 }
        $4 == "leave" && $5 == "MPI_Init" { begin[$2] = $1 }
        $4 == "enter" && $5 == "MPI_Finalize" { printf "%d %.0f\n", $2, 1e9 * ($1 - begin[$2]) - delay[$2] }' | sort -n
}
# far LOG OTHER: the largest difference of a rank's, in thousandths of its run
far() {
    join <(runs "$1") <(runs "$2") | awk '{ d = ($2 - $3) * 1000 / $2; d = d < 0 ? -d : d; worst = d > worst ? d : worst } END { print NR ? int(worst) : "no ranks" }'
}

turn=first
for mpi in $(mpis); do
    make_heavy "$mpi" "$top/test/mpi/played_eager.c" && make_workloads "$mpi" &&
        "mpicc.$mpi" -std=gnu11 -O1 -o "windows-$mpi" "$top/test/mpi/windows.c" &&
        "mpicc.$mpi" -std=gnu11 -O1 -o "overlap-$mpi" "$top/test/mpi/overlap.c" &&
        "mpicc.$mpi" -std=gnu11 -O1 -fPIC -shared -o "played-$mpi.so" "$top/test/mpi/"{played,give_way}.c -ldl || { ok 1 "$mpi: built"; turn=second; continue; }
    # Under which of the MPIs make check does it: each program under both. make check-full does all under both.
    # (Posted messages of more than `eager` bytes leave when their sender waits.)
    while read -r under ranks waits how cost latency eager program args; do
        [ "$(quick_or_full $under both)" = both ] || [ $under = $turn ] || [ "$(mpis | wc -l)" = 1 ] || continue
        name="$mpi $program ${args%% *} $ranks, $eager"
        played "$mpi" "$ranks" 0 plain.pith "./$program-$mpi" $args && mv out plain.out &&
            played "$mpi" "$ranks" "$cost" slow.pith "./$program-$mpi" $args
        ok $? "$name: runs" || { head -n 20 err; continue; }
        is "$(cat out)" "$(cat plain.out)" "$name: with the same result"
        pith compensate slow.pith -o out.pith 2>said && pith compensate --local slow.pith -o local.pith 2>/dev/null || cat said
        for log in plain slow out local; do text $log.pith >$log.txt; done
        is "$($sim order out.txt)" good "$name: in order"
        read -r slow right local < <(off slow.txt out.txt local.txt)
        [ "$slow" -gt 300 ] && [ "$right" -le 10 ]
        ok $? "$name: dilated by $((slow / 10)) %, compensated right to $right thousandths" || cat said
        PITH_COMPENSATE=$how played "$mpi" "$ranks" "$cost" online.pith "./$program-$mpi" $args
        is "$? $(cat out)" "0 $(cat plain.out)" "$name: compensated while it runs ($how), with the same result" || head -n 20 err
        right=$(far plain.pith online.pith) same=$(far out.pith online.pith)
        [ "$right" -le 10 ] && [ "$same" -le 10 ]
        ok $? "$name: right to $right thousandths then, and like pith compensate to $same"
        [ $waits = alone ] || { [ "$local" -gt 50 ]; ok $? "$name: own costs alone would be wrong by $((local / 10)) %"; }
    done <<'END'
first 4 waits auto 20 2000 100 workloads ring 30 20000 sleep
second 2 waits message 20 2000 100 workloads ring 30 20000 sleep
both 2 waits auto 20 2000 100 workloads montecarlo 60 20000 sleep
both 4 waits auto 20 2000 100 workloads wavefront 64 20000 sleep
both 4 alone message 20 2000 100 workloads sort 40 20000 sleep
second 2 alone auto 20 2000 10000 workloads rooted 60 10000 sleep
first 4 alone datatype 20 2000 100 workloads rooted 60 10000 sleep
first 4 waits auto 20 2000 100 windows 20
second 2 waits message 20 2000 100 windows 20
second 1 alone auto 10 2000 100 windows 20
second 4 waits auto 20 2000 100 overlap 4
first 2 waits message 20 2000 100 overlap 6
first 4 waits auto 2 20000 64 heat2d 16 60
second 4 alone message 10 20000 63 heat2d 16 60
END
    turn=second
done
finish
