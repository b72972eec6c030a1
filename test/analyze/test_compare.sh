#!/usr/bin/env bash
# pith analyze A B ...: the scaling table and what changed, of text logs with exact times, and of recorded programs.
. "$(dirname "$0")/../lib.sh"
undisturbed
unset GIVE_WAY # ranks sleep while they wait, and while late_sender computes, which is in ms
. "$top/test/mpi/functions.sh"

# make_log NAME: NAME.txt and NAME.pith from lines as timed_log.py reads them
make_log() { python3 -m timed_log >"$1.txt" && pith convert "$1.txt" "$1.pith"; }

# ---- Two logs: what changed
make_log a <<'E'
0 refine 0-100 MPI_Send 100-101 >1 MPI_Barrier 101-110 c
1 refine 0-80 MPI_Recv 80-102 <0 MPI_Barrier 102-110 c
E
make_log b <<'E'
0 refine 0-184 MPI_Send 184-185 >1 MPI_Barrier 185-194 c
1 refine 0-80 MPI_Recv 80-186 <0 MPI_Barrier 186-194 c
E
is "$(pith analyze a.pith b.pith)" "A  a.pith
B  b.pith

Scaling (1 is best; POP)          A          B
  ranks                           2          2
  run time                 110.0 us   194.0 us
  speedup                      1.00       0.57
  global efficiency            0.82       0.46
    computation scaling        1.00       0.68
    parallel                   0.82       0.68
      load balance             0.90       0.72
      communication            0.91       0.95
        serialisation          1.00       1.00
        transfer               0.91       0.95

B is 84.00 us (76.4 %) slower than A. Per rank:
  42.00 us more computing, in refine
  42.00 us more late sender, caused by refine on rank 0

What changed, mean per rank                          A           B   B - A, us
  computing                                     90.000     132.000     +42.000
    refine                                      90.000     132.000     +42.000
  waiting                                       10.500      52.500     +42.000
    late sender                                 10.000      52.000     +42.000
      by refine on rank 0                       10.000      52.000     +42.000
    wait at barrier                              0.500       0.500      +0.000
  transfer                                       9.500       9.500      +0.000
  run time                                     110.000     194.000     +84.000" "a state on one rank takes longer"
is "$(pith analyze b.pith a.pith | sed -n '/^B is/,/^$/p')" "B is 84.00 us (43.3 %) faster than A. Per rank:
  42.00 us less computing, in refine
  42.00 us less late sender, caused by refine on rank 0" "the other way round"
is "$(pith analyze a.pith a.pith | grep '^B')" "B  a.pith
B takes as long as A, and no part of the run changed by 0.1 %." "a log and itself"
is "$(pith analyze a.pith b.pith --json | python3 -c '
import json, sys
for c in json.load(sys.stdin)["changes"]: print(*(c[k] for k in ("part", "kind", "state", "rank", "a_s", "b_s", "change_s")))')" \
    "computing None None None 9e-05 0.000132 4.2e-05
computing None refine None 9e-05 0.000132 4.2e-05
waiting None None None 1.05e-05 5.25e-05 4.2e-05
waiting late sender None None 1e-05 5.2e-05 4.2e-05
waiting late sender refine 0 1e-05 5.2e-05 4.2e-05
waiting wait at barrier None None 5e-07 5e-07 0.0
waiting wait at barrier MPI_Recv 1 5e-07 5e-07 0.0
transfer None None None 9.5e-06 9.5e-06 0.0
transfer None MPI_Barrier None 8e-06 8e-06 0.0
transfer None MPI_Recv None 1e-06 1e-06 0.0
transfer None MPI_Send None 5e-07 5e-07 0.0
run time None None None 0.00011 0.000194 8.4e-05" "--json: every part, delay and function"
is "$(pith analyze a.pith b.pith --csv | sed '1,/^$/d' | sed -n '1p; /late sender/p; $p')" "part,kind,state,rank,a_s,b_s,change_s
waiting,late sender,,,0.000010000,0.000052000,0.000042000
waiting,late sender,refine,0,0.000010000,0.000052000,0.000042000
run time,,,,0.000110000,0.000194000,0.000084000" "--csv: the same, after the table of the logs"

