#!/usr/bin/env bash
# sanitized.sh - run by `make check-asan-mpi`, in a build of the log library with the address and undefined-behaviour
# sanitizers, preloaded behind the sanitizer's own library: what PITH_COMPENSATE does with messages, collectives, requests, threads,
# long messages. The MPI libraries were not built for it; what they leak is theirs.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/functions.sh"
export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 PITH_QUIET=1
asan=$(gcc -print-file-name=libasan.so)
# sanitized COMMAND...: two ranks
sanitized() {
    rm -rf log.pith*
    PITH_LOG=log.pith timeout 200 "mpiexec.$mpi" -n 2 env LD_PRELOAD="$asan:$build/lib/pith/$mpi/libpith-mpi.so" "$@" >out 2>err
}
for mpi in $(mpis); do
    compile carried_all "$mpi" && "mpicc.$mpi" -O1 -Wno-stringop-overflow -o "heat2d-$mpi" "$top/samples/heat2d.c" -lm
    for mode in auto message datatype; do
        export PITH_COMPENSATE=$mode
        for what in carried_all "carried_all threads" "heat2d 1200 12"; do
            sanitized "./${what%% *}-$mpi" ${what#"${what%% *}"}
            is "$? $(grep -cE 'ERROR: AddressSanitizer|runtime error' err)" "0 0" "$mpi, $mode: $what" || head -n 40 err
        done
        is "$(pith info log.pith | grep -c '^delay_ns')" 2 "$mpi, $mode: it was recorded"
    done
done
finish
