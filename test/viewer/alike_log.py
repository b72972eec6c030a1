"""alike_log.py - writes a log as text, for `pith convert`: 64 ranks that spend their time in four ways, with noise below
1 %: 0-63 compute 64 % and wait for the rest, those divisible by 8 write 20 % of it, those divisible by 4 compute 90 %; 17
computes 20 %, but until 50 ms it does as the others."""
import random

chance = random.Random(3)
lines = []
for rank in range(64):
    time = 0
    for step in range(20):
        part = 0.2 if rank == 17 and step >= 10 else 0.64 if rank % 8 == 0 or rank % 4 else 0.9
        parts = [("compute", part - 0.01 * chance.random())]
        if rank % 8 == 0:
            parts.append(("write", 0.2))
        parts.append(("MPI_Waitall", 1 - sum(length for _, length in parts)))
        for name, length in parts:
            lines.append((time, rank, "enter", name))
            time += int(length * 5000000)
            lines.append((time, rank, "leave", name))
for time, rank, kind, name in sorted(lines, key=lambda line: line[0]):
    print(f"{time / 1e9:.9f}\t{rank}\t0\t{kind}\t{name}")