# The same program, changed in all ways: other states, another cause; half of a change by one state of several.
make_log c <<'E'
0 coarsen 0-40 MPI_Send 40-41 >1 MPI_Barrier 41-180 c
1 coarsen 0-80 smooth 80-130 MPI_Recv 130-160 <0 MPI_Barrier 160-180 c
E
is "$(pith analyze a.pith c.pith | sed -n '/^B is/,/^$/p')" "B is 70.00 us (63.6 %) slower than A. Per rank:
  59.00 us more wait at barrier, 24.79 us of it caused by smooth on rank 1
  26.00 us more transfer, 14.00 us of it in MPI_Recv
  10.00 us less late sender, caused by refine on rank 0
  5.000 us less computing, in refine" "states that only one log has"
is "$(pith analyze a.pith c.pith | sed -n '/^  computing/,/^  waiting/p; /^    wait at/,/^  transfer/p')" "\
  computing                                     90.000      85.000      -5.000
    refine                                      90.000       0.000     -90.000
    coarsen                                      0.000      60.000     +60.000
    smooth                                       0.000      25.000     +25.000
  waiting                                       10.500      59.500     +49.000
    wait at barrier                              0.500      59.500     +59.000
      by smooth on rank 1                        0.000      24.792     +24.792
      by coarsen on rank 1                       0.000      19.833     +19.833
      by MPI_Recv on rank 1                      0.500      14.875     +14.375
  transfer                                       9.500      35.500     +26.000" "and what each part consists of"

# A thread without MPI calls changes nothing.
make_log threads <<'E'
0 refine 0-184 MPI_Send 184-185 >1 MPI_Barrier 185-194 c
0.1 refine 0-10 other 100-194
1 refine 0-80 MPI_Recv 80-186 <0 MPI_Barrier 186-194 c
E
is "$(pith analyze a.pith threads.pith | sed '1,/^B is/d')" "$(pith analyze a.pith b.pith | sed '1,/^B is/d')" "a thread without MPI calls is left out"
# Names are no commands for a terminal, and do not break the columns.
sed 's/refine/\\x1b[31mvery_long_ÄÖÜ_name_of_a_state/' b.txt >named.txt && pith convert named.txt named.pith
pith analyze a.pith named.pith >out
is "$(grep -c $'\e' out) $(grep -c 'very_long_ÄÖÜ' out) $(grep -cE '.{81}' out)" "0 4 0" "control characters and long names" || cat out

# ---- Scaling
make_log two <<'E'
0 solve 0-100 MPI_Barrier 100-110 c
1 solve 0-100 MPI_Barrier 100-110 c
E
make_log strong <<'E'
0 solve 0-50 MPI_Barrier 50-70 c
1 solve 0-50 MPI_Barrier 50-70 c
2 solve 0-50 MPI_Barrier 50-70 c
3 solve 0-60 MPI_Barrier 60-70 c
E
make_log weak <<'E'
0 solve 0-100 MPI_Barrier 100-120 c
1 solve 0-100 MPI_Barrier 100-120 c
2 solve 0-100 MPI_Barrier 100-120 c
3 solve 0-110 MPI_Barrier 110-120 c
E
head="log,ranks,run_s,useful_s,speedup,global_efficiency,computation_scaling,instruction_scaling,ipc_scaling,frequency_scaling,parallel,load_balance,communication,serialisation,transfer,all_threads,threads,ipc,gigahertz"
two="two.pith,2,0.000110000,0.000200000,1,0.909091,1,,,,0.909091,1,0.909091,1,0.909091,,,,"
is "$(pith analyze strong.pith two.pith --csv | sed "/^$/,\$d")" "$head
strong.pith,4,0.000070000,0.000210000,1.571429,0.714286,0.952381,,,,0.75,0.875,0.857143,1,0.857143,,,,
$two" "strong scaling; the reference has the fewest ranks"
is "$(pith analyze two.pith weak.pith --csv | sed "/^$/,\$d")" "$head
$two
weak.pith,4,0.000120000,0.000410000,1.833333,0.833333,0.97561,,,,0.854167,0.931818,0.916667,1,0.916667,,,," "weak scaling"
is "$(pith analyze two.pith weak.pith --csv --scaling strong | sed -n 3p | cut -d, -f5-7)" "0.916667,0.416667,0.487805" "--scaling strong"
is "$(pith analyze two.pith strong.pith --csv --scaling weak | sed -n 3p | cut -d, -f5-7)" "3.142857,1.428571,1.904762" "--scaling weak"
is "$(pith analyze two.pith strong.pith | grep -A2 'scaling (')" "  Strong scaling (found): 2 times the ranks, 1.05 times the computing.
  Global efficiency falls from 0.91 to 0.71.
  Largest loss: load balance, 1.00 to 0.88." "said in words"
