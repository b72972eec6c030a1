#!/usr/bin/env bash
# How far the run time of a replay on the fitted network is from that of the run: samples and two programs of Debian,
# 2 ranks. Each rank has a core of its own if the system permits (chrt): a rank that must wait for a core, in a call,
# takes longer than any network explains.
. "$(dirname "$0")/../lib.sh"
. "$top/test/bench/bench.sh"
own_core=
if chrt -f 10 true 2>/dev/null; then own_core='chrt -f 10'; fi

# replay MPI NAME COMMAND...: the middle one of three runs.
replay() {
    local mpi=$1 name=$2 bind=--bind-to\ core
    shift 2
    if ! have "$1" || [ ! -e "$build/lib/pith/$mpi/libpith-mpi.so" ]; then return; fi
    if [ "$mpi" = mpich ]; then bind='-bind-to core'; fi
    for _ in 1 2 3; do
        $own_core timeout 60 "mpiexec.$mpi" $bind -n 2 pith run -o run.pith -- "$@" >out 2>&1 || { tail -n 3 out; return; }
        pith analyze run.pith --json | python3 -c 'import json, sys
a = json.load(sys.stdin); w = a["window"]; print(100 * abs(a["trust"]["replay_ns"] / (w["to_ns"] - w["from_ns"]) - 1))'
    done >differences
    row "$mpi: $name: replay differs from the run by" "$(median differences)" % 0 "<=2" "$(lowest differences)" "$(highest differences)"
}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
cp "$top"/test/mpi/real/* .
for mpi in mpich openmpi; do
    for sample in heat2d ring master_worker; do replay $mpi $sample "$build/samples/$mpi/$sample"; done
done
replay openmpi LAMMPS lmp -in lj.in -log none
replay openmpi hpcc hpcc
