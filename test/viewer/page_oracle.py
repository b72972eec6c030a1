"""page_oracle.py - what the commands, and the records of a log taken one by one, say of the states that a page shows."""
import json
import subprocess


def pith(*words):
    return subprocess.run(["pith", *words], check=True, capture_output=True, text=True).stdout


def seconds(time_ns):
    """A time as commands and links have it."""
    return f"{time_ns // 10**9}.{time_ns % 10**9:09d}"


def records_of(log):
    """Lists of (time, kind, name) by (rank, thread), in the order of the log's lanes."""
    lanes = {}
    for line in pith("print", log).splitlines():
        fields = line.split("\t")
        if line.startswith("# lane"):
            lanes[tuple(int(field.split("=")[1]) for field in fields[1:3])] = []
        elif not line.startswith("#") and fields[3] in ("enter", "leave", "event"):
            time = int(fields[0].replace(".", ""))
            lanes[int(fields[1]), int(fields[2])].append((time, fields[3], fields[4]))
    return lanes


def stacks_of(records):
    """The open states of a lane, from outside to inside, as [(time, stack)]: each from its time on."""
    stack, found = [], [(-1, [])]
    for time, kind, name in records:
        if kind == "enter":
            stack = stack + [name]
        elif kind == "leave":
            at = len(stack) - 1 - stack[::-1].index(name)
            stack = stack[:at] + stack[at + 1:]
        else:
            continue
        found.append((time, stack))
    return found


def stat_of(log, from_ns, to_ns):
    """{ name: (count, inclusive, exclusive) } by `pith stat`."""
    rows = json.loads(pith("stat", log, "--from", seconds(from_ns), "--to", seconds(to_ns), "--json"))
    return {row["name"]: (row["count"], *[round((row.get(key) or 0) * 1e9) for key in ("total_s", "self_s")])
            for row in rows if row["kind"] in ("state", "event")}


def sums_of(log, from_ns, to_ns):
    """The same from the records. Unlike in `pith stat`, what is inside a state is inside even if it ends later."""
    sums = {}
    for records in records_of(log).values():
        open_ones, before = [], 0
        for time, kind, name in records + [(1 << 62, "end", "")]:
            lasts = max(0, min(time, to_ns) - max(before, from_ns))
            for one in set(open_ones):
                sums.setdefault(one, [0, 0, 0])[1] += lasts
            if open_ones:
                sums[open_ones[-1]][2] += lasts
            counted = sums.setdefault(name, [0, 0, 0])
            if kind == "enter":
                open_ones.append(name)
                counted[0] += time <= to_ns
            elif kind == "leave":
                del open_ones[len(open_ones) - 1 - open_ones[::-1].index(name)]
                counted[0] -= time < from_ns
            elif kind == "event":
                counted[0] += from_ns <= time <= to_ns
            before = time
    return {name: tuple(sum) for name, sum in sums.items() if sum[0]}


def computing_of(log, from_ns, to_ns):
    """The time in which lanes, between their first and last record of any kind, are in no state."""
    overlap = lambda begin, end: max(0, min(end, to_ns) - max(begin, from_ns))
    lives, computing = {}, 0
    for line in pith("print", log).splitlines():
        if not line.startswith("#"):
            time, rank, thread = line.split("\t")[:3]
            lives.setdefault((int(rank), int(thread)), []).append(int(time.replace(".", "")))
    for lane, records in records_of(log).items():
        stacks = stacks_of(records)
        first, last = (min(lives[lane]), max(lives[lane])) if lane in lives else (0, 0)
        computing += overlap(first, last)
        ends = [time for time, _ in stacks[1:]] + [last]
        computing -= sum(overlap(begin, end) for (begin, stack), end in zip(stacks, ends) if stack)
    return computing


def hits_of(log, query):
    """(begin, lane, name) of what `pith print --where` prints."""
    lanes = list(records_of(log))
    found = [line.split("\t") for line in pith("print", log, "--where", query).splitlines() if not line.startswith("#")]
    return sorted((int(time.replace(".", "")), lanes.index((int(rank), int(thread))), name)
                  for time, rank, thread, kind, name, *_ in found if kind in ("enter", "event"))
