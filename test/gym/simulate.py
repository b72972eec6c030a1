#!/usr/bin/env python3
"""simulate.py: an MPI that runs in virtual time, to the nanosecond. It writes logs whose causes are known.
simulate.py list: the names of the plants.  simulate.py [NAME...]: writes NAME.txt, a log for `pith convert`, and NAME.json,
the truth: each wait state, the length of the run with and without the planted cause, and with a rank made faster.

Each rank is a Python generator; the network has a latency and a byte rate. As in real libraries, collectives are binomial
trees of messages, a message above the eager limit is announced first, and the library works only while its rank is in an MPI
call (unless it has a progress thread).

Every message carries its *chain*: the begins of the calls without which it could not be there. A worked number, with a
latency of 2 us; MPI_Bcast from rank 0, and rank 2 hands the data to rank 3:

    rank 0   MPI_Bcast begins at  9000 us
    rank 2   MPI_Bcast begins at 60000 us             the data had been there since 9002 us; sends to rank 3
    rank 3   MPI_Bcast begins at 10000 us, ends at 60002 us

Rank 3's call ends by the chain "rank 2 began at 60000, rank 0 at 9000". The newest link says for whom it waited: rank 2, from
10000 to 60000, a late inner rank. So the truth comes from what happened, and not from a rule that guesses it."""
import collections
import heapq
import json
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "common"))
import text_log

US, MS = 1000, 1000000
FLOOR = 100 * US  # shorter wait states are made by latencies; the truth does not contain them
Network = collections.namedtuple("Network", "latency rate eager overhead progress",
                                 defaults=(2 * US, 10, 4096, 500, False))  # ns, bytes a ns, bytes, ns a call, a progress thread
Link = collections.namedtuple("Link", "time rank role before")  # of a chain; role: send, post, enter, progress


def newer(a, b):
    return b if a is None or (b is not None and b.time > a.time) else a


class Fact:
    """Something that comes true at one moment, with the chain that led to it."""

    def __init__(self):
        self.time, self.chain, self.waiting = None, None, []

    def set(self, time, chain):
        self.time, self.chain = time, chain
        for resume in self.waiting:
            resume()


class Request:
    def __init__(self, kind, key=None, size=0, posted=None, coll=None):
        self.kind, self.key, self.size, self.posted, self.coll, self.done = kind, key, size, posted, coll, Fact()


Message = collections.namedtuple("Message", "key size request chain")  # request: the sender's, of a message that is announced


class Collective:
    """One instance: begins of its members, so that the last one is known."""

    def __init__(self, what, root):
        self.what, self.root, self.begins = what, root, {}


