#!/usr/bin/env bash
# Menus and buttons: how many entries there are, and what each says of itself (menus_checks.tcl).
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
"$make_log" plain plain.pith
ok $? "a log is made"
start_display
inside plain.pith menus_checks.tcl
is "$(grep -v '^ok\|^#' checks.out)" "" "nothing else is said"
finish
