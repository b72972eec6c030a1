#!/usr/bin/env python3
"""compare_clog1.py FILE PRINT: compares a CLOG file of MPE 1, as this reader of it (written from the description of the
format) sees it, with what `pith print` makes of it: for each process the same records in the same order, with times equal to
1 ns. Prints what differs, else how many records agreed by type."""
import collections
import struct
import sys

import text_log


def records(data):
    """(time, type, process, body) of every record."""
    at, block = 0, 65536 if len(data) % 65536 == 0 else 1024
    while at < len(data):
        time, kind, units, process = struct.unpack_from(">diii", data, at)
        if kind == -2:
            return
        if kind == -1:
            at = (at // block + 1) * block
            continue
        yield time, kind, process, data[at + 24:at + 8 * units]
        at += 8 * units
    raise SystemExit("no end of log")


def text(field):
    return field.split(b"\0")[0].decode()


def read_file(path):
    found = list(records(open(path, "rb").read()))
    starts, ends = {}, {}
    for _, kind, _, body in found:
        if kind == 6:
            start, end = struct.unpack(">ii", body[4:12])
            starts[start] = ends[end] = text(body[40:56])
    lanes = collections.defaultdict(list)
    for time, kind, process, body in found:
        def add(*what):
            lanes[process].append((time, what))
        if kind == 4:
            add("comm", "create")
        if kind != 1:
            continue
        number, data = struct.unpack(">ii", body[:8])
        string = text(body[16:32])
        if number in (-101, -102):
            tag, size = string.split()
            add("send" if number == -101 else "recv", data, int(tag), int(size))
        elif number in starts:
            add("enter", starts[number])
            if string:
                add("event", starts[number] + " info", "data=%d string=%s" % (data, string))
        else:
            if string:
                add("event", ends[number] + " info", "data=%d string=%s" % (data, string))
            add("leave", ends[number])
    return lanes


def read_print(path):
    lanes = collections.defaultdict(list)
    for time_ns, rank, _, kind, name, f in text_log.records(open(path)):
        if kind in ("send", "recv"):
            what = (kind, int(f["peer"]), int(f["tag"]), int(f["bytes"]))
        elif kind == "comm":
            what = (kind, f["op"])
        else:
            what = (kind, name) + ((f["payload"],) if kind == "event" else ())
        lanes[rank].append((time_ns / 1e9, what))
    return lanes


wanted, got = read_file(sys.argv[1]), read_print(sys.argv[2])
count = collections.Counter()
if sorted(wanted) != sorted(got):
    raise SystemExit("processes %s, lanes %s" % (sorted(wanted), sorted(got)))
for lane in wanted:
    for w, g in zip(wanted[lane], got[lane]):
        if w[1] != g[1] or abs(w[0] - g[0]) > 1e-9:
            raise SystemExit("process %d: %s became %s" % (lane, w, g))
        count[w[1][0]] += 1
    if len(wanted[lane]) != len(got[lane]):
        raise SystemExit("process %d: %d records became %d" % (lane, len(wanted[lane]), len(got[lane])))
print(" ".join("%s=%d" % c for c in sorted(count.items())))
