#!/usr/bin/env python3
"""random_log.py SEED: the text of a log of a made-up MPI program, in the shape of recorded ones, for oracle.py.
random_log.py FIRST LAST: those of many seeds, as files SEED.txt. RANKS=N: programs of N ranks.

The program is simulated: each lane has its clock, and no call ends before what it waits for is there. Operations are
done in one order, each by all its lanes, so the program cannot deadlock. Times are small, so that many are equal.

Some rooted collectives are binomial trees. In some programs the library works only while its rank is in a call: then a long
message, or a nonblocking collective, is complete only after the next call of the other rank."""
import os
import random
import sys

import text_log

SHAPES = {"Barrier": "all", "Allreduce": "all", "Alltoall": "all", "Allgather": "all", "Reduce_scatter_block": "all",
          "Alltoallv": "all", "Bcast": "from", "Scatter": "from", "Reduce": "to", "Gather": "to", "Scan": "lower",
          "Exscan": "lower", "Comm_dup": "all", "Comm_split": "all", "Comm_idup": "all", "Comm_create_group": "all",
          "Win_fence": "all", "Cart_create": "all", "Graph_create": "all", "Dist_graph_create": "all",
          "Dist_graph_create_adjacent": "all", "Neighbor_alltoall": "near", "Neighbor_allgather": "near",
          "Neighbor_alltoallv": "near"}
TOPOLOGIES = {what for what in SHAPES if what.endswith(("Cart_create", "raph_create", "adjacent"))}
IDLE = {"MPI_Isend", "MPI_Issend", "MPI_Irecv", "MPI_Send"}  # calls in which the library does not work for others


class Lane:
    def __init__(self, index, rank, thread, clock):
        self.index, self.rank, self.thread, self.clock = index, rank, thread, clock
        self.requests, self.lines, self.depth = [], [], 0
        self.is_alone = True  # no other thread of its rank
        self.begun = None     # begin of the call that it is in
        self.served = []      # calls in which the library works, as (begin, end)


class Message:
    def __init__(self, source, target, comm, tag):
        self.source, self.target, self.comm, self.tag = source, target, comm, tag
        self.sent = self.post = None  # begins of the calls; post: (time, lane, place)


class Request:
    """Of a receive, a send or a collective."""

    def __init__(self, kind, message=None, number=None, needs=None, holder=None):
        self.kind, self.message, self.number, self.needs = kind, message, number, needs
        self.holder = holder  # of a collective: a lane that must call MPI after the start
        self.least = None     # when it can be complete, once that is known


