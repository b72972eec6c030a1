#!/usr/bin/env python3
"""causal_check.py LOG.txt [BEFORE.txt]: counts what contradicts cause and effect in a dump of `pith print`.

Prints "backwards N early M of L": messages received before they were sent, and how often a rank left a collective, or
was told that it is complete, before others had entered it that MPI's standard makes it wait for, of how many that had
to wait for somebody. With BEFORE: also whether each rank's records are the same, in the same
order, times aside ("order kept"), and the shortest and longest an interval of a rank became ("intervals A to B")."""
import collections
import sys

import text_log


def read(path):
    lanes = collections.defaultdict(list)
    for line in open(path):
        if not line.startswith("#"):
            time, rank, thread, *fields = line.rstrip("\n").split("\t")
            lanes[int(rank), int(thread)].append((text_log.ns(time), fields))
    return lanes


def messages(lanes):
    sends, recvs = collections.defaultdict(list), collections.defaultdict(list)
    for (rank, _), records in lanes.items():
        for time, fields in records:
            if fields[0] in ("send", "recv"):
                facts = dict(field.split("=") for field in fields[2:])
                peer = int(facts["peer"])
                if fields[0] == "send":
                    sends[(facts["comm"], rank, peer, facts["tag"])].append(time)
                elif peer >= 0:
                    recvs[(facts["comm"], peer, rank, facts["tag"])].append((int(facts["posted"]), time))
    return [(sent, got) for path in sends
            for sent, (_, got) in zip(sorted(sends[path]), sorted(recvs.get(path, [])))]


ALL = """barrier allreduce allgather allgatherv alltoall alltoallv alltoallw reduce_scatter
      reduce_scatter_block win_fence""".split()
FROM, TO, LOWER = "bcast scatter scatterv".split(), "reduce gather gatherv".split(), "scan exscan".split()


class Part:
    """What one rank did in a collective."""
    def __init__(self, rank, call, time, facts, of_all):
        self.rank, self.call, self.entered, self.left, self.root = rank, call, time, None, int(facts["root"])
        bare = call in ("barrier", "win_fence")
        self.gives, self.gets = bare or int(facts["bytes"]) > 0, bare or int(facts["got_bytes"]) > 0
        if call in ("alltoallv", "alltoallw", "win_fence"):
            self.gets = of_all

    def needs(self, parts):
        """When those were there that it had to wait for, besides itself; None: for nobody."""
        if not self.gets:
            return None
        order = [part.rank for part in parts]
        others = [part for part in parts if part.gives and part is not self and (
            self.call in ALL or (self.call in FROM and part.rank == self.root) or
            (self.call in TO and self.rank == self.root) or
            (self.call in LOWER and order.index(part.rank) < order.index(self.rank)))]
        return max([part.entered for part in others], default=None)


def parts_of(lanes):
    """{(communicator, how manieth): [Part]}"""
    meetings, turns, requests = collections.defaultdict(list), collections.Counter(), {}
    inside, now, started, of_all = collections.defaultdict(list), {}, {}, set()
    rows = ((time, lane, fields) for lane in lanes for time, fields in lanes[lane])
    for time, lane, fields in sorted(rows, key=lambda row: row[0]):
        rank, kind, name = lane[0], fields[0], fields[1] if len(fields) > 1 else ""
        if kind == "enter":
            inside[lane].append(name)
        elif kind == "leave":
            if lane in now and now[lane][0] == name:
                now.pop(lane)[1].left = time
            if name in inside[lane]:
                inside[lane].remove(name)
        elif kind == "coll":
            facts = dict(field.split("=", 1) for field in fields[2:])
            state = inside[lane][-1] if inside[lane] else ""
            call = state.split(":")[-1].replace("MPI_", "").replace("_c", "").lower() if state.startswith("MPI") else ""
            starts = call.startswith("i") and call[1:] in ALL + FROM + TO + LOWER
            part = Part(rank, call[1:] if starts else call, time, facts, lane in of_all)
            of_all.discard(lane)
            if starts:
                started[lane] = part
            else:
                now[lane] = (state, part)
            meetings[(facts["comm"], turns[(facts["comm"], rank)])].append(part)
            turns[(facts["comm"], rank)] += 1
        elif kind == "event" and name == "pith:coll_of_all":
            of_all.add(lane)
        elif kind == "event" and name == "pith:coll_started":
            requests[(rank, fields[2])] = started.pop(lane, None)
        elif kind == "event" and name == "pith:coll_complete":
            part = requests.pop((rank, fields[2]), None)
            if part:
                part.left = time
    return meetings


def early(lanes, comms):
    count = of = 0
    for (comm, _), parts in parts_of(lanes).items():
        members = comms.get(comm) or sorted({rank for rank, _ in lanes})
        by_rank = {part.rank: part for part in parts}
        if sorted(members) != sorted(by_rank):
            continue
        parts = [by_rank[rank] for rank in members]
        for part in parts:
            needed = part.needs(parts)
            if needed is not None and part.left is not None:
                of += 1
                count += part.left < needed
    return count, of


def comms_of(path):
    rows = [line.rstrip("\n").split("\t")[1:] for line in open(path) if line.startswith("# comm\t")]
    comms = [dict(field.split("=", 1) for field in row) for row in rows]
    return {comm["comm"]: [int(rank) for rank in comm["ranks"].split(",")] for comm in comms if comm.get("ranks")}


lanes = read(sys.argv[1])
backwards = sum(got < sent for sent, got in messages(lanes))
print("backwards %d early %d of %d" % (backwards, *early(lanes, comms_of(sys.argv[1]))))
if len(sys.argv) > 2:
    old = read(sys.argv[2])
    same = old.keys() == lanes.keys() and all(
        [f for _, f in old[lane]] == [f for _, f in lanes[lane]] for lane in old)
    print("order kept" if same else "order changed")
    ratios = []
    for lane in old:
        for i in range(1, len(old[lane])):
            was = old[lane][i][0] - old[lane][i - 1][0]
            if was >= 10000:
                ratios.append((lanes[lane][i][0] - lanes[lane][i - 1][0]) / was)
    print("intervals %.3f to %.3f" % (min(ratios), max(ratios)))
