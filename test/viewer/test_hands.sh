#!/usr/bin/env bash
# The window under the keys and the pointer of the X server (hands.py).
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
"$make_log" plain plain.pith
ok $? "a log is made"
start_display
inside plain.pith hands_checks.tcl
is "$(grep -v '^ok\|^#' checks.out)" "" "nothing else is said"
finish
