"""A log with random values of thread:run-delay, and the time without a core between them.

    core_waits_log.py make SEED      the log as text, on standard output
    core_waits_log.py gains PRINTED  from `pith print LOG`: rank, begin, end and ns of each interval between two values
"""
import random, sys


def make(seed):
    rng = random.Random(seed)
    print("# lane\trank=0\tthread=0\tname=\thost=alpha\n# lane\trank=1\tthread=0\tname=\thost=alpha")
    print("# counter\tname=thread:task-clock\tcolour=\tgroup=system\tunit=ns")
    print("# counter\tname=thread:run-delay\tcolour=\tgroup=system\tunit=ns")
    print("# state\tname=MPI_Recv\tcolour=green\tgroup=MPI point-to-point")
    for rank in (0, 1):
        time, value, is_open = 1000000, 0, False
        for n in range(60):
            print(f"{time / 1e9:.9f}\t{rank}\t0\tcounter\tthread:task-clock\tvalue={n}")
            print(f"{time / 1e9:.9f}\t{rank}\t0\tcounter\tthread:run-delay\tvalue={value}")
            print(f"{time / 1e9:.9f}\t{rank}\t0\t{'leave' if is_open else 'enter'}\tMPI_Recv")
            is_open = not is_open
            gap = rng.randrange(100000, 20000000)
            time += gap
            value += rng.choice([0, gap // 10, gap // 3, gap * 2 // 3, gap])
            if n == 30 and rank == 1:
                value = 0  # another thread takes over the lane
        print(f"{time / 1e9:.9f}\t{rank}\t0\tleave\tMPI_Recv" if is_open else "", end="\n" if is_open else "")
    print("# end")


def gains(path):
    last = {}
    for line in open(path):
        if not line.startswith("#"):
            time, rank, thread, kind, name, *rest = line.rstrip("\n").split("\t")
            if name == "thread:run-delay":
                now = round(float(time) * 1e9), float(rest[0].removeprefix("value="))
                if rank in last:
                    print(rank, last[rank][0], now[0], max(0, round(now[1] - last[rank][1])))
                last[rank] = now


make(int(sys.argv[2])) if sys.argv[1] == "make" else gains(sys.argv[2])
