#!/usr/bin/env python3
"""clog2_make.py KIND OUT [ORDER BLOCK]: makes CLOG-2 files with what MPE and its users leave in them, from the description of the
format.

merged: big-endian, blocks of 512 bytes, every type of record: definitions behind their use and missing ones, threads,
payloads on states and events, a communicator, an intercommunicator, a time that falls. piece: what one process of a
program that died has left: little-endian, no end, no table, times not yet shifted. ORDER, big or little, and BLOCK: another byte order and size of
blocks than these.
"""
import struct
import sys

SIZES = {0: 24, 1: 24, 2: 136, 3: 128, 4: 64, 5: 32, 6: 64, 7: 48, 8: 40, 9: 72, 10: 72, 11: 32}


class Maker:
    def __init__(self, order, block):
        self.order, self.size, self.blocks, self.now, self.time = order, block, [], b"", 0.0

    def pack(self, form, *values):
        return struct.pack(self.order + form, *values)

    def head(self, kind, comm=0, rank=0, thread=0):
        return self.pack("diiii", self.time, comm, rank, thread, kind)

    def put(self, kind, line, body=b"", step=1e-6):
        if len(self.now) + SIZES[kind] + 24 >= self.size:
            self.end(1)
        self.time += step
        record = self.head(kind, *line) + body
        self.now += record.ljust(SIZES[kind], b"\xee")

    def end(self, kind):
        if kind == 0:
            self.time = 1e8
        self.now += self.head(kind)
        self.blocks.append(self.now.ljust(self.size, b"\xdd"))
        self.now = b""

    def text(self, value, size):
        return value.encode().ljust(size, b"\0")

    def state(self, number, start, end, colour, name, form=""):
        self.put(2, (0, 0, 0), self.pack("iii", number, start, end) + b"\xee" * 4 + self.text(colour, 24) +
                 self.text(name, 32) + self.text(form, 40))

    def solo(self, number, colour, name, form=""):
        self.put(3, (0, 0, 0), self.pack("i", number) + b"\xee" * 4 + self.text(colour, 24) + self.text(name, 32) +
                 self.text(form, 40))

    def event(self, line, number, cargo=None, step=1e-6):
        body = self.pack("i", number) + b"\xee" * 4
        self.put(5, line, body, step) if cargo is None else self.put(6, line, body + cargo.ljust(32, b"\0"), step)

    def message(self, line, kind, comm, rank, tag, size):
        self.put(7, line, self.pack("iiiii", kind, comm, rank, tag, size))

    def comm(self, line, kind, number, rank, world, uuid=(0, 0.0, "")):
        self.put(9, line, self.pack("iiii", kind, number, rank, world) + self.pack("id", *uuid[:2]) +
                 self.text(uuid[2], 20))

    def preamble(self, big, final, table, threads=2, ranks=3):
        words = ["CLOG-02.44", "is_big_endian=", big, "is_finalzed=", final, "block_size=", self.size,
                 "num_buffered_blocks=", 128, "max_comm_world_size=", ranks, "max_thread_count=", threads,
                 "known_eventID_start=", 0, "user_eventID_start=", 600, "known_solo_eventID_start=", -10,
                 "user_solo_eventID_start=", 5000, "known_stateID_count=", 300, "user_stateID_count=", 2,
                 "known_solo_eventID_count=", 2, "user_solo_eventID_count=", 2, "commtable_fptr=", table >> 30, 1 << 30,
                 table % (1 << 30)]
        return b"".join(str(w).encode() + b"\0" for w in words).ljust(1024, b"\0")


def start(m, ranks):
    """What every process logs first."""
    for r in ranks:
        m.put(11, (0, r, 0), m.pack("d", -0.5 * r))
        m.comm((0, r, 0), 0, 0, r, r, (5, 1.5, "node0"))
        m.comm((0, r, 0), 1, 1 + r, 0, r, (6 + r, 2.5, "node%d" % r))


