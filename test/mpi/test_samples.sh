#!/usr/bin/env bash
# Every sample, on 1, 2 and 4 ranks of every MPI: its output is right, and the log contains the calls that an independent
# counter saw.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/real.sh"

# sample NAME MPI RANKS OUTPUT COMMAND...
sample() {
    local name="$1 $2 $3" mpi=$2 ranks=$3 output=$4
    shift 4
    rm -rf counts && mkdir counts
    mpiexec_of "$mpi" "$ranks" env COUNT_OUT="$PWD/counts" "$top/test/mpi/preload" "$counter" pith run -o log.pith -- "$@" >out 2>err
    is "$?" 0 "$name: runs" || cat err
    like "$(cat out)" "^$output\$" "$name: output"
    is "$(entries log.pith)" "$(counted counts)" "$name: every call recorded once"
    is "$(info log.pith complete) $(info log.pith ranks) $(info log.pith lost)" "yes $ranks 0" "$name: complete"
    is "$(unmatched log.pith)" "0 0" "$name: messages all matched"
    rm -rf log.pith
}

for mpi in $(mpis); do
    for ranks in 1 2 4; do
        last=$((ranks * (ranks - 1) / 2))
        for line in "heat2d|heat2d: 384 x 384 cells, 200 steps, last change 7.997433" "ring|ring: the token came back with $((3 * last)) after 3 laps of $ranks ranks" \
            "master_worker|master_worker: 240 rows of 320 points, 30664291 iterations" "pi|pi: about 3.14159265[0-9]*" \
            "wave|wave: 200 steps, mean square +0.49[0-9]*" "ring77|ring77: the token is $last"; do
            program=$build/samples/$mpi/${line%%|*}
            if [ -x "$program" ]; then
                sample "${line%%|*}" "$mpi" $ranks "${line#*|}" "$program"
            else
                skip "${line%%|*} $mpi $ranks" "no Fortran compiler"
            fi
        done
    done
done

# Python uses the MPI that its mpi4py was built for.
python=/usr/bin/python3
python_mpi=$($python -c 'import mpi4py.MPI as m; print("openmpi" if "Open MPI" in m.Get_library_version() else "mpich")' 2>/dev/null)
if [ -n "$python_mpi" ] && [ -e "$build/lib/pith/$python_mpi/libpith-mpi.so" ]; then
    for ranks in 1 2 4; do
        sample ring.py "$python_mpi" $ranks 'ring.py: the list came back as .*' $python "$top/samples/ring.py"
    done
else
    skip "ring.py" "no mpi4py"
fi
finish
