#!/usr/bin/env python3
"""simulated_check.py: `pith analyze` against runs of test/gym/simulate.py, whose wait states and causes are known to the
nanosecond; and its predictions against the simulated run in which that rank really is faster. PLANTS=all: those of LATER,
too; PLANTS="NAME ...": these."""
import json
import os
import subprocess
import sys

import simulate

# To switch a plant on, move it from LATER to PLANTS.
PLANTS = """bcast_late_root bcast_late_leaf late_sender late_receiver barrier allreduce moving
    by_itself_send by_itself_isend by_itself_late_isend by_itself_ibcast by_itself_iallreduce
    poll_overlap poll_overlap_state""".split()
LATER = [name for name in simulate.PLANTS if name not in PLANTS]


def pith(*args):
    return subprocess.run(("pith",) + args, check=True, stdout=subprocess.PIPE, text=True).stdout


def check_waits(name, truth):
    """The wait states that last long. Latencies make shorter ones."""
    found = json.loads(pith("analyze", name + ".pith", "--json", "--waits"))
    keys = ("kind", "lane", "from_ns", "to_ns", "cause_lane")
    wanted = {tuple(w[k] for k in keys) for w in truth["waits"]}
    rows = [tuple(w[k] for k in keys) for w in found["wait_states"] if w["to_ns"] - w["from_ns"] >= truth["floor_ns"]]
    window = found["window"]["from_ns"], found["window"]["to_ns"]
    if window != (truth["from_ns"], truth["to_ns"]):
        yield "window %d-%d, not %d-%d" % (window + (truth["from_ns"], truth["to_ns"]))
    for w in sorted(wanted - set(rows)):
        yield "missing: %s, lane %d %d-%d, cause %d" % w
    for w in sorted(set(rows) - wanted):
        yield "too many: %s, lane %d %d-%d, cause %d" % w
    if len(rows) != len(set(rows)):
        yield "wait states told twice"


def check_predictions(name, truth):
    for change in truth["what_if"]:
        # "run  0.600 s  0.300 s": as the run was, and after the change
        ns = float(pith("analyze", name + ".pith", "--what-if", change["change"]).split()[1]) * 1e9
        if abs(ns / change["ns"] - 1) > 0.01:
            yield "%s: predicted %.6f s, simulated %.6f s" % (change["change"], ns / 1e9, change["ns"] / 1e9)


checks = []


def tap(name, differences):
    checks.append(not differences)
    print("%sok %d - %s" % ("not " * bool(differences), len(checks), name))
    for line in differences[:6] + ["%d more" % (len(differences) - 6)] * (len(differences) > 6):
        print("#   " + line)


def main():
    chosen = os.environ.get("PLANTS", "").split()
    names = PLANTS + LATER if chosen == ["all"] else chosen or PLANTS
    for name in names:
        run, truth = simulate.make(name)
        with open(name + ".txt", "w") as out:
            run.write(out)
        pith("convert", name + ".txt", name + ".pith")
        tap(name + ": its wait states", list(check_waits(name, truth)))
        if truth["what_if"]:
            tap(name + ": a faster rank", list(check_predictions(name, truth)))
    print("1..%d" % len(checks))
    return not all(checks)


if __name__ == "__main__":
    sys.exit(main())
