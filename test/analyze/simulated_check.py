#!/usr/bin/env python3
"""simulated_check.py: `pith analyze` against runs of test/gym/simulate.py, whose wait states and causes are known to the
nanosecond; and its predictions against the simulated run in which that rank really is faster. The oracle with all of its
rules must say the same, so that neither judge is wrong alone. PLANTS="NAME ...": these only."""
import io
import json
import os
import subprocess
import sys

os.environ["ORACLE_RULES"] = "all"
import oracle
import simulate


def pith(*args):
    return subprocess.run(("pith",) + args, check=True, stdout=subprocess.PIPE, text=True).stdout


def check_waits(found, truth):
    """The wait states that last long. Latencies make shorter ones."""
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


def check_predictions(predict, truth):
    for change in truth["what_if"]:
        ns = predict(change["change"])
        if abs(ns / change["ns"] - 1) > 0.01:
            yield "%s: predicted %.6f s, simulated %.6f s" % (change["change"], ns / 1e9, change["ns"] / 1e9)


def analyze(log):
    """What pith finds in a log, and how it predicts a change."""
    found = json.loads(pith("analyze", log, "--json", "--waits"))
    # The time after the change comes first.
    return found, lambda change: float(pith("analyze", log, "--what-if", change).split()[1]) * 1e9


def judge(text):
    log = oracle.Log(text.splitlines())
    found = oracle.analyze(log)

    def predict(change):
        state, rank, times = change.replace("=", "@").split("@")
        return float(oracle.find_faster(log, found["window"]["from_ns"], found["window"]["to_ns"], state, int(rank), int(times)))

    return found, predict


checks = []


def tap(name, differences):
    checks.append(not differences)
    print("%sok %d - %s" % ("not " * bool(differences), len(checks), name))
    for line in differences[:6] + ["%d more" % (len(differences) - 6)] * (len(differences) > 6):
        print("#   " + line)


def main():
    for name in os.environ.get("PLANTS", "").split() or list(simulate.PLANTS):
        run, truth = simulate.make(name)
        text = io.StringIO()
        run.write(text)
        with open(name + ".txt", "w") as out:
            out.write(text.getvalue())
        pith("convert", name + ".txt", name + ".pith")
        for who, (found, predict) in ("the oracle", judge(text.getvalue())), ("pith", analyze(name + ".pith")):
            tap("%s: wait states: %s" % (name, who), list(check_waits(found, truth)))
            if truth["what_if"]:
                tap("%s: a faster rank: %s" % (name, who), list(check_predictions(predict, truth)))
    print("1..%d" % len(checks))
    return not all(checks)


if __name__ == "__main__":
    sys.exit(main())
