#!/usr/bin/env bash
# The Python package: errors, damaged and cut logs, threads, leaks, pictures.
. "$(dirname "$0")/../lib.sh"
export PYTHONPATH=$build/lib/pith/python:$top/test/python:$PYTHONPATH
[ -f "$build/lib/pith/python/pith/_read.abi3.so" ] || { echo "1..0 # SKIP the Python package was not built"; exit; }
"$build/test/cli/make_cli_log" small small.pith
"$build/test/cli/make_cli_log" names names.pith
"$build/test/bench/make_big_log" big.pith 4 4 200000
cp big.pith damaged.pith
printf 'xxxxxxxx' | dd of=damaged.pith bs=1 seek=300000 conv=notrunc 2>/dev/null
head -c 600000 big.pith >cut.pith
echo "not a log" >text.dat
/usr/bin/python3 "$top/test/python/behaviour_check.py" small.pith names.pith damaged.pith cut.pith text.dat big.pith 2>&1
