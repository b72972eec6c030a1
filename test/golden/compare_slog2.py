#!/usr/bin/env python3
"""compare_slog2.py TEXT PRINT: compares a SLOG-2 file as Jumpshot's slog2print shows it with what `pith print` makes of it.

Every primitive: an event is an event, a state an enter and a leave, an arrow a send and a receive, with times equal to
the last digit. (What begins at the very end of the file slog2print leaves out.) Prints what differs, else how many
agreed by kind."""
import re
import sys
from collections import Counter


def views(text):
    """Line -> (rank, thread), by the first map."""
    part = text.split("LineIDMap 1:")[1].split("LineIDMap 2:")[0]
    lines = {}
    for line, values in re.findall(r"^\d+, (\d+):\s+([\d ]+?)\s*$", part, re.M):
        numbers = [int(v) for v in values.split()]
        lines[int(line)] = (numbers[0], numbers[1] if len(numbers) > 1 else 0)
    return lines


def read_text(path):
    text = open(path).read()
    line_of, records = views(text), Counter()
    pattern = (r"Primitive\[ infobox\[ TimeBBox\((\S+?),(\S+?)\) Category=Category\[ index=\d+, name=(.*?), topo=(\w+),"
               r".*?\]:.*? \] ((?:\(\S+, \d+\) )+)\] bsize")
    for start, end, name, topology, vertices in re.findall(pattern, text):
        lines = [line_of[int(n)] for n in re.findall(r"\(\S+, (\d+)\)", vertices)]
        times = ["%.9f" % float(t) for t in (start, end)]
        if topology == "Event":
            records[times[0], lines[0], "event", name] += 1
        elif topology == "State":
            records[times[0], lines[0], "enter", name] += 1
            records[times[1], lines[0], "leave", name] += 1
        else:
            records[times[0], lines[0], "send", ""] += 1
            records[times[1], lines[1], "recv", ""] += 1
    return records


def read_print(path):
    records = Counter()
    for line in open(path):
        if line.startswith("#"):
            continue
        time, rank, thread, kind, name = line.rstrip("\n").split("\t")[:5]
        records[time, (int(rank), int(thread)), kind, "" if kind in ("send", "recv") else name] += 1
    return records


def main():
    text, ours = read_text(sys.argv[1]), read_print(sys.argv[2])
    end = max(ours, key=lambda r: float(r[0]))[0] if ours else None
    wrong = ["in the text only: %s" % (r,) for r in (text - ours)] + ["read only: %s" % (r,) for r in (ours - text) if r[0] != end]
    kinds = Counter()
    for (_, _, kind, _), count in ours.items():
        kinds[kind] += count
    print("\n".join(wrong[:10]) if wrong else " ".join("%s=%d" % item for item in sorted(kinds.items())))
    return 1 if wrong or not ours else 0


sys.exit(main())
