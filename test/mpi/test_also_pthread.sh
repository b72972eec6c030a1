#!/usr/bin/env bash
# pith run --also pthread: the waits that threads made, against the program's own account; the minimum duration, names.
. "$(dirname "$0")/../lib.sh"
here=$PWD

# account LOG DIR MIN_US: each state of the log is a wait of the account that is long enough, and each wait that is certainly
# long enough is a state. Prints the number of waits and of states.
cat >account.py <<'EOF2'
import csv, glob, subprocess, sys
log, folder, least_us = sys.argv[1], sys.argv[2], float(sys.argv[3])
run = lambda *a: subprocess.run(a, capture_output=True, text=True, check=True).stdout
names = {}
for lane in csv.DictReader(run("pith", "stat", log, "--by", "lane", "--csv").splitlines()):
    names[(lane["rank"], lane["thread"])] = "main" if lane["thread"] == "0" else lane["name"]
states, stacks, got, wanted = {}, {}, 0, 0
for line in run("pith", "print", log).splitlines():
    if line.startswith("#"):
        continue
    time, rank, thread, kind, name, *rest = line.split("\t")
    lane = names.get((rank, thread), "")
    stack = stacks.setdefault((rank, thread), [])
    if kind == "enter":
        stack.append((name, float(time)))
    elif kind == "leave":
        begun, at = stack.pop()
        assert begun == name, line
        if name.startswith(("pthread_", "sem_")) and not any(s[0].startswith("MPI_") for s in stack):
            states.setdefault((rank, lane, name), []).append((float(time) - at) * 1e6)
assert not any(stacks.values()), stacks
for name in sorted(glob.glob(folder + "/did.*")):
    for line in open(name):
        rank, lane, call, least, most = line.split()
        least, most = float(least), float(most)
        all = states.setdefault((rank, lane, call), [])
        wanted += 1
        if all and all[0] >= least - 1 and all[0] <= most + 1 and all[0] >= least_us - 1:
            all.pop(0)
            got += 1
        else:
            assert least_us > 0 and least < least_us + 1, f"{line.strip()} log: {all}"
rest = {s: t for s, t in states.items() if t and s[1] in ("main", "waiter", "by pith.h", "cancelled")}
assert not rest, rest
print(wanted, got)
EOF2

for mpi in $(mpis); do
    mkdir "$scratch/$mpi" && cd "$scratch/$mpi" || exit 1
    "mpicc.$mpi" -O2 -I"$build/include" -o also_pthread "$top/test/mpi/also_pthread.c" -L"$build/lib" -Wl,-rpath,"$build/lib" -lpith -lpthread
    ok $? "$mpi: also_pthread compiles" || continue
    for n in 1 2 4; do
        mkdir all.$n
        PITH_PTHREAD_MIN_US=0 mpiexec_of "$mpi" $n pith run --also pthread -o all.$n.pith ./also_pthread all.$n >out 2>err
        is "$? $(sort out)" "0 $(for ((r = 0; r < n; r++)); do echo "also_pthread: rank $r, well"; done)" \
            "$mpi, $n ranks: status and output are the program's" || cat err
        is "$(python3 "$here/account.py" all.$n.pith all.$n 0 2>&1)" "$((27 * n)) $((27 * n))" \
            "$mpi, $n ranks: every wait, with its duration, and none for a lock that is free"
        pith check all.$n.pith >check.out 2>&1
        ok $? "$mpi, $n ranks: the log is good" || cat check.out
    done
    pith analyze all.4.pith >analyze.out 2>&1
    ok $? "$mpi: pith analyze reads it" || cat analyze.out

    mkdir default long
    mpiexec_of "$mpi" 2 pith run --also pthread -o default.pith ./also_pthread default >out 2>err
    python3 "$here/account.py" default.pith default 10 >got 2>&1
    ok $? "$mpi: by default, each wait longer than 10 us and no shorter one" || cat got
    PITH_PTHREAD_MIN_US=1000000 mpiexec_of "$mpi" 2 pith run --also pthread -o long.pith ./also_pthread long >out 2>err
    python3 "$here/account.py" long.pith long 1000000 >got 2>&1
    ok $? "$mpi: PITH_PTHREAD_MIN_US=1000000" || cat got

    mkdir named skip off
    mpiexec_of "$mpi" 2 pith run --also pthread -o named.pith ./also_pthread named named >out 2>err
    is "$(pith stat named.pith --by lane --csv | cut -d, -f3 | grep 'waiter\|pith.h\|cancelled' | sort | tr '\n' ' ')" "by pith.h by pith.h cancelled cancelled " "$mpi: names by pith.h stay"
    PITH_SKIP='pthread_*' mpiexec_of "$mpi" 1 pith run --also pthread -o skip.pith ./also_pthread skip >out 2>err
    is "$(pith print skip.pith | cut -f5 | grep '^pthread_\|^sem_' | sort -u | tr '\n' ' ')" "sem_clockwait sem_timedwait sem_wait " \
        "$mpi: PITH_SKIP leaves calls out"
    mpiexec_of "$mpi" 1 pith run -o off.pith ./also_pthread off >out 2>err
    is "$? $(pith print off.pith | grep -c 'pthread_\|sem_')" "0 0" "$mpi: off by default"
done
finish
