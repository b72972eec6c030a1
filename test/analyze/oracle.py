#!/usr/bin/env python3
"""oracle.py LOG.txt: what `pith analyze LOG --json --waits` must print, from the definitions of wait states, delays,
critical path and efficiencies: every wait state is compared with every other, and exact fractions are summed.
Slow; only for the small logs of random_log.py and test_oracle.sh. Reads the text of `pith print`. ORACLE_RULES=all in the
environment: with the rules beyond the textbook (oracle_beyond.py).

oracle.py facts: reads such JSON and prints what is in it, a fact a line.
oracle.py waits FILE...: prints the wait states of each text log, or in each such JSON.
oracle.py orders FIRST LAST: compares the order of late senders in SEED.slow.txt and SEED.slow.json, of every second seed.
oracle.py compare FIRST LAST: compares the outputs of pith, SEED.json, for the logs SEED.txt; prints the first
difference of each log that differs, and how many do."""
import json
import os
import sys
from fractions import Fraction

import oracle_beyond
import oracle_windows
from oracle_network import find_fitted
from text_log import ns

sys.setrecursionlimit(100000)

KINDS = ["late sender", "late receiver", "wait at barrier", "wait at N x N", "late broadcast", "early reduce",
         "early scan", "wait at finalize", "late post", "early wait", "lock contention", "wait for progress",
         "late inner rank", "polling", "late notice"]
ALL, FROM, TO, LOWER, NEIGHBOURS = "all", "from", "to", "lower", "neighbours"
COLLECTIVES = {"barrier": ALL, "allreduce": ALL, "allgather": ALL, "allgatherv": ALL, "alltoall": ALL, "alltoallv": ALL,
               "alltoallw": ALL, "reduce_scatter": ALL, "reduce_scatter_block": ALL, "bcast": FROM, "scatter": FROM,
               "scatterv": FROM, "reduce": TO, "gather": TO, "gatherv": TO, "scan": LOWER, "exscan": LOWER}
COLLECTIVES.update({name: NEIGHBOURS for name in oracle_beyond.NEIGHBOURHOOD if "neighbours" in oracle_beyond.RULES})
# A barrier for all members or for none. MPI_Comm_create_group is recorded at its end, on the communicator that it made.
MAY_WAIT = {"comm_dup", "comm_idup", "comm_split", "comm_create_group", "comm_free", "cart_create", "graph_create",
            "dist_graph_create", "dist_graph_create_adjacent", "win_fence", "win_create", "win_free",
            "file_open", "file_close", "file_write_all", "file_read_at_all"}
LATER = {"MPI_Isend", "MPI_Irsend", "MPI_Issend"}
RECEIVES = {"MPI_Recv", "MPI_Sendrecv", "MPI_Sendrecv_replace"}
POSTS = RECEIVES | {"MPI_Irecv"}
WAITS = {"MPI_Wait", "MPI_Waitany", "MPI_Waitsome", "MPI_Waitall"}
FIRST = {"MPI_Waitany", "MPI_Waitsome", "MPI_Testany", "MPI_Testsome"}
ONE = {"MPI_Wait", "MPI_Waitany"}
MOVES = RECEIVES | WAITS | oracle_windows.LOCKS | {"MPI_Ssend", "MPI_Probe", "MPI_Iprobe", "MPI_Mprobe", "MPI_Improbe", "MPI_Mrecv"}


# ---- The log ---------------------------------------------------------------------------------------------------------

class Call:
    """A state of an MPI function on a lane."""

    def __init__(self, lane, name, begin):
        self.lane, self.name, self.begin, self.end = lane, name, begin, None
        self.outermost = self  # the call around it that names the piece
        self.releases = []     # (time, kind, cause lane, call of the cause or None, needed members of a collective or None,
                               #  bytes, members, and where it is not the call's begin: from when on it waits for this)
        self.received = 0      # messages
        self.completed = 0     # collectives
        self.probed = 0        # messages found
        self.state = None      # of Log.states
        self.is_polling = False  # together with failed tests before it


class Message:
    def __init__(self, time, lane, call, size, peer):
        self.time, self.lane, self.call, self.size, self.peer = time, lane, call, size, peer
        self.post = None       # the call that posted its receive


class Member:
    """A rank's part in a collective instance."""

    def __init__(self, rank, lane, time, call, root, got, is_of_all):
        self.rank, self.lane, self.call, self.root, self.got, self.is_of_all = rank, lane, call, root, got, is_of_all
        self.begin = call.begin if call else time
        self.completion, self.done = call, None


def serves(name):
    """Whether a call lets the library work for others."""
    return name in MOVES or name[4:].lower() in COLLECTIVES or name[4:].lower() in MAY_WAIT


