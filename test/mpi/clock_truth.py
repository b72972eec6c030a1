#!/usr/bin/env python3
"""clock_truth.py [SLACK_NS] <dump: how far the times of each rank are from the truth.

The dump is `pith print` of what synced.c recorded: a `tick`, and in the `truth` after it the true time of the tick. Rank
0's clock is true. Prints the largest error in ns; exits with 1 when it is beyond SLACK_NS (default: 0), or nothing is there."""
import collections
import sys

last, rows = {}, collections.defaultdict(list)
for line in sys.stdin:
    if line.startswith("#"):
        continue
    time, rank, _, kind, name, *fields = line.rstrip("\n").split("\t")
    if kind != "event":
        continue
    if name == "tick":
        seconds, ns = time.lstrip("-").split(".")
        last[rank] = (int(seconds) * 10**9 + int(ns)) * (-1 if time.startswith("-") else 1)
    elif name == "truth":
        rows[rank].append(last[rank] - int(fields[0].split("=")[-1]))
if not rows.get("0"):
    sys.exit("nothing of rank 0")
zero = rows["0"][0]
worst = max(abs(value - zero) for values in rows.values() for value in values)
print(worst)
sys.exit(worst > int(sys.argv[1] if len(sys.argv) > 1 else 0))
