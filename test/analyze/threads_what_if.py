"""threads_what_if.py SEEDS: random programs of two ranks with teams of threads, simulated as they are and with one state
faster. Prints how many predictions of pith analyze --what-if for the first differ from the second by more than 2 ns.

A step of a rank: thread 0 is in `solve`, or outside all states, and in `fork` starts the others, which begin meanwhile;
all work in `work` and `pack`; thread 0 then waits for them, up to some time after the last one is done, in a join, or in a
barrier, which the others leave up to 2 us earlier and then `close`; both ranks meet in MPI_Barrier."""
import json
import random
import subprocess
import sys

THREADS, STEPS, FORK, START = 3, 5, 5, 10


def program(rng):
    """For each step and rank: serial part (state or None, us), offsets, works [(state, us)...], lag."""
    def team():
        return {"serial": (rng.choice(["solve", None]), rng.randint(1, 40)),
                "starts": [FORK] + [rng.randint(0, FORK) for _ in range(THREADS - 1)],
                "works": [[(rng.choice(["work", "pack"]), rng.randint(1, 50)) for _ in range(rng.randint(1, 3))]
                          for _ in range(THREADS)],
                "wait": rng.choice(["omp:barrier", "pthread_join"]), "lag": rng.randint(1, 3),
                "early": [rng.randint(0, 2) for _ in range(THREADS - 1)]}
    return [[team() for _ in range(2)] for _ in range(STEPS)]


def simulate(steps, scale):
    """[(us, rank, thread, text)] and the time at which all ends. scale(state, rank): factor for its time."""
    lines, now = [], START

    def state(rank, thread, name, start, us):
        if name:
            lines.append((start, rank, thread, "enter\t" + name))
            lines.append((start + us, rank, thread, "leave\t" + name))
        return start + us

    for rank in range(2):
        state(rank, 0, "MPI_Init", 0, START)
    for step in steps:
        arrivals = []
        for rank, team in enumerate(step):
            name, us = team["serial"]
            fork = state(rank, 0, name, now, us * scale(name or "computing", rank))
            state(rank, 0, "fork", fork, FORK)
            done = []
            for thread in range(THREADS):
                at = fork + team["starts"][thread]
                for name, us in team["works"][thread]:
                    at = state(rank, thread, name, at, us * scale(name, rank))
                done.append(at)
            last = max(done)
            arrivals.append(state(rank, 0, team["wait"], done[0], last + team["lag"] - done[0]))
            for thread, early in enumerate(team["early"], 1):
                if team["wait"] == "omp:barrier" and early < team["lag"]:
                    left = state(rank, thread, "omp:barrier", done[thread], arrivals[-1] - early - done[thread])
                    state(rank, thread, "close", left, early)
        now = max(arrivals) + 1
        for rank, at in enumerate(arrivals):
            lines.append((at, rank, 0, "enter\tMPI_Barrier"))
            lines.append((at, rank, 0, "coll\tMPI_COMM_WORLD\tcomm=0\troot=-1"))
            lines.append((now, rank, 0, "leave\tMPI_Barrier"))
    return lines, now - START


def predicted(lines, what):
    with open("team.txt", "w") as log:
        log.write("# state\tname=omp:barrier\tgroup=OpenMP waiting\n# state\tname=pthread_join\tgroup=pthread\n")
        log.write("# comm\tcomm=0\tname=MPI_COMM_WORLD\tsize=2\tranks=0,1\n")
        for us, rank, thread, text in sorted(lines, key=lambda line: line[0]):
            log.write("%.9f\t%d\t%d\t%s\n" % (us / 1e6, rank, thread, text))
    out = subprocess.run(["pith", "analyze", "team.txt", "--what-if", what, "--json"], capture_output=True, check=True)
    return json.loads(out.stdout)["what_ifs"][0]["predicted_ns"]


def main():
    wrong = 0
    for seed in range(int(sys.argv[1])):
        rng = random.Random(seed)
        steps = program(rng)
        lines, _ = simulate(steps, lambda state, rank: 1)
        changed, rank, faster = rng.choice(["solve", "work", "pack", "computing"]), rng.choice([None, 0, 1]), rng.choice([2, 4])
        _, after = simulate(steps, lambda state, of: 1 / faster if state == changed and rank in (None, of) else 1)
        what = changed + ("" if rank is None else "@%d" % rank) + "=%d" % faster
        try:
            got = predicted(lines, what)
        except subprocess.CalledProcessError as error:
            if b"no state" in error.stderr or b"never" in error.stderr:
                continue
            raise
        if abs(got - after * 1000) > 2:
            wrong += 1
            print("# seed %d: %s: predicted %.1f us, simulated %.1f us" % (seed, what, got / 1000, after))
    print(wrong, "wrong")


main()
