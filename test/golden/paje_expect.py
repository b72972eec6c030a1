#!/usr/bin/env python3
"""paje_expect.py: what `pj_dump -l 9` must print of a log written as Paje, made from the lines of `pith print` on standard
input: every state with its times and depth, event, value of a variable and link; sorted. The first record is at time 0; with a
second argument, times stay. With --dump it puts what
pj_dump prints, on standard input, into the same form: without containers, keys of links and ends of variables."""
import sys
from collections import defaultdict


def from_dump():
    for line in sys.stdin:
        kind = line.split(",", 1)[0]
        if kind == "Link":
            yield line.rstrip("\n").rsplit(", ", 1)[0]
        elif kind == "Variable":
            what, start, _, _, value = line.rstrip("\n").rsplit(", ", 4)
            yield "%s, %s, %.5g" % (what, start, float(value))
        elif kind in ("State", "Event"):
            yield line.rstrip("\n")


quoted = lambda text: text.replace('"', "'") or "(none)"
lanes, stacks, sends, receives, lines, last = {}, defaultdict(list), defaultdict(list), defaultdict(list), [], 0


def field(fields, key):
    return next((f[len(key) + 1:] for f in fields if f.startswith(key + "=")), "")


def state(lane, name, start, end, depth):
    lines.append("State, %s, State, %.9f, %.9f, %.9f, %.9f, %s" %
                 (lanes[lane], start / 1e9, end / 1e9, (end - start) / 1e9, depth, quoted(name)))


def leave(lane, name, ns):
    """The innermost state of that name ends; those inside of it end with it and begin again."""
    stack = stacks[lane]
    at = max((i for i, s in enumerate(stack) if s[0] == name), default=None)
    if at is None:
        return
    for depth in range(len(stack) - 1, at - 1, -1):
        state(lane, *stack[depth], ns, depth)
    stacks[lane] = stack[:at] + [(s[0], ns) for s in stack[at + 1:]]


def record(ns, lane, kind, name, fields):
    if kind == "enter":
        stacks[lane].append((name, ns))
    elif kind == "leave":
        leave(lane, name, ns)
    elif kind in ("event", "pause", "resume", "lost"):
        own = {"pause": "recording paused", "resume": "recording resumed", "lost": "records lost"}
        value = field(fields, "payload") or name if kind == "event" else field(fields, "count") or "0"
        lines.append("Event, %s, %s, %.9f, %s" % (lanes[lane], own.get(kind) or quoted(name), ns / 1e9, quoted(value)))
    elif kind == "counter":
        lines.append("Variable, %s, %s, %.9f, %.5g" % (lanes[lane], quoted(name), ns / 1e9, float(field(fields, "value"))))
    elif kind in ("send", "recv"):
        peer = int(field(fields, "peer"))
        pair = (lane[0], peer) if kind == "send" else (peer, lane[0])
        key = (field(fields, "comm"), *pair, field(fields, "tag"))
        if kind == "send":
            sends[key].append((ns, lane, quoted(name)))
        else:
            receives[key].append((int(field(fields, "posted")), ns, lane))


def links():
    for key, sent in sends.items():
        for (start, a, name), (_, end, b) in zip(sent, sorted(receives[key])):
            lines.append("Link, %s, Message, %.9f, %.9f, %.9f, %s, %s, %s" %
                         (program, start / 1e9, end / 1e9, (end - start) / 1e9, name, lanes[a], lanes[b]))


if sys.argv[1] == "--dump":
    print("\n".join(sorted(from_dump())))
    sys.exit()
program, first = sys.argv[1], 0 if sys.argv[2:] else None
for line in sys.stdin:
    f = line.rstrip("\n").split("\t")
    if f[0] == "# lane":
        lane = int(field(f, "rank")), int(field(f, "thread"))
        lanes[lane] = ("%d.%d %s" % (*lane, quoted(field(f, "name")) if field(f, "name") else "")).rstrip()
    elif not line.startswith("#"):
        ns = int(f[0].replace(".", ""))
        first = ns if first is None else first
        last = ns - first
        record(last, (int(f[1]), int(f[2])), f[3], f[4], f[5:])
for lane, stack in stacks.items():
    for depth, (name, start) in enumerate(stack):
        state(lane, name, start, last, depth)
links()
print("\n".join(sorted(lines)))
