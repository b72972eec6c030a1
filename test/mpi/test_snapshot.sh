#!/usr/bin/env bash
# Snapshots of a running job: mpirun hands the signal on to all ranks, and they make one log together; it is what the
# final log begins with. And the time window of a job.
. "$(dirname "$0")/../lib.sh"

# wait_for FILE: at most a minute.
wait_for() {
    local i
    for ((i = 0; i < 600; i++)); do
        [ -e "$1" ] && return
        sleep 0.1
    done
    return 1
}
# lane LOG RANK: its records without their times and what follows from later ones.
lane() { pith print "$1" --lane "$2.0" | grep -v '^#' | cut -f 4,5,6-; }
info() { pith info "$1" | sed -n "s/^$2: //p"; }

for mpi in $(mpis); do
    mkdir "$scratch/$mpi" && cd "$scratch/$mpi" || exit 1
    "mpicc.$mpi" -O1 -o until "$top/test/mpi/until.c" || { ok 1 "$mpi: until compiles"; continue; }

    PITH_SNAPSHOT=USR1 "mpiexec.$mpi" -n 4 pith run -o run.pith ./until >out 2>err &
    job=$!
    wait_for running
    ok $? "$mpi: a job of four ranks runs"
    kill -USR1 $job
    wait_for run.snapshot-1.pith
    ok $? "$mpi: USR1 to mpiexec makes a snapshot" || cat err
    pith info run.pith.spill >spill.info 2>&1
    ok $? "$mpi: its spill files can be read from outside as well" || cat spill.info
    kill -USR1 $job
    wait_for run.snapshot-2.pith
    ok $? "$mpi: and once more"
    touch stop
    wait $job
    is "$?" 0 "$mpi: the job ends well"
    like "$(cat out)" '^[0-9]+ rounds$' "$mpi: with its own output"
    is "$(ls -d run.*)" "$(printf '%s\n' run.pith run.snapshot-1.pith run.snapshot-2.pith)" "$mpi: two snapshots and the log, nothing else is left"
    for n in 1 2; do
        pith check run.snapshot-$n.pith >check.out 2>&1
        ok $? "$mpi: snapshot $n is a good log" || cat check.out
        is "$(info run.snapshot-$n.pith ranks)" 4 "$mpi: snapshot $n is of four ranks"
        good=0
        for rank in 0 1 2 3; do
            lane run.snapshot-$n.pith $rank >part
            lane run.pith $rank >whole
            [ -s part ] && head -n "$(wc -l <part)" whole | cmp -s - part && good=$((good + 1))
        done
        is "$good" 4 "$mpi: snapshot $n: each lane is what the log's begins with" || diff part whole | head -n 5
    done

    # ---- in MPI_Init -----------------------------------------------------------------------------------------------
    rm -f running stop run.*
    "mpicc.$mpi" -shared -fPIC -O1 -o slow_init.so "$top/test/mpi/slow_init.c" -ldl &&
        "mpicc.$mpi" -O1 -o slow "$top/test/mpi/until.c" -Wl,--no-as-needed ./slow_init.so || { ok 1 "$mpi: slow_init compiles"; continue; }
    PITH_SNAPSHOT=USR1 "mpiexec.$mpi" -n 4 pith run -o run.pith ./slow >out 2>err &
    job=$!
    wait_for in_init.0 && wait_for in_init.1 && wait_for in_init.2 && wait_for in_init.3
    ok $? "$mpi: four ranks are in MPI_Init"
    kill -USR1 $job
    sleep 1
    touch go_on
    wait_for run.snapshot-1.pith
    ok $? "$mpi: USR1 in MPI_Init makes a snapshot" || cat err
    wait_for running && sleep 1
    touch stop
    wait $job
    is "$?" 0 "$mpi: the job ends well" || cat err
    is "$(ls -d run.*)" "$(printf '%s\n' run.pith run.snapshot-1.pith)" "$mpi: one snapshot, not one of each rank"
    is "$(info run.snapshot-1.pith ranks)" 4 "$mpi: it is of four ranks"

    # ---- the window ------------------------------------------------------------------------------------------------
    rm -f running stop
    PITH_FROM=500ms PITH_TO=700ms "mpiexec.$mpi" -n 4 pith run -o window.pith ./until >out 2>err &
    job=$!
    wait_for running
    sleep 1
    touch stop
    wait $job
    is "$?" 0 "$mpi: a job with a time window ends well"
    pith check window.pith >check.out 2>&1
    ok $? "$mpi: its log is good" || cat check.out
    is "$(info window.pith window_s)" '0.5 to 0.7' "$mpi: which tells the window"
    like "$(pith print window.pith | grep -v '^#' | awk '$1 < 0.5 || $1 > 0.7' | wc -l)" '^0$' "$mpi: nothing lies outside"
    for rank in 0 1 2 3; do
        pith print window.pith --lane $rank | awk -F'\t' '$4 == "enter" { d++ } $4 == "leave" && --d < 0 { bad++ } END { exit bad > 0 || d != 0 }'
        ok $? "$mpi: states of rank $rank are whole"
    done
    cd "$scratch" || exit 1
done
finish
