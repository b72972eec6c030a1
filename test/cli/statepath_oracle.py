"""statepath_oracle.py LOG.txt FROM TO RANK... - what `pith stat --by statepath --csv` must say of these ranks between
two times in ns, from the lines of a log as text: a list of open states for each rank."""
import sys

path, begin, end = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
ranks = {int(rank) for rank in sys.argv[4:]}
own, count, stacks, last = {}, {}, {}, {}
OUTSIDE = "computing"


def spend(rank, time):
    since, until = max(last[rank], begin), min(time, end)
    if until > since:
        names = ";".join(name for name, _ in stacks[rank]) or OUTSIDE
        own[names] = own.get(names, 0) + until - since
    last[rank] = time


def begins(stack):
    names = ";".join(name for name, _ in stack)
    count[names] = count.get(names, 0) + 1
    own.setdefault(names, 0)


for line in open(path):
    time, rank, _, kind, name = line.rstrip("\n").split("\t")
    time, rank = round(float(time) * 1e9), int(rank)
    if rank not in ranks:
        continue
    last.setdefault(rank, time)
    stack = stacks.setdefault(rank, [])
    if last[rank] < begin <= time: # the states that are open there
        for depth in range(len(stack)):
            begins(stack[:depth + 1])
    spend(rank, time)
    if kind == "enter":
        stack.append((name, time))
        if begin <= time <= end:
            begins(stack)
        continue
    at = max(i for i, (other, _) in enumerate(stack) if other == name)
    del stack[at]
whole = sum(own.values())
paths = set(own)
for names in list(paths):
    while ";" in names:
        names = names.rsplit(";", 1)[0]
        paths.add(names)
for names in sorted(paths):
    total = sum(time for other, time in own.items() if other == names or other.startswith(names + ";"))
    print(names, own.get(names, 0), total, count.get(names, 0), f"{total / whole:.3f}", sep=",")
