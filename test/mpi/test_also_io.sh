#!/usr/bin/env bash
# pith run --also io: the calls for files that a program made, with file, bytes and offset, against its own account.
. "$(dirname "$0")/../lib.sh"

# account LOG DIR: what the log says of files below DIR, and of files that do not exist, in the form of also_io.c, in
# the order of each file; and whether the records of a call are well nested.
cat >account.py <<'EOF2'
import os, subprocess, sys
open_states, lanes, lines = {}, {}, []
for line in subprocess.run(["pith", "print", sys.argv[1]], capture_output=True, text=True, check=True).stdout.splitlines():
    if line.startswith("#"):
        continue
    time, rank, thread, kind, name, *rest = line.split("\t")
    stack = open_states.setdefault((rank, thread), [])
    if kind == "enter":
        stack.append(name)
    elif kind == "leave":
        assert stack.pop() == name, line
    elif kind == "event" and name in ("io:access", "io:file"):
        fields = dict(f.split("=", 1) for f in rest[0].removeprefix("payload=").split(" "))
        file = fields["file"].removeprefix(os.getcwd() + "/")  # the system's name, of a copied descriptor
        assert stack[-1].startswith("io:"), line
        if not file.startswith(sys.argv[2]) and not file.startswith("no/such"):
            continue
        inside = [s for s in stack if s.startswith("MPI_")]
        lanes.setdefault((rank, file), set()).add(thread)
        if sys.argv[3:] == ["inside"]:
            print(rank, inside[-1] if inside else "-", stack[-1], file, fields.get("bytes", "-"), fields.get("offset", "-"))
            continue
        if name == "io:access":
            lines.append((file, f"{rank} {stack[-1]} {file} {fields['bytes']} {fields['offset']}"))
        else:
            lines.append((file, f"{rank} {stack[-1]} {file} {fields['descriptor']} -1"))
assert not any(open_states.values()), open_states
assert all(len(l) == 1 for (rank, f), l in lanes.items() if not f.startswith("no/")), lanes
print("\n".join(text for file, text in sorted(lines, key=lambda l: (l[1].split()[0], l[0]))))
EOF2
account() { python3 "$here/account.py" "$@"; }
# The same of the program's own account.
own() { sort -m "$1"/did.* | awk '{ print $1, $4, NR, $0 }' | sort -k1,1 -k2,2 -k3,3n | cut -d' ' -f4,6-; }
here=$PWD

for mpi in $(mpis); do
    mkdir "$scratch/$mpi" && cd "$scratch/$mpi" || exit 1
    for kind in plain fortified large; do
        flags="-O2"
        [ $kind = fortified ] && flags="-O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3"
        [ $kind = large ] && flags="-O2 -U_FORTIFY_SOURCE -D_FILE_OFFSET_BITS=64"
        # shellcheck disable=SC2086
        "mpicc.$mpi" $flags -o also_io.$kind "$top/test/mpi/also_io.c" -lpthread
        ok $? "$mpi: also_io compiles, $kind"
    done
    like "$(nm -D also_io.fortified)" '__read_chk' "$mpi: fortified calls have names of their own"
    like "$(nm -D also_io.large)" 'pread64' "$mpi: large files have names of their own"

    for n in 1 2 4; do
        for kind in plain fortified large; do
            [ $n != 2 ] && [ $kind != plain ] && continue
            mkdir $kind.$n
            mpiexec_of "$mpi" $n pith run --also io -o $kind.$n.pith ./also_io.$kind $kind.$n >out 2>err
            is "$? $(sort out)" "0 $(for ((r = 0; r < n; r++)); do echo "also_io: rank $r, well"; done)" \
                "$mpi, $n ranks, $kind: status and output are the program's"
            account $kind.$n.pith $kind.$n/ >got 2>got.err
            ok $? "$mpi, $n ranks, $kind: records nest" || cat got.err
            own $kind.$n >wanted
            is "$(grep -c . wanted)" $((99 * n)) "$mpi, $n ranks, $kind: the program has an account"
            is "$(cat got)" "$(cat wanted)" "$mpi, $n ranks, $kind: calls, files, bytes and offsets"
        done
        pith check plain.$n.pith >check.out 2>&1
        ok $? "$mpi, $n ranks: the log is good" || cat check.out
    done

    # ---- inside MPI's calls for files ------------------------------------------------------------------------------
    mkdir mpiio
    mpiexec_of "$mpi" 4 pith run --also io -o mpiio.pith ./also_io.plain mpiio mpiio >out 2>err
    account mpiio.pith mpiio/shared inside >got
    for what in "MPI_File_open io:open" "MPI_File_write_at io:pwrite 5000" "MPI_File_read_at io:pread 2500" \
        "MPI_File_sync io:fsync" "MPI_File_close io:close"; do
        # MPICH 4 and Open MPI 4 use write after lseek, or pwrite.
        pattern="^3 ${what%% *} ${what#* }"
        pattern=$(sed -E 's/io:(open|pwrite|pread)/io:(\1|openat|write|read)/; s/ ([0-9]+)$/ mpiio\/shared \1 15000/' <<<"$pattern")
        like "$(cat got)" "$pattern" "$mpi: ${what#* } inside ${what%% *}"
    done
    like "$(pith stat mpiio.pith)" 'io:p?write' "$mpi: pith stat has the call"
    is "$(pith print mpiio.pith | grep -c 'mpiio\.pith\|\.spill\|perf-')" 0 "$mpi: Pith's own files are not recorded"
    pith analyze mpiio.pith >analyze.out 2>&1
    ok $? "$mpi: pith analyze reads it" || cat analyze.out

    # ---- before MPI_Init, children, a thread that is cancelled --------------------------------------------------------
    for how in early children cancel; do
        mkdir $how
        mpiexec_of "$mpi" 2 pith run --also io -o $how.pith ./also_io.plain $how $how >out 2>err
        is "$? $(sort out)" "0 also_io: rank 0, well
