#!/usr/bin/env python3
"""compare_clog2.py TEXT PRINT: compares a CLOG-2 file as MPE's clog2_print shows it with what `pith print` makes of it.

Every record but definitions, line by line: for each rank and thread the same records in the same order, with times
equal to the last digit that the text has. Prints what differs, else how many records agreed by type."""
import re
import sys

import text_log


def fields(line):
    """key=value pairs; name= may hold blanks."""
    return dict(re.findall(r"(\w+)=(.*?)(?=\s+\w+=|\s*$)", line))


def read_text(path):
    lines = [fields(line) for line in open(path) if line.startswith("ts=")]
    world, solo = {}, {}
    for f in lines:
        if f["type"] == "comm" and f["et"] != "CommFree":
            # The line has two icomm and two rank: findall kept the last ones, which are the body's.
            world[f["icomm"], f["rank"]] = int(f["wrank"])
        elif f["type"] == "edef":
            solo[f["et"]] = f["name"]
    starts = {f["s_et"]: f["name"] for f in lines if f["type"] == "sdef"}
    ends = {f["e_et"]: f["name"] for f in lines if f["type"] == "sdef"}
    lanes = {}
    for raw in open(path):
        if not raw.startswith("ts="):
            continue
        head = re.match(r"ts=(\S+) icomm=(\S+) rank=(\S+) thd=(\S+) type=(\S+)\s*(.*)", raw)
        time, icomm, rank, thread, kind, rest = head.groups()
        f = fields(rest)
        if kind in ("sdef", "edef", "cdef"):
            continue
        lane = (world[icomm, rank], int(thread))
        if kind == "bare" or kind == "cago":
            et = f["et"]
            what = ("enter", starts[et]) if et in starts else ("leave", ends[et]) if et in ends else ("event", solo[et])
        elif kind == "msg":
            what = (f["et"], world[f["icomm"], f["rank"]], int(f["tag"]), int(f["sz"]))
        elif kind == "shft":
            what = ("counter", float(f["shift"]))
        else:
            what = ("comm", "create" if "Create" in f["et"] else "free")
            lane = (int(f["wrank"]), int(thread)) if "Create" in f["et"] else lane
        lanes.setdefault(lane, []).append((float(time), what))
    return lanes


def read_print(path):
    lanes = {}
    for time_ns, rank, thread, kind, name, f in text_log.records(open(path)):
        if kind in ("send", "recv"):
            what = (kind, int(f["peer"]), int(f["tag"]), int(f["bytes"]))
        elif kind == "counter":
            what = ("counter", float(f["value"]))
        elif kind == "comm":
            what = ("comm", f["op"])
        else:
            what = (kind, name)
        lanes.setdefault((rank, thread), []).append((time_ns / 1e9, what))
    return lanes


def same(a, b):
    if abs(a[0] - b[0]) > 0.51e-6:
        return False
    if a[1][0] == "counter" == b[1][0]:
        return abs(a[1][1] - b[1][1]) <= 0.51e-6
    return a[1] == b[1]


def main():
    text, ours = read_text(sys.argv[1]), read_print(sys.argv[2])
    counts, wrong = {}, []
    if sorted(text) != sorted(ours):
        wrong.append("lines: %s and %s" % (sorted(text), sorted(ours)))
    for lane in sorted(set(text) & set(ours)):
        if len(text[lane]) != len(ours[lane]):
            wrong.append("line %s: %d and %d records" % (lane, len(text[lane]), len(ours[lane])))
        for a, b in zip(text[lane], ours[lane]):
            counts[a[1][0]] = counts.get(a[1][0], 0) + 1
            if not same(a, b):
                wrong.append("line %s: %s and %s" % (lane, a, b))
    print(" ".join("%s=%d" % item for item in sorted(counts.items())) if not wrong else "\n".join(wrong[:10]))
    return 1 if wrong else 0


sys.exit(main())
