#!/usr/bin/env python3
"""Counts the collectives of logs again, from their records, and compares them with pith analyze --json.

collectives_check.py ANALYSIS RECORDS ...: pairs of files; RECORDS is what pith print gives. Says how many functions, and
how many of them send."""
import collections
import json
import sys

import text_log

MOVING = "Allreduce Allgather Allgatherv Alltoall Alltoallv Alltoallw Reduce_scatter Reduce_scatter_block Bcast Scatter " \
         "Scatterv Reduce Gather Gatherv Scan Exscan Barrier".split()
NEIGHBOURS = ["Neighbor_" + name for name in "allgather allgatherv alltoall alltoallv alltoallw".split()]
CALLS = {"MPI_" + name + wide for name in MOVING + NEIGHBOURS for wide in ("", "_c")}
CALLS |= {"MPI_I" + name[4].lower() + name[5:] for name in CALLS}
KEPT = {"MPI_" + name + "_init" + wide for name in MOVING + NEIGHBOURS for wide in ("", "_c")}


def counted(window, path):
    """[(function, rank, bytes, got_bytes)] of the calls in the window."""
    open_of, kept, restarted, calls = collections.defaultdict(list), {}, {}, []
    for record in text_log.records(open(path)):
        lane = record.rank, record.thread
        states = open_of[lane]
        outer = next((state for state in states if state["name"].startswith("MPI_")), None)
        request = (record.rank, record.fields.get("payload", "").split(" ")[0])
        if record.kind == "enter":
            states.append({"name": record.name, "begin": record.ns, "end": None, "told": 0, "is_outer": not outer})
            if not outer:
                calls.append((record.rank, states[-1], None, None))
        elif record.kind == "leave" and states:
            states.pop()["end"] = record.ns
        elif record.name == "pith:coll_kept":
            kept[request] = outer["name"]
        elif record.name == "pith:coll_started" and outer["name"] in ("MPI_Start", "MPI_Startall"):
            restarted[lane] = kept[request]
        elif record.kind == "coll" and outer:
            outer["told"] += 1
            name = restarted.pop(lane, outer["name"])
            calls.append((record.rank, outer, name, (int(record.fields["bytes"]), int(record.fields["got_bytes"]))))
    for rank, call, name, told in calls:
        end = window["to_ns"] if call["end"] is None else call["end"]
        if call["begin"] >= window["to_ns"] or end <= window["from_ns"]:
            continue
        if told and name in CALLS | KEPT:
            yield (name, rank) + told
        elif not told and not call["told"] and call["name"] in CALLS:
            yield call["name"], rank, 0, 0


def functions(calls):
    of = collections.defaultdict(list)
    for name, *call in calls:
        of[name].append(call)
    for name, all_calls in of.items():
        by_rank = collections.Counter()
        for rank, sent, _ in all_calls:
            by_rank[rank] += sent
        total = sum(by_rank.values())
        wanted = {"function": name, "calls": len(all_calls), "ranks": len(by_rank), "bytes": total,
                  "calls_without_bytes": sum(not sent and not got for _, sent, got in all_calls),
                  "got_bytes": sum(got for _, _, got in all_calls), "mean_bytes": total / len(by_rank)}
        if total:
            top, most = min(by_rank.items(), key=lambda item: (-item[1], item[0]))
            wanted["top_sender"] = {"from": top, "bytes": most}
        yield wanted


count = sending = 0
for analysis, records in zip(sys.argv[1::2], sys.argv[2::2]):
    found = json.load(open(analysis))
    wanted = sorted(functions(counted(found["window"], records)),
                    key=lambda of: (-of["bytes"], -of["calls"], of["function"]))
    got = found["communication"]["collectives"]
    for of in got + wanted:
        of["mean_bytes"] = round(of["mean_bytes"], 6)
    if got != wanted:
        sys.exit("%s:\n# got %s\n# wanted %s" % (records, [of for of in got if of not in wanted] or got,
                                                 [of for of in wanted if of not in got] or wanted))
    count += len(wanted)
    sending += sum("top_sender" in of for of in wanted)
print(count, sending)
