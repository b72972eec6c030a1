#!/usr/bin/env bash
# What PITH_COMPENSATE finds while the program runs, pith compensate finds in the log of the same run: for each rank the
# same delay at the end, to 5 % of it and 0.5 % of the run. Ranks that spend nothing themselves have one only because of others.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/functions.sh"
# ends LOG: of each rank, when its MPI_Finalize ended, in ns
ends() { pith print "$1" | awk -F'\t' '$4 == "leave" && $5 == "MPI_Finalize" { printf "%d %.0f\n", $2, 1e9 * $1 }' | sort -n; }
# compare: a line for each rank whose delays differ, and the number of ranks
compare() {
    pith compensate h.pith -o out.pith 2>said || cat said
    join <(pith info h.pith | sed -n 's/^delay_ns \([0-9]*\): /\1 /p' | sort -n) <(join <(ends h.pith) <(ends out.pith)) |
        awk '{ on = $2; off = $3 - $4; far = on > off ? on - off : off - on; n++ }
             far > 0.05 * (on > off ? on : off) + 0.005 * $3 { print "rank " $1 ": while running " on ", afterwards " off }
             END { print n }'
}

for mpi in $(mpis); do
    "mpicc.$mpi" -std=gnu11 -O1 -Wno-stringop-overflow -o "heavy_calls-$mpi" "$top/test/mpi/heavy_calls.c" -ldl || exit 1
    for program in ring master colls; do
        for how in "1 auto" "2 message" "4 auto"; do
            read -r ranks mode <<<"$how"
            for try in 1 2 3; do # a process that is kept waiting between two looks at the clock spoils one
                rm -rf h.pith*
                PITH_QUIET=1 PITH_COMPENSATE=$mode timeout 60 "mpiexec.$mpi" -n $ranks pith run -o h.pith "./heavy_calls-$mpi" $program >out 2>err || sed 's/^/# /' err
                got=$(compare)
                [ "$got" = $ranks ] && break
            done
            is "$got" $ranks "$mpi $ranks $mode: $program: the same delays"
        done
    done
    # the last program has a delay in every rank, as large as what two of them spent in turn at least
    is "$(pith info h.pith | awk '/^delay_ns/ && $3 > 5000000' | wc -l)" 4 "$mpi: and they are what was spent"
    like "$(pith print h.pith | grep -P '\tcounter\tpith:delay\t' | tail -n 1)" 'value=[1-9][0-9]+' "$mpi: the log has delays over time"
    PITH_QUIET=1 PITH_COMPENSATE=local timeout 60 "mpiexec.$mpi" -n 2 pith run -o h.pith "./heavy_calls-$mpi" ring >out 2>err
    is "$(pith info h.pith | awk '/^delay_ns 0:/ { a = $3 > 15000000 } /^delay_ns 1:/ { b = $3 < 5000000 } END { print a b }')" 11 "$mpi: own costs only: who spends nothing has none"
    timeout 60 "mpiexec.$mpi" -n 2 pith run -o h.pith "./heavy_calls-$mpi" ring >out 2>err
    is "$(pith info h.pith | grep -cE '^(delay_ns|compensate)') $(pith print h.pith | grep -c pith:delay)" "0 0" "$mpi: off: nothing of it"
done
finish
