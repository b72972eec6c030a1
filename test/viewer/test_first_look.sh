#!/usr/bin/env bash
# The time that a log opens with: the work, from MPI_Init to MPI_Finalize, unless the user asked for another.
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
. "$top/test/viewer/wait_log.sh"
wait_log >work.txt && pith convert work.txt work.pith && cp work.pith again.pith && pith cut work.pith --to 0.5 -o cut.pith &&
    sed 's/MPI_Finalize/farewell/' work.txt >open.txt && pith convert open.txt open.pith &&
    awk -F'\t' -v OFS='\t' '$5 == "MPI_Init" { $1 /= 10 } $1 == 0.94 { $1 = 0.98 } { print }' work.txt >brief.txt && pith convert brief.txt brief.pith &&
    sed 's/MPI_Finalize/MPI_X/; s/MPI_Init/MPI_Finalize/; s/MPI_X/MPI_Init/' work.txt >turned.txt && pith convert turned.txt turned.pith &&
    "$make_log" plain plain.pith
ok $? "logs are made"
start_display
work='0.100000000 0.980000000'
first() { joined "$(pith view "$1" --restore -e "sync; puts [window]; puts [status]; quit" "${@:2}" 2>&1)"; }
whole() { pith view "$1" -e 'puts [window]; quit'; }

# As users open it: without a script, with keys of the X server. The view that is saved at the end says what was shown.
saved() {
    pith view "$@" &
    local window=$! tries
    for tries in {1..100}; do
        kill -0 $window 2>/dev/null || break
        printf 'move 300 150\nkey q\nwait 0.3\n' | python3 "$top/test/viewer/hands.py" >/dev/null
    done
    wait $window
    grep '^time' "$XDG_STATE_HOME"/pith/work.pith-*.view
}
is "$(saved work.pith)" "time {100000000 980000000}" "a log opens on the work"
rm -r "$XDG_STATE_HOME"

# The button shows what is analyzed, also if the ranks begin MPI_Finalize at different times.
is "$(pith view work.pith -e 'work; puts [window]; quit')" "$(pith analyze work.pith --json | python3 -c '
import json, sys
window = json.load(sys.stdin)["window"]
print("%.9f %.9f" % (window["from_ns"] / 1e9, window["to_ns"] / 1e9))')" "Init-Finalize: what is analyzed"

pith view work.pith --restore -e "source $top/test/viewer/first_look_checks.tcl" >checks.out 2>&1
checks_of checks.out
like "$(tail -n 1 checks.out)" ' checks, ' "first_look_checks.tcl: they came to their end"
rm -r "$XDG_STATE_HOME"

# What the user asked for comes first.
is "$(pith view work.pith -e 'puts [window]; quit')" "0.000000000 1.000000001" "a script starts from the whole log"
is "$(pith view work.pith --restore --from 0.3 --to 0.5 -e 'puts [window]; quit')" "0.300000000 0.500000000" "--from and --to"
is "$(pith view work.pith --restore -e 'puts [window]; quit')" "0.300000000 0.500000000" "the saved view"
rm -r "$XDG_STATE_HOME"
# It must be worth it.
for log in brief open cut turned plain; do
    out=$(first $log.pith)
    like "$out" "^$(whole $log.pith)[|]" "$log.pith opens in full"
    unlike "$out" 'MPI_Init to' "and nothing is said of it"
done
finish
