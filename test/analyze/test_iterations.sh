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
is "$(pith analyze exact.txt | grep -c '^ *in iteration 47 of 100$')" 2 "the iteration of two findings: waiting and load imbalance"
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

# A master that polls, receives a result and sends three tasks, 10 times: MPI_Recv MPI_Send MPI_Send MPI_Send.
awk -v OFS='\t' '
    function put(rank, us, rest) { printf "%.9f\t%d\t0\t%s\n", us / 1e6, rank, rest }
    function call(rank, from, to, name, record) { put(rank, from, "enter\t" name); if (record) put(rank, to, record); put(rank, to, "leave\t" name) }
    BEGIN { for (i = 0; i < 10; i++) { t = i * 50120
        for (k = 0; k < 95 + i; k++) call(0, t + 470 * k, t + 470 * k + 1, "MPI_Test")
        call(2, t + 50000, t + 50090, "MPI_Send", "send\tMPI_COMM_WORLD\tcomm=0\tpeer=0\ttag=0\tbytes=8")
        call(0, t + 50100, t + 50105, "MPI_Recv", "recv\tMPI_COMM_WORLD\tcomm=0\tpeer=2\ttag=0\tbytes=8")
        for (r = 1; r < 4; r++) {
            call(0, t + 50100 + 5 * r, t + 50105 + 5 * r, "MPI_Send", "send\tMPI_COMM_WORLD\tcomm=0\tpeer=" r "\ttag=0\tbytes=8")
            call(r, t + 50110, t + 50120, "MPI_Recv", "recv\tMPI_COMM_WORLD\tcomm=0\tpeer=0\ttag=0\tbytes=8") } } }' |
    sort -s -g -k 1,1 >poll.txt
is "$(facts poll.txt | sed -n '1p; 3p')" "count 10
median 50120000, 50120000 to 50120000, drift 0" "a master that polls"
# Each iteration makes a communicator, uses and frees it.
(
    printf '# comm\tcomm=%d\tname=\tsize=4\tranks=0,1,2,3\n' $(seq 0 20)
    awk 'function put(us, rest) { for (r = 0; r < 4; r++) printf "%.9f\t%d\t0\t%s\n", us / 1e6, r, rest }
        function call(us, name, comm) { put(us, "enter\t" name); put(us, "coll\t\tcomm=" comm "\tbytes=4\tgot_bytes=4\troot=-1"); put(us + 10, "leave\t" name) }
        BEGIN { put(0, "enter\tMPI_Init"); put(0, "leave\tMPI_Init"); for (i = 0; i < 20; i++) { t = i * 10030; call(t + 10000, "MPI_Comm_dup", 0)
            call(t + 10010, "MPI_Allreduce", i + 1); call(t + 10020, "MPI_Comm_free", i + 1) } }'
) >made.txt
is "$(facts made.txt | sed -n '1p; 3p')" "count 20
median 10030000, 10030000 to 10030000, drift 0" "a loop that makes communicators"
# 60 iterations, each 500 us longer: 5.02 ms to 34.52 ms.
awk 'function put(us, rest) { for (r = 0; r < 4; r++) printf "%.9f\t%d\t0\t%s\n", us / 1e6, r, rest }
    BEGIN { put(0, "enter\tMPI_Init"); put(0, "leave\tMPI_Init"); for (i = 0; i < 60; i++) { t += 5000 + 500 * i; put(t, "enter\tMPI_Allreduce")
        put(t, "coll\t\tcomm=0\tbytes=8\tgot_bytes=8\troot=-1"); t += 20; put(t, "leave\tMPI_Allreduce") } }' >longer.txt
like "$(pith analyze longer.txt)" "Each is 500.0 us longer than the one before: [+]588 % from first to last" "29.5 ms more than 5.02 ms"

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

# Lengths that vary by themselves: states `step` of so many ms, one after the other.
steps() {
    awk 'BEGIN { at = 0 } { printf "%.6f\t0\t0\tenter\tstep\n", at; at += $1 / 1000; printf "%.6f\t0\t0\tleave\tstep\n", at
        at += 0.001; printf "%.6f\t0\t0\tenter\tMPI_Barrier\n%.6f\t0\t0\tleave\tMPI_Barrier\n", at, at + 0.001; at += 0.002 }'
}
{ seq 15 60; echo 92; seq 15 60; } | steps >wide.txt
is "$(facts wide.txt --iterations step | grep -o 'slow [0-9]*')" "slow 47" "a slow one among lengths of 15 to 60 ms"
for i in $(seq 60); do echo 1; echo $((1 + i % 3)); echo $((10 + i % 20)); done | steps >tasks.txt
is "$(facts tasks.txt --iterations step | grep -c slow)" 0 "tasks of all sizes: a third are long, and none is slow"
{ for i in $(seq 60); do echo 1; echo $((1 + i % 3)); echo $((10 + i % 20)); done; echo 200; } | steps >tasks.txt
is "$(facts tasks.txt --iterations step | grep -o 'slow [0-9]*')" "slow 181" "but one of 200 ms is"

cat >made.c <<'E'
#include <mpi.h>
#include <time.h>
int main(int argc, char **argv)
{
    MPI_Comm made;
    MPI_Init(&argc, &argv);
    for (int i = 0, x = 1, sum; i < 20; i++) {
        nanosleep(&(struct timespec){0, 5000000}, NULL);
        MPI_Comm_dup(MPI_COMM_WORLD, &made);
        MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, made);
        MPI_Comm_free(&made);
    }
    return MPI_Finalize();
}
E
for mpi in $(mpis); do
    "mpicc.$mpi" -o made made.c && timeout -k 5 90 "mpiexec.$mpi" -n 4 pith run -o made.pith ./made >out 2>err
    is "$? $(facts made.pith | head -n 1)" "0 count 20" "$mpi: a loop that makes communicators" || sed 's/^/# /' err
    for sample in heat2d ring; do
        timeout -k 5 90 "mpiexec.$mpi" -n 4 pith run -o $sample.pith "$build/samples/$mpi/$sample" >out 2>err
        ok $? "$mpi: $sample runs" || sed 's/^/# /' err
    done
    is "$(facts heat2d.pith | head -n 1)" "count 200" "$mpi: the 200 steps of heat2d"
    is "$(facts ring.pith)" "count 0" "$mpi: three different laps are no iterations"
done
finish
