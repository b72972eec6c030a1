#!/usr/bin/env python3
"""perfetto_dump.py FILE: what a Perfetto trace holds, read by the encoding's rules alone: a line each for what happens,
as `pith print` has it: seconds, rank, thread, kind, name; call and return of a sample's functions; then the flows. Fails when slices are not nested, times of a
track fall, a name or track was not told of before, or a flow has not two ends."""
import re
import struct
import sys


def varint(b, p):
    v = shift = 0
    while True:
        v |= (b[p] & 127) << shift
        p += 1
        if b[p - 1] < 128:
            return v, p
        shift += 7


def signed(v):
    return v - 2**64 if v >= 2**63 else v


def fields(b):
    p = 0
    while p < len(b):
        key, p = varint(b, p)
        kind = key & 7
        if kind == 0:
            v, p = varint(b, p)
        elif kind == 1:
            v, p = b[p:p + 8], p + 8
        else:
            assert kind == 2, kind
            size, p = varint(b, p)
            v, p = b[p:p + size], p + size
            assert len(v) == size
        yield key >> 3, v


def message(b):
    m = {}
    for field, v in fields(b):
        m.setdefault(field, []).append(v)
    return m


names, categories, notes, tracks, stacks, last, flows, counters, lines = {}, {}, {}, {}, {}, {}, {}, {}, []
pids = {}


def intern(m):
    for field, table in (1, categories), (2, names), (3, notes):
        for one in m.get(field, []):
            one = message(one)
            table[one[1][0]] = one[2][0].decode()


def describe(m):
    uuid = m[1][0]
    assert uuid not in tracks
    if 3 in m:
        process = message(m[3][0])
        pids[process[1][0]] = int(re.match(r"rank (\d+)", process[6][0].decode()).group(1))
        tracks[uuid] = ("process",)
    elif 4 in m:
        assert m[5][0] in tracks
        thread = message(m[4][0])
        name = thread[5][0].decode()
        rank = pids[thread[1][0]]
        number = sum(t[0] == "thread" and t[1] == rank for t in tracks.values())
        tracks[uuid] = ("thread", rank, number, name)
        stacks[uuid] = []
    elif 8 not in m:
        assert m[2] == [b"functions (samples)"]
        tracks[uuid] = ("functions", *tracks[m[5][0]][1:3])
        stacks[uuid] = []
    else:
        assert tracks[m[5][0]][0] == "thread"
        tracks[uuid] = ("counter", *tracks[m[5][0]][1:3], m[2][0].decode())


def happen(ns, m):
    track, kind = m[11][0], m[9][0]
    what, rank, thread, *rest = tracks[track]
    text = names[m[10][0]] if 10 in m else rest[0] if what == "counter" else None
    assert kind == 4 or ns >= last.get(track, 0) or 47 in m or 48 in m
    if what == "functions":
        if kind == 1:
            stacks[track].append(m[23][0].decode())
            lines.append((ns, rank, thread, "call", stacks[track][-1]))
        else:
            assert kind == 2
            lines.append((ns, rank, thread, "return", stacks[track].pop()))
        last[track] = ns
    elif kind == 1:
        assert categories[m[3][0]]
        stacks[track].append(text)
        lines.append((ns, rank, thread, "enter", text))
        last[track] = ns
    elif kind == 2:
        lines.append((ns, rank, thread, "leave", stacks[track].pop()))
        last[track] = ns
    elif kind == 3 and (47 in m or 48 in m):
        said = {notes[a[1][0]]: a[3][0] if 3 in a else signed(a[4][0]) for a in map(message, m[4])}
        sent = 47 in m
        flow = struct.unpack("<Q", m[47 if sent else 48][0])[0]
        flows.setdefault(flow, {})["sent" if sent else "received"] = (ns, rank, said["peer"], said["tag"], said["bytes"])
    elif kind == 3:
        lines.append((ns, rank, thread, "event", text))
    else:
        assert kind == 4 and what == "counter"
        lines.append((ns, rank, thread, "counter", "%s=%g" % (text, struct.unpack("<d", m[44][0])[0])))


for field, packet in fields(open(sys.argv[1], "rb").read()):
    assert field == 1
    packet = message(packet)
    assert packet[10] == [1] and packet[13][0] & 2
    if 12 in packet:
        assert packet[13][0] & 1 and not tracks
        intern(message(packet[12][0]))
    elif 60 in packet:
        describe(message(packet[60][0]))
    else:
        happen(packet[8][0], message(packet[11][0]))
assert not any(stacks.values())
for ns, rank, thread, kind, name in lines:
    print("%.9f\t%d\t%d\t%s\t%s" % (ns / 1e9, rank, thread, kind, name))
for flow, ends in sorted(flows.items(), key=lambda item: item[1]["sent"]):
    a, b = ends["sent"], ends["received"]
    assert a[2] == b[1] and b[2] == a[1] and a[3:] == b[3:]
    print("%.9f\t%d\tto\t%d\t%.9f\ttag=%d\tbytes=%d" % (a[0] / 1e9, a[1], b[1], b[0] / 1e9, *a[3:]))
