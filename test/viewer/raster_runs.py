#!/usr/bin/env python3
"""raster_runs.py PPM: a picture as text, `colour x count` for each run of a line; lines that are alike are told once."""
import itertools
import sys

with open(sys.argv[1], "rb") as file:
    _, size, _, pixels = file.read().split(b"\n", 3)
width, height = map(int, size.split())
rows = [pixels[3 * width * y:3 * width * (y + 1)] for y in range(height)]
y = 0
for row, same in itertools.groupby(rows):
    count = len(list(same))
    colours = [row[3 * x:3 * x + 3].hex() for x in range(width)]
    runs = [f"{colour} x {len(list(run))}" for colour, run in itertools.groupby(colours)]
    print(f"{y}-{y + count - 1}: " + ", ".join(runs))
    y += count
