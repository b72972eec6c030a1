#!/usr/bin/env bash
# Whole programs that use the C++ bindings, recorded by libpith-pcxx: the program of all functions, and programs as MPI courses
# taught them, with each compiler; linked with shared and static libraries, and run by pith run.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/functions.sh"

# named LOG: prints "NAME COUNT" for all MPI calls.
named() { lines "$1" enter | cut -f 4 | grep '^MPI' | sort | uniq -c | awk '{ print $2, $1 }'; }
# run_linked MPI RANKS NAME: runs ./NAME; its log is NAME.pith, its output is in out
run_linked() {
    rm -rf "$3.pith" "$3.pith.spill"
    PITH_LOG=$3.pith timeout -k 5 90 "mpiexec.$1" -n "$2" "./$3" >out 2>err
}

# This component of Open MPI's windows needs no network.
ompi_info 2>/dev/null | grep 'osc: pt2pt' >/dev/null && export OMPI_MCA_osc=pt2pt
for mpi in $(mpis); do
    lib=$build/lib/pith/$mpi
    [ -e "$lib/libpith-pcxx.so" ] || { skip "$mpi: libpith-pcxx" "no C++ compiler"; continue; }
    archives=("$lib/libpith-pcxx.a" "$lib/libpith-cxx.a" "$lib/libpith-mpi.a" "$build/lib/libpith.a" -lz -lpthread -lm)

    # Every function of the bindings: the program of test_cxx_bindings.sh passes, and each call has its name in the log.
    for source in "$top"/test/mpi/cxx_calls*.cc; do
        "mpicxx.$mpi" -std=c++11 -O0 -w -I"$build/include/pith-cxx" -c -o "$(basename "$source" .cc).o" "$source" 2>>err &
        [ "${source##*_}" = calls.cc ] || wait
    done
    wait
    "mpicxx.$mpi" -o calls cxx_calls*.o -L"$lib" -L"$build/lib" -Wl,-rpath,"$lib:$build/lib" -Wl,--push-state,--no-as-needed -lpith-pcxx -lpith-cxx -lpith-mpi -lpith -Wl,--pop-state 2>err
    ok $? "$mpi: the program of all functions links" || cat err
    all_right() { run_linked "$mpi" 2 calls && [ "$(grep -c '^checked 0 wrong' out)" = 2 ]; }
    quota 1 2 all_right # (test_cxx_bindings.sh says why)
    ok $? "$mpi: all functions give what they should, recorded ($quota)" || cat out err
    named calls.pith | cut -d ' ' -f 1 >seen
    # (Where the MPI has no ports, these are left out: test_cxx_bindings.sh.)
    grep -q '^nobody meets' out && printf 'MPI::Intracomm::%s\n' Accept Connect | sort -m - seen >more && mv more seen
    awk -v make=list -f "$top/wrappers/cxx/bindings.awk" "$top"/wrappers/cxx/{bindings,constants}.table | sed -E 's/.*(MPI::[A-Za-z_:0-9]*)\(.*/\1/' | sort -u >all
    is "$(comm -23 all seen | grep -vE '^MPI::(Comm::(Abort|Join)|Init_thread|Intracomm::Spawn.*|Close_port|Status::[SG]et_(error|source|tag))$')" "" "$mpi: each under its name"
    grep -oh '\bMPI_[A-Z][a-z_]*(' "$top"/test/mpi/cxx_calls*.cc | tr -d '(' | sort -u >own # it compares with some in C
    is "$(grep -vE '^MPI::|^MPI_(Comm_rank|Initialized)$' seen | comm -23 - own)" "" "$mpi: and no call that the bindings make for themselves"

    # Programs as courses taught them, with both compilers: plain, recorded by pith run, and linked.
    for compiler in g++:11 clang++:20; do
        command -v "${compiler%:*}" >/dev/null || continue
        MPICH_CXX=${compiler%:*} OMPI_CXX=${compiler%:*} "mpicxx.$mpi" -std=c++"${compiler#*:}" -Wall -Wextra -c -o course.o -I"$build/include/pith-cxx" "$top/test/mpi/cxx_course.cc" 2>err
        is "$? $(cat err)" "0 " "$mpi, $compiler: compiles without a warning"
        "mpicxx.$mpi" -o course course.o -L"$lib" -lpith-cxx -Wl,-rpath,"$lib"
        "mpicxx.$mpi" -o course-recorded course.o "${archives[@]}"
        is "$(mpiexec_of "$mpi" 4 ./course 2>&1)" "course: 0 bad" "$mpi, $compiler: plain"
        is "$(PITH_QUIET=1 mpiexec_of "$mpi" 4 pith run -o course.pith ./course 2>&1)" "course: 0 bad" "$mpi, $compiler: pith run"
        run_linked "$mpi" 4 course-recorded
        is "$? $(<out)" "0 course: 0 bad" "$mpi, $compiler: linked with the archives" || cat err
        is "$(named course-recorded.pith | grep -v Probe)" "$(named course.pith | grep -v Probe)" "$mpi, $compiler: the same calls"
        is "$(named course.pith | grep -vc '^MPI::') $(pith info course.pith | grep -E '^(messages|unmatched)')" "2 $(pith info course-recorded.pith | grep -E '^(messages|unmatched)')" "$mpi, $compiler: by the names of C++, and all messages"
    done
done
finish