is "$(pith analyze two.pith weak.pith | grep 'scaling (')" "  Weak scaling (found): 2 times the ranks, 2.05 times the computing." "weak scaling in words"
like "$(pith analyze two.pith weak.pith --scaling strong)" '^  Strong scaling \(--scaling\): ' "the given scaling"
is "$(for logs in "two strong" "two weak" "a b"; do pith analyze $(printf '%s.pith ' $logs) --json; done | grep -o '"scaling":"[a-z]*","reference":[0-9]')" \
    '"scaling":"strong","reference":0
"scaling":"weak","reference":0
"scaling":"none","reference":0' "--json names the scaling"
is "$(pith analyze two.pith strong.pith --json | grep -c '"rank":[0-9]')" 0 "causes are of all ranks where the numbers of ranks differ"
many="two.pith strong.pith weak.pith two.pith strong.pith two.pith"
pith analyze $many >out
is "$? $(grep -c '^Scaling' out) $(grep -c 'What changed' out) $(grep -cE '.{81}' out)" "0 2 0 0" "six logs: two tables, no more"
is "$(pith analyze $many --json | python3 -c 'import json, sys; t = json.load(sys.stdin); print(len(t["logs"]), t["changes"])')" "6 []" "six logs in --json"
is "$(pith analyze a.pith b.pith --from 10us --to 60us --csv | cut -d, -f3 | sed -n 2,3p)" "0.000050000
0.000050000" "--from, --to"

# More ranks than cores: computing contains time without a core. The same computation of 100 us on 2 cores, and 2.7 times
# longer because of that.
shared() { # NAME FROM PROPERTY-CORES: the log with so many cores
    (printf '# property\tkey=cores vm\tvalue=%s\n' "$3"; cat "$2.txt") >"$1.txt" && pith convert "$1.txt" "$1.pith"
}
make_log eight < <(for r in 0 1 2 3 4 5 6 7; do echo "$r solve 0-260 MPI_Barrier 260-290 c"; done)
make_log eight_fast < <(for r in 0 1 2 3 4 5 6 7; do echo "$r solve 0-90 MPI_Barrier 90-110 c"; done)
shared two_cores two 2 && shared eight_cores eight 2 && shared fast_cores eight_fast 2
is "$(pith analyze two_cores.pith eight_cores.pith | sed -n '/^  [A-Z]: /,/^$/p')" "\
  B: 8 ranks share 2 cores; its computing contains time without a core.
  Strong or weak scaling? These logs do not say, because ranks shared cores.
  Give --scaling strong or weak, or record with PITH_COUNTERS=task-clock." "more ranks than cores: no guess"
is "$(pith analyze two_cores.pith eight_cores.pith --json | python3 -c '
import json, sys
c = json.load(sys.stdin); print(c["scaling"], *((r["speedup"], r["global_efficiency"], r["computation_scaling"]) for r in c["logs"]))')" \
    "unknown (None, None, None) (None, None, None)" "nor in --json"
is "$(pith analyze two_cores.pith eight_cores.pith --scaling strong | grep -E 'speedup|scaling \(|falls|loss')" "\
  speedup                      1.00       0.38
  Strong scaling (--scaling): 4 times the ranks, 10.4 times the computing.
  Global efficiency falls from 0.91 to 0.09, with more ranks than cores." "--scaling gives it"
like "$(pith analyze two_cores.pith fast_cores.pith)" '^  Strong scaling \(found\)' "two cores cannot have computed more: strong"
# The log FROM with a counter that is 0 at the begin of solve, and VALUE at its end
with_counter() { # NAME FROM COUNTER VALUE END_US
    (printf '# counter\tname=thread:%s\tcolour=\tgroup=system\tunit=ns\n' "$3"; cat "$2.txt") >"$1.txt"
    awk -v OFS='\t' -v name="thread:$3" -v value="$4" -v end="$5" 'BEGIN { FS = OFS } { print } $4 == "enter" && $5 == "solve" {
        print $1, $2, $3, "counter", name, "value=0"; print sprintf("%.9f", end / 1e6), $2, $3, "counter", name, "value=" value }' "$1.txt" |
        awk '/^#/ { print; next } { print | "sort -s -g -k 1,1" }' >"$1.sorted" && pith convert "$1.sorted" "$1.pith"
}
with_counter two_clock two_cores task-clock 100000 100 && with_counter eight_clock eight_cores task-clock 26000 260
like "$(pith analyze two_clock.pith eight_clock.pith)" '^  Strong scaling \(found\): 4 times' "by CPU time: strong"
with_counter weak_clock eight_cores task-clock 99000 260
like "$(pith analyze two_clock.pith weak_clock.pith)" '^  Weak scaling \(found\): 4 times' "by CPU time: weak"
with_counter two_delay two_cores run-delay 0 100 && with_counter eight_delay eight_cores run-delay 234000 260
like "$(pith analyze two_delay.pith eight_delay.pith)" '^  Strong scaling \(found\): 4 times' "by time without a core"

