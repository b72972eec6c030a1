#!/usr/bin/env bash
# Many windows, one after the other and at once: nothing stays behind.
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
"$make_log" plain plain.pith && "$make_log" rich rich.pith && pith convert plain.pith later.pith --from 250ms
ok $? "logs are made"
start_display
inside plain.pith leak_checks.tcl
finish
