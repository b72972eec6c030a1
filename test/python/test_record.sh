#!/usr/bin/env bash
# Recording from Python, alone, as a block, and under `pith run`.
. "$(dirname "$0")/../lib.sh"
export PYTHONPATH=$build/lib/pith/python PYTHONDONTWRITEBYTECODE=1
[ -f "$build/lib/pith/python/pith/_record.abi3.so" ] || { echo "1..0 # SKIP the Python package was not built"; exit; }
python=/usr/bin/python3
counts() { pith stat --csv "$1" | awk -F, '$2 == "state" && $1 !~ /^(pith|MPI)/ { print $1 "=" $4 }' | sort | tr '\n' ' '; }

PITH_LOG=alone.pith $python "$top/test/python/recorded.py" >out 2>err
is $? 0 "a program that records itself" || cat out err
is "$(counts alone.pith)" "helper=30 solve=26 " "its states"
is "$(pith info alone.pith | grep -E '^(events|threads|lost):' | tr '\n' ' ')" "threads: 4 events: 11 lost: 0 " "events, threads, nothing lost"
is "$(pith print alone.pith | awk -F '\t' '$5 == "step"' | cut -f 6- | head -n 3 | tr '\n' ' ')" "payload=i=0 payload=i=1 payload=i=2 " "payloads by their format"
is "$(pith print alone.pith | grep -c 'counter.residual')" 10 "the counter"
like "$(pith print alone.pith | grep '^#')" 'worker' "the name of a thread"
pith check alone.pith >out; ok $? "the log is whole" || cat out

cat >block.py <<'P'
import sys
import pith
outside = pith.state("outside")
with pith.record("block.pith"):
    with pith.state("inside"):
        pass
with outside:
    pass
P
$python block.py >out 2>err
is "$? $(counts block.pith)" "0 inside=1 " "with pith.record(): a block" || cat out err
cat >sizes.py <<'P'
import pith
with pith.record("sizes.pith"):
    for size in -1, 2**64, 1.5, "1":
        for tell in pith.send, pith.recv:
            try:
                tell(0, 1, size)
                print("taken:", size)
            except (ValueError, TypeError) as error:
                print(type(error).__name__, size)
    pith.send(0, 1, 2**64 - 1)
P
is "$($python sizes.py 2>err | sort | uniq -c | tr -s ' ' | tr '\n' ';')" " 2 TypeError 1; 2 TypeError 1.5; 2 ValueError -1; 2 ValueError 18446744073709551616;" "sizes of messages that are none" || cat err
is "$(pith print sizes.pith | cut -f 4,9 | grep -P '^(send|recv)')" "send	bytes=18446744073709551615" "and none of them is in the log"
rm -f sizes.pith
$python -c 'import pith, sys; pith.open; sys.exit("pith._record" in sys.modules)'
is "$? $(ls *.pith | wc -l)" "0 2" "a program that only reads loads no recorder and leaves no log"

# Under the MPI of mpi4py: one log of all ranks, with the program's states.
mpi=$($python -c 'import mpi4py.MPI as m; print("openmpi" if "Open MPI" in m.Get_library_version() else "mpich")' 2>/dev/null)
cat >ranks.py <<'P'
from mpi4py import MPI
import pith
with pith.state("solve"):
    total = MPI.COMM_WORLD.allreduce(MPI.COMM_WORLD.rank)
assert total == sum(range(MPI.COMM_WORLD.size))
P
if mpis | grep -x "$mpi" >/dev/null; then
    for n in 1 2 4; do
        mpiexec_of "$mpi" $n pith run -o ranks.pith $python ranks.py >out 2>err
        is "$? $(counts ranks.pith)" "0 solve=$n " "mpi4py, $n ranks: the states of all in one log" || cat out err
        like "$(pith stat --csv ranks.pith)" '^MPI_Finalize,' "beside the MPI calls"
    done
else
    skip "mpi4py" "its MPI has no wrappers"
fi

# A source archive, and of that a wheel, by the standard tools, without network, against an installed Pith.
make -s -C "$top" O="$build" PREFIX="$scratch/inst" DEPS=no install >out 2>&1 || cat out
cp -r "$top/wrappers/python" package
PKG_CONFIG_PATH=$scratch/inst/lib/pkgconfig $python -m build --no-isolation -o wheels ./package >out 2>&1
is "$? $(ls wheels | sed 's/-[0-9].*-cp/-cp/; s/-[0-9.]*\.tar/.tar/' | tr '\n' ' ')" "0 pith-cp311-abi3-linux_x86_64.whl pith.tar.gz " \
    "python3 -m build makes both" || tail -n 20 out
rm wheels/*.whl
PKG_CONFIG_PATH=$scratch/inst/lib/pkgconfig $python -m pip wheel --no-build-isolation --no-deps --no-index -w wheels wheels/*.tar.gz >out 2>&1
is "$? $(ls wheels/*.whl | sed 's/-[0-9].*-cp/-cp/')" "0 wheels/pith-cp311-abi3-linux_x86_64.whl" "pip makes a wheel of the source archive" || tail -n 20 out
# What the type hints promise.
(cd package && $python -m mypy --cache-dir=/dev/null --ignore-missing-imports --strict -p pith) >out 2>&1
ok $? "mypy --strict finds nothing" || cat out
cat >package/user.py <<'PY'
import pickle

import numpy as np

import pith

with pith.open("alone.pith") as log:
    df = log.states("MPI_*", ranks=[0, 1]).frame()
    count: int = log.stat()["count"][0]
    table: pith.Table = log.states(where="rank == 0")[:10]
    start: int = table["start_ns"].min()
    edges, profile = log.time_profile(10, from_="init")
    again: pith.Log = pickle.loads(pickle.dumps(log))
    print(df.head(2), count, start, edges[0], sorted(profile), np.sum(log.comm_matrix()), log.info["ranks"], again.ranks)
try:
    log.waits()
except pith.DamagedError as error:
    print(error.partial)
PY
(cd package && $python -m mypy --cache-dir=/dev/null --ignore-missing-imports --strict user.py) >out 2>&1
ok $? "nor in a program that uses the package" || cat out
mkdir site && (cd site && $python -m zipfile -e ../wheels/*.whl .)
is "$(PYTHONPATH=site LD_LIBRARY_PATH=$scratch/inst/lib $python -c 'import pith; print(pith.open("alone.pith").info["states"], pith.__file__)')" \
    "57 $scratch/site/pith/__init__.py" "it reads a log"
is "$(PYTHONPATH=$(echo "$scratch"/inst/lib/python3*/*-packages) $python -c 'import pith; print(len(pith.open("alone.pith").states()))')" 57 "the installed package reads a log"
finish
