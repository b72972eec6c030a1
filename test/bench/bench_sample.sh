#!/usr/bin/env bash
# What samples cost: a program that computes 20 calls deep, with a sample every millisecond and without, in turns; the CPU
# time of its thread, the least of three runs. The wall clock is taken, because the CPU clock needs perf events for that
# rate; a row has it, too. The peer is perf record -g at the same rate. The floor is a timer whose handler does nothing: what
# the kernel takes for the signal.
. "$(dirname "$0")/../lib.sh"
. "$top/test/bench/bench.sh"
export PITH_QUIET=1

mpi=$(mpis | head -n 1)
"mpicc.$mpi" -O2 -fno-omit-frame-pointer -o stacks "$top/test/bench/mpi/stacks.c" || exit 0
for _ in 1 2 3; do
    mpiexec_of "$mpi" 1 pith run -o plain.pith ./stacks >>plain
    mpiexec_of "$mpi" 1 pith run --sample=1ms,wall -o sampled.pith ./stacks >>sampled
    pith print sampled.pith --state pith:sample | grep -c ';descend;' >>samples # not those in MPI_Init
    mpiexec_of "$mpi" 1 pith run --sample=1ms -o cpu.pith ./stacks >>cpu
    pith print cpu.pith --state pith:sample | grep -c ';descend;' >>cpu_samples
    mpiexec_of "$mpi" 1 ./stacks floor >>floor 2>>ticks
    have perf && perf record -q -g -F 1000 -e task-clock -o perf.data ./stacks >>perf 2>/dev/null
done
# each TIMES COUNTS: of the run that took the least, how much more than the plain one for each of its counts, in us.
each() { paste "$1" "$2" | sort -g | awk -v plain="$(lowest plain)" 'NR == 1 { printf "%.6g", ($1 - plain) / 1000 / $2 }'; }
row "CPU time with a sample each ms" "$(calc "100 * ($(lowest sampled) / $(lowest plain) - 1)")" "% more" \
    "$(calc "100 * ($(lowest floor) / $(lowest plain) - 1)")" "<=1"
[ ! -s perf ] || peer "CPU time with a sample each ms" "perf record -g" "$(calc "100 * ($(lowest perf) / $(lowest plain) - 1)")"
row "a sample of 20 calls" "$(each sampled samples)" us "$(each floor ticks)" "<=10"
row "a sample of 20 calls, by the CPU clock" "$(each cpu cpu_samples)" us "$(each floor ticks)" "<=10"
row "samples in a ms of CPU time, --sample=1" "$(paste cpu cpu_samples | sort -g | awk 'NR == 1 { printf "%.3g", $2 / ($1 / 1e6) }')" "" 1 ">=0.9"
row "a sample of 20 calls in the log" "$(calc "($(stat -c %s sampled.pith) - $(stat -c %s plain.pith)) / $(pith print sampled.pith | grep -c '	pith:sample	')")" bytes 0 "<=24"
[ ! -s perf.data ] || peer "a sample of 20 calls in the log" "perf record -g" \
    "$(calc "$(stat -c %s perf.data) / $(perf script -i perf.data 2>/dev/null | grep -c '^stacks')")"
