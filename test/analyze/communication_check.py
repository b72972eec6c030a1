#!/usr/bin/env python3
"""Counts the messages of a log again, from its records, and compares them with pith analyze --json.

communication_check.py ANALYSIS RECORDS"""
import collections
import json
import sys

LATE_NS = 10000
analysis = json.load(open(sys.argv[1]))
found, window = analysis["communication"], analysis["window"]
sends, receives, opened = collections.defaultdict(list), collections.defaultdict(list), collections.defaultdict(list)
for line in open(sys.argv[2]):
    record = json.loads(line)
    kind, rank = record.get("kind"), record.get("rank")
    now = round(record.get("time_s", 0) * 1e9)
    stack = opened[rank, record.get("thread")]
    if kind == "enter":
        stack.append({"name": record["name"], "begin": now, "end": None})
    elif kind == "leave":
        stack.pop()["end"] = now
    elif kind in ("send", "recv"):
        call = next(state for state in stack if state["name"].startswith("MPI_"))
        if kind == "send":
            sends[rank, record["peer"], record["comm"], record["tag"]].append((call, record["bytes"]))
        else:
            receives[record["peer"], rank, record["comm"], record["tag"]].append((call, record["bytes"]))

Sum = collections.namedtuple("Sum", "messages bytes")
pairs, by_sender, by_receiver = ({} for _ in range(3))
calls = waited = 0
def add(sums, key, size):
    old = sums.get(key, Sum(0, 0))
    sums[key] = Sum(old.messages + 1, old.bytes + size)
for (source, target, comm, tag), all_received in receives.items():
    for (send, size), (receive, got) in zip(sends[source, target, comm, tag], all_received):
        assert size == got
        add(pairs, (source, target), size)
        add(by_sender, source, size)
        add(by_receiver, target, size)
        if send["name"] == "MPI_Send" and receive["name"] in ("MPI_Recv", "MPI_Sendrecv") \
                and send["begin"] <= receive["begin"] - LATE_NS:
            calls += 1
            waited += send["end"] >= receive["begin"]

number = 0
def same(got, wanted, what):
    global number
    number += 1
    print("%s %d - %s" % ("ok" if got == wanted else "not ok", number, what))
    if got != wanted:
        print("# got %s\n# wanted %s" % (got, wanted))
total = sum(pair.messages for pair in pairs.values())
same(found["messages"], total, "messages")
same(found["bytes"], sum(pair.bytes for pair in pairs.values()), "bytes")
rate = 1e9 * total / (window["to_ns"] - window["from_ns"])
same(abs(found["messages_a_second"] / rate - 1) < 1e-9, True, "messages a second")
def sent(key, of): return {"from": key, "messages": of.messages, "bytes": of.bytes}
top = sorted(pairs.items(), key=lambda item: (-item[1].bytes, item[0]))[:3]
same(found["pairs"], [dict(sent(key[0], of), to=key[1]) for key, of in top], "pairs")
same(found["senders"], len(by_sender), "ranks that send")
same(found["top_sender"], sent(*min(by_sender.items(), key=lambda item: (-item[1].bytes, item[0]))), "the largest one")
same(found["busiest_sender"], sent(*min(by_sender.items(), key=lambda item: (-item[1].messages, item[0]))),
     "that with most messages")
key, of = min(by_receiver.items(), key=lambda item: (-item[1].bytes, item[0]))
received = found["top_receiver"]
same((received["to"], received["messages"], received["bytes"], received["senders"]),
     (key, of.messages, of.bytes, len({pair[0] for pair in pairs if pair[1] == key} - {key})), "the largest receiver")
late = found.get("late_receivers")
if late:
    sizes = late["waiting_sends"], late["other_sends"]
    same((sum(of["calls"] for of in sizes), sum(of["waited"] for of in sizes)), (calls, waited), "sends that waited")
else:
    print("# no limit: %d of %d sends waited" % (waited, calls))
