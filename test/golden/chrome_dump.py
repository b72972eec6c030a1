#!/usr/bin/env python3
"""chrome_dump.py FILE: what a trace of chrome://tracing holds, as perfetto_dump.py has it."""
import json
import sys
from decimal import Decimal

stacks, lines, flows, known = {}, [], {}, set()
for e in json.load(open(sys.argv[1]), parse_float=Decimal)["traceEvents"]:
    place = e["pid"], e["tid"]
    if e["ph"] == "M":
        assert e["name"] in ("process_name", "thread_name")
        known.add(place)
        continue
    assert place in known
    s = Decimal(e["ts"]) / 1000000
    if e["ph"] == "B":
        assert e["cat"]
        stacks.setdefault(place, []).append(e["name"])
        lines.append((s, *place, "enter", e["name"]))
    elif e["ph"] == "E":
        lines.append((s, *place, "leave", stacks[place].pop()))
    elif e["ph"] == "i":
        assert e["s"] == "t"
        lines.append((s, *place, "event", e["name"]))
    elif e["ph"] == "C":
        assert e.get("id", 0) == e["tid"]
        lines.append((s, *place, "counter", "%s=%g" % (e["name"], e["args"]["value"])))
    else:
        flows.setdefault(e["id"], {})[e["ph"]] = (s, e["pid"], e["args"])
assert not any(stacks.values())
for line in lines:
    print("%.9f\t%d\t%d\t%s\t%s" % line)
for flow in sorted(flows.values(), key=lambda ends: ends["s"][:2]):
    a, b = flow["s"], flow["f"]
    assert a[2]["peer"] == b[1] and b[2]["peer"] == a[1]
    print("%.9f\t%d\tto\t%d\t%.9f\ttag=%d\tbytes=%d" % (a[0], a[1], b[1], b[0], b[2]["tag"], b[2]["bytes"]))
