#!/usr/bin/env python3
"""alog_check.py FILE: checks that upshot and nupshot would take an ALOG file; written from the description of the format alone.
Prints "BAD ..." lines, or how many events of each kind there are."""
import re
import sys

LINE = re.compile(rb"-?\d+ \d+ -?\d+ -?\d+ \d+ \d+( [^\x00-\x1f\x7f]*)?$")
HEADER_ORDER = [-1, -2, -3, -4, -5, -6, -7, -8, -11, -9, -10, -13, -15]
bad = []


def check(condition, number, text):
    if not condition:
        bad.append("line %d: %s" % (number, text))


def main():
    data = open(sys.argv[1], "rb").read()
    check(data.endswith(b"\n"), 0, "no newline at the end")
    head, place, events, last, names, starts, ends, opened = {}, 0, 0, 0, set(), {}, {}, {}
    described, counts, types = set(), {}, set()
    for number, raw in enumerate(data.split(b"\n")[:-1], 1):
        check(LINE.match(raw), number, "six numbers and a comment, each behind one blank")
        check(len(raw) < 1023, number, "longer than the buffer of a reader")
        kind, proc, task, value, _, time = (int(word) for word in raw.split(b" ")[:6])
        comment = b" ".join(raw.split(b" ")[6:])
        check(len(comment) < 100, number, "a comment longer than nupshot keeps")
        if -100 <= kind < 0:
            check(events == 0, number, "a header line behind an event")
            check(kind in HEADER_ORDER and HEADER_ORDER.index(kind) >= place, number, "header lines out of order")
            place = HEADER_ORDER.index(kind)
            head[kind] = (value, time)
            if kind == -13:
                first, _, name = comment.partition(b" ")
                check(re.match(rb"[#A-Za-z0-9]+:[a-z0-9_]+$", first) and name, number, "COLOR:BITMAP NAME")
                check(name not in names and task not in starts, number, "a state twice")
                names.add(name)
                starts[task], ends[value] = name, name
            elif kind == -9:
                described.add(value)
            continue
        events += 1
        check(time >= last, number, "time falls")
        check(0 <= proc < head[-3][0], number, "process out of range")
        last = time
        if kind in (-101, -102):
            check(re.match(rb"-?\d+ \d+$", comment) and 0 <= value < head[-3][0], number, "partner, tag and size")
        else:
            types.add(kind)
            check(kind in starts or kind in ends or kind in described, number, "no definition")
            key = (proc, starts.get(kind) or ends.get(kind))
            opened[key] = opened.get(key, 0) + (1 if kind in starts else -1 if kind in ends else 0)
            check(opened[key] >= 0, number, "an end without a start")
        what = {-101: "send", -102: "recv"}.get(kind, "start" if kind in starts else "end" if kind in ends else "event")
        counts[what] = counts.get(what, 0) + 1
    check(all(kind in head for kind in (-1, -2, -3, -4, -5, -6, -7, -8, -11)), 0, "header line missing")
    check(head[-2][0] == events, 2, "number of events")
    check(head[-5][0] == len(types | set(starts) | set(ends)), 5, "number of event types")
    check(head[-7][1] > head[-6][1] and head[-7][1] >= last, 7, "end time")
    check(not any(opened.values()), 0, "a state open at the end")
    print("\n".join("BAD " + text for text in bad[:20]) or " ".join("%s=%d" % item for item in sorted(counts.items())))
    return 1 if bad else 0


sys.exit(main())
