#!/usr/bin/env bash
# libpith-time with PITH_COMPENSATE on several machines, played (false_clock.c): it compares their clocks, and so knows who was
# waited for and who was not. With clocks that are off, by seconds as these are, one of the two programs below comes out wrong.
. "$(dirname "$0")/../lib.sh"
undisturbed
. "$top/test/mpi/heavy.sh"
export PITH_QUIET=1 UCX_LOG_LEVEL=fatal

export PITH_CLOCK=monotonic # which false_clock.c gives
"${CC:-cc}" -O1 -shared -fPIC -o false_clock.so "$top/test/mpi/false_clock.c" -lm || ok 1 "false_clock.c compiles"
make_by_rank

# delays MPI RANKS MACHINES MODE PROGRAM: of each rank, in ms
delays() {
    PITH_TIME_FILE=t.csv PITH_COMPENSATE=$4 HEAVY_NS=300000 FALSE_CLOCKS=$3 LIBRARIES="$PWD/false_clock.so $PWD/heavytime-$1.so" \
        timeout 60 "mpiexec.$1" -n "$2" ./by_rank "./heavy_calls-$1" "$5" >out 2>err </dev/null || sed 's/^/# /' err
    ms_late t.csv
}

is_right() { got=$(BURN=$2 delays "$mpi" $ranks $machines $mode "$3") && "$1" "$got"; } # CHECK BURN PROGRAM

for mpi in $(mpis); do
    make_heavytime "$mpi" && "mpicc.$mpi" -std=gnu11 -O1 -Wno-stringop-overflow -o "heavy_calls-$mpi" "$top/test/mpi/heavy_calls.c" -ldl ||
        { ok 1 "$mpi: built"; continue; }
    case=0
    for how in "2 0 auto" "2 2 auto" "2 2 message" "2 2 datatype" "4 2 auto" "4 4 message"; do
        its_turn "$mpi" $((case++)) || continue
        read -r ranks machines mode <<<"$how"
        what="$mpi, $ranks ranks, clocks $machines, $mode"
        # Rank 0 burns in 40 receives of messages that lie there: nobody was waited for, so its 12 ms stay.
        quota 2 6 is_right stays "0 2" early # one who sends late because the machine is busy was waited for indeed
        ok $? "$what: what lay there takes no delay away: $got ms ($quota)"
        # Rank 0 burns 180 times, at least 120 of them before others that wait for it: it is theirs, too.
        quota 2 3 is_right goes_round 0 ring
        ok $? "$what: who waited is as late as who burnt: $got ms ($quota)"
    done
    got=$(BURN="0 2" delays "$mpi" 1 1 auto early)
    like "$got" '^[0-9]+ $' "$mpi: one rank has no clock to compare"
done
finish
