#!/usr/bin/env bash
# Wait states, their causes and the critical path in the window (waiting_checks.tcl).
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
. "$top/test/viewer/wait_log.sh"
wait_log >log.txt && pith convert log.txt log.pith
ok $? "a log is made"
start_display
inside log.pith waiting_checks.tcl
./make_log point point.pith
ok $? "a log with a single record is made"
timeout 60 pith view point.pith -e 'waits on; critical_path on; sync; puts [status]; puts [findings]; quit' >point.out 2>&1
is "$?:$(cat point.out)" "0:no call waits for another rank" "a log without waiting"
finish
