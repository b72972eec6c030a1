#!/usr/bin/env bash
# The card of a clicked state: its place in the program, its messages and its collective; and the key j.
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
. "$top/test/viewer/card_log.sh"
card_log >card.txt
pith convert card.txt card.pith
is "$(pith print card.pith --state pith:site | grep -c 'functions=exchange_halo (heat2d.c:89)')" 2 "print has the function and the line of a call"
is "$(pith stat card.pith --flame sites.pith; pith print sites.pith | grep -v '^#' | cut -f 1,2,5)" \
    $'0.200000000\t0\tin exchange_halo (heat2d.c:89)
0.680000000\t0\tin exchange_halo (heat2d.c:89)
0.700000000\t1\tin main (heat2d.c:128)
0.750000000\t2\tin main (heat2d.c:128)
0.900000000\t0\tin main (heat2d.c:128)' "pith stat --flame also finds the functions of call sites, without samples"
start_display
for SCALE in 1 2; do
    export SCALE
    inside card.pith card_checks.tcl
done
finish
