#!/usr/bin/env bash
# SQL in the window, against pith sql (sql_checks.tcl).
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
# shellcheck disable=SC2086
${CC:-cc} ${SAN:-} -O1 -I"$top/formats" -I"$top/formats/reader" "$top/test/viewer/make_tour_log.c" "$build/lib/libpithlog.a" -lz -lm -lpthread -o make_tour_log
./make_tour_log before before.pith
if ! pith sql before.pith 'SELECT 1' >/dev/null 2>&1; then
    skip "SQL" "no libsqlite3"
    finish
fi
start_display
inside before.pith sql_checks.tcl
finish
