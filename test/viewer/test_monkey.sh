#!/usr/bin/env bash
# Random keys, clicks, drags and turns of the wheel (monkey_checks.tcl). MONKEY_EVENTS: how many with each seed,
# MONKEY_SEEDS: which seeds. There is no window manager: a small one (evilwm) grabs the server and lets nobody go on.
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
. "$top/test/viewer/wait_log.sh"
"$make_log" rich 1.pith && wait_log >0.txt && pith convert 0.txt 0.pith
ok $? "logs are made"
start_display
export SEED EVENTS=${MONKEY_EVENTS:-1500}
for SEED in ${MONKEY_SEEDS:-1 2 3}; do
    inside $((SEED % 2)).pith monkey_checks.tcl
done
finish
