#!/usr/bin/env bash
# sanitized_check.sh - run by `make check-asan-mpi`, in a build of libpith-check with the address and undefined-behaviour
# sanitizers: the programs of the tests of collective checking; no report may come. Under Open MPI, which leaks by itself.
. "$(dirname "$0")/../lib.sh"
lib=$build/lib/pith/openmpi/libpith-check.so
[ -e "$lib" ] || { echo "# no Open MPI: nothing to run"; finish; }
export ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0 UBSAN_OPTIONS=print_stacktrace=1 PITH_CHECK_SECONDS=60
for name in collcheck collodd partly freed; do
    mpicc.openmpi -g -O1 -Wno-stringop-overflow -fsanitize=address,undefined -o $name "$top/test/mpi/$name.c" -lpthread 2>err
    ok $? "$name.c compiles" || cat err
done
for run in "2 collcheck wrong" "4 collcheck wrong" "3 collcheck right" "1 collodd right" "4 collodd right" "2 collodd many" "4 collodd groups" "2 collodd spawn checked" "4 freed"; do
    read -r ranks program <<<"$run"
    timeout 200 mpiexec.openmpi -n "$ranks" -x LD_PRELOAD="$lib" ./$program >out 2>err
    ok $? "$ranks $program: ends well" || tail -n 20 err
    is "$(grep -hE -A 12 'ERROR: AddressSanitizer|runtime error:' out err)" "" "and the sanitizers are silent"
done
for what in right root group; do
    timeout 200 mpiexec.openmpi -n 1 ./partly $what : -n 2 env LD_PRELOAD="$lib" ./partly $what : -n 1 ./partly $what >out 2>err
    ok $? "2 of 4: partly $what: ends well" || tail -n 20 err
    is "$(grep -hE -A 12 'ERROR: AddressSanitizer|runtime error:' out err)" "" "and the sanitizers are silent"
done
like "$(cat out err)" '^pith check: ' "libpith-check was there"
finish
