#!/usr/bin/env bash
# Real jobs of 2 and 4 ranks, killed while they record and inside MPI_Finalize: one rank, or all and their launcher. What
# the ranks had announced as stored is in a good log or can be recovered. TEST_KILLS_TIMES=N kills N times as many.
. "$(dirname "$0")/../lib.sh"
times=${TEST_KILLS_TIMES:-1} seed=${TEST_KILLS_SEED:-7}
${CC:-cc} -std=gnu11 -D_GNU_SOURCE -g -O1 -I"$top/liblog" -I"$top/formats" -I"$top/test" -I"$top/test/unit" -o watch "$top/test/mpi/deathwatch.c" \
    "$build/lib/libpith.a" -lz -lm -lpthread
ok $? "the watcher compiles"
for mpi in $(mpis); do
    mkdir -p "$scratch/$mpi" && cd "$scratch/$mpi" || exit 1
    "mpicc.$mpi" -std=gnu11 -D_GNU_SOURCE -g -O1 -rdynamic -I"$top/liblog" -I"$top/test/unit" -o deaths "$top/test/mpi/deaths.c" -L"$build/lib" -lpith \
        -lpthread -ldl || { ok 1 "$mpi: deaths compiles"; continue; }
    export LD_LIBRARY_PATH="$build/lib"
    for size in 2 4; do
        random=$((8 * times / size)) steps=$((12 * times / size + 2))
        read -r kills good logs recovered calls < <(../watch "$seed" $random $steps $size "mpiexec.$mpi" -n $size \
            pith run -o run.pith -- ./deaths "$PWD/page" | tee told | tail -n 1)
        is "$kills $good" "$((random + steps + 1)) $((random + steps + 1))" "$mpi, $size ranks: $kills kills (seed $seed), $logs logs, $recovered recovered, nothing lost" ||
            grep '^#' told
        ok $((calls < 10)) "$mpi, $size ranks: up to $calls calls on files in MPI_Finalize"
    done
    unset LD_LIBRARY_PATH
    cd "$scratch" || exit 1
done
finish