class Log:
    def __init__(self, lines):
        self.properties, lanes, self.comms, records, hosts = {}, set(), {}, [], {}
        for line in lines:
            fields = line.rstrip("\n").split("\t")
            values = dict(f.split("=", 1) for f in fields[1 if line[0] == "#" else 5:] if "=" in f)
            if line.startswith("# property"):
                self.properties[values["key"]] = values["value"]
            elif line.startswith("# lane"):
                lanes.add((int(values["rank"]), int(values["thread"])))
                hosts[int(values["rank"])] = values.get("host", "")
            elif line.startswith("# comm"):
                self.comms[int(values["comm"])] = [int(r) for r in values["ranks"].split(",")]
            elif line[0] != "#":
                lane = int(fields[1]), int(fields[2])
                lanes.add(lane)
                records.append((ns(fields[0]), lane, len(records), fields[3], fields[4], values))
        self.lanes = sorted(lanes)
        self.ranks = sorted({rank for rank, _ in self.lanes})
        self.comms.setdefault(0, self.ranks)
        self.hosts = len({hosts.get(rank, "") for rank in self.ranks})
        self.host = hosts
        self.read(sorted(records))

    def read(self, records):
        index = {lane: i for i, lane in enumerate(self.lanes)}
        self.begin, self.end = records[0][0], records[-1][0]
        self.neighbours = {}                      # sources, by (rank, communicator)
        count = len(self.lanes)
        self.calls = [[] for _ in range(count)]   # by begin
        self.states = [[] for _ in range(count)]  # [from, to, name, depth]
        self.last = [[] for _ in range(count)]    # times of records
        opened = [[] for _ in range(count)]       # [name, call or None, number in self.states]
        sends, recvs, instances, posts = {}, {}, {}, {}
        requests, started = {}, {}                 # by number; by lane
        self.later = [[] for _ in range(count)]    # sends that a later call completes
        self.left = []                             # calls as they end, with the number of such sends before
        of_all = [False] * count
        probes = {}                                # (call, sender, tag), by rank
        self.epochs, self.targets = [], []         # one-sided
        told = {}                                 # neighbours of a lane's next collective
        parts, received = {}, {}                   # collectives so far, by (rank, communicator); receives, by rank
        for time, (rank, thread), _, kind, name, values in records:
            lane = index[rank, thread]
            self.last[lane].append(time)
            stack = opened[lane]
            inner = next((call for _, call, _ in reversed(stack) if call), None)
            if kind == "enter":
                call = None
                if name.startswith("MPI_"):
                    call = Call(lane, name, time)
                    call.outermost = next((c for _, c, _ in stack if c), call)
                    self.calls[lane].append(call)
                    of_all[lane] = False
                    if name in POSTS:
                        posts.setdefault(rank, []).append(call)
                self.states[lane].append([time, None, name, len(stack)])
                if call:
                    call.state = self.states[lane][-1]
                stack.append((name, call, len(self.states[lane]) - 1))
            elif kind == "leave":
                at = next((i for i in reversed(range(len(stack))) if stack[i][0] == name), None)
                if at is not None:
                    _, call, number = stack.pop(at)
                    self.states[lane][number][1] = time
                    if call:
                        call.end = time
                        self.left.append((call, len(self.later[lane])))
            elif kind == "send" and int(values["peer"]) >= 0:
                message = Message(time, lane, inner, int(values["bytes"]), int(values["peer"]))
                sends.setdefault((values["comm"], rank, message.peer, values["tag"]), []).append(message)
                if inner and inner.name in LATER:
                    self.later[lane].append(message)
            elif kind == "recv" and int(values["peer"]) >= 0:
                if inner:
                    inner.received += 1
                posted = int(values.get("posted", received.get(rank, 0)))
                post = inner if inner and inner.name in RECEIVES else posts[rank][posted]
                found = [p for p in probes.get(rank, []) if p[1:] == ("source=" + values["peer"], "tag=" + values["tag"])
                         and p[0].begin <= post.begin]
                probes[rank] = [p for p in probes.get(rank, []) if p not in found]
                recvs.setdefault((values["comm"], int(values["peer"]), rank, values["tag"]), []).append(
                    (posted, rank, lane, inner, [p[0] for p in found]))
                received[rank] = received.get(rank, 0) + 1
            elif kind == "coll":
                comm = int(values["comm"])
                if lane in told:
                    self.neighbours[rank, comm] = told.pop(lane)
                number = parts[rank, comm] = parts.get((rank, comm), -1) + 1
                member = Member(rank, lane, time, inner, int(values["root"]), int(values["got_bytes"]), of_all[lane])
                instances.setdefault((comm, number), []).append(member)
                started[lane] = member
            elif kind == "event" and name == "pith:probed":
                probes.setdefault(rank, []).append((inner,) + tuple(values["payload"].split()))
                if inner:
                    inner.probed += 1
            elif kind == "event" and name == "pith:neighbours":
                told.setdefault(lane, []).extend(oracle_beyond.neighbours_of_payload(values["payload"]))
            elif kind == "event" and name == "pith:epoch":
                what, its = values["payload"].split()
                self.epochs.append(oracle_windows.Epoch(rank, inner, int(values.get("comm", 0)), what[5:], its[6:]))
            elif kind == "event" and name in ("MPI target", "MPI one-sided"):
                self.targets.append((inner, rank, int(values["payload"].split()[1][7:])))
            elif kind == "event" and name == "pith:coll_of_all":
                of_all[lane] = True
            elif kind == "event" and name == "pith:coll_started":
                requests[rank, values["payload"]] = started[lane]
                started[lane].completion = None
            elif kind == "event" and name == "pith:coll_complete":
                requests[rank, values["payload"]].completion = inner
                requests[rank, values["payload"]].done = time
                if inner and oracle_beyond.is_known(requests[rank, values["payload"]].call.name):
                    inner.completed += 1
        for lane in range(count):
            for state in self.states[lane]:
                state[1] = self.end if state[1] is None else state[1]
            for call in self.calls[lane]:
                # A rank without a record after MPI_Finalize has ended: that lasts to the end.
                has_ended = call.name == "MPI_Finalize" and call.outermost is call and call.end == self.last[lane][-1]
                if call.end is None or has_ended:
                    call.end = call.state[1] = self.end
                    self.left.append((call, len(self.later[lane])))
        self.release_by_messages(sends, recvs, posts)
        self.release_by_collectives(instances)
        self.release_by_finalize()
        oracle_windows.posts_and_accesses(self.epochs)
        oracle_windows.locks(self, self.epochs)
        oracle_windows.progress(self, self.epochs, self.targets, serves)
        if "inner" in oracle_beyond.RULES:
            oracle_beyond.inner_ranks(self, self.instances)
        if "progress" in oracle_beyond.RULES:
            oracle_beyond.progress(self, self.messages, self.instances, serves)
        for calls in self.calls:
            for call in calls:  # a lane never waits for what it does later itself
                call.releases = [r for r in call.releases if r[2] != call.lane or r[0] <= call.begin]
        if "polling" in oracle_beyond.RULES:
            oracle_beyond.polling(self)

    # ---- Releases ----------------------------------------------------------------------------------------------------

    def must_wait(self, message, call):
        """True, False, or None: not known."""
        if call and call.name in ("MPI_Ssend", "MPI_Issend"):
            return True
        if call and call.name in ("MPI_Bsend", "MPI_Ibsend"):
            return False
        here, there = self.host.get(self.lanes[message.lane][0], ""), self.host.get(message.peer, "")
        limit = self.eager_limit(here == there)
        return None if limit is None else message.size > limit

    def eager_limit(self, is_here):
        """The bytes of a message that can be buffered, on one host or between two; None: not known."""
        word = "same_host=" if is_here else "network="
        for limit in self.properties.get("eager_bytes", "").split():
            if limit.startswith(word):
                return int(limit[len(word):])
        return None

    def release_by_messages(self, sends, recvs, posts):
        self.messages, completes = [], {}  # those that must wait for their receiver; the calls that complete their sends
        for key, received in recvs.items():
            for message, (posted, rank, lane, call, probing) in zip(sends.get(key, []), sorted(received, key=lambda r: r[0])):
                begin = message.call.begin if message.call else message.time
                for c in probing + [call] if call else probing:
                    c.releases.append((begin, 0, message.lane, message.call, None, message.size, 2))
                if call and call.name in RECEIVES:
                    message.post = call
                elif posted < len(posts.get(rank, [])):
                    message.post = posts[rank][posted]
                sender = message.call
                if message.post and sender and sender.name not in LATER | {"MPI_Bsend"} and \
                        (self.must_wait(message, sender) or sender.begin < message.post.begin <= sender.end):
                    self.release_late(sender, message)
                if message.post and self.must_wait(message, sender):
                    completes[id(message)] = sender if sender and sender.name not in LATER else None
                    self.messages.append((message, call))
        # A log does not record which call completes an MPI_Isend: the first that can have done so.
        waiting = [[m for m in later if self.must_wait(m, m.call) is not False] for later in self.later]
        for call, number in self.left:
            before = set(map(id, self.later[call.lane][:number]))
            if call.name not in WAITS or (call.name in ONE and call.received + call.completed):
                continue
            for message in list(waiting[call.lane]):
                if id(message) not in before or not message.post or message.post.begin > call.end:
                    continue
                done = call.received + call.completed
                may_wait = not done and message.post.begin > call.begin
                if (self.must_wait(message, message.call) or may_wait) and not (call.name in FIRST and done):
                    self.release_late(call, message)
                waiting[call.lane].remove(message)
                completes[id(message)] = call
                if call.name in ONE:
                    break

        self.messages = [(m, completes[id(m)], receiver) for m, receiver in self.messages]

    def release_late(self, call, message):
        call.releases.append((message.post.begin, 1, message.post.lane, message.post, None, message.size, 2))

    def release_by_collectives(self, instances):
        self.together = []  # (last begin, lanes) of the instances in which all wait for all
        self.begins = []    # of the same instances: {lane: begin}
        self.instances = []  # complete ones: (name, communicator, members)
        for (comm, _), members in instances.items():
            ranks = self.comms[comm]
            members.sort(key=lambda m: ranks.index(m.rank))
            if not members[0].call or len(members) < len(ranks):
                continue
            name = members[0].call.name[4:].lower()
            name = name[1:] if name[0] == "i" and name[1:] in COLLECTIVES else name
            self.instances.append((name, comm, members))
            shape = ALL if name in MAY_WAIT else COLLECTIVES.get(name)
            ends = [m.done if m.done is not None else m.completion.end for m in members if m.completion]
            if name in MAY_WAIT and min(ends, default=self.end) < max(m.begin for m in members):
                continue
            if shape == ALL:
                self.together.append((max(m.begin for m in members), {m.lane for m in members}))
                self.begins.append({m.lane: m.begin for m in members})
            for place, member in enumerate(members):
                root = member.rank == member.root
                needs = {ALL: members, FROM: [] if root else [m for m in members if m.rank == m.root],
                         TO: members if root else [], LOWER: members[:place],
                         NEIGHBOURS: oracle_beyond.neighbours(self, comm, member, members)}.get(shape, [])
                if not needs or not member.completion:
                    continue
                sources = len(self.neighbours.get((member.rank, comm), ()))
                # Parts may be empty: the member waited only if it did not leave before.
                may_go = name.split("_")[-1] in ("alltoallv", "alltoallw") and not member.is_of_all or \
                    name != "barrier" and name not in MAY_WAIT and member.got == 0
                last = min(needs, key=lambda m: (-m.begin, m.lane))
                if shape == NEIGHBOURS:  # each is like a message; a call that returns with the first of several needs the last
                    needs = [m for m in needs if m.lane != member.lane and
                             (not may_go or m.begin <= member.completion.end)]
                    if member.completion.name in FIRST:
                        needs = sorted(needs, key=lambda m: (-m.begin, m.lane))[:1]
                    for m in needs:
                        member.completion.releases.append((m.begin, 3, m.lane, m.call, None, member.got // sources, 2))
                    continue
                if not may_go or last.begin <= (member.completion.end if member.done is None else member.done):
                    kind = {ALL: 2 if name == "barrier" else 3, FROM: 4, TO: 5, LOWER: 6, NEIGHBOURS: 3}[shape]
                    member.completion.releases.append((last.begin, kind, last.lane, last.call, needs, member.got, len(members)))

    def release_by_finalize(self):
        finals = [c for calls in self.calls for c in calls if c.name == "MPI_Finalize"]
        last = min(finals, key=lambda c: (-c.begin, c.lane), default=None)
        for call in finals:
            call.releases.append((last.begin, 7, last.lane, last, None, 0, 2))


# ---- Wait states -----------------------------------------------------------------------------------------------------

class Wait:
    pass


def since_of(call, release):
    return release[7] if len(release) > 7 else call.begin


def decisive(call, time_of, releases=None):
    """The latest release of a call, or the earliest; a late sender before a late receiver before a collective."""
    times = [(time_of(r), r[1], r[2], r) for r in releases or call.releases]
    if call.name in FIRST:
        return min(times, key=lambda t: t[:3])
    # Choice: of releases at one moment that of the wait that begins last.
    return min(times, key=lambda t: (-t[0],) + t[1:3] + (-since_of(call, t[3]),))


def window_of(log):
    inits = [c.end for calls in log.calls for c in calls if c.name in ("MPI_Init", "MPI_Init_thread")]
    finals = [c.begin for calls in log.calls for c in calls if c.name == "MPI_Finalize"]
    t0 = max(inits, default=log.begin)
    return t0, max([t0] + finals) if finals else max(t0, log.end)


def wrong_order(waiting, later, source, end, t1):
    """Whether a message that a later call receives had been sent before a late sender's wait state ended, and the lane
    computes for 100 us between the two calls."""
    sources, computing, at = set(), 0, waiting.outermost.end
    for call in later:
        if call.begin > at:
            computing += call.begin - at
        at = max(at, call.end)
        if computing >= 100000 and call.begin < t1:
            sources |= {r[2] for r in call.releases if r[1] == 0 and r[0] < end}
    return "same source" if source in sources else "other source" if sources else None


def find_waits(log, t0, t1):
    """Sets log.is_contradictory if a call ended before it was released: clocks differ."""
    waits, log.is_contradictory = [], False
    for calls in log.calls:
        for call in calls:
            if not call.releases:
                continue
            log.is_contradictory |= decisive(call, lambda r: r[0])[0] > call.end
            limit = call.end
            releases = call.releases
            while releases:
                time, kind, cause, release = decisive(call, lambda r: r[0], releases)
                kind = oracle_beyond.POLLING if call.is_polling else kind
                since = since_of(call, release)
                w = wait_of(call, kind, cause, time, max(since, t0), min(time, limit, t1))
                w.order = kind == 0 and wrong_order(call, calls[calls.index(call) + 1:], cause, w.end, t1)
                waits += [w] if w.end > w.start else []
                if call.is_polling and limit == call.end:
                    # Choice: a message that had been sent before the first test is late from there on.
                    w = wait_of(call, oracle_beyond.LATE_NOTICE, call.lane, time, max(time, call.begin, t0), min(call.end, t1))
                    waits += [w] if w.end > w.start else []
                limit = since
                releases = [r for r in releases if call.begin < r[0] <= since]
    return waits


def wait_of(call, kind, cause, release, start, end):
    w = Wait()
    w.kind, w.lane, w.cause, w.release, w.state = kind, call.lane, cause, release, call.name
    w.start, w.end, w.order = start, end, None
    return w


# ---- Pieces ----------------------------------------------------------------------------------------------------------

def pieces_of(log, lane, t0, t1):
    """(from, to, state, is MPI) of a lane's time in the window, without gaps."""
    states = log.states[lane]
    times = sorted({t0, t1} | {t for s in states for t in s[:2] if t0 < t < t1})
    pieces = []
    for a, b in zip(times, times[1:]):
        over = [s for s in states if s[0] <= a and s[1] >= b]
        mpi = [s for s in over if s[2].startswith("MPI_")]
        state = mpi[0] if mpi else over[-1] if over else None
        pieces.append((a, b, state[2] if state else "computing", bool(mpi)))
    return pieces


class Lane:
    def __init__(self, log, lane, t0, t1, waits):
        self.pieces = pieces_of(log, lane, t0, t1)
        self.waits = [w for w in waits if w.lane == lane and w.kind != oracle_beyond.LATE_NOTICE]
        self.useful = sum(b - a for a, b, state, mpi in self.pieces if not mpi and not state.startswith("io:"))

    def times(self, a, b):
        """The time in [a, b] by component: (state, is MPI), and "waiting"."""
        found = {}
        for start, end, state, mpi in self.pieces:
            low, high = max(a, start), min(b, end)
            if low >= high:
                continue
            waiting = sum(max(0, min(high, w.end) - max(low, w.start)) for w in self.waits) if mpi else 0
            found[state, mpi] = found.get((state, mpi), 0) + high - low - waiting
            found["waiting"] = found.get("waiting", 0) + waiting
        return found


# ---- Delays ----------------------------------------------------------------------------------------------------------

def synchronisation(log, w, waits, t0):
    """The latest common synchronisation of the waiting lane and its cause."""
    pair = {w.lane, w.cause}
    times = [v.end for v in waits if {v.lane, v.cause} == pair] + [t for t, lanes in log.together if pair <= lanes]
    return max([t for t in times if t <= w.start] + [t0])


def find_delays(log, lanes, waits, t0):
    for w in waits:
        if w.kind == oracle_beyond.LATE_NOTICE:  # for others it is time in the call, which costs what it takes
            w.excess, w.hands, w.weight, w.total = {(w.state, True): w.end - w.start}, [], None, w.end - w.start
            continue
        s = synchronisation(log, w, waits, t0)
        mine, its = lanes[w.lane].times(s, w.start), lanes[w.cause].times(s, w.end)
        w.excess = {x: its[x] - mine.get(x, 0) for x in its if its[x] > mine.get(x, 0)}
        w.total = sum(w.excess.values())
        overlaps = [(v, max(0, min(v.end, w.end) - max(v.start, s))) for v in lanes[w.cause].waits]
        w.hands = [(v, o) for v, o in overlaps if o > 0] if "waiting" in w.excess else []
        w.weight = None
    handed = {}
    for w in waits:
        for v, overlap in w.hands:
            handed.setdefault(id(v), []).append((w, overlap))

    def weight(v):
        """By the kind of the first waiting: the length of v, and what later wait states hand to it."""
        if v.weight == "busy":
            raise ValueError("wait states that cause each other")
        if v.weight is None:
            v.weight, sums = "busy", {v.kind: Fraction(v.end - v.start)}
            for w, overlap in handed.get(id(v), []):
                for kind, part in weight(w).items():
                    part *= Fraction(w.excess["waiting"] * overlap, w.total * sum(o for _, o in w.hands))
                    sums[kind] = sums.get(kind, 0) + part
            v.weight = sums
        return v.weight

    delays = {}
    for w in waits:
        for kind, cost in weight(w).items():
            own = w.end - w.start if kind == w.kind else 0
            for x, excess in w.excess.items():
                if x != "waiting":
                    sums = delays.setdefault((w.cause, x[0], KINDS[kind]), [Fraction(0), Fraction(0)])
                    sums[0] += Fraction(own * excess, w.total)
                    sums[1] += (cost - own) * excess / w.total
    return delays


# ---- The critical path -----------------------------------------------------------------------------------------------

def find_path(log, waits, t0, t1):
    lasts = [max([t for t in times if t0 <= t <= t1], default=t0) for times in log.last]
    lane, time, parts = lasts.index(max(lasts)), t1, []
    while time > t0:
        before = max([w for w in waits if w.lane == lane and w.end <= time and w.kind != oracle_beyond.LATE_NOTICE],
                     key=lambda w: w.end, default=None)
        since = before.end if before else t0
        if since < time:
            parts.append((lane, since, time))
        time, lane = since, before.cause if before else lane
    return parts[::-1]


# ---- Efficiencies ----------------------------------------------------------------------------------------------------

def replay(log, members, t0, t1, moves, compute, finish=None):
    """When the last lane ends, if calls take moves(call) after their release, or end at finish(call, begin, release), and
    lanes compute(lane, from, to)."""
    rows = [[c for c in calls if c.outermost is c and c.end > t0 and c.begin < t1] for calls in log.calls]
    place = {id(c): (lane, i) for lane, calls in enumerate(rows) for i, c in enumerate(calls)}
    inside = {}
    for calls in log.calls:
        for c in calls:
            if c.releases:
                inside.setdefault(id(c.outermost), []).append(c)
    ends = {}

    def at(lane, time, count, exact=False):
        """The replayed time of a moment of a lane outside of calls, after `count` of its calls."""
        before = rows[lane][count - 1].end if count else t0
        return (end(rows[lane][count - 1]) if count else 0) + compute(lane, before, time, exact)

    def begin(call):
        lane, number = place[id(call)]
        return 0 if call.begin <= t0 and number == 0 else at(lane, max(call.begin, t0), number)

    def release(r):
        return max([moment(m.begin, m.lane, m.call) for m in r[4]] if r[4] else [moment(r[0], r[2], r[3])])

    def moment(time, lane, call):
        if time < t0 or time >= t1:
            return 0
        if call and id(call.outermost) in place:
            return begin(call.outermost)
        return at(lane, time, sum(c.end <= time for c in rows[lane]), True)

    def end(call):
        if id(call) not in ends and finish:
            ends[id(call)] = finish(call, begin(call), release)
        elif id(call) not in ends:
            needs = inside.get(id(call), [])
            ends[id(call)] = max([begin(call)] + [decisive(c, release)[0] for c in needs]) + moves(call, needs)
        return ends[id(call)]

    lasts = []
    for lane in members:
        calls = rows[lane]
        before = calls[-1].end if calls else t0
        lasts.append((end(calls[-1]) if calls else 0) + (compute(lane, before, t1, False) if before < t1 else 0))
    return max(lasts, default=0)


def find_ideal(log, members, t0, t1):
    """The replay on a network that takes no time."""
    return replay(log, members, t0, t1, lambda call, needs: 0, lambda lane, a, b, exact: b - a)


def find_balanced(log, lanes, members, t0, t1):
    """The replay with the computing of all lanes balanced: between two instances in which all lanes wait for all, or
    between stops, whichever is shorter."""
    phases = [begins for begins in log.begins if set(begins) == set(members) and t0 < max(begins.values()) < t1]
    stop_phase = phases_by_stops(log, lanes, t0, t1)
    return min(balanced_in(log, lanes, members, t0, t1, phase_of)
               for phase_of in (lambda lane, a: sum(begins[lane] <= a for begins in phases), stop_phase))


def balanced_in(log, lanes, members, t0, t1, phase_of):
    computing = [(lane, a, b, phase_of(lane, a)) for lane in members for a, b, _, mpi in lanes[lane].pieces if not mpi]
    sums, factors = {}, {}
    for lane, a, b, phase in computing:
        if b > a:
            of = sums.setdefault(phase, {})
            of[lane] = of.get(lane, 0) + b - a
    for phase, of in sums.items():
        for lane, time in of.items():
            factors[lane, phase] = Fraction(sum(of.values()), len(of) * time)
    return replay_scaled(log, members, t0, t1, [(lane, a, b, factors.get((lane, phase), 1)) for lane, a, b, phase in computing])


def phases_by_stops(log, lanes, t0, t1):
    """Rows of linked calls with little computing between them are stops. Those that are linked, or each before the other,
    are one; the computing before a stop is in the phase of the longest way from there."""
    rows = [[c for c in calls if c.outermost is c and c.end > t0 and c.begin < t1] for calls in log.calls]
    inside = {id(c) for row in rows for c in row}
    links = [(c.outermost, r[3].outermost) for calls in log.calls for c in calls for r in c.releases
             if r[3] and not r[4] and r[1] != 7]
    for _, _, of in log.instances:
        parts = [m.call.outermost for m in of if m.call and id(m.call.outermost) in inside]
        links += [(parts[0], part) for part in parts]
    finals = [c.outermost for calls in log.calls for c in calls if c.name == "MPI_Finalize" and id(c.outermost) in inside]
    links += [(finals[0], c) for c in finals]
    links = [(x, y) for x, y in links if id(x) in inside and id(y) in inside]
    linked = {id(c) for link in links for c in link}
    stop_of, begins, owner = {}, [], []
    for lane, row in enumerate(rows):
        calls = [c for c in row if id(c) in linked]
        gaps, before = [], t0
        for c in calls:
            gaps.append(sum(max(0, min(b, c.begin) - max(a, before)) for a, b, _, mpi in lanes[lane].pieces if not mpi))
            before = c.begin
        total, squares = sum(gaps), sum(g * g for g in gaps)
        for i, c in enumerate(calls):
            if i == 0 or gaps[i] * total * 10 > squares:
                begins.append(c.begin)
                owner.append(lane)
            stop_of[id(c)] = len(begins) - 1
    after = {s: set() for s in range(len(begins))}
    for s in range(len(begins) - 1):
        if owner[s] == owner[s + 1]:
            after[s].add(s + 1)
    for x, y in links:
        after[stop_of[id(x)]].add(stop_of[id(y)])
        after[stop_of[id(y)]].add(stop_of[id(x)])
    reach = {s: {s} for s in after}
    changed = True
    while changed:
        changed = False
        for s in reversed(range(len(begins))):
            more = set().union(*(reach[n] for n in after[s])) - reach[s]
            reach[s] |= more
            changed |= bool(more)
    heights = {}

    def height(s):
        same = frozenset(n for n in reach[s] if s in reach[n])
        if same not in heights:
            heights[same] = max([height(n) + 1 for n in reach[s] - same], default=0)
        return heights[same]

    phases = [-height(s) for s in range(len(begins))]
    return lambda lane, a: min([(begins[s], phases[s]) for s in range(len(begins)) if owner[s] == lane and begins[s] > a], default=(0, 1))[1]


def find_faster(log, t0, t1, state, rank, times):
    """The replay with a state of one rank so many times faster."""
    waits = find_waits(log, t0, t1)
    lanes = [Lane(log, i, t0, t1, waits) for i in range(len(log.lanes))]
    computing = [(i, a, b, Fraction(1, times) if name == state and log.lanes[i][0] == rank else 1)
                 for i, lane in enumerate(lanes) for a, b, name, mpi in lane.pieces if not mpi]
    return replay_scaled(log, [i for i, calls in enumerate(log.calls) if calls], t0, t1, computing)


def replay_scaled(log, members, t0, t1, computing):
    """`computing`: (lane, from, to, factor). Transfers take their measured time."""
    def moves(call, needs):
        begin, end = max(call.begin, t0), min(call.end, t1)
        last = max([decisive(c, lambda r: r[0])[0] for c in needs], default=begin)
        return end - begin if last <= begin else max(0, end - last)

    def compute(lane, low, high, exact):
        """`exact`: a release keeps its distance from the begin of the computing that it is in."""
        return sum((min(b, high) - max(a, low)) * (1 if exact and b > high else factor)
                   for of, a, b, factor in computing if of == lane and a < high and b > low)

    return replay(log, members, t0, t1, moves, compute)


# ---- The whole -------------------------------------------------------------------------------------------------------

def analyze(log, is_balanced=False):
    t0, t1 = window_of(log)
    waits = find_waits(log, t0, t1)
    lanes = [Lane(log, i, t0, t1, waits) for i in range(len(log.lanes))]
    rank = [r for r, _ in log.lanes]
    useful = [lane.useful for lane in lanes]
    sums = {}
    for w in waits:
        row = sums.setdefault((KINDS[w.kind], w.state), [0, 0])
        row[0] += w.end - w.start
        row[1] += 1
    result = {
        "window": {"from_ns": t0, "to_ns": t1, "part": min(1, (t1 - t0) / max(log.end - log.begin, 1))},
        "ranks": len(log.ranks), "lanes": len(lanes), "hosts": log.hosts,
        "useful_ns": useful,
        "waits": [{"kind": k, "state": s, "ns": row[0], "instances": row[1]} for (k, s), row in sums.items()],
        "wait_states": [{"kind": KINDS[w.kind], "state": w.state, "lane": w.lane, "from_ns": w.start, "to_ns": w.end,
                         "cause_lane": w.cause, "release_ns": w.release, "wrong_order": w.order or ""}
                        for w in waits]}
    if log.is_contradictory:  # the rest is not defined; only its sums are
        return result
    members = [i for i, calls in enumerate(log.calls) if calls]
    ideal = find_ideal(log, members, t0, t1)
    u, span = [useful[i] for i in members], t1 - t0
    efficiencies = {"parallel": Fraction(sum(u), len(u) * span), "load_balance": Fraction(sum(u), len(u) * max(u)),
                    "communication": Fraction(max(u), span), "serialisation": Fraction(max(u), ideal),
                    "transfer": Fraction(ideal, span)} if u and span and ideal and max(u) else {}
    path = find_path(log, waits, t0, t1)
    profile, totals = {}, {}
    for lane, a, b in path:
        for x, time in lanes[lane].times(a, b).items():
            if time:
                key = lane, x if x == "waiting" else x[0]
                profile[key] = profile.get(key, 0) + time
    for i in members:
        for x, time in lanes[i].times(t0, t1).items():
            if x != "waiting":
                totals[x[0]] = totals.get(x[0], 0) + time
    on_path = {}
    for (_, state), time in profile.items():
        on_path[state] = on_path.get(state, 0) + time
    if is_balanced:
        result["balanced"] = float(find_balanced(log, lanes, members, t0, t1))
    result["fitted"] = find_fitted(log, FIRST, replay, members, t0, t1)
    result["efficiencies"] = dict({k: float(v) for k, v in efficiencies.items()}, ideal_ns=ideal)
    result["delays"] = [{"lane": lane, "rank": rank[lane], "state": state, "causes": causes,
                         "direct_ns": float(c[0]), "indirect_ns": float(c[1])}
                        for (lane, state, causes), c in sorted(find_delays(log, lanes, waits, t0).items())]
    result["critical_path"] = {
        "ns": sum(b - a for _, a, b in path),
        "profile": [{"lane": lane, "rank": rank[lane], "state": state, "ns": time}
                    for (lane, state), time in sorted(profile.items())],
        "states": [{"state": s, "ns": time, "imbalance_ns": float(time - Fraction(totals.get(s, 0), max(1, len(members))))}
                   for s, time in sorted(on_path.items())]}
    return result


def rows_of(rows, keys, values):
    found = {tuple(row[k] for k in keys): tuple(row[v] for v in values) for row in rows}
    assert len(found) == len(rows), "a row is told twice"
    return found


def first_difference(want, got):
    def rows(what, a, b, keys, values, slack=0):
        a, b = rows_of(a, keys, values), rows_of(b, keys, values)
        for key in sorted(set(a) | set(b)):
            x, y = a.get(key, (0,) * len(values)), b.get(key, (0,) * len(values))
            if any(abs(p - q) > slack if isinstance(p, (int, float)) else p != q for p, q in zip(x, y)):
                return "%s %s: %s, not %s" % (what, key, y, x)
        return None

    for key in ("window", "ranks", "lanes", "hosts"):
        if want[key] != got[key]:
            return "%s: %s, not %s" % (key, got[key], want[key])
    place = ("lane", "from_ns", "to_ns")
    facts = ("kind", "state", "cause_lane", "release_ns", "wrong_order")
    a, b = (sorted(tuple(w.get(k, "") for k in place + facts) for w in x["wait_states"]) for x in (want, got))
    for w in sorted(set(a) ^ set(b)):
        return "wait state %s: %s" % (w, "missing" if w in a else "too many")
    if a != b:
        return "wait states told twice"
    if want["useful_ns"] != got["useful_ns"]:
        return "useful times: %s, not %s" % (got["useful_ns"], want["useful_ns"])
    for key, value in want.get("efficiencies", {}).items():
        if abs(value - got["efficiencies"][key]) > (0 if key == "ideal_ns" else 1e-6):
            return "%s: %s, not %s" % (key, got["efficiencies"][key], value)
    e = got["efficiencies"]
    if "parallel" in want.get("efficiencies", {}) and (
            abs(e["load_balance"] * e["communication"] - e["parallel"]) > 1e-6 or
            abs(e["serialisation"] * e["transfer"] - e["communication"]) > 1e-6):
        return "the efficiencies are not products"
    fitted, trust = want.get("fitted", 0), got["trust"]
    if fitted and trust["replay_ns"] and abs(trust["replay_ns"] - fitted) > 1 + 1e-9 * fitted:
        return "the fitted network: %s, not %s" % (trust["replay_ns"], fitted)
    its, span = got["critical_path"], want["window"]["to_ns"] - want["window"]["from_ns"]
    found = rows("waits", want["waits"], got["waits"], ("kind", "state"), ("ns", "instances"))
    if not found and (its["ns"] != span or sum(row["ns"] for row in its["profile"]) != span):
        found = "critical path: %s ns, not %s" % (its["ns"], span)
    waiting = sum(w["to_ns"] - w["from_ns"] for w in got["wait_states"])
    costs = sum(d["direct_ns"] + d["indirect_ns"] for d in got["delays"])
    if not found and abs(waiting - costs) > max(1, len(got["delays"])):
        found = "the costs sum up to %s, the waiting to %s" % (costs, waiting)
    if found or "critical_path" not in want:
        return found
    path = want["critical_path"]
    found = rows("path", path["profile"], its["profile"], ("lane", "rank", "state"), ("ns",))
    on_path = {row["state"] for row in path["states"]}
    states = [row for row in its["states"] if row["state"] in on_path]
    found = found or rows("path's state", path["states"], states, ("state",), ("ns", "imbalance_ns"), 1)
    found = found or rows("delay", want["delays"], got["delays"], ("lane", "rank", "state", "causes"),
                          ("direct_ns", "indirect_ns"), 1)
    return found


def read(path):
    with open(path) as lines:
        return Log(lines)


def print_waits(a):
    for w in sorted(a["wait_states"], key=lambda w: (w["from_ns"], w["lane"])):
        print("lane %(lane)d %(from_ns)d-%(to_ns)d: %(kind)s in %(state)s, cause %(cause_lane)d" % w)


def facts(a):
    print("window %(from_ns)d-%(to_ns)d" % a["window"], "useful", *a["useful_ns"])
    print("efficiencies", *("%s=%.4g" % item for item in sorted(a["efficiencies"].items())))
    print_waits(a)
    for d in sorted(a["delays"], key=lambda d: (d["lane"], d["state"], d["causes"])):
        print("delay: lane %d %s %d + %d: %s" % (d["lane"], d["state"], round(d["direct_ns"]),
                                                 round(d["indirect_ns"]), d["causes"]))
    for p in sorted(a["critical_path"]["profile"], key=lambda p: (p["lane"], p["state"])):
        print("path: lane %(lane)d %(state)s %(ns)d" % p)


def compare_orders(first, last):
    """The order of the messages that late senders send, in logs of which a step takes 2 us: that a rank computes between
    two calls means something from 100 us on. There, pith concludes other waits, too, so not all late senders are found."""
    wanted, found, wrong = 0, 0, 0
    for seed in range(first, last + 1, 2):
        if not os.path.getsize("%d.slow.json" % seed):
            continue
        rows = []
        for result in analyze(read("%d.slow.txt" % seed)), json.load(open("%d.slow.json" % seed)):
            rows.append({(w["lane"], w["from_ns"]): w.get("wrong_order", "") for w in result["wait_states"]
                         if w["kind"] == "late sender"})
        both = set(rows[0]) & set(rows[1])
        wanted, found = wanted + len(rows[0]), found + len(both)
        for key in both:
            if rows[0][key] != rows[1][key]:
                wrong += 1
                print("%d: lane %d at %d: '%s', not '%s'" % (seed, *key, rows[1][key], rows[0][key]))
    print("%d late senders, %d of them found, %d in another order" % (wanted, found, wrong))
    # A loop that polls is one call for pith, so it may see less computing between two calls.
    return wrong * 100 > found or found < 0.9 * wanted or not found


def main(args):
    if args[0] == "facts":
        facts(json.load(sys.stdin))
    for path in args[1:] if args[0] == "waits" else ():
        print("log", path)
        print_waits(json.load(open(path)) if path.endswith(".json") else analyze(read(path)))
    if args[0] == "orders":
        return compare_orders(int(args[1]), int(args[2]))
    if args[0] != "compare":
        if args[0] not in ("facts", "waits"):
            print(json.dumps(analyze(read(args[0])), indent=1))
        return 0
    wrong, first, last = 0, int(args[1]), int(args[2])
    for seed in range(first, last + 1):
        with open("%d.json" % seed) as text:
            text = text.read()
        predicted = "%d.balanced" % seed
        wanted = analyze(read("%d.txt" % seed), os.path.exists(predicted))
        if text:
            found = first_difference(wanted, json.loads(text))
            if not found and "balanced" in wanted:
                with open(predicted) as line:
                    got = json.load(line)["what_ifs"][0]["predicted_ns"]
                if abs(got - wanted["balanced"]) > 0.001:
                    found = "balanced: %.3f ns, not %.3f" % (got, wanted["balanced"])
        else:  # refused, rightly if the window has no length
            found = wanted["window"]["to_ns"] > wanted["window"]["from_ns"] and "no output"
        if found:
            wrong += 1
            print("%s: %s" % (seed, found))
    print("%d of %d differ" % (wrong, last - first + 1))
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
