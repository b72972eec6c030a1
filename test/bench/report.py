#!/usr/bin/env python3
"""report.py LINES JSON - the benches' lines (README.md has their form) as one table on stdout, and as JSON."""
import json
import os
import platform
import sys


def number(text):
    return float(text) if text else None


def read(path):
    """The measures in the order of the file, and the peers that name one that was not taken."""
    bench, rows, peers = "", {}, []
    with open(path) as lines:
        for line in lines:
            word = line.rstrip("\n").split("\t") + [""] * 8
            if word[0] == "RUN":
                bench = word[1]
            elif word[0] == "BENCH":
                rows[word[1]] = dict(bench=bench, what=word[1], value=number(word[2]), unit=word[3],
                                     floor=number(word[4]) or None, goal=word[5], low=number(word[6]),
                                     high=number(word[7]), peers={})
            elif word[0] == "PEER":
                peers.append((word[1], word[2], number(word[3])))
    for what, name, value in peers:
        row = rows.setdefault(what, dict(bench=bench, what=what, value=None, unit="", floor=None, goal="", low=None,
                                         high=None, peers={}))
        row["peers"][name] = value if value is not None else "not installed"
    return list(rows.values())


def judge(row):
    """How many times its floor's cost a measure is, and whether it meets its goal (None: cannot be said)."""
    value, floor, goal = row["value"], row["floor"], row["goal"]
    row["ratio"] = row["met"] = None
    if value is None:
        return
    if floor and value > 0:
        row["ratio"] = floor / value if row["unit"].endswith("/s") else value / floor
    if goal:
        limit = float(goal[2:].rstrip("x"))
        measured = row["ratio"] if goal.endswith("x") else value
        if measured is None:
            measured = 0.0 if value <= 0 else None
        if measured is not None:
            row["met"] = measured <= limit if goal.startswith("<=") else measured >= limit


def text(value):
    return "" if value is None else value if isinstance(value, str) else "%.4g" % value if abs(value) < 1e4 else "%.0f" % value


def cells(row):
    measured = text(row["value"])
    if row["low"] is not None:
        measured += " (%s to %s)" % (text(row["low"]), text(row["high"]))
    ratio = "" if row["ratio"] is None else "%.2f" % row["ratio"]
    goal = row["goal"].replace("=", "= ").replace("x", " x")
    met = {None: "", True: "yes", False: "NO"}[row["met"]]
    peers = ", ".join("%s: %s" % (name, text(value)) for name, value in row["peers"].items())
    return [row["what"], measured, row["unit"], ratio, goal, met, peers]


def table(rows):
    head = ["what", "measured", "unit", "x floor", "goal", "met", "peers"]
    lines = [cells(row) for row in rows]
    width = [max(len(line[i]) for line in [head] + lines) for i in range(6)]
    show = lambda line: (" | ".join(c.rjust(w) if i in (1, 3) else c.ljust(w) for i, (c, w) in enumerate(zip(line, width)))
                         + " | " + line[6]).rstrip(" |")
    print(show(head))
    bench = None
    for row, line in zip(rows, lines):
        if row["bench"] != bench:
            bench = row["bench"]
            print(("-- " + bench + " ").ljust(sum(width) + 15, "-"))
        print(show(line))
    judged = [row for row in rows if row["met"] is not None]
    print("%d of %d goals met" % (sum(row["met"] for row in judged), len(judged)))


def machine():
    model = ""
    try:
        with open("/proc/cpuinfo") as lines:
            model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "")
    except OSError:
        pass
    return dict(processor=model or platform.machine(), cores=os.cpu_count(), system=platform.release(),
                load=os.getloadavg()[1])


def main():
    rows = read(sys.argv[1])
    for row in rows:
        judge(row)
    here = machine()
    print("%(cores)d cores, %(processor)s, Linux %(system)s; load in the last 5 minutes: %(load).1f" % here)
    table(rows)
    with open(sys.argv[2], "w") as out:
        json.dump(dict(machine=here, rows=rows), out, indent=1)
        out.write("\n")
    print("as JSON: " + os.path.relpath(sys.argv[2]))


if __name__ == "__main__":
    main()
