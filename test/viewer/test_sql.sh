#!/usr/bin/env bash
# SQL in the window, against pith sql (sql_checks.tcl).
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
make_tour_log=$build/test/viewer/make_tour_log
"$make_tour_log" before before.pith
if ! pith sql before.pith 'SELECT 1' >/dev/null 2>&1; then
    skip "SQL" "no libsqlite3"
    finish
fi
start_display
inside before.pith sql_checks.tcl

# A damaged log: the rows that are left, and what is damaged.
python3 - <<'END'
data = bytearray(open("before.pith", "rb").read())
for i in range(len(data) // 2, len(data) // 2 + 40):
    data[i] ^= 0x5a
open("damaged.pith", "wb").write(data)
END
# shellcheck disable=SC2016
out=$(pith view damaged.pith -e 'puts [llength [sql {SELECT DISTINCT rank FROM calls}]]; set page [winfo toplevel [canvas]].sql.body
    puts [set [$page.progress.said cget -textvariable]]; quit' 2>&1 | tr '\n' ' ')
like "$out" '^16.*damaged.*all other records are in the tables $' "a damaged log: the rows of the rest, and it is said"
finish
