"""derived_oracle.py LOG.txt VALUES.csv FORMULA: compares the values of derived rows with the records of a text log, term by
term after their definitions in pith-view(1). Prints what differs. FORMULA is in Python's words: the terms are functions of
(rank, from, to) in seconds: time("A"), computing(), sent() ...; value() is left out."""
import csv
import fnmatch
import sys


class Log:
    def __init__(self, path):
        self.states, self.life, self.messages, opened, sent = {}, {}, [], {}, {}
        for line in open(path):
            if line.startswith("#"):
                continue
            time, rank, thread, kind, name, *rest = line.rstrip("\n").split("\t")
            time, rank = float(time), int(rank)
            fields = dict(field.split("=", 1) for field in rest)
            self.life.setdefault(rank, [time, time])[1] = time
            if kind == "enter":
                opened.setdefault((rank, name), []).append(time)
            elif kind == "leave":
                self.states.setdefault(rank, []).append((name, opened[rank, name].pop(), time))
            elif kind == "send":
                sent.setdefault((rank, int(fields["peer"]), fields["tag"]), []).append((time, int(fields["bytes"])))
            elif kind == "recv" and sent.get((int(fields["peer"]), rank, fields["tag"])):
                at, size = sent[int(fields["peer"]), rank, fields["tag"]].pop(0)
                self.messages.append((int(fields["peer"]), at, rank, time, size))
        for (rank, name), begins in opened.items():  # never left
            for begin in begins:
                self.states.setdefault(rank, []).append((name, begin, time))
                self.life[rank][1] = time


class Cell:
    """The terms in one column of some ranks."""

    def __init__(self, log, ranks, begin, end):
        self.log, self.ranks, self.begin, self.end = log, ranks, begin, end

    def covered(self, spans):
        """The part of the column that any of the spans covers."""
        total, done = 0, self.begin
        for begin, end in sorted(spans):
            begin, end = max(begin, done), min(end, self.end)
            if end > begin:
                total, done = total + end - begin, end
        return total / (self.end - self.begin)

    def time(self, pattern):
        return sum(self.covered([(b, e) for n, b, e in self.log.states.get(rank, []) if fnmatch.fnmatchcase(n, pattern)])
                   for rank in self.ranks)

    @property
    def computing(self):
        return sum(self.covered([self.log.life[rank]]) for rank in self.ranks) - self.time("*")

    def rate(self, which, of):
        return sum(of(m) for m in self.log.messages if m[which] in self.ranks and self.begin <= m[which + 1] < self.end) \
            / (self.end - self.begin)

    sent = property(lambda self: self.rate(0, lambda m: 1))
    received = property(lambda self: self.rate(2, lambda m: 1))
    sent_bytes = property(lambda self: self.rate(0, lambda m: m[4]))
    received_bytes = property(lambda self: self.rate(2, lambda m: m[4]))

    @property
    def in_flight(self):
        return sum(m[4] * max(0, min(m[3], self.end) - max(m[1], self.begin)) for m in self.log.messages
                   if m[0] in self.ranks) / (self.end - self.begin)


log, (head, *lines), formula = Log(sys.argv[1]), csv.reader(open(sys.argv[2])), sys.argv[3]
begins = [float(time) for time in head[1:]]
step = (begins[-1] - begins[0]) / (len(begins) - 1)
wrong = nonzero = 0
for name, *values in lines:
    ranks = list(log.life) if name == "all rows" else [int(name.removeprefix("rank "))]
    near = 1e-5 * max(abs(float(value)) for value in values if value)  # the times of columns are rounded to nanoseconds
    for c, value in enumerate(values):
        cell = Cell(log, ranks, begins[0] + c * step, begins[0] + (c + 1) * step)
        words = {word: getattr(cell, word) for word in ("time", "computing", "sent", "received", "sent_bytes", "received_bytes", "in_flight")}
        try:
            wanted = eval(formula, words)
        except ZeroDivisionError:
            wanted = None
        nonzero += bool(wanted)
        got = float(value) if value else None
        if (got is None) != (wanted is None) or got is not None and abs(got - wanted) > near:
            wrong += 1
            if wrong < 4:
                print(f"{name} column {c}: {value}, the records say {wanted}")
print(f"{wrong} wrong" if wrong or not nonzero else "right")
