#!/usr/bin/env python3
"""skew.py RANK=OFFSET_NS,PPM ... <dump: a dump of `pith print` with the times of some ranks wrong by so much."""
import sys

skews = {}
for argument in sys.argv[1:]:
    rank, skew = argument.split("=")
    offset, ppm = skew.split(",")
    skews[rank] = int(offset), float(ppm)
for line in sys.stdin:
    if not line.startswith("#"):
        time, rank, rest = line.split("\t", 2)
        if rank in skews:
            seconds, fraction = time.lstrip("-").split(".")
            ns = (int(seconds) * 10**9 + int(fraction)) * (-1 if time.startswith("-") else 1)
            ns += skews[rank][0] + int(ns * skews[rank][1] * 1e-6)
            line = "%s%d.%09d\t%s\t%s" % ("-" * (ns < 0), abs(ns) // 10**9, abs(ns) % 10**9, rank, rest)
    sys.stdout.write(line)
