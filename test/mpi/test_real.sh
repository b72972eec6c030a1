#!/usr/bin/env bash
# Programs as distributed, never built for Pith: recorded under `pith run`, each does what it does without, and the log
# holds every call that an independent count saw (count.c), rank by rank and function by function.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/real.sh"

# real NAME MPI RANKS FILTER COMMAND...: runs COMMAND without and with Pith. FILTER takes the timings out of its output.
real() {
    local name=$1 mpi=$2 ranks=$3 filter=$4 plain recorded
    shift 4
    if ! command -v "$1" >/dev/null; then
        skip "$name" "$1 is not installed"
        return
    fi
    if [ ! -e "$build/lib/pith/$mpi/libpith-mpi.so" ]; then
        skip "$name" "no $mpi"
        return
    fi
    mkdir -p "$scratch/$name/plain" "$scratch/$name/counts"
    cp -r "$scratch/input/." "$scratch/$name/plain"
    cp -r "$scratch/input/." "$scratch/$name"
    cd "$scratch/$name/plain" || return
    mpiexec_of "$mpi" "$ranks" "$@" >out 2>err
    plain=$?
    cd .. || return
    mpiexec_of "$mpi" "$ranks" env COUNT_OUT="$PWD/counts" "$top/test/mpi/preload" "$counter" pith run -o "$name.pith" -- "$@" >out 2>err
    recorded=$?
    is "$recorded" "$plain" "$name: exit status as without Pith"
    is "$($filter . 2>&1)" "$($filter plain 2>&1)" "$name: output as without Pith"
    is "$(grep '^pith' err | grep -vc 'had no core')" 1 "$name: Pith says one line"
    is "$(entries "$name.pith")" "$(counted counts)" "$name: every call recorded once, by rank and function"
    like "$(counted counts | wc -l)" '^[1-9][0-9]' "$name: the count is no empty one"
    is "$(info "$name.pith" ranks)" "$ranks" "$name: ranks"
    is "$(unmatched "$name.pith")" "0 0" "$name: messages all matched"
    usable "$name.pith" "$name"
    cd "$scratch" || exit 1
}

mkdir input
cp "$top"/test/mpi/real/* input/

# What stays the same from run to run, of the files in the folder $1.
hpcc_output() { grep -E '^(Begin|End) of|Success|PASSED|FAILED|^[A-Za-z_]+_(N|NB|M|nprow|npcol|Procs|errCount|Errors|Failures)=' "$1/hpccoutf.txt" | grep -vE '^(WALL|CPU)'; cat "$1/out"; }
netpipe_output() { cat "$1/out" "$1/err" | grep -v '^pith' | sed 's/-->.*//; / Mbps in /d' | sort; }
lammps_output() { grep -vE 'Loop time|CPU use|Performance|^(Pair|Neigh|Comm|Output|Modify|Other) |wall time|Memory| CPU = |timesteps/s' "$1/out"; }
plain_output() { cat "$1/out"; }

real hpcc openmpi 2 hpcc_output hpcc
real netpipe-mpich mpich 2 netpipe_output NPmpich2 -u 2000 -n 7
real netpipe-openmpi openmpi 2 netpipe_output NPopenmpi -u 2000 -n 7
real lammps openmpi 4 lammps_output lmp -in lj.in -log none
# Each step sends to several neighbours; every twentieth step sends other messages. One more looks like a step: the set-up.
if [ -e lammps/lammps.pith ]; then
    like "$(pith analyze lammps/lammps.pith)" 'Iterations: (59|60|61) found by' "lammps: the 60 steps are its iterations"
fi
if [ -e hpcc/hpcc.pith ]; then
    # Which of its benchmarks takes most of the run depends on the machine: 248 rounds of one, 4985 of another, or none.
    is "$(pith analyze --json hpcc/hpcc.pith | python3 -c '
import json, sys
said = json.load(sys.stdin)
found, window = said["iterations"], said["window"]["to_ns"] - said["window"]["from_ns"]
print(found["count"] == 0 or found["count"] > 2 and 0.1 * window <= found["count"] * found["mean_ns"] <= window)')" \
        True "hpcc: several benchmarks have no iterations, or those of one that takes a tenth of the run"
fi
real mpi4py openmpi 4 plain_output /usr/bin/python3 "$top/samples/ring.py"
finish
