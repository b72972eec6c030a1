#!/usr/bin/env bash
# Queries (--where): random ones against a brute-force reading of `pith print`, SQL, and the Python package.
. "$(dirname "$0")/../lib.sh"
export PYTHONPATH=$build/lib/pith/python:$top/test/python:$PYTHONPATH
[ -f "$build/lib/pith/python/pith/_read.abi3.so" ] || { echo "1..0 # SKIP the Python package was not built"; exit; }
first=$(mpis | head -n 1)
mpiexec_of "$first" 4 pith run -o whole.pith "$build/samples/$first/heat2d" >/dev/null 2>err || cat err
pith cut whole.pith -o heat2d.pith --from "MPI_Allreduce[1]" --to "MPI_Allreduce[12]"
"$build/test/cli/make_cli_log" small small.pith
"$build/test/bench/make_big_log" nested.pith 2 4 400
"$build/test/bench/make_big_log" many.pith 300 300 30 # so many lanes are merged in groups
/usr/bin/python3 "$top/test/python/query_check.py" small.pith heat2d.pith nested.pith >out 2>&1 &&
    QUERY_COUNT=16 /usr/bin/python3 "$top/test/python/query_check.py" many.pith >>out 2>&1
status=$?
grep -E '^(ok|not ok|#)' out >lines
checks_of lines
is "$status" 0 "all compared" || tail -n 5 out
finish
