#!/usr/bin/env bash
# SQLite databases: every table against the Python package, in native, OTF2 and CLOG-2 logs; `pith sql`.
. "$(dirname "$0")/../lib.sh"
export PYTHONPATH=$build/lib/pith/python:$top/test/python:$PYTHONPATH
[ -f "$build/lib/pith/python/pith/_read.abi3.so" ] || { echo "1..0 # SKIP the Python package was not built"; exit; }
first=$(mpis | head -n 1)
mpiexec_of "$first" 4 pith run -o heat2d.pith "$build/samples/$first/heat2d" >/dev/null 2>err || cat err
pith convert heat2d.pith heat.otf2 2>/dev/null
pith convert heat2d.pith heat.clog2 2>/dev/null
"$build/test/cli/make_cli_log" small small.pith
"$build/test/bench/make_big_log" nested.pith 2 4 1500
"$build/test/cli/make_cli_log" names names.pith
/usr/bin/python3 "$top/test/python/sql_check.py" heat2d.pith heat.otf2 heat.clog2 small.pith nested.pith names.pith >out 2>&1
status=$?
grep -E '^(ok|not ok|#)' out >lines
checks_of lines
is "$status" 0 "all compared" || tail -n 5 out

# ---- pith sql
is "$(pith sql small.pith 'SELECT name FROM states ORDER BY name' --csv | tr '\n' ' ')" "name io solve work " "--csv"
is "$(pith sql small.pith 'SELECT rank, NULL AS none, 1.5 AS half FROM lanes LIMIT 1' --json | tr -d '\n')" '[{"rank":0,"none":null,"half":1.5}]' "--json"
is "$(pith sql small.pith 'SELECT 1 AS a, 2 AS b; SELECT 3 AS c')" "$(printf 'a  b\n1  2\nc\n3')" "two statements, as tables"
is "$(pith sql small.pith 'BEGIN; SELECT 1 AS a; COMMIT'; echo $?)" "$(printf 'a\n1\n0')" "statements without columns print nothing"
is "$(pith sql small.pith 'BEGIN; SELECT 1e999 AS a, -1e999 AS b; COMMIT' --json | tr -d '\n')" '[{"a":null,"b":null}]' "JSON has no infinity"
is "$(ls "$XDG_CACHE_HOME/pith"/*.sql3 2>/dev/null | wc -l)" 1 "the database is kept in the cache"
is "$(pith sql small.pith "SELECT x'00ff' AS b, 1 AS n" | tail -n 1) $(pith sql small.pith "SELECT x'00ff' AS b" --csv | tail -n 1) $(pith sql small.pith "SELECT x'00ff' AS b" --json | sed -n 2p)" \
    "X'00FF'  1 X'00FF' {\"b\":\"X'00FF'\"}" "blobs"
is "$(pith sql small.pith 'WITH v(x) AS (VALUES (1), (10), (2), (NULL), ("w")) SELECT median(x), percentile(x, 0), percentile(x, 25), percentile(x, 100), median(1) FROM v' --csv | tail -n 1)" \
    "2.0,1.0,1.5,10.0,1.0" "median and percentile"
is "$(pith sql small.pith 'SELECT median(x) AS m FROM (SELECT 1 AS x) WHERE 0' --json | sed -n 2p)" '{"m":null}' "the median of nothing"
pith sql small.pith 'SELECT percentile(lane, 101) FROM lanes' >out 2>err
is "$? $(cat out err)" "1 pith: sql: percentile(X, P): P is a number from 0 to 100" "a percentile above 100"
is "$(pith sql small.pith "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 1200) SELECT x, printf('%.*c', x / 100, 'w') AS w, 'z' AS z FROM c" | sed -n '2p; 1000,1001p; $p')" \
    "1     w           z
