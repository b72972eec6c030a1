#!/usr/bin/env python3
"""Logs of nonblocking receives in random order, and their overlap by its definition: every microsecond is looked at.

overlap_check.py make SEED LOG         the log in text, and the wanted figures in LOG.json
overlap_check.py check LOG ANALYSIS    compares them with pith analyze --json"""
import json
import random
import sys

RANKS = 3


def write(seed, path):
    chance = random.Random(seed)
    records, ranks = [], []
    messages = [[] for _ in range(RANKS)]  # by receiver
    calls = [[] for _ in range(RANKS)]     # (begin, end) in us

    def call(rank, name, begin, length, inside=()):
        records.append((begin, rank, "enter\t" + name))
        records.extend((begin if what.startswith("send") else begin + length, rank, what) for what in inside)
        records.append((begin + length, rank, "leave\t" + name))
        calls[rank].append((begin, begin + length))
        return begin + length

    now = [0] * RANKS
    for tag in range(chance.randint(3, 30)):
        source, target = chance.sample(range(RANKS), 2)
        size = chance.randint(1, 100000)
        fields = "tag=%d\tbytes=%d" % (tag, size)
        now[source] = call(source, "MPI_Send", now[source], chance.randint(2, 5),
                           ["send\t\tcomm=0\tpeer=%d\t%s" % (target, fields)]) + chance.randint(1, 9)
        messages[target].append("recv\t\tcomm=0\tpeer=%d\t%s\tposted=%%d" % (source, fields))
    for rank in range(RANKS):
        time, left, posted, under_way, done = 1000, messages[rank], 0, [], []
        while left or under_way:
            time += chance.choice((0, 1, 5, 40)) + 1
            what = chance.random()
            if what < 0.1:
                time = call(rank, "MPI_Comm_rank", time, 2)
            elif left and what < 0.2:
                time = call(rank, "MPI_Recv", time, chance.randint(2, 30), [left.pop() % posted])
                posted += 1
            elif left and what < 0.6:
                under_way.append((time, left.pop() % posted))
                posted += 1
                time = call(rank, "MPI_Irecv", time, 2)
            elif under_way and what < 0.9:
                begin, message = under_way.pop(chance.randrange(len(under_way)))
                end = call(rank, "MPI_Wait", time, chance.randint(2, 30), [message])
                done.append((begin, time, end))
                time = end
            elif under_way:
                end = call(rank, "MPI_Waitall", time, chance.randint(2, 30), [of[1] for of in under_way])
                done += [(begin, time, end) for begin, _ in under_way]
                under_way, time = [], end
        in_mpi = {us for begin, end in calls[rank] for us in range(begin, end)}
        if done:
            ranks.append({"rank": rank, "messages": len(done), "ns": 1000 * sum(end - begin for begin, _, end in done),
                          "computing_ns": 1000 * sum(us not in in_mpi for begin, _, end in done for us in range(begin, end)),
                          "waiting_ns": 1000 * sum(end - wait for _, wait, end in done)})
    total = {key: sum(of[key] for of in ranks) for key in ("messages", "ns", "computing_ns", "waiting_ns")}
    json.dump(dict(total, ranks=ranks) if ranks else None, open(path + ".json", "w"))
    with open(path, "w") as out:
        out.write("# comm\tcomm=0\tname=MPI_COMM_WORLD\tsize=%d\tranks=%s\n" % (RANKS, ",".join(map(str, range(RANKS)))))
        for us, rank, what in sorted(records, key=lambda record: record[0]):
            out.write("%.9f\t%d\t0\t%s\n" % (us / 1e6, rank, what))


if sys.argv[1] == "make":
    write(int(sys.argv[2]), sys.argv[3])
else:
    wanted = json.load(open(sys.argv[2] + ".json"))
    got = json.load(open(sys.argv[3]))["communication"].get("overlap")
    if got != wanted:
        sys.exit("# got %s\n# wanted %s" % (got, wanted))
