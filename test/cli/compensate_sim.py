"""A simulated parallel program beside `pith compensate`: the same program with and without what its recording costs.

compensate_sim.py make PROGRAM COST SEED >log.txt    the log with COST ns a record (COST 0: the plain run)
compensate_sim.py compare PLAIN.txt OTHER.txt...     "worst NS run PLAIN_NS OTHER_NS", a line for each: the largest difference of a record's time
compensate_sim.py differs PLAIN.txt OTHER.txt        in thousandths of the plain run, or "times fall"
compensate_sim.py order LOG.txt                      "good", or the first place where a lane's times or states are out of order

A rank is a generator of steps; what it waits for is always named, so the order in which ranks are worked on is nothing.
"""
import random
import sys
from collections import defaultdict, deque

import text_log

LATENCY, CALL, COLL = 2000, 300, 700  # of a message; of a call that need not wait; of a collective behind the last
COMMS = {1: [[0, 2], [1, 3]]}  # between two groups
KINDS = ["enter", "leave", "event", "counter", "send", "recv", "coll"]


class Rank:
    def __init__(self, job, number):
        self.job, self.number, self.now, self.records, self.posted = job, number, 0, [], 0
        self.turn, self.told = 0, 0
        self.turns, self.open, self.kept = defaultdict(int), {}, {}
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

    def meet(self, name, root=-1, comm=0):
        """Comes to the next collective: a function that says when those were there that it waits for (0: nobody; None: not yet)."""
        members = COMMS[comm] if comm else [list(range(self.job.ranks)), []]
        mine, others = members if self.number in members[0] else members[::-1]
        turn = self.turns[comm] = self.turns[comm] + 1
        return self.come((comm, turn), name, root, mine, others or mine)

    def come(self, key, name, root, mine, others):
        here = self.job.colls[key]
        self.record("coll", "%s\tcomm=%d\troot=%d\tbytes=8\tgot_bytes=8" % ("MPI_COMM_WORLD" if key[0] == 0 else "c%d" % key[0], key[0], root))
        here[self.number] = self.now
        kind = name.replace("MPI_I", "MPI_").lower()
        if "scan" in kind:
            needed = mine[:mine.index(self.number)]
        elif "bcast" in kind:
            needed = [] if root in (-1, self.number) else [root]
        else:
            needed = others if root in (-1, self.number) else []
        return lambda: max([here[r] for r in needed], default=-10**9) if all(r in here for r in needed) else None

    def until(self, *ends):
        """Waits; those that it waits for are done COLL behind the last one."""
        now = self.now + CALL
        for end in ends:
            while end() is None:
                yield
            now = max(now, end() + COLL)
        self.now = now

    def groups(self, name, root=-1, comm=0):
        self.record("enter", name)
        yield from self.until(self.meet(name, root, comm))
        self.record("leave", name)

    def idle(self, name):
        """In the root's group, and not the root: takes no part."""
        self.record("enter", name)
        self.turns[1] += 1
        self.record("coll", "c1\tcomm=1\troot=-1\tbytes=8\tgot_bytes=8")
        self.now += CALL
        self.record("leave", name)
        return iter(())

    def start(self, request, name, root=-1, comm=0):
        self.record("enter", name)
        end = self.meet(name, root, comm)
        self.now += CALL
        self.record("event", "pith:coll_started\tpayload=request=%d" % request)
        self.record("leave", name)
        self.open[request] = end

    def keep(self, request, name, number):
        self.record("enter", name)
        self.now += CALL
        self.record("event", "pith:coll_kept\tpayload=request=%d number=%d" % (request, number))
        self.record("leave", name)
        self.kept[request] = name, number, 0

    def restart(self, *requests, root=-1):
        self.record("enter", "MPI_Startall")
        for request in requests:
            name, number, turn = self.kept[request]
            self.record("event", "pith:coll_started\tpayload=request=%d" % request)
            self.kept[request] = name, number, turn + 1
            everybody = list(range(self.job.ranks))
            self.open[request] = self.come((0, "kept", number, turn), name, root, everybody, everybody)
        self.now += CALL
        self.record("leave", "MPI_Startall")

    def wait(self, *requests):
        self.record("enter", "MPI_Waitall")
        yield from self.until(*[self.open.pop(request) for request in requests])
        for request in requests:
            at = self.now
            self.record("event", "pith:coll_complete\tpayload=request=%d" % request)
            self.now = at
        self.now += len(requests) * self.job.cost["event"]
        self.record("leave", "MPI_Waitall")

    def coll(self, name, root=-1):
        self.record("enter", name)
        self.record("coll", "MPI_COMM_WORLD\tcomm=0\troot=%d\tbytes=8\tgot_bytes=8" % root)
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


