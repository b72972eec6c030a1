#!/usr/bin/env bash
# Programs of another ABI than that of the wrappers: they run unharmed and unrecorded, and one line says so. A stub stands for
# libmpi_abi.so.1, the library of MPI 5's standard ABI: handles of 8 bytes that the wrappers for MPICH would cut.
. "$(dirname "$0")/../lib.sh"

mkdir abi
cat >abi/mpi.h <<'E1'
#define MPI_H_ABI
#define MPI_ABI_VERSION 1
typedef struct MPI_ABI_Comm *MPI_Comm;
#define MPI_COMM_WORLD ((MPI_Comm)0x101)
int MPI_Init(int *argc, char ***argv);
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm);
int MPI_Comm_rank(MPI_Comm comm, int *rank);
int MPI_Finalize(void);
E1
cat >stub.c <<'E1'
#include "mpi.h"
#include <stdlib.h>
#define TWIN(function) __attribute__((alias("P" #function)))
static MPI_Comm made;
int PMPI_Init(int *argc, char ***argv) { return !argc + !argv; }
int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm) { return *newcomm = made = malloc(1 << 20), comm != MPI_COMM_WORLD; }
int PMPI_Comm_rank(MPI_Comm comm, int *rank) { return *rank = 0, comm != made; }
int PMPI_Finalize(void) { return 0; }
int MPI_Init(int *argc, char ***argv) TWIN(MPI_Init);
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm) TWIN(MPI_Comm_dup);
int MPI_Comm_rank(MPI_Comm comm, int *rank) TWIN(MPI_Comm_rank);
int MPI_Finalize(void) TWIN(MPI_Finalize);
E1
cat >part.c <<'E1'
#include "mpi.h"
#include <stdio.h>
int part(int argc, char **argv)
{
    MPI_Comm comm;
    int rank, bad = MPI_Init(&argc, &argv) + MPI_Comm_dup(MPI_COMM_WORLD, &comm) + MPI_Comm_rank(comm, &rank) + MPI_Finalize();
    printf("%s %d\n", bad ? "bad" : "intact", argc);
    return argc == 3 ? 7 : 0;
}
E1
cat >host.c <<'E1'
#include <dlfcn.h>
int main(int argc, char **argv)
{
    void *opened = dlopen("./part.so", RTLD_NOW | RTLD_LOCAL);
    int (*part)(int, char **) = opened ? (int (*)(int, char **))dlsym(opened, "part") : 0;
    return part ? part(argc, argv) : 1;
}
E1
echo 'int part(int, char **); int main(int argc, char **argv) { return part(argc, argv); }' >main.c
cc -w -Iabi -shared -fPIC -Wl,-soname,libmpi_abi.so.1 -o libmpi_abi.so.1 stub.c &&
    cc -w -Iabi -o program main.c part.c ./libmpi_abi.so.1 -Wl,-rpath,"$PWD" &&
    cc -w -Iabi -shared -fPIC -o part.so part.c ./libmpi_abi.so.1 -Wl,-rpath,"$PWD" && cc -w -o host host.c -ldl
ok $? "the stub of libmpi_abi and its programs" || finish
# MPICH's mpiexec may be ended by SIGPIPE if all its processes end at once, without Pith, too; hence the sleep.
printf '#!/bin/sh\n./program "$@"\necho script $?\nsleep 0.3\n' >script; chmod +x script
logs() { find . -name '*.pith*' | wc -l; }
cannot='uses the standard ABI of MPI 5 (libmpi_abi), which these wrappers cannot record; it runs unrecorded'

for mpi in $(mpis); do
    pith run --mpi "$mpi" ./program >out 2>err
    is "$? $(cat out err) $(logs)" "0 intact 1
