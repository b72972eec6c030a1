#!/usr/bin/env bash
# Samples of programs that make sampling hard: code made at run time, a thousand threads, modules that come and go,
# longjmp, storms of signals; programs at fixed addresses and without symbols.
. "$(dirname "$0")/../lib.sh"

ldd "$build/bin/pith" | grep libdw >/dev/null && names=yes || names=

# run RANKS LOG ARGUMENTS: the recorded program prints what it prints alone, and the log is good.
run() {
    local ranks=$1 log=$2
    shift 2
    mpiexec_of "$mpi" "$ranks" pith run --sample=1 -o "$log" "$@" >out 2>err
    is "$? $(cat out)" "0 well" "$mpi, $log: status and output as without" || cat err
    pith check "$log" >check.out 2>&1
    ok $? "$mpi, $log: the log is good" || cat check.out
    [ "$(pith print "$log" 2>/dev/null | grep -c '	pith:sample	')" -gt 0 ]
    ok $? "$mpi, $log: samples"
}

for mpi in $(mpis); do
    mkdir "$scratch/$mpi" && cd "$scratch/$mpi" || exit 1
    flags="-g -O2 -fomit-frame-pointer"
    # shellcheck disable=SC2086
    {
        "mpicc.$mpi" $flags -o odd "$top/test/mpi/sampled_odd.c" -lpthread -ldl &&
            "mpicc.$mpi" $flags -fno-pie -no-pie -o fixed "$top/test/mpi/sampled_odd.c" -lpthread -ldl &&
            cp odd bare && strip bare
    }
    ok $? "$mpi: sampled_odd compiles" || continue
    echo 'double work_in_part(double x) { for (int i = 0; i < 20000; i++) x = x * 0.999999 + 1.0; return x; }' >part.c
    cc -g -O2 -shared -fPIC -o part.so part.c

    if [ "$(uname -m)" = x86_64 ]; then
        for n in 1 2 4; do run $n jit$n.pith ./odd 0.1 jit; done
        if [ -n "$names" ]; then
            pith stat jit4.pith --folded >folded
            like "$(cat folded)" '^main;jit;run_jitted;jitted_loop [0-9]+$' "$mpi, code made at run time: its name"
            like "$(cat folded)" '^main;jit;run_jitted;caller;work [0-9]+$' "$mpi, code made at run time: its callers, and Python's names"
            is "$(pith stat jit4.pith --by function --csv | awk -F, '$1 == "caller" { print $9 "," $10 }')" "model.py,/home/user/model.py" "$mpi: the file of Python's functions"
            is "$(pith print jit4.pith | grep -c 'pith:code.*name=elsewhere')" 0 "$mpi: only names that samples need"
        fi
    else
        skip "$mpi: code made at run time" "the test has code for x86-64 only"
    fi
    for how in modules jumps storm; do run 2 $how.pith ./odd 0.1 $how; done
    run 1 threads.pith ./odd 0.002 threads
    # A thread's first sample may come when its function has returned.
    run 1 ends.pith ./odd 0.003 ends
    run 2 fixed.pith ./fixed 0.1 jumps
    run 2 bare.pith ./bare 0.1 jumps
    if [ -n "$names" ]; then
        like "$(pith stat modules.pith --folded)" '^main;modules;work_in_part [0-9]+$' "$mpi: a module that comes and goes"
        for log in jumps fixed; do
            like "$(pith stat $log.pith --folded)" '^main;jumps;jump_from;jump_from;.*work [0-9]+$' "$mpi, $log: the path"
        done
        like "$(pith stat storm.pith --folded)" '^main;storm;one_of_many;.*work [0-9]+$' "$mpi: a storm of signals: the path"
        like "$(pith stat bare.pith --folded)" '(^|;)\[bare\] [0-9]+$' "$mpi: without symbols: the file"
        like "$(pith stat threads.pith --folded)" '(^|;)one_of_many;.*work [0-9]+$' "$mpi: a thousand threads: the path"
    fi
    cd "$scratch" || exit 1
done
finish
