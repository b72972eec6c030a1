#!/usr/bin/env bash
# What recording adds to an MPI call, one rank, messages to itself: the median round recorded less the median round
# unrecorded, in turns; told is the median of the turns, and the lowest and highest. The floor: the clock in use read (the
# counter; clock_gettime) and 16 bytes stored, measured in the same process. Beside it the call by itself, and what
# eztrace adds (it records neither MPI_Comm_rank nor MPI_Initialized). BENCH_TURNS: how many (default 5).
. "$(dirname "$0")/../lib.sh"
. "$top/test/bench/bench.sh"
export PITH_QUIET=1

# turns WAY NAME: what WAY added to the call NAME in each turn, a line each.
turns() {
    for turn in $(seq "$count"); do
        join <(sort "plain.$turn") <(sort "$1.$turn") | awk -v n="$2" '$1 == n { print $5 - $3 }'
    done
}
count=${BENCH_TURNS:-5}

for mpi in $(mpis); do
    mpicc.$mpi -O2 -o calls "$top/test/bench/mpi/calls.c" 2>/dev/null || continue
    rm -rf plain.* recorded.* called.* paused.* eztrace.* ./*_trace
    for turn in $(seq "$count"); do
        mpiexec_of "$mpi" 1 ./calls >plain.$turn
        PITH_CLOCK=counter mpiexec_of "$mpi" 1 pith run -o calls.pith ./calls >recorded.$turn
        PITH_CLOCK=monotonic mpiexec_of "$mpi" 1 pith run -o called.pith ./calls >called.$turn
        mpiexec_of "$mpi" 1 pith run -o paused.pith ./calls 40 paused >paused.$turn
        ! have eztrace || { rm -rf calls_trace; mpiexec_of "$mpi" 1 eztrace -t "$mpi" ./calls >eztrace.$turn 2>/dev/null; }
    done
    cat plain.* | awk '$1 == "floor" { print $3 }' >floor
    floor=$(median floor)
    cat plain.* | awk '$1 == "call_floor" { print $3 }' >floor
    call_floor=$(median floor)
    for name in MPI_Comm_rank MPI_Initialized MPI_Sendrecv Irecv+Send+Wait MPI_Allreduce; do
        case $name in MPI_Comm_rank) goal="<=2.1x" ;; Irecv*) goal="<=8x" ;; *) goal= ;; esac
        turns recorded $name >all
        row "$mpi: $name, added" "$(median all)" ns "$floor" "$goal" "$(lowest all)" "$(highest all)"
        turns called $name >all
        row "$mpi: $name, added, clock_gettime" "$(median all)" ns "$call_floor" "$goal" "$(lowest all)" "$(highest all)"
        cat plain.* | awk -v n=$name '$1 == n { print $3 }' >itself
        peer "$mpi: $name, added" "the call itself" "$(median itself)"
        case $name in
        MPI_Comm_rank | MPI_Initialized) ;;
        *) [ -s eztrace.1 ] && turns eztrace $name >all || : >all
            peer "$mpi: $name, added" eztrace "$(median all)" ;;
        esac
        turns paused $name >all
        row "$mpi: $name, added while paused" "$(median all)" ns 0 "" "$(lowest all)" "$(highest all)"
    done
    # Of calls that both record.
    calls=$(pith stat --csv calls.pith | awk -F, '$1 ~ /^MPI_(Sendrecv|Irecv|Send|Wait|Allreduce)$/ { n += $4 } END { print n }')
    row "$mpi: size of the log" "$(calc "$(stat -c %s calls.pith) / $(pith info calls.pith | sed -n 's/^states: //p')")" bytes/call
    trace=$(du -sb ./*_trace 2>/dev/null | awk '{ n += $1 } END { print n }')
    peer "$mpi: size of the log" eztrace "$([ -z "$trace" ] || calc "$trace / $calls")"
done
