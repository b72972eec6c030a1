#!/usr/bin/env bash
# pith stat: numbers that can be worked out by hand from make_cli_log.c, in every style.
. "$(dirname "$0")/../lib.sh"
make_log=$build/test/cli/make_cli_log
"$make_log" small small.pith && "$make_log" names names.pith && "$make_log" empty empty.pith && "$make_log" big 200000 big.pith
ok $? "logs made"

# Records are lost twice. b ends in the first hole, at the second one c is open.
lines() { printf '0.0%02d\t0\t0\t%s\t%s\n' "$@"; }
{
    lines 0 enter a 10 enter b
    printf '0.020\t0\t0\tlost\t\tcount=2\n'
    lines 40 leave a 50 enter c
    printf '0.060\t0\t0\tlost\t\tcount=1\n'
    lines 70 enter d 80 leave d 90 leave c 95 event mark
} >lost.txt
pith convert lost.txt lost.pith
sums="a 1 0.020000000 0.010000000
b 1 0.010000000 0.010000000
c 1 0.030000000 0.020000000
computing 0.015000000
d 1 0.010000000 0.010000000"
is "$(pith stat lost.pith --csv | awk -F, '$2 == "state" { print $1, $4, $5, $6 } $2 == "computing" { print $1, $6 }' | sort)" "$sums" "lost records"
is "$(pith diff lost.pith lost.pith --csv | awk -F, '$1 == "state" { print $2, $4, $6, $8 } $1 == "computing" { printf "%s %.8f0\n", $2, $8 }' | sort)" "$sums" \
    "the same in pith diff"

# io is left open on rank 1 from 9 ms to the end at 1999.999999 ms, after lost records at 8.5 ms; solve is once inside itself.
is "$(pith stat small.pith)" "name       count     total      self      mean       min       p50       p95       p99       max
io             2   1.994 s   1.994 s  997.0 ms  3.000 ms  3.000 ms   1.991 s   1.991 s   1.991 s
solve          3  15.00 ms  13.00 ms  5.333 ms  1.000 ms  7.012 ms  8.000 ms  8.000 ms  8.000 ms
work           1  2.000 ms  2.000 ms  2.000 ms  2.000 ms  2.000 ms  2.000 ms  2.000 ms  2.000 ms
computing      4   2.010 s  1.500 ms  502.6 ms  3.000 ms  7.537 ms   1.991 s   1.991 s   1.991 s
mark           2
heap           1" "by state"
is "$(pith stat --csv small.pith | cut -d, -f1-8)" "name,kind,group,count,total_s,self_s,mean_s,min_s
io,state,I/O,2,1.993999999,1.993999999,0.997000000,0.003000000
solve,state,user,3,0.015000000,0.013000000,0.005333333,0.001000000
work,state,user,1,0.002000000,0.002000000,0.002000000,0.002000000
computing,computing,,4,2.010499999,0.001500000,0.502625000,0.003000000
mark,event,user,2,,,,
heap,counter,user,1,,,," "by state, csv"
is "$(pith stat --by lane --csv small.pith)" "rank,thread,name,host,records,states,in_states_s,in_mpi_s,omp_wait_s,computing_s,events,sends,sent_bytes,recvs,recv_bytes,colls,lost,first_s,last_s
0,0,main,alpha,9,2,0.008000000,0.000000000,0.000000000,0.009000000,0,2,1007,0,0,1,0,0.000500000,0.009500000
0,1,writer,alpha,6,1,0.003000000,0.000000000,0.000000000,0.003000000,1,0,0,0,0,0,0,0.002000001,0.005000001
1,0,,beta,9,3,1.997999999,0.000000000,0.000000000,1.998499999,1,0,0,2,1007,0,3,0.001000000,1.999999999" "by lane"
is "$(pith stat --by comm small.pith)" "from  to  messages   bytes  latency_mean  latency_min  latency_max
   0   1         2  1007 B      1.500 ms     1.000 ms     2.000 ms" "by pair of ranks"
