#!/usr/bin/env bash
# libpith-check: what is told of collective calls that do not agree, word by word; nothing of those that do, in C, Fortran, C++, Python.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/functions.sh"
export PITH_CHECK_SECONDS=60 UCX_LOG_LEVEL=fatal
export OMPI_MCA_btl_tcp_if_include=lo # else Open MPI 5 may say that it has no network for one machine
python_mpi=$(/usr/bin/python3 -c 'from mpi4py import MPI; print("openmpi" if "Open MPI" in MPI.Get_library_version() else "mpich")' 2>/dev/null)
checked() { local mpi=$1 n=$2; shift 2; timeout -k 5 60 "mpiexec.$mpi" -n "$n" pith run --lib check "$@"; }
# Standard error without what MPI says of errors itself, nor what is left, places, folders, and numbers that MPIs give names of theirs.
told() { sed -n "/^pith check/{/check:   .*at /d; / never [a-z]*$/d; s|$PWD/||g; s/split_type is [0-9]*, but [0-9]*/split_type is X, but Y/; s/check: [0-9]* coll/check: N coll/; p}" "${1:-err}" | sort; }
# Standard error without what Open MPI 6 says of a network that it does not use.
said() { sed '/osc_ucx_component\.c/d; /^ *$/d; s/check: [0-9]* coll/check: N coll/' "${1:-err}"; }
# What is wanted of a run of $1 ranks under MPI $2. MPIs from before 4.0 have not the last calls.
wanted() {
    if ./collcheck-$2 new; then sort "$top/test/mpi/collcheck.$1.wanted"; else
        grep -v 'MPI_Bcast_c\|MPI_Bcast_init' "$top/test/mpi/collcheck.$1.wanted" | sed 's/ 48 errors/ 46 errors/; s/ 47 errors/ 45 errors/' | sort
    fi
}
# until_said TIMES MPI WHAT: a run that would hang for ever is ended when so many have said that they wait.
until_said() {
    PITH_CHECK_SECONDS=1 timeout -k 5 60 "mpiexec.$2" -n 2 pith run --lib check "./collcheck-$2" "$3" >out 2>err &
    local job=$!
    until [ "$(grep -c 'has waited' err)" = "$1" ] || ! kill -0 $job 2>/dev/null; do sleep 0.05; done
    kill $job 2>/dev/null; wait $job 2>/dev/null
}
at() { grep -n "$1" "$top/test/mpi/collcheck.c" | cut -d: -f 1; }

cat >wrong.f90 <<'END'
program wrong
    use mpi
    integer :: rank, ierr, n
    real :: x(4)
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    x = 0
    call MPI_Allreduce(MPI_IN_PLACE, x, 4, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, ierr)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
    call MPI_Bcast(x, 3 + rank, MPI_REAL, 0, MPI_COMM_WORLD, ierr)
    call MPI_Error_class(ierr, n, ierr)
    if (n /= MPI_ERR_ARG) print *, 'error', n
    call MPI_Finalize(ierr)
end
END
cat >wrong.cc <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, x = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Bcast(&x, 1, MPI_INT, rank, MPI_COMM_WORLD);
    MPI_Finalize();
}
END
cat >wrong.py <<'END'
from mpi4py import MPI
world = MPI.COMM_WORLD
world.allreduce(1)
world.Split(world.rank, 0).Barrier()
try:
    if world.rank: world.Barrier()
    else: world.bcast([1, 2], 0)
except MPI.Exception as error:
    print(error.Get_error_class() == MPI.ERR_ARG)
END

# Names of collective functions, by how they are called; and those that the library's source has no check for.
collective='MPI_(I?([Bb]arrier|[Bb]cast|[Gg]ather|[Ss]catter|[Aa]ll(gather|toall|reduce)|[Rr]educe|[Ss]can|[Ee]xscan|[Nn]eighbor_)|Comm_(dup|split|create|idup|free$|disconnect|spawn|accept|connect|set_info)|Cart_(create|sub)|Graph_create|Dist_graph_create|Intercomm|File_(open|close|set_|preallocate|sync|seek_shared|i?(read|write)[a-z_]*_(all|ordered))|Win_(create|allocate|free|fence|set_info))'
unchecked() {
    awk '/^[a-z].* MPI_[A-Za-z_]+\(/ { name = $0; sub(/\(.*/, "", name); sub(/.* \**/, "", name); n = 0 } /pithi_check_(agree|start|post)/ { n = 1 }
        /^}/ { if (name != "" && !n) print name; name = "" }' "$1" | grep -E "^$collective" | grep -vE 'errhandler|keyval|Reduce_local'
}

