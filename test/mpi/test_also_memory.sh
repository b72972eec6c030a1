#!/usr/bin/env bash
# pith run --also memory: the blocks that a program allocated and freed, and its resident size, against its own account.
. "$(dirname "$0")/../lib.sh"
here=$PWD

# account LOG DIR: the events of each thread are those of the account, in this order; at each barrier the counter has the
# value that the system told the program; it has at most one value in 10 ms.
cat >account.py <<'EOF2'
import glob, subprocess, sys
log, folder = sys.argv[1:]
got, near, values, barriers, times = {}, {}, {}, {}, {}
inside, last_s = {}, 0
for line in subprocess.run(["pith", "print", log], capture_output=True, text=True, check=True).stdout.splitlines():
    if line.startswith("#"):
        continue
    time, rank, thread, kind, name, *rest = line.split("\t")
    last_s = float(time)
    lane = (rank, thread)
    if name.startswith("MPI_"):
        inside[lane] = inside.get(lane, 0) + (kind == "enter") - (kind == "leave")
        if kind == "leave" and name == "MPI_Barrier":
            barriers.setdefault(rank, []).append(values.get(rank))
    elif name == "memory:resident":
        assert kind == "counter", line
        values[rank] = float(rest[0].removeprefix("value="))
        times.setdefault(rank, []).append(float(time))
    elif name in ("memory:alloc", "memory:free"):
        fields = dict(f.split("=", 1) for f in rest[0].removeprefix("payload=").split(" "))
        if not inside.get(lane):
            got.setdefault((rank, thread), []).append((name[7:], fields["call"], int(fields["bytes"]), int(fields["address"], 16)))
count = 0
for name in glob.glob(folder + "/did.*"):
    wanted, sizes, rank = {}, [], name.split(".")[-1]
    for line in open(name):
        thread, what, call, size, address = line.split()
        if what == "resident":
            sizes.append(int(size))
        else:
            wanted.setdefault((rank, thread), []).append((what, call, int(size), int(address, 16)))
    # The MPI may have threads of its own, which allocate other sizes and come between in the numbers (Open MPI 6).
    known = {e[2] for events in wanted.values() for e in events}
    lanes = sorted((lane for lane in got if lane[0] == rank and any(e[2] in known for e in got[lane])), key=lambda lane: int(lane[1]))
    assert len(lanes) == len(wanted), (lanes, wanted.keys())
    for lane, events in zip(lanes, (events for _, events in sorted(wanted.items()))):
        known = {e[2] for e in events}
        have = [e for e in got[lane] if e[2] in known]
        for i in range(max(len(events), len(have))):
            assert events[i:i + 1] == have[i:i + 1], f"{lane} {i}: did {events[i:i + 1]}, log: {have[i:i + 1]}"
        count += len(events)
    assert len(sizes) == len(barriers[rank]) == 3, barriers
    for did, have in zip(sizes, barriers[rank]):
        assert have and abs(did - have) < 20e6, f"rank {rank}: resident {sizes}, log: {barriers[rank]}"
    assert (len(times[rank]) - 1) * 0.01 <= last_s + 0.01, times[rank]
print(count)
EOF2

for mpi in $(mpis); do
    mkdir "$scratch/$mpi" && cd "$scratch/$mpi" || exit 1
    "mpicc.$mpi" -O2 -shared -fPIC -o libdlsym_calloc.so "$top/test/mpi/dlsym_calloc.c" -ldl
    "mpicc.$mpi" -O2 -fno-builtin -o also_memory "$top/test/mpi/also_memory.c" -lpthread &&
        "mpicc.$mpi" -O2 -fno-builtin -o bad_dlsym "$top/test/mpi/also_memory.c" -Wl,--no-as-needed -L. -ldlsym_calloc -Wl,-rpath,"$PWD" -lpthread
    ok $? "$mpi: also_memory compiles" || continue
    for n in 1 2 4; do
        mkdir all.$n
        mpiexec_of "$mpi" $n pith run --also memory -o all.$n.pith ./also_memory all.$n >out 2>err
        is "$? $(sort out)" "0 $(for ((r = 0; r < n; r++)); do echo "also_memory: rank $r, well"; done)" \
            "$mpi, $n ranks: status and output are the program's" || cat err
        is "$(python3 "$here/account.py" all.$n.pith all.$n 2>&1)" "$((54 * n))" "$mpi, $n ranks: all blocks, and the resident size"
        pith check all.$n.pith >check.out 2>&1
        ok $? "$mpi, $n ranks: the log is good" || cat check.out
    done
    pith analyze all.4.pith >analyze.out 2>&1
    ok $? "$mpi: pith analyze reads it" || cat analyze.out

    mkdir dlsym tiny large off
    mpiexec_of "$mpi" 1 pith run --also memory -o dlsym.pith ./bad_dlsym dlsym >out 2>err
    is "$? $(cat out) $(python3 "$here/account.py" dlsym.pith dlsym 2>&1)" "0 also_memory: rank 0, well 54" \
        "$mpi: a dlsym that allocates memory" || cat err
    # Every block, also those that libraries allocate while Pith records.
    PITH_MEMORY_MIN=1 mpiexec_of "$mpi" 2 pith run --also memory,io,pthread -o tiny.pith ./also_memory tiny >out 2>err
    is "$? $(sort out | tr '\n' ' ')" "0 also_memory: rank 0, well also_memory: rank 1, well " "$mpi: blocks of all sizes" || cat err
    pith check tiny.pith >check.out 2>&1
    ok $? "$mpi: the log of all sizes is good" || cat check.out
    like "$(pith print tiny.pith)" 'memory:free	payload=call=free bytes=500777 ' "$mpi: PITH_MEMORY_MIN=1 has small blocks"
    PITH_MEMORY_MIN=90000000 mpiexec_of "$mpi" 1 pith run --also memory -o large.pith ./also_memory large >out 2>err
    is "$(pith print large.pith | grep -o 'call=.* bytes=[0-9]*777' | tr '\n' ' ')" "call=malloc bytes=100000777 call=free bytes=100000777 " \
        "$mpi: PITH_MEMORY_MIN=90000000 has large blocks only"
    mpiexec_of "$mpi" 1 pith run -o off.pith ./also_memory off >out 2>err
    is "$? $(pith print off.pith | grep -c memory:)" "0 0" "$mpi: off by default"
done
finish
