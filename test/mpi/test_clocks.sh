#!/usr/bin/env bash
# Clocks of several machines, played on one: false_clock.c gives each rank a clock of its own, and the truth is known.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/clocks.sh"

for mpi in $(mpis); do
    build "$mpi" || continue

    FALSE_CLOCKS=4 run "$mpi" 4 100 2000; is $? 0 "$mpi: four machines: ends well" || sed 's/^/# /' err
    near log.pith "$mpi: four machines"
    is "$(pith info log.pith | grep -c '^clock_of_rank_[123]: host .*, offset_s .*, drift_ppm .*, error_ns .* 2 points')" 3 "pith info tells of three clocks"
    pith check log.pith >out 2>&1; ok $? "pith check" || sed 's/^/# /' out
    pith convert log.pith copy.pith && is "$(pith info copy.pith | grep ^clock_)" "$(pith info log.pith | grep ^clock_)" "a copy tells the same"

    FALSE_CLOCKS=4 PITH_CAUSAL=1 run "$mpi" 4 100 2000; is $? 0 "$mpi: PITH_CAUSAL: ends well"
    pith print log.pith >mended; like "$(python3 "$top/test/cli/causal_check.py" mended)" "^backwards 0 early 0 of [0-9]*[1-9]" "nothing is backwards"
    near log.pith "$mpi: PITH_CAUSAL" 3 # one time is moved by the errors of two, and what follows along

    FALSE_CLOCKS=2 run "$mpi" 5 50 1000; is $? 0 "$mpi: two machines, five ranks: ends well"
    near log.pith "$mpi: two machines"

    FALSE_CLOCKS=3 run "$mpi" 3 200 5000 quiet; is $? 0 "$mpi: ranks that never talk: ends well"
    near log.pith "$mpi: ranks that never talk"

    FALSE_CLOCKS=0 run "$mpi" 3 50 1000; is $? 0 "$mpi: one machine: ends well"
    is "$(pith info log.pith | grep '^clock_[^f]')" "clock_error_ns: 100" "nothing was compared"
    is "$(pith print log.pith | python3 "$top/test/mpi/clock_truth.py" 0)" 0 "$mpi: no skew, no change"

    FALSE_CLOCKS=1 run "$mpi" 1 50 1000; is $? 0 "$mpi: one rank: ends well"
    is "$(pith print log.pith | python3 "$top/test/mpi/clock_truth.py" 0)" 0 "$mpi: one rank: no change"
done

# Many machines, with 32 ranks on each core.
mpi=$(mpis | tail -n 1)
FALSE_CLOCKS=64 run "$mpi" 64 5 20000 quiet; is $? 0 "$mpi: 64 ranks: ends well" || sed 's/^/# /' err
near log.pith "$mpi: 64 ranks"
is "$(pith info log.pith | grep -c '^clock_of_rank_')" 63 "of 64 machines"

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
