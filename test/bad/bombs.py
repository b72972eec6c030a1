"""bombs.py KIND FILE - native logs whose check values all fit and that are made to cost as much memory as they can: by
formats/native/SPEC.md alone."""
import struct
import sys
import zlib

DEFS, META, EVENTS, INDEX, TABLE = 1, 2, 3, 4, 5
WHAT, TIME, DICT, SIZE, PAYLOAD, BYTES, OPEN = 3, 5, 2, 13, 14, 9, 1


def varint(n):
    out = bytearray()
    while n >= 0x80:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    return bytes(out) + bytes([n])


def string(s):
    return varint(len(s)) + s


def crc(data):
    return struct.pack("<I", zlib.crc32(data))


def deflate(data):
    z = zlib.compressobj(9, zlib.DEFLATED, -15)
    return z.compress(data) + z.flush()


def chunk(kind, payload, rank=0, own_crc=False):
    head = b"PChK" + struct.pack("<HHQi", kind, int(own_crc), len(payload), rank)
    head += struct.pack("<I", 0 if own_crc else zlib.crc32(payload)) + bytes(4)
    return head + crc(head) + payload + bytes(-len(payload) % 8)


def defs(names=(b"s",), properties=(), hosts=(b"",), comms=((0, b"MPI_COMM_WORLD", 0),)):
    out = bytearray(varint(0) + varint(len(names)))
    for name in names:
        out += varint(0) + string(name) + string(b"") + string(b"") + string(b"")
    out += varint(len(properties)) + b"".join(string(k) + string(v) for k, v in properties)
    out += varint(len(hosts)) + b"".join(string(h) for h in hosts)
    out += varint(len(comms))
    for key, name, size in comms:
        out += struct.pack("<Q", key) + string(name) + varint(size) + varint(0) + varint(0)
    return bytes(out)


def column(kind, raw, packed=None):
    body = deflate(raw) if packed is None else packed
    return struct.pack("<HHIII", kind, 1, len(body), len(raw), 0), body


def block(thread, count, columns, kinds=1 << 3, events=None, first=0, last=0):
    head = struct.pack("<IIqqQQII", thread, count, first, last, 0, 1, kinds, len(columns))
    head += struct.pack("<III", 0, count if events is None else events, 0)
    return head.ljust(96, b"\0") + b"".join(c[0] for c in columns) + b"".join(c[1] for c in columns)


class Log:
    """Ranks with lanes with one block each, or none."""

    def __init__(self, defs_payload):
        head = b"\x89Pith\r\n\x1a" + struct.pack("<IIIIQ", 1, 64, 0, 0, 0)
        head = head.ljust(60, b"\0")
        self.out = [head + crc(head)]
        self.at = 64
        self.defs = self.put(chunk(DEFS, defs_payload))
        self.entries = []
        self.records = self.lanes = self.end = 0

    def put(self, data):
        at = self.at
        self.out.append(data)
        self.at += len(data)
        return at

    def rank(self, rank, lanes, host=0):
        """lanes: (thread, name, payload of its block or None, records)."""
        base = self.at
        blocks, entries, names = [], [], []
        for thread, name, payload, records in lanes:
            entry = struct.pack("<IIqq5QII", thread, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)
            if payload is not None:
                whole = chunk(EVENTS, payload, rank)
                at = self.put(whole)
                last = struct.unpack_from("<q", payload, 16)[0]
                self.end = max(self.end, last)
                one = struct.pack("<QqqIII", at, 0, last, records, struct.unpack_from("<I", payload, 40)[0], len(whole))
                blocks.append(one + crc(one))
                entry = struct.pack("<IIqq5QII", thread, 1, 0, last, records, 0, records, 0, 0, 0, 0)
            entries.append(entry)
            names.append(string(name))
            self.records += records
        self.lanes += len(entries)
        body = b"".join(entries) + b"".join(names)
        size = 32 + 8 + len(body) + 4
        size += -size % 8
        front = struct.pack("<IIIIQQ", len(entries), 0, 1, 0, size, 0) + struct.pack("<II", 0, 0) + body
        front = front.ljust(size - 4, b"\0")
        index = chunk(INDEX, front + crc(front) + b"".join(blocks), rank, True)
        at = self.put(index)
        entry = struct.pack("<iIQQQQqqQIII", rank, len(entries), base, at, len(index),
                            sum(l[3] for l in lanes), 0, 0, 1, host, 0, 0)
        self.entries.append(entry + crc(entry))

    def write(self, path):
        payload = struct.pack("<I", len(self.entries)).ljust(32, b"\0") + b"".join(self.entries)
        table = self.put(chunk(TABLE, payload, 0, True))
        foot = b"PithFoot" + struct.pack("<IIQQ", 1, len(self.entries), self.defs, table)
        foot += struct.pack("<QQQQQQqq", self.records, 0, self.records, 0, 0, self.lanes, 0, self.end)
        foot = foot.ljust(124, b"\0")
        self.put(foot + crc(foot))
        with open(path, "wb") as file:
            file.write(b"".join(self.out))


