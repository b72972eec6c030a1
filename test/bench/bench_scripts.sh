#!/usr/bin/env bash
# Logs in scripts: records into numpy columns and a pandas frame, rows into an SQLite database, states recorded from Python.
# Processor time, since other programs may disturb the measurement.
. "$(dirname "$0")/../lib.sh"
. "$top/test/bench/bench.sh"
[ -f "$build/lib/pith/python/pith/_read.abi3.so" ] || { echo "the Python package was not built"; exit 0; }
export PYTHONPATH=$build/lib/pith/python:$PYTHONPATH PITH_QUIET=1
python=/usr/bin/python3
records=10000000

# measure CODE: the number that the code, indented by four blanks, gives as `result`, of the best of three runs
measure() {
    printf 'import sys, time\nbest = None\nfor _ in range(3):\n    begin = time.process_time()\n%s\n    took = time.process_time() - begin\n    best = took if best is None else min(best, took)\nprint(%s)\n' "$1" "$2" >code.py
    $python code.py
}

# user_s COMMAND...: its processor time
user_s() { (TIMEFORMAT=%3U; { time "$@" >out 2>err; } 2>&1); }

"$build/test/bench/make_big_log" one.pith 1 1 $records
"$build/test/bench/make_big_log" lanes.pith 64 64 $((records / 64))
for log in one lanes; do
    what=$([ $log = one ] && echo "1 lane" || echo "64 lanes")
    n=$(pith info $log.pith | sed -n 's/^records: //p')
    floor=$(calc "$n / 1e6 / $(user_s pith stat --csv $log.pith)")
    row "scripts: states of $what into numpy" \
        "$(measure "    import pith; t = pith.open('$log.pith').states()" "$n / 1e6 / best")" Mrecords/s "$floor"
    row "scripts: into a pandas frame, $what" \
        "$(measure "    import pith; t = pith.open('$log.pith').states().frame()" "$n / 1e6 / best")" Mrecords/s "$floor" ">= 20"
done
# The peer reads the same records by its own loop, which is what it offers; of a tenth of them.
"$build/test/bench/make_big_log" small.pith 1 1 $((records / 10))
if pith convert small.pith small.otf2 2>err && $python -c 'import otf2' 2>/dev/null; then
    name=$(ls small.otf2/*.otf2)
    peer "scripts: states of 1 lane into numpy" "otf2 for Python, its loop over events" \
        "$(measure "    import otf2
    with otf2.reader.open('$name') as trace:
        t = [(l, e.time) for l, e in trace.events]" "$((records / 10)) / 1e6 / best")"
else
    peer "scripts: states of 1 lane into numpy" "otf2 for Python" ""
fi
# SQLite alone: as many rows of as many numbers, with the same index, by its own shell and its table-valued function.
cat >floor.sql <<'S'
PRAGMA page_size = 65536; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; BEGIN;
CREATE TABLE t(id INTEGER PRIMARY KEY, lane INTEGER, state INTEGER, start_ns INTEGER, end_ns INTEGER, self_ns INTEGER,
    depth INTEGER, parent INTEGER);
CREATE INDEX by_time ON t(start_ns);
INSERT INTO t SELECT value, 1, value % 20, value * 1000, value * 1000 + 500, 300, 2, value FROM generate_series(1, 5000000);
COMMIT;
S
floor=
command -v sqlite3 >/dev/null && floor=$(calc "5 / $(user_s sqlite3 floor.db ".read floor.sql")")
rm -f one.sqlite
took=$(user_s pith convert one.pith one.sqlite)
rows=$(pith sql one.sqlite 'SELECT (SELECT count(*) FROM intervals) + (SELECT count(*) FROM events) + (SELECT count(*) FROM messages)' --csv | tail -n 1)
row "scripts: rows into an SQLite database" "$(calc "$rows / 1e6 / $took")" Mrows/s "$floor" ">= 2"
peer "scripts: rows into an SQLite database" "SQLite for Python, executemany" "$(measure "    import sqlite3
    db = sqlite3.connect('peer.db', isolation_level=None)
    db.executescript('pragma journal_mode=off; pragma synchronous=off; drop table if exists t; begin; create table t(id integer primary key, a, b, c, d, e, f, g)')
    db.executemany('insert into t values(?,?,?,?,?,?,?,?)', ((i, 1, i % 20, i * 1000, i * 1000 + 500, 300, 2, i) for i in range(1000000)))
    db.execute('commit')" "1 / best")"
row "scripts: one state recorded from Python" \
    "$(PITH_LOG=states.pith measure "    import pith
    s = pith.state('x')
    for _ in range(1000000):
        with s: pass" "best * 1000")" ns \
    "$(measure "    class S:
        def __enter__(self): return self
        def __exit__(self, *a): return False
    s = S()
    for _ in range(1000000):
        with s: pass" "best * 1000")" "<= 300"
