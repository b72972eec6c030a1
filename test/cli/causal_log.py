#!/usr/bin/env python3
"""causal_log.py RANKS ROUNDS [coarse]: a dump of `pith print` of a program that never contradicts itself: a ring of
messages out of order of posting, collectives of all directions, blocking and not, on two communicators, threads.
`coarse`: times in whole microseconds."""
import random
import sys

import text_log

ranks, rounds, coarse = int(sys.argv[1]), int(sys.argv[2]), "coarse" in sys.argv
rnd = random.Random(ranks * 1000 + rounds)
now = [1000] * ranks
lines, posted = [], [0] * ranks


def put(rank, kind, rest, thread=0):
    time = now[rank] // 1000 * 1000 if coarse else now[rank]
    lines.append((time, rank, len(lines), text_log.line(time, rank, thread, kind, rest)))


# What a call waits for: "all", "from" the root, the "root" for all, the "lower" ranks, "none"; the standard's rules.
WAITS = {"Barrier": "all", "Allreduce": "all", "Allgather": "all", "Allgatherv": "all", "Alltoall": "all",
         "Reduce_scatter": "all", "Reduce_scatter_block": "all", "Alltoallv": "all", "Alltoallw": "all",
         "Bcast": "from", "Scatter": "from", "Scatterv": "from", "Reduce": "root", "Gather": "root", "Gatherv": "root",
         "Scan": "lower", "Exscan": "lower", "Neighbor_alltoall": "none"}


def enter(rank, name, what, comm, root, loose):
    """The call begins; its parts may be empty where nobody says that none is."""
    waits, is_root = WAITS[what], rank == root
    gives = 0 if what == "Barrier" or (waits == "from" and not is_root) else 8
    gets = 0 if what == "Barrier" or (waits == "from" and is_root) or (waits == "root" and not is_root) else 8
    if what == "Exscan" and comms[comm].index(rank) == 0:
        gets = 0
    now[rank] += rnd.randrange(200, 4000)
    put(rank, "enter", name)
    if what in ("Alltoallv", "Alltoallw") and not loose:
        put(rank, "event", "pith:coll_of_all")
    world = "" if comm else "MPI_COMM_WORLD"
    put(rank, "coll", "%s\tcomm=%d\tbytes=%d\tgot_bytes=%d\troot=%d" % (world, comm, gives, gets, root))
    return now[rank]


def least(rank, what, comm, root, loose, entered):
    waits, members = WAITS[what], comms[comm]
    if loose or waits == "none":
        return 0
    if waits == "all" or (waits == "root" and rank == root):
        return max(entered.values())
    if waits == "lower":
        return max([entered[other] for other in members[:members.index(rank)]], default=0)
    return entered[root] if waits == "from" else 0


def collective(turn):
    what = list(WAITS)[turn % len(WAITS)]
    comm, loose = turn % 2, what in ("Alltoallv", "Alltoallw") and turn % 4 == 3
    starts = turn % 3 == 2 and what != "Neighbor_alltoall"
    root = turn % ranks if WAITS[what] in ("from", "root") else -1
    name = "MPI_I" + what.lower() if starts else ["MPI_%s", "MPI_%s_c", "MPI::Intracomm::%s"][turn // 2 % 3] % what
    entered = {}
    for rank in range(ranks):
        entered[rank] = enter(rank, name, what, comm, root, loose)
        if starts:
            now[rank] += 80
            put(rank, "event", "pith:coll_started\tpayload=request=%d" % (rank + turn % 5))
            put(rank, "leave", name)
            now[rank] += rnd.randrange(100, 3000)
            put(rank, "enter", "MPI_Waitall")
    for rank in range(ranks):
        now[rank] = max(now[rank], least(rank, what, comm, root, loose, entered)) + rnd.randrange(300, 900)
        if starts:
            put(rank, "event", "pith:coll_complete\tpayload=request=%d" % (rank + turn % 5), thread=turn % 2)
        put(rank, "leave", "MPI_Waitall" if starts else name)


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


comms = [list(range(ranks)), list(range(ranks))[::-1]]
print(text_log.comm(0, "MPI_COMM_WORLD", comms[0]))
print(text_log.comm(1, "", comms[1]))
for event in ("started", "complete"):
    print("# event\tname=pith:coll_%s\tcolour=gray50\tgroup=pith\tformat=request=%%d" % event)
for i in range(rounds):
    exchange()
    for turn in range(4 * i, 4 * i + 4 if ranks > 1 else 0):
        collective(turn)
for line in sorted(lines):
    print(line[3])
