#!/usr/bin/env bash
# PITH_HANG: jobs that hang in known ways, under each MPI: one report, with the right culprit, and then the job goes on or
# ends.
. "$(dirname "$0")/../lib.sh"
export PITH_QUIET=1 PITH_CALLSITES=1
# Open MPI's other ways to make a window fail where this machine or folder does not suit them.
ompi_info 2>/dev/null | grep 'osc: pt2pt' >/dev/null && export OMPI_MCA_osc=pt2pt

# start SETTING N ARGUMENTS: a job of hangs.c in the background.
start() {
    local setting=$1 n=$2
    shift 2
    rm -rf run.pith* go
    PITH_HANG=$setting mpiexec_of "$mpi" "$n" pith run -o run.pith "./hangs-$mpi" "$@" >out 2>err &
    job=$!
}
# The processes of the job. The spill files are named HOST-PID-TIME.spill.
pids() { printf '%s\n' run.pith.spill/*.spill | sed -nE 's/.*-([0-9]+)-[0-9]+\.spill$/\1/p'; }
# reported PATTERN [COUNT]: waits until the report has so many lines like that.
reported() {
    for _ in $(seq 300); do
        [ "$(grep -cE "$1" err)" -ge "${2:-1}" ] && return
        sleep 0.1
    done
    return 1
}
# report: its lines without times and source lines.
report() {
    grep -E '^(hangs|rank|deadlock|  (rank|thread|\.\.\.)|thread|no rank)' err |
        sed -E 's/[0-9.]+ [mun]?s/TIME/g; s/[0-9]+ records/N records/; s/TIME to TIME/TIME/; s/\(hangs\.c:[0-9]+\)/(hangs.c:N)/g'
}
body() { report | tail -n +2; }
# line TEXT N: where hangs.c has it for the N-th time.
line() { grep -nF "$1" "$top/test/mpi/hangs.c" | cut -d: -f1 | sed -n "$2p"; }
# ended N ARGUMENTS: a job that is ended by PITH_HANG after its report.
ended() {
    start 500ms,abort "$@"
    wait $job
    status=$?
    # shellcheck disable=SC2046
    kill -9 $(pids) 2>/dev/null # a stopped one may be left
}

in_world="on MPI_COMM_WORLD for TIME, called in"
run="\`run\` (hangs.c:N)"
main="\`main\` (hangs.c:N)"

for mpi in $(mpis); do
    "mpicc.$mpi" -g -O1 -I"$build/include" -o "hangs-$mpi" "$top/test/mpi/hangs.c" -L"$build/lib" -lpith -Wl,-rpath,"$build/lib"
    ok $? "$mpi: the program compiles" || continue

    # ---- a report, and the job goes on
    start 500ms 4 io go
    reported '^  rank'
    ok $? "$mpi: a report comes"
    is "$(report)" "hangs-$mpi, $scratch/run.pith: no rank has recorded anything for TIME; 4 of 4 ranks running, at TIME, N records
rank 3 is outside MPI in \`io\` for TIME, since MPI_Barrier, called in $main; 3 ranks wait for it
  ranks 0-2 in MPI_Barrier $in_world $run: wait for rank 3, which has not entered it" "$mpi: it says who waits for whom"
    like "$(grep '^  ranks' err)" "\(hangs\.c:$(($(line 'work(file);' 1) + 1))\)" "$mpi: on which source line"
    kill -USR2 "$(pids | head -n 1)"
    reported '^rank 3' 2
    ok $? "$mpi: SIGUSR2 to one process makes one more"
    sleep 1.5 # three times PITH_HANG, in which there could be another one
    is "$(grep -c '^rank 3' err)" 2 "$mpi: no other"
    touch go
    wait $job
    is "$? $(pith info run.pith | sed -n 's/^ranks: //p')" "0 4" "$mpi: the job goes on to its end, and its log is written"

    # ---- no report
    start 300ms 3 busy go
    for _ in $(seq 300); do
        pith top run.pith 2>/dev/null | grep -E '^0 .*MPI_Recv  .*[0-9] s ' >/dev/null && break # for a second or more
        sleep 0.1
    done
    touch go
    wait $job
    is "$? $(cat err)" "0 " "$mpi: no report while one rank goes on"
    start 300ms 2 goes go
    for _ in $(seq 300); do
        pith top run.pith 2>/dev/null | grep -E '^1 .*MPI_Recv  .*[0-9] s ' >/dev/null && break
        sleep 0.1
    done
    touch go
    wait $job
    is "$? $(cat err)" "0 " "$mpi: no report while one thread goes on"
    start 60 2 handler
    wait $job
    is "$? $(cat out) $(sort -u err)" "0 1 pith: PITH_HANG: the program handles SIGUSR2 itself, so that signal makes no report" \
        "$mpi: the program's own handler stays"
    start 5x 2 handler
    wait $job
    is "$? $(cat err)" "0 pith: PITH_HANG=5x: not a time such as 60, 500ms or 60,abort, from 100 ms to a day; ignored" "$mpi: a wrong value"

    # ---- the report, and the end of the job
    ended 3 send
    ok $((status == 0)) "$mpi: PITH_HANG=500ms,abort ends the job"
    is "$(body)" "deadlock: ranks 0 -> 1 -> 2 -> 0 wait for each other in a cycle
  rank 0 in MPI_Ssend to rank 1, tag 7, $in_world $run: waits until rank 1 receives
  rank 1 in MPI_Ssend to rank 2, tag 7, $in_world $run: waits until rank 2 receives
  rank 2 in MPI_Ssend to rank 0, tag 7, $in_world $run: waits until rank 0 receives" "$mpi: a cycle of sends"
    is "$(grep -c 'pith: PITH_HANG: ending this job; .pith recover. makes a log' err)" 1 "$mpi: it says so"
    pith recover run.pith.spill >out 2>&1
    is "$? $(pith info run.pith | sed -n 's/^ranks: //p')" "0 3" "$mpi: its records are saved"

    ended 3 receive
    is "$(body)" "deadlock: ranks 0 -> 1 -> 0 wait for each other in a cycle; 1 more rank waits for them
  rank 0 in MPI_Recv from rank 1, tag 7 for TIME, called in $run: waits for rank 1 to send
  rank 1 in MPI_Recv from rank 0, tag 7 for TIME, called in $run: waits for rank 0 to send
  rank 2 in MPI_Barrier $in_world $run: waits for ranks 0,1, which have not entered it" "$mpi: two receives"
    ended 3 pieces
    is "$(body)" "deadlock: ranks 0,1 wait to receive, and no rank can go on to send; 1 more rank waits for them
  rank 0 in MPI_Waitall, 2 receives open, the first from rank 1, tag 0 for TIME, called in $run: a guess: waits for rank 1 to send
  rank 1 in MPI_Waitall, 2 receives open, the first from rank 0, tag 0 for TIME, called in $run: a guess: waits for rank 0 to send
  rank 2 in MPI_Finalize for TIME, called in $main: waits for ranks 0,1, which have not entered it" "$mpi: MPI_Waitall of receives"
    ended 3 missed
    is "$(body)" "deadlock: ranks 0 -> 1 -> 0 wait for each other in a cycle; 1 more rank waits for them
  rank 0 in MPI_Finalize for TIME, called in $main: waits for ranks 1,2, which have not entered it
  ranks 1,2 in MPI_Barrier $in_world $run: wait for rank 0, which has not entered it" "$mpi: a collective that one rank leaves out"
    ended 3 different
    is "$(body)" "rank 0 in MPI_Allreduce $in_world $run: ranks 1,2 have called MPI_Barrier in its place
ranks 1,2 in MPI_Barrier $in_world $run: rank 0 has called MPI_Allreduce in its place" "$mpi: different collectives"
    for how in tag comm; do
        ended 3 $how
        is "$(body | sed -E 's/tag [78]/tag N/')" "rank 1 in MPI_Recv from rank 0, tag N for TIME, called in $run: a guess: waits for rank 0 to send; 1 message to it is not received: another tag or communicator?; 2 ranks wait for it
  ranks 0,2 in MPI_Finalize for TIME, called in $main: wait for rank 1, which has not entered it" "$mpi: another $how"
    done
    ended 3 pipeline none
    is "$(body)" "rank 2 is outside MPI in \`io\` for TIME, since MPI_Barrier, called in $main; 2 ranks wait for it
  rank 1 in MPI_Recv from rank 2, tag 7 for TIME, called in $run: waits for rank 2 to send
  rank 0 in MPI_Recv from rank 1, tag 7 for TIME, called in $run: waits for rank 1 to send" "$mpi: a chain of receives"
    ended 4 chain none
    is "$(body)" "rank 3 is outside MPI in \`io\` for TIME, since MPI_Comm_set_name, called in $run; 3 ranks wait for it
  ranks 1,2 in MPI_Allreduce on others for TIME, called in $run: wait for rank 3, which has not entered it
  rank 0 in MPI_Ssend to rank 1, tag 7, $in_world $run: waits until rank 1 receives" "$mpi: a chain over two communicators"
    start 500ms 3 join
    reported '^  thread 1 of rank 1'
    pith top --why --json run.pith.spill >top.json 2>/dev/null # while it hangs
    # shellcheck disable=SC2046
    kill -9 $(pids)
    wait $job
    is "$(body)" "thread 0 of rank 1 is outside MPI for TIME, since MPI_Barrier, called in $main; 2 ranks wait for it
  ranks 0,2 in MPI_Barrier $in_world $run: wait for rank 1, which has not entered it
  thread 1 of rank 1 in MPI_Recv from rank 0, tag 7 for TIME, called in \`receive\` (hangs.c:N): waits for rank 0 to send" "$mpi: a second thread receives, and the first one waits for it"
    is "$(/usr/bin/python3 -c 'import json; why = json.load(open("top.json"))["why"][0]; print(why["thread"], [(g["ranks"], g.get("thread")) for g in why["chain"]])')" \
        "0 [([0, 2], None), ([1], 1)]" "$mpi: the threads, as JSON"
    ended 3 both
    is "$(body | sed '2,$!b; s/^  //' | sort)" "deadlock: ranks 0 -> 2 -> 0 wait for each other in a cycle; 1 more rank waits for them
rank 2 in MPI_Finalize for TIME, called in $main: waits for ranks 0,1, which have not entered it
thread 0 of ranks 0,1 in MPI_Barrier $in_world $run: wait for rank 2, which has not entered it
thread 1 of rank 0 in MPI_Recv from rank 1, tag 7 for TIME, called in \`receive\` (hangs.c:N): waits for rank 1 to send
thread 1 of rank 1 in MPI_Recv from rank 0, tag 7 for TIME, called in \`receive\` (hangs.c:N): waits for rank 0 to send" "$mpi: all threads of two ranks wait"
    ended 3 stopped
    is "$(body)" "rank 2 is outside MPI for TIME, since MPI_Barrier, called in $main; 2 ranks wait for it
  ranks 0,1 in MPI_Recv from rank 2, tag 7 for TIME, called in $run: wait for rank 2 to send" "$mpi: a rank that was stopped"
    ended 3 lock
    is "$(body | tail -n 1 | sed -E 's/.* in MPI_Barrier/MPI_Barrier/') $(body | head -n 1 | cut -d' ' -f1-2)" \
        "MPI_Barrier $in_world $run: wait for rank 1, which has not entered it rank 1" "$mpi: a lock of a window"
    ended 2 request
    is "$(body)" "ranks 0,1 in MPI_Wait for TIME, called in $run: its requests are not recorded before the call ends" "$mpi: other requests: no culprit is claimed"
done
finish
