"""known_check.py KNOWN ANALYSIS WHOLE: compares what known.c printed with `pith analyze --json --waits` of the same run,
and MPI_Init with the same `--from 0`.

Prints TAP lines without numbers. What is found may differ by 5 % or 200 us from what the program measured, or by 50 us
for each wait: between its look at the clock and its call the program prints, and may lose its core."""
import json
import sys

SLACK_NS, EACH_NS, LATE_NS = 200000, 50000, 2500000  # LATE_NS: half of what a late rank sleeps

lines = [line.rstrip("\n").split("\t") for line in open(sys.argv[1])]
finals = {int(rank): int(ns) for word, rank, ns in (line for line in lines if line[0] == "finalize")}
last = max(finals.values())
known = [line for line in lines if line[0] != "finalize"]
known += [["wait at finalize", "MPI_Finalize", str(rank), str(last - ns),
           " ".join(str(r) for r in finals if finals[r] > last - 100000), ""] for rank, ns in finals.items()]
analysis, whole = json.load(open(sys.argv[2])), json.load(open(sys.argv[3]))
AT_INIT = "wait at init"


def check(good, what, *more):
    print("ok" if good else "not ok", "-", what)
    for line in () if good else more[:5]:
        print("#  ", line)


def near(got, ns, waits):
    return abs(got - ns) <= max(ns * 0.05, SLACK_NS, EACH_NS * waits)


def ms(ns):
    return "%.3f ms" % (ns / 1e6)


# Each kind of wait state in each function, summed up over ranks.
found = {(w["kind"], w["state"]): w["ns"] for w in analysis["waits"]}
found.update({(w["kind"], w["state"]): w["ns"] for w in whole["waits"] if w["kind"] == AT_INIT})
sums = {}
for kind, state, _, ns, _, _ in known:
    sums.setdefault((kind, state), []).append(int(ns))
for key, each in sums.items():
    got, ns = found.get(key, 0), sum(each)
    if key == ("polling", "MPI_Testall"):  # partners complete their requests by it, too
        got = min(got, ns)
    check(near(got, ns, len(each)), "%s in %s" % key, "found %s, known %s" % (ms(got), ms(ns)))

# Nothing else.
run_ns = (analysis["window"]["to_ns"] - analysis["window"]["from_ns"]) * analysis["ranks"]
others = {key: ns for key, ns in found.items() if key not in sums and key[0] not in ("polling", "late notice")}
check(sum(others.values()) <= run_ns * 0.01, "no waiting elsewhere", "%s of %s: %s" % (ms(sum(others.values())), ms(run_ns), others))

# Each late rank is named as the cause, and the order of messages.
states = {}
for w in analysis["wait_states"] + [w for w in whole["wait_states"] if w["kind"] == AT_INIT]:
    states.setdefault((w["kind"], w["state"], w["lane"]), []).append(w)
unnamed = []
for kind, state, rank, ns, causes, order in known:
    if int(ns) > LATE_NS and (kind, state) in found and not any(
            abs(w["to_ns"] - w["from_ns"] - int(ns)) < LATE_NS and str(w["cause_lane"]) in causes.split() and w.get("wrong_order", "") == order
            for w in states.get((kind, state, int(rank)), ())):
        unnamed.append("%s in %s on rank %s: %s for rank %s %s" % (kind, state, rank, ms(int(ns)), causes, order))
check(not unnamed, "each call waits for the rank that came late", *unnamed)
