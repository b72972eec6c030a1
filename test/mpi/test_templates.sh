#!/usr/bin/env bash
# wrappergen(1)'s own examples, as a reader copies them: linked with programs in C, mpif.h, mpi and mpi_f08, and run. Each
# program makes the same calls, and each must be counted once: what the library has is found without --exports.
. "$(dirname "$0")/../lib.sh"
# example N: the Nth example of the section EXAMPLES
example() { sed -n '/^\.SH EXAMPLES/,$p' "$top/man/wrappergen.1" | awk -v n="$1" '/^\.EX/ { k++; on = 1; next } /^\.EE/ { on = 0 } on && k == n' | sed 's/\\e/\\/g; s/\\-/-/g'; }
example 1 >count.w
cat >program.c <<'C'
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, size, to = 0;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 10; i++)
        MPI_Sendrecv(&rank, 1, MPI_INT, rank, i, &to, 1, MPI_INT, rank, i, MPI_COMM_WORLD, &status);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
C
fortran() {
    case $1 in
    mpif) echo "program program; implicit none; include 'mpif.h'; integer :: status(MPI_STATUS_SIZE)" ;;
    mpi) echo "program program; use mpi; implicit none; integer :: status(MPI_STATUS_SIZE)" ;;
    mpi_f08) echo "program program; use mpi_f08; implicit none; type(MPI_Status) :: status" ;;
    esac | tr ';' '\n'
    cat <<'F'
integer :: rank, size, i, to, ierr
call MPI_Init(ierr)
call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
do i = 1, 10
  call MPI_Sendrecv(rank, 1, MPI_INTEGER, rank, i, to, 1, MPI_INTEGER, rank, i, MPI_COMM_WORLD, status, ierr)
end do
call MPI_Barrier(MPI_COMM_WORLD, ierr)
call MPI_Finalize(ierr)
end
F
}
for mpi in $(mpis); do
    export MPICC=mpicc.$mpi
    mkdir -p bin; ln -sf "$(command -v "mpicc.$mpi")" bin/mpicc; ln -sf "$(command -v "mpif90.$mpi")" bin/mpif90
    example 2 | PATH="$PWD/bin:$PATH" bash -e 2>err
    is "$? $(cat err)" "0 " "$mpi: the example for C"
    mpiexec_of "$mpi" 2 ./program >out 2>err
    is "$? $(sort err | tr '\n' ' ')" "0 15 calls 15 calls " "$mpi: counts each call of a C program once"
    command -v "mpif90.$mpi" >/dev/null || { skip "$mpi: Fortran" "no mpif90.$mpi"; continue; }
    fortran mpif >program.f90
    example 3 | PATH="$PWD/bin:$PATH" bash -e 2>err
    is "$? $(cat err)" "0 " "$mpi: the example for Fortran"
    for binding in mpif mpi mpi_f08; do
        fortran "$binding" >program.f90
        example 3 | tail -n 1 | PATH="$PWD/bin:$PATH" bash -e && mpiexec_of "$mpi" 2 ./program >out 2>err
        is "$? $(sort err | tr '\n' ' ')" "0 15 calls 15 calls " "$mpi: counts each call of $binding once"
    done
    # A wrapper that returns early gives its value to Fortran too; what it decoded is freed.
    cat >early.w <<'W'
{{fn f MPI_Waitall}}
    if ({{0}} == 2 && {{1}}[0] == MPI_REQUEST_NULL && {{2}} != MPI_STATUSES_IGNORE)
        return MPI_ERR_TOPOLOGY;
    {{callfn}}
{{endfn}}
{{fn f MPI_Pcontrol}}return {{0}};{{endfn}}
W
    cat >early.f90 <<'F'
use mpi_f08
type(MPI_Request) :: requests(2)
type(MPI_Status) :: statuses(2)
integer :: early, late, ierr
call MPI_Init(ierr)
requests = MPI_REQUEST_NULL
call MPI_Pcontrol(1)
call MPI_Waitall(2, requests, statuses, early)
call MPI_Waitall(1, requests, statuses, late)
print '(3l2)', early == MPI_ERR_TOPOLOGY, late == MPI_SUCCESS, all(requests == MPI_REQUEST_NULL)
call MPI_Finalize(ierr)
end
F
    sed 's/use mpi_f08/use mpi/; s/^type(MPI_Request) ::/integer ::/; s/^type.*/integer :: statuses(MPI_STATUS_SIZE, 2)/' early.f90 >early_mpi.f90
    wrappergen --dialect=wrap --fortran early.w -o early.c && "$MPICC" -Wall -Werror -c early.c
    for binding in early early_mpi; do
        "mpif90.$mpi" -o $binding $binding.f90 early.o && mpiexec_of "$mpi" 1 ./$binding >out 2>&1
        is "$? $(cat out)" "0  T T T" "$mpi: a wrapper that returns early, $binding"
    done
    # Without a Fortran compiler that is said, and mpif.h is served all the same.
    MPIFC=./nosuch wrappergen --fortran count.w -o count.c 2>err
    is "$? $(cat err)" "0 wrappergen: the Fortran compiler ./nosuch cannot link a program, so entry points for mpi_f08 are left out; set MPIFC, or give --exports" "$mpi: without a Fortran compiler"
    is "$(grep -cE '^WRAPPERGEN_C void mpi_barrier_\(' count.c) $(grep -cE '[^A-Z]p?mpir?_[a-z_]*_f08' count.c)" "2 0" "$mpi: the entries of mpif.h are there"
    wrappergen --fortran -H "$build/gen/$mpi/mpi.i" count.w -o count.c 2>err
    like "$(cat err)" "^wrappergen: with -H the functions of the library are unknown, so entry points for mpi_f08 are left out; give --exports$" "$mpi: with -H"
    # What is found out is what the build finds with other means.
    wrappergen --list 2>left | sort >listed
    sed -n 's/^P\(MPI.*\)/\1/p' "$build/gen/$mpi/exported" | sort >exported
    is "$(comm -23 listed exported | tr '\n' ' ')" "" "$mpi: all functions listed are in the library"
    is "$(sed -n 's/^left out: \([^ ]*\) .*/\1/p' left | sort | comm -12 - exported)" "" "$mpi: none is left out that is in it"
    example 4 >sent.w
    "$MPICC" -o program "$top/samples/ring.c" 2>err
    example 5 | sed "s/^mpirun/mpiexec.$mpi/" | PATH="$PWD/bin:$PATH" bash -e >out 2>err
    is "$? $(grep -cE '^MPI_(Send|Isend) [1-9]' err) $(grep -vcE '^MPI_[A-Z][a-z]+ [0-9]+$' err)" "0 4 0" "$mpi: the example of a library counts what a program sends" || cat err
done
finish
