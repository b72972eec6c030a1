#!/usr/bin/env bash
# pith stat: computing, state by lane, the longest instances, waits: by hand, and against brute force.
. "$(dirname "$0")/../lib.sh"
here=$top/test/cli

# us: a time in microseconds, as a log has it.
line() { printf '%.9f\t%s\t%s\t%s\n' "$(awk "BEGIN { print $1 / 1e6 }")" "$2" "$3" "$4"; } # us rank.thread kind name
at() { line "$1" "${2/./$'\t'}" "$3" "$4"; }
{
    at 0 0.0 enter MPI_Init; at 100 0.0 leave MPI_Init
    at 120 0.0 enter solve; at 150 0.0 enter MPI_Barrier; at 200 0.0 leave MPI_Barrier; at 260 0.0 leave solve
    at 300 0.0 enter MPI_Finalize; at 400 0.0 leave MPI_Finalize
    at 10 1.0 enter MPI_Init; at 110 1.0 leave MPI_Init; at 190 1.0 enter MPI_Barrier; at 200 1.0 leave MPI_Barrier
    at 320 1.0 enter MPI_Finalize; at 400 1.0 leave MPI_Finalize
    at 130 1.1 event tick; at 330 1.1 event tick
} | sort -s -g -k 1,1 >hand.txt
pith convert hand.txt hand.pith
ok $? "a log"
is "$(pith stat hand.pith --csv | cut -d, -f1,2,4-)" "name,kind,count,total_s,self_s,mean_s,min_s,p50_s,p95_s,p99_s,max_s
computing,computing,5,0.000550000,0.000460000,0.000110000,0.000050000,0.000099327,0.000200000,0.000200000,0.000200000
MPI_Init,state,2,0.000200000,0.000200000,0.000100000,0.000100000,0.000100000,0.000100000,0.000100000,0.000100000
MPI_Finalize,state,2,0.000180000,0.000180000,0.000090000,0.000080000,0.000080000,0.000100000,0.000100000,0.000100000
solve,state,1,0.000140000,0.000090000,0.000140000,0.000140000,0.000140000,0.000140000,0.000140000,0.000140000
MPI_Barrier,state,2,0.000060000,0.000060000,0.000030000,0.000010000,0.000010000,0.000050000,0.000050000,0.000050000
tick,event,2,,,,,,,,"  "computing: the intervals outside MPI; self: outside all states"
is "$(pith stat hand.pith --by lane --csv | cut -d, -f1,2,7,8,10)" "rank,thread,in_states_s,in_mpi_s,computing_s
0,0,0.000340000,0.000250000,0.000150000
1,0,0.000190000,0.000190000,0.000200000
1,1,0.000000000,0.000000000,0.000200000" "by lane: in states, in MPI, computing"
is "$(pith stat hand.pith --by lane --csv --from init --to finalize | cut -d, -f1,2,7,8,10)" "rank,thread,in_states_s,in_mpi_s,computing_s
0,0,0.000160000,0.000070000,0.000140000
1,0,0.000010000,0.000010000,0.000200000
1,1,0.000000000,0.000000000,0.000190000" "from the last end of MPI_Init to the last begin of MPI_Finalize"
is "$(pith stat hand.pith --by state,lane --from 'MPI_Barrier[1]' --to 'MPI_Barrier[1]')" "name                0         1       1.1
computing              40.00 us  50.00 us
MPI_Barrier  50.00 us  10.00 us
solve            0 ns" "by state and lane: exclusive times"
is "$(pith stat hand.pith --by state,lane --csv --lane 0 --state '[sc]*')" "name,kind,group,rank,thread,count,total_s,self_s,mean_s,max_s
solve,state,user,0,0,1,0.000140000,0.000090000,0.000140000,0.000140000
computing,computing,,0,0,2,0.000150000,0.000060000,0.000075000,0.000100000" "for programs: a row for each state and lane"
is "$(pith stat hand.pith --longest 4)" "name       rank  thread        begin    length      self
computing     1       1  0.000130000  200.0 us  200.0 us
solve         0       0  0.000120000  140.0 us  90.00 us
computing     1       0  0.000200000  120.0 us  120.0 us
MPI_Init      0       0  0.000000000  100.0 us  100.0 us" "the longest"
# Six iterations of 1 ms, of which number 4 computes 2 ms longer.
awk 'BEGIN { for (i = 1; i <= 6; i++) {
    at += i == 4 ? 2.9 : 0.9
    for (r = 0; r < 2; r++) {
        printf "%.9f\t%d\t0\tenter\tMPI_Barrier\n%.9f\t%d\t0\tcoll\tMPI_COMM_WORLD\tcomm=0\tbytes=0\tgot_bytes=0\troot=-1\n", at / 1e3, r, at / 1e3, r
        printf "%.9f\t%d\t0\tleave\tMPI_Barrier\n", (at + 0.1) / 1e3, r }
    at += 0.1 } }' | sort -s -g -k 1,1 >six.txt
