#!/usr/bin/env bash
# What PITH_COMPENSATE finds while the program runs, pith compensate finds in the log of the same run: for each rank the
# same delay at the end, to 5 % of it and 0.5 % of the run. Ranks that spend nothing themselves have one only because of others.
. "$(dirname "$0")/../lib.sh"
undisturbed
. "$top/test/mpi/functions.sh"
. "$top/test/mpi/heavy.sh"

# same RANKS MODE MACHINES PROGRAM: recorded on as many machines, played (false_clock.c): both find the same
same() {
    local ranks=$1 mode=$2 machines=$3 program=$4 preload= command=("./heavy_calls-$mpi" "$4")
    [ $program != relax ] || command=("$build/samples/$mpi/relax")
    [ $machines = 0 ] || preload="env LD_PRELOAD=$PWD/false_clock.so"
    quota 2 5 is_same # a process that is kept waiting between two looks at the clock spoils one
    ok $? "$mpi $ranks $mode: $program, clocks $machines: the same delays ($quota)" || sed 's/^/# /' err - <<<"$got"
}
is_same() {
    rm -rf h.pith*
    FALSE_CLOCKS=$machines PITH_QUIET=1 PITH_COMPENSATE=$mode timeout 60 "mpiexec.$mpi" -n $ranks $preload pith run -o h.pith "${command[@]}" >out 2>err || return
    got=$(compare)
    [ "$got" = $ranks ] || pith info h.pith | grep '^compensate: .*late ' >/dev/null # a busy machine: it says itself that it does not know
}

has_delays() { is_same && [ "$(pith info h.pith | awk '/^delay_ns/ && $3 > 5000000' | wc -l)" = "$ranks" ]; }

# How often that was told in a collective or message's state, of each lane
own_inside() {
    pith print "$1" | awk -F '\t' '$4 == "enter" { in_state[$2] = $5 } $4 == "leave" { in_state[$2] = "" }
                                   $5 == "pith:own" && in_state[$2] ~ /Allreduce|Reduce|Send|Recv|Wait/ { n++ } END { print n + 0 }'
}
# What carries a nonblocking collective is started before it, and told then: how many states of such a call have no pith:own before
# the event that it has begun, or is made; and how many there are.
told_late() {
    pith print "$1" | awk -F '\t' '$4 == "enter" { name[$2] = $5; own[$2] = 0 } $5 == "pith:own" { own[$2] = 1 }
        ($5 == "pith:coll_started" && name[$2] ~ /^MPI_I/ || $5 == "pith:coll_kept") && name[$2] !~ /eighbor/ { n++; late += !own[$2] } END { print late + 0, (n > 8) }'
}
# Of each lane, in order.
states() { pith print "$1" | awk -F '\t' '$4 == "enter" { print $2, $5 }' | sort -s -n -k 1,1; }

export PITH_CLOCK=monotonic # which false_clock.c gives
"${CC:-cc}" -O1 -shared -fPIC -o false_clock.so "$top/test/mpi/false_clock.c" -lm || ok 1 "false_clock.c compiles"
for mpi in $(mpis); do
    "mpicc.$mpi" -std=gnu11 -O1 -Wno-stringop-overflow -o "heavy_calls-$mpi" "$top/test/mpi/heavy_calls.c" -ldl || exit 1
    case=0
    for program in ring master more fences made colls; do
        for how in "1 auto" "2 message" "4 auto"; do
            its_turn "$mpi" $((case++)) || continue
            [ "$program $how" != "more 4 auto" ] || how="2 auto" # on two processors four ranks wait for these, too
            same $how 0 $program
        done
    done
    # the last program has a delay in every rank, as large as what two of them spent in turn at least
    ranks=4 mode=auto machines=0 preload='' command=("./heavy_calls-$mpi" colls)
    quota 1 8 has_delays # on a busy machine the log may say that it does not know them
    ok $? "$mpi: and they are what was spent ($quota)" || pith info h.pith | grep -E '^(delay_ns|compensate)'
    like "$(pith print h.pith | grep -P '\tcounter\tpith:delay\t' | tail -n 1)" 'value=[1-9][0-9]+' "$mpi: the log has delays over time"
    PITH_QUIET=1 PITH_COMPENSATE=local timeout 60 "mpiexec.$mpi" -n 2 pith run -o h.pith "./heavy_calls-$mpi" ring >out 2>err
    is "$(pith info h.pith | awk '/^delay_ns 0:/ { a = $3 > 15000000 } /^delay_ns 1:/ { b = $3 < 5000000 } END { print a b }')" 11 "$mpi: own costs only: who spends nothing has none"
    timeout 60 "mpiexec.$mpi" -n 2 pith run -o h.pith "./heavy_calls-$mpi" ring >out 2>err
    is "$(pith info h.pith | grep -cE '^(delay_ns|compensate)') $(pith print h.pith | grep -c pith:delay)" "0 0" "$mpi: off: nothing of it"
    compile colls "$mpi" && PITH_QUIET=1 PITH_COMPENSATE=auto timeout 60 "mpiexec.$mpi" -n 2 pith run -o h.pith "./colls-$mpi" >out 2>err
    is "$(told_late h.pith)" "0 1" "$mpi: nonblocking and persistent collectives: what goes with them is told before they begin"
    # C++, by its own names: each state once, and as it was
    if [ -x "$build/samples/$mpi/relax" ]; then
        same 2 auto 0 relax
        same 4 message 0 relax
        PITH_QUIET=1 timeout 60 "mpiexec.$mpi" -n 4 pith run -o plain.pith "$build/samples/$mpi/relax" >out 2>err
        is "$(states h.pith)" "$(states plain.pith)" "$mpi: C++: the states of a run without"
        ok $(($(states h.pith | grep -c 'MPI::') < 8)) "by the names of C++"
        is "$(own_inside h.pith)" 0 "and what PITH_COMPENSATE spends lies behind them"
    else
        skip "$mpi: C++" "relax is not built: no C++ compiler for $mpi"
    fi
    # machines with clocks of their own: who was not waited for is known only because these are compared
    for how in "4 auto 2 ring" "4 message 2 colls" "2 auto 2 early"; do
        same $how
    done
done
finish