# ---- What cannot be compared
fails() { # STATUS PATTERN ARGS
    local status=$1 pattern=$2
    shift 2
    pith analyze "$@" >out 2>err
    is "$? $(grep -vc '^pith: note: ' err)" "$status 1" "status and a line: $*"
    like "$(cat err)" "$pattern" "it says why"
}
printf '0.0\t0\t0\tenter\twork\n0.1\t0\t0\tleave\twork\n' >plain.txt && pith convert plain.txt plain.pith
fails 1 'plain.pith: no MPI calls' a.pith plain.pith
fails 1 'missing.pith' a.pith missing.pith
fails 1 'nothing to analyse' a.pith b.pith --from 150us
fails 2 '--scaling needs strong or weak' a.pith b.pith --scaling linear
fails 2 '--scaling needs several logs' a.pith --scaling weak
fails 2 'need a single log' a.pith b.pith --waits
fails 2 '26 logs can be compared' $(printf 'a.pith %.0s' {1..27})
pith analyze a.pith b.pith >/dev/full 2>err
like "$? $(cat err)" '^1 pith: standard output: No space left on device' "a full disk"

# ---- Recorded programs
cat >check.py <<'E'
import json, subprocess, sys
a, b = sys.argv[1:]
def analyze(*logs): return json.loads(subprocess.run(["pith", "analyze", *logs, "--json"], stdout=subprocess.PIPE, check=True).stdout)
def ns(seconds): return round(seconds * 1e9)
both, alone = analyze(a, b), [analyze(a), analyze(b)]
bad = []
def need(what, truth, *figures): bad.extend([] if truth else [(what, *figures)])
def near(x, y, most): return abs(x - y) <= most
changes = both["changes"]
def total(part, kind=None): return next((c for c in changes if (c["part"], c["kind"], c["state"]) == (part, kind, None)), None)
def inside(part, kind=None): return [c for c in changes if c["part"] == part and c["kind"] == kind and c["state"]]
for side, key in enumerate(("a_s", "b_s", "change_s")):
    parts = [ns(total(p)[key]) for p in ("computing", "waiting", "transfer")]
    need("the parts are the run time", sum(parts) == ns(total("run time")[key]), parts)
    kinds = [c for c in changes if c["kind"] and not c["state"]]
    need("the kinds are the waiting", sum(ns(c[key]) for c in kinds) == parts[1])
    for part, kind in [("computing", None), ("transfer", None)] + [("waiting", c["kind"]) for c in kinds]:
        sums = sum(ns(c[key]) for c in inside(part, kind)), ns(total(part, kind)[key])
        need("what a part consists of", near(*sums, 1 + len(inside(part, kind))), part, kind, *sums)
for side, key in enumerate(("a_s", "b_s")):
    one, log = alone[side], both["logs"][side]
    run = one["window"]["to_ns"] - one["window"]["from_ns"]
    need("run time", ns(log["run_s"]) == ns(total("run time")[key]) == run)
    need("useful", near(ns(total("computing")[key]), ns(log["useful_s"]) / log["ranks"], 1))
    for name, value in one["efficiencies"].items():
        need("efficiency", name not in log or near(log[name], value, 1e-6), name)
    for c in kinds:
        waits = sum(w["ns"] for w in one["waits"] if w["kind"] == c["kind"]) / log["ranks"]
        need("waits", near(ns(c[key]), waits, 1), c["kind"])
first, last = sorted(both["logs"], key=lambda l: l["ranks"])
work = last["ranks"] / first["ranks"] if both["scaling"] == "weak" else 1
scaling = work * first["useful_s"] / last["useful_s"]
for name, value in (("computation_scaling", scaling), ("speedup", work * first["run_s"] / last["run_s"]),
        ("global_efficiency", scaling * last["useful_s"] / last["ranks"] / last["run_s"])):
    # Ranks that had to share cores compute longer, so the logs may not say whether the work grew.
    is_right = last[name] is None if both["scaling"] == "unknown" else near(last[name], value, 1e-6 * (1 + value))
    need(name, is_right, last[name], value)
