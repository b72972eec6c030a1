"""iterations_check.py COUNT SLOW CALLS_FIRST WORD... <JSON: compares `pith analyze --json` with what iterations.py printed.
Prints the differences."""
import json
import sys

found = json.load(sys.stdin)["iterations"]
count, calls_first = int(sys.argv[1]), sys.argv[3] == "1"
slow = [tuple(map(int, item.split(","))) for item in sys.argv[2].split(";")] if sys.argv[2] != "-" else []
if found["count"] != count:
    print("count: %d, not %d" % (found["count"], count))
elif found["slow_count"] != len(slow):
    print("slow: %d, not %d" % (found["slow_count"], len(slow)))
else:
    for item, (index, excess_ns, rank) in zip(sorted(found["slow"], key=lambda item: item["index"]), slow):
        # If a loop begins with calls, the other ranks wait in the next iteration.
        if item["index"] - index not in ((0, 1) if calls_first else (0,)):
            print("number %d, not %d" % (item["index"], index))
        if abs(item["excess_ns"] - excess_ns) > 0.05 * found["median_ns"] or item["state"] != "work" or item["rank"] != rank:
            print("number %d: %d ns of %s on rank %d, not %d ns of work on rank %d" % (
                item["index"], item["excess_ns"], item["state"], item["rank"], excess_ns, rank))