class Rank:
    """What a program calls: `yield from me.send(...)`."""

    def __init__(self, run, number):
        self.run, self.number, self.lines = run, number, []
        self.inside, self.queue = None, []  # the begin of the call that it is in; what the library must do in the next one
        self.posted, self.unexpected = collections.defaultdict(list), collections.defaultdict(list)
        self.receives = self.collectives = 0
        self.has_told = False  # the log has its neighbours
        self.numbers, self.numbered = {}, 0
        self.failed = None  # begin of the first of several failed tests

    # ---- Records -----------------------------------------------------------------------------------------------------

    def put(self, kind, name, *values):
        self.lines.append((self.run.now, kind, name) + values)

    def compute(self, ns, state=None):
        ns = round(ns / self.run.faster.get((self.number, state or "computing"), 1))
        if state:
            self.put("enter", state)
        yield ns
        if state:
            self.put("leave", state)

    def enter(self, name):
        """The library works while its rank is in the call; what had to wait for that gets a link more."""
        begin = self.run.now
        self.put("enter", name)
        self.inside = begin
        queue, self.queue = self.queue, []
        for chain, action in queue:
            action(Link(begin, self.number, "progress", chain))
        return begin

    def work(self, chain, action):
        """The library acts now if it can, else in the next call."""
        if self.inside is not None or self.run.network.progress:
            action(chain)
        else:
            self.queue.append((chain, action))

    # ---- Messages ----------------------------------------------------------------------------------------------------

    def start_send(self, key, size, chain, is_sync=False):
        """Eager: gone at once. Else: announced; the receiver asks for the data; the data goes."""
        run, request = self.run, Request("send", key, size)
        waits = is_sync or size > run.network.eager
        message = Message(key, size, request if waits else None, chain)
        target = run.ranks[key[2]]
        run.at(run.latency(0 if waits else size), lambda: target.work(chain, lambda c: target.deliver(message, c)))
        if not waits:
            request.done.set(run.now, chain)
        return request

    def start_recv(self, key, chain):
        request = Request("recv", key, posted=self.receives if key[0] >= 0 else None)
        self.receives += key[0] >= 0
        if self.unexpected[key]:
            message, arrived = self.unexpected[key].pop(0)
            if arrived[:2] == chain[:2]:  # it was found as this call began
                arrived = arrived.before
            self.match(message, request, newer(chain._replace(before=arrived), arrived))
        else:
            self.posted[key].append(request)
        return request

    def deliver(self, message, chain):
        if self.posted[message.key]:
            self.match(message, self.posted[message.key].pop(0), chain)
        else:
            self.unexpected[message.key].append((message, chain))

    def match(self, message, request, chain):
        run, sender = self.run, self.run.ranks[message.key[1]]
        request.size = message.size
        if not message.request:
            request.done.set(run.now, chain)
            return

        def send_data(c):
            run.at(message.size // run.network.rate, lambda: message.request.done.set(run.now, c))
            run.at(run.latency(message.size), lambda: self.work(c, lambda d: request.done.set(run.now, d)))

        run.at(run.latency(0), lambda: sender.work(chain, send_data))

    def put_send(self, peer, tag, size):
        self.put("send", "", "comm=0", "peer=%d" % peer, "tag=%d" % tag, "bytes=%d" % size)

    def isend(self, peer, size=8, tag=0, name="MPI_Isend"):
        begin = self.enter(name)
        self.put_send(peer, tag, size)
        request = self.start_send((0, self.number, peer, tag), size, Link(begin, self.number, "send", None),
                                  name in ("MPI_Issend", "MPI_Ssend"))
        if name[4:] in ("Send", "Ssend"):
            yield from self.end(name, begin, [request])
        else:
            yield from self.end(name, begin)
        return request

    def send(self, peer, size=8, tag=0):
        yield from self.isend(peer, size, tag, "MPI_Send")

    def ssend(self, peer, size=8, tag=0):
        yield from self.isend(peer, size, tag, "MPI_Ssend")

    def irecv(self, peer, tag=0):
        begin = self.enter("MPI_Irecv")
        request = self.start_recv((0, peer, self.number, tag), Link(begin, self.number, "post", None))
        yield from self.end("MPI_Irecv", begin)
        return request

    def recv(self, peer, tag=0):
        begin = self.enter("MPI_Recv")
        request = self.start_recv((0, peer, self.number, tag), Link(begin, self.number, "post", None))
        yield from self.end("MPI_Recv", begin, [request])

    def wait(self, *requests):
        name = "MPI_Wait" if len(requests) == 1 else "MPI_Waitall"
        yield from self.end(name, self.enter(name), requests)

    def test(self, request, is_polling=True):
        """Returns whether the request is complete. `is_polling`: only short work lies between two tests."""
        begin = self.enter("MPI_Test")
        yield self.run.network.overhead
        is_done = request.done.time is not None
        if is_done:
            self.complete(request)
        self.put("leave", "MPI_Test")
        self.inside = None
        self.note_test(begin, is_done and request.done.chain, is_polling)
        return is_done

    def iprobe(self, peer, tag=0):
        begin, key = self.enter("MPI_Iprobe"), (0, peer, self.number, tag)
        yield self.run.network.overhead
        found = self.unexpected[key]
        if found:
            self.put("event", "pith:probed", "payload=source=%d tag=%d" % (peer, tag))
        self.put("leave", "MPI_Iprobe")
        self.inside = None
        self.note_test(begin, bool(found) and found[0][1], True)
        return bool(found)

    def poll(self, request, gap, state=None):
        while not (yield from self.test(request)):
            yield from self.compute(gap, state)

    # ---- Collectives -------------------------------------------------------------------------------------------------

    def tree(self, root, size, is_high):
        """(parent or None, children) of this rank. MPICH's trees clear the lowest bit of a rank for its parent, those of Open
        MPI's MPI_Bcast the highest."""
        me = (self.number - root) % size

        def parent(r):
            return r & (r - 1) if not is_high else r & ~(1 << r.bit_length() - 1)

        children = [(r + root) % size for r in range(1, size) if parent(r) == me]
        return None if me == 0 else (parent(me) + root) % size, children

    def algorithm(self, fiber, what, root, size, key, is_high):
        count = len(self.run.ranks)
        if what in ("Reduce", "Gather", "Barrier", "Allreduce", "Finalize"):
            parent, children = self.tree(root or 0, count, is_high)
            for child in children:
                yield from fiber.recv(key, child, 0)
            if parent is not None:
                fiber.send(key, parent, 0, size)
        if what in ("Bcast", "Scatter", "Barrier", "Allreduce", "Finalize"):
            parent, children = self.tree(root or 0, count, is_high)
            if parent is not None:
                yield from fiber.recv(key, parent, 1)
            for child in reversed(children):  # the largest subtree first
                fiber.send(key, child, 1, size)
        if what == "Neighbor_alltoall":
            for other in self.run.neighbours[self.number]:
                fiber.send(key, other, 0, size)
            for other in self.run.neighbours[self.number]:
                yield from fiber.recv(key, other, 0)

    def start_coll(self, what, root, size, is_high, begin):
        number = self.collectives
        self.collectives += 1
        coll = self.run.instances.setdefault(number, Collective(what, root))
        assert coll.what == what and coll.root == root, "ranks call different collectives"
        coll.begins[self.number] = begin
        request = Request("coll", coll=coll)
        fiber = Fiber(self, request, Link(begin, self.number, "enter", None))
        fiber.go(self.algorithm(fiber, what, root, size, -1 - number, is_high))
        return request

    def put_coll(self, what, root, size, comm):
        gives = 0 if what == "Barrier" or (what in ("Bcast", "Scatter") and root != self.number) else size
        gets = 0 if what == "Barrier" or (what in ("Bcast", "Scatter") and root == self.number) or \
            (what in ("Reduce", "Gather") and root != self.number) else size
        self.put("coll", "", "comm=%d" % comm, "bytes=%d" % gives, "got_bytes=%d" % gets,
                 "root=%d" % (-1 if root is None else root))

    def coll(self, what, root=None, size=8, is_high=False, comm=0):
        name = "MPI_" + what
        begin = self.enter(name)
        if what == "Neighbor_alltoall" and not self.has_told:
            self.has_told = True
            self.put("event", "pith:neighbours", "payload=" + "".join("%08x" % n for n in self.run.neighbours[self.number]))
        if what != "Finalize":
            self.put_coll(what, root, size, comm)
        yield from self.end(name, begin, [self.start_coll(what, root, size, is_high, begin)])

    def icoll(self, what, root=None, size=8, is_high=False):
        name = "MPI_I" + what.lower()
        begin = self.enter(name)
        self.put_coll(what, root, size, 0)
        request = self.start_coll(what, root, size, is_high, begin)
        self.numbers[id(request)] = self.numbered
        self.put("event", "pith:coll_started", "payload=request=%d" % self.numbered)
        self.numbered += 1
        yield from self.end(name, begin)
        return request

    def cart_create(self):
        """Of the neighbours of the program; the communicator is number 1."""
        begin = self.enter("MPI_Cart_create")
        self.put_coll("Barrier", None, 0, 0)
        request = self.start_coll("Barrier", None, 0, False, begin)
        if request.done.time is None:
            yield request.done
        yield from self.end("MPI_Cart_create", begin, [request])

    # ---- Wait states -------------------------------------------------------------------------------------------------

    def complete(self, request):
        """The records of a completed request."""
        if request.kind == "recv":
            self.put("recv", "", "comm=0", "peer=%d" % request.key[1], "tag=%d" % request.key[3],
                     "bytes=%d" % request.size, "posted=%d" % request.posted)
        if id(request) in self.numbers:
            self.put("event", "pith:coll_complete", "payload=request=%d" % self.numbers.pop(id(request)))

    def end(self, name, begin, requests=()):
        """Ends a call when all of its requests are complete."""
        for request in requests:
            if request.done.time is None:
                yield request.done
        if self.run.now < begin + self.run.network.overhead:
            yield begin + self.run.network.overhead - self.run.now
        for request in requests:
            self.complete(request)
        self.put("leave", name)
        self.inside = None
        self.failed = None
        if requests:
            self.note_waits(name, begin, max(requests, key=lambda r: r.done.time))

    def note(self, kind, start, end, cause, is_long=True):
        if end - start >= FLOOR:
            self.run.waits.append({"kind": kind, "lane": self.number, "from_ns": start, "to_ns": end, "cause_lane": cause})

    def foreign(self, link, since):
        """The links of a chain that other ranks made after `since`, newest first."""
        found = []
        while link:
            if link.rank != self.number and link.time > since:
                found.append(link)
            link = link.before
        return found

    def note_waits(self, name, begin, request):
        links = self.foreign(request.done.chain, begin)
        if not links:
            return
        if request.coll and links[0].role != "progress":
            self.note_coll(begin, request.coll, links[0])
            return
        # A call may wait for a send first, and then for the sender to call MPI again.
        kinds = {"send": "late sender", "post": "late receiver", "progress": "wait for progress", "enter": "late broadcast"}
        for link, older in zip(links, links[1:] + [None]):
            self.note(kinds[link.role], older.time if older else begin, link.time, link.rank)

    def note_coll(self, begin, coll, link):
        what, root = coll.what, coll.root
        if what in ("Barrier", "Allreduce", "Finalize") or (what in ("Reduce", "Gather") and root == self.number):
            # As defined, for the last member. Where several begin within latencies, the chain may name another of them.
            last = min(coll.begins, key=lambda r: (-coll.begins[r], r))
            kind = {"Barrier": "wait at barrier", "Allreduce": "wait at N x N", "Finalize": "wait at finalize"}
            self.note(kind.get(what, "early reduce"), begin, coll.begins[last], last)
        elif what == "Neighbor_alltoall":
            self.note("wait at N x N", begin, link.time, link.rank)
        elif link.rank == root:
            self.note("late broadcast", begin, link.time, root)
        else:
            # A member that hands data up does not need the root.
            since = max(begin, coll.begins.get(root, link.time)) if what in ("Bcast", "Scatter") else begin
            self.note("late inner rank", since, link.time, link.rank)
            self.note("late broadcast", begin, since, root)

    def note_test(self, begin, chain, is_polling):
        """`chain`: of what the test found; False: it failed."""
        if not is_polling:
            self.failed = None
        elif chain is False:
            self.failed = begin if self.failed is None else self.failed
        elif self.failed is not None:
            links = self.foreign(chain, self.failed)
            if links:
                self.note("polling", self.failed, links[0].time, links[0].rank)
                self.note("late notice", links[0].time, self.run.now, self.number)
            self.failed = None


class Fiber:
    """A collective under way on one rank. It goes on when the library works."""

    def __init__(self, rank, request, chain):
        self.rank, self.request, self.chain = rank, request, chain

    def go(self, steps):
        self.steps = steps
        self.step()

    def step(self):
        for fact in self.steps:
            fact.waiting.append(self.step)
            return
        self.request.done.set(self.rank.run.now, self.chain)

    def send(self, key, peer, tag, size):
        """Messages of collectives are always eager."""
        rank, run = self.rank, self.rank.run
        message, target, chain = Message((key, rank.number, peer, tag), size, None, self.chain), run.ranks[peer], self.chain
        run.at(run.latency(size), lambda: target.work(chain, lambda c: target.deliver(message, c)))

    def recv(self, key, peer, tag):
        request = self.rank.start_recv((key, peer, self.rank.number, tag), self.chain)
        if request.done.time is None:
            yield request.done
        self.chain = newer(self.chain, request.done.chain)


class Run:
    def __init__(self, ranks, program, network=Network(), faster=None, neighbours=None):
        self.network, self.faster, self.neighbours = network, faster or {}, neighbours
        self.now, self.events, self.order = 0, [], 0
        self.instances, self.waits = {}, []
        self.ranks = [Rank(self, i) for i in range(ranks)]
        self.open = ranks
        for rank in self.ranks:
            self.resume(self.whole(rank, program))
        while self.events:
            self.now, _, action = heapq.heappop(self.events)
            action()
        assert self.open == 0, "%d ranks wait for ever" % self.open
        times = [[line[0] for line in rank.lines if line[1:3] == ("enter", "MPI_Finalize")][0] for rank in self.ranks]
        self.length = max(times) - MS

    def at(self, delay, action):
        self.order += 1
        heapq.heappush(self.events, (self.now + delay, self.order, action))

    def latency(self, size):
        return self.network.latency + size // self.network.rate

    def resume(self, steps):
        wanted = next(steps, None)
        if isinstance(wanted, Fact):
            wanted.waiting.append(lambda: self.at(0, lambda: self.resume(steps)))
        elif wanted is not None:
            self.at(wanted, lambda: self.resume(steps))
        else:
            self.open -= 1

    def whole(self, rank, program):
        rank.put("enter", "MPI_Init")
        yield MS
        rank.put("leave", "MPI_Init")
        yield from program(rank)
        yield from rank.coll("Finalize")

    def write(self, out):
        ranks = list(range(len(self.ranks)))
        print("# property\tkey=eager_bytes\tvalue=same_host=%d network=%d" % ((self.network.eager,) * 2), file=out)
        for r in ranks:
            print("# lane\trank=%d\tthread=0\tname=\thost=one" % r, file=out)
        for event in ("coll_started\trequest=%d", "coll_complete\trequest=%d", "probed\tsource=%d tag=%d", "neighbours\t"):
            print("# event\tname=pith:%s\tcolour=gray50\tgroup=pith\tformat=%s" % tuple(event.split("\t")), file=out)
        print(text_log.comm(0, "MPI_COMM_WORLD", ranks), file=out)
        if self.neighbours:
            print(text_log.comm(1, "", ranks), file=out)
        lines = [(line[0], r, i, text_log.line(line[0], r, 0, *line[1:]))
                 for r in ranks for i, line in enumerate(self.ranks[r].lines)]
        for line in sorted(lines):
            print(line[3], file=out)


# ---- Plants ----------------------------------------------------------------------------------------------------------
# Each: ranks, its program (a function of the planted extra computing in ns), the extra, the rank that has it, by which
# factors this rank is made faster, more of Run.

STEPS = 10
Plant = collections.namedtuple("Plant", "ranks program extra rank factors run")
PLANTS = {}


def plant(name, ranks, program, extra=50 * MS, rank=0, factors=(2, 6), **run):
    PLANTS[name] = Plant(ranks, program, extra, rank, factors, run)


def tree(what, root, late, is_high=False):
    """Rank `late` begins the collective late, and the root 1 ms before the others."""
    def of(extra):
        def program(me):
            for _ in range(STEPS):
                yield from me.compute((9 if me.number == root else 10) * MS + (extra if me.number == late else 0))
                yield from me.coll(what, root, is_high=is_high)
                yield from me.coll("Barrier")
        return program
    return of


for _ranks in (4, 5, 8, 16):
    for _root in (0, 3):
        # Relative to the root: in MPICH's trees 2 hands on to 3, and 4 to 5, 6 and so to 7; 7 gives to 6, it to 4, it to 0. In
        # Open MPI's, 1 hands on to 3 and more.
        for _what, _late, _is_high in (("Bcast", 2 if _ranks < 8 else 4, False), ("Reduce", 3 if _ranks < 8 else 7, False),
                                       ("Bcast", 1, True)):
            _late = (_root + _late) % _ranks
            plant("%s%s_%d_root%d" % (_what.lower(), "_high" * _is_high, _ranks, _root), _ranks,
                  tree(_what, _root, _late, _is_high), rank=_late)
plant("scatter_8", 8, tree("Scatter", 1, 5), rank=5)
plant("gather_8", 8, tree("Gather", 1, 0), rank=0)
plant("bcast_late_root", 8, tree("Bcast", 2, 2), rank=2)
plant("bcast_late_leaf", 8, tree("Bcast", 0, 7), rank=7)  # nobody waits for it in MPI_Bcast


def random_tree(what, root, is_high=False):
    """All ranks compute for times that differ from step to step. So it is another rank that is late each time."""
    def of(extra):
        def program(me):
            rand = random.Random(me.number)
            for _ in range(STEPS):
                yield from me.compute(rand.randrange(5, 50) * MS + rand.randrange(MS) + (extra if me.number == 4 else 0))
                yield from me.coll(what, root, is_high=is_high)
                yield from me.coll("Barrier")
        return program
    return of


for _ranks in (8, 16):
    plant("random_bcast_%d" % _ranks, _ranks, random_tree("Bcast", 0), 10 * MS, 4)
    plant("random_bcast_high_%d" % _ranks, _ranks, random_tree("Bcast", 3, True), 10 * MS, 4)
    plant("random_reduce_%d" % _ranks, _ranks, random_tree("Reduce", 0), 10 * MS, 4)


def late_root_and_inner(extra):
    def program(me):
        for _ in range(STEPS):
            yield from me.compute(20 * MS if me.number == 0 else 10 * MS + (extra if me.number == 2 else 0))
            yield from me.coll("Bcast", 0)
            yield from me.coll("Barrier")
    return program


plant("bcast_late_root_and_inner", 4, late_root_and_inner, rank=2)


def posted_receiver_computes(extra):
    """MPI_Send of a long message, whose receiver has posted and computes."""
    def program(me):
        for _ in range(STEPS):
            if me.number == 0:
                yield from me.compute(10 * MS)
                yield from me.send(1, 20000)
            else:
                request = yield from me.irecv(0)
                yield from me.compute(11 * MS + extra)
                yield from me.wait(request)
            yield from me.coll("Barrier")
    return program


def sender_computes(before):
    """MPI_Isend of a long message; then its sender computes. `before`: it also sends late."""
    def of(extra):
        def program(me):
            for _ in range(STEPS):
                if me.number == 0:
                    yield from me.compute(before)
                    request = yield from me.isend(1, 20000)
                    yield from me.compute(11 * MS + extra)
                    yield from me.wait(request)
                else:
                    yield from me.compute(10 * MS)
                    yield from me.recv(0)
                yield from me.coll("Barrier")
        return program
    return of


def halo(size, ranks=3, is_random=False):
    """A ring that overlaps its exchange with computing; rank 1 computes longer."""
    def of(extra):
        def program(me):
            rand = random.Random(me.number)
            sides = (me.number - 1) % ranks, (me.number + 1) % ranks
            for _ in range(STEPS):
                requests = []
                for side in sides:
                    requests.append((yield from me.irecv(side)))
                for side in sides:
                    requests.append((yield from me.isend(side, size)))
                usual = rand.randrange(5 * MS, 50 * MS) if is_random else 10 * MS
                yield from me.compute(usual + (extra if me.number == 1 else 0))
                yield from me.wait(*requests)
        return program
    return of


def nonblocking(what, root):
    """Rank 2 starts the collective in time, but computes longer before MPI_Wait; rank 3 gets the data from it."""
    def of(extra):
        def program(me):
            for _ in range(STEPS):
                yield from me.compute(MS if me.number == 0 else US)  # its data come when the others compute
                request = yield from me.icoll(what, root)
                yield from me.compute(10 * MS + (extra if me.number == 2 else 0))
                yield from me.wait(request)
                yield from me.coll("Barrier")
        return program
    return of


for _name, _progress in (("progress", False), ("by_itself", True)):
    _run = {"network": Network(progress=_progress)}
    plant("%s_send" % _name, 2, posted_receiver_computes, rank=1, **_run)
    plant("%s_isend" % _name, 2, sender_computes(0), **_run)
    plant("%s_late_isend" % _name, 2, sender_computes(20 * MS), **_run)
    plant("%s_halo" % _name, 3, halo(20000), rank=1, **_run)
    plant("%s_halo_eager" % _name, 3, halo(2000), rank=1, **_run)
    plant("random_%s_halo" % _name, 6, halo(20000, 6, True), 10 * MS, 1, **_run)
    plant("%s_ibcast" % _name, 4, nonblocking("Bcast", 0), rank=2, **_run)
    plant("%s_iallreduce" % _name, 4, nonblocking("Allreduce", None), rank=2, **_run)


def polling(how, gap, state=None):
    """Rank 1 sends late; rank 0 looks for the message again and again."""
    def of(extra):
        def program(me):
            for _ in range(STEPS):
                if me.number == 1:
                    yield from me.compute(11 * MS + extra)
                    yield from me.send(0)
                elif how == "test":
                    request = yield from me.irecv(1)
                    yield from me.compute(10 * MS)
                    yield from me.poll(request, gap, state)
                elif how == "iprobe":
                    yield from me.compute(10 * MS)
                    while not (yield from me.iprobe(1)):
                        yield from me.compute(gap, state)
                    yield from me.recv(1)
                elif how == "overlap":  # real work between the tests
                    request = yield from me.irecv(1)
                    for _ in range(4):
                        yield from me.compute(gap, state)
                        yield from me.test(request, False)
                    yield from me.wait(request)
                yield from me.coll("Barrier")
        return program
    return of


plant("poll_test", 2, polling("test", 90 * US), rank=1)
plant("poll_test_sleep", 2, polling("test", 290 * US, "usleep"), rank=1)
plant("poll_iprobe", 2, polling("iprobe", 90 * US), rank=1)
plant("poll_iprobe_sleep", 2, polling("iprobe", 290 * US, "usleep"), rank=1)
# After long sleeps, when the message is noticed is chance; nobody can predict it.
plant("poll_late_notice", 2, polling("test", 4 * MS, "usleep"), rank=1, factors=())
plant("poll_overlap", 2, polling("overlap", 8 * MS), rank=1)
plant("poll_overlap_state", 2, polling("overlap", 8 * MS, "refine"), rank=1)


def random_polling(extra):
    """Two ranks send at times that differ from step to step; rank 0 looks now for the one, then for the other."""
    def program(me):
        rand = random.Random(me.number)
        for _ in range(STEPS):
            usual = rand.randrange(5 * MS, 50 * MS)
            if me.number:
                yield from me.compute(usual + (extra if me.number == 1 else 0))
                yield from me.send(0)
            else:
                first, second = (yield from me.irecv(1)), (yield from me.irecv(2))
                yield from me.compute(5 * MS)
                yield from me.poll(first, 90 * US, "usleep")
                yield from me.compute(5 * MS)
                yield from me.poll(second, 90 * US, "usleep")
            yield from me.coll("Barrier")
    return program


plant("random_poll", 3, random_polling, 10 * MS, 1)


def neighbourhood(extra):
    """A ring. In each step the late rank makes its neighbours wait, and the waiting spreads by one rank a step."""
    def program(me):
        yield from me.cart_create()
        for _ in range(STEPS):
            yield from me.compute(10 * MS + (extra if me.number == 2 else 0))
            yield from me.coll("Neighbor_alltoall", comm=1)
    return program


plant("neighbours", 8, neighbourhood, rank=2, neighbours=[sorted([(r - 1) % 8, (r + 1) % 8]) for r in range(8)])


def late_sender(extra):
    def program(me):
        for _ in range(STEPS):
            yield from me.compute(10 * MS + (extra if me.number == 0 else 0))
            if me.number:
                yield from me.recv(me.number - 1)
            if me.number < 2:
                yield from me.send(me.number + 1)
            yield from me.coll("Barrier")
    return program


def late_receiver(extra):
    def program(me):
        for _ in range(STEPS):
            yield from me.compute(10 * MS + (extra if me.number == 1 else 0))
            if me.number == 0:
                yield from me.ssend(1)
            else:
                yield from me.recv(0)
    return program


def imbalance(what, late):
    def of(extra):
        def program(me):
            for step in range(STEPS):
                yield from me.compute(10 * MS + (extra if me.number == late(step) else 0))
                yield from me.coll(what)
        return program
    return of


plant("late_sender", 3, late_sender)
plant("late_receiver", 2, late_receiver, rank=1)
plant("barrier", 4, imbalance("Barrier", lambda step: 1), rank=1)
plant("allreduce", 5, imbalance("Allreduce", lambda step: 4), rank=4)
plant("moving", 4, imbalance("Barrier", lambda step: step % 4))


def make(name):
    """The run of a plant, and the truth about it."""
    p = PLANTS[name]

    def run(extra, faster=None):
        return Run(p.ranks, p.program(extra), faster=faster, **p.run)

    planted = run(p.extra)
    other = (p.rank + 1) % p.ranks  # which is mostly innocent
    changes = [{"change": "computing@%d=%d" % (rank, k), "ns": run(p.extra, {(rank, "computing"): k}).length}
               for rank, k in [(p.rank, k) for k in p.factors] + [(other, k) for k in p.factors[-1:]]]
    return planted, {"name": name, "ranks": p.ranks, "rank": p.rank, "extra_ns": p.extra, "from_ns": MS,
                     "to_ns": MS + planted.length, "ns": planted.length, "without_ns": run(0).length,
                     "floor_ns": FLOOR, "what_if": changes,
                     "waits": sorted(planted.waits, key=lambda w: (w["lane"], w["from_ns"], w["to_ns"]))}


def main(names):
    if names == ["list"]:
        print("\n".join(PLANTS))
        return
    for name in names or PLANTS:
        run, truth = make(name)
        with open(name + ".txt", "w") as out:
            run.write(out)
        with open(name + ".json", "w") as out:
            json.dump(truth, out, indent=1)
            out.write("\n")


if __name__ == "__main__":
    main(sys.argv[1:])
