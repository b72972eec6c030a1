#!/usr/bin/env bash
# Other profiling tools in the program: linked, preloaded, both. They see what they see without Pith, and Pith records the calls of
# the program once, not those of the tools.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/functions.sh"

cat >calls.c <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, size, in;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 10; i++) {
        MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 3, &in, 1, MPI_INT, (rank + size - 1) % size, 3,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    PMPI_Barrier(MPI_COMM_WORLD); /* not for tools */
    MPI_Pcontrol(1);
    return MPI_Finalize();
}
END
cat >calls.f90 <<'END'
program calls
    include 'mpif.h'
    integer rank, ierr
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call MPI_Finalize(ierr)
end program
END
said() { grep -E '^(tool|first):' err | sort | tr '\n' '|'; }
# wanted: what the program's calls are in the log: those of 2 ranks
of_log() { pith stat "$1" --csv | awk -F, '/^MPI_/ { print $1 "=" $4 }' | sort | tr '\n' ' '; }

for mpi in $(mpis); do
    run() { timeout -k 5 60 "mpiexec.$mpi" -n 2 "$@" >out 2>err; }
    "mpicc.$mpi" -w -shared -fPIC -o libtool.so "$top/test/mpi/tool.c" && "mpicc.$mpi" -w -shared -fPIC -DNAME='"first"' -o libfirst.so "$top/test/mpi/tool.c" &&
        "mpicc.$mpi" -o plain calls.c && "mpicc.$mpi" -o linked calls.c -Wl,--no-as-needed -L. -l:libtool.so -Wl,-rpath,"$PWD"
    ok $? "$mpi: compiles" || continue
    run pith run ./plain
    wanted="MPI_Barrier=22 MPI_Comm_rank=2 MPI_Comm_size=2 MPI_Finalize=2 MPI_Init=2 MPI_Pcontrol=2 MPI_Sendrecv=20 "
    is "$(of_log plain.pith)" "$wanted" "$mpi: the program's calls"
    run ./linked; alone=$(said)
    is "$alone" "tool: 20 barriers, 4 ranks, 20 messages, 2 controls|" "$mpi: the tool alone"
    run pith run ./linked
    is "$? $(said)$(of_log linked.pith)" "0 $alone$wanted" "$mpi: linked: the tool and the log have what they have alone" || cat err
    is "$(pith info linked.pith | sed -n 's/^messages: //p')" 20 "messages once"
    run env LD_PRELOAD="$PWD/libfirst.so" ./linked; both=$(said)
    run env LD_PRELOAD="$PWD/libfirst.so" pith run ./plain; is "$(said)" "$both" "$mpi: preloaded: the tool as alone"
    run env LD_PRELOAD="$PWD/libfirst.so" pith run ./linked
    is "$?" 0 "$mpi: one preloaded, one linked" || cat err
    like "$(said)" '^first: 20 barriers, 4 ranks, 20 messages, 2 controls' "the preloaded one has the program's calls, as without Pith"
    for lib in trace time check; do
        run pith run --lib $lib ./linked
        is "$? $(said)" "0 $alone" "$mpi: --lib $lib and a linked tool" || cat err
        case $lib in
        trace) is "$(grep -c 'Starting MPI_Barrier' err) $(grep -c 'Starting MPI_Isend' err)" "22 0" "the trace has the program's calls" ;;
        time) like "$(cat err)" '^MPI_Barrier +22 ' "the table too" ;;
        check) like "$(cat err)" '^pith check: 24 collective calls of 2 ranks: no errors' "and the checks" ;;
        esac
        run env LD_PRELOAD="$PWD/libfirst.so" pith run --lib $lib ./linked
        like "$? $(said)" '^0 first: 20 barriers, 4 ranks' "$mpi: --lib $lib, one preloaded and one linked" || cat err
    done
    PITH_COMPENSATE=auto run pith run ./linked; is "$? $(said)" "0 $alone" "$mpi: with PITH_COMPENSATE" || cat err
    if "mpif90.$mpi" -w -o fortran calls.f90 -Wl,--no-as-needed -L. -l:libtool.so -Wl,-rpath,"$PWD" 2>/dev/null; then
        run ./fortran; alone=$(said)
        run pith run ./fortran; is "$? $(said)$(of_log fortran.pith)" "0 ${alone}MPI_Barrier=2 MPI_Comm_rank=2 MPI_Finalize=2 MPI_Init=2 " "$mpi: Fortran" || cat err
    else
        skip "$mpi: Fortran" "no mpif90"
    fi
done
finish
