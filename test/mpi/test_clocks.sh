#!/usr/bin/env bash
# Clocks of several machines, played on one: false_clock.c gives each rank a clock of its own, and the truth is known.
. "$(dirname "$0")/../lib.sh"
export PITH_QUIET=1 UCX_LOG_LEVEL=fatal

"${CC:-cc}" -O1 -shared -fPIC -o false_clock.so "$top/test/mpi/false_clock.c" -lm || { ok 1 "false_clock.c compiles"; finish; }

# run MPI RANKS ARGS...: records synced.c into log.pith
run() {
    local mpi=$1 ranks=$2; shift 2
    rm -rf log.pith*
    timeout 100 "mpiexec.$mpi" -n "$ranks" env LD_PRELOAD="$PWD/false_clock.so" pith run -o log.pith "./synced.$mpi" "$@" >out 2>err
}

# What may be wrong: twice the round trip that the log tells, or 5 us.
slack() { pith info "$1" | awk '/^clock_error_ns/ { e = 4 * ($2 - 100); print (e > 5000 ? e : 5000) }'; }

# near LOG WHAT: each time is true
near() {
    local may; may=$(slack "$1")
    pith print "$1" | python3 "$top/test/mpi/clock_truth.py" "${may:-0}" >got
    ok $? "$2: every time within ${may:-0} ns of the truth ($(cat got))"
}

for mpi in $(mpis); do
    "mpicc.$mpi" -O1 -I"$build/include" -o "synced.$mpi" "$top/test/mpi/synced.c" -L"$build/lib" -lpith \
        -Wl,-rpath,"$build/lib" || { ok 1 "$mpi: compiles"; continue; }

    FALSE_CLOCKS=4 run "$mpi" 4 100 2000; is $? 0 "$mpi: four machines: ends well" || sed 's/^/# /' err
    near log.pith "$mpi: four machines"
    is "$(pith info log.pith | grep -c '^clock_of_rank_[123]: host .*, offset_s .*, drift_ppm .*, error_ns .* 2 points')" 3 "pith info tells of three clocks"
    pith check log.pith >out 2>&1; ok $? "pith check" || sed 's/^/# /' out
    pith convert log.pith copy.pith && is "$(pith info copy.pith | grep ^clock_)" "$(pith info log.pith | grep ^clock_)" "a copy tells the same"

    FALSE_CLOCKS=4 PITH_CAUSAL=1 run "$mpi" 4 100 2000; is $? 0 "$mpi: PITH_CAUSAL: ends well"
    pith print log.pith >mended; is "$(python3 "$top/test/cli/causal_check.py" mended)" "backwards 0 early 0" "nothing is backwards"
    near log.pith "$mpi: PITH_CAUSAL"

    FALSE_CLOCKS=2 run "$mpi" 5 50 1000; is $? 0 "$mpi: two machines, five ranks: ends well"
    near log.pith "$mpi: two machines"

    FALSE_CLOCKS=3 run "$mpi" 3 200 5000 quiet; is $? 0 "$mpi: ranks that never talk: ends well"
    near log.pith "$mpi: ranks that never talk"

    FALSE_CLOCKS=0 run "$mpi" 3 50 1000; is $? 0 "$mpi: one machine: ends well"
    is "$(pith info log.pith | grep ^clock_)" "clock_error_ns: 100" "nothing was compared"
    is "$(pith print log.pith | python3 "$top/test/mpi/clock_truth.py" 0)" 0 "$mpi: no skew, no change"

    FALSE_CLOCKS=1 run "$mpi" 1 50 1000; is $? 0 "$mpi: one rank: ends well"
    is "$(pith print log.pith | python3 "$top/test/mpi/clock_truth.py" 0)" 0 "$mpi: one rank: no change"

    FALSE_CLOCKS=2 FALSE_STEP=0.6 run "$mpi" 2 160 5000 sync; is $? 0 "$mpi: a clock that steps: ends well"
    like "$(pith info log.pith)" '^clock_of_rank_1: .*, steps$' "pith info tells"
    like "$(pith check log.pith)" ': the clock of rank 1 steps' "pith check tells"

    # No line goes through a wobble of 50 us, if round trips are not as long as that.
    FALSE_CLOCKS=2 FALSE_WOBBLE=50000 run "$mpi" 2 160 5000 sync; is $? 0 "$mpi: pith_sync: ends well"
    if [ "$(slack log.pith)" -lt 40000 ]; then
        like "$(pith info log.pith)" '^clock_of_rank_1: .*, drifts unevenly$' "$mpi: a clock that wobbles is told"
    else skip "$mpi: a clock that wobbles" "round trips are too long on this machine now"; fi
    like "$(pith info log.pith)" "^clock_of_rank_1: .* 5 points" "three points more"

    FALSE_CLOCKS=2 run "$mpi" 2 100 1000 sync die
    pith recover log.pith.spill -o back.pith >out 2>&1; ok $? "$mpi: a rank that dies: recover" || sed 's/^/# /' out
    like "$(pith info back.pith)" "^clock_of_rank_1: .* [45] points" "with the points that were taken before"
    near back.pith "$mpi: recovered"
done

# The error as a bar at the heads of arrows: what a picture has more than that of the same log without it.
if pith help draw >/dev/null 2>&1 && [ -x "$build/libexec/pith/pith-draw" ] && [ -e log.pith ]; then
    FALSE_CLOCKS=2 run "$(mpis | tail -n 1)" 2 50 1000
    at=$(pith print log.pith | awk -F '\t' '$4 == "recv"' | sed -n 60p | cut -f 1)
    from=$(python3 -c "print('%.9f' % ($at - 2e-5))") to=$(python3 -c "print('%.9f' % ($at + 1e-5))")
    pith print log.pith | grep -v clock >bare.txt
    for log in log.pith bare.txt; do
        pith draw "$log" -o "$log.svg" --from "$from" --to "$to" --title same >out 2>&1
    done
    bars() { grep -cE '<path d="M[0-9.-]+ [0-9.]+l[0-9.-]+ 0"' "$1"; }
    [ "$(bars log.pith.svg)" -gt "$(bars bare.txt.svg)" ]; ok $? "arrows have whiskers" || cat out
fi
finish
