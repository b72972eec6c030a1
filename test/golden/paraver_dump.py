#!/usr/bin/env python3
"""paraver_dump.py TRACE.prv - checks a trace that Pith wrote against the rules of Paraver's format, and prints what it
holds, a line a record as `pith print` has it: time, rank, thread, kind, name; and stacks of samples and callers. Knows the format's rules only."""
import re
import sys


def fail(text):
    sys.exit("paraver_dump: " + text)


def pcf(path):
    """(states, colours, {type: (label, {value: label})})"""
    states, colours, types, section, group = {}, {}, {}, "", []
    for line in open(path, encoding="utf-8"):
        line = line.rstrip("\n")
        if not line.strip():
            continue
        if re.match(r"[A-Z]", line):
            section = line.split()[0]
            if section == "EVENT_TYPE":
                group = []
            continue
        first, _, rest = line.partition(" ")
        rest = rest.strip()
        if section == "STATES":
            states[int(first)] = rest
        elif section == "STATES_COLOR":
            if not re.fullmatch(r"\{\d+,\d+,\d+\}", rest):
                fail("a colour: " + line)
            colours[int(first)] = rest
        elif section == "EVENT_TYPE":
            number, _, label = rest.partition(" ")
            if int(number) in types:
                fail("a type twice: " + line)
            types[int(number)] = (label.strip(), {})
            group.append(int(number))
        elif section == "VALUES":
            for number in group:
                if int(first) in types[number][1]:
                    fail("a value twice: " + line)
                types[number][1][int(first)] = rest
    return states, colours, types


def row(path):
    levels, left, level = {}, 0, ""
    for line in open(path, encoding="utf-8").read().split("\n"):
        match = re.fullmatch(r"LEVEL (\w+) SIZE (\d+)", line)
        if left == 0 and match:
            level, left = match.group(1), int(match.group(2))
            levels[level] = []
        elif left:
            levels[level].append(line)
            left -= 1
        elif line:
            fail("a row too much: " + line)
    if left:
        fail("rows are missing")
    return levels


def seconds(ns):
    return "%d.%09d" % (ns // 1000000000, ns % 1000000000)


def main():
    path = sys.argv[1]
    stem = path[:-4]
    states, colours, types = pcf(stem + ".pcf")
    rows = row(stem + ".row")
    lines = open(path, encoding="utf-8").read().split("\n")
    head = re.fullmatch(r"#Paraver \((\d\d/\d\d/\d{4,} at \d\d:\d\d)\):(\d+)_ns:(\d+)\(([\d,]*)\):1:(\d+)\(([\d:,]*)\),(\d+)", lines[0])
    if not head or lines.pop() != "":
        fail("the header, or the last line: " + lines[0])
    duration, cpus = int(head.group(2)), [int(n) for n in head.group(4).split(",") if n]
    tasks = [tuple(map(int, t.split(":"))) for t in head.group(6).split(",") if t]
    if len(cpus) != int(head.group(3)) or len(tasks) != int(head.group(5)):
        fail("the header's counts")
    if len(rows["CPU"]) != sum(cpus) or len(rows["NODE"]) != len(cpus) or len(rows["THREAD"]) != sum(t[0] for t in tasks):
        fail("the rows' counts")
    names, at = {}, 0
    for task, (threads, node) in enumerate(tasks, 1):
        if not 1 <= node <= len(cpus):
            fail("a task without node")
        for thread in range(1, threads + 1):
            found = re.search(r"1\.(\d+)\.(\d+)\)?$", rows["THREAD"][at])
            names[task, thread] = (int(found.group(1)) - 1, int(found.group(2)) - 1)
            at += 1
    comms = [line for line in lines if line.startswith("c:")]
    if len(comms) != int(head.group(7)):
        fail("the number of communicators")
    for line in comms:
        numbers = list(map(int, line[2:].split(":")))
        if len(numbers) != numbers[2] + 3 or not all(1 <= t <= len(tasks) for t in numbers[3:]):
            fail("a communicator: " + line)
    last, cpu_of, covered, stacks, out = 0, {}, {}, {}, []

    def place(cpu, app, task, thread):
        if app != 1 or (task, thread) not in names or not 1 <= cpu <= sum(cpus):
            fail("no such thread: " + line)
        if cpu_of.setdefault(cpu, (task, thread)) != (task, thread):
            fail("a processor of two threads: " + line)
        return names[task, thread]

    for number, line in enumerate(lines[1:], 2):
        if line.startswith("c:") or line.startswith("#"):
            continue
        n = list(map(int, line.split(":")))
        rank, thread = place(*n[1:5])
        if n[5] < last or not 0 <= n[5] <= duration:
            fail("line %d: a time that falls, or outside" % number)
        last = n[5]
        if n[0] == 1:
            if len(n) != 8 or n[6] <= n[5] or n[6] > duration or n[5] < covered.get((rank, thread), 0) or n[7] not in states:
                fail("line %d: a state" % number)
            covered[rank, thread] = n[6]
        elif n[0] == 2:
            if len(n) < 8 or len(n) % 2:
                fail("line %d: an event" % number)
            stack_of_sample = []
            for kind, value in zip(n[6::2], n[7::2]):
                if kind not in types:
                    fail("line %d: a type without name" % number)
                label, values = types[kind]
                stack = stacks.setdefault((rank, thread, kind), [])
                start = [seconds(n[5]), rank, thread]
                if kind == 60000019 or 50000001 <= kind <= 50000005:
                    if value not in values:
                        fail("line %d: a value without name" % number)
                    if value:
                        stack.append(values[value])
                    elif not stack:
                        fail("line %d: an end too much" % number)
                    out.append((n[5], *start, "enter" if value else "leave", stack[-1] if value else stack.pop()))
                elif 30000000 <= kind < 30000100:
                    if value not in values or kind - 30000000 != len(stack_of_sample):
                        fail("line %d: a function" % number)
                    stack_of_sample.insert(0, values[value])
                elif kind == 70000001:
                    out.append((n[5], *start, "caller", values[value]))
                elif 10000000 <= kind < 11000000:
                    if value not in values:
                        fail("line %d: a payload without text" % number)
                    out.append((n[5], *start, "event", label[:label.index(" [")]))
                elif 11000000 <= kind < 12000000:
                    out.append((n[5], *start, "event", label[:label.index(" [")]))
                elif 12000000 <= kind < 13000000:
                    out.append((n[5], *start, "counter", label[:label.index(" [")]))
            if stack_of_sample:
                out.append((n[5], *start, "stack", ";".join(stack_of_sample)))
        elif n[0] == 3:
            if len(n) != 15:
                fail("line %d: a message" % number)
            to, to_thread = place(*n[7:11])
            for when in (n[6], n[11], n[12]):
                if not 0 <= when <= duration:
                    fail("line %d: a time outside" % number)
            tail = ["tag=%d" % n[14], "bytes=%d" % n[13]]
            out.append((n[5], seconds(n[5]), rank, thread, "send", "peer=%d" % to, *tail))
            out.append((n[12], seconds(n[12]), to, to_thread, "recv", "peer=%d" % rank, *tail))
        else:
            fail("line %d: no such record" % number)
    if any(stacks.values()):
        fail("a state does not end")
    if any(value not in states for value in colours if value < 1000):
        fail("a colour of no state")
    for record in sorted(out, key=lambda record: record[0]):
        print(*record[1:], sep="\t")


main()
