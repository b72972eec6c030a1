#!/usr/bin/env bash
# Communicators, windows, files and requests that are freed in odd orders, under the libraries that keep them: the results
# are those of a plain run, every message is recorded on its own communicator, and our communicators are freed with the
# program's.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/functions.sh"
export PITH_QUIET=1
# messages LOG: its sends that found their receive, and its other ends
messages() { pith info "$1" | awk '/^messages/ { all = $2 } /^unmatched/ { left += $2 } END { print all + 0, left + 0 }'; }
# under LIB MPI RANKS ["ROUNDS [THREADS]"]: a run; output sorted in out, standard error in err, exit status in $status
under() {
    rm -rf result*
    # shellcheck disable=SC2086
    TIMEOUT=60 timeout -k 5 90 "mpiexec.$2" -n "$3" pith run --lib "$1" -o result.pith "./freed-$2" ${4:-} >out.raw 2>err
    status=$?
    sort out.raw >out
}
for mpi in $(mpis); do
    compile freed "$mpi" || { ok 1 "$mpi: compiles"; continue; }
    for ranks in 1 2 4; do
        plain freed "$mpi" "$ranks"
        is "$plain_status $(cat plain.err)" "0 " "$mpi $ranks: the program does what it should"
        for run in log, log,auto log,message time,auto check,; do
            export PITH_COMPENSATE=${run#*,}
            under "${run%,*}" "$mpi" "$ranks"
            is "$status $(cmp out plain.out)" "0 " "$mpi $ranks: $run: runs as ever" || head -n 10 err
            [ "${run%,*}" != log ] || is "$(messages result.pith) $(pith check result.pith | sed 's/: .* read,/:/')" \
                "$((ranks * 14)) 0 result.pith: no damage found" "$mpi $ranks: $run: all messages are matched"
        done
        unset PITH_COMPENSATE
    done
    for run in log, log,auto time,auto check,; do
        export PITH_COMPENSATE=${run#*,}
        under "${run%,*}" "$mpi" 2 "10 4"
        is "$status $(cat out)" "0 rank 0: 120 messages, 400
rank 1: 120 messages, 400" "$mpi: $run: threads free at the same time" || head -n 10 err
        [ "${run%,*}" != log ] || is "$(messages result.pith) $(pith check result.pith | sed 's/: .* read,/:/')" \
            "240 0 result.pith: no damage found" "$mpi: $run: all messages of the threads are matched"
    done
    unset PITH_COMPENSATE
    # MPICH has 2048 communicators.
    export PITH_COMPENSATE=auto
    under log "$mpi" 1 2500
    is "$status $(sed 's/:.*//' out)" "0 rank 0" "$mpi: 5000 communicators are freed with open requests" || head -n 5 err
    unset PITH_COMPENSATE
done
finish
