#!/usr/bin/env bash
# What the C++ bindings of libpith-cxx add to a call of C, one rank, messages to itself: the least round of each in turns
# within one process; told is the median of the processes' differences. Beside it the call of C, and what the MPI's own C++
# bindings add. BENCH_TURNS: how many processes (default 5).
. "$(dirname "$0")/../lib.sh"
. "$top/test/bench/bench.sh"

# added WAY NAME: what WAY added to NAME in each process, a line each
added() { cat "$1".* | awk -v n="$2" '$1 == n { print $3 - $2 }'; }
for mpi in $(mpis); do
    lib=$build/lib/pith/$mpi
    "mpicxx.$mpi" -O2 -std=c++11 -I"$build/include/pith-cxx" -o cost "$top/test/bench/mpi/cxx_cost.cc" -L"$lib" -lpith-cxx -Wl,-rpath,"$lib" || continue
    "mpicxx.$mpi" -O2 -std=c++11 -w -o cost-own "$top/test/bench/mpi/cxx_cost.cc" 2>/dev/null || rm -f cost-own
    rm -f pith.* own.*
    for turn in $(seq "${BENCH_TURNS:-5}"); do
        mpiexec_of "$mpi" 1 ./cost >"pith.$turn"
        [ ! -e cost-own ] || mpiexec_of "$mpi" 1 ./cost-own >"own.$turn"
    done
    for name in Get_rank Type_size Iprobe Sendrecv Irecv+Isend+Waitall; do
        added pith "$name" >all
        # Three calls are in the last.
        case $name in *+*) goal="<=15" ;; *) goal="<=5" ;; esac
        row "$mpi: C++ $name, added" "$(median all)" ns 0 "$goal" "$(lowest all)" "$(highest all)"
        cat pith.* | awk -v n="$name" '$1 == n { print $2 }' >itself
        peer "$mpi: C++ $name, added" "the call of C" "$(median itself)"
        : >all
        [ ! -e own.1 ] || added own "$name" >all
        peer "$mpi: C++ $name, added" "the MPI's own C++ bindings" "$([ ! -s all ] || median all)"
    done
done
