#!/usr/bin/env python3
"""compare_picl.py FILE PRINT: compares a PICL file of compact lines, as this reader of it (written from the description of
the format) sees it, with what `pith print` makes of it: for each node the same records at the same times. Prints what
differs, else how many records agreed by type."""
import collections
import sys

import text_log

OWN = {-1: "barrier", -2: "bcast0", -3: "bcast1", -4: "globalOp"}
LASTS = {4: ("send", "send"), 6: ("recv", "recv"), 10: ("sync", None)}


def read_file(path):
    lanes, lasting = collections.defaultdict(list), {}
    lines = [list(map(int, line.split())) for line in open(path) if line.strip()]
    first = min((s, us) for _, s, us, *_ in lines)
    for kind, s, us, node, *rest in lines:
        time = (s - first[0]) * 1000000 + us - first[1]
        out = lanes[node]
        if kind in LASTS:
            lasting[node] = [2, LASTS[kind], rest, time]
        elif kind == 11 and node in lasting:
            lasting[node][0] -= 1
            if lasting[node][0] == 0:
                _, (state, message), values, begun = lasting.pop(node)
                alone = message and begun == time  # a message without a state
                out.extend([] if alone else [(begun, ("enter", state))])
                if message:
                    out.append((time, (message,) + tuple(values[:3])))
                out.extend([] if alone else [(time, ("leave", state))])
        elif kind in (20, 21):
            out.append((time, ("enter" if kind == 20 else "leave", OWN.get(rest[0], "block %d" % rest[0]))))
        elif kind in (5, 7, 8, 15, 16):
            raise SystemExit("records of type %d are not compared" % kind)
    return lanes


def read_print(path):
    lanes = collections.defaultdict(list)
    for time_ns, rank, _, kind, name, f in text_log.records(open(path)):
        what = (kind, int(f["peer"]), int(f["tag"]), int(f["bytes"])) if kind in ("send", "recv") else (kind, name)
        lanes[rank].append((round(time_ns / 1e3), what))
    return lanes


wanted, got = read_file(sys.argv[1]), read_print(sys.argv[2])
for lane in sorted(set(wanted) | set(got)):
    if wanted[lane] != got[lane]:
        differ = [(w, g) for w, g in zip(wanted[lane], got[lane]) if w != g]
        raise SystemExit("node %d: %d records became %d; %s" % (lane, len(wanted[lane]), len(got[lane]), differ[:2]))
count = collections.Counter(what[0] for lane in wanted.values() for _, what in lane)
print(" ".join("%s=%d" % c for c in sorted(count.items())))