is "$(pith stat --by size --csv small.pith | cut -d, -f1-6,10,11)" "from_bytes,to_bytes,messages,bytes,latency_mean_s,latency_min_s,latency_max_s,bytes_per_s
4,7,1,7,0.001000000,0.001000000,0.001000000,7000
512,1023,1,1000,0.002000000,0.002000000,0.002000000,500000" "by size of message"
is "$(pith stat --by comm empty.pith --csv)" "from,to,messages,bytes,latency_mean_s,latency_min_s,latency_max_s" "a log without messages"
is "$(pith stat empty.pith)" "name  count  total  self  mean  min  p50  p95  p99  max" "a log without states"
is "$(pith stat --json empty.pith)" "[
]" "a log without states, json"
like "$(pith stat --by comm big.pith 2>&1 >/dev/null)" '^pith: note: 8334 sends and 0 receives have no partner in this log$' "messages without a partner are said"

for by in state state,lane lane comm size; do
    pith stat --by $by --json small.pith >$by.json
    pith stat --by $by --csv small.pith >$by.csv
    is "$(python3 - $by <<'P'
import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[1] + ".csv", newline="")))
objects = json.load(open(sys.argv[1] + ".json"))
same = [list(r) == list(o) and all((o[k] is None and r[k] == "") or str(o[k]) == r[k] or float(o[k]) == float(r[k]) for k in r)
        for r, o in zip(rows, objects)]
print(len(rows) == len(objects) > 0, all(same))
P
)" "True True" "by $by: csv and json say the same"
done
is "$(pith stat --csv names.pith | python3 -c 'import csv, sys; print(sorted(r["name"] for r in csv.DictReader(sys.stdin))[0])')" " blanks " "names in csv"
is "$(pith stat names.pith | LC_ALL=C tr -d '\n -~' | sed 's/\xc3\xa9//g' | wc -c)" 0 "no control character passes"

# A window and lanes: as of a log that has nothing else.
python3 "$top/test/cli/cut_check.py" make 1 >made.txt && pith convert made.txt made.pith
for options in "--from 300us --to 600us" "--to 200us" "--from 900us" "--lane 0,2.1" "--from 444444ns --to 444444ns" "--from 250us --to 750us --lane 3,1.0"; do
    pith cut made.pith -o part.pith $options
    # what a lane computed before its first record in the window is not in the part
    is "$(pith stat made.pith $options --csv --state '[!c]*')" "$(pith stat part.pith --csv --state '[!c]*')" "by state: $options"
    columns=1-3,6,7,11,16,17
    is "$(pith stat made.pith $options --by lane --csv | cut -d, -f$columns)" "$(pith stat part.pith --by lane --csv | cut -d, -f$columns)" "by lane: $options"
done
is "$(pith stat made.pith --by lane --csv --from 300us --to 600us --lane 2.1 | cut -d, -f5,18,19)" \
    "$(pith print made.pith --from 300us --to 600us --lane 2.1 | awk -F'\t' '!/^#/ { if (!n++) first = $1; last = $1 } END { print "records,first_s,last_s\n" n "," first "," last }')" "by lane: records, first and last of a window"
for options in "--from 300us --to 600us" "--lane 1" "--from 300us --to 320us --lane 0.1,3"; do
    pith stat made.pith --by comm --csv $options >comm.csv
    pith stat made.pith --by size --csv $options >size.csv
    is "$(python3 - $options <<'P'
import csv, sys
o = dict(zip(sys.argv[1::2], sys.argv[2::2]))
first, last = (int(o.get(k, d)[:-2]) / 1e6 for k, d in (("--from", "0us"), ("--to", "9999999us")))
lanes = o.get("--lane", "0,1,2,3").split(",")
ends = {}
for line in open("made.txt"):
    f = line.rstrip("\n").split("\t")
    if not line.startswith("#") and f[3] in ("send", "recv"):
        number = int(next(x for x in f if x.startswith("bytes="))[6:])
        ends.setdefault(number, {})[f[3]] = (float(f[0]), f[1], f[1] + "." + f[2])
count, total, pairs = 0, 0, {}
for number, e in ends.items():
    (s, source, sl), (r, target, rl) = e["send"], e["recv"]
    if s <= last and r >= first and any(x in lanes for x in (source, target, sl, rl)):
        count, total = count + 1, total + number
        pairs[source, target] = pairs.get((source, target), 0) + 1
