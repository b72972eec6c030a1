#!/usr/bin/env bash
# How near the delays that PITH_COMPENSATE finds while a program runs come to those that `pith compensate` finds in the log
# of the same run: the samples, each call made 10 us longer (mpi/heavy.w); by how many percent of the run the two differ,
# for the rank where they differ most. Medians of the turns; lowest, highest.
# BENCH_TURNS: how many (default 7). BENCH_MPIS, BENCH_SAMPLES, BENCH_RANKS: some of it.
. "$(dirname "$0")/../lib.sh"
. "$top/test/bench/bench.sh"
. "$top/test/mpi/heavy.sh"
export PITH_QUIET=1 PITH_COMPENSATE=auto HEAVY_NS=10000
turns=${BENCH_TURNS:-7}

# apart LOG: the largest difference of a rank's delays, in percent of the run
apart() {
    pith compensate "$1" -o out.pith 2>/dev/null || return
    join <(pith info "$1" | sed -n 's/^delay_ns \([0-9]*\): /\1 /p' | sort -n) <(join <(ends "$1") <(ends out.pith)) |
        awk '{ far = $2 - ($3 - $4); far = far < 0 ? -far : far; worst = far > worst ? far : worst; run = $3 > run ? $3 : run }
             END { printf "%.3f\n", 100 * worst / run }'
}

for mpi in $(mpis); do
    case " ${BENCH_MPIS:-$mpi} " in *" $mpi "*) ;; *) continue ;; esac
    make_heavy "$mpi" 2>err || { sed 's/^/    /' err; continue; }
    for sample in ${BENCH_SAMPLES:-heat2d master_worker pi ring ring77 wave relax}; do
        [ -x "$build/samples/$mpi/$sample" ] || { echo "$mpi: $sample: not built"; continue; }
        preload=$PWD/heavy-$mpi.so
        [ $sample != relax ] || preload="$build/lib/pith/$mpi/libpith-pcxx.so $preload" # C++, by its own names
        for ranks in ${BENCH_RANKS:-2 4}; do
            rm -f apart
            for _ in $(seq "$turns"); do
                timeout 60 "mpiexec.$mpi" -n "$ranks" env LD_PRELOAD="$preload" PITH_LOG=slow.pith "$build/samples/$mpi/$sample" >/dev/null 2>err </dev/null || cat err
                apart slow.pith >>apart
                rm -f slow.pith
            done
            row "$mpi: $sample, $ranks ranks: on line from off line" "$(median apart)" "% of run" 0 "<=1" "$(lowest apart)" "$(highest apart)"
        done
    done
done
