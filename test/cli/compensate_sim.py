"""A simulated parallel program beside `pith compensate`: the same program with and without what its recording costs.

compensate_sim.py make PROGRAM COST SEED >log.txt    the log with COST ns a record (COST 0: the plain run)
compensate_sim.py compare PLAIN.txt OTHER.txt        "worst NS run PLAIN_NS OTHER_NS": the largest difference of a record's time
compensate_sim.py order LOG.txt                      "good", or the first place where a lane's times or states are out of order

A rank is a generator of steps; what it waits for is always named, so the order in which ranks are worked on is nothing.
"""
import random
import sys
from collections import defaultdict, deque

LATENCY, CALL, COLL = 2000, 300, 700  # of a message; of a call that need not wait; of a collective behind the last
KINDS = ["enter", "leave", "event", "counter", "send", "recv", "coll"]


class Rank:
    def __init__(self, job, number):
        self.job, self.number, self.now, self.records, self.posted = job, number, 0, [], 0
        self.turn, self.told = 0, 0
        self.random = random.Random(job.seed * 1000 + number)

    def record(self, kind, text, cost=None):
        self.records.append((self.now, self.number, kind + "\t" + text))
        self.now += self.job.cost[kind] if cost is None else cost

    def compute(self, ns):
        self.record("enter", "work")
        self.now += ns
        self.record("leave", "work")

    def own(self, ns):
        """A wrapper spends so much and tells it."""
        if not self.told:
            self.record("counter", "pith:own\tvalue=0")
        if self.job.heavy:
            self.now += ns
        self.told += ns
        self.record("counter", "pith:own\tvalue=%d" % self.told)

    def send(self, to, size=8, own=0):
        self.record("enter", "MPI_Send")
        if own:
            self.own(own)
        self.record("send", "MPI_COMM_WORLD\tcomm=0\tpeer=%d\ttag=1\tbytes=%d" % (to, size))
        self.job.wires[self.number, to].append(self.now)
        self.now += CALL
        self.record("leave", "MPI_Send")

    def got(self, peer, size=8, posted=None):
        posted = self.posted if posted is None else posted
        self.posted = max(self.posted, posted + 1)
        self.record("recv", "MPI_COMM_WORLD\tcomm=0\tpeer=%d\ttag=1\tbytes=%d\tposted=%d" % (peer, size, posted))

    def recv(self, peer, size=8, own=0):
        self.record("enter", "MPI_Recv")
        if own:
            self.own(own)
        while not self.job.wires[peer, self.number]:
            yield
        self.now = max(self.now + CALL, self.job.wires[peer, self.number].popleft() + LATENCY)
        self.got(peer, size)
        self.record("leave", "MPI_Recv")

    def waitall(self, peers):
        """Receives of one moment, which cost their records afterwards."""
        self.record("enter", "MPI_Waitall")
        end = self.now + CALL
        for peer in peers:
            while not self.job.wires[peer, self.number]:
                yield
            end = max(end, self.job.wires[peer, self.number].popleft() + LATENCY)
        self.now = end
        for peer in peers:
            at = self.now
            self.got(peer)
            self.now = at
        self.now += len(peers) * self.job.cost["recv"]
        self.record("leave", "MPI_Waitall")

    def coll(self, name, root=-1):
        self.record("enter", name)
        self.record("coll", "MPI_COMM_WORLD\tcomm=0\troot=%d\tbytes=8\tgot=8" % root)
        here = self.job.colls[self.turn]
        self.turn += 1
        here[self.number] = self.now
        if root < 0 or (root == self.number and name == "MPI_Reduce"):
            while len(here) < self.job.ranks:
                yield
            self.now = max(here.values()) + COLL
        elif name == "MPI_Bcast" and root != self.number:
            while root not in here:
                yield
            self.now = max(self.now + CALL, here[root] + COLL)
        else:
            self.now += CALL
        self.record("leave", name)


def ring(rank):
    n, me = rank.job.ranks, rank.number
    for turn in range(30):
        rank.compute(20000 + rank.random.randrange(9000))
        if me == 0:
            rank.send(1)
            yield from rank.recv(n - 1)
        else:
            yield from rank.recv(me - 1)
            rank.send((me + 1) % n)


def master(rank):
    """The master gives out work in turn and waits for the answers; workers make many records, it makes few."""
    workers = range(1, rank.job.ranks)
    for turn in range(20):
        if rank.number == 0:
            for worker in workers:
                rank.send(worker)
            for worker in workers:
                yield from rank.recv(worker)
        else:
            yield from rank.recv(0)
            for part in range(40):
                rank.compute(1000 + rank.random.randrange(2000))
            rank.send(0)