rows = list(csv.DictReader(open("comm.csv")))
sizes = list(csv.DictReader(open("size.csv")))
print({(r["from"], r["to"]): int(r["messages"]) for r in rows} == pairs, sum(int(r["bytes"]) for r in rows) == total,
      sum(int(r["messages"]) for r in sizes) == count > 0)
P
)" "True True True" "messages: $options"
done
is "$(pith stat small.pith --from 5 --to 6 --csv | wc -l) $(pith stat small.pith --from 5 --to 6 --by comm --csv | wc -l)" "1 1" "a window beside the log"
pith stat small.pith --lane 7 2>err
is "$? $(cat err)" "1 pith: small.pith: no lane matches --lane; \`pith info\` shows how many lanes the log has" "a lane that is not there"

# The histogram against exact percentiles, on 100000 states of many lengths.
pith print --csv big.pith >big.csv
pith stat --json big.pith >big.json
is "$(python3 - <<'P'
import csv, json, math
from decimal import Decimal
open_, lengths = {}, {}
for r in csv.DictReader(open("big.csv")):
    t = int(Decimal(r["time_s"]) * 10**9)
    if r["kind"] == "enter": open_[r["rank"], r["name"]] = t
    if r["kind"] == "leave": lengths.setdefault(r["name"], []).append(t - open_.pop((r["rank"], r["name"])))
bad, worst = 0, 0
for o in json.load(open("big.json")):
    if o["kind"] == "computing": continue
    exact = sorted(lengths[o["name"]])
    bad += o["count"] != len(exact) or round(o["total_s"] * 1e9) != sum(exact) or round(o["max_s"] * 1e9) != exact[-1]
    for p in (50, 95, 99):
        want = exact[math.ceil(p / 100 * len(exact)) - 1]
        worst = max(worst, abs(o["p%d_s" % p] * 1e9 - want) / want)
print(len(lengths), bad, worst < 0.017)
P
)" "20 0 True" "counts, sums exact; percentiles within 1.6 %"

# A damaged block: all others are counted, and what is not is said.
cp big.pith hurt.pith
printf 'damage damage damage' | dd of=hurt.pith bs=1 seek=$(($(stat -c %s hurt.pith) / 2)) conv=notrunc status=none
pith stat hurt.pith --csv >hurt.out 2>hurt.err
like "$?:$(cat hurt.err)" '^1:pith: hurt.pith: byte [0-9]+: .*damaged.*; all other records are counted$' "a damaged log: said, with status 1"
counts() { pith stat "$1" --csv 2>>counts.err | awk -F, '$2 == "state" { sum += $4 } END { print sum }'; }
ok $(($(counts hurt.pith) < $(counts big.pith) / 2)) "most states are counted ($(counts hurt.pith) of $(counts big.pith))"
ok $(($(counts hurt.pith) >= $(counts big.pith))) "but not those of the damaged block"

# The time of the damaged block, of 16384 records, counts as nothing: neither as computing nor as MPI.
pith stat hurt.pith --by lane --csv >lanes.csv 2>stat.err
is "$(python3 - <<'P'
import csv
from decimal import Decimal
records, holes = {}, []
for r in csv.DictReader(open("big.csv")): records.setdefault(r["rank"], []).append((Decimal(r["time_s"]), r["kind"]))
for r in csv.DictReader(open("lanes.csv")):
    of = records[r["rank"]]
    counted = Decimal(r["in_mpi_s"]) + Decimal(r["computing_s"])
    missing = of[-1][0] - of[0][0] - counted
    before, after = [t for t, kind in of[:16384] if kind != "send"][-1], [t for t, kind in of[32768:] if kind != "send"][0]
    first = [t for t, kind in of[16384:] if kind != "send"][0] - of[0][0]
    holes.append("none" if missing == 0 else "whole" if missing in (after - before, first) else str(missing))
