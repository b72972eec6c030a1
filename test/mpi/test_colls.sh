#!/usr/bin/env bash
# Collectives: each call has a record with its root (a world rank) and the bytes given and got, as the program reckons them.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/functions.sh"

for mpi in $(mpis); do
    compile colls "$mpi" || { ok 1 "$mpi: compiles"; continue; }
    for ranks in 1 2 4; do
        record colls "$mpi" $ranks
        is "$status" 0 "$mpi $ranks: ends well" || head -n 20 err
        colls colls.pith | sed -E 's/^([0-9]+)\t.*bytes=([0-9]+)\tgot_bytes=([0-9]+)\troot=(-?[0-9]+).*/\1 root=\4 given=\2 got=\3/' | sort -s -n -k 1,1 >got
        sort -s -n -k 1,1 out.raw >wanted
        cmp -s got wanted
        ok $? "$mpi $ranks: $(wc -l <wanted) collective calls with root and bytes" || diff got wanted | head -n 10
    done
done
finish
