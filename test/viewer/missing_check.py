"""missing_check.py make SEED [lost|open]: prints a random log as text; records of it are lost, or lanes end early with
states that are open, the second of them with a lost record.
missing_check.py ranges LOG COUNT SEED: prints random ranges of a log, "FROM TO", in ns.
missing_check.py compare LOG RANGES WINDOW: what the window said of each range (missing_checks.tcl) against `pith stat`.
missing_check.py page LOG RANGES: the same of pages.
missing_check.py truth TEXT LOG RANGES: exclusive times by their definition, from the records, against `pith stat`."""
import csv, random, re, subprocess, sys

STATES = ["solve", "work", "MPI_Send", "MPI_Recv"]


def make(seed, lost, is_open):
    rng = random.Random(seed)
    for rank in range(3):
        time, stack, events, until = 1000 * rank, [], 0, 0
        for i in range(24000 if not is_open or rank == 2 else 14000 + 4000 * rank):
            time += rng.randrange(1, 90)
            place = f"{time / 1e9:.9f}\t{rank}\t0"
            if time < until:
                continue
            if len(stack) < 4 and rng.random() < 0.5 or not stack:
                stack.append(rng.choice(STATES[min(len(stack), 2):]))
                print(f"{place}\tenter\t{stack[-1]}")
            elif rng.random() < 0.1:
                print(f"{place}\tevent\tmark")
            else:
                print(f"{place}\tleave\t{stack.pop()}")
            if lost and rng.random() < 0.002:
                time += rng.randrange(0, 50)
                print(f"{time / 1e9:.9f}\t{rank}\t0\tlost\t\tcount={rng.randrange(1, 99)}")
                until = time + rng.randrange(1, 20000)
        if is_open and rank < 2:
            print(f"{time / 1e9:.9f}\t{rank}\t0\tenter\twork")
            stack = []
        if is_open and rank == 1:
            print(f"{time / 1e9:.9f}\t{rank}\t0\tlost\t\tcount=1")
        while stack:
            time += 10
            print(f"{time / 1e9:.9f}\t{rank}\t0\tleave\t{stack.pop()}")


def ranges_of(path):
    return [tuple(map(int, line.split())) for line in open(path)]


def show_ranges(log, count, seed):
    rng = random.Random(seed)
    info = subprocess.run(["pith", "stat", log, "--by", "lane", "--csv"], capture_output=True, text=True).stdout
    last = max(round(float(row["last_s"]) * 1e9) for row in csv.DictReader(info.splitlines()))
    print(0, last + 1)
    for _ in range(count - 1):
        edges = sorted(rng.sample(range(last), 2))
        if rng.random() < 0.3:
            edges[1] = min(last, edges[0] + rng.randrange(100, 30000))
        print(*edges)


def stat(log, begin, end):
    """name -> (inclusive, exclusive); those without time are left out."""
    out = subprocess.run(["pith", "stat", log, "--csv", "--from", f"{begin}ns", "--to", f"{end}ns"], capture_output=True, text=True)
    found = {}
    for row in csv.DictReader(out.stdout.splitlines()):
        if row["kind"] in ("state", "computing"):
            found[row["name"]] = tuple(round(float(row[column]) * 1e9) for column in ("total_s", "self_s"))
    return {name: times for name, times in found.items() if any(times)}


def differ(found, wanted):
    """The names whose times differ. Nobody else counts the inclusive time of computing."""
    names = {name for name in list(found) + list(wanted) if found.get(name) != wanted.get(name)}
    if found.get("computing", (0, 0))[1] == wanted.get("computing", (0, 0))[1]:
        names.discard("computing")
    return names


def compare(log, ranges, window):
    said = {}
    for line in open(window):
        what, begin, end, name, inclusive, exclusive = line.split()
        of = said.setdefault((what, int(begin), int(end)), {})
        if int(inclusive) or int(exclusive):
            of[name] = int(inclusive), int(exclusive)
    for what in ("legend", "selection"):
        bad = []
        for begin, end in ranges_of(ranges):
            wanted, found = stat(log, begin, end), said.get((what, begin, end), {})
            for name in differ(found, wanted):
                bad.append(f"{begin} {end} {name}: {found.get(name)}, pith stat {wanted.get(name)}")
        report(bad, f"{log}: the {what} agrees with pith stat")


def page(log, ranges):
    bad, exact = [], 0
    for begin, end in ranges_of(ranges)[:6]:
        subprocess.run(["pith", "draw", log, "--from", f"{begin}ns", "--to", f"{end}ns", "-o", "page.html"], capture_output=True)
        text = open("page.html").read()
        found = {name: (int(total), int(own)) for name, total, own in re.findall(
            r'\{name: "([^"]*)", kind: "state".*?inclusive: (\d+), exclusive: (\d+)', text)}
        found = {name: times for name, times in found.items() if any(times)}
        computing = int(re.search(r'computing: \{name: "computing", exclusive: (\d+)', text)[1])
        found["computing"] = None, computing
        for name in differ(found, stat(log, begin, end)):
            bad.append(f"{begin} {end} {name}: {found.get(name)}")
        lines = re.findall(r'^"(.*)",$', text[text.index("\nsums: ["):text.index("\narrows:")], re.M)
        exact += not lines
        if lines and sum(int(line.split()[0], 36) for line in lines) != computing:
            bad.append(f"{begin} {end}: the parts of the page compute {[line.split()[0] for line in lines]}")
    report(bad, f"{log}: so do pages, and their parts")


def own_times(path, begin, end):
    """name -> exclusive time in [begin, end]. From a lost record to the next enter or leave, time counts as nothing. A lane
    that ends with open states lasts to the end of the log."""
    found, lanes, last = {}, {}, 0
    for line in open(path):
        time, rank, _, kind, *rest = line.split("\t")
        time = round(float(time) * 1e9)
        last = max(last, time)
        lane = lanes.setdefault(rank, {"now": time, "stack": [], "lost": False})
        if kind.strip() == "event" or lane["lost"] and kind == "lost":
            continue
        if not lane["lost"]:
            name = lane["stack"][-1] if lane["stack"] else "computing"
            found[name] = found.get(name, 0) + max(0, min(time, end) - max(lane["now"], begin))
        lane["now"], lane["lost"] = time, kind == "lost"
        if kind == "enter":
            lane["stack"].append(rest[0].strip())
        elif kind == "leave":
            lane["stack"].pop()
    for lane in lanes.values():
        if lane["stack"] and not lane["lost"]:
            name = lane["stack"][-1]
            found[name] = found.get(name, 0) + max(0, min(last, end) - max(lane["now"], begin))
    return {name: ns for name, ns in found.items() if ns}


def truth(text, log, ranges):
    bad = []
    for begin, end in ranges_of(ranges):
        wanted, found = own_times(text, begin, end), {name: own for name, (_, own) in stat(log, begin, end).items() if own}
        if found != wanted:
            bad.append(f"{begin} {end}: {found}, wanted {wanted}")
    report(bad, f"{log}: pith stat is right")


def report(bad, what):
    print("not ok" if bad else "ok", "1 -", what)
    for line in bad[:5]:
        print("#", line)


if sys.argv[1] == "make":
    make(int(sys.argv[2]), "lost" in sys.argv, "open" in sys.argv)
elif sys.argv[1] == "ranges":
    show_ranges(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
elif sys.argv[1] == "compare":
    compare(*sys.argv[2:5])
elif sys.argv[1] == "truth":
    truth(*sys.argv[2:5])
else:
    page(*sys.argv[2:4])
