#!/usr/bin/env bash
# The C++ bindings under the address, leak and undefined-behaviour sanitizers, which library and test program are compiled for.
. "$(dirname "$0")/../lib.sh"
mpi=$(mpis | head -n 1)
[ -n "$mpi" ] && [ -e "$build/lib/pith/$mpi/libpith-cxx.so" ] || { skip "C++ bindings" "not built"; finish; }
export OMPI_MCA_topo=basic UBSAN_OPTIONS=print_stacktrace=1

for source in "$top"/test/mpi/cxx_calls*.cc "$top"/wrappers/cxx/*.cc "$build"/gen/cxx/{pmpi,mpi,constants}.cc; do echo "$source"; done >sources
xargs -P 2 -I SOURCE sh -c "mpicxx.$mpi -std=c++11 -O0 -g1 -fsanitize=address,undefined -fno-sanitize-recover=undefined \
    -I'$build/include/pith-cxx' -I'$build/gen/cxx' -I'$top/wrappers/cxx' -c -o \$(basename SOURCE .cc).o SOURCE" <sources
"mpicxx.$mpi" -fsanitize=address,undefined -o calls ./*.o
ok $? "$mpi: compiles and links"
for ranks in 1 2 4; do
    ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0 timeout -k 5 100 "mpiexec.$mpi" -n "$ranks" ./calls >out 2>err
    is "$? $(grep -c '^checked 0 wrong' out) $(grep -cE 'runtime error|AddressSanitizer' err)" "0 $ranks 0" "$mpi $ranks: nothing to report" || head -n 30 err
done
# Leaks of the MPI library in Init, and of programs that mpiexec starts, are not Pith's.
ASAN_OPTIONS=detect_leaks=1:verify_asan_link_order=0:fast_unwind_on_malloc=0 timeout -k 5 100 "mpiexec.$mpi" -n 1 ./calls >out 2>err
is "$(grep -c '^checked 0 wrong' out)" 1 "$mpi: runs to its end with the leak sanitizer"
is "$(awk '/leak of/ { ours = 0; init = 0; n = $0 } / in MPI::|pith_cxx::/ { ours = 1 } / PMPI::pith::Init/ { init = 1 }
    /^$/ && n { if (ours && !init) print n; n = "" }' err)" "" "$mpi: nothing is leaked"
finish
