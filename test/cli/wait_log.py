"""wait_log.py RANKS ROUNDS SEED EXPECTED: writes the text dump of a made-up program whose ranks wait for each other,
and to the file EXPECTED its wait states as `pith stat --by wait --csv` has them, from the definitions: every call is
compared with every message. The program knows what a log does not tell: when receives were posted, and which call
completes which request."""
import random
import sys

import text_log

ranks, rounds, seed, expected = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
rand = random.Random(seed)
EAGER, LATENCY = 1000, 40
FIRST = {"MPI_Waitany", "MPI_Waitsome"}
clock = [rand.randrange(500) for _ in range(ranks)]
posted = [0] * ranks
lines = []    # (time, rank, sequence number, text)
calls = []    # name, begin, end
messages = [] # sent from, posted at, receiving call, sending call or None, must wait


def put(rank, time, kind, name, rest=""):
    lines.append((time, rank, len(lines), text_log.line(time, rank, 0, kind, name + rest)))


class Call:
    """A call of a rank; the records inside are made when it ends."""

    def __init__(self, rank, name):
        self.rank, self.name, self.begin = rank, name, clock[rank]
        self.inside = []
        put(rank, self.begin, "enter", name)
        calls.append(self)

    def leave(self, time):
        self.end = max(time, self.begin) + 1 + rand.randrange(5)
        for text in self.inside:
            put(self.rank, self.end - 1, "recv", "MPI_COMM_WORLD", text)
        put(self.rank, self.end, "leave", self.name)
        clock[self.rank] = self.end + rand.randrange(3)


class Message:
    def __init__(self, source, target):
        self.source, self.target = source, target
        self.bytes = rand.choice((10, 900, 1001, 50000))
        self.send_call = self.recv_call = None  # those that complete it
        messages.append(self)

    def post(self):
        self.post_ns, self.number = clock[self.target], posted[self.target]
        posted[self.target] += 1

    def send(self, is_synchronous=False):
        self.send_ns = clock[self.source]
        self.must_wait = is_synchronous or self.bytes > EAGER

    def record_send(self):
        put(self.source, self.send_ns, "send", "MPI_COMM_WORLD",
            "\tcomm=0\tpeer=%d\ttag=7\tbytes=%d" % (self.target, self.bytes))

    def arrives(self):
        return (max(self.send_ns, self.post_ns) if self.must_wait else self.send_ns) + LATENCY

    def sent(self):
        return self.arrives() if self.must_wait else self.send_ns + 5

    def completes_receive(self, call):
        self.recv_call = call
        call.inside.append("\tcomm=0\tpeer=%d\ttag=7\tbytes=%d\tposted=%d" % (self.source, self.bytes, self.number))


def irecv(message, rank):
    call = Call(rank, "MPI_Irecv")
    if message:
        message.post()
    call.leave(clock[rank] + 2)


def isend(message):
    call = Call(message.source, "MPI_Isend")
    message.send()
    message.record_send()
    call.leave(clock[message.source] + 3)


def halo(waits):
    """Both neighbours; the first and the last rank have one each, and call MPI_Irecv for nobody where an MPI_Waitall
    with receives follows, which is where the analysis learns of it."""
    right = [Message(r, r + 1) if r + 1 < ranks else None for r in range(ranks)]
    left = [Message(r, r - 1) if r > 0 else None for r in range(ranks)]
    for r in range(ranks):
        gets = [m for m in (right[r - 1] if r else None, left[r + 1] if r + 1 < ranks else None) if m]
        gives = [m for m in (right[r], left[r]) if m]
        nobody = [None] * (0 if waits == "any" else 2 - len(gets))
        clock[r] += rand.randrange(2000)
        todo = [lambda m=m: isend(m) for m in gives]
        if rand.random() < 0.5:
            todo = [lambda: [irecv(m, r) for m in gets + nobody]] + todo
        else:
            todo.append(lambda: [irecv(m, r) for m in gets + nobody])
        for do in todo:
            clock[r] += rand.randrange(300)
            do()
    for r in range(ranks):
        gets = [m for m in (right[r - 1] if r else None, left[r + 1] if r + 1 < ranks else None) if m]
        gives = [m for m in (right[r], left[r]) if m]
        clock[r] += rand.randrange(500)
        if waits == "all":
            call = Call(r, "MPI_Waitall")
            for m in gets:
                m.completes_receive(call)
            for m in gives:
                m.send_call = call
            call.leave(max([m.arrives() for m in gets] + [m.sent() for m in gives]))
            continue
        if waits == "any":
            for m in sorted(gets, key=lambda m: m.arrives()):
                call = Call(r, "MPI_Waitany")
                m.completes_receive(call)
                call.leave(m.arrives())
        call = Call(r, "MPI_Waitall")
        for m in gives:
            m.send_call = call
        if waits == "sends":
            call.leave(max(m.sent() for m in gives))
            call = Call(r, "MPI_Waitall")
        if waits != "any":
            for m in gets:
                m.completes_receive(call)
        call.leave(max([m.arrives() for m in gets] + [m.sent() for m in gives]))


def blocking():
    for r in range(0, ranks - 1, 2):
        message, name = Message(r, r + 1), rand.choice(("MPI_Send", "MPI_Ssend"))
        for rank in (r, r + 1):
            clock[rank] += rand.randrange(1000)
        sender, receiver = Call(r, name), Call(r + 1, "MPI_Recv")
        message.send(name == "MPI_Ssend")
        message.record_send()
        message.post()
        message.send_call = sender
        message.completes_receive(receiver)
        sender.leave(message.sent())
        receiver.leave(message.arrives())


def ring():
    all_of_it = [Message(r, (r + 1) % ranks) for r in range(ranks)]
    open_calls = []
    for r in range(ranks):
        clock[r] += rand.randrange(1000)
        open_calls.append(Call(r, "MPI_Sendrecv"))
        all_of_it[r].send()
        all_of_it[r].record_send()
        all_of_it[r - 1].post()
    for r in range(ranks):
        all_of_it[r].send_call = open_calls[r]
        all_of_it[r - 1].completes_receive(open_calls[r])
        open_calls[r].leave(max(all_of_it[r].sent(), all_of_it[r - 1].arrives()))


for _ in range(rounds):
    rand.choice((lambda: halo("all"), lambda: halo("any"), lambda: halo("sends"), blocking, ring))()

found = {}
for call in calls:
    releases = []
    for m in messages:
        if m.recv_call is call:
            releases.append((m.send_ns, 0))
        if m.send_call is call and (m.must_wait or ("Wait" not in call.name and call.end > m.post_ns)):
            releases.append((m.post_ns, 1))
    if releases:
        time, kind = min(releases) if call.name in FIRST else max(releases, key=lambda r: (r[0], -r[1]))
        wait = min(time, call.end) - call.begin
        if wait > 0:
            found.setdefault((call.name, ("late sender", "late receiver")[kind]), []).append(wait)
with open(expected, "w") as out:
    for (name, kind), waits in sorted(found.items()):
        print("%s,MPI,%s,%d,%.9f,%.9f" % (name, kind, len(waits), sum(waits) / 1e9, max(waits) / 1e9), file=out)

print("# property\tkey=eager_bytes\tvalue=same_host=%d network=%d" % (EAGER, EAGER))
print(text_log.comm(0, "MPI_COMM_WORLD", range(ranks)))
for name in sorted({call.name for call in calls}):
    print("# state\tname=%s\tcolour=red\tgroup=MPI" % name)
for line in sorted(lines):
    print(line[3])