print(*sorted(holes))
P
)" "none none none whole" "the hole counts as nothing"
head -c -8 hurt.pith >cut.pith # its summary is made anew
for log in hurt cut; do
    is "$(pith diff big.pith $log.pith --csv 2>>diff.err | awk -F, '$1 == "computing" { print $7, $9 }')" \
        "$(pith stat $log.pith --csv 2>>stat.err | awk -F, '$2 == "computing" { print $5, $6 }')" "pith diff: the same, of $log.pith"
done
for by in state rank lane; do
    pith diff big.pith hurt.pith --by $by >hurt.out 2>hurt.err
    like "$?:$(cat hurt.err):$(grep -c 'run time' hurt.out)" \
        '^2:pith: hurt.pith: byte [0-9]+: .*damaged.*; all other records are counted:1$' "pith diff --by $by: damage is said, with status 2"
done

# solve is open all the time, MPI_Io 1 us in 2 us, and work is entered or left in the hole.
(pith print small.pith | grep '^#' | sed 's/name=io/name=MPI_Io/'; awk 'BEGIN {
    printf "1.0\t0\t0\tenter\tsolve\n"
    for (i = 0; i < 30000; i++) {
        if (i % 10000 == 5000) printf "%.6f\t0\t0\tenter\twork\n", 1 + i / 5e5 + 1e-6
        printf "%.6f\t0\t0\tenter\tMPI_Io\n%.6f\t0\t0\tleave\tMPI_Io\n", 1 + i / 5e5 + 1e-6, 1 + i / 5e5 + 2e-6
        if (i % 10000 == 9999) printf "%.6f\t0\t0\tleave\twork\n", 1 + i / 5e5 + 2e-6
    }
    printf "1.060001\t0\t0\tleave\tsolve\n" }') >deep.txt
pith convert deep.txt deep.pith
for part in 10 30 50; do
    cp deep.pith hurt.pith
    printf 'damage' | dd of=hurt.pith bs=1 seek=$(($(stat -c %s hurt.pith) * part / 100)) conv=notrunc status=none
    like "$(pith stat hurt.pith --csv 2>>deep.err | awk -F, '$1 == "computing" { print $6 "," $11 }')" '^0.000000000,0.00000100[01]$' "damaged at $part %: solve is around the hole"
    is "$(pith stat hurt.pith --by lane --csv 2>>deep.err | awk -F, 'NR == 2 { printf "%.5f %.5f %d", $8 - $10, $7 - $8 - $10, $6 < 25000 }' |
        tr -d -)" "0.00000 0.00000 1" "and both halves are counted"
done

# Messages take 1 us. With missing ends, later ones would be matched with others, and seem to take longer.
(pith print small.pith | grep '^#'; awk 'BEGIN { for (i = 0; i < 60000; i++) {
    end = "MPI_COMM_WORLD\tcomm=0\tpeer=%d\ttag=5\tbytes=8"
    printf "%.6f\t0\t0\tsend\t" end "\n", 1 + i / 1e5, 1
    printf "%.6f\t1\t0\trecv\t" end "\tposted=%d\n", 1 + i / 1e5 + 1e-6, 0, i } }') >pairs.txt
pith convert pairs.txt pairs.pith && cp pairs.pith hurt.pith
printf 'damage damage damage' | dd of=hurt.pith bs=1 seek=$(($(stat -c %s hurt.pith) / 2)) conv=notrunc status=none
is "$(pith stat pairs.pith --by comm --csv | cut -d, -f3,5-7)" "messages,latency_mean_s,latency_min_s,latency_max_s
60000,0.000001000,0.000001000,0.000001000" "messages of 1 us"
pith stat hurt.pith --by comm --csv >hurt.out 2>hurt.err
like "$?:$(cut -d, -f3,5-7 hurt.out | tail -n 1)" '^1:[1-5][0-9]{4},0.000001000,0.000001000,0.000001000$' "also after a damaged block"
like "$(tail -n 1 hurt.err)" '^pith: hurt.pith: byte [0-9]+: .*; all other records are counted$' "which is said"
like "$(head -n 1 hurt.err)" '^pith: note: [0-9]+ sends and [0-9]+ receives have no partner in this log$' "with the other ends"
finish
