#!/usr/bin/env python3
"""clock_line.py <dump: "uneven" where no line goes through the moments of the clock of number 1 within half their round
trips, else "even"."""
import sys

points = []
for line in sys.stdin:
    if line.startswith("# property\tkey=clock_sync_1\t"):
        points = [tuple(map(int, word.split(":"))) for word in line.rstrip("\n").split("value=")[1].split()[2:]]
pairs = [(a, b) for i, a in enumerate(points) for b in points[i + 1:]]
least = max((b[1] - b[2] / 2 - a[1] - a[2] / 2) / (b[0] - a[0]) for a, b in pairs)
most = min((b[1] + b[2] / 2 - a[1] + a[2] / 2) / (b[0] - a[0]) for a, b in pairs)
print("uneven" if least > most else "even")
