#!/usr/bin/env bash
# Programs built with the compilers' sanitizers are recorded, and end as they do without Pith.
. "$(dirname "$0")/../lib.sh"
export ASAN_OPTIONS=detect_leaks=0
[ -z "$(sanitizers)" ] || { skip "sanitized programs" "Pith is built with a sanitizer itself"; finish; }

cat >calls.c <<'END'
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int rank, *memory = calloc(4, sizeof *memory);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 4; i++)
        MPI_Allreduce(&rank, &memory[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    int bad = argc > 1 ? memory[atoi(argv[1])] : 0;
    free(memory);
    return bad & 0;
}
END
printf '#!/bin/sh\n./calls\nexit $?\n' >script; chmod +x script
for mpi in $(mpis); do
    for kind in "gcc address" "gcc thread" "gcc undefined" "clang address" "clang address -shared-libasan" "clang thread" "clang undefined"; do
        read -r compiler sanitizer more <<<"$kind"
        runtime=
        [ -z "$more" ] || runtime=-Wl,-rpath,$(dirname "$(clang -print-file-name=libclang_rt.asan-$(uname -m).so 2>/dev/null)" 2>/dev/null)
        MPICH_CC=$compiler OMPI_CC=$compiler "mpicc.$mpi" -w -g -fsanitize=$sanitizer $more $runtime -o calls calls.c 2>/dev/null &&
            timeout -k 5 60 "mpiexec.$mpi" -n 2 ./calls >out 2>err || { echo "# $mpi: $kind: does not compile or run without Pith"; continue; }
        rm -rf calls.pith*
        timeout -k 5 60 "mpiexec.$mpi" -n 2 pith run ./calls >out 2>err
        is "$? $(pith info calls.pith | sed -n 's/^ranks: //p')" "0 2" "$mpi: $kind" || cat err
        [ $sanitizer = address ] || continue
        timeout -k 5 60 "mpiexec.$mpi" -n 1 pith run ./calls 5 >out 2>err
        like "$? $(joined "$(cat err)")" '^[1-9].*heap-buffer-overflow' "its errors are found"
        timeout -k 5 60 "mpiexec.$mpi" -n 2 pith run --also io,memory ./script >out 2>err; is "$?" 0 "from a script, with --also" || cat err
    done
done
finish
