#!/usr/bin/env bash
# pith diff: tables that agree with pith stat of both logs; record by record; exit status as of diff(1).
. "$(dirname "$0")/../lib.sh"
make_log=$build/test/cli/make_cli_log
make="python3 $top/test/cli/cut_check.py make"
$make 1 >a.txt && $make 2 >b.txt && sed -i 's/state3/other/' b.txt && sed -i '/^[^#]*\t3\t1\t/d; /rank=3\tthread=1/d' b.txt
pith convert a.txt a.pith && pith convert b.txt b.pith && "$make_log" small small.pith && "$make_log" empty empty.pith
ok $? "logs made"

# ---- tables
for by in state rank lane; do
    pith diff a.pith b.pith --by $by --csv >$by.csv && pith diff a.pith b.pith --by $by --json >$by.json
    ok $? "--by $by"
done
for log in a b; do pith stat $log.pith --csv >$log.state.csv && pith stat $log.pith --by lane --csv >$log.lane.csv; done
is "$(python3 - <<'P'
import csv, json
def rows(name): return list(csv.DictReader(open(name, newline="")))
def number(text): return float(text) if text else 0.0
def near(x, y): return abs(x - y) < 1.5e-9
stat = {s: {r["name"]: r for r in rows(s + ".state.csv") if r["kind"] == "state"} for s in "ab"}
lanes = {s: {(int(r["rank"]), int(r["thread"])): r for r in rows(s + ".lane.csv")} for s in "ab"}
bad = []
def need(what, truth): bad.extend([] if truth else [what])
table = rows("state.csv")
run, whole, states = table[0], table[1], [r for r in table[2:] if r["kind"] == "state"]
computing, = (r for r in table if r["kind"] == "computing")
need("heads", run["kind"] == "run" and whole["kind"] == "all" and len(table) == 3 + len(states))
for s in "ab": # both to the nanosecond of each lane whose states are left open
    want, = (r for r in rows(s + ".state.csv") if r["kind"] == "computing")
    need("computing", abs(number(computing["total_%s_s" % s]) - number(want["total_s"])) < 9e-9)
    need("computing alone", abs(number(computing["self_%s_s" % s]) - number(want["self_s"])) < 9e-9)
need("states", {r["name"] for r in states} == set(stat["a"]) | set(stat["b"]))
for r in states:
    for s in "ab":
        want = stat[s].get(r["name"])
        if not want: need("absent", r["count_" + s] == r["self_%s_s" % s] == ""); continue
        need("count", r["count_" + s] == want["count"])
        need("total", near(number(r["total_%s_s" % s]), number(want["total_s"])))
        need("self", near(number(r["self_%s_s" % s]), number(want["self_s"])))
for r in states + [whole, computing]:
    a, b = number(r["self_a_s"]), number(r["self_b_s"])
    need("diff", near(number(r["diff_s"]), b - a))
    need("ratio", (r["ratio"] == "") == (a == 0) and (a == 0 or abs(number(r["ratio"]) - b / a) < 1e-5))
need("order", [abs(number(r["diff_s"])) for r in table[2:]] == sorted((abs(number(r["diff_s"])) for r in table[2:]), reverse=True))
for s in "ab":
    need("all", near(number(whole["self_%s_s" % s]) , sum(number(r["self_%s_s" % s]) for r in states)))
    first = min(number(r["first_s"]) for r in lanes[s].values() if r["first_s"])
    last = max(number(r["last_s"]) for r in lanes[s].values() if r["last_s"])
    need("run", near(number(run["total_%s_s" % s]), last - first))
for r in rows("lane.csv")[3:]:
    for s in "ab":
        want = lanes[s].get((int(r["rank"]), int(r["thread"])))
        need("lane %s.%s %s" % (r["rank"], r["thread"], s), near(number(r["self_%s_s" % s]), number(want["in_states_s"]) if want else 0))
        need("lane span", near(number(r["total_%s_s" % s]), number(want["last_s"]) - number(want["first_s"]) if want else 0))
