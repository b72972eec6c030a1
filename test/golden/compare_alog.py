#!/usr/bin/env python3
"""compare_alog.py ALOG PRINT: compares the event lines of an ALOG file with what `pith print` makes of them: for each
process the same records in the same order at the same times. Prints what differs, else how many records agreed by
kind."""
import sys

import text_log


def read_alog(path):
    rows = [line.split(None, 6) for line in open(path) if line.strip()]
    head = {int(r[0]): r for r in rows if -100 <= int(r[0]) < 0}
    start = float(head[-6][5])
    starts, ends, lanes = {}, {}, {}
    for r in rows:
        if int(r[0]) == -13:
            name = r[6].strip().split(None, 1)[1]
            starts[int(r[2])], ends[int(r[3])] = name, name
    for r in rows:
        kind, proc, data = int(r[0]), int(r[1]), int(r[3])
        if -100 <= kind < 0:
            continue
        if kind in (-101, -102):
            tag, size = r[6].split()
            what = ("send" if kind == -101 else "recv", data, int(tag), int(size))
        elif kind in starts:
            what = ("enter", starts[kind])
        elif kind in ends:
            what = ("leave", ends[kind])
        else:
            what = ("event", "event %d" % kind)
        lanes.setdefault(proc, []).append((round((float(r[5]) - start) * 1000), what))
    return lanes


def read_print(path):
    lanes = {}
    for time_ns, rank, _, kind, name, f in text_log.records(open(path)):
        what = (kind, int(f["peer"]), int(f["tag"]), int(f["bytes"])) if kind in ("send", "recv") else (kind, name)
        lanes.setdefault(rank, []).append((time_ns, what))
    return lanes


def main():
    file, ours = read_alog(sys.argv[1]), read_print(sys.argv[2])
    wrong = [] if sorted(file) == sorted(ours) else ["processes %s and %s" % (sorted(file), sorted(ours))]
    counts = {}
    for proc in sorted(set(file) & set(ours)):
        if len(file[proc]) != len(ours[proc]):
            wrong.append("process %d: %d and %d records" % (proc, len(file[proc]), len(ours[proc])))
        for a, b in zip(file[proc], ours[proc]):
            counts[a[1][0]] = counts.get(a[1][0], 0) + 1
            if a != b:
                wrong.append("process %d: %s and %s" % (proc, a, b))
    print(" ".join("%s=%d" % item for item in sorted(counts.items())) if not wrong else "\n".join(wrong[:10]))
    return 1 if wrong else 0


sys.exit(main())
