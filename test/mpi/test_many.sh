#!/usr/bin/env bash
# Thousands of open requests, completed one by one, in groups, out of order: each message matched with its own.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/functions.sh"
reader matched

for mpi in $(mpis); do
    compile many "$mpi"
    for mode in '' multiple; do
        record many "$mpi" 2 $mode
        is "$status $(cat out | tr '\n' ' ')" "0 rank 0 sent 12000 failed 0 rank 1 sent 12000 failed 0 " "$mpi $mode: runs" || head -n 20 err
        is "$(./matched many.pith)" "messages 24000 wrong 0 unsized 0 unmatched 0 0 nobody 0" "$mpi $mode: each message matched with its own"
    done
done
finish