def some_work(rank, parts=20):
    for part in range(rank.random.randrange(parts)):
        rank.compute(rank.random.randrange(4000))


def scans(rank):
    """Who is late holds up those behind, and not those in front."""
    for turn in range(30):
        some_work(rank)
        yield from rank.groups(["MPI_Scan", "MPI_Exscan"][turn % 2])


def nonblocking(rank):
    """Several under way, completed in another order than started, together and alone."""
    names = [("MPI_Ibarrier", -1), ("MPI_Ibcast", 1), ("MPI_Iallreduce", -1), ("MPI_Ireduce", 2), ("MPI_Iscan", -1)]
    for turn in range(25):
        for request in range(3):
            some_work(rank, 6)
            rank.start(request, *names[(turn + request) % 5])
        some_work(rank, 12)
        if (turn + rank.number) % 3:
            yield from rank.wait(0, 1, 2)
        else:
            yield from rank.wait(2)
            some_work(rank, 6)
            yield from rank.wait(0, 1)


def between(rank):
    """Collectives of two groups: who waits, waits for the other one."""
    for turn in range(30):
        some_work(rank)
        name, root = [("MPI_Barrier", -1), ("MPI_Bcast", 1), ("MPI_Allgather", -1), ("MPI_Reduce", 2)][turn % 4]
        idle = root >= 0 and root != rank.number and root % 2 == rank.number % 2
        yield from rank.groups(name, root, 1) if not idle else rank.idle(name)
        yield from rank.groups("MPI_Barrier")


def persistent(rank):
    """Made in one order, started in any: each rank in its own."""
    names = ["MPI_Barrier_init", "MPI_Bcast_init", "MPI_Allreduce_init"]
    numbers = [5, 9, 7] if rank.number % 2 else [1, 2, 3]
    for i in range(3):
        rank.keep(numbers[i], names[i], i)
    for turn in range(25):
        some_work(rank)
        for i in sorted(range(3), key=lambda i: (i + rank.number) % 3):
            rank.restart(numbers[i], root=0 if i == 1 else -1)
            some_work(rank, 4)
        yield from rank.groups("MPI_Barrier")
        yield from rank.wait(*numbers)


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
    print(text_log.comm(0, "MPI_COMM_WORLD", range(job.ranks)))
    print("# comm\tcomm=1\tname=c1\tsize=2\tranks=0,2\tremote_size=2\tremote_ranks=1,3")
    for name, form in ("started", "request=%d"), ("complete", "request=%d"), ("kept", "request=%d number=%d"):
        print("# event\tname=pith:coll_%s\tcolour=gray50\tgroup=pith\tformat=%s" % (name, form))
    print("# state\tname=work\tcolour=red\tgroup=user")
    for name in sorted({r[2].split("\t")[1] for r in job.records if "MPI_" in r[2] and r[2][:5] == "enter"}):
        print("# state\tname=%s\tcolour=blue\tgroup=MPI" % name)
    print("# time_s\trank\tthread\tkind\tname\tkey=value...")
    for time, rank, text in job.records:
        print(text_log.line(time, rank, 0, text))


def read(path):
    lanes = defaultdict(list)
    for r in text_log.records(open(path)):
        lanes[r.rank, r.thread].append((r.ns, r.kind, r.name))
    return lanes


def end(lanes):
    return max(records[-1][0] for records in lanes.values())


def compare(one, two):
    a, b = read(one), read(two)
    if [(k, [r[1:] for r in v]) for k, v in sorted(a.items())] != [(k, [r[1:] for r in v]) for k, v in sorted(b.items())]:
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
    elif sys.argv[1] == "compare":
        print("\n".join(compare(sys.argv[2], other) for other in sys.argv[3:]))
    elif sys.argv[1] == "differs":
        said = compare(*sys.argv[2:]).split()
        print("times fall" if order(sys.argv[3]) != "good" else
              int(said[1]) * 1000 // int(said[3]) if said[0] == "worst" else 999999)
    else:
        print(order(sys.argv[2]))
