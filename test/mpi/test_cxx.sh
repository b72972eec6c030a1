#!/usr/bin/env bash
# C++: one program with the MPI-2 bindings, which Open MPI dropped in version 5, and with C calls. It runs under every library by pith run
# and by LD_PRELOAD, and linked with the shared and with the static library.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/functions.sh"

# calls_by_name LOG: "NAME COUNT," of the calls that the program makes after MPI_Init.
calls_by_name() {
    lines "$1" enter | cut -f 4 | grep -E '^MPI_(Irecv|Send|Wait|Sendrecv|Comm_dup|Allreduce|Comm_free)$' | sort | uniq -c |
        awk '{ printf "%s %d,", $2, $1 }'
}
wanted='MPI_Allreduce 4,MPI_Comm_dup 4,MPI_Comm_free 4,MPI_Irecv 12,MPI_Send 12,MPI_Sendrecv 8,MPI_Wait 12,'

for mpi in $(mpis); do
    lib=$build/lib/pith/$mpi
    echo 'MPI::Comm *any;' | "mpicxx.$mpi" -w -include mpi.h -fsyntax-only -x c++ - 2>err ||
        { grep -q MPI err && echo "# $mpi: it has no C++ bindings" && continue; }
    "mpicxx.$mpi" -std=c++11 -w -c -o bindings.o "$top/test/mpi/bindings.cc" && "mpicxx.$mpi" -o bindings bindings.o
    ok $? "$mpi: a program with the C++ bindings compiles"
    is "$(mpiexec_of "$mpi" 4 ./bindings 2>err)" "sum 6" "$mpi: and runs" || cat err

    is "$(mpiexec_of "$mpi" 4 pith run -o run.pith ./bindings 2>err)" "sum 6" "$mpi: pith run: the same output" || cat err
    is "$(calls_by_name run.pith)" "$wanted" "$mpi: each call of C++ once"
    is "$(pith info run.pith | grep '^messages')" "messages: 20" "$mpi: and its messages"

    is "$(mpiexec_of "$mpi" 4 pith run --lib trace ./bindings 2>err)" "sum 6" "$mpi: --lib trace: the same output"
    is "$(grep -cE '^\[[0-3]\] Ending MPI_Send( |$)' err)" 12 "$mpi: --lib trace: every MPI_Send" || cat err
    is "$(mpiexec_of "$mpi" 4 pith run --lib time -o times.csv ./bindings 2>err)" "sum 6" "$mpi: --lib time: the same output"
    is "$(grep -c MPI_Sendrecv times.csv | grep -c '^[1-9]')" 1 "$mpi: --lib time: its table" || cat err times.csv

    is "$(PITH_LOG=preload.pith LD_PRELOAD="$build/lib/libpith.so.0:$lib/libpith-mpi.so" mpiexec_of "$mpi" 4 ./bindings 2>err)" "sum 6" "$mpi: preloaded by hand" || cat err
    is "$(calls_by_name preload.pith)" "$wanted" "$mpi: preloaded by hand: the same calls"

    for name in mpi trace time; do
        "mpicxx.$mpi" -o "linked-$name" -Wl,--no-as-needed bindings.o -L"$lib" "-lpith-$name" -L"$build/lib" -lpith \
            -Wl,-rpath,"$lib:$build/lib" 2>err
        ok $? "$mpi: links with libpith-$name.so" || cat err
    done
    is "$(PITH_LOG=linked.pith mpiexec_of "$mpi" 4 ./linked-mpi 2>err)" "sum 6" "$mpi: linked with libpith-mpi.so"
    is "$(calls_by_name linked.pith)" "$wanted" "$mpi: linked: the same calls" || cat err
    mpiexec_of "$mpi" 4 ./linked-trace >out 2>err
    is "$(grep -cE '^\[[0-3]\] Ending MPI_Send( |$)' err)" 12 "$mpi: linked with libpith-trace.so" || cat err
    PITH_TIME_FILE=linked.csv mpiexec_of "$mpi" 4 ./linked-time >out 2>err
    is "$(grep -c MPI_Sendrecv linked.csv | grep -c '^[1-9]')" 1 "$mpi: linked with libpith-time.so" || cat err

    "mpicxx.$mpi" -o static bindings.o "$lib/libpith-mpi.a" "$build/lib/libpith.a" -lz -lpthread -lm 2>err
    ok $? "$mpi: links with libpith-mpi.a" || cat err
    is "$(PITH_LOG=static.pith mpiexec_of "$mpi" 4 ./static 2>err)" "sum 6" "$mpi: linked with libpith-mpi.a"
    is "$(calls_by_name static.pith)" "$wanted" "$mpi: the archive: the same calls" || cat err
done
finish