print(bad or "good")
E
# recorded RANKS NAME PROGRAM...: as NAMERANKS.pith
recorded() {
    local ranks=$1 name=$2; shift 2
    LD_LIBRARY_PATH=$build/lib TIMEOUT=60 timeout -k 5 90 "mpiexec.$mpi" -n "$ranks" pith run -o "$name$ranks.pith" "$@" >out 2>err </dev/null
}
is_faster() {
    recorded 3 slow ./late_sender && recorded 3 fast ./late_sender fast || return
    said=$(pith analyze slow3.pith fast3.pith | tr -s ' \n' ' ')
    grep -qE "$faster" <<<"$said"
}
cp -r "$top/samples/slow" "$top/samples/heat2d.c" .
for mpi in $(mpis); do
    "mpicc.$mpi" -O1 -Wno-stringop-overflow -o heat2d heat2d.c -lm && "mpicc.$mpi" -O1 -I"$build/include" -o late_sender slow/late_sender.c -L"$build/lib" -lpith
    ok $? "$mpi: built"
    for run in "2 heat2d heat2d 128 40" "4 heat2d heat2d 128 40" "3 slow late_sender" "3 fast late_sender fast"; do
        read -r ranks name program <<<"$run"
        recorded "$ranks" "$name" ./$program
        ok $? "$mpi: $program on $ranks ranks" || sed 's/^/# /' err
    done
    faster='B is [0-9. a-z]+ \([0-9.]+ %\) faster than A\. Per rank:.* less late sender,[^,]* caused by refine on rank 1'
    quota 3 5 is_faster # a busy machine makes ranks late for reasons of its own
    ok $? "$mpi: late_sender is faster because of less waiting for rank 1 ($quota)" || sed 's/^/# /' err - <<<"$said"
    is "$(python3 check.py heat2d2.pith heat2d4.pith)" good "$mpi: heat2d on 2 and 4 ranks: the figures add up"
    is "$(python3 check.py slow3.pith fast3.pith)" good "$mpi: late_sender, slow and fast: the figures add up"
    is "$(pith analyze heat2d2.pith heat2d4.pith | grep -E '.{81}')" "" "$mpi: no more than 80 columns"
    python3 -c '
