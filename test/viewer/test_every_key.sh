#!/usr/bin/env bash
# Every key and every entry of a menu, of all parts, on logs with much and with nothing in them (every_key_checks.tcl):
# none may end in trouble.
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
for kind in rich empty point nasty; do
    "$make_log" $kind $kind.pith
    ok $? "a log is made: $kind"
done
start_display
for kind in rich empty point nasty; do
    inside $kind.pith every_key_checks.tcl
    is "$(grep -v '^ok\|^#' checks.out)" "" "$kind: nothing else is said"
done
finish
