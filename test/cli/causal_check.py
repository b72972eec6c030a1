#!/usr/bin/env python3
"""causal_check.py LOG.txt [BEFORE.txt]: counts what contradicts cause and effect in a dump of `pith print`.

Prints "backwards N early M": messages received before they were sent, and ranks that left an MPI_Barrier or
MPI_Allreduce before the last had entered it. With BEFORE: also whether each rank's records are the same, in the same
order, times aside ("order kept"), and the shortest and longest an interval of a rank became ("intervals A to B")."""
import collections
import sys


def ns(text):
    seconds, fraction = text.lstrip("-").split(".")
    value = int(seconds) * 10**9 + int(fraction)
    return -value if text.startswith("-") else value


def read(path):
    lanes = collections.defaultdict(list)
    for line in open(path):
        if not line.startswith("#"):
            fields = line.rstrip("\n").split("\t")
            lanes[(int(fields[1]), int(fields[2]))].append((ns(fields[0]), fields[3:]))
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


def early(lanes):
    meetings = collections.defaultdict(list)
    for lane, records in lanes.items():
        turn, entered = 0, None
        for time, fields in records:
            if len(fields) > 1 and fields[1] in ("MPI_Barrier", "MPI_Allreduce"):
                if fields[0] == "enter":
                    entered = time
                elif fields[0] == "leave" and entered is not None:
                    meetings[turn].append((entered, time))
                    turn += 1
    return sum(left < max(e for e, _ in who) for who in meetings.values() if len(who) == len(lanes) for _, left in who)


lanes = read(sys.argv[1])
print("backwards", sum(got < sent for sent, got in messages(lanes)), "early", early(lanes))
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