data = bytearray(open("heat2d4.pith", "rb").read())
for i in range(len(data) // 3, len(data) * 2 // 3): data[i] ^= 255
open("damaged.pith", "wb").write(data)'
    pith analyze heat2d2.pith damaged.pith >out 2>err
    like "$? $(wc -l <err) $(cat err) $(grep -c '^  run time' out)" '^1 1 pith: damaged.pith: .* damaged.* 2$' "$mpi: a damaged log: a message, and the figures of the rest" || head -n 40 out
    rm -rf ./*[234].pith damaged.pith
done
# ---- Instructions and cycles ----------------------------------------------------------------------------------------
# counted RANKS MS INSTRUCTIONS CYCLES: each rank computes for MS with these counts in each ms, then is 1 ms in a barrier,
# with as many again; PITH_COUNTERS=instructions,cycles records values before each state.
counted() {
    printf '# counter\tname=thread:%s\tcolour=\tgroup=system\tunit=\n' instructions cycles
    awk -v OFS='\t' -v ranks="$1" -v ms="$2" -v i="$3" -v c="$4" '
        function put(time, kind, rest) { printf "%.9f\t%d\t0\t%s\t%s\n", time / 1000, r, kind, rest }
        function both(time) { put(time, "counter", "thread:instructions\tvalue=" 7 + i * time); put(time, "counter", "thread:cycles\tvalue=" 9 + c * time) }
        BEGIN { for (r = 0; r < ranks; r++) {
            both(0); put(0, "enter", "solve"); both(ms); put(ms, "leave", "solve"); both(ms); put(ms, "enter", "MPI_Barrier")
            put(ms, "coll", "\tcomm=0\tbytes=0\tgot_bytes=0\troot=-1"); both(ms + 1); put(ms + 1, "leave", "MPI_Barrier") } }' |
        sort -s -g -k 1,1
}
counted 2 8 3000000 2000000 >c2.txt # 48,000,000 instructions, 32,000,000 cycles in 16 ms
counted 4 5 2600000 2500000 >c4.txt # 52,000,000 instructions, 50,000,000 cycles in 20 ms
like "$(pith analyze c2.txt)" '^  Outside MPI: 4[.]8e[+]07 instructions, 1[.]50 per cycle \(IPC\), 2[.]00 GHz[.]$' "instructions, IPC and frequency"
like "$(pith analyze c2.txt --from 2ms --to 6.5ms)" '^  Outside MPI: 2[.]7e[+]07 instructions, 1[.]50 per cycle \(IPC\), 2[.]00 GHz[.]$' "of a part of the run"
like "$(pith analyze c2.txt --from 2ms --to 8.5ms)" '^  Outside MPI: 3[.]6e[+]07 instructions' "without those of MPI calls"
is "$(pith analyze c2.txt --json | grep -o '"computation":{[^}]*}')" '"computation":{"instructions":48000000,"ipc":1.5,"cycles_a_second":2000000000}' "as JSON"
pith analyze c2.txt --html c2.html
like "$(cat c2.html)" 'Outside MPI: 4[.]8e[+]07 instructions, 1[.]50 per cycle' "in the page for a browser"
is "$(pith analyze c2.txt c4.txt --csv | sed -n 2,3p | cut -d, -f 1,7-10,18-)" "c2.txt,1,1,1,1,1.5,2
c4.txt,0.8,0.923077,0.693333,1.25,1.04,2.5" "computation scaling = instructions x IPC x frequency"
is "$(pith analyze c2.txt c4.txt | grep -E '^ +(computation|instructions|IPC|frequency|GHz)')" "    computation scaling        1.00       0.80
      instructions             1.00       0.92
      IPC                      1.00       0.69
      frequency                1.00       1.25
  IPC                          1.50       1.04
  GHz                          2.00       2.50" "for people"
is "$(pith analyze c2.txt c4.txt --scaling weak --csv | sed -n 3p | cut -d, -f 7-10)" "1.6,1.846154,0.693333,1.25" "weak scaling: instructions of a rank"
# A damaged block that begins inside MPI_Barrier, as the first six records are left out: the rest must not seem inside.
counted 1 8 3000000 2000000 | awk -v OFS='\t' 'BEGIN { FS = OFS } /^#/ { print; next } { line[++n] = $0 } END {
    for (i = 0; i < 4000; i++) for (k = 1; k <= n; k++) {
        $0 = line[k]; $1 = sprintf("%.9f", $1 + i * 0.009)
        if ($4 == "counter") sub("value=.*", "value=" (/instr/ ? 3e6 : 2e6) * $1 * 1000)
        if (i || k > 6) print } }' >long.txt
pith convert long.txt long.pith
for part in 3 5 7; do
    python3 -c '
import sys
data = bytearray(open("long.pith", "rb").read())
at = len(data) * int(sys.argv[1]) // 10
for i in range(at, at + 50): data[i] ^= 255
open("hole.pith", "wb").write(data)' $part
    pith analyze hole.pith >out 2>err
    like "$? $(cat err) $(grep Outside out)" '^1 pith: hole[.]pith: .* damaged.* $' "damage at $part/10: no IPC, as it would be wrong"
    pith stat hole.pith --csv >hole.csv 2>/dev/null # its exit status tells of the damage
    awk -F, '{ count[$1] = $4 } END { more = count["computing"] - count["MPI_Barrier"]; exit !(count["MPI_Barrier"] > 2000 && more >= -2 && more <= 2) }' hole.csv
    ok $? "and pith stat counts its computing"
done
sed '$!b
s/.*/&\n0.010000000\t0\t0\tcounter\tthread:instructions\tvalue=1e308/' c2.txt >absurd.txt
like "$(pith analyze absurd.txt --json | python3 -c 'import json, sys; print("computation" in json.load(sys.stdin, parse_constant=exit))')" '^False$' "absurd values are no instructions"
is "$(pith analyze two.pith c4.txt | grep -cE '^ +(IPC|frequency)')" 1 "beside a log without counters only its own"
(printf '# property\tkey=program\tvalue=ring\n'; cat c4.txt) >ring.txt
(printf '# property\tkey=program\tvalue=fourier\n'; cat c4.txt) >fourier.txt
like "$(pith analyze ring.txt fourier.txt)" '^  A is of the program ring, B of fourier[.]$' "logs of different programs"
unlike "$(pith analyze ring.txt ring.txt)$(pith analyze ring.txt c4.txt)" 'of the program' "not of one, or if one does not say"
finish