999   wwwwwwwww   z
1000  wwwwwwwwww  z
1200  wwwwwwwwwwww  z" "columns are as wide as the first 1000 rows need"
python3 -c 'import resource, subprocess
p = subprocess.Popen(["pith", "sql", "small.pith", "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 2000000) SELECT x FROM c"], stdout=subprocess.DEVNULL)
p.wait()
print(p.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 60000)' >out
[ -n "$(sanitizers)" ] || is "$(cat out)" "0 True" "two million rows as a table, in less than 60 MB"
tr '|' '\t' >samples.txt <<'T'
# event|name=pith:sample|colour=|group=pith|format=cpu=%l
# event|name=pith:code|colour=|group=pith|format=begin=%X end=%X name=%s
0.001|0|0|event|pith:sample|payload=cpu=1 00000000000001100000000000000210
0.002|0|0|event|pith:sample|payload=cpu=2 00000000000001180000000000000210
0.003|0|0|event|pith:sample|payload=cpu=2 0000000000000210
0.004|0|0|event|pith:code|payload=begin=100 end=200 name=step
0.004|0|0|event|pith:code|payload=begin=200 end=300 name=main
T
is "$(pith sql samples.txt 'SELECT functions, count(*) AS n FROM samples JOIN stacks USING(stack) GROUP BY 1 ORDER BY 1' --csv | tr '\n' ' ')" "functions,n main,1 main;step,2 " "stacks of samples"
for query in 'DELETE FROM lanes' 'DROP TABLE lanes' 'CREATE TEMP TABLE t(x)' "ATTACH 'x.db' AS x" "VACUUM INTO 'y.db'" 'PRAGMA user_version = 7' 'SELECT load_extension("x")' 'selec' 'SELECT * FROM nosuch'; do
    pith sql small.pith "$query" >out 2>err
    is "$? $(wc -l <err) $(grep -c '^pith: sql: ' err)" "1 1 1" "refused in one line: $query" || cat out err
done
is "$(ls ./*.db 2>/dev/null)" "" "and no file was made"
for name in temp_store_directory data_store_directory; do
    pith sql small.pith "PRAGMA $name = '/tmp'" >out 2>err
    is "$? $(wc -l <out) $(grep -c '^pith: sql: not authorized' err)" "1 0 1" "refused: PRAGMA $name" || cat out err
done
# A database of somebody in WAL mode: nothing appears beside it. One with a log is read with the rows in it.
python3 - 'a %?#b.sqlite' left.sqlite <<'PY'
import os
import sqlite3
import sys
for name in sys.argv[1:]:
    db = sqlite3.connect(name)
    db.execute("PRAGMA journal_mode = wal")
    db.execute("CREATE TABLE t(x)")
    db.execute("INSERT INTO t VALUES (7)")
    db.commit()
    if name.startswith("left"):
        os._exit(0)  # leaves its log
    db.close()