def wavefront(rank):
    for turn in range(40):
        if rank.number > 0:
            yield from rank.recv(rank.number - 1)
        for part in range(1 + rank.random.randrange(5)):
            rank.compute(3000)
        if rank.number + 1 < rank.job.ranks:
            rank.send(rank.number + 1)


def sort(rank):
    for turn in range(30):
        for part in range(rank.random.randrange(30)):
            rank.compute(rank.random.randrange(4000))
        yield from rank.coll(["MPI_Alltoall", "MPI_Barrier", "MPI_Allreduce"][turn % 3])


def rooted(rank):
    """Roots that are late, and roots that are early; between them ranks with much and with little to record."""
    for turn in range(40):
        for part in range(rank.random.randrange(20)):
            rank.compute(rank.random.randrange(3000))
        yield from rank.coll("MPI_Reduce" if turn % 2 else "MPI_Bcast", turn % 3)
    yield from rank.coll("MPI_Barrier")


def everybody(rank):
    """All to all by messages, one MPI_Waitall for what comes."""
    others = [r for r in range(rank.job.ranks) if r != rank.number]
    for turn in range(20):
        for part in range(rank.random.randrange(20)):
            rank.compute(rank.random.randrange(4000))
        for other in others:
            rank.send(other)
        yield from rank.waitall(others)


def heavy(rank):
    """A wrapper that spends 30 us in each call and tells it."""
    for turn in range(30):
        rank.compute(5000 + rank.random.randrange(9000))
        if rank.number % 2:
            yield from rank.recv(rank.number - 1, own=30000)
            rank.send(rank.number - 1, own=30000)
        else:
            rank.send(rank.number + 1, own=30000)
            yield from rank.recv(rank.number + 1, own=30000)


class Job:
    def __init__(self, program, cost, seed):
        self.ranks, self.seed, self.heavy = 4, seed, cost > 0
        # Each kind costs something else.
        self.cost = {kind: cost * (10 + i) // 10 for i, kind in enumerate(KINDS)}
        self.wires, self.colls = defaultdict(deque), defaultdict(dict)
        members = [Rank(self, number) for number in range(self.ranks)]
        waiting = [program(rank) for rank in members]
        while waiting:
            for steps in list(waiting):
                if next(steps, "over") == "over":
                    waiting.remove(steps)
        self.records = sorted((r for m in members for r in m.records), key=lambda r: r[:2])


def make(program, cost, seed):
    job = Job(globals()[program], cost, seed)
    print("# property\tkey=program\tvalue=" + program)
    if cost:
        print("# property\tkey=own_cost_ns\tvalue=" + " ".join("%s=%d" % c for c in job.cost.items()))
    for rank in range(job.ranks):
        print("# lane\trank=%d\tthread=0\tname=\thost=h" % rank)
    print("# state\tname=work\tcolour=red\tgroup=user")
    for name in sorted({r[2].split("\t")[1] for r in job.records if "MPI_" in r[2] and r[2][:5] == "enter"}):
        print("# state\tname=%s\tcolour=blue\tgroup=MPI" % name)
    print("# time_s\trank\tthread\tkind\tname\tkey=value...")
    for time, rank, text in job.records:
        print("%d.%09d\t%d\t0\t%s" % (time // 10**9, time % 10**9, rank, text))


def read(path):
    lanes = defaultdict(list)
    for line in open(path):
        if not line.startswith("#"):
            fields = line.rstrip("\n").split("\t")
            seconds, _, fraction = fields[0].partition(".")
            lanes[fields[1], fields[2]].append((int(seconds) * 10**9 + int(fraction), fields[3], fields[4], fields))
    return lanes


def end(lanes):
    return max(records[-1][0] for records in lanes.values())


def compare(one, two):
    a, b = read(one), read(two)
    if [(k, [r[1:3] for r in v]) for k, v in sorted(a.items())] != [(k, [r[1:3] for r in v]) for k, v in sorted(b.items())]:
        return "other records"
    worst = max(abs(x[0] - y[0]) for lane in a for x, y in zip(a[lane], b[lane]))
    return "worst %d run %d %d" % (worst, end(a), end(b))


def order(path):
    for lane, records in read(path).items():
        before = 0
        for record in records:
            if record[0] < before:
                return "%s: %s is earlier than the record before it" % (lane, record)
            before = record[0]
    return "good"


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    else:
        print(compare(*sys.argv[2:4]) if sys.argv[1] == "compare" else order(sys.argv[2]))
