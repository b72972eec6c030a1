#!/usr/bin/env bash
# The header and libraries of the C++ bindings as users compile and link them: compilers and standards, with and without the
# MPI's own C++ bindings, shared and static, with the program's own member, and before and after MPI runs.
. "$(dirname "$0")/../lib.sh"
[ -n "$(mpis)" ] || { skip "C++ bindings" "no MPI"; finish; }
include=$build/include/pith-cxx
user=$top/test/mpi/cxx_user.cc
warnings='-Wno-unused-command-line-argument -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Werror'
compilers=$(for c in g++ clang++; do command -v $c; done)

# cxx MPI ARGS: runs the MPI's C++ compiler, with $compiler if that is set
cxx() { local m=$1; shift; OMPI_CXX=${compiler:-g++} MPICH_CXX=${compiler:-g++} "mpicxx.$m" "$@"; }
# runs MPI RANKS PROGRAM WANTED WHAT: all ranks print WANTED
runs() {
    timeout -k 5 60 "mpiexec.$1" -n "$2" "./$3" >out 2>err
    is "$? $(sort -u out)" "0 $4" "$5" || head -n 20 err
}

for mpi in $(mpis); do
    lib=$build/lib/pith/$mpi
    [ -e "$lib/libpith-cxx.so" ] || continue
    for compiler in $compilers; do
        for standard in 11 14 17 20; do
            # shellcheck disable=SC2086 # the options are words
            cxx "$mpi" -std=c++$standard $warnings -I"$include" -fsyntax-only "$user" >err 2>&1
            ok $? "$mpi: ${compiler##*/} -std=c++$standard: no warning" || head -n 5 err
        done
        # shellcheck disable=SC2086 # the options are words
        [[ $compiler = *clang* ]] && for source in "$top"/wrappers/cxx/*.cc "$build"/gen/cxx/{pmpi,mpi,constants}.cc; do
            cxx "$mpi" -std=c++20 ${warnings/-Wpedantic/} -I"$include" -I"$top/wrappers/cxx" -I"$build/gen/cxx" -fsyntax-only "$source" >err 2>&1 ||
                { ok 1 "$mpi: ${compiler##*/}: $(basename "$source")"; head -n 5 err; }
        done
    done
    compiler=

    # The shared library, although the compiler adds the MPI's own C++ library; and the static library.
    cxx "$mpi" -c -o user.o -I"$include" "$user" && cxx "$mpi" -o shared user.o -L"$lib" -lpith-cxx -Wl,-rpath,"$lib"
    ok $? "$mpi: links with libpith-cxx.so"
    runs "$mpi" 3 shared fine "$mpi: and runs"
    cxx "$mpi" -o static user.o "$lib/libpith-cxx.a" && runs "$mpi" 3 static fine "$mpi: from the archive"
    # Without the MPI's own C++ library, as C programs are linked.
    "mpicc.$mpi" -o without user.o "$lib/libpith-cxx.a" -lstdc++ && runs "$mpi" 2 without fine "$mpi: linked without the MPI's C++ library"
    is "$(ldd without | grep -cE 'libmpichcxx|libmpi_cxx')" 0 "$mpi: which is not there then"
    is "$(nm -DC --defined-only "$lib/libpith-cxx.so" | grep -E ' (MPI|PMPI)::' | grep -vcE ' (MPI|PMPI)::pith::')" 0 "$mpi: no name is that of another binding"

    # A program with one object that uses the MPI's own bindings and one that uses Pith's.
    cat >old.cc <<'C'
#include <mpi.h>
int old_rank();
int old_rank() { return MPI::COMM_WORLD.Get_rank() + MPI::INT.Get_size(); }
C
    cat >both.cc <<'C'
#include <mpi.h>
#include <cstdio>
int old_rank();
int main()
{
    MPI::Init();
    std::fputs(old_rank() == MPI::COMM_WORLD.Get_rank() + 4 ? "fine\n" : "wrong\n", stdout);
    MPI::Finalize();
}
C
    if cxx "$mpi" -w -std=c++11 -c -o old.o old.cc 2>err; then
        cxx "$mpi" -I"$include" -c -o both.o both.cc && cxx "$mpi" -o both both.o old.o -L"$lib" -lpith-cxx -Wl,-rpath,"$lib" 2>err
        runs "$mpi" 2 both fine "$mpi: both bindings in one program"
        # The MPI's header came first: the error says what to do.
        printf '#include <mpi.h>\n#include "%s/mpicxx.h"\n' "$include" >mixed.cc
        like "$(cxx "$mpi" -w -std=c++11 -fsyntax-only mixed.cc 2>&1)" 'error.*C\+\+ bindings of the MPI itself.*mpicxx.h first' "$mpi: both headers: the error says what to do"
    else
        echo "# $mpi ships no C++ bindings: nothing to clash with"
    fi
    printf '#include <mpicxx.h>\n#include <mpi.h>\nint main() { return MPI::Is_initialized(); }\n' >first.cc
    cxx "$mpi" -I"$include" -fsyntax-only first.cc 2>err
    ok $? "$mpi: mpicxx.h alone, then mpi.h" || cat err
    printf '#include <mpi.h>\nint main(void) { return MPI_SUCCESS; }\n' >plain.c
    "mpicc.$mpi" -Wall -Wextra -Werror -I"$include" -fsyntax-only plain.c 2>err
    ok $? "$mpi: C finds its mpi.h unchanged" || cat err

    # The program's own member, in the same object and in another one before the library.
    for how in "$lib/libpith-cxx.a" "-L$lib -lpith-cxx -Wl,-rpath,$lib"; do
        # shellcheck disable=SC2086 # how is words
        cxx "$mpi" -DOWN_SEND -I"$include" -o own "$user" $how 2>err
        ok $? "$mpi: a member of one's own (${how##*/}): links" || head -n 5 err
        timeout 60 "mpiexec.$mpi" -n 3 ./own >out 2>err
        is "$? $(sort out | tr '\n' ' ')" "0 fine 1 fine 1 fine 3 " "$mpi: and is called" || cat err
    done

    # C or C++ initializes MPI, and C finalizes it: calls before and after throw.
    cat >cends.cc <<'C'
#include <mpi.h>
#include <cstdio>
static int thrown;
static void call()
{
    try {
        MPI::COMM_WORLD.Get_size();
    } catch (const MPI::Exception &e) {
        thrown += e.Get_error_string()[0] != 0;
    }
}
int main(int argc, char **argv)
{
    call();
    if (argc > 1)
        MPI::Init(argc, argv);
    else
        MPI_Init(&argc, &argv);
    call();
    MPI_Finalize();
    call();
    call();
    std::printf("thrown %d\n", thrown);
}
C
    cxx "$mpi" -I"$include" -o cends cends.cc -L"$lib" -lpith-cxx -Wl,-rpath,"$lib" && runs "$mpi" 2 cends "thrown 3" "$mpi: MPI begun and ended by C"
    is "$(PITH_QUIET=1 mpiexec_of "$mpi" 2 ./cends x 2>&1; echo $?)" "thrown 3
thrown 3
0" "$mpi: begun by C++, ended by C"
    is "$(PITH_QUIET=1 mpiexec_of "$mpi" 2 pith run -o cends.pith ./cends x 2>&1; echo $?)" "thrown 3
thrown 3
0" "$mpi: the same, recorded"
done
finish