for mpi in $(mpis); do
    is "$(unchecked "$build/gen/$mpi/check.c" | tr '\n' ' ') $(($(grep -cE "^[a-z].* $collective" "$build/gen/$mpi/check.c") > 100))" " 1" "$mpi: every collective function of mpi.h is checked"
    compile collcheck "$mpi"
    for ranks in 2 4; do
        checked "$mpi" $ranks ./collcheck-$mpi wrong >out 2>err
        is "$? $(grep -v UCX out)" "0 " "$mpi $ranks: each wrong call returns an error, is not made, and the right ones work"
        is "$(told)" "$(wanted $ranks "$mpi")" "$mpi $ranks: what is told of each"
    done
    is "$(grep 'check:   rank 1 at' err | head -n 1)" "pith check:   rank 1 at collcheck.c:$(at 'wrong(MPI_Barrier'), rank 0 at collcheck.c:$(at 'wrong(MPI_Allreduce(a, b, 1, MPI_INT, MPI_SUM')" "$mpi: the lines of the two calls"
    is "$(grep 'check:   at' err | head -n 1)" "pith check:   at collcheck.c:$(at 'wrong(MPI_Bcast(a, 1, MPI_INT, odd')" "$mpi: the line of the same call"
    checked "$mpi" 1 ./collcheck-$mpi right >out 2>err
    is "$? $(cat out)$(said)" "0 pith check: N collective calls of 1 rank: no errors" "$mpi 1: right calls, that look odd"
    status=0
    for _ in 1 2 3 4; do # in one of ten runs in which two ranks abort, the status of MPICH 4.2's mpiexec is 0
        [ $status != 0 ] || { checked "$mpi" 2 ./collcheck-$mpi fatal >out 2>err; status=$?; }
    done
    is "$((status != 0)) $(told)" "1 pith check: rank 1: MPI_Bcast: root is 1, but 0 on rank 0 (communicator MPI_COMM_WORLD, 1st collective call)" "$mpi: the default error handler ends the job"
    checked "$mpi" 4 ./collcheck-$mpi lost >out 2>err
    is "$? $(told)" "0 pith check: N collective calls of 4 ranks: 1 error
pith check: rank 1: MPI_Finalize, but MPI_Barrier on rank 0 (communicator MPI_COMM_WORLD, 1st collective call)" "$mpi: one is in MPI_Finalize already"
    PITH_QUIET=1 checked "$mpi" 2 -o /nonexistent/x ./collcheck-$mpi lost >out 2>err
    is "$? $(grep -c '^pith: PITH_CHECK_FILE: /nonexistent/x: No such file or directory; messages go to standard error$' err) $(told | grep -c ' MPI_Finalize, but')" "0 1 1" "$mpi: a file that cannot be: said"
    is "$(told | grep -c collective\ calls)" 0 "$mpi: PITH_QUIET=1: errors only"

    if "mpiexec.$mpi" -n 2 ./collcheck-$mpi apart >out 2>&1; then
        skip "$mpi: who keeps the others waiting" "this MPI takes the ranks for processes of several machines"
    else
        rm -f late.txt
        PITH_CHECK_SECONDS=1 checked "$mpi" 3 -o late.txt ./collcheck-$mpi late >out 2>err
        is "$? $(cat late.txt | sed 's/waited for [0-9]*/waited for N/')" "0 pith check: rank 0: has waited for N s in MPI_Barrier (communicator MPI_COMM_WORLD, 1st collective call) for rank 1, which is in MPI_Recv from 2, tag 9; rank 2, which is not in MPI
pith check: 6 collective calls of 3 ranks: no errors" "$mpi: who keeps the others waiting, and where it is; then the program goes on"
        until_said 2 "$mpi" orders
        is "$(told | sed 's/waited for [0-9]*/waited for N/')" "pith check: rank 0: has waited for N s in MPI_Barrier (communicator one, 1st collective call) for rank 1, which is in MPI_Barrier (communicator two, 1st collective call)
pith check: rank 1: has waited for N s in MPI_Barrier (communicator two, 1st collective call) for rank 0, which is in MPI_Barrier (communicator one, 1st collective call)" "$mpi: two communicators in different orders"
    fi

    if command -v "mpif90.$mpi" >/dev/null; then
        "mpif90.$mpi" -w -g -o wrong-f wrong.f90
        checked "$mpi" 2 ./wrong-f >out 2>err
        is "$? $(cat out; grep 'pith check' err)" "0 pith check: rank 1: MPI_Bcast: the data is 4 MPI_REAL, but 3 MPI_REAL on rank 0 (communicator MPI_COMM_WORLD, 2nd collective call)
pith check:   at wrong.f90:10
pith check: 6 collective calls of 2 ranks: 1 error" "$mpi: Fortran" || cat err
    else skip "$mpi: Fortran" "no compiler"; fi
    "mpicxx.$mpi" -w -g -o wrong-cc wrong.cc
    checked "$mpi" 2 ./wrong-cc >out 2>err
    is "$? $(cat out; grep 'pith check' err)" "0 pith check: rank 1: MPI_Bcast: root is 1, but 0 on rank 0 (communicator MPI_COMM_WORLD, 1st collective call)
pith check:   at wrong.cc:8
pith check: 4 collective calls of 2 ranks: 1 error" "$mpi: C++"
    if [ "$python_mpi" = "$mpi" ]; then
        checked "$mpi" 2 /usr/bin/python3 wrong.py >out 2>err
        is "$? $(grep -o True out | wc -l) $(told | grep -v calls | sed 's/Bcast_c/Bcast/')" "0 2 pith check: rank 1: MPI_Barrier, but MPI_Bcast on rank 0 (communicator MPI_COMM_WORLD, 3rd collective call)" "$mpi: Python" || cat err
    fi
    for program in colls comms; do # hundreds of collectives; communicators of all kinds that come and go
        compile $program "$mpi"
        checked "$mpi" 2 ./$program-$mpi >out 2>err
        # `comms` frees some of MPI_Comm_idup that no other collective call has seen.
        is "$? $(said)" "0 pith check: N collective calls of 2 ranks: no errors$([ $program = colls ] || printf '\npith check: 4 more not checked; see pith-collcheck(7)')" "$mpi: $program: nothing is wrong"
    done
    for sample in heat2d master_worker ring pi wave ring77; do
        [ -x "$build/samples/$mpi/$sample" ] || { skip "$mpi: $sample" "not built"; continue; }
        checked "$mpi" 2 "$build/samples/$mpi/$sample" >out 2>err
        is "$? $(said)" "0 pith check: N collective calls of 2 ranks: no errors" "$mpi: sample $sample: nothing is wrong"
    done
done
finish
