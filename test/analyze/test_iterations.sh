#!/usr/bin/env bash
# pith analyze finds the iterations of a program: exact ones, random loops, and samples under each MPI. SEEDS=FIRST-LAST.
. "$(dirname "$0")/../lib.sh"
here=$top/test/analyze

# facts LOG ARGS: the facts of the iterations, a line each
facts() {
    pith analyze "$@" --json | python3 -c '
import json, sys
found = json.load(sys.stdin)["iterations"]
print("count", found["count"])
if found["count"]:
    print("by %(found_by)s on %(rank)d, %(from_ns)d to %(to_ns)d" % found)
    print("median %(median_ns)d, %(min_ns)d to %(max_ns)d, drift %(drift_ns_per_iteration).0f" % found)
for slow in found["slow"]:
    print("slow %(index)d: %(from_ns)d to %(to_ns)d, +%(excess_ns)d: %(difference_ns)d %(state)s on %(rank)d" % slow)'
}

for kind in exact drift shrink decay halo clock chance; do
    python3 "$here/iterations.py" $kind.txt $kind
done
is "$(facts exact.txt)" "count 100
by MPI_Allreduce on 0, 300102000 to 1341102000
median 10200000, 10200000 to 31200000, drift 0
slow 47: 769302000 to 800502000, +21000000: 21000000 force on 2" "a slow iteration, and why"
is "$(facts exact.txt --iterations step | grep -v ^by)" "$(facts exact.txt | grep -v ^by)" "the same of a given state"
is "$(facts exact.txt --iterations step | grep ^by)" "by step on 0, 300102000 to 1341102000" "which is told"
is "$(facts exact.txt --iterations step --from 'step[4]' | head -n 1)" "count 99" "instances that begin in the window"
is "$(facts drift.txt)" "count 100
by MPI_Allreduce on 0, 300102000 to 1419102000
median 11180000, 10200000 to 12180000, drift 20000" "each iteration is longer"
# At 52 us: the first MPI_Irecv after MPI_Allgather. Each tenth iteration begins with MPI_Gather.
is "$(facts halo.txt)" "count 60
by MPI_Allreduce on 0, 52000 to 183857000
median 3055000, 3055000 to 3156000, drift 0" "a loop that begins with messages; more calls in every tenth iteration"
is "$(facts clock.txt | head -n 2)" "count 50
by MPI_Allreduce on 0, 0 to $(pith print clock.txt --lane 0 | awk '/leave\tMPI_Allreduce/ { end = $1 } END { printf "%d", end * 1e9 }')" "a loop that reads the clock now and then"
is "$(facts chance.txt)" "count 0" "no period"

is "$(pith analyze exact.txt | sed -n '/^Iterations/,$p')" "Iterations: 100 found by MPI_Allreduce on rank 0
  median 10.20 ms (10.20 ms to 31.20 ms, mean 10.41 ms)
  1 is slow, compared with the median one:
    number 47, 31.20 ms: 21.00 ms more force on rank 2
      pith view exact.txt --at 0.769302s" "the page"
is "$(pith analyze exact.txt | grep -c '^     in iteration 47 of 100$')" 2 "the iteration of two findings: waiting and load imbalance"
is "$(pith analyze exact.txt --json | python3 -c 'import json, sys
for f in json.load(sys.stdin)["findings"]: print(f["name"], f.get("first_iteration"), f.get("last_iteration"))')" "transfer None None
load imbalance 47 47
wait at N x N 47 47" "the same as JSON"
is "$(pith analyze exact.txt --csv | cut -d, -f 1,9,10)" "finding,first_iteration,last_iteration
transfer,,
load imbalance,47,47
wait at N x N,47,47" "the same as CSV"
awk -F'\t' -v OFS='\t' '$2 == 1 && $1 > 0.3003 && (/leave\tforce/ || /enter\tMPI_Allreduce/ || $4 == "coll") { $1 = sprintf("%.9f", $1 - 0.005) } 1' \
    exact.txt | sort -s -g -k 1,1 >uneven.txt
is "$(pith analyze uneven.txt | grep -c '^     spread over all 100 iterations$')" 2 "waiting and load imbalance in each iteration"
like "$(pith analyze exact.txt --html -)" "in iteration 47 of 100" "as HTML"
like "$(pith analyze drift.txt)" "Each is 20.00 us longer than the one before: [+]19 % from first to last" "drift on the page"
like "$(pith analyze shrink.txt)" "Each is .* shorter than the one before: -98 % from first to last" "a drift is a part of the first iteration"
like "$(pith analyze decay.txt)" "Each is .* shorter than the one before: -[0-9]?[0-9] % from first to last" "also where the lengths are no straight line"
like "$(pith analyze chance.txt)" "^Iterations: none found; --iterations STATE" "none on the page"
is "$(pith analyze exact.txt --iterations force --from 1.341s | grep ^Iter)" "Iterations: force does not begin and end in this part of the run" "no instance"
is "$(pith analyze exact.txt --iterations walk 2>&1; echo $?)" "$(printf "pith: analyze: --iterations: the log has no state 'walk'; see \`pith help analyze\`\n2")" "no such state" ||
    pith analyze exact.txt --iterations walk

seeds=${SEEDS:-1-60}
for seed in $(seq "${seeds%-*}" "${seeds#*-}") 144; do # 144: half of the loop is like the other
    known=$(python3 "$here/iterations.py" log.txt "$seed")
    # shellcheck disable=SC2086
    is "$(pith analyze log.txt --json | python3 "$here/iterations_check.py" $known)" "" "loop $seed: $known"
done

for seed in $(seq 1 30) 49; do # 49: in half of the steps there are more calls
    steps=$(python3 "$here/iterations.py" log.txt molecules$seed)
    is "$(facts log.txt | head -n 1)" "count $steps" "molecules $seed: $steps steps, of which some send atoms, with new sizes"
done

for mpi in $(mpis); do
    for sample in heat2d ring; do
        timeout -k 5 90 "mpiexec.$mpi" -n 4 pith run -o $sample.pith "$build/samples/$mpi/$sample" >out 2>err
        ok $? "$mpi: $sample runs" || sed 's/^/# /' err
    done
    is "$(facts heat2d.pith | head -n 1)" "count 200" "$mpi: the 200 steps of heat2d"
    is "$(facts ring.pith)" "count 0" "$mpi: three different laps are no iterations"
done
finish