def merged(order=">", block=512):
    m = Maker(order, block)
    start(m, range(3))
    m.put(4, (0, 0, 0), m.pack("ii", -201, -2) + m.text("MPI_ANY_SOURCE", 32))
    m.event((0, 0, 0), -10)
    # Defined at the end; defined nowhere: known, of the user, solo.
    m.event((0, 0, 0), 600), m.event((0, 0, 1), 602), m.event((0, 0, 0), 601)
    m.event((0, 0, 1), 603), m.event((0, 1, 0), 154), m.event((0, 1, 0), 155), m.event((0, 1, 0), 5003)
    # Payloads: of an event with a format and without, of a state's start and end.
    m.event((0, 1, 0), 5000, struct.pack(">iH5s", 7, 5, b"hello"))
    m.event((0, 1, 0), 5001, b"\x01\x02\x03")
    m.event((0, 1, 0), 604, struct.pack(">q", 64)), m.event((0, 1, 0), 605, struct.pack(">q", 128))
    # An end without a start; a time that falls.
    m.event((0, 2, 0), 601)
    m.event((0, 2, 0), 600, step=4e-6), m.event((0, 2, 0), 600, step=-2e-6), m.event((0, 2, 0), 601, step=3e-6)
    # A communicator in another order, two of its messages, its collective, its end.
    for rank, world in ((0, 2), (1, 0)):
        m.comm((0, world, 0), 100, 4, rank, world, (99, 3.5, "node2"))
    m.message((4, 0, 0), -101, 4, 1, 17, 1000), m.message((4, 1, 0), -102, 4, 0, 17, 1000)
    m.put(8, (4, 1, 0), m.pack("iii", 1, 0, 256))
    m.put(10, (4, 1, 0), m.pack("ii", 3, 4) + m.text("file.c", 40))
    m.comm((4, 0, 0), 10, -999999999, -1, -1)
    # An intercommunicator of {0} and {1, 2}: itself, the own group, the other one.
    for world, rank, own, other in ((0, 0, 6, 7), (1, 0, 7, 6), (2, 1, 7, 6)):
        m.comm((0, world, 0), 1000, 5, rank, world, (55, 4.5, "node0"))
        m.comm((0, world, 0), 101, own, rank, world, (own, 4.5, "node0"))
        m.comm((0, world, 0), 102, other, -1, world, (other, 4.5, "node0"))
    m.message((6, 0, 0), -101, 7, 1, 3, 8), m.message((7, 1, 0), -102, 6, 0, 3, 8)
    # To a process that no communicator knows.
    m.message((9, 0, 0), -101, 9, 0, 1, 1), m.message((0, 0, 0), -101, 9, 5, 1, 1)
    m.state(300, 600, 601, "red:gray3", "compute")
    m.state(302, 604, 605, "no such colour", "", "bytes=%l")
    m.solo(5000, "SeaGreen", "hello", "n=%d text=%s"), m.solo(5001, "white", "bytes")
    m.solo(-10, "red", "MPE_Comm_init")
    m.end(0)
    table = 1024 + block * len(m.blocks)
    entries = b"".join(struct.pack(order + "id20sii", 5 + i, 1.5, b"node0", i, 1) for i in range(8))
    big = "TRUE " if order == ">" else "FALSE"
    return m.preamble(big, "TRUE ", table) + b"".join(m.blocks) + struct.pack(order + "i", 8) + entries


def piece(order="<", block=1024):
    m = Maker(order, block)
    m.put(11, (0, 1, 0), m.pack("d", 0.25))
    m.comm((0, 1, 0), 0, 0, 1, 1, (5, 1.5, "node0")), m.comm((0, 1, 0), 1, 1, 0, 1, (7, 2.5, "node1"))
    m.state(300, 600, 601, "red", "compute")
    for i in range(12):
        m.event((0, 1, 0), 600), m.event((0, 1, 0), 601)
    m.put(11, (0, 1, 0), m.pack("d", 0.5))
    m.message((0, 1, 0), -101, 0, 2, 1, 1)
    m.event((0, 1, 0), 600)
    return m.preamble("TRUE " if order == ">" else "FALSE", "FALSE", 0) + b"".join(m.blocks) + m.now + m.head(5)[:20]


with open(sys.argv[2], "wb") as out:
    form = [{"big": ">", "little": "<"}[sys.argv[3]], int(sys.argv[4])] if len(sys.argv) > 3 else []
    out.write({"merged": merged, "piece": piece}[sys.argv[1]](*form))