class Program:
    def __init__(self, seed):
        self.rand = rand = random.Random(seed)
        ranks = rand.choice((2, 2, 3, 3, 4, 4, 5, 6, 8))
        ranks = int(os.environ.get("RANKS", ranks))
        self.lanes, self.hosts = [], {}
        for rank in range(ranks):
            threads = 2 if rand.random() < 0.15 else 1
            for thread in range(threads):
                self.lanes.append(Lane(len(self.lanes), rank, thread, rand.randrange(30)))
                self.lanes[-1].is_alone = threads == 1
            self.hosts[rank] = "host%d" % (rand.random() < 0.2)
        self.mains = [lane for lane in self.lanes if lane.thread == 0]
        self.comms = [list(self.mains)]
        for _ in range(rand.randrange(3)):
            some = rand.sample(range(ranks), rand.randrange(2, ranks + 1))
            self.comms.append([rand.choice([lane for lane in self.lanes if lane.rank == r]) for r in some])
        self.eager = rand.choice((None, 100, 100, 1000))
        self.scale = rand.choice((3, 30, 200))
        self.sends, self.recvs = {}, {}  # by key: without a partner
        self.posts = {rank: [] for rank in range(ranks)}
        self.number = 0
        self.states = ["work", "solve", "exchange", "io"][:rand.randrange(1, 5)]
        self.has_init = rand.random() < 0.6
        self.has_finalize = rand.random() < 0.6
        self.is_skewed = seed % 10 == 0  # clocks differ
        self.is_lazy = rand.random() < 0.4  # the library works only in calls
        self.told = set()
        self.trees, self.neighbours = {}, {}  # by function, communicator and root; by communicator: places of sources
        self.run(100 if rand.random() < 0.03 else rand.randrange(3, 30))

    # ---- Records -----------------------------------------------------------------------------------------------------

    def put(self, lane, time, kind, name, *values):
        assert not lane.lines or lane.lines[-1][0] <= time
        lane.lines.append([time, kind, name, list(values)])

    def enter(self, lane, name):
        self.put(lane, lane.clock, "enter", name)
        lane.begun = lane.clock
        return lane.clock

    def leave(self, lane, name, time):
        time = max(time, lane.clock)
        self.put(lane, time, "leave", name)
        lane.clock = time
        if name not in IDLE and not name.startswith("MPI_I") or name == "MPI_Iprobe":
            lane.served.append((lane.begun, time))
        lane.begun = None

    def next_served(self, lane, ready):
        """From when on the library of a lane works for another rank, if both sides are ready. It calls MPI for that."""
        if not self.is_lazy or not lane.is_alone:
            return ready
        while True:
            if lane.begun is not None:
                return max(ready, lane.begun)
            for begin, end in lane.served:
                if end > ready:
                    return max(ready, begin)
            self.compute(lane)
            lane.clock = max(lane.clock, ready + self.rand.randrange(self.scale))
            self.enter(lane, "MPI_Iprobe")
            self.leave(lane, "MPI_Iprobe", lane.clock + self.little())

    def little(self):
        return self.rand.choice((0, 1, 1, 2, 3, self.rand.randrange(1, 30)))

    def compute(self, lane, depth=0):
        for _ in range(self.rand.randrange(3)):
            if self.rand.random() < 0.6 or depth > 2:
                lane.clock += self.rand.randrange(self.scale)
            else:
                name = self.rand.choice(self.states)
                self.put(lane, lane.clock, "enter", name)
                self.compute(lane, depth + 1)
                self.put(lane, lane.clock, "leave", name)

    # ---- Messages ----------------------------------------------------------------------------------------------------

    def must_wait(self, message):
        return message.is_sync or (self.eager is not None and message.size > self.eager)

    def both_ready(self, message, other):
        """When the other side of a message that is sent and posted goes on with it."""
        ready = max(message.sent, message.post[0])
        is_far = self.must_wait(message) and message.source.rank != message.target.rank
        return self.next_served(other, ready) if is_far else ready

    def key(self, a, b):
        both = [i for i, comm in enumerate(self.comms) if i == 0 or (a in comm and b in comm)]
        return a, b, self.rand.choice(both), 10 * self.rand.randrange(2) + 2 * a.thread + b.thread

    def fresh_key(self, a, b):
        tag = 100
        while self.sends.get((a, b, 0, tag)) or self.recvs.get((a, b, 0, tag)):
            tag += 1
        return a, b, 0, tag + 10 * (2 * a.thread + b.thread)

    def send_part(self, key, is_sync=False):
        """Records the send of a call that has just begun; the message, with its receive if that is posted."""
        waiting = self.recvs.get(key)
        message = waiting.pop(0) if waiting else Message(*key)
        if message.post is None:
            self.sends.setdefault(key, []).append(message)
        message.size = self.rand.choice((8, 90, 101, 5000))
        message.is_sync = is_sync
        message.sent = key[0].clock
        self.put(key[0], key[0].clock, "send", "", "comm=%d" % key[2], "peer=%d" % key[1].rank, "tag=%d" % key[3],
                 "bytes=%d" % message.size)
        return message

    def post_part(self, key):
        """Posts a receive in a call that has just begun."""
        lane = key[1]
        waiting = self.sends.get(key)
        message = waiting.pop(0) if waiting else Message(*key)
        if message.sent is None:
            self.recvs.setdefault(key, []).append(message)
        message.post = lane.clock, lane.index, len(lane.lines)
        self.posts[lane.rank].append(message.post)
        return message

    def recv_record(self, message, time):
        self.put(message.target, time, "recv", "", "comm=%d" % message.comm, "peer=%d" % message.source.rank,
                 "tag=%d" % message.tag, "bytes=%d" % message.size, message.post)

    def send(self, key):
        """Blocking. A message that cannot be buffered is received at once, if its receive is not posted."""
        lane, name = key[0], self.rand.choice(("MPI_Send", "MPI_Send", "MPI_Ssend"))
        if name == "MPI_Ssend" and lane is key[1] and not self.recvs.get(key):
            name = "MPI_Send"
        begin = self.enter(lane, name)
        message = self.send_part(key, name == "MPI_Ssend")
        if self.must_wait(message) and message.post is None:
            while message.post is None:
                self.recv(key) if self.rand.random() < 0.7 or not key[1].is_alone else self.irecv(key)
        least = self.both_ready(message, key[1]) if self.must_wait(message) else begin
        self.leave(lane, name, least + self.little())

    def probe(self, key):
        """Finds the message that is received next."""
        lane, message = key[1], self.sends[key][0]
        name = self.rand.choice(("MPI_Probe", "MPI_Probe", "MPI_Iprobe"))
        begin = self.enter(lane, name)
        end = begin + self.little() if name == "MPI_Iprobe" else max(begin, message.sent) + self.little()
        if end >= message.sent:
            time = self.rand.randrange(max(begin, message.sent), end + 1)
            self.put(lane, time, "event", "pith:probed", "payload=source=%d tag=%d" % (key[0].rank, key[3]))
        self.leave(lane, name, end)

    def recv(self, key):
        lane = key[1]
        while self.sends.get(key) and self.rand.random() < 0.3:
            self.probe(key)
            self.compute(lane)
        begin = self.enter(lane, "MPI_Recv")
        message = self.post_part(key)
        if message.sent is None:
            self.recvs[key].remove(message)
            raise AssertionError("nothing to receive")
        end = max(begin, self.both_ready(message, key[0])) + self.little()
        self.recv_record(message, end)
        self.leave(lane, "MPI_Recv", end)

    def isend(self, key):
        lane, name = key[0], self.rand.choice(("MPI_Isend", "MPI_Isend", "MPI_Issend"))
        self.enter(lane, name)
        lane.requests.append(Request("send", self.send_part(key, name == "MPI_Issend")))
        self.leave(lane, name, lane.clock + self.little())

    def irecv(self, key):
        lane = key[1]
        self.enter(lane, "MPI_Irecv")
        lane.requests.append(Request("recv", self.post_part(key)))
        self.leave(lane, "MPI_Irecv", lane.clock + self.little())

    def sendrecv(self):
        """Around a ring of lanes."""
        ring = self.rand.sample(self.lanes, self.rand.randrange(1, len(self.lanes) + 1))
        keys = [self.fresh_key(a, b) for a, b in zip(ring, ring[1:] + ring[:1])]
        for lane in ring:
            self.compute(lane)
        begins = [self.enter(lane, "MPI_Sendrecv") for lane in ring]
        messages = [self.send_part(key) for key in keys]
        for key in keys:
            self.post_part(key)
        for i, lane in enumerate(ring):
            out, back = messages[i], messages[i - 1]
            least = max(begins[i], back.sent, out.post[0] if self.must_wait(out) else 0)
            end = least + self.little()
            self.recv_record(back, end - self.rand.randrange(end - least + 1))
            self.leave(lane, "MPI_Sendrecv", end)

    # ---- Collectives -------------------------------------------------------------------------------------------------

    def collective(self):
        number = self.rand.randrange(len(self.comms))
        comm, what = self.comms[number], self.rand.choice(list(SHAPES))
        if SHAPES[what] == "near":  # on one that has neighbours
            number = self.rand.choice(list(self.neighbours) or [number])
            comm, what = self.comms[number], what if self.neighbours else "Cart_create"
        shape, starts = SHAPES[what], self.rand.random() < 0.3
        may_wait = what[:3] in ("Com", "Win") or what in TOPOLOGIES
        if may_wait:
            starts = what == "Comm_idup"
        root = self.rand.choice(comm) if shape in ("from", "to") else None
        name = "MPI_I" + what.lower() if starts and not may_wait else "MPI_" + what
        loose = self.rand.random() < 0.3 and not self.is_skewed
        made = None
        if what == "Comm_create_group":  # its record is on the communicator that it makes
            self.comms.append(list(comm))
            made = len(self.comms) - 1
        if what in TOPOLOGIES:
            self.comms.append(list(comm))
            self.neighbours[len(self.comms) - 1] = self.graph(what, len(comm))
        size = 8 * self.rand.randrange(1, 5)
        begins = []
        for place, lane in enumerate(comm):
            self.compute(lane)
            begins.append(self.enter(lane, name))
            if what == "Alltoallv" and not loose:
                self.put(lane, lane.clock, "event", "pith:coll_of_all")
            if shape == "near" and (number, place) not in self.told:
                self.told.add((number, place))
                self.put_neighbours(lane, lane.clock, self.neighbours[number][place])
            gives = 0 if what == "Barrier" or may_wait or (shape == "from" and lane is not root) else size
            none = {"Barrier": True, "Exscan": place == 0}.get(what, may_wait)
            if shape == "near":
                gives = size
                none = not self.neighbours[number][place]
            gets = 0 if none or (shape == "from" and lane is root) or (shape == "to" and lane is not root) else size
            if made is None:
                self.put(lane, lane.clock, "coll", "", "comm=%d" % number, "bytes=%d" % gives, "got_bytes=%d" % gets,
                         "root=%d" % (root.rank if root else -1))
        arrivals = self.tree(what, number, comm.index(root), begins) if root and self.rand.random() < 0.6 else None
        for place, lane in enumerate(comm):
            if arrivals:
                least = arrivals[place]
            elif shape == "near":
                least = max([begins[place]] + [begins[source] for source in self.neighbours[number][place]])
            elif shape == "all":
                least = max(begins)
            elif shape == "lower":
                least = max(begins[:place], default=0)
            elif shape == "from":
                least = begins[comm.index(root)]
            else:
                least = max(begins) if lane is root else 0
            if may_wait and loose:
                least = begins[place]
            if what == "Alltoallv" and loose:  # it may get nothing of the last
                least = begins[place] if not starts and self.rand.random() < 0.5 else least + 1
            if starts:
                numbers = {r.number for r in lane.requests if r.kind == "coll"}
                request = min(set(range(len(numbers) + 1)) - numbers)
                if not lane.is_alone:  # the other thread may be behind or ahead
                    self.number = request = self.number + 1
                holder = self.rand.choice(comm) if self.rand.random() < 0.5 else None
                least = max(begins) if holder and self.is_lazy else least
                holder = holder if holder is not lane else None
                lane.requests.append(Request("coll", number=request, needs=least, holder=holder))
                end = lane.clock + self.little()
                self.put(lane, end, "event", "pith:coll_started", "payload=request=%d" % request)
                self.leave(lane, name, end)
                continue
            end = max(lane.clock, least) + self.little()
            end += what == "Alltoallv" and loose and end == max(begins)
            if end > lane.clock and self.rand.random() < 0.05:
                self.put(lane, lane.clock, "enter", "callback")
                self.put(lane, self.rand.randrange(lane.clock, end + 1), "leave", "callback")
            if made is not None:
                self.put(lane, end, "coll", "", "comm=%d" % made, "bytes=0", "got_bytes=0", "root=-1")
            self.leave(lane, name, end)
        for lane in self.rand.sample(comm, len(comm)) if starts and self.rand.random() < 0.5 else ():
            self.wait(lane)

    def tree(self, what, number, top, begins):
        """When each member of a rooted collective has its part, if it is a binomial tree."""
        count, is_up = len(begins), SHAPES[what] == "to"
        is_high = self.trees.setdefault((what, number, top), self.rand.random() < 0.5)
        came = {}
        for place in reversed(range(count)) if is_up else range(count):  # relative to the root
            parent = None if not place else place - (1 << place.bit_length() - 1) if is_high else place & (place - 1)
            came[place] = max(begins[(place + top) % count], came.get(place, 0), 0 if is_up or not place else came[parent])
            came[place] += self.rand.choice((0, 1, 1, 2))
            if is_up and place:
                came[parent] = max(came.get(parent, 0), came[place])
        return [came[(place - top) % count] for place in range(count)]

    def graph(self, what, count):
        """The sources of each member: of a ring, or any."""
        if what == "Cart_create":
            return [sorted({(i - 1) % count, (i + 1) % count}) for i in range(count)]
        return [self.rand.sample(range(count), self.rand.randrange(count + 1)) for _ in range(count)]

    def put_neighbours(self, lane, time, sources):
        """In one event, or in two."""
        cut = self.rand.randrange(len(sources) + 1) if self.rand.random() < 0.3 else len(sources)
        for part in (sources[:cut], sources[cut:]) if cut < len(sources) else (sources,):
            if part:
                self.put(lane, time, "event", "pith:neighbours", "payload=" + "".join("%08x" % n for n in part))

    # ---- Requests ----------------------------------------------------------------------------------------------------

    def settle(self, request):
        """Lets the partner do what the request needs."""
        m = request.message
        if request.kind == "coll" or (m.sent is not None and (m.post is not None or not self.must_wait(m))):
            return
        key = m.source, m.target, m.comm, m.tag
        while request.kind == "recv" and m.sent is None:
            self.compute(m.source)
            self.rand.choice((self.send, self.isend))(key)
        while request.kind == "send" and m.post is None:
            self.compute(m.target)
            self.rand.choice((self.recv, self.irecv))(key)

    def needs(self, request):
        """From when on the request can be complete."""
        if request.least is None:
            request.least = self.least(request)
        return request.least

    def least(self, request):
        m = request.message
        if request.kind == "coll":
            return self.next_served(request.holder, request.needs) if request.holder else request.needs
        return self.both_ready(m, m.source) if request.kind == "recv" else \
            self.both_ready(m, m.target) if self.must_wait(m) else 0

    def complete(self, lane, requests, least, end):
        """The records of completed requests, in a call."""
        self.rand.shuffle(requests)
        time = max(lane.clock, least)
        for request in requests:
            lane.requests.remove(request)
            time = self.rand.choice((time, end))
            if request.kind == "recv":
                self.recv_record(request.message, time)
            elif request.kind == "coll":
                self.put(lane, time, "event", "pith:coll_complete", "payload=request=%d" % request.number)

    def wait(self, lane):
        for request in list(lane.requests):
            self.settle(request)
        self.compute(lane)
        some = list(lane.requests)
        if not some:
            return
        name = self.rand.choice(("MPI_Wait", "MPI_Waitall", "MPI_Waitall", "MPI_Waitany", "MPI_Waitsome", "MPI_Test",
                                 "poll"))
        if name == "MPI_Test":
            self.test(lane, self.rand.choice(some))
            return
        if name == "poll":
            self.poll(lane, self.rand.choice(some))
            return
        if name in ("MPI_Waitany", "MPI_Waitsome") and self.rand.random() < 0.5:
            some = self.rand.sample(some, self.rand.randrange(1, len(some) + 1))
        if name == "MPI_Wait":
            some = [self.rand.choice(some)]
        if name == "MPI_Waitall":  # leaves no receive under way
            some = [r for r in some if (lane.is_alone if r.kind == "recv" else self.rand.random() < 0.8)]
        if not some:
            return
        begin = self.enter(lane, name)
        if name in ("MPI_Wait", "MPI_Waitall"):
            least = max([begin] + [self.needs(r) for r in some])
        else:
            least = max(begin, min(self.needs(r) for r in some))
        end = least + self.little()
        if name == "MPI_Waitany":
            some = [self.rand.choice([r for r in some if self.needs(r) <= end])]
        elif name == "MPI_Waitsome":
            some = [r for r in some if self.needs(r) <= end]
        least = max([begin] + [self.needs(r) for r in some])
        self.complete(lane, some, least, end)
        self.leave(lane, name, end)

    def test(self, lane, request):
        for _ in range(3):
            begin = self.enter(lane, "MPI_Test")
            end = begin + self.little()
            if self.needs(request) <= end:
                self.complete(lane, [request], self.needs(request), end)
                self.leave(lane, "MPI_Test", end)
                return
            self.leave(lane, "MPI_Test", end)
            self.compute(lane)

    def poll(self, lane, request):
        """Tests until it is complete, with little work or sleep between."""
        rest = self.needs(request) - lane.clock
        gap = max(1, rest // self.rand.randrange(2, 12))
        is_asleep = gap > 2 or self.rand.random() < 0.3
        is_done = False
        while not is_done:
            begin = self.enter(lane, "MPI_Test")
            end = begin + self.rand.randrange(3)
            is_done = self.needs(request) <= end
            if is_done:
                self.complete(lane, [request], self.needs(request), end)
            self.leave(lane, "MPI_Test", end)
            if not is_done:
                if is_asleep:
                    self.put(lane, lane.clock, "enter", "usleep")
                lane.clock += gap
                if is_asleep:
                    self.put(lane, lane.clock, "leave", "usleep")

    # ---- The whole ---------------------------------------------------------------------------------------------------

    def point_to_point(self):
        a, b = self.rand.choice(self.lanes), self.rand.choice(self.lanes)
        key = self.key(a, b)
        self.compute(a)
        self.compute(b)
        what = self.rand.choice(("send", "send", "isend", "isend", "irecv", "irecv", "recv"))
        if what == "send" and a is not b:
            self.send(key)
        elif what == "isend":
            self.isend(key)
        elif what == "recv" and self.sends.get(key) and not self.must_wait_for(key):
            self.recv(key)
        else:
            self.irecv(key)

    def must_wait_for(self, key):
        """The first sent message is of the same lane and complete only after the receive: MPI_Ssend to oneself."""
        return key[0] is key[1] and self.must_wait(self.sends[key][0])

    def run(self, operations):
        if self.has_init:
            for lane in self.mains:
                self.enter(lane, "MPI_Init")
                self.leave(lane, "MPI_Init", lane.clock + self.rand.randrange(60))
            start = max(lane.clock for lane in self.mains)
        for _ in range(operations):
            what = self.rand.random()
            if what < 0.4:
                self.point_to_point()
            elif what < 0.6:
                self.wait(self.rand.choice(self.lanes))
            elif what < 0.7:
                self.sendrecv()
            else:
                self.collective()
        while any(lane.requests for lane in self.lanes) or any(self.sends.values()) or any(self.recvs.values()):
            for lane in self.lanes:
                while lane.requests:
                    self.wait(lane)
            for key, sent in self.sends.items():
                while sent:
                    self.recv(key)
        for lane in self.lanes:
            self.compute(lane)
        if self.has_finalize:
            for lane in self.mains:
                lane.clock = max(lane.clock, start if self.has_init else 0)
                self.enter(lane, "MPI_Finalize")
            end = max(lane.clock for lane in self.mains)
            for lane in self.mains:
                self.leave(lane, "MPI_Finalize", end + self.little())

    def write(self, out):
        if self.eager is not None:
            print("# property\tkey=eager_bytes\tvalue=same_host=%d network=%d" % (self.eager, self.eager), file=out)
        for lane in self.lanes:
            print("# lane\trank=%d\tthread=%d\tname=\thost=%s" % (lane.rank, lane.thread, self.hosts[lane.rank]),
                  file=out)
        for event in ("coll_started\trequest=%d", "coll_complete\trequest=%d", "probed\tsource=%d tag=%d", "neighbours\t"):
            print("# event\tname=pith:%s\tcolour=gray50\tgroup=pith\tformat=%s" % tuple(event.split("\t")), file=out)
        for i, comm in enumerate(self.comms):
            print(text_log.comm(i, "" if i else "MPI_COMM_WORLD", [lane.rank for lane in comm]), file=out)
        skew = [self.rand.randrange(60) if self.is_skewed else 0 for _ in self.hosts]
        numbers = {post: i for posts in self.posts.values() for i, post in enumerate(sorted(posts))}
        lines = []
        for lane in self.lanes:
            for place, (time, kind, name, values) in enumerate(lane.lines):
                time += skew[lane.rank]
                values = ["posted=%d" % numbers[v] if isinstance(v, tuple) else v for v in values]
                text = text_log.line(time, lane.rank, lane.thread, kind, name, *values)
                lines.append((time, lane.index, place, text))
        for line in sorted(lines):
            print(line[3], file=out)


if __name__ == "__main__":
    if len(sys.argv) == 2:
        Program(int(sys.argv[1])).write(sys.stdout)
    for seed in range(int(sys.argv[1]), int(sys.argv[2]) + 1) if len(sys.argv) > 2 else ():
        with open("%d.txt" % seed, "w") as out:
            Program(seed).write(out)
