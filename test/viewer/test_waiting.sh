#!/usr/bin/env bash
# Wait states, their causes and the critical path in the window (waiting_checks.tcl).
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
. "$top/test/viewer/wait_log.sh"
wait_log >log.txt && pith convert log.txt log.pith
ok $? "a log is made"
start_display
inside log.pith waiting_checks.tcl
# Each finding has a command for the window, which shows its place.
is "$(pith analyze log.pith --json | python3 -c '
import json, shlex, subprocess, sys
for f in json.load(sys.stdin)["findings"]:
    said = subprocess.run(shlex.split(f["command"]) + ["-e", "puts [window]; puts [row_list]; quit"], capture_output=True, text=True, timeout=60)
    window, rows = said.stdout.splitlines()
    begin, end = map(float, window.split())
    shown = begin <= f["from_ns"] / 1e9 and f["to_ns"] / 1e9 <= end and str(f["rank"]) in rows.replace("{", " ").replace("}", " ").split() if "rank" in f else 1
    print(f["name"], "is shown" if shown else said)')" "$(pith analyze log.pith --csv | awk -F, 'NR > 1 { print $1 " is shown" }')" "the commands of pith analyze show the findings"
./make_log point point.pith
ok $? "a log with a single record is made"
timeout 60 pith view point.pith -e 'waits on; critical_path on; sync; puts [status]; puts [findings]; quit' >point.out 2>&1
is "$?:$(cat point.out)" "0:no call waits for another rank" "a log without waiting"
finish
