#!/usr/bin/env python3
"""compensated.py - how near compensated runs come to the plain one, for bench_compensate.sh.

compensated.py spans LOG.txt
    `pith print` of a log to lines "NAME NS": its run from the end of MPI_Init to the beginning of MPI_Finalize (run), the time
    outside of MPI (compute) and in each function of all ranks together, and how many times or states are out of order (negative)
compensated.py table TABLE.csv
    the same, without the last, of the library time's table of a run with PITH_COMPENSATE
compensated.py ratios PLAIN,PLAIN... OTHER,OTHER...
    from files of such lines, of several runs each: medians of OTHER by those of PLAIN: "NAME RATIO LOW HIGH SHARE", SHARE being
    that of the plain run; what is less than 5 % of the ranks' time is left out
"""
import csv
import sys
from collections import defaultdict
from statistics import median

import text_log


def spans(path):
    begin, end, last, negative = {}, {}, {}, 0
    stacks, times = defaultdict(list), defaultdict(lambda: defaultdict(int))
    for time, rank, _, kind, name, _ in text_log.records(open(path)):
        negative += time < last.get(rank, time)
        last[rank] = time
        if name in ("MPI_Init", "MPI_Finalize"):
            if name == "MPI_Init" and kind == "leave":
                begin[rank] = time
            elif name == "MPI_Finalize" and kind == "enter":
                end[rank] = time
        elif kind == "enter":
            stacks[rank].append(time)
        elif kind == "leave" and stacks[rank] and rank not in end:
            negative += time < stacks[rank][-1]
            times[name][rank] += time - stacks[rank].pop()
    runs = {rank: end[rank] - begin[rank] for rank in end}
    totals = {name: sum(by_rank.values()) for name, by_rank in times.items()}
    yield "run", max(end.values()) - min(begin.values())
    yield "compute", sum(runs.values()) - sum(totals.values())
    yield from totals.items()
    yield "negative", negative


def table(path):
    runs, totals = defaultdict(int), defaultdict(int)
    for row in csv.DictReader(open(path)):
        if row["kind"] == "run":
            runs[row["rank"]] += round(1e9 * (float(row["run_s"]) - float(row["delay_s"])))
        elif row["function"] in ("MPI_Init", "MPI_Finalize"):
            runs[row["rank"]] -= round(1e9 * float(row["compensated_s"]))
        else:
            totals[row["function"]] += round(1e9 * float(row["compensated_s"]))
    yield "run", max(runs.values())
    yield "compute", sum(runs.values()) - sum(totals.values())
    yield from totals.items()


def read(paths):
    values = defaultdict(list)
    for path in paths.split(","):
        for line in open(path):
            name, value = line.split()
            values[name].append(int(value))
    return values


def ratios(plain, other):
    ranks_time = sum(median(v) for name, v in plain.items() if name not in ("run", "negative"))
    for name in sorted(plain, key=lambda n: (n != "run", n != "compute", -median(plain[n]))):
        before = median(plain[name])
        share = before / (median(plain["run"]) if name == "run" else ranks_time)
        if name == "negative" or share < 0.05:
            continue
        now = sorted(other.get(name, [0]))
        yield name, median(now) / before, now[0] / before, now[-1] / before, share


if __name__ == "__main__":
    if sys.argv[1] in ("spans", "table"):
        for row in (spans if sys.argv[1] == "spans" else table)(sys.argv[2]):
            print(*row)
    else:
        for row in ratios(read(sys.argv[2]), read(sys.argv[3])):
            print("%s %.4f %.4f %.4f %.3f" % row)
