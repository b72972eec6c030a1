#!/usr/bin/env bash
# The Python package as a reader, in native, OTF2 and CLOG-2 logs, against the commands.
. "$(dirname "$0")/../lib.sh"
export PYTHONPATH=$build/lib/pith/python:$top/test/python:$PYTHONPATH
[ -f "$build/lib/pith/python/pith/_read.abi3.so" ] || { echo "1..0 # SKIP the Python package was not built"; exit; }
for mpi in $(mpis); do
    mpiexec_of "$mpi" 4 pith run -o "heat.$mpi.pith" "$build/samples/$mpi/heat2d" >/dev/null 2>err || cat err
done
first=$(mpis | head -n 1)
pith convert "heat.$first.pith" heat.otf2 2>/dev/null
pith convert "heat.$first.pith" heat.clog2 2>/dev/null
"$build/test/cli/make_cli_log" small small.pith
"$build/test/bench/make_big_log" nested.pith 2 4 1500
/usr/bin/python3 "$top/test/python/read_check.py" heat.*.pith heat.otf2/*.otf2 heat.otf2 heat.clog2 small.pith nested.pith 2>&1
