#!/usr/bin/env bash
# Selecting an interval, the hand, the crosshair: with real events (selection_checks.tcl).
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
"$make_log" plain plain.pith
ok $? "a log is made"
start_display
inside plain.pith selection_checks.tcl
finish
