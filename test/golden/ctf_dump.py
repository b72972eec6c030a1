#!/usr/bin/env python3
"""ctf_dump.py: what `babeltrace2 --clock-cycles --no-delta` prints of a log, on standard input, as `pith print` has it,
sorted by time, rank and thread. Fails at a line that it does not understand."""
import re
import sys

LINE = re.compile(r"\[(\d+)\] (\w+): \{ rank = (-?\d+), thread = (\d+) \}, \{ ?(.*?) ?\}$")
FIELD = re.compile(r'(\w+) = (\( "((?:[^"\\]|\\.)*)" : container = (\d+) \)|"((?:[^"\\]|\\.)*)"|[^ ,]+)(?:, |$)')
plain = lambda text: re.sub(r"\\(.)", r"\1", text)


def fields(text):
    found, at = {}, 0
    while at < len(text):
        m = FIELD.match(text, at)
        assert m, text[at:]
        at = m.end()
        if m[3] is not None:
            name = plain(m[3])
            found[m[1]] = "" if name == "(no name)" else name
            found[m[1] + " number"] = m[4]
        else:
            found[m[1]] = plain(m[5]) if m[5] is not None else m[2]
    return found


def tell(kind, f):
    if kind in ("enter", "leave"):
        return kind, f["state"]
    if kind == "event":
        return (kind, f["name"], "payload=" + f["payload"]) if "payload" in f else (kind, f["name"])
    if kind == "counter":
        return kind, f["counter"], "value=%g" % float(f["value"])
    if kind == "lost":
        return kind, "", "count=" + f["count"]
    if kind in ("pause", "resume"):
        return kind, ""
    comm = f["comm"], "comm=" + f["comm number"]
    if kind in ("comm_create", "comm_free"):
        return "comm", *comm, "op=" + kind[5:]
    if kind == "collective":
        return "coll", *comm, "bytes=" + f["bytes"], "got_bytes=" + f["got_bytes"], "root=" + f["root"]
    assert kind in ("send", "recv"), kind
    rest = [k + "=" + f[k] for k in ("peer", "tag", "bytes") + (("posted",) if kind == "recv" else ())]
    return kind, *comm, *rest


lines = []
for line in sys.stdin:
    m = LINE.match(line.rstrip("\n"))
    assert m, line
    ns, rank, thread = int(m[1]), int(m[3]), int(m[4])
    lines.append(((ns, rank, thread), tell(m[2], fields(m[5]))))
lines.sort(key=lambda one: one[0])
for (ns, rank, thread), what in lines:
    print("%d.%09d\t%d\t%d\t%s" % (ns // 10**9, ns % 10**9, rank, thread, "\t".join(what)))