also_io: rank 1, well" "$mpi, $how: status and output are the program's"
        account $how.pith $how/ >got 2>got.err
        ok $? "$mpi, $how: records nest" || cat got.err
        own $how >wanted
        is "$(cat got)" "$(cat wanted)" "$mpi, $how: calls, files, bytes and offsets"
    done
    is "$(pith print early.pith --lane 0 | awk '/enter\tMPI_Init/ { exit } /leave\tio:f/ { n++ } END { print n }')" 13 \
        "$mpi: the calls before MPI_Init"
    is "$(pith print children.pith | grep -c 'child\.\|fork\.out')" 0 "$mpi: children are not recorded"
    is "$(ls ./*.pith | wc -l)" 9 "$mpi: children write no log"

    # ---- chosen, paused, off ----------------------------------------------------------------------------------------
    mkdir skip off
    PITH_ALSO=io PITH_SKIP='io:*read*,io:close' mpiexec_of "$mpi" 1 pith run -o skip.pith ./also_io.plain skip >out 2>err
    is "$(pith print skip.pith | cut -f5 | grep -o 'io:p*read.*\|io:close\|io:write$' | sort -u)" io:write \
        "$mpi: PITH_ALSO, and PITH_SKIP leaves calls out"
    mpiexec_of "$mpi" 1 pith run -o off.pith ./also_io.plain off >out 2>err
    is "$(pith print off.pith | grep -c io:)" 0 "$mpi: off by default"
done

# ---- Python --------------------------------------------------------------------------------------------------------
cd "$scratch" || exit 1
python_mpi=$(/usr/bin/python3 -c 'from mpi4py import MPI; print("openmpi" if "Open MPI" in MPI.Get_library_version() else "mpich")' 2>/dev/null)
if [ -n "$python_mpi" ]; then
    cat >write.py <<'EOF2'
import sys
from mpi4py import MPI
rank = MPI.COMM_WORLD.rank
with open("python.%d" % rank, "w") as file:
    file.write("x" * 5000 * (rank + 1))
with open("python.%d" % rank) as file:
    sys.stdout.write("%d\n" % len(file.read()))
EOF2
    mpiexec_of "$python_mpi" 2 pith run --also io -o python.pith /usr/bin/python3 write.py >out 2>err
    is "$? $(sort out | tr '\n' ' ')" "0 10000 5000 " "python: status and output"
    is "$(account python.pith python. | awk '/write/ { written[$1] += $4 } /read/ { got[$1] += $4 } /open|close/ { n++ }
        END { print written[0], written[1], got[0], got[1], n }')" "5000 10000 5000 10000 8" "python: bytes, opens and closes"
else
    skip "python" "no mpi4py"
fi

# ---- a serial program, and wrong options ---------------------------------------------------------------------------
cd "$scratch" || exit 1
seq 1000 >numbers
pith run --also io -o cat.pith tail -n +1 numbers >out 2>err
is "$? $(cksum <out)" "0 $(cksum <numbers)" "tail: status and output"
like "$(pith print cat.pith)" 'io:access	payload=file=numbers bytes=3893 offset=0' "tail: what it read"
like "$(pith print cat.pith)" 'io:access	payload=file=.*out bytes=3893 offset=0' "tail: what it wrote"
pith run --also files true 2>err
is "$? $(cat err)" "2 pith run: --also (PITH_ALSO): nothing is called files; there are: io, functions, openmp, pthread, memory; see \`pith help run\`" "an unknown name"
pith run --also io --lib time true 2>err
like "$? $(cat err)" '^2 pith run: --also needs a library that writes a log, not --lib time' "another library"
finish
