#!/usr/bin/env bash
# Files through the C++ bindings with 4 ranks: plain, and recorded by their C++ names. Ranks of MPICH that wait give way
# (functions.sh): on fewer processors than ranks, MPICH's collective I/O spends nearly all its time waiting otherwise, in C too.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/functions.sh"

for mpi in $(mpis); do
    lib=$build/lib/pith/$mpi
    [ -e "$lib/libpith-cxx.so" ] || { skip "$mpi: files in C++" "not built"; continue; }
    "mpicxx.$mpi" -std=c++11 -O0 -Wall -Wextra -Wshadow -I"$build/include/pith-cxx" -o "io-$mpi" "$top/test/mpi/cxx_io.cc" \
        -L"$lib" -lpith-cxx -Wl,-rpath,"$lib" 2>err
    is "$? $(cat err)" "0 " "$mpi: compiles without a warning"
    for ranks in 1 4; do
        timeout -k 5 120 "mpiexec.$mpi" -n "$ranks" "./io-$mpi" >out 2>err
        is "$? $(grep -c '^checked 0 wrong' out)" "0 $ranks" "$mpi $ranks: all files hold what was written" || cat out err
    done
    timeout -k 5 120 "mpiexec.$mpi" -n 4 pith run -o io.pith "./io-$mpi" >out 2>err
    is "$? $(grep -c '^checked 0 wrong' out)" "0 4" "$mpi: the same when recorded" || cat out err
    is "$(lines io.pith enter | cut -f 4 | grep -cx MPI::File::Write_ordered) $(lines io.pith enter | cut -f 4 | grep -cx MPI::File::Write_at)" "4 40" \
        "$mpi: each call once" || cat err
done
finish
