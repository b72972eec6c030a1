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
"$make_log" point point.pith
ok $? "a log with a single record is made"
timeout 60 pith view point.pith -e 'waits on; critical_path on; sync; puts [status]; puts [findings]; quit' >point.out 2>&1
is "$?:$(cat point.out)" "0:no call waits for another rank" "a log without waiting"

# The pane opens with the window; a script without --restore opens nothing.
cat >pane.tcl <<'END'
set pane [winfo toplevel [canvas]].panes.findings
proc pane {} {
    variable pane
    sync
    if {![winfo exists $pane]} {
        return "no pane"
    }
    tab findings
    sync
    set said [lmap name {head.line notice} {set [$pane.$name cget -textvariable]}]
    return "[join $said |]|[llength [$pane.tree children {}]]|[winfo ismapped $pane.run]|[winfo ismapped $pane.analyze]"
}
END
pane() { timeout 60 pith view "$@" 2>/dev/null; }
is "$(pane log.pith -e 'source pane.tcl; puts [pane]; quit')" "no pane" "a script without --restore"
is "$(pane log.pith --restore -e 'source pane.tcl; puts [pane]; legend_columns on; puts [lindex [[winfo toplevel [canvas]].panes.legend.tree cget -displaycolumns] 1]; findings off; quit')" \
    $'3 ranks, 1 host, 1 s||4|1|0\nfind' "it opens with the window, and the legend keeps its columns"
is "$(pane log.pith --restore -e 'source pane.tcl; puts [pane]; findings on; puts [pane]; quit')" $'no pane\n3 ranks, 1 host, 1 s||4|1|0' \
    "closed, it stays closed for this log, and opens again"
is "$(pane point.pith --restore -e 'source pane.tcl; puts [pane]; quit')" "1 rank, 1 host, 1 ns|No MPI calls, so there are no efficiencies.|0|0|0" \
    "a log without MPI"
head -c "$(($(wc -c <log.pith) - 40))" log.pith >cut.pith
is "$(pane cut.pith --restore -e 'source pane.tcl; puts [regsub {incomplete:.*\.\|} [pane] {incomplete:...|}]; [winfo toplevel [canvas]].panes.findings.analyze invoke; puts [pane]; quit')" \
    $'3 ranks, 1 host, 1 s|The log is incomplete:...|0|0|1\n3 ranks, 1 host, 1 s|The log is incomplete. These figures are for the part that can be read.|4|1|0' \
    "an incomplete log is analyzed when the user asks for it"
# Lost records: the pane says it in the words of pith analyze, and whether the known part is too short to judge the run.
lossy() { awk -F'\t' -v OFS='\t' -v from="$1" '$2 != 1 || $1 <= 0.1 || $1 >= 0.94
    !lost && $1 > 0.1 { print from, 1, 0, "lost", "", "count=7"; lost = 1 }' log.txt | sort -s -g -k 1,1; }
for from in 0.3 0.105; do
    lossy $from >lossy.txt
    is "$(pane lossy.txt --restore -e 'source pane.tcl; puts [pane]; quit' | cut -d '|' -f 2)" \
        "$(pith analyze lossy.txt | grep -E '^  .*(missing|too short)' | tr -s '\n ' ' ' | sed 's/^ //; s/ $//')" "records lost from $from s on"
done
{ awk '$2 != 1 || $1 <= 0.1' log.txt; printf '0.1\t1\t0\tlost\t\tcount=7\n'; } | sort -s -g -k 1,1 >nothing.txt
is "$(pane nothing.txt --restore -e 'source pane.tcl; puts [pane]; quit' | cut -d '|' -f 2-4)" \
    "No MPI calls in the analyzed part, so there are no efficiencies. Records of rank 1 are missing from 0.100000 s to 1.000000 s. The analysis covers the longest part of the run without missing records. It is 0 % of the time asked for: too short to judge the run.|0|0" \
    "nothing is known: no efficiencies"
like "$(pith analyze lossy.txt)" 'It is 0[.]5 % of the time asked for: too short' "the second part is too short"
is "$(pane log.pith -e 'prefer findings off; quit'; rm -rf "$XDG_STATE_HOME"; pane log.pith --restore -e 'source pane.tcl; puts [pane]; quit')" "no pane" \
    "turned off by the preference"
finish
