#!/usr/bin/env bash
# The functions of samples in the window: their rows, compared with bars found for each sample on its own.
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
oracle="$top/test/cli/flame_log.py"
python3 "$oracle" make 5 cpu >log.txt
pith convert log.txt log.pith
pith print log.pith >printed 2>err
python3 "$oracle" bars printed cpu 1000000 >bars
ok $((!($(wc -l <bars) > 100))) "a log with samples is made"
pith stat log.pith --flame flames.pith
pith print flames.pith >flames
export BARS="$PWD/bars" FLAMES="$PWD/flames" PRINTED="$PWD/printed"
start_display
for SCALE in 1 2; do
    export SCALE
    inside log.pith flame_checks.tcl
done
# A window that is killed while the functions are being found leaves no file. It says whether one was there (two, while
# the stopped search still has its own).
mkdir temporary
said=$(TMPDIR=$PWD/temporary pith view log.pith -e '
    set flames [lindex [info class instances ::pith::Flames] 0]
    $flames stop
    $flames start
    puts [expr {[llength [glob temporary/*]] > 0}]
    exec kill -KILL [pid]' 2>/dev/null)
for _ in {1..200}; do
    [ -z "$(ls temporary)" ] && break
    sleep 0.1
done
is "$said:$(ls temporary)" "1:" "a killed window leaves no file of functions"
finish