need("lanes", len(rows("lane.csv")) == 3 + 8 and len(rows("rank.csv")) == 3 + 4)
for r in rows("rank.csv")[3:]:
    parts = [x for x in rows("lane.csv") if x["rank"] == r["rank"]]
    for s in "ab": need("rank", near(number(r["self_%s_s" % s]), sum(number(p["self_%s_s" % s]) for p in parts)))
    need("most", r["most"] in stat["a"] or r["most"] in stat["b"] or r["most"] == "computing")
for by in ("state", "rank", "lane"):
    objects = json.load(open(by + ".json"))
    need("json", [[k for k in o] for o in objects] == [[k for k in r] for r in rows(by + ".csv")])
    need("json values", all((o[k] is None and r[k] == "") or str(o[k]) == r[k] or float(o[k]) == float(r[k])
        for o, r in zip(objects, rows(by + ".csv")) for k in r))
print(bad or "good")
P
)" good "the numbers are those of pith stat, and add up"
is "$(pith diff small.pith small.pith)" "name          count_a  count_b   total_a   total_b    self_a    self_b  diff  ratio
(run time)                       1.999 s   1.999 s                      0 ns  1.000
(all states)        6        6                       2.009 s   2.009 s  0 ns  1.000
computing                        2.010 s   2.010 s  1.500 ms  1.500 ms  0 ns  1.000
io                  2        2   1.994 s   1.994 s   1.994 s   1.994 s  0 ns  1.000
solve               3        3  15.00 ms  15.00 ms  13.00 ms  13.00 ms  0 ns  1.000
work                1        1  2.000 ms  2.000 ms  2.000 ms  2.000 ms  0 ns  1.000
mark                2        2                                                1.000" "a log and itself"
is "$(pith diff small.pith empty.pith --csv | grep -c .)" 8 "a log without records"
printf '# state\tname=%s\tcolour=\tgroup=%s\n' loop OpenMP omp:barrier 'OpenMP waiting' MPI_Barrier 'MPI collective' >threads.txt
printf '%s\t0\t0\t%s\t%s\n' 0 enter loop 0.010 enter omp:barrier 0.014 leave omp:barrier 0.015 leave loop 0.016 enter MPI_Barrier 0.018 leave MPI_Barrier >>threads.txt
is "$(pith diff threads.txt threads.txt | grep '^computing' | tr -s ' ')|$(pith stat threads.txt --csv | grep '^computing,' | cut -d, -f 5,6)" \
    "computing 12.00 ms 12.00 ms 1.000 ms 1.000 ms 0 ns 1.000|0.012000000,0.001000000" "waiting in OpenMP is not computing, as in pith stat"
sed 's/^1\.9.*mark/2.5\t1\t0\tevent\tmark/' <(pith print small.pith) >longer.txt
is "$(pith diff small.pith longer.txt --by rank | sed -n '2p;5p')" "(run time)                       1.999 s   2.499 s                      +500.0 ms  1.250
rank 1              3        3   1.999 s   2.499 s   1.998 s   2.498 s  +500.0 ms  1.250  io    +500.0 ms" "a longer run: where"

