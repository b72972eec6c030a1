"""iterations.py LOG KIND: writes the text log of a program whose iterations are known.

KIND: exact  compute, MPI_Allreduce; iteration 47 is slow on rank 2; other calls before and after
      drift  each iteration is 20 us longer
      shrink  each iteration is 300 us shorter, down to 1 % of the first; decay  each is a tenth shorter
      halo   messages first, then computing; MPI_Gather in every tenth step
      clock  compute, MPI_Allreduce; MPI_Wtime and MPI_Test any number of times
      chance a row of calls without a period
      moleculesSEED  steps that send to several neighbours; the sizes change now and then. Prints COUNT
      SEED   a random loop. Prints COUNT, then INDEX,EXCESS_NS,RANK of each slow iteration, and 1 if the loop begins
             with calls"""
import random
import sys

import text_log

US, MS = 1000, 1000000
RANKS = 3


class Program:
    def __init__(self):
        self.clock, self.lines = [0] * RANKS, []

    def put(self, rank, text):
        self.lines.append((self.clock[rank], rank, len(self.lines), text_log.line(self.clock[rank], rank, 0, text)))

    def state(self, rank, name, ns):
        self.put(rank, "enter\t" + name)
        self.clock[rank] += ns
        self.put(rank, "leave\t" + name)

    def compute(self, ns, name="work", more={}):
        for rank in range(RANKS):
            self.state(rank, name, ns + more.get(rank, 0))

    def local(self, name, ns, idle_ns=1 * US):
        for rank in range(RANKS):
            self.clock[rank] += idle_ns
            self.state(rank, name, ns)

    def together(self, name, ns, idle_ns=1 * US):
        end = max(self.clock) + idle_ns + ns
        for rank in range(RANKS):
            self.clock[rank] += idle_ns
            self.put(rank, "enter\t" + name)
            self.put(rank, "coll\t\tcomm=0\tbytes=8\tgot_bytes=8\troot=-1")
            self.clock[rank] = end
            self.put(rank, "leave\t" + name)

    def shift(self, step, size, name="MPI_Wait"):
        """Each rank sends to the rank `step` higher."""
        for call in ("MPI_Irecv", "MPI_Send", name):
            for rank in range(RANKS):
                self.clock[rank] = max(self.clock) if call == name else self.clock[rank]
                self.put(rank, "enter\t" + call)
                message = "comm=0\tpeer=%d\ttag=0\tbytes=%d"
                if call == "MPI_Send":
                    self.put(rank, "send\tMPI_COMM_WORLD\t" + message % ((rank + step) % RANKS, size))
                elif call == name:
                    self.put(rank, "recv\tMPI_COMM_WORLD\t" + message % ((rank - step) % RANKS, size))
                self.clock[rank] += 1 * US
                self.put(rank, "leave\t" + call)

    def begin(self, names):
        for rank in range(RANKS):
            self.put(rank, "enter\t" + names)

    def end(self, names):
        for rank in range(RANKS):
            self.put(rank, "leave\t" + names)

    def write(self, path):
        with open(path, "w") as out:
            out.write("# comm\tcomm=0\tname=MPI_COMM_WORLD\tsize=%d\tranks=%s\n" % (RANKS, ",".join(map(str, range(RANKS)))))
            for _, _, _, text in sorted(self.lines):
                out.write(text + "\n")


TOGETHER = ["MPI_Allreduce", "MPI_Barrier", "MPI_Allgather"]
LOCAL = ["MPI_Isend", "MPI_Irecv", "MPI_Bsend", "MPI_Put"]


def call(program, name, idle_ns=1 * US):
    (program.together if name in TOGETHER else program.local)(name, 5 * US, idle_ns)


