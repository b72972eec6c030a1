#!/usr/bin/env bash
# pith top: jobs that hang in known ways, under each MPI: what their ranks do, while they run and after they were killed.
. "$(dirname "$0")/../lib.sh"
export PITH_QUIET=1

# start N ARGUMENTS: a job of hangs.c; waits until `pith top` shows its last call.
start() {
    local n=$1 wanted=$2
    shift 2
    rm -rf run.pith* go
    # shellcheck disable=SC2086
    mpiexec_of "$mpi" "$n" ${launcher:-} pith run -o run.pith "./hangs-$mpi" "$@" >out 2>err &
    job=$!
    for _ in $(seq 300); do
        pith top run.pith >page 2>/dev/null && [ "$(grep -cE "$wanted" page)" = "$n" ] && break
        sleep 0.1
    done
    sleep 1
}
# Kills the job. The spill files are named HOST-PID-TIME.spill.
stop() {
    local pids
    pids=$(printf '%s\n' run.pith.spill/*.spill | sed -E 's/.*-([0-9]+)-[0-9]+\.spill$/\1/')
    # shellcheck disable=SC2086
    kill -9 $job $pids 2>/dev/null
    wait $job 2>/dev/null
    for _ in $(seq 100); do
        # shellcheck disable=SC2086
        kill -0 $pids 2>/dev/null || break
        sleep 0.1
    done
}
# on_terminal ROWS OPTIONS: pith top on a terminal of this height.
on_terminal() {
    python3 - "$@" <<'P' | tr -d '\r'
import fcntl, os, pty, struct, subprocess, sys, termios
from terminal import text_from
master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", int(sys.argv[1]), 120, 0, 0))
process = subprocess.Popen(["pith", "top", "run.pith"] + sys.argv[2:], stdout=slave)
os.close(slave)
sys.stdout.write(text_from(master))
P
}
# rows FILE: rank, state and MPI share, in its order.
rows() { tail -n +3 "$1" | sed -E 's/^([^ ]+) +([^ ]+( [^ ]+)*)  +[0-9.]+ [mun]?s +([0-9.]+) .*/\1 \2 \4/'; }
# why: the output of --why without its heading, and without times.
why() { pith top --why run.pith 2>/dev/null | tail -n +2 | sed -E 's/ for ([0-9.]+ [mun]?s to )?[0-9.]+ [mun]?s/ for TIME/'; }
# value EXPRESSION: of the object in the last line of the file json.
value() { tail -n 1 json | python3 -c 'import json, sys; d = json.loads(sys.stdin.read()); r = d["ranks"]; print(eval(sys.argv[1]))' "$1"; }

# metrics FILE EXPRESSION: of the metrics in it, after errors in their form; promtool looks, too, if it is there.
metrics() {
    /usr/bin/python3 "$top/test/mpi/openmetrics.py" "$2" <"$1"
    if command -v promtool >/dev/null; then promtool check metrics <"$1" 2>&1; fi
}

pith top none.pith 2>err
is "$? $(cat err)" "1 pith: none.pith: no such job: there is no folder none.pith.spill" "no such job"
echo hello >some.txt; : >empty.pith; head -c 999 /dev/zero >zeros.pith
for file in some.txt empty.pith zeros.pith /dev/null; do
    is "$(pith top "$file" --once 2>&1; echo $?)" "$(pith info "$file" 2>&1; echo $?)" "$file, which is no log: the error of the other commands"
done
"$build/test/cli/make_cli_log" small small.pith
is "$(pith top small.pith --once 2>&1)" "pith: small.pith: the job has ended and its log is written: \`pith analyze small.pith\`" "a log"
pith top --last 1us none.pith 2>err
is "$? $(cut -d';' -f1 err)" "2 pith: top: --last needs a time from 100ms to a day, not '1us'" "a time that is too short"
for options in '--openmetrics --json' '-o x' '--openmetrics --every 1'; do
    # shellcheck disable=SC2086
    pith top $options none.pith 2>err
    is "$? $(grep -c '^pith: top: ' err)" "2 1" "options that do not go together: $options"
done

# ---- metrics: names of any bytes
cat >odd.c <<'END'
#include "pith.h"
#include <signal.h>
int main(void)
{
    pith_begin(pith_state_define("a\"b\\c \303\244 \377", ""));
    raise(SIGKILL);
}
END
${CC:-cc} -I"$build/include" -o odd odd.c -L"$build/lib" -lpith -Wl,-rpath,"$build/lib"
{ PITH_FILE=odd.pith ./odd; } >/dev/null 2>&1
pith top --openmetrics odd.pith >odd.om 2>err
is "$(metrics odd.om '[dict(k[1:])["state"] for k in m if k[0] == "pith_state_ranks"] == ["a\"b\\c \u00e4 ?"]')" "True" "metrics: a state with quotes and bytes that are no text" || cat odd.om err
mkfifo pipe
pith top --openmetrics -o pipe odd.pith 2>err
is "$? $(grep -v recover err) $(ls -d pipe*)" "1 pith: pipe: is no regular file, and would be replaced; give another name pipe" "metrics: a pipe is not replaced"
pith top --openmetrics -o none/x.prom odd.pith 2>err
is "$? $(grep -v recover err)" "1 pith: none/x.prom: cannot be written: the folder none does not exist; make it first" "metrics: a folder that is not there"
pith top --openmetrics --once -o x.prom odd.pith 2>err
is "$? $(metrics x.prom 'value("pith_job_ranks_running")') $(ls x.prom*)" "0 0.0 x.prom" "metrics: --once leaves the file"

for mpi in $(mpis); do
    "mpicc.$mpi" -g -O1 -I"$build/include" -o "hangs-$mpi" "$top/test/mpi/hangs.c" -L"$build/lib" -lpith -Wl,-rpath,"$build/lib"
    ok $? "$mpi: the program compiles" || continue

    # ---- the last rank outside MPI, the others in a barrier
    start 4 '(MPI_Barrier|io)  ' io go
    pith top run.pith --last 500ms >page
    is "$? $(rows page | head -n 1) $(rows page | tail -n +2 | sort | tr '\n' ' ')" "0 3 io 0.000 0 MPI_Barrier 1.000 1 MPI_Barrier 1.000 2 MPI_Barrier 1.000 " \
        "$mpi: the laggard comes first; the others spend all their time in MPI"
    like "$(head -n 1 page)" "^hangs-$mpi, $scratch/run\.pith: 4 of 4 ranks running, at [0-9.]+ s, [0-9]+ records$" "$mpi: the heading"
    is "$(pith info run.pith.spill 2>err | sed -n 's/^complete: //p; s/^incomplete: //p' | tr '\n' ' ')" "no the program still runs: \`pith top\` " \
        "$mpi: the records of a running program are incomplete"
    is "$(pith stat run.pith 2>&1; echo $?)" "pith: run.pith: cannot be opened: its program still runs; \`pith top run.pith\` shows what it does
1" "$mpi: the log of a running program"
    pith top run.pith --json >json
    is "$? $(wc -l <json) $(value '[d["running"], d["ranks_of_job"], sorted(x["rank"] for x in r), r[0]["rank"], r[0]["state"], r[0]["in_mpi"]]')" \
        "0 1 [4, 4, [0, 1, 2, 3], 3, 'io', False]" "$mpi: --json prints an object, once where no terminal is"
    is "$(value '[all(x["for_ns"] > 9e8 and x["for_ns"] == d["now_ns"] - x["since_ns"] for x in r), sum(x["records"] for x in r) == d["records"]]')" \
        "[True, True]" "$mpi: since when, and how many records"
    is "$(why)" "rank 3 is outside MPI in \`io\` for TIME; 3 ranks wait for it
  ranks 0-2 in MPI_Barrier on MPI_COMM_WORLD for TIME: wait for rank 3, which has not entered it" "$mpi: --why: who waits for whom"
    pith top run.pith --json --why >json
    is "$? $(value '[(w["kind"], w["ranks"], w["waiting"], [(c["ranks"], c["waits_for"], c["guess"]) for c in w["chain"]]) for w in d["why"]]')" \
        "0 [('outside MPI', [3], 3, [([0, 1, 2], [3], False)])]" "$mpi: --why --json"
    is "$(on_terminal 24 --once | tail -n +3 | wc -l) $(on_terminal 5 --once | tail -n +3 | cut -d' ' -f1 | tr '\n' ' ')" "4 3 0-2 " \
        "$mpi: on a terminal with too few lines, ranks in the same state share one"
    pith top run.pith --openmetrics >page.om
    is "$? $(metrics page.om '[value("pith_job_ranks"), value("pith_job_ranks_running"), value("pith_state_ranks", state="io"), value("pith_state_ranks", state="MPI_Barrier"),
        value("pith_rank_in_mpi", rank="3"), value("pith_rank_in_mpi", rank="0"), value("pith_rank_state", rank="3", state="io"), 0.9 < value("pith_job_idle_seconds") < 60,
        value("pith_job_idle_seconds") <= value("pith_rank_state_seconds", rank="3"), sum(value("pith_rank_records", rank=str(i)) for i in range(4)) == value("pith_job_records")]')" \
        "0 [4.0, 4.0, 1.0, 3.0, 0.0, 1.0, 1.0, True, True, True]" "$mpi: --openmetrics"
    pith top run.pith --openmetrics -o node.prom --every 100ms 2>metrics.err &
    exporter=$!
    files=() whole=1
    for _ in $(seq 300); do # until four pages were seen, each a file of its own and whole
        { exec 9<node.prom; } 2>/dev/null || { sleep 0.02; continue; }
        file=$(stat -L -c %i-%y /dev/fd/9)
        [ "$(tail -n 1 <&9)" = '# EOF' ] || whole=0
        exec 9<&-
        case " ${files[*]} " in *" $file "*) sleep 0.02 ;; *) files+=("$file") ;; esac
        [ ${#files[@]} -lt 4 ] || break
    done
    is "${#files[@]} $whole" "4 1" "$mpi: -o: a new file after each time, never a part of one"
    pith top run.pith --json --every 200ms >json 2>err &
    follower=$!
    sleep 1
    touch go
    wait $follower
    is "$? $(cat err)" "0 pith: $scratch/run.pith: the job has ended and its log is written" "$mpi: --every ends with the job"
    wait $exporter
    is "$? $(cat metrics.err) $(ls node.prom* 2>/dev/null)" "0 pith: $scratch/run.pith: the job has ended and its log is written " "$mpi: the file of metrics ends with the job"
    wait $job
    ok $(($(wc -l <json) < 3)) "$mpi: a page after each time"
    pith top run.pith 2>err
    is "$? $(cat err)" "1 pith: run.pith: the job has ended and its log is written: \`pith analyze run.pith\`" "$mpi: too late"

    # ---- killed: what its ranks did last
    start 2 'MPI_Recv  ' receive
    is "$(why)" "deadlock: ranks 0,1 wait to receive, and no rank can go on to send
  ranks 0,1 in MPI_Recv for TIME: the source is not recorded before the call ends" "$mpi: two ranks that wait for each other"
    stop
    is "$(why | head -n 1)" "deadlock: ranks 0,1 wait to receive, and no rank can go on to send" "$mpi: also when they were killed"
    pith top run.pith >page 2>top.err
    is "$? $(rows page | cut -d' ' -f1,2 | sort | tr '\n' ' ')" "0 0 MPI_Recv 1 MPI_Recv " "$mpi: killed: what the ranks did last"
    like "$(head -n 1 page)" ": 2 ranks, ended, at .* \(the last record\), " "$mpi: the heading says that it has ended"
    is "$(cat top.err)" "pith: run.pith.spill: the program ended without writing $scratch/run.pith; \`pith recover run.pith.spill\` makes a log of its records" "$mpi: and a line what to do"

    # ---- other deadlocks, chains, guesses
    start 4 'MPI_(Recv|Barrier)  ' receive
    is "$(why)" "deadlock: ranks 0,1 wait to receive, and no rank can go on to send; 2 more ranks wait for them
  ranks 0,1 in MPI_Recv for TIME: the source is not recorded before the call ends
  ranks 2,3 in MPI_Barrier on MPI_COMM_WORLD for TIME: wait for ranks 0,1, which have not entered it" "$mpi: others wait for the two"
    stop
    start 4 'MPI_Ssend  ' send
    is "$(why)" "deadlock: ranks 0 -> 1 -> 2 -> 3 -> 0 wait for each other in a cycle
  rank 0 in MPI_Ssend to rank 1, tag 7, on MPI_COMM_WORLD for TIME: waits until rank 1 receives
  rank 1 in MPI_Ssend to rank 2, tag 7, on MPI_COMM_WORLD for TIME: waits until rank 2 receives
  rank 2 in MPI_Ssend to rank 3, tag 7, on MPI_COMM_WORLD for TIME: waits until rank 3 receives
  rank 3 in MPI_Ssend to rank 0, tag 7, on MPI_COMM_WORLD for TIME: waits until rank 0 receives" "$mpi: a cycle of sends"
    stop
    start 4 '(MPI_Ssend|MPI_Allreduce|io)  ' chain go
    is "$(why)" "rank 3 is outside MPI in \`io\` for TIME; 3 ranks wait for it
  ranks 1,2 in MPI_Allreduce on others for TIME: wait for rank 3, which has not entered it
  rank 0 in MPI_Ssend to rank 1, tag 7, on MPI_COMM_WORLD for TIME: waits until rank 1 receives" "$mpi: a chain, through another communicator"
    stop
    start 2 '(MPI_Recv|MPI_Finalize)  ' tag
    is "$(why)" "rank 1 in MPI_Recv for TIME: the source is not recorded before the call ends; 1 message to it is not received: another tag or communicator?; 1 rank waits for it
  rank 0 in MPI_Finalize for TIME: waits for rank 1, which has not entered it" "$mpi: a wrong tag is no certain deadlock"
    stop
    start 2 '(MPI_Recv|io)  ' master go
    is "$(why)" "rank 1 is outside MPI in \`io\` for TIME; 1 rank waits for it
  rank 0 in MPI_Recv for TIME: the source is not recorded before the call ends; a guess: for rank 1, as all others wait" "$mpi: a receive: a guess, marked"
    stop
    start 2 'MPI_Wait  ' request
    is "$(why)" "ranks 0,1 in MPI_Wait for TIME: its requests are not recorded before the call ends" "$mpi: requests that are no messages: no deadlock is claimed"
    stop

    # ---- a rank that died while the others go on: MPICH's launcher always ends the job then
    [ "$mpi" = openmpi ] || continue
    launcher=--enable-recovery start 4 '(MPI_Barrier|ended in io)  ' io . die
    if grep 'ended in io' page >/dev/null; then
        is "$(rows page | head -n 1 | cut -d' ' -f1-4)" "3 ended in io" "$mpi: a rank that has ended comes first"
        is "$(why)" "rank 3 has ended, last in io; 3 ranks wait for it
  ranks 0-2 in MPI_Barrier on MPI_COMM_WORLD for TIME: wait for rank 3, which has not entered it" "$mpi: others wait for a rank that has ended"
    else
        skip "$mpi: a rank that has ended" "the launcher ends the job"
    fi
    stop
done
finish