# ---- records
same() { pith diff --records "$@" >out 2>err; is "$? $(cat out err)" "0 " "the same: $*"; }
same a.pith a.pith
same a.pith a.txt
pith convert a.pith copy.pith && same a.pith copy.pith
same empty.pith empty.pith
differs() { # WANTED WHAT ARGUMENTS
    local wanted=$1 what=$2; shift 2
    pith diff --records "$@" >out 2>err
    is "$? $(cat out err)" "1 $wanted" "$what"
}
pith print small.pith >small.txt
sed 's/tag=5	bytes=7	posted/tag=6	bytes=7	posted/' small.txt >other.txt
differs "rank 1 thread 0 record 3:
< 0.003000000	1	0	recv	halo	comm=1	peer=0	tag=5	bytes=7	posted=0
> 0.003000000	1	0	recv	halo	comm=1	peer=0	tag=6	bytes=7	posted=0" "another tag" small.pith other.txt
sed 's/n=42/n=43/; /0.009000000	1	0	enter/d' small.txt >other.txt
differs "rank 0 thread 1 record 2:
< 0.003000000	0	1	event	mark	payload=n=42 s=ok
> 0.003000000	0	1	event	mark	payload=n=43 s=ok
rank 1 thread 0 record 8:
< 0.009000000	1	0	enter	io
> 1.999999999	1	0	event	mark" "another payload, one record less" small.pith other.txt
grep -v '^1.999' small.txt >other.txt
differs "rank 1 thread 0 record 9:
< 1.999999999	1	0	event	mark
> (end of the thread)" "one less at the end" small.pith other.txt
pith cut small.pith -o part.pith --lane 0.0,1
differs "rank 0 thread 1: only in the second, 6 records" "a thread more" part.pith small.pith
sed 's/^0.00[0-9]*/&1/' small.txt | sed 's/^\(0.00\)\([0-9]*\)1\t/\1\2\t/; s/^0.002000001/0.002000003/' >other.txt
differs "rank 0 thread 1 record 1:
< 0.002000001	0	1	enter	io
> 0.002000003	0	1	enter	io" "another time" small.pith other.txt
differs "rank 0 thread 1 record 1:
< 0.002000001	0	1	enter	io
> 0.002000003	0	1	enter	io" "a time too far off" small.pith other.txt --within 1ns
same small.pith other.txt --within 2ns
# The same states under other numbers, and communicators likewise.
{ printf '# state\tname=first\n'; cat small.txt; } >other.txt
same small.pith other.txt
for ((i = 0; i < 20; i++)); do printf '# state\tname=s\n0.5\t%d\t0\tenter\ts\n' $i; done >many.txt
sed 's/0\.5/0.6/' many.txt >later.txt
pith diff --records many.txt later.txt >out
is "$? $(grep -c ^rank out) $(tail -n 1 out)" "1 10 and 10 more threads" "no more than ten are shown"

# ---- trouble
fails() { # MESSAGE WHAT ARGUMENTS
    local message=$1 what=$2; shift 2
    pith diff "$@" 2>err >/dev/null
    is "$? $(cat err)" "2 $message" "$what"
}
fails "pith: diff: B is missing; see \`pith help diff\`" "one log" a.pith
fails "pith: none.pith: cannot be opened: No such file or directory" "a log that is not there" a.pith none.pith
fails "pith: diff: --by needs state, rank or lane, not 'x'; see \`pith help diff\`" "by what?" a.pith b.pith --by x
fails "pith: diff: --within needs --records; see \`pith help diff\`" "--within alone" a.pith b.pith --within 3ms
fails "pith: diff: --records cannot be used with --by, --csv or --json; see \`pith help diff\`" "--records --csv" a.pith b.pith --records --csv
pith diff a.pith b.pith >/dev/full 2>err
is "$? $(cat err)" "2 pith: standard output: No space left on device" "a full device"
# The I/O inside a call of MPI belongs to the call, as in pith stat.
tr '|' '\t' >io.txt <<'T'
0.000000000|0|0|enter|solve
0.000010000|0|0|enter|MPI_File_write
0.000011000|0|0|enter|io:write
0.000018000|0|0|leave|io:write
0.000020000|0|0|leave|MPI_File_write
0.000021000|0|0|enter|io:read
0.000026000|0|0|leave|io:read
0.000030000|0|0|leave|solve
T
is "$(pith diff io.txt io.txt --csv | awk -F, '$1 == "computing" { print $6, $7 }')" "$(pith stat io.txt --csv | awk -F, '$2 == "computing" { print $5, $5 }')" \
    "computing is outside MPI"
finish
