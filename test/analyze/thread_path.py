"""thread_path.py SEEDS: random logs of a rank with four threads, in threads.txt, against a brute force: for each us,
where the critical path is. Thread 0 alone calls MPI, so it has the path but for its waits for other threads."""
import json
import random
import subprocess
import sys

LENGTH, THREADS = 400, 4
STATES = ["work", "solve", "omp:barrier", "omp:idle", None]


def make(seed):
    """The state of each thread in each us, and the log."""
    rng, lanes, lines = random.Random(seed), [], []
    for thread in range(THREADS):
        states = []
        while len(states) < LENGTH:
            states += [rng.choice(STATES)] * rng.choice([1, 5, 20, 60])
        states = states[:LENGTH]
        if thread == 0:
            states[-10:] = ["MPI_Barrier"] * 10
        lanes.append(states)
        for us in range(LENGTH + 1):
            before, now = (states[us - 1] if us else None), (states[us] if us < LENGTH else None)
            if before and before != now:
                lines.append((us, thread, "leave\t" + before))
            if now and before != now:
                lines.append((us, thread, "enter\t" + now))
                if now == "MPI_Barrier":
                    lines.append((us, thread, "coll\tMPI_COMM_WORLD\tcomm=0\troot=-1"))
    with open("threads.txt", "w") as log:
        for name in STATES[2:4]:
            log.write("# state\tname=%s\tgroup=OpenMP waiting\n" % name)
        log.write("# comm\tcomm=0\tname=MPI_COMM_WORLD\tsize=1\tranks=0\n")
        for us, thread, text in sorted(lines, key=lambda line: line[0]):
            log.write("%.6f\t0\t%d\t%s\n" % (us / 1e6, thread, text))
    return lanes


def works(lanes, thread, us):
    state = lanes[thread][us]
    return not (state or "").startswith("omp:") and (state is not None or thread == 0)


def expected(lanes, first, last):
    """{(thread, state): us} of the path in [first, last)."""
    on, thread = [0] * LENGTH, 0
    for us in range(last - 1, first - 1, -1):
        if not (lanes[0][us] or "").startswith("omp:"):
            thread = 0
        elif not (thread and works(lanes, thread, us)) or lanes[0][us] != lanes[0][us + 1]:
            thread = next((k for k in range(1, THREADS) if works(lanes, k, us)), 0)
        on[us] = thread
    sums = {}
    for us in range(first, last):
        key = on[us], lanes[on[us]][us]
        sums[key] = sums.get(key, 0) + 1
    return sums


wrong = 0
for seed in range(int(sys.argv[1])):
    lanes = make(seed)
    found = json.loads(subprocess.run(["pith", "analyze", "--json", "threads.txt"], capture_output=True, check=True).stdout)
    first, last = found["window"]["from_ns"] // 1000, found["window"]["to_ns"] // 1000
    got = {(row["lane"], row["state"]): row["ns"] // 1000 for row in found["critical_path"]["profile"]}
    want = {(k, state or "computing"): us for (k, state), us in expected(lanes, first, last).items()}
    if got != want:
        wrong += 1
        print("# seed %d: %s, not %s" % (seed, sorted(got.items()), sorted(want.items())))
print(wrong, "wrong")
