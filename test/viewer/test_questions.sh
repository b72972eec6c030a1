#!/usr/bin/env bash
# The seven questions of the tour (TOUR.md) on five logs, with two clicks at most (questions_checks.tcl), against what the
# commands say.
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
. "$top/test/viewer/card_log.sh"
command -v python3 >/dev/null || { skip "the questions" "no python3"; finish; }
make_tour_log=$build/test/viewer/make_tour_log
"$make_tour_log" before before.pith && "$make_tour_log" after after.pith && "$make_log" late late.pith
card_log >card.txt
awk -f "$top/viewer/tour/samples.awk" >samples.lines
{ grep '^#' samples.lines; grep -v '^#' samples.lines | sort -s -g -k 1,1; } >samples.txt
if ! pith sql before.pith 'SELECT 1' >/dev/null 2>&1; then
    skip "the questions" "no libsqlite3"
    finish
fi
start_display
# The longest wait for a late sender, and the size of the message that ends it.
wait_of() {
    pith sql "$1" --csv "SELECT s.name, l.rank, c.rank, w.from_ns, w.to_ns,
            (SELECT m.bytes FROM messages m WHERE m.recv_lane = w.lane AND m.send_lane = w.cause_lane AND m.recv_ns >= w.to_ns
             ORDER BY m.recv_ns LIMIT 1)
        FROM waits w JOIN definitions s ON s.id = w.state JOIN lanes l ON l.lane = w.lane JOIN lanes c ON c.lane = w.cause_lane
        WHERE w.kind = 'late sender' ORDER BY w.to_ns - w.from_ns DESC LIMIT 1" | sed '1d; s/,/ /g'
}
iterations_of() {
    pith analyze "$1" --json 2>/dev/null | python3 -c '
import json, sys
i = json.load(sys.stdin)["iterations"]
if i["count"] == 0:
    print(0)
else:
    slow = sorted(i["slow"], key=lambda one: one["from_ns"] - one["to_ns"])
    print(i["count"], i["median_ns"], i["slow_count"], *[one["index"] for one in slow[:1]])'
}
questions() { # LOG FUNCTION
    ANSWER=$(pith analyze "$1" --answer) ITERATIONS=$(iterations_of "$1") WAIT=$(wait_of "$1") FUNCTION=$2 \
        timeout 200 pith view "$1" --restore -e "wm geometry [winfo toplevel [canvas]] 1200x820; update; source $top/test/viewer/questions_checks.tcl" >checks.out 2>&1
    is "$?" 0 "$1: the checks inside the window end"
    tail -n 1 checks.out | grep ' checks, ' >/dev/null || { sed 's/^/# /' checks.out; ok 1 "$1: they came to their end"; }
    checks_of checks.out
}
questions before.pith ''
questions after.pith ''
questions late.pith ''
questions card.txt "called {in exchange_halo (heat2d.c:89)}"
questions samples.txt "most main"
# The tour has the steps.
sed -n '/^## Seven questions/,/^## /p' "$top/viewer/TOUR.md" >steps
is "$(grep -c '^| .*? |' steps)" 7 "the tour has the seven questions"
for word in 'Show me' Findings 'late sender' 'Call tree' Iterations 'Slowest first' called received; do
    ok "$(grep -q -- "$word" steps; echo $?)" "and the step: $word"
done
finish
