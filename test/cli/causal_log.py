#!/usr/bin/env python3
"""causal_log.py RANKS ROUNDS [coarse]: a dump of `pith print` of a program that never contradicts itself: a ring of
messages out of order of posting, collectives of all directions, threads. `coarse`: times in whole microseconds."""
import random
import sys

ranks, rounds, coarse = int(sys.argv[1]), int(sys.argv[2]), "coarse" in sys.argv
rnd = random.Random(ranks * 1000 + rounds)
now = [1000] * ranks
lines, posted = [], [0] * ranks


def put(rank, kind, rest, thread=0):
    time = now[rank] // 1000 * 1000 if coarse else now[rank]
    lines.append((time, rank, len(lines), "%d.%09d\t%d\t%d\t%s\t%s" % (time // 10**9, time % 10**9, rank, thread, kind, rest)))


def collective(name, root, waits):
    entered = []
    for rank in range(ranks):
        now[rank] += rnd.randrange(200, 4000)
        entered.append(now[rank])
        put(rank, "enter", name)
        put(rank, "coll", "MPI_COMM_WORLD\tcomm=0\tbytes=%d\tgot_bytes=%d\troot=%d" % (
            0 if name == "MPI_Barrier" else 8, 0 if name == "MPI_Barrier" else 8, root))
    for rank in range(ranks):
        least = max(entered) if waits == "all" or (waits == "root" and rank == root) else entered[root] if waits == "from" else 0
        now[rank] = max(now[rank], least) + rnd.randrange(300, 900)
        put(rank, "leave", name)


def exchange():
    sent = []
    for rank in range(ranks):
        put(rank, "enter", "work")
        now[rank] += rnd.randrange(500, 9000)
        put(rank, "event", "mark", thread=1)
        put(rank, "leave", "work")
        now[rank] += 50
        put(rank, "enter", "MPI_Send")
        for tag in (1, 2):
            put(rank, "send", "MPI_COMM_WORLD\tcomm=0\tpeer=%d\ttag=%d\tbytes=8" % ((rank + 1) % ranks, tag))
        sent.append(now[rank])
        now[rank] += 100
        put(rank, "leave", "MPI_Send")
    for rank in range(ranks):
        now[rank] += 30
        put(rank, "enter", "MPI_Waitall")
        now[rank] = max(now[rank], sent[rank - 1] + 700) + rnd.randrange(0, 400)
        for tag in (2, 1):  # the one posted later is told first
            put(rank, "recv", "MPI_COMM_WORLD\tcomm=0\tpeer=%d\ttag=%d\tbytes=8\tposted=%d" % ((rank - 1) % ranks, tag, posted[rank] + tag - 1))
        posted[rank] += 2
        now[rank] += 20
        put(rank, "leave", "MPI_Waitall")


for i in range(rounds):
    exchange()
    name, root, waits = [("MPI_Barrier", -1, "all"), ("MPI_Bcast", i % ranks, "from"), ("MPI_Reduce", i % ranks, "root"),
                         ("MPI_Allreduce", -1, "all"), ("MPI_Scan", -1, "none")][i % 5]
    if ranks > 1:
        collective(name, root, waits)
for line in sorted(lines):
    print(line[3])
