#!/usr/bin/env bash
# The command line of the window, times as people say them, bookmarks (command_checks.tcl); the list of all commands.
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
./make_log plain plain.pith
ok $? "a log is made"
start_display
inside plain.pith command_checks.tcl
inside plain.pith palette_checks.tcl
finish
