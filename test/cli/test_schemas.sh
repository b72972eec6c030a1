#!/usr/bin/env bash
# Every JSON that Pith prints matches its schema in formats/schemas: of made-up, empty and damaged logs, and of programs
# recorded under each MPI.
. "$(dirname "$0")/../lib.sh"
schemas=$top/formats/schemas

# check SCHEMA[#TABLE] COMMAND: keeps its output, to be checked at the end; check_lines: each line is a document.
check() { keep "$1" whole "${@:2}"; }
check_lines() { keep "$1" lines "${@:2}"; }
count=0
keep() {
    local of=$1 how=$2
    shift 2
    count=$((count + 1))
    if ! "$@" >"out.$count" 2>"err.$count" && [ ! -s "out.$count" ]; then
        case $* in *empty.pith* | *damaged.pith*) return ;; esac # refused, with a message
    fi
    printf '%s\t%s\t%s\t%s\n' "$of" "$how" "out.$count" "$*" >>list
}
columns=time_s,time_ns,rank,thread,lane,host,kind,name,group,depth,start_ns,duration_ns,self_ns,comm,comm_name,peer,tag
columns+=,bytes,got_bytes,posted,root,op,count,value,payload

# All outputs for one log.
check_all() {
    local log=$1 by
    check_lines print pith print --json "$log"
    check_lines print-columns pith print --json --columns $columns "$log"
    for by in state state,lane lane comm size wait; do
        check "stat#$by" pith stat --json --by $by "$log"
    done
    for by in state state,lane; do
        check "stat#$by" pith stat --json --waits --by $by "$log"
    done
    check "stat#longest" pith stat --json --longest 5 "$log"
    check "analyze#log" pith analyze --json --waits "$log"
    for by in state rank lane; do
        check "diff#$by" pith diff --json --by $by "$log" small.pith
    done
    check sql pith sql --json "$log" 'SELECT * FROM lanes'
}

