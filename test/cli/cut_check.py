"""Brute force beside `pith cut`, on the text of `pith print`.

cut_check.py make SEED >log.txt               a log with messages under way, threads, nested states
cut_check.py check WHOLE.txt CUT.txt FROM TO LANES   says "same", or what differs; times in ns or "-", LANES as 0.1,2 or "-"
"""
import random
import sys

import text_log

RANKS, THREADS, MESSAGES = 4, 2, 400


def make(seed):
    rng = random.Random(seed)
    records = []  # (time, rank, thread, text)
    for rank in range(RANKS):
        for thread in range(THREADS):
            time, stack = rng.randrange(1000), []
            while time < 1000000:
                if stack and rng.random() < 0.5:
                    records.append((time, rank, thread, "leave\t" + stack.pop()))
                elif len(stack) < 5:
                    stack.append("state%d" % rng.randrange(4))
                    records.append((time, rank, thread, "enter\t" + stack[-1]))
                time += rng.randrange(1, 9000)
            while stack and rng.random() < 0.5:  # some stay open
                records.append((time, rank, thread, "leave\t" + stack.pop()))
    posted = [[] for _ in range(RANKS)]
    last = {}
    for number, send in enumerate(sorted(rng.sample(range(900000), MESSAGES)), 1):
        source, target, tag = rng.randrange(RANKS), rng.randrange(RANKS), rng.randrange(2)
        path = (source, target, tag)
        done = send + rng.randrange(1, 90000)
        post = max(last.get(path, 0) + 1, send - 20000 + rng.randrange(40000))
        last[path] = post
        fields = "\tcomm=0\tpeer=%d\ttag=%d\tbytes=%d" % (target, tag, number)
        records.append((send, source, rng.randrange(THREADS), "send\tMPI_COMM_WORLD" + fields))
        posted[target].append((post, number, max(done, post), source, tag))
    for rank, receives in enumerate(posted):
        for place, (_, number, done, source, tag) in enumerate(sorted(receives)):
            fields = "\tcomm=0\tpeer=%d\ttag=%d\tbytes=%d\tposted=%d" % (source, tag, number, place)
            records.append((done, rank, rng.randrange(THREADS), "recv\tMPI_COMM_WORLD" + fields))
    print("# property\tkey=program\tvalue=made")
    for rank in range(RANKS):
        for thread in range(THREADS):
            print("# lane\trank=%d\tthread=%d\tname=\thost=h" % (rank, thread))
    for number in range(4):
        print("# state\tname=state%d\tcolour=red\tgroup=user" % number)
    print("# time_s\trank\tthread\tkind\tname\tkey=value...")
    for time, rank, thread, text in sorted(records, key=lambda r: r[:3]):
        print(text_log.line(time, rank, thread, text))


def read(path):
    lanes, order = {}, []
    for time_ns, rank, thread, kind, name, fields in text_log.records(open(path)):
        record = (time_ns, kind, name, {key: int(value) for key, value in fields.items()})
        lane = rank, thread
        lanes.setdefault(lane, []).append(record)
        order.append((lane, record))
    return lanes, order


def match(order):
    """{bytes: bytes} of send and receive that belong together, by the documented rule."""
    sends, receives, pairs = {}, {}, {}
    for (rank, _), (_, kind, _, f) in order:
        if kind == "send" and f["peer"] >= 0:
            sends.setdefault((rank, f["peer"], f["tag"]), []).append(f["bytes"])
        if kind == "recv" and f["peer"] >= 0:
            receives.setdefault((f["peer"], rank, f["tag"]), []).append((f["posted"], f["bytes"]))
    for path, sent in sends.items():
        pairs.update(zip(sent, (b for _, b in sorted(receives.get(path, [])))))
    return pairs


def clipped(records, first, last, end):
    """A lane's records in the window, with the states that its edges cut."""
    stack, out, opened = [], [], False
    for time, kind, name, fields in records:
        if time >= first and not opened:
            out += [(first, "enter", s) for s in stack]
            opened = True
        if time > last:
            break
        if time >= first:
            out.append((time, kind, name))
        if kind == "enter":
            stack.append(name)
        if kind == "leave":
            at = len(stack) - 1 - stack[::-1].index(name)
            del stack[at]
    if first > end:
        return []
    if not opened:
        out += [(first, "enter", s) for s in stack]
    return out + [(min(last, end), "leave", s) for s in reversed(stack)]


def check(whole_path, cut_path, first, last, wanted):
    whole, order = read(whole_path)
    cut, cut_order = read(cut_path)
    windowed = first != "-" or last != "-"
    first = int(first) if first != "-" else -(1 << 62)
    last = int(last) if last != "-" else 1 << 62
    end = max(r[0] for lane in whole.values() for r in lane)

    def is_wanted(lane):
        return wanted == "-" or any(w == str(lane[0]) or w == "%d.%d" % lane for w in wanted.split(","))

    for lane, records in whole.items():
        if not is_wanted(lane):
            if lane in cut:
                return "lane %s is there" % (lane,)
            continue
        expect = clipped(records, first, last, end) if windowed else [r[:3] for r in records]
        if sorted(expect) != sorted(r[:3] for r in cut.get(lane, [])):
            return "lane %s differs" % (lane,)
        if [e for e in expect if first < e[0] < last] != [r[:3] for r in cut.get(lane, []) if first < r[0] < last]:
            return "lane %s: another order" % (lane,)
    if any(a != b for a, b in match(order).items()):
        return "the log itself has wrong messages"
    inside = {"send": set(), "recv": set()}
    for lane, (time, kind, _, f) in order:
        if kind in inside and is_wanted(lane) and first <= time <= last:
            inside[kind].add(f["bytes"])
    pairs = match(cut_order)
    both = inside["send"] & inside["recv"]
    if any(a != b for a, b in pairs.items()):
        return "messages are mixed up"
    if set(pairs) != both:
        return "%d messages, not %d" % (len(pairs), len(both))
    for rank in range(RANKS):
        places = [f["posted"] for (r, _), (_, kind, _, f) in cut_order if r == rank and kind == "recv"]
        if sorted(places) != list(range(len(places))):
            return "rank %d: numbers of posting have gaps" % rank
    return "same"


if sys.argv[1] == "make":
    make(int(sys.argv[2]))
else:
    print(check(*sys.argv[2:]))
