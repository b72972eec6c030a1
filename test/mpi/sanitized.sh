#!/usr/bin/env bash
# sanitized.sh - run by `make check-asan-mpi`, in a build of the log library with the address and undefined-behaviour
# sanitizers, preloaded behind the sanitizer's own library: what PITH_COMPENSATE does with messages, collectives, requests, threads,
# long messages, windows, random calls, handles freed in odd orders. The MPI libraries were not built for it; what they leak is theirs.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/functions.sh"
export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 PITH_QUIET=1
asan=$(gcc -print-file-name=libasan.so)
# sanitized LIB PROGRAM [ARGUMENT...]: two ranks
sanitized() {
    local lib=$1 program=$2
    shift 2
    rm -rf log.pith*
    PITH_LOG=log.pith timeout 200 "mpiexec.$mpi" -n 2 env LD_PRELOAD="$asan:$build/lib/pith/$mpi/libpith-$lib.so" "./$program-$mpi" "$@" >out 2>err
    is "$? $(grep -cE 'ERROR: AddressSanitizer|runtime error' err)" "0 0" "$mpi, $mode: $lib $program $*" || head -n 40 err
}
for mpi in $(mpis); do
    compile carried_all "$mpi" && compile random_calls "$mpi" && compile windows "$mpi" && compile freed "$mpi" && "mpicc.$mpi" -O1 -Wno-stringop-overflow -o "heat2d-$mpi" "$top/samples/heat2d.c" -lm
    for mode in auto message datatype; do
        export PITH_COMPENSATE=$mode
        sanitized mpi carried_all
        sanitized mpi carried_all threads
        sanitized mpi random_calls 1 8
        sanitized mpi windows 10 halves
        sanitized mpi freed
        sanitized time freed
        sanitized time carried_all
        sanitized mpi heat2d 1200 12
        is "$(pith info log.pith | grep -c '^delay_ns')" 2 "$mpi, $mode: it was recorded"
    done
done
finish
