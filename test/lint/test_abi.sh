#!/usr/bin/env bash
# The libraries still have all that programs linked with the last release rely on. What a change broke or added is printed;
# `make abi` accepts it.
. "$(dirname "$0")/../lib.sh"
command -v abidiff >/dev/null || { skip "ABI of the libraries" "no abidiff (abigail-tools)"; finish; }
[ "$(uname -m)" = x86_64 ] || { skip "ABI of the libraries" "the baseline is of x86-64"; finish; }
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$top" "O=${O:-build}" abi-now >out 2>&1
ok $? "the libraries with their types" || cat out
for lib in libpith libpithlog; do
    abidiff --no-added-syms "$top/test/lint/$lib.abi" "$build/abi/$lib.abi" >out 2>&1
    ok $? "$lib: programs of the last release go on" || cat out
done
finish
