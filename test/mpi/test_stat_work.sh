#!/usr/bin/env bash
# pith stat of a recorded program whose ranks compute known times: computing, waits, the words for times.
. "$(dirname "$0")/../lib.sh"
undisturbed
[ -n "$(mpis)" ] || { skip "pith stat of a program" "no MPI"; finish; }
export PITH_QUIET=1

for mpi in $(mpis); do
    "mpicc.$mpi" -O1 -o "burnt-$mpi" "$top/test/mpi/burnt.c" || { ok 1 "$mpi: built"; continue; }
    mpiexec_of "$mpi" 4 pith run -o "$mpi.pith" "./burnt-$mpi" >out 2>&1
    is "$?" 0 "$mpi: a program is recorded" || sed 's/^/# /' out
    is "$(python3 - "$mpi.pith" <<'P'
import csv, subprocess, sys
log = sys.argv[1]
def pith(*words): return subprocess.run(["pith", *words], capture_output=True, text=True).stdout.splitlines()
def rows(*options): return list(csv.DictReader(pith("stat", log, "--csv", *options)))
ns = lambda text: round(float(text or 0) * 1e9)
records = [l.split("\t") for l in pith("print", log, "--state", "MPI_*") if not l.startswith("#")]
init = max(ns(r[0]) for r in records if r[3] == "leave" and r[4] == "MPI_Init")
finalize = max(ns(r[0]) for r in records if r[3] == "enter" and r[4] == "MPI_Finalize")
def only(kind, name): time, = [ns(r[0]) for r in records if r[3:5] == [kind, name]]; return time
recv, recv_end, send = only("enter", "MPI_Recv"), only("leave", "MPI_Recv"), only("enter", "MPI_Send")
bad = []
def need(what, truth): bad.extend([] if truth else [what])
work = ["--from", "init", "--to", "finalize"]
lanes = rows("--by", "lane", *work)
need("ranks", [r["rank"] for r in lanes] == list("0123"))
for rank, r in enumerate(lanes): # no rank begins or ends within the window
    need("whole %d" % rank, ns(r["in_mpi_s"]) + ns(r["computing_s"]) == finalize - init)
    need("burnt %d" % rank, ns(r["computing_s"]) >= (rank + 1) * 10**7 + (3 * 10**7 if rank == 0 else 0))
    need("states %d" % rank, r["in_states_s"] == r["in_mpi_s"])
need("numbers", lanes == rows("--by", "lane", "--from", "%dns" % init, "--to", "%dns" % finalize))
table = {r["name"]: r for r in rows("--waits", *work)}
need("sum", ns(table["computing"]["total_s"]) == sum(ns(r["computing_s"]) for r in lanes))
need("waits", ns(table["MPI_Recv"]["wait_s"]) == max(0, min(send, recv_end) - recv)) # a late rank 1 waits less
barriers = {} # of each rank: begin and end
for r in records:
    if r[4] == "MPI_Barrier": barriers.setdefault(r[1], []).append(ns(r[0]))
wait = 0
for k in range(0, 6, 2): # each waits for the last to begin
    last = max(times[k] for times in barriers.values())
    wait += sum(max(0, min(last, times[k + 1], finalize) - max(times[k], init)) for times in barriers.values())
need("barrier", ns(table["MPI_Barrier"]["wait_s"]) == wait > 0)
for r in table.values():
    if r["name"].startswith("MPI_"): need("transfer", ns(r["wait_s"]) + ns(r["transfer_s"]) == ns(r["self_s"]))
need("no init", "MPI_Init" not in table or ns(table["MPI_Init"]["self_s"]) == 0)
grid = rows("--by", "state,lane", *work)
for name, r in table.items():
    if r["kind"] != "event": need("grid " + name, sum(ns(g["self_s"]) for g in grid if g["name"] == name) == ns(r["self_s"]))
longest = rows("--longest", "1", "--state", "MPI_Recv")
need("longest", [(r["name"], r["rank"], ns(r["begin_s"]), ns(r["length_s"])) for r in longest] == [("MPI_Recv", "1", recv, recv_end - recv)])
inside = rows("--by", "lane", "--lane", "1", "--from", "MPI_Recv[1]", "--to", "MPI_Recv[1]")
need("instance", ns(inside[0]["in_mpi_s"]) == recv_end - recv and ns(inside[0]["computing_s"]) == 0)
need("people", pith("stat", log, "--by", "state,lane", *work)[0].split() == ["name", "0", "1", "2", "3"])
same = [r for r in csv.DictReader(pith("diff", log, log, "--csv")) if r["kind"] == "computing"]
need("diff", abs(ns(same[0]["total_a_s"]) - sum(ns(r["computing_s"]) for r in rows("--by", "lane"))) <= 4 and ns(same[0]["diff_s"]) == 0)
print(bad or "good")
P
)" good "$mpi: computing, waits, init, finalize and STATE[n]" || pith stat "$mpi.pith" --by lane --from init --to finalize
done
finish
