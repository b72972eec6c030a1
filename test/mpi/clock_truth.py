#!/usr/bin/env python3
"""clock_truth.py [SLACK_NS | log [TIMES] | halves] <dump: how far the times of each rank are from the truth.

The dump is `pith print` of what synced.c recorded: a `tick`, and in the `truth` after it the true time of the tick. Rank
0's clock is true. Prints the largest error in ns; exits with 1 when it is beyond SLACK_NS (default: 0), or nothing is there.
`log`: what may be wrong is reckoned from the log: max(2 x the smallest round trip, 5 us). Where a moment could not be
measured so well (the machine had other work), it is what is proven there: half the round trip of the two moments
around, and outside of them what the line through the first and the last may be off; TIMES as much.
`halves`: the same for two machines, of which the second has the upper half of the ranks; else these take turns."""
import collections
import sys

import text_log

FEIGNED, USUAL = 6, 50e-6  # clock_sync.h: how far a drift outside of all moments is believed


def proven(points, at):
    """What a time may be wrong there at most, by one clock's moments (time, offset, round trip)."""
    for left, right in zip(points, points[1:]):
        if left[0] <= at <= right[0]:
            return max(left[2], right[2]) / 2
    (t0, o0, r0), (t1, o1, r1) = points[0], points[-1]
    away = max(t0 - at, at - t1)
    if len(points) == 1:
        return r0 / 2 + away * 500e-6
    slope, error = (o1 - o0) / (t1 - t0), (r0 + r1) / 2 / (t1 - t0)
    lost = abs(slope) * (error / FEIGNED) ** 2 / (USUAL**2 + (error / FEIGNED) ** 2)
    return max(r0, r1) / 2 + away * (min(error, 500e-6) + lost)


last, rows, clocks = {}, collections.defaultdict(list), {}
for line in sys.stdin:
    if line.startswith("# property\tkey=clock_sync_"):
        leader, *words = line.rstrip("\n").split("value=rank ")[1].split()
        clocks[int(leader)] = [tuple(map(int, word.split(":"))) for word in words]
    if line.startswith("#"):
        continue
    time, rank, _, kind, name, *fields = line.rstrip("\n").split("\t")
    if kind != "event":
        continue
    if name == "tick":
        last[rank] = text_log.ns(time)
    elif name == "truth":
        rows[rank].append((last[rank], last[rank] - int(fields[0].split("=")[-1])))
if not rows.get("0"):
    sys.exit("nothing of rank 0")
zero = rows["0"][0][1]
errors = [(at, abs(value - zero), int(rank)) for rank, values in rows.items() for at, value in values]
if sys.argv[1:2] in (["log"], ["halves"]):
    times = float(sys.argv[2]) if len(sys.argv) > 2 else 1
    wanted = max(2 * min(point[2] for points in clocks.values() for point in points), 5000)
    beyond = [row for row in errors if row[1] > wanted]

    def explained(at, error, rank):
        machine = rank % (len(clocks) + 1)  # false_clock.c; where times were moved, each may be the cause
        if sys.argv[1] == "halves":
            machine = min(clocks) if rank >= min(clocks) else 0
        whose = clocks.values() if times > 1 else [clocks[machine]] if machine else []
        return error <= times * max((proven(points, at) for points in whose), default=0) + 200

    wrong = [row for row in beyond if not explained(*row)]
    print("%d ns at most; of %d events %d beyond %d ns, %d not to be explained" % (
        max(row[1] for row in errors), len(errors), len(beyond), wanted, len(wrong)))
    sys.exit(bool(wrong))
worst = max(row[1] for row in errors)
print(worst)
sys.exit(worst > int(sys.argv[1] if len(sys.argv) > 1 else 0))
