#!/usr/bin/env bash
# samples/own-library: copied, built and used as its README says, under each MPI, for C, Fortran and Python.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/functions.sh"
unset MAKEFLAGS MFLAGS MAKEOVERRIDES PITH MPICC # of a `make check` around this
python_mpi=$(/usr/bin/python3 -c 'from mpi4py import MPI; print("openmpi" if "Open MPI" in MPI.Get_library_version() else "mpich")' 2>/dev/null)
# sums FILE: the number of messages that the library reports
sums() { awk '/ messages of .* bytes or more$/ { n += $1 } END { print n + 0 }' "$1"; }

cp -r "$top/samples/own-library" sizes
cat >send.c <<'C'
#include <mpi.h>
int main(int argc, char **argv)
{
    static char buf[4096], to[4096];
    int rank, size;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 10; i++) { /* 10 of 16 bytes, 10 of 4096, 10 empty ones from each rank, to itself */
        for (int n = 0; n <= 4096; n += n ? 4080 : 16) {
            MPI_Irecv(to, 4096, MPI_CHAR, rank, n, MPI_COMM_WORLD, &request);
            MPI_Send(buf, n / 4, MPI_INT, rank, n, MPI_COMM_WORLD);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    }
    MPI_File file; /* Open MPI and MPICH send by themselves for this */
    MPI_File_open(MPI_COMM_WORLD, "data", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, rank * 16, buf, 16, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
C
for mpi in $(mpis); do
    (cd sizes && make -s clean && make MPICC=mpicc.$mpi) >make.out 2>&1
    ok $? "$mpi: make" || cat make.out
    is "$(grep -ciE 'warning|error' make.out)" 0 "$mpi: without warnings" || cat make.out
    "mpicc.$mpi" -o send send.c
    for ranks in 1 2 4; do
        mpiexec_of "$mpi" $ranks pith run --lib ./sizes/libsizes.so ./send >out 2>err
        is "$? $(sort -k4n err | tr '\n' ' ')" "0 $((10 * ranks)) messages of 0 bytes or more $((10 * ranks)) messages of 16 bytes or more $((10 * ranks)) messages of 4096 bytes or more " \
            "$mpi $ranks: each message of the program once, none of MPI's own"
    done
    LD_PRELOAD=$PWD/sizes/libsizes.so mpiexec_of "$mpi" 1 ./send 2>err
    is "$(sums err)" 30 "$mpi: preloaded by hand" || cat err
    for sample in ring ring77; do
        [ -x "$build/samples/$mpi/$sample" ] || { skip "$mpi: $sample" "not built"; continue; }
        PITH_ONLY='mpi_*send*' PITH_SKIP='mpi_*_init' mpiexec_of "$mpi" 3 pith run --lib trace "$build/samples/$mpi/$sample" >/dev/null 2>trace
        mpiexec_of "$mpi" 3 pith run --lib ./sizes/libsizes.so "$build/samples/$mpi/$sample" >out 2>err
        is "$? $(sums err)" "0 $(grep -c Starting trace)" "$mpi: $sample: as many messages as libpith-trace tells of"
    done
    if [ "$python_mpi" = "$mpi" ]; then
        mpiexec_of "$mpi" 2 pith run --lib ./sizes/libsizes.so /usr/bin/python3 -c 'from mpi4py import MPI
c = MPI.COMM_WORLD
c.Send(bytearray(100), 1) if c.rank == 0 else c.Recv(bytearray(100), 0)' 2>err
        is "$? $(cat err)" "0 1 messages of 64 bytes or more" "$mpi: Python"
    fi
done
# Without PITH, the Pith in PATH is used.
like "$(cd sizes && make -s clean && make -n)" "$build/bin/wrappergen --preload" "Pith is found by wrappergen in PATH"
pith run --lib ./nosuch.so true 2>err; is "$? $(cat err)" "1 pith run: ./nosuch.so: No such file or directory" "no such library"
finish
