"""missing_check.py make SEED [lost|open]: prints a random log as text; records of it are lost, or lanes end early with
states that are open, the second of them with a lost record.
missing_check.py ranges LOG COUNT SEED: prints random ranges of a log, "FROM TO", in ns.
missing_check.py compare LOG RANGES WINDOW: what the window said of each range (missing_checks.tcl) against `pith stat`.
missing_check.py page LOG RANGES: the same of pages.
missing_check.py truth TEXT LOG RANGES: exclusive times by their definition, from the records, against `pith stat`.
missing_check.py formula TEXT VALUES NAME FROM TO: rows of a formula, time(NAME) or computing, saved of a window in ns, against the
records."""
import csv, random, re, subprocess, sys

STATES = ["solve", "work", "MPI_Send", "MPI_Recv"]


def make(seed, lost, is_open):
    rng = random.Random(seed)
    for rank in range(3):
        time, stack, events, until = 1000 * rank, [], 0, 0
        for i in range(24000 if not is_open or rank == 2 else 14000 + 4000 * rank):
            time += rng.randrange(1, 90)
            place = f"{time / 1e9:.9f}\t{rank}\t0"
            if len(stack) < 4 and rng.random() < 0.5 or not stack:
                stack.append(rng.choice(STATES[min(len(stack), 2):]))
                said = f"{place}\tenter\t{stack[-1]}"
            elif rng.random() < 0.1:
                said = f"{place}\tevent\tmark"
            else:
                said = f"{place}\tleave\t{stack.pop()}"
            if time < until:
                continue
            print(said)
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


def pair(records):
    """By index: of an enter, its leave; of a leave, its enter."""
    partner, stack = {}, []
    for i, (_, kind, name) in enumerate(records):
        if kind == "enter":
            stack.append(i)
        elif kind == "leave":
            at = next((k for k in reversed(stack) if records[k][2] == name), None)
            if at is not None:
                stack.remove(at)
                partner[at], partner[i] = i, at
    return partner


def ended_in(records, partner):
    """enter -> the lost record in whose hole its state ended: it and all states inside have no leave after it."""
    ended = {}
    for hole, (time, kind, _) in enumerate(records):
        if kind != "lost" or time <= records[0][0]:
            continue
        open_states = [i for i in range(hole) if records[i][1] == "enter" and i not in ended and partner.get(i, hole + 1) > hole]
        while open_states and open_states[-1] not in partner:
            ended[open_states.pop()] = hole
    return ended


def pieces_of(records, last):
    """(begin, end, stack of enters) of a lane; stack None: records are missing. From a lost record to the next one, time
    counts as nothing. A lane that ends with open states lasts to the end of the log."""
    partner, stack, pieces = pair(records), [], []
    ended = ended_in(records, partner)
    for i, (time, kind, _) in enumerate(records):
        if pieces and pieces[-1][2] is None: # what is open at the end of a hole
            pieces.append((time, time, tuple(stack)))
        if kind == "enter":
            stack.append(i)
        elif kind == "leave" and i in partner:
            stack.remove(partner[i])
        is_hole = kind == "lost" and time > records[0][0]
        if is_hole:
            stack = [k for k in stack if ended.get(k, i + 1) > i]
        end = records[i + 1][0] if i + 1 < len(records) else last if stack and not is_hole else time
        pieces.append((time, end, None if is_hole else tuple(stack)))
    return pieces


def read_lanes(path):
    lanes = {}
    for line in open(path):
        time, rank, _, kind, *rest = line.rstrip("\n").split("\t")
        lanes.setdefault(rank, []).append((round(float(time) * 1e9), kind, rest[0] if rest else ""))
    last = max(records[-1][0] for records in lanes.values())
    return {rank: (records, pieces_of(records, last)) for rank, records in lanes.items()}


def times_of(lanes, begin, end):
    """name -> (count, inclusive, exclusive) in [begin, end]."""
    found = {}
    for records, pieces in lanes.values():
        seen = set()
        for since, until, stack in pieces:
            ns = min(until, end) - max(since, begin)
            if stack is None or until < begin or since > end:
                continue
            for i in stack:
                if i not in seen:
                    seen.add(i)
                    found.setdefault(records[i][2], [0, 0, 0])[0] += 1
            for name in {records[i][2] for i in stack} if ns > 0 else ():
                found.setdefault(name, [0, 0, 0])[1] += ns
            if ns > 0:
                found.setdefault(records[stack[-1]][2] if stack else "computing", [0, 0, 0])[2] += ns
    return {name: tuple(sums) for name, sums in found.items() if any(sums)}


def truth(text, log, ranges):
    bad, lanes = [], read_lanes(text)
    for begin, end in ranges_of(ranges):
        out = subprocess.run(["pith", "stat", log, "--csv", "--from", f"{begin}ns", "--to", f"{end}ns"], capture_output=True, text=True)
        found = {row["name"]: (int(row["count"]), *(round(float(row[c]) * 1e9) for c in ("total_s", "self_s")))
                 for row in csv.DictReader(out.stdout.splitlines()) if row["kind"] in ("state", "computing")}
        wanted = times_of(lanes, begin, end)
        for name in set(found) | set(wanted):
            of, by = found.get(name, (0, 0, 0)), wanted.get(name, (0, 0, 0))
            if of != by and (name != "computing" or of[2] != by[2]):
                bad.append(f"{begin} {end}: {name} {of}, wanted {by}")
    report(bad, f"{log}: pith stat is right")


def formula(text, values, name, begin, end):
    bad, missing, lanes = [], 0, read_lanes(text)
    for row, *cells in list(csv.reader(open(values)))[1:]:
        step = (end - begin) / len(cells)
        wanted = [0.0] * len(cells)
        summed = [lanes[rank] for rank in lanes if row in ("all rows", f"rank {rank}")]
        for records, pieces in summed:
            for since, until, stack in pieces:
                missing += stack is None and until - since > step
                if stack is None or (name not in {records[i][2] for i in stack} if name != "computing" else stack):
                    continue
                for c in range(max(0, int((since - begin) / step)), min(len(cells), int((until - begin) / step) + 1)):
                    wanted[c] += max(0, min(until, begin + (c + 1) * step) - max(since, begin + c * step)) / step
        near = 1e-5 * max(wanted) + 2 * len(summed) / step # the times of columns are whole nanoseconds, in each lane
        bad += [f"{row} column {c}: {cell}, wanted {wanted[c]}" for c, cell in enumerate(cells) if abs(float(cell) - wanted[c]) > near]
    report(bad if missing else ["no records are missing"], f"{text}: the formula of {name}")


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
    formula(*sys.argv[2:5], *map(int, sys.argv[5:7]))
