#!/usr/bin/env bash
# A log that is recorded again while a window shows it.
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
"$make_log" crowd crowd.pith && "$make_log" plain other.pith &&
    pith cut crowd.pith --to 0.1 -o first.pith && pith cut crowd.pith --to 0.2 -o second.pith && cp first.pith run.pith
ok $? "logs are made"
start_display
inside run.pith reload_checks.tcl
is "$(grep -v '^ok\|^#' checks.out)" "" "nothing else is said"
finish