is "$(pith stat six.txt --longest 2 --csv | cut -d, -f1,5-)" "name,begin_s,length_s,self_s,iteration
computing,0.003000000,0.002900000,0.002900000,4
computing,0.003000000,0.002900000,0.002900000,4" "with their iteration"
is "$(pith stat hand.pith --longest 99 --state 'MPI_[!I]*' --csv | cut -d, -f1,3-6)" "name,rank,thread,begin_s,length_s
MPI_Finalize,0,0,0.000300000,0.000100000
MPI_Finalize,1,0,0.000320000,0.000080000
MPI_Barrier,0,0,0.000150000,0.000050000
MPI_Barrier,1,0,0.000190000,0.000010000" "of some states"

# ---- brute force: what each lane does, from record to record
cat >oracle.py <<'P'
import csv, subprocess, sys
log, first, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
stack, span, left = {}, {}, {}
sums = {}  # (name, lane): exclusive ns; computing: (all, outside)
def add(key, ns): sums[key] = sums.get(key, 0) + ns
def spend(lane, until):
    ns = max(0, min(until, last) - max(left[lane], first))
    top = stack[lane][-1] if stack[lane] else None
    add((top, lane), ns)
    add(("mpi" if any(s.startswith("MPI_") for s in stack[lane]) else "all", lane), ns)
    left[lane] = max(left[lane], until)
records = [l.rstrip("\n").split("\t") for l in subprocess.run(["pith", "print", log], capture_output=True, text=True).stdout.splitlines()]
end = 0
for f in records:
    if f[0].startswith("#"): continue
    t, lane = round(float(f[0]) * 1e9), f[1] + "." + f[2]
    end = t
    if lane not in stack: stack[lane], left[lane] = [], t
    spend(lane, t)
    if f[3] == "enter": stack[lane].append(f[4])
    if f[3] == "leave":
        at = max(i for i, s in enumerate(stack[lane]) if s == f[4])
        del stack[lane][at]
for lane in stack:
    if stack[lane]: spend(lane, end)
want = {k: v for k, v in sums.items() if v}
def rows(*options):
    out = subprocess.run(["pith", "stat", log, "--csv", "--from", "%dns" % first, "--to", "%dns" % last, *options], capture_output=True, text=True).stdout
    return list(csv.DictReader(out.splitlines()))
ns = lambda text: round(float(text) * 1e9)
got = {}
for r in rows("--by", "state,lane"):
    lane = r["rank"] + "." + r["thread"]
    if r["kind"] == "computing": got["all", lane], got[None, lane] = ns(r["total_s"]), ns(r["self_s"])
    else: got[r["name"], lane] = ns(r["self_s"])
bad = [(k, want.get(k, 0), got.get(k, 0)) for k in set(want) | set(got) if k[0] != "mpi" and want.get(k, 0) != got.get(k, 0)]
for r in rows("--by", "lane"):
    lane = r["rank"] + "." + r["thread"]
    if ns(r["computing_s"]) != want.get(("all", lane), 0): bad.append(("computing", lane, ns(r["computing_s"])))
    mpi = want.get(("mpi", lane), 0)
    if ns(r["in_mpi_s"]) != mpi: bad.append(("in_mpi", lane, ns(r["in_mpi_s"]), mpi))
    states = sum(v for (s, l), v in want.items() if l == lane and s not in (None, "all", "mpi"))
    if ns(r["in_states_s"]) != states: bad.append(("in_states", lane, ns(r["in_states_s"]), states))