# ---- Logs made here --------------------------------------------------------------------------------------------------
make_log=$build/test/cli/make_cli_log make_golden=$build/test/golden/make_golden
for kind in small names empty; do "$make_log" $kind $kind.pith; done
for kind in edge plain names; do "$make_golden" $kind golden-$kind.pith; done
"$make_log" big 400 big.pith
head -c $(($(stat -c %s big.pith) * 2 / 3)) big.pith >cut.pith
python3 - big.pith >damaged.pith <<'P'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
data[len(data) // 3:len(data) // 3 + 64] = bytes(64)
sys.stdout.buffer.write(data)
P
python3 "$top/test/analyze/iterations.py" exact.txt exact
python3 "$top/test/analyze/random_log.py" 1 12
for log in {small,names,empty,golden-{edge,plain,names},big,cut,damaged}.pith {1,2}.txt; do check_all $log; done
for seed in {3..12}; do
    check "analyze#log" pith analyze --json --waits $seed.txt
    # Messages are in the wrong order only if a rank computes for a while between two calls.
    awk -F'\t' -v OFS='\t' '!/^#/ { $1 = sprintf("%.9f", $1 * 2000) } 1' $seed.txt >slow$seed.txt
    check "analyze#log" pith analyze --json --waits slow$seed.txt
done
for log in cut damaged; do
    like "$(cat err.* | sort -u)" "^pith: (note: )?$log\.pith: (incomplete: )?byte [0-9]+: " "$log.pith is damaged"
done
check "analyze#log" pith analyze --json exact.txt
check "analyze#log" pith analyze --json small.pith
# MPI_Send, ten times to a receiver that comes 100 us later, of 1 and of 100 kB: the long ones wait for it.
for ((i = 0; i < 10; i++)); do
    t=$((i * 1000)) bytes=$((i % 2 ? 100000 : 1000))
    echo "0 MPI_Send $t-$((t + (i % 2 ? 102 : 2))) >1:$bytes"
    echo "1 MPI_Recv $((t + 100))-$((t + 103)) <0:$bytes"
done | python3 -m timed_log >sizes.txt
check "analyze#log" pith analyze --json sizes.txt
check "stat#longest" pith stat --json --longest 5 exact.txt
check_lines print pith print --format json small.pith
pith convert small.pith small.json && check_lines print cat small.json
# An intercommunicator; a thread without MPI calls; a counter that is not finite.
sed 's/ /\t/g; s/^#\t/# /' >odd.txt <<'E'
# comm comm=0 name= size=1 ranks=0 remote_ranks=1
# counter name=c colour= group= unit=
0.001 0 0 counter c value=inf
0.001 0 0 enter MPI_Barrier
0.002 0 0 leave MPI_Barrier
0.003 0 1 enter w
0.004 0 1 leave w
E
check_all odd.txt
# Instructions and cycles.
sed 's/ /\t/g; s/^#\t/# /' >ipc.txt <<'E'
# counter name=thread:instructions colour= group=system unit=
# counter name=thread:cycles colour= group=system unit=
0.001 0 0 enter MPI_Barrier
0.001 0 0 counter thread:instructions value=1
0.001 0 0 counter thread:cycles value=2
0.002 0 0 counter thread:instructions value=5
0.002 0 0 counter thread:cycles value=4
0.002 0 0 leave MPI_Barrier
0.003 0 0 counter thread:instructions value=9
0.003 0 0 counter thread:cycles value=9
0.003 0 0 enter MPI_Barrier
0.004 0 0 leave MPI_Barrier
E
check_all ipc.txt
check "analyze#predictions" pith analyze --json --what-if balanced --what-if network=ideal exact.txt
check "analyze#logs" pith analyze --json 1.txt odd.txt
check "analyze#logs" pith analyze --json 1.txt 2.txt 3.txt
check "analyze#logs" pith analyze --json 1.txt 1.txt
check sql pith sql --json small.pith 'SELECT 1, 1.5, NULL, "text", 1e999'

# ---- Programs recorded under each MPI --------------------------------------------------------------------------------
for mpi in $(mpis); do
    "mpicc.$mpi" -g -O2 -o sampled "$top/test/mpi/sampled.c" -lpthread
    PITH_CALLSITES=1 PITH_COUNTERS=task-clock,run-delay,page-faults mpiexec_of "$mpi" 2 \
        timeout 60 pith run --sample=1 -o "$mpi.pith" ./sampled 0.2 longer >out 2>err
    is "$? $(pith check "$mpi.pith" >/dev/null; echo $?)" "0 0" "$mpi: a log" || cat err
    check_all "$mpi.pith"
    for by in function line callsite callpath statepath; do check "stat#$by" pith stat --json --by $by "$mpi.pith"; done
    # A job that dies while its ranks wait.
    "mpicc.$mpi" -O1 -I"$build/include" -o hangs "$top/test/mpi/hangs.c" -L"$build/lib" -lpith -Wl,-rpath,"$build/lib"
    mpiexec_of "$mpi" 4 timeout 60 pith run -o "$mpi-hung.pith" ./hangs chain . die >out 2>err
    check top pith top --json "$mpi-hung.pith"
    check top pith top --json --why "$mpi-hung.pith"
    # One whose threads wait.
    PITH_HANG=300ms,abort mpiexec_of "$mpi" 3 timeout 60 pith run -o "$mpi-join.pith" ./hangs join >out 2>err
    check top pith top --json --why "$mpi-join.pith"
    for how in PITH_QUIET=1 'PITH_TIME_MATRIX=1 PITH_TIME_COMM=1 PITH_COMPENSATE=message'; do
        # shellcheck disable=SC2086
        PITH_TIME_FILE=time.json mpiexec_of "$mpi" 2 \
            timeout 60 env $how pith run --lib time "$build/samples/$mpi/ring" >out 2>err
        check time cat time.json
        rm -f time.json
    done
done

# Only a recorded program has samples and call sites.
/usr/bin/python3 "$top/test/cli/schema_check.py" "$schemas" $([ -z "$(mpis)" ] || echo all) <list >lines
status=$?
checks_of lines
is "$status" 0 "all are checked"
finish
