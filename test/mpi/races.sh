#!/usr/bin/env bash
# races.sh - run by `make check-tsan`, in a build with the thread sanitizer: eight threads and threads that come and go call
# MPI under each library; no report may name Pith. Under Open MPI, for MPICH itself dies under the sanitizer; Open MPI's own
# libraries, which were not built for it, are reported on too, and that is theirs.
. "$(dirname "$0")/../lib.sh"
lib=$build/lib/pith/openmpi
[ -d "$lib" ] || { echo "# no Open MPI: nothing to run"; finish; }
mpicc.openmpi -g -O1 -fsanitize=thread -o corners "$top/test/mpi/corners.c" -lpthread
ok $? "the program compiles"
for name in mpi trace time; do
    TSAN_OPTIONS='exitcode=0 second_deadlock_stack=1' PITH_LOG=races.pith PITH_TIME_FILE=races.csv PITH_TRACE_FILE=races.trace \
        timeout 200 mpiexec.openmpi -n 2 -x LD_PRELOAD="$build/lib/libpith.so.0:$lib/libpith-$name.so" ./corners threads >out 2>err
    ok $? "libpith-$name: the program runs" || tail -n 20 err
    # Reports are blocks between lines of '='; those that pass through Pith's code name its libraries or sources.
    is "$(awk 'BEGIN { RS = "==================" } /WARNING: ThreadSanitizer/ && /libpith|wrappers\/|liblog\/|gen\/openmpi/' err)" "" "libpith-$name: no race in it"
done
like "$(pith info races.pith | grep '^lanes')" '18$' "it was recorded, all threads"
ok $(($(grep -c Starting races.trace) < 5000)) "it was traced"
ok $(($(grep -c MPI_Send races.csv) < 1)) "it was timed"
finish
