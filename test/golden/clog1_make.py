#!/usr/bin/env python3
"""clog1_make.py BLOCK ORDER OUT [RECORDS]: makes a CLOG file with what MPE 1 and its users leave in it, from the
description of the format: blocks of BLOCK bytes, ORDER big or little. Every type of record, definitions behind their use
and missing ones, a time that falls, a communicator, an end without a start. RECORDS: that many more, states and
messages in turn."""
import struct
import sys

BODIES = {1: 32, 2: 24, 3: 24, 4: 16, 5: 24, 6: 56, 7: 48, 8: 8}


class Maker:
    def __init__(self, order, block):
        self.order, self.size, self.blocks, self.now, self.time = order, block, [], b"", 0.0

    def pack(self, form, *values):
        return struct.pack(self.order + form, *values)

    def put(self, kind, process, body, step=1e-6):
        size = 24 + BODIES[kind]
        if len(self.now) + size + 24 > self.size:
            self.end(-1)
        self.time += step
        self.now += (self.pack("diiii", self.time, kind, size // 8, process, -1) + body).ljust(size, b"\0")

    def end(self, kind):
        time = 1e6 if kind == -2 else self.time
        self.now += self.pack("diiii", time, kind, 3, 0, 0)
        self.blocks.append(self.now.ljust(self.size, b"\xdd"))
        self.now = b""

    def text(self, value, size):
        return value.encode().ljust(size, b"\0")

    def event(self, process, number, data=0, string="", step=1e-6):
        self.put(1, process, self.pack("iiii", number, data, 901, 0) + self.text(string, 16), step)

    def state(self, number, start, end, colour, name):
        self.put(6, 0, self.pack("iiii", number, start, end, 0) + self.text(colour, 24) + self.text(name, 16))


def everything(m):
    for p in range(3):
        m.put(7, p, m.pack("ii", 900, 291) + m.text("mpe_log.c", 40))
        m.put(8, p, m.pack("d", 0.25 * p))
        m.put(4, p, m.pack("iiii", 101, -1, 91, 900))
    m.event(0, -201, -2, "MPI_ANY_SOURCE")
    # Defined at the end; by the wrapper's numbers (Send is 161, 162); the user's first pair; nowhere.
    m.event(0, 500, 0, "start"), m.event(0, 501, 7, "end"), m.event(1, 11, 1), m.event(1, 12, 2)
    m.event(1, 161, 1), m.event(1, 162, 2), m.event(2, 504), m.event(2, 505), m.event(2, 9999, 5)
    m.event(1, 600, 0, "fifteen letters"), m.event(1, 601, -1), m.event(1, 602), m.event(2, 603)
    # Messages; to nobody; with no sizes.
    m.event(0, -101, 1, "17 1000"), m.event(1, -102, 0, "17 1000"), m.event(1, -101, 2, "-1 2147483647")
    m.event(0, -101, -1, "1 1"), m.event(0, -101, 2, "")
    # One end, another start; an end alone; a time that falls.
    m.event(2, 700), m.event(2, 701), m.event(2, 702), m.event(2, 501)
    m.event(1, 500, step=4e-6), m.event(1, 500, step=-2e-6), m.event(1, 501, step=3e-6)
    # Records of messages and collectives, of states and alone.
    m.put(2, 0, m.pack("iiiiii", 161, 3, 1, 91, 64, 901)), m.put(2, 0, m.pack("iiiiii", 162, 3, 1, 91, 64, 901))
    m.put(2, 1, m.pack("iiiiii", 800, 4, 0, 91, 65, 901))
    m.put(4, 1, m.pack("iiii", 103, 91, 95, 901)), m.put(4, 2, m.pack("iiii", 103, 91, 95, 901))
    m.put(3, 1, m.pack("iiiii", 13, 2, 95, 256, 901)), m.put(3, 1, m.pack("iiiii", 14, 2, 95, 256, 901))
    m.put(3, 2, m.pack("iiiii", 801, -1, 91, 8, 901)), m.put(4, 2, m.pack("iiii", 106, 95, -1, 901))


def definitions(m):
    m.state(200, 500, 501, "red:gray3", "compute"), m.state(205, 11, 12, "yellow:dimple3", "BARRIER")
    m.state(206, 700, 701, "no such colour", "first"), m.state(207, 701, 702, "", "")
    for number, name in ((600, "mark"), (601, "with data"), (602, "plain"), (603, "mark")):
        m.put(5, 0, m.pack("ii", number, 0) + m.text(name, 16))


m = Maker(">" if sys.argv[2] == "big" else "<", int(sys.argv[1]))
everything(m)
for i in range(int(sys.argv[4]) // 6 if len(sys.argv) > 4 else 0):
    p = i % 3
    m.event(p, 500), m.event(p, -101, (p + 1) % 3, "%d 8" % i), m.event(p, 501)
    m.event((p + 1) % 3, 155, i), m.event((p + 1) % 3, -102, p, "%d 8" % i), m.event((p + 1) % 3, 156, i)
definitions(m)
m.end(-2)
with open(sys.argv[3], "wb") as out:
    out.write(b"".join(m.blocks))
