"""random_log.py SEED [SLOPE [nested]] - writes a log as text, for `pith convert`: 3 ranks, 26 states, up to 20 levels deep, long
and very short ones; some end before the states inside them, unless `nested`. With a smaller SLOPE than 0.02 more are deep."""
import random
import sys

chance = random.Random(int(sys.argv[1]))
nested = len(sys.argv) > 3
slope = float(sys.argv[2]) if len(sys.argv) > 2 else 0.02
NAMES = [f"state-{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]
lines = []
for rank in range(3):
    time, stack = 100, []
    lines.append((time, rank, "enter", NAMES[0]))
    stack.append(NAMES[0])
    while time < 2000000 or stack:
        time += int(chance.choice([0, 3, 40, 500, 4000]) * (0.5 + chance.random()))
        grows = chance.random() < 0.55 - slope * len(stack) and time < 2000000
        if grows and len(stack) < 20:
            stack.append(chance.choice(NAMES))
            lines.append((time, rank, "enter", stack[-1]))
        elif stack:
            # A name that is open twice ends at its innermost place.
            at = len(stack) - 1 - (chance.random() < 0.1 and len(stack) > 1 and not nested)
            at = len(stack) - 1 - stack[::-1].index(stack[at])
            lines.append((time, rank, "leave", stack.pop(at)))
for time, rank, kind, name in sorted(lines, key=lambda line: line[0]):
    print(f"{time / 1e9:.9f}\t{rank}\t0\t{kind}\t{name}")
