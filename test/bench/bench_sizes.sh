#!/usr/bin/env bash
# How large logs of real programs are, bytes a record, everything in the file counted: hpcc and LAMMPS as test/mpi/real has
# them, and the sample heat2d; with times to the nanosecond and to 100 ns. Beside them their records as plain ones of 24
# bytes, deflated.
. "$(dirname "$0")/../lib.sh"
. "$top/test/bench/bench.sh"
export PITH_QUIET=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
cp "$top"/test/mpi/real/* .
cc -O2 -I"$build/include" -o plain "$top/test/bench/peers/plain_records.c" -L"$build/lib" -lpithlog -Wl,-rpath,"$build/lib" || exit 0

# each LOG: bytes a record; deflated LEVEL LOG: of its plain records, deflated.
each() { pith info "$1" | awk '$1 == "bytes:" { b = $2 } $1 == "records:" { n = $2 } END { printf "%.6g", b / n }'; }
deflated() { calc "$(./plain "$2" | gzip "-$1" | wc -c) / $(pith info "$2" | sed -n 's/^records: //p')"; }

# size NAME MPI RANKS COMMAND...
size() {
    local name=$1 mpi=$2 ranks=$3 what; shift 3
    { [ -d "$build/lib/pith/$mpi" ] && have "$1"; } || { echo "$name: not installed, or no $mpi"; return; }
    mpiexec_of "$mpi" "$ranks" pith run -o "$name.pith" -- "$@" >out 2>&1
    PITH_TIME_UNIT=100ns mpiexec_of "$mpi" "$ranks" pith run -o "$name-100.pith" -- "$@" >out 2>&1
    [ -s "$name.pith" ] && [ -s "$name-100.pith" ] || { tail -n 3 out; return; }
    what="size: $name, $(pith info "$name.pith" | sed -n 's/^records: //p') records"
    row "$what" "$(each "$name.pith")" bytes/event 0 "<=2.0"
    peer "$what" "24-byte records, zlib -1" "$(deflated 1 "$name.pith")"
    peer "$what" "zlib -6" "$(deflated 6 "$name.pith")"
    row "size: $name, times to 100 ns" "$(each "$name-100.pith")" bytes/event 0 "<=1.3"
}
size hpcc openmpi 2 hpcc
size LAMMPS openmpi 4 lmp -in lj.in -log none
size heat2d openmpi 4 "$build/samples/openmpi/heat2d"