def one_event(raw):
    """A block of one event with `raw` bytes of payload, most of them in the column behind it."""
    zeros = deflate(bytes(raw))
    head = struct.pack("<HHIII", PAYLOAD, 1, len(zeros), raw, 0), zeros
    return [column(WHAT, b"\0"), column(TIME, b"\0"), column(DICT, bytes([3, 0])), column(SIZE, varint(1)), head]


def payload_bomb(log, lanes, raw):
    columns = one_event(raw)
    log.rank(0, [(t, b"", block(t, 1, columns), 1) for t in range(lanes)])


def records_bomb(log, lanes, count):
    columns = [column(WHAT, bytes(count)), column(TIME, bytes(count)), column(DICT, bytes([3, 0])),
               column(SIZE, bytes(count))]
    columns += [column(k, bytes(count * 10)) for k in (4, 6, 7, 8, 9, 10, 11, 12, 15)]
    log.rank(0, [(t, b"", block(t, count, columns), count) for t in range(lanes)])


def make(kind, path):
    if kind == "payloads":  # 16 lanes whose payloads unpack to 128 MiB each
        log = Log(defs())
        payload_bomb(log, 16, 1 << 27)
    elif kind == "payload":
        log = Log(defs())
        payload_bomb(log, 1, 1 << 28)
    elif kind == "lanes-payloads":  # the same of what a writer of Pith's might have made, in many lanes
        log = Log(defs())
        payload_bomb(log, 300, 1 << 22)
    elif kind == "records":
        log = Log(defs())
        records_bomb(log, 16, 1 << 20)
    elif kind == "lanes":  # 300,000 lanes of one rank
        log = Log(defs())
        log.rank(0, [(t, b"", None, 0) for t in range(300000)])
    elif kind == "lanes-used":  # with an event each
        log = Log(defs())
        columns = one_event(1)
        log.rank(0, [(t, b"", block(t, 1, columns), 1) for t in range(300000)])
    elif kind == "ranks":  # 300,000 ranks of a lane
        log = Log(defs())
        for rank in range(300000):
            log.rank(rank, [(0, b"", None, 0)])
    elif kind == "far":  # numbers of ranks and threads as high as they can be
        log = Log(defs())
        columns = one_event(1)
        for rank in (0, 1000000, 2**31 - 1):
            log.rank(rank, [(t, b"", block(t, 1, columns), 1) for t in (0, 7, 2**32 - 1)])
    elif kind == "name":  # a state's, an event's, a host's, a lane's, a property's
        long = b"n" * (50 << 20)
        log = Log(defs(names=(long,)))
        log.rank(0, [(0, b"", block(0, 1, one_event(1)), 1)])
    elif kind == "other-names":
        long = b"n" * (20 << 20)
        log = Log(defs(hosts=(b"", long), properties=((b"p", long),), comms=((0, long, 0),)))
        log.rank(0, [(0, long, block(0, 1, one_event(1)), 1)], 1)
    elif kind == "comms":  # communicators of sizes that nobody has the members of
        log = Log(defs(comms=((0, b"MPI_COMM_WORLD", 2**31 - 1),) + tuple((k, b"c", 2**31 - 1) for k in range(1, 2000))))
        log.rank(0, [(0, b"", block(0, 1, one_event(1)), 1)])
    elif kind == "definitions":
        log = Log(defs(names=[b"%d" % i for i in range(500000)]))
        log.rank(0, [(0, b"", block(0, 1, one_event(1)), 1)])
    else:
        sys.exit("no such kind: " + kind)
    log.write(path)


KINDS = "payload payloads lanes-payloads records lanes lanes-used ranks far name other-names comms definitions".split()

if __name__ == "__main__":
    if sys.argv[1:] == ["kinds"]:
        print(*KINDS)
    else:
        make(*sys.argv[1:])