PY
is "$(pith sql './a %?#b.sqlite' 'SELECT x FROM t' --csv | tr '\n' ' ') $(find . -name 'a %*' | wc -l)" "x 7  1" "a database in WAL mode: its rows, and no file beside it"
is "$(pith sql "$PWD/left.sqlite" 'SELECT x FROM t' --csv | tr '\n' ' ')" "x 7 " "a database with a write-ahead log: the rows in the log"
is "$(pith sql small.pith 'SELECT count(*) AS n FROM lanes' --csv)" "$(printf 'n\n3')" "nothing was changed"
for file in "$XDG_CACHE_HOME/pith"/*.sql3; do mv "$file" "${file%3}2"; done
pith sql small.pith 'SELECT 1' >/dev/null
is "$(ls "$XDG_CACHE_HOME/pith"/*.sql3 2>/dev/null | wc -l)" 1 "one that an older version kept is not used"
printf 'damaged' | dd of="$(ls "$XDG_CACHE_HOME/pith"/*.sql3)" conv=notrunc 2>/dev/null
is "$(pith sql small.pith 'SELECT count(*) AS n FROM lanes' --csv)" "$(printf 'n\n3')" "a damaged database in the cache is made anew"
is "$(XDG_CACHE_HOME=/proc/none HOME= pith sql small.pith 'SELECT count(*) AS n FROM lanes' --csv)" "$(printf 'n\n3')" "without a cache"
XDG_CACHE_HOME=/proc/none HOME= pith sql small.pith 'SELECT 1; WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c' >out 2>err &
for _ in $(seq 1200); do [ -s out ] && break; sleep 0.05; done
kill "$!"; wait "$!" 2>/dev/null
is "$(ls "$TMPDIR" | grep -c '^pith-sql')" 0 "no temporary file is left, also by a signal"
pith sql nosuch.pith 'SELECT 1' 2>err; is "$? $(grep -c 'nosuch.pith: cannot be opened' err)" "1 1" "no such log"
pith sql small.pith 2>err; is "$? $(cat err)" "2 pith: sql: QUERY is missing; see \`pith help sql\`" "no query"
# A damaged log: the rows of what pith recover takes, and what is damaged, each time.
python3 - <<'END'
import subprocess
good = open("heat2d.pith", "rb").read()
whole = subprocess.run(["pith", "print", "heat2d.pith"], capture_output=True, text=True).stdout
for place in range(len(good) // 4, len(good), 64): # the first one in a block with states
    data = bytearray(good)
    for i in range(place, min(place + 40, len(good))):
        data[i] ^= 0x5a
    open("damaged.pith", "wb").write(data)
    printed = subprocess.run(["pith", "print", "damaged.pith"], capture_output=True, text=True)
    if printed.returncode == 1 and "block" in printed.stderr and printed.stdout.count("\tenter\tMPI_") < whole.count("\tenter\tMPI_"):
        break
END
pith recover damaged.pith -o rest.pith >/dev/null
for query in 'SELECT rank, state, count(*), sum(self_ns) FROM calls GROUP BY 1, 2' 'SELECT * FROM messages' 'SELECT * FROM lanes'; do
    pith sql damaged.pith "$query" >out 2>err
    is "$? $(wc -l <err) $(grep -c '^pith: damaged.pith: byte [0-9]*: .*damaged.*; all other records are in the tables$' err)" "1 1 1" \
        "a damaged log: it is said: $query"
    is "$(cat out)" "$(pith sql rest.pith "$query")" "with the rows of all other records"
done
is "$(($(pith sql damaged.pith 'SELECT * FROM calls' 2>/dev/null | wc -l) < $(pith sql heat2d.pith 'SELECT * FROM calls' | wc -l)))" 1 "which are not all"
pith sql damaged.pith 'SELECT * FROM xyzzy' 2>err
is "$? $(wc -l <err) $(grep -c 'no such table' err)" "1 1 1" "a wrong query of a damaged log"
is "$(ls "$TMPDIR" | grep -c '^pith-sql')" 0 "and no temporary file is left"
pith convert small.pith /dev/null --format sqlite 2>err; is "$? $(cat err)" "1 pith: /dev/null: a database needs a file; give a name" "not into a device"
if mkdir full && mount -t tmpfs -o size=64k tmpfs full 2>/dev/null; then
    pith convert heat2d.pith full/a.sqlite 2>err
    is "$? $(grep -vc note err) $(ls full)" "1 1 " "a full disk: one line, no file" || cat err
    umount full
else
    skip "a full disk" "cannot mount"
fi
# The examples of the manual page.
sed -n '/^\.SH EXAMPLES/,/^\.SH EXIT/p' "$top/man/pith-sql.1" |
    awk '/^\.EX/ { on = 1; example = ""; next } /^\.EE/ { on = 0; print example } on { sub(/^ +/, " "); example = example $0 }' >examples
like "$(wc -l <examples)" '^[1-9]' "pith-sql(1) has examples"
while read -r example; do
    sh -c "$example" >out 2>err
    is "$? $(($(wc -l <out) > 0))$(cat err)" "0 1" "pith-sql(1): $example"
done <examples
finish
