"""oracle_iterations.py LOG.txt...: the iterations that `pith analyze` must find in text logs of iterations.py, from the
definition in pith-analyze(1): every word of calls is compared with every place. Slow; only for small logs.

Prints a line for each log: COUNT RANK FROM_NS TO_NS MEDIAN_NS MIN_NS MAX_NS, or 0."""
import sys
from collections import defaultdict, deque
from statistics import median_low

LEAST = 5            # iterations
EXTRA = 8            # calls that an iteration may have beyond its own, in addition to as many as it has
CLOCK = {"MPI_Wtime", "MPI_Wtick"}
POLLING = ("MPI_Test", "MPI_Iprobe", "MPI_Improbe", "MPI_Request_get_status")


class Call:
    def __init__(self, name, begin):
        self.name, self.begin, self.end, self.comms, self.senders = name, begin, None, [], []

    def symbol(self, senders, sizes):
        from_whom = sorted((lane, size.bit_length() if sizes else 0) for lane, size in self.senders) if senders else []
        return self.name, tuple(self.comms), tuple(from_whom)


def read_calls(path):
    """The MPI calls of each rank, and the begin and end of the log."""
    calls, sent, first, now = defaultdict(list), defaultdict(deque), None, 0
    for line in open(path):
        if line.startswith("#"):
            continue
        time, rank, _, kind, name, *rest = line.rstrip("\n").split("\t")
        now, rank = round(float(time) * 1e9), int(rank)
        first = now if first is None else first
        fields = dict(item.split("=") for item in rest)
        if kind == "enter" and name.startswith("MPI_"):
            calls[rank].append(Call(name, now))
        elif kind == "leave" and name.startswith("MPI_"):
            calls[rank][-1].end = now
        elif kind == "coll":
            calls[rank][-1].comms.append(fields["comm"])
        elif kind == "send":
            sent[rank, int(fields["peer"]), fields["tag"]].append(int(fields["bytes"]))
        elif kind == "recv":
            size = sent[int(fields["peer"]), rank, fields["tag"]].popleft()
            calls[rank][-1].senders.append((int(fields["peer"]), size))
    return calls, first, now


# ---- Which calls repeat ----------------------------------------------------------------------------------------------

class Repetition:
    """A word of calls that repeats at once, and the same calls from any of its other calls on: its rotations."""

    def __init__(self, row, rotations):
        self.rotations = rotations      # rotation: [places where it begins, and begins again behind itself]
        self.period = len(next(iter(rotations)))
        squares = sorted(i for places in rotations.values() for i in places)
        covered = {k for i in squares for k in range(i, i + 2 * self.period)}
        lengths = defaultdict(dict)     # the symbols of a rotation, wherever it begins in a square: {place: length}
        for word, places in rotations.items():
            for i in places:
                for n in range(self.period):
                    lengths[word[n:] + word[:n]][i + n] = row[i + n + self.period].begin - row[i + n].begin
        self.first, self.last, self.calls = squares[0], squares[-1] + 2 * self.period, len(covered)
        self.ns = min(median_low(of.values()) for of in lengths.values()) * self.calls / self.period


