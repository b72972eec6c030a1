#!/usr/bin/env bash
# make wheel: what it makes is installed by pip into a fresh environment, on a system without Pith, reads and records there;
# and beside an installed Pith it records into the log of a job.
. "$(dirname "$0")/../lib.sh"
python=/usr/bin/python3
[ -e "$build/lib/pith/python/pith/_read.abi3.so" ] || { skip "the wheel" "the package was not built"; finish; }
$python -c 'import setuptools, wheel, venv, ensurepip' 2>err || { skip "the wheel" "$(tail -n 1 err)"; finish; }
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make --no-print-directory -s -C "$top" O="$build" wheel >out 2>&1
ok $? "make wheel" || { cat out; finish; }
wheel=$(sed -n 's/^made //p' out)
case $wheel in /*) ;; *) wheel=$top/$wheel ;; esac
like "$(basename "$wheel")" "^pith-$(pith --version | cut -d ' ' -f 2)-cp311-abi3-manylinux_2_[0-9]+_$(uname -m)\.whl$" "its name says: every Python from 3.11 on, and which C library"
is "$($python -m zipfile -l "$wheel" | awk '{ print $1 }' | grep -E '\.(so|so\.0|py|pyi|typed)$' | sort | xargs)" \
    "$(cd "$top/wrappers/python" && { ls pith/*.py pith/*.pyi pith/py.typed; printf 'pith/%s\n' _read.abi3.so _record.abi3.so libpith.so.0 libpithlog.so.0; } | sort | xargs)" "it has the package and both libraries"
like "$($python -m zipfile -l "$wheel")" 'dist-info/LICENSE' "and the licence"

$python -m venv --system-site-packages place && place/bin/pip -q install --no-index --no-deps "$wheel" >out 2>&1
ok $? "pip installs it" || cat out
needs=$(readelf -V place/lib/python3*/site-packages/pith/*.so* | sed -n 's/.*GLIBC_2\.\([0-9]*\).*/\1/p' | sort -n | tail -n 1)
is "$needs" "$(sed -E 's/.*manylinux_2_([0-9]+)_.*/\1/' <<<"$wheel")" "no file in it needs a later C library"
is "$(readelf -d place/lib/python3*/site-packages/pith/*.so* | sed -n 's/.*RUNPATH.*\[\(.*\)\]/\1/p' | sort -u)" '$ORIGIN' "it looks for libraries beside itself only"
# Its own libraries, and no others of Pith, in an environment that knows none.
plain() { env -i HOME="$PWD" PATH=/usr/bin:/bin LC_ALL=C.UTF-8 "$@"; }
cat >record.py <<'P'
import pith
with pith.record("run.pith"):
    work = pith.state("work")
    for _ in range(3):
        with work:
            pass
P
plain place/bin/python record.py >out 2>&1
is "$(grep -v '^pith: run.pith' out)$(pith print run.pith | grep -c '	enter	work')" 3 "it records" || cat out
cat >read.py <<'P'
import pith
log = pith.Log("run.pith")
print(len(log.states("work")), log.info["format"])
print(*sorted({line.split()[-1].rsplit("/", 3)[-3] for line in open("/proc/self/maps") if "libpith" in line}))
P
is "$(plain place/bin/python read.py 2>&1 | xargs)" "3 native site-packages" "import pith; pith.Log(...) reads, by the libraries in it" || plain place/bin/python read.py
# Beside pith run, whose libpith serves both; mpi4py belongs to one of the MPIs.
python_mpi=$($python -c 'from mpi4py import MPI; print("openmpi" if "Open MPI" in MPI.Get_library_version() else "mpich")' 2>/dev/null)
if ! mpis | grep -x "${python_mpi:-none}" >/dev/null; then skip "in a job" "no mpi4py"; finish; fi
cat >job.py <<'P'
import pith
from mpi4py import MPI
with pith.state("solve"):
    MPI.COMM_WORLD.Barrier()
P
timeout 120 "mpiexec.$python_mpi" -n 2 pith run -o job.pith place/bin/python job.py >out 2>err
is "$(pith print job.pith | awk -F '\t' '$4 == "enter" && $5 ~ /^(solve|MPI_Barrier)$/ { print $2, $5 }' | sort | xargs)" "0 MPI_Barrier 0 solve 1 MPI_Barrier 1 solve" "its states are in the log of the job" || sed 's/^/# /' err
finish