def is_primitive(word):
    return not any(len(word) % n == 0 and word == word[:n] * (len(word) // n) for n in range(1, len(word)))


def random_loop(program, seed):
    rand = random.Random(seed)
    while True:
        word = [rand.choice(TOGETHER[:2] + LOCAL) for _ in range(rand.randint(1, 12))]
        if is_primitive(word) and set(word) & set(TOGETHER):
            break
    count, calls_first, work_ns = rand.randint(20, 80), rand.random() < 0.5, rand.randint(1, 10) * MS
    every, place = rand.choice((0, 0, 10, 15)), rand.randint(0, len(word))
    slow = {rand.randrange(2, count - 2): rand.randrange(RANKS) for _ in range(rand.randint(0, 3))}
    slow = {n: rank for n, rank in slow.items() if n - 1 not in slow and n + 1 not in slow}
    excess_ns = {n: work_ns * rand.randint(5, 30) // 10 for n in slow}
    for _ in range(rand.randint(0, 10)):
        call(program, rand.choice(["MPI_Allgather"] + LOCAL))
    call(program, "MPI_Bcast")  # so that only the loop looks like the loop
    for n in range(count):
        def work():
            program.compute(work_ns + rand.randint(0, work_ns // 100), "work", {slow[n]: excess_ns[n]} if n in slow else {})
        if not calls_first:
            work()
        for k, name in enumerate(word):
            if every and n % every == every - 1 and k == place:
                call(program, "MPI_Allgather")
            call(program, name)
        if every and n % every == every - 1 and place == len(word):
            call(program, "MPI_Allgather")
        if calls_first:
            work()
    call(program, "MPI_Bcast")
    for _ in range(rand.randint(0, 10)):
        call(program, rand.choice(["MPI_Allgather"] + LOCAL))
    print(count, ";".join("%d,%d,%d" % (n + 1, excess_ns[n], slow[n]) for n in sorted(slow)) or "-", int(calls_first), " ".join(word))


def molecules(program, seed):
    """As molecular dynamics does: in each step the ranks send forces to neighbours, then positions in the reverse order, in
    between they compute. Every few steps, they send atoms instead of positions, and the sizes change; every few steps,
    there is a sum. Each step contains the same last sends."""
    rand = random.Random(seed)
    count, clocks = rand.randint(30, 80), rand.randint(0, 1)
    swaps = [rand.choice((1, 2)) for _ in range(rand.randint(1, 3))]
    if not clocks and len(set(swaps)) == 1:
        swaps.append(3 - swaps[0])  # or nothing says how many sends a step has
    renew, output, sizes, work_ns = rand.randint(5, 20), rand.randint(5, 20), None, rand.randint(1, 4) * 100 * US
    for _ in range(rand.randint(0, 5)):
        program.together("MPI_Allreduce", 5 * US)
    program.together("MPI_Barrier", 5 * US)
    for n in range(count):
        if not sizes or n % renew == renew - 1:
            for step in set(swaps):
                program.shift(step, 4, "MPI_Waitall")
            sizes = [rand.randint(1500, 2600) for _ in swaps]
        for step, size in zip(swaps, sizes):
            program.shift(step, size)
        if clocks:
            program.local("MPI_Wtime", 100)
        program.compute(work_ns)
        for step, size in reversed(list(zip(swaps, sizes))):
            program.shift(-step, size)
        program.compute(work_ns // 10)
        if clocks:
            program.local("MPI_Wtime", 100)
            program.local("MPI_Wtime", 100)
        if n % output == output - 1:
            program.together("MPI_Allreduce", 5 * US)
    for _ in range(rand.randint(0, 5)):
        program.together("MPI_Allgather", 5 * US)
    print(count)


kind = sys.argv[2]
if kind.startswith("molecules"):
    RANKS = 5
program = Program()
if kind in ("exact", "drift"):
    program.compute(300 * MS, "setup")
    program.local("MPI_Bsend", 50 * US)
    program.together("MPI_Allgather", 50 * US)
    for n in range(100):
        program.begin("step")
        if kind == "exact":
            program.compute(10 * MS, "force", {2: 21 * MS} if n == 46 else {})
        else:
            program.compute(10 * MS + n * 20 * US, "force")
        program.together("MPI_Allreduce", 200 * US, 0)
        program.end("step")
    program.local("MPI_Bsend", 5 * MS)
elif kind in ("shrink", "decay"):
    for n in range(100 if kind == "shrink" else 40):
        program.compute(30 * MS - n * 300 * US if kind == "shrink" else int(30 * MS * 0.9**n))
        program.together("MPI_Allreduce", 20 * US)
elif kind == "halo":
    program.together("MPI_Allgather", 50 * US)
    for n in range(60):
        for name in ["MPI_Irecv"] * 4 + ["MPI_Isend"] * 4:
            program.local(name, 2 * US)
        program.together("MPI_Allreduce", 30 * US)
        program.compute(3 * MS)
        if n % 10 == 9:
            program.together("MPI_Gather", 100 * US)
elif kind == "clock":
    rand = random.Random(7)
    for n in range(50):
        program.compute(3 * MS)
        program.together("MPI_Allreduce", 30 * US)
        for _ in range(rand.randint(0, 4)):
            program.local(rand.choice(["MPI_Wtime", "MPI_Test"]), 1 * US)
elif kind == "chance":
    rand = random.Random(7)
    for n in range(300):
        program.compute(rand.randint(1, 100) * 50 * US)
        call(program, rand.choice(TOGETHER + LOCAL))
elif kind.startswith("molecules"):
    molecules(program, int(kind[len("molecules"):]))
else:
    random_loop(program, int(kind))
program.write(sys.argv[1])
