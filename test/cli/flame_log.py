"""A log with random samples, and the bars that its functions must have, found from the definition in
formats/tools/flame_log.h for each depth and sample on its own.

    flame_log.py make SEED CLOCK            the log as text, on standard output
    flame_log.py bars PRINTED CLOCK PERIOD  from `pith print LOG`: a line for each bar
    flame_log.py states PRINTED             the same from `pith print FLAMES`
"""
import random, sys

import text_log

NAMES = ["main", "step", "solve", "fill", "solve", "copy"]  # two functions have one name
FILE = "feedbeef"
LANES = [(0, 0), (0, 1), (1, 0)]


def place(name, file, line):
    return f"{name}\t1000\t{line}\t{file}\t{line + 3}\t{file}\n"


def make(seed, clock):
    rng = random.Random(seed)
    period = 1000000
    put = [f"# property\tkey=sample_ns\tvalue={period}", f"# property\tkey=sample_clock\tvalue={clock}"]
    for i, name in enumerate(NAMES):
        for address in (0x1000 * (i + 1) + 0x10, 0x1000 * (i + 1) + 0x1f):
            value = place(name, f"/src/{'ab'[i // 4]}.c", 10 * i + 1).replace("\t", "\\t").replace("\n", "\\n")
            put.append(f"# property\tkey=code {address:x} {FILE}\tvalue={value}")
    put += [f"# lane\trank={r}\tthread={t}\tname=\thost=alpha" for r, t in LANES]
    put.append("# lane\trank=2\tthread=0\tname=\thost=alpha")  # without samples
    put += ["# event\tname=pith:sample\tcolour=\tgroup=pith\tformat=cpu=%l",
            "# event\tname=pith:module\tcolour=\tgroup=pith\tformat=begin=%X end=%X bias=%X build=%s path=%s",
            "# state\tname=MPI_Recv\tcolour=green\tgroup=MPI point-to-point"]
    for r in (0, 1):
        put.append(f"0.000001000\t{r}\t0\tevent\tpith:module\tpayload=begin=500000000000 end=500000010000 "
                   f"bias=500000000000 build={FILE} path=/gone/app")
    for r, t in LANES:
        time, cpu, stack, lines = 2000000, 1000000, [0], []
        for _ in range(rng.randrange(60, 90)):
            gap = rng.choice([period, period + rng.randrange(100000), rng.randrange(1, 9 * period)])
            if rng.random() < 0.1 and gap > 2000:  # a call, so that the lane has states, too
                lines.append((time + 500, "enter\tMPI_Recv"))
                lines.append((time + gap - 500, "leave\tMPI_Recv"))
            time += gap
            cpu += rng.choice([gap, gap // 2, min(gap, period), gap // 2 - 1 if gap > 1 else 0])
            for _ in range(rng.choice([0, 0, 1, 1, 2, 4])):
                if len(stack) > 1 and rng.random() < 0.5:
                    stack.pop()
                elif len(stack) < 80:
                    stack += [rng.randrange(len(NAMES))] * (40 if rng.random() < 0.02 else 1)
            addresses = [0x500000000000 + 0x1000 * (f + 1) + (0x10 if i == 0 else 0x20)
                         for i, f in enumerate(reversed(stack))]
            lines.append((time, f"event\tpith:sample\tpayload=cpu={cpu} " + "".join(f"{a:016x}" for a in addresses)))
        put += [text_log.line(time, r, t, rest) for time, rest in lines]
    put.append("# end")
    print("\n".join(put))


def bars(path, clock, period):
    first, samples = {}, {}
    for time, rank, thread, kind, name, fields in text_log.records(open(path)):
        lane = rank, thread
        first.setdefault(lane, time)
        if name == "pith:sample":
            cpu, addresses = fields["payload"].removeprefix("cpu=").split()
            functions = [int(addresses[i + 12], 16) - 1 for i in range(0, len(addresses), 16)][::-1]
            assert fields["functions"] == ";".join(NAMES[f] for f in functions), fields
            samples.setdefault(lane, []).append((time, int(cpu), functions))
    for lane, of in samples.items():
        for i, (time, cpu, functions) in enumerate(of):
            if i:  # the time without a core, inside what both samples have
                before, before_cpu, outer = of[i - 1]
                length = time - before if clock == "wall" else cpu - before_cpu
                same = 0
                while same < min(len(outer), len(functions)) and outer[same] == functions[same]:
                    same += 1
                if same and time - before > 2 * length:
                    yield lane, same, "[no core]", before, time - length
            for depth, function in enumerate(functions):
                if i and of[i - 1][2][:depth + 1] == functions[:depth + 1]:
                    continue  # not the first of its bar
                last = i
                while last + 1 < len(of) and of[last + 1][2][:depth + 1] == functions[:depth + 1]:
                    last += 1
                if i:
                    before, before_cpu = of[i - 1][:2]
                    length = time - before if clock == "wall" else cpu - before_cpu
                    begin = before if time - before <= 2 * length else time - length
                else:
                    begin = max(first[lane], time - period)
                yield lane, depth, NAMES[function], begin, of[last][0]


def states(path):
    stacks = {}
    for time, rank, thread, kind, name, _ in text_log.records(open(path)):
        lane = rank, thread
        stack = stacks.setdefault(lane, [])
        if kind == "enter":
            stack.append((name, time))
        elif kind == "leave":
            was, begin = stack.pop()
            assert was == name, (lane, time, name, was)
            yield lane, len(stack), name.split(" (")[0], begin, time
    assert not any(stacks.values())


if sys.argv[1] == "make":
    make(int(sys.argv[2]), sys.argv[3])
else:
    found = bars(sys.argv[2], sys.argv[3], int(sys.argv[4])) if sys.argv[1] == "bars" else states(sys.argv[2])
    for (rank, thread), depth, name, begin, end in sorted(found):
        print(rank, thread, depth, name.replace(" ", "_"), begin, end)
