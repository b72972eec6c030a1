#!/usr/bin/env python3
"""skew.py RANK=OFFSET_NS,PPM ... <dump: a dump of `pith print` with the times of some ranks wrong by so much."""
import sys

import text_log

skews = {}
for argument in sys.argv[1:]:
    rank, skew = argument.split("=")
    offset, ppm = skew.split(",")
    skews[rank] = int(offset), float(ppm)
for line in sys.stdin:
    if not line.startswith("#"):
        time, rank, rest = line.split("\t", 2)
        if rank in skews:
            ns = text_log.ns(time)
            ns += skews[rank][0] + int(ns * skews[rank][1] * 1e-6)
            line = "\t".join((text_log.seconds(ns), rank, rest))
    sys.stdout.write(line)