for r in rows():
    if r["kind"] == "event": continue
    key = None if r["kind"] == "computing" else r["name"]
    if ns(r["self_s"]) != sum(v for (s, l), v in want.items() if s == key): bad.append(("by state", key))
print(len(want) > 9, bad[:5] or "good")
P
for seed in 1 2; do
    # states 0 and 1 are calls of MPI; they contain states of the user and are contained in them
    python3 "$here/cut_check.py" make $seed | sed 's/state0/MPI_Send/; s/state1/MPI_Recv/' >made.txt && pith convert made.txt made.pith
    for window in "0 9999999" "300000 600000" "0 200000" "444444 444999"; do
        # shellcheck disable=SC2086
        is "$(python3 oracle.py made.pith $window)" "True good" "seed $seed, window $window: exclusive times of states and computing"
    done
    pith stat made.pith --longest 10 --csv >longest.csv
    is "$(pith stat made.pith --csv | tail -n +2 | cut -d, -f12 | sort -gr | head -n 1)" "$(sed -n 2p longest.csv | cut -d, -f6)" "the longest is the maximum of a state"
    is "$(wc -l <longest.csv) $(cut -d, -f6 longest.csv | tail -n +2 | sort -gr | cmp - <(cut -d, -f6 longest.csv | tail -n +2) && echo sorted)" "11 sorted" "ten of them"
    is "$(tail -n +2 longest.csv)" "$(pith stat made.pith --longest 100000 --csv | sed -n 2,11p)" "the first ten of all"
done

# ---- waits: the sums of --by wait
python3 "$here/wait_log.py" 5 60 1 expected >waits.txt && pith convert waits.txt waits.pith
is "$(python3 - <<'P'
import csv, subprocess
def rows(*o): return list(csv.DictReader(subprocess.run(["pith", "stat", "waits.pith", "--csv", *o], capture_output=True, text=True).stdout.splitlines()))
ns = lambda text: round(float(text or 0) * 1e9)
wait = {}
for r in rows("--by", "wait"): wait[r["name"]] = wait.get(r["name"], 0) + ns(r["wait_s"])
bad = []
for r in rows("--waits"):
    if ns(r["wait_s"]) != wait.get(r["name"], 0): bad.append(r)
    if r["kind"] == "state" and r["name"].startswith("MPI_") and ns(r["wait_s"]) + ns(r["transfer_s"]) != ns(r["self_s"]): bad.append(r)
    if r["kind"] != "state" and (r["wait_s"] or r["transfer_s"]): bad.append(r)
lanes = {}
for r in rows("--by", "state,lane", "--waits"): lanes[r["name"]] = lanes.get(r["name"], 0) + ns(r["wait_s"])
print(sum(wait.values()) > 0, [n for n in wait if lanes[n] != wait[n]], bad)
P
)" "True [] []" "wait and transfer"
like "$(pith stat waits.pith --waits | head -n 1)" '^name +count +total +self +wait +transfer +mean ' "their columns"
like "$(pith stat waits.pith --by state,lane --waits | head -n 1)" '^name +rank +thread +count +total +self +wait +transfer +mean +max$' "and by lane"
is "$(pith stat waits.pith --csv | head -n 1 | grep -c wait)" 0 "only if wanted"

fails() { # TEXT OPTIONS
    local text=$1; shift
    pith stat hand.pith "$@" 2>err
    is "$? $(cat err)" "2 pith: stat: $text; see \`pith help stat\`" "$*"
}
fails "--longest needs a number from 1 to 2147483647, not '0'" --longest 0
fails "--longest needs a number from 1 to 2147483647, not '3x'" --longest 3x
fails "--longest cannot be used with --by" --longest 3 --by lane
fails "--waits needs --by state or --by state,lane" --longest 3 --waits
fails "--waits needs --by state or --by state,lane" --by lane --waits
fails "--state cannot be used with --by comm" --by comm --state x
finish