def is_primitive(word):
    return not any(len(word) % n == 0 and word == word[:n] * (len(word) // n) for n in range(1, len(word)))


def repetitions(row, symbols, period):
    found = defaultdict(lambda: defaultdict(list))
    for i in range(len(row) - 2 * period + 1):
        word = tuple(symbols[i:i + period])
        if word == tuple(symbols[i + period:i + 2 * period]) and is_primitive(word):
            found[min(word[n:] + word[:n] for n in range(period))][word].append(i)
    return [Repetition(row, rotations) for rotations in found.values()]


def find_best(row, symbols, row_ns):
    best = None
    for period in range(1, len(row) // LEAST + 1):
        good = [r for r in repetitions(row, symbols, period)
                if r.calls >= LEAST * period and (2 * r.calls >= len(row) or 2 * r.ns >= row_ns)]
        if best:
            good = [r for r in good if r.calls > 1.3 * best.calls or r.ns > 1.3 * best.ns]
        best = max(good, key=lambda r: r.calls) if good else best
    return best


# ---- Iterations ------------------------------------------------------------------------------------------------------

def behind_extra(symbols, word, extra, step):
    """How many calls behind an extra call, in steps of 1 or -1, go on with the word."""
    n = 0
    while n < 2 * len(word) and 0 <= extra + step * (n + 1) < len(symbols) and \
            symbols[extra + step * (n + 1)] == word[n % len(word)]:
        n += 1
    return n


def match(symbols, word, begin, end):
    """The end of the first calls from `begin` on that are the word with extra calls in it; None if there are none."""
    i = begin
    for n, symbol in enumerate(word):
        while n and i < end and symbols[i] != symbol:
            i += 1
        if i >= end or symbols[i] != symbol or i - begin - n > len(word) + EXTRA:
            return None
        i += 1
    return i


def walk(symbols, word, places, begin, end):
    """Iterations between two calls. At `places`, one begins for sure."""
    found, i = [], begin
    while i < end:
        stop = min([place for place in places if place >= i], default=end)
        to = i + len(word) if stop == i else match(symbols, word, i, stop)
        if to:
            found.append((i, to))
        i = to or i + 1
    return found


def gap(row, i):
    return row[i].begin - row[i - 1].end if i else 0


def with_extras(row, found, period):
    """Extra calls between two iterations belong to the second one if the program computes longer before them."""
    found = [list(item) for item in found]
    for this, following in zip(found, found[1:]):
        extras = following[0] - this[1]
        if extras <= period + EXTRA:
            begins = [following[0]] + list(range(following[0] - min(extras, EXTRA), following[0]))
            this[1] = following[0] = max(begins, key=lambda i: gap(row, i))
    return found


def find_iterations(row, symbols, r):
    word = symbols[r.first:r.first + r.period]
    before = behind_extra(symbols, word[::-1], r.first - 1, -1)
    after = behind_extra(symbols, symbols[r.last - r.period:r.last], r.last, 1)
    squares = {i for places in r.rotations.values() for i in places}
    repeated = {k for i in squares for k in range(i, i + r.period + 1)}  # where any rotation begins that a square has
    best = None
    for shift in range(r.period):
        rotation = tuple(word[shift:] + word[:shift])
        whole = [i for i in sorted(repeated) if tuple(symbols[i:i + r.period]) == rotation]
        in_front = (whole[0] - r.first + before) % r.period
        behind = (r.last - whole[-1] + after) % r.period
        if in_front + behind >= r.period:
            continue
        typical = median_low([gap(row, i + r.period) for i in r.rotations.get(rotation, [])] or [-1])
        if best is None or (typical, -in_front) > best[:2]:
            best = typical, -in_front, rotation, whole
    _, _, rotation, whole = best
    places = [i for i in range(len(row)) if tuple(symbols[i:i + r.period]) == rotation]
    begin, end = r.first - (before + 1 if before else 0), r.last + (after + 1 if after else 0)
    far = r.period + min(r.period, EXTRA)
    while any(begin - far <= i < begin for i in places):
        begin = max(i for i in places if i < begin)
    while any(end < i + r.period <= end + far for i in places):
        end = min(i + r.period for i in places if i + r.period > end)
    return with_extras(row, walk(symbols, rotation, whole, begin, end), r.period)


def search(row, senders, sizes, row_ns):
    symbols = [call.symbol(senders, sizes) for call in row]
    best = find_best(row, symbols, row_ns)
    found = find_iterations(row, symbols, best) if best else []
    return found if len(found) >= LEAST else []


# ---- Times -----------------------------------------------------------------------------------------------------------

def times(row, found, begin_ns, end_ns):
    """[begin, end] of each iteration. It ends with its last call; or, if the loop begins with its calls, before the
    first call of the next one."""
    def idle_before(i):
        return row[i].begin - (row[i - 1].end if i else begin_ns)

    def begin_after(end):
        return row[end].begin if end < len(row) else end_ns

    typical = sorted(idle_before(begin) for begin, _ in found[1:])[len(found) // 2 - 1]
    first, last = found[0][0], found[-1][1]
    calls_first = 2 * (begin_after(last) - row[last - 1].end) >= typical and 2 * idle_before(first) < typical
    begins, ends = {begin for begin, _ in found}, {end for _, end in found}
    result = []
    for begin, end in found:
        begin_at, end_at = row[begin].begin, row[end - 1].end
        if calls_first:
            rest = begin_after(end) - end_at
            end_at += rest if end in begins else min(rest, typical)
        else:
            begin_at -= idle_before(begin) if begin in ends else min(idle_before(begin), typical)
        result.append((begin_at, end_at))
    return result


def find(path):
    calls, begin_ns, end_ns = read_calls(path)
    rank, row = max(calls.items(), key=lambda item: (len(item[1]), -item[0]))
    reads_clock = any(call.name in CLOCK for call in row)
    best, best_covered, best_ns = [], 0, 0
    for senders, sizes, clock in ((1, 1, 1), (1, 0, 1), (1, 1, 0), (1, 0, 0), (0, 0, 0)):
        if clock and not reads_clock or best_covered >= 0.99:
            continue
        part = [call for call in row if not call.name.startswith(POLLING) and (clock or call.name not in CLOCK)]
        found = search(part, senders, sizes, end_ns - begin_ns)
        if not found:
            continue
        covered = sum(end - begin for begin, end in found) / len(part)
        iterations = times(part, found, begin_ns, end_ns)
        median_ns = median_low([end - begin for begin, end in iterations])
        if covered > best_covered * (1 if 0.9 <= median_ns / (best_ns or 1) <= 1 / 0.9 else 1.3):
            best, best_covered, best_ns = iterations, covered, median_ns
    if 10 * sum(end - begin for begin, end in best) < end_ns - begin_ns:
        best = []
    return rank, [end - begin for begin, end in best], best


for path in sys.argv[1:]:
    rank, lengths, iterations = find(path)
    if iterations:
        print(len(lengths), rank, iterations[0][0], iterations[-1][1], median_low(lengths), min(lengths), max(lengths))
    else:
        print(0)
