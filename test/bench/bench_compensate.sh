#!/usr/bin/env bash
# How near `pith compensate` comes to the run that was not recorded: programs of two ranks (which need a core each) recorded
# with a wrapper that burns 1, 10 and 100 us in each call (mpi/heavy.w), so that they are dilated by up to some 500 %; each
# beside the same recorded without it, in turns; medians, and the lowest and highest of the turns. Told: by how many
# percent the compensated run, and the worst of the functions with 5 % of the ranks' time, differ from the plain one.
# The peers: the same of the plain run once more (what nobody can tell from right), of the run as recorded, with own costs
# alone taken out, and by the library time with PITH_COMPENSATE=auto while it ran. For a function in which all wait for all
# also: not recorded so, but computing as long before each call; what lies still by then has left the caches, which no
# compensation knows. About a minute a program.
# BENCH_TURNS: how many (default 7). BENCH_MPIS, BENCH_PROGRAMS, BENCH_BURNS (ns): some of it. BENCH_UNDER='chrt -r 10':
# each rank before all other programs, where the machine is not quiet; Linux gives these 50 ms of each second all the same.
. "$(dirname "$0")/../lib.sh"
. "$top/test/bench/bench.sh"
. "$top/test/mpi/heavy.sh"
export PITH_QUIET=1
turns=${BENCH_TURNS:-7}
sums="python3 $top/test/bench/compensated.py"

# recorded MPI LIBRARY LOG COMMAND...
recorded() {
    local mpi=$1 library=$2 log=$3
    shift 3
    timeout 60 "mpiexec.$mpi" -n 2 env LD_PRELOAD="$library" PITH_LOG="$log" ${BENCH_UNDER:-} "$@" >/dev/null 2>err </dev/null
}
# spans LOG NAME: what it says of times, as a file
spans() { pith print "$1" >log.txt && $sums spans log.txt >"$2" && rm -f "$1" log.txt; }
# files NAME: those of all turns, with commas
files() { ls "$1".[0-9]* | paste -sd,; }
# differs NAME: of the run: "PERCENT LOW HIGH"; of the worst function: "PERCENT NAME"
differs_run() { $sums ratios "$(files plain)" "$(files "$1")" | awk '$1 == "run" { printf "%.1f %.1f %.1f\n", ($2 - 1) * 100, ($3 - 1) * 100, ($4 - 1) * 100 }'; }
differs_worst() {
    $sums ratios "$(files plain)" "$(files "$1")" | awk '$1 != "run" { d = ($2 - 1) * 100; if (d * d >= worst * worst) { worst = d; name = $1 } }
        END { printf "%.1f %s\n", worst, name }'
}
# paused NAME FUNCTION: by how much that one differs
paused() {
    case $2 in MPI_All* | MPI_Barrier | MPI_Win_fence) $sums ratios "$(files plain)" "$(files "$1")" | awk -v n="$2" '$1 == n { printf "%.1f\n", ($2 - 1) * 100 }' ;; esac
}
absolute() { calc "($1 < 0 ? -($1) : $1)"; }

# one MPI PROGRAM COMMAND...: all burns of a program
one() {
    local mpi=$1 program=$2 burn
    shift 2
    rm -f plain.* again.* recorded.* right.* local.* online.* paused.*
    for turn in $(seq "$turns"); do
        for again in plain again; do
            recorded "$mpi" "$build/lib/pith/$mpi/libpith-mpi.so" plain.pith "$@" && spans plain.pith $again.$turn
        done
        for burn in $burns; do
            HEAVY_NS=$burn recorded "$mpi" "$PWD/heavy-$mpi.so" slow.pith "$@" || { echo "$mpi: $program: failed"; cat err; return; }
            pith compensate slow.pith -o right.pith 2>/dev/null && pith compensate --local slow.pith -o local.pith 2>/dev/null
            HEAVY_NS=$burn recorded "$mpi" "$PWD/paused-$mpi.so" paused.pith "$@" && spans paused.pith paused.$burn.$turn
            HEAVY_NS=$burn PITH_COMPENSATE=auto PITH_TIME_FILE=online.csv recorded "$mpi" "$PWD/heavytime-$mpi.so" "" "$@" &&
                $sums table online.csv >online.$burn.$turn
            spans right.pith right.$burn.$turn && spans local.pith local.$burn.$turn && spans slow.pith recorded.$burn.$turn
        done
    done
    again=$(differs_run again | cut -d' ' -f1)
    for burn in $burns; do
        what="$mpi: $program, $((burn / 1000)) us a call"
        read -r dilated _ <<<"$(differs_run recorded.$burn)"
        goal=$(awk -v d="$dilated" 'BEGIN { print d <= 100 ? "<=5" : d <= 500 ? "<=15" : "" }')
        read -r off low high <<<"$(differs_run right.$burn)"
        row "$what: run" "$(absolute "$off")" "% off" 0 "$goal" "$low" "$high"
        peer "$what: run" "plain again" "$again"
        peer "$what: run" recorded "$dilated"
        peer "$what: run" "own costs only" "$(differs_run local.$burn | cut -d' ' -f1)"
        peer "$what: run" "while it ran" "$(differs_run online.$burn | cut -d' ' -f1)"
        read -r off name <<<"$(differs_worst right.$burn)"
        row "$what: worst function" "$(absolute "$off")" "% off" 0 "$goal"
        peer "$what: worst function" "$name, recorded" "$($sums ratios "$(files plain)" "$(files recorded.$burn)" | awk -v n="$name" '$1 == n { print ($2 - 1) * 100 }')"
        pause=$(paused paused.$burn "$name")
        [ -z "$pause" ] || peer "$what: worst function" "$name, computing as long before" "$pause"
        peer "$what: worst function" "while it ran: $(differs_worst online.$burn | cut -d' ' -f2)" "$(differs_worst online.$burn | cut -d' ' -f1)"
        $sums ratios "$(files plain)" "$(files right.$burn)" | awk '{ printf "    %-20s x %.3f (%.3f to %.3f), %.0f %% of the ranks'"'"' time\n", $1, $2, $3, $4, $5 * 100 }'
        negative=$(cat right.$burn.* | awk '$1 == "negative" { n += $2 } END { print n + 0 }')
        row "$what: negative durations" "$negative" "" 0 "<=0"
    done
}

burns=${BENCH_BURNS:-1000 10000 100000}
for mpi in $(mpis); do
    case " ${BENCH_MPIS:-$mpi} " in *" $mpi "*) ;; *) continue ;; esac
    make_heavy "$mpi" 2>err && make_paused "$mpi" 2>err && make_heavytime "$mpi" 2>err && make_workloads "$mpi" 2>err || { sed 's/^/    /' err; continue; }
    for program in ${BENCH_PROGRAMS:-montecarlo ring heat2d sort wavefront onesided}; do
        case $program in
        heat2d) one "$mpi" heat2d "./heat2d-$mpi" 600 1250 ;;
        montecarlo | onesided) one "$mpi" "$program" "./workloads-$mpi" "$program" 1600 90000 ;;
        *) one "$mpi" "$program" "./workloads-$mpi" "$program" 2400 50000 ;;
        esac
    done
done
