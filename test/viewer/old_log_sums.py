#!/usr/bin/env python3
"""old_log_sums.py TEXT TABLE: compares what a log's text says (an ALOG file, or what MPE's printer makes of a CLOG-2 file)
with the table of `pith draw --text --stats`: how many of each state and event, the time in each state, messages."""
import collections
import re
import sys


def alog(lines):
    starts, ends, records = {}, {}, []
    for line in lines:
        word = line.split(None, 6)
        if len(word) < 6:
            continue
        kind, rank, number, time_us = int(word[0]), int(word[1]), int(word[3]), int(word[5])
        if kind == -13:
            name = word[6].split(None, 1)[1].strip() if len(word) > 6 else ""
            starts[int(word[2])] = ends[number] = name # "-13 0 START END 0 0 COLOUR NAME"
        elif kind == -101 or kind == -102:
            records.append((time_us / 1e6, rank, "send" if kind == -101 else "recv", number,
                            word[6].split()[0] if len(word) > 6 else ""))
        elif kind >= 0:
            records.append((time_us / 1e6, rank, "event", kind, ""))
    return starts, ends, {}, records


def clog2(lines):
    starts, ends, events, records = {}, {}, {}, []
    for line in lines:
        field = dict(re.findall(r"(\w+)=(\S*)", line))
        name = re.search(r"name=(.*?) fmt=", line)
        kind = field.get("type")
        if kind == "sdef":
            starts[int(field["s_et"])] = ends[int(field["e_et"])] = name.group(1)
        elif kind == "edef":
            events[int(field["et"])] = name.group(1)
        elif kind in ("bare", "cago"):
            records.append((float(field["ts"]), int(field["rank"]), "event", int(field["et"]), ""))
        elif kind == "msg":
            records.append((float(field["ts"]), int(field["rank"]), field["et"].lower()[:4], int(field["tag"]), ""))
    return starts, ends, events, records


def sums(starts, ends, events, records):
    count, took, open_since, depth = collections.Counter(), collections.Counter(), {}, collections.Counter()
    for time, rank, kind, number, _ in records:
        if kind != "event":
            continue
        if number in starts:
            key = rank, starts[number]
            count[key[1]] += 1
            if not depth[key]:
                open_since[key] = time
            depth[key] += 1
        elif number in ends:
            key = rank, ends[number]
            if depth[key]:
                depth[key] -= 1
                if not depth[key]:
                    took[key[1]] += time - open_since[key]
        else:
            count[events.get(number, f"event {number}")] += 1
    whole = {name for name in count if not any(depth[key] for key in depth if key[1] == name)}
    return count, took, whole


def seconds(text):
    """Of "1.5 ms", "2:05.3", "1:02:33"."""
    number, _, unit = text.partition(" ")
    sum_s = 0
    for part in number.split(":"):
        sum_s = sum_s * 60 + float(part)
    return sum_s * {"": 1, "s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}[unit]


def table(lines):
    time = r"[-\d.e+]+ \w+|[\d:.]+"
    rows = {}
    for line in lines:
        row = re.match(rf"^(.*?) +(\d+)(?: +({time}) +(?:{time}) +[\d.]+%)?$", line)
        if row:
            rows[row.group(1)] = int(row.group(2)), seconds(row.group(3)) if row.group(3) else None
    return rows


def main():
    text = open(sys.argv[1], errors="replace").read().splitlines()
    starts, ends, events, records = (clog2 if text[0].startswith("CLOG") else alog)(text)
    count, took, whole = sums(starts, ends, events, records)
    drawn = table(open(sys.argv[2]).read().split("\n\n")[-1].splitlines())
    bad = 0
    for name in sorted(count):
        got = drawn.get(name[:47], (0, None))
        # A time is printed with four digits; those of the text are rounded to microseconds.
        near = got[1] is None or name not in whole or \
            abs(got[1] - took[name]) <= 0.0006 * took[name] + 2e-6 * count[name] ** 0.5
        if got[0] != count[name] or not near:
            bad += 1
            print(f"{name}: drawn {got}, the text says {count[name]}, {took[name]:.9f} s")
    kinds = collections.Counter(record[2] for record in records)
    if drawn["messages"][0] != min(kinds["send"], kinds["recv"]):
        bad += 1
        print(f"messages: drawn {drawn['messages'][0]}, the text says {kinds['send']} sent, {kinds['recv']} received")
    extra = [name for name in drawn if name != "messages" and name not in {known[:47] for known in count}]
    if extra:
        bad += 1
        print("drawn, but not in the text:", *extra)
    print(f"{len(count)} names, {sum(count.values())} instances, {min(kinds['send'], kinds['recv'])} messages")
    return bad != 0


sys.exit(main())
