#!/usr/bin/env bash
# Real jobs of 2 and 4 ranks, killed while they record and inside MPI_Finalize: one rank, or all and their launcher. What
# the ranks had announced as stored is in a good log or can be recovered. TEST_KILLS_TIMES=N kills N times as many.
. "$(dirname "$0")/../lib.sh"
times=${TEST_KILLS_TIMES:-1} seed=${TEST_KILLS_SEED:-7}
${CC:-cc} -std=gnu11 -D_GNU_SOURCE -g -O1 -I"$top/liblog" -I"$top/formats" -I"$top/formats/reader" -I"$top/test" -I"$top/test/unit" -o watch "$top/test/mpi/deathwatch.c" \
    "$build/lib/libpith.a" "$build/lib/libpithlog.a" -lz -lm -lpthread
ok $? "the watcher compiles"
export LD_LIBRARY_PATH="$build/lib"
for mpi in $(mpis); do
    "mpicc.$mpi" -std=gnu11 -D_GNU_SOURCE -g -O1 -rdynamic -I"$top/liblog" -I"$top/test/unit" -o "deaths-$mpi" "$top/test/mpi/deaths.c" \
        -L"$build/lib" -lpith -lpthread -ldl || { ok 1 "$mpi: deaths compiles"; continue; }
    mkdir "$mpi-2" "$mpi-4"
    (   # jobs mostly wait for their launchers, so those of the MPIs run side by side
        for size in 2 4; do
            cd "$scratch/$mpi-$size" || exit 1
            random=$((4 * times / size)) steps=$((size == 2 ? 8 * times : 3 * times))
            ../watch "$seed" $random $steps $size "mpiexec.$mpi" -n $size pith run -o run.pith -- "../deaths-$mpi" "$PWD/page" >told
        done
    ) &
done
wait
for mpi in $(mpis); do
    for size in 2 4; do
        wanted=$((4 * times / size + (size == 2 ? 8 : 3) * times + 1))
        read -r kills good logs recovered calls < <(tail -n 1 "$mpi-$size/told")
        is "$kills $good" "$wanted $wanted" "$mpi, $size ranks: $kills kills (seed $seed), $logs logs, $recovered recovered, nothing lost" ||
            grep '^#' "$mpi-$size/told"
        ok $((calls < 10)) "$mpi, $size ranks: up to $calls calls on files in MPI_Finalize"
    done
done
finish
