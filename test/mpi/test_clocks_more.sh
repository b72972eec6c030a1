#!/usr/bin/env bash
# Clocks of several machines: those that step or wobble, comparing while the job runs, ranks that die.
. "$(dirname "$0")/../lib.sh"
undisturbed
. "$top/test/mpi/clocks.sh"

for mpi in $(mpis); do
    build "$mpi" || continue

    FALSE_CLOCKS=2 FALSE_STEP=0.6 run "$mpi" 2 160 5000 sync; is $? 0 "$mpi: a clock that steps: ends well"
    like "$(pith info log.pith)" '^clock_of_rank_1: .*, steps$' "pith info tells"
    like "$(pith check log.pith)" ': the clock of rank 1 steps' "pith check tells"

    # No line goes through a wobble of 150 us, unless round trips are as long as that: then the log cannot know.
    FALSE_CLOCKS=2 FALSE_WOBBLE=150000 run "$mpi" 2 160 5000 sync; is $? 0 "$mpi: pith_sync: ends well"
    course=$(pith print log.pith | python3 "$top/test/mpi/clock_line.py")
    is "$(pith info log.pith | grep -c '^clock_of_rank_1: .*, drifts unevenly$')" "$([ "$course" = even ]; echo $?)" "$mpi: a clock that wobbles is told ($course)"
    like "$(pith info log.pith)" "^clock_of_rank_1: .* 5 points" "three points more"

    FALSE_CLOCKS=3 run "$mpi" 3 200 2000 late; is $? 0 "$mpi: half a second before MPI_Init: ends well"
    near log.pith "$mpi: what was before MPI_Init too"
    is "$(pith print log.pith | awk -F '\t' '$4 == "enter" && $5 == "prepare" { prepare[$2] = $1 } $4 == "enter" && $5 == "MPI_Init" { n += $1 - prepare[$2] > 0.5 } END { print n }')" 3 "$mpi: as a state"

    # At first round trips are those of others' turns on the cores. They are not taken for the network's: it goes on until there
    # are better ones, or time is over. What the machine can do, the last comparison tells.
    FALSE_CLOCKS=2 FALSE_BUSY=44 run "$mpi" 2 20 1000; is $? 0 "$mpi: busy while clocks are compared: ends well" || sed 's/^/# /' err
    rounds=$(pith print log.pith | sed -n 's/^# property\tkey=clock_sync_1\tvalue=rank 1 [^ :]*:[^ :]*:\([0-9]*\) .*:\([0-9]*\)$/\1 \2/p')
    init_ms=$(pith print log.pith | awk -F '\t' '$2 == 0 && $5 == "MPI_Init" { t[$4] = $1 } END { print int(1000 * (t["leave"] - t["enter"])) }')
    awk -v ms="$init_ms" '{ exit !($1 < 500000 || $1 < 4 * $2 || ms > 400) }' <<<"$rounds"
    ok $? "and does not end with the round trip of a busy moment ($rounds ns, $init_ms ms)"

    PITH_SYNC=200ms FALSE_CLOCKS=3 run "$mpi" 3 200 5000; is $? 0 "$mpi: PITH_SYNC: ends well" || sed 's/^/# /' err
    points=$(pith info log.pith | sed -n 's/^clock_of_rank_1:.* \([0-9]*\) points.*/\1/p')
    seconds=$(pith info log.pith | sed -n 's/^duration_s: \([0-9]*\).*/\1/p')
    [ "${points:-0}" -ge 4 ] && [ "$points" -le $((5 * seconds + 15)) ]; ok $? "clocks are compared now and then ($points times in $seconds s)"
    flushes=$(pith print log.pith | awk -F '\t' '$4 == "enter" && $5 == "pith:flush"' | wc -l)
    # Of more than 128 comparisons (a very slow machine) the log tells of every second.
    [ "$flushes" = $((3 * (points - 1))) ] || [ "$flushes" -gt $((3 * 127)) ]; ok $? "which the log shows as the recorder's time ($flushes)"
    PITH_SYNC=1us FALSE_CLOCKS=2 run "$mpi" 2 50 1000; is $? 0 "$mpi: PITH_SYNC at each turn: ends well"
    PITH_SYNC=50ms PITH_RANKS=1-3 FALSE_CLOCKS=2 run "$mpi" 4 100 2000; is $? 0 "$mpi: PITH_SYNC, rank 0 not recorded: ends well"
    like "$(pith info log.pith)" '^clock_of_rank_1: ' "and its clock is the reference all the same"

    FALSE_CLOCKS=2 run "$mpi" 2 100 1000 sync die
    pith recover log.pith.spill -o back.pith >out 2>&1; ok $? "$mpi: a rank that dies: recover" || sed 's/^/# /' out
    like "$(pith info back.pith)" "^clock_of_rank_1: .* [45] points" "with the points that were taken before"
    near back.pith "$mpi: recovered"
done
finish
