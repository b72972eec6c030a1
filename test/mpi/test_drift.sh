#!/usr/bin/env bash
# PITH_COMPENSATE on several machines whose clocks drift, played (false_clock.c): nobody asks for it, and they are compared while the
# program runs, so that delays stay right; by PITH_SYNC as often as that says. What that takes is the recorder's own time.
# `heavy_calls late` calls collectives for 1.5 s, in all of which rank 0 burns 300 us, so that all are late by what it burns. (It
# sleeps as long, which is the same to the others and takes no processor from them.)
. "$(dirname "$0")/../lib.sh"
undisturbed
waiting_burns
. "$top/test/mpi/heavy.sh"
export PITH_QUIET=1 UCX_LOG_LEVEL=fatal HEAVY_NS=300000 HEAVY_SLEEPS=yes BURN=0

export PITH_CLOCK=monotonic # which false_clock.c gives
"${CC:-cc}" -O1 -shared -fPIC -o false_clock.so "$top/test/mpi/false_clock.c" -lm || ok 1 "false_clock.c compiles"
make_by_rank

# late MPI RANKS LIBRARY DRIFT SYNC MODE: on two machines, with the log or the time library
late() {
    FALSE_CLOCKS=2 FALSE_DRIFT=$4 PITH_SYNC=$5 PITH_COMPENSATE=$6 PITH_LOG=h.pith PITH_TIME_FILE=t.csv LIBRARIES="$PWD/false_clock.so $PWD/$3-$1.so" \
        timeout 60 "mpiexec.$1" -n "$2" ./by_rank "./heavy_calls-$1" late >out 2>err </dev/null
}
# Every rank's delay in s is what rank 0 has burnt, and more where others had its core: 300 us a call, but for the receives at the
# end, for which nobody waits; nine tenths of that, as clocks are compared only now and then.
all_late() { awk -v burnt="$1" '{ n++; bad += $1 < 0.9 * burnt } END { exit !(n > 1 && !bad) }' <<<"$2"; }

time_is_right() {
    late "$mpi" "$ranks" heavytime "$drift" "$sync" "$mode" || status=$?
    burnt=$(awk -F, '$2 == 0 { n += $1 == "run" ? $6 : $1 == "calls" && $3 == "MPI_Recv" ? -$6 : 0 } END { print 0.0003 * n }' t.csv) delays=$(awk -F, '$1 == "run" { print $15 }' t.csv)
    all_late "$burnt" "$delays"
}
log_is_right() {
    rm -rf h.pith*
    late "$mpi" "$ranks" heavy "$drift" "$sync" "$mode" || status=$?
    same=$(compare)
    burnt=$(pith print h.pith | awk -F '\t' '$2 == 0 && $4 == "enter" && $5 ~ /^MPI_/ && $5 != "MPI_Recv" { n++ } END { print 0.0003 * n }')
    delays=$(pith info h.pith | sed -n 's/^delay_ns [0-9]*: //p' | awk '{ print 1e-9 * $1 }')
    [ "$same" = $ranks ] && all_late "$burnt" "$delays"
}

for mpi in $(mpis); do
    make_heavy "$mpi" && make_heavytime "$mpi" && "mpicc.$mpi" -std=gnu11 -O1 -Wno-stringop-overflow -o "heavy_calls-$mpi" "$top/test/mpi/heavy_calls.c" -ldl ||
        { ok 1 "$mpi: built"; continue; }
    # Drifts of 92 and 920 us a second.
    for how in "2 4 0 auto" "2 40 50ms datatype"; do
        read -r ranks drift sync mode <<<"$how"
        what="$mpi, $ranks ranks, drift $drift, PITH_SYNC=$sync, $mode"
        # A rank that the system keeps from its core is not delayed by what rank 0 burns meanwhile: with more ranks than cores
        # that may be a tenth of the run.
        status=0
        quota 2 4 time_is_right
        ok $? "$what: the time library: all are late by what rank 0 burnt ($burnt s, $quota)" || sed 's/^/# /' <<<"$delays"
        is $status 0 "every run ends well" || sed 's/^/# /' err
        quota 2 6 log_is_right
        ok $? "$what: the log library: all are late by what rank 0 burnt ($burnt s), while it runs as afterwards ($quota)" || sed 's/^/# /' <<<"$same $delays"
        is $status 0 "every run ends well" || sed 's/^/# /' err
        points=$(pith info h.pith | sed -n 's/^clock_of_rank_1:.* \([0-9]*\) points.*/\1/p')
        ok $((${points:-0} < 5)) "clocks were compared meanwhile ($points times)"
        is "$(pith print out.pith | awk -F '\t' '$5 == "pith:flush" { n++; sum += $4 == "leave" ? $1 : -$1 } END { print (n > 8) " " (sum > 1e-6) }')" "1 0" \
            "and what that took is taken out"
    done
done
finish