pith: ./program: $cannot 0" "$mpi: --mpi with a program of the standard ABI: it runs"
    for library in log trace time check; do
        "mpiexec.$mpi" -n 2 pith run --lib $library ./script a >out 2>err
        is "$(sort out | uniq -c | tr -s ' ' | tr '\n' ';') $(logs)" " 2 intact 2; 2 script 0; 0" "$mpi, $library: started by a script: it runs"
        is "$(grep '^pith' err)" "pith: ./program: $cannot" \
            "$mpi, $library: and one line says it" || cat err
    done
    pith run --mpi "$mpi" ./host >out 2>err
    if [ "$(uname -m)" = x86_64 ]; then
        is "$? $(cat out) $(grep '^pith' err) $(ls -d host.pith* 2>/dev/null)" "0 intact 1 pith: ./host: $cannot " \
            "$mpi: a program that opens the library later runs, too, and leaves no records" || cat err
        for library in trace time check; do
            pith run --mpi "$mpi" --lib $library ./host a b >out 2>err
            is "$? $(cat out) $(grep '^pith' err)" "7 intact 3 pith: ./host: $cannot" "$mpi, $library: the same" || cat err
        done
    else # the wrappers have no gate (wrappers/mpi/other_mpi.c)
        is "$? $(cat out) $(grep '^pith:' err | sed 's/those for .*, but/those for .., but/')" \
            "1  pith: the wrappers loaded are those for .., but the program uses the standard ABI of MPI 5 (libmpi_abi); name it with pith run --mpi abi" \
            "$mpi: a program that opens the library later ends in its first call, with a line"
        is "$(ls -d host.pith* 2>/dev/null)" "" "$mpi: and leaves no records"
    fi
    rm -rf host.pith*
done

# The same for programs of the other MPI.
if [ "$(mpis | wc -l)" = 2 ]; then
    for mpi in $(mpis); do
        [ "$mpi" = mpich ] && other=openmpi name='Open MPI' || { other=mpich name=MPICH; }
        "mpicc.$other" -w -o other main.c part.c
        pith run --mpi "$mpi" ./other >out 2>err
        is "$? $(cat out err) $(logs)" "0 intact 1
pith: ./other: uses $name, which these wrappers cannot record; it runs unrecorded 0" "$mpi: --mpi with a program of $other: it runs" || cat err
    done
fi

# Python, whose mpi4py loads its MPI, under the mpiexec of the other one.
python_mpi=$(/usr/bin/python3 -c 'from mpi4py import MPI; print("openmpi" if "Open MPI" in MPI.Get_library_version() else "mpich")' 2>/dev/null)
cat >comm.py <<'E1'
from mpi4py import MPI
comm = MPI.COMM_WORLD.Dup()
print(comm.Get_rank(), comm.Get_size(), comm.allreduce(3), comm.bcast("text"), MPI.Wtime() > 0, flush=True)
E1
for mpi in $(mpis); do
    [ "$python_mpi" ] && [ "$python_mpi" != "$mpi" ] && [ "$(uname -m)" = x86_64 ] || continue
    "mpiexec.$mpi" -n 2 /usr/bin/python3 comm.py >plain 2>plain.err; wanted=$?
    for library in log time; do
        "mpiexec.$mpi" -n 2 pith run --lib $library /usr/bin/python3 comm.py >out 2>err
        is "$? $(sort out; grep -v '^pith' err | sort)" "$wanted $(sort plain; sort plain.err)" "mpiexec of $mpi, mpi4py of $python_mpi, $library: runs as without Pith"
        like "$(joined "$(grep '^pith' err)")" '^pith: /usr/bin/python3: uses [^|]*, which these wrappers cannot record; it runs unrecorded$' "and one line says it"
    done
done

make -C "$top" -s --no-print-directory missing O="$PWD/b" MPICC="cc -I$PWD/abi" >out 2>&1
like "$(cat out)" '^no MPICH and no Open MPI found .*: MPI wrappers left out, but for those of the standard ABI of MPI 5$' "make does not take the standard ABI for MPICH"
finish
