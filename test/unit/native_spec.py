#!/usr/bin/env python3
"""A reader of native logs written from formats/native/SPEC.md alone: prints each record, lane by lane, tab-separated.
It shares no code with Pith, so that specification and program keep each other honest."""
import struct
import sys
import zlib

KINDS = "enter leave event counter send recv coll comm_create comm_free pause resume lost".split()


def varint(b, p):
    v = shift = 0
    while True:
        v |= (b[p] & 127) << shift
        shift += 7
        p += 1
        if b[p - 1] < 128:
            return v, p


def zigzag(v):
    return v >> 1 if v % 2 == 0 else -(v >> 1) - 1


def string(b, p):
    n, p = varint(b, p)
    return b[p:p + n].decode(), p + n


def chunk(data, at):
    magic, kind, flags, size, rank, crc, _, head_crc = struct.unpack_from("<4sHHQiIII", data, at)
    assert magic == b"PChK" and at % 8 == 0 and zlib.crc32(data[at:at + 28]) == head_crc
    payload = data[at + 32:at + 32 + size]
    assert flags & 1 or zlib.crc32(payload) == crc
    return kind, rank, payload


def unhuffman(b, count):
    low, high = b[0], b[1]
    lengths = [b[2 + (i - low) // 2] >> 4 * ((i - low) % 2) & 15 if low <= i <= high else 0 for i in range(256)]
    at = 2 + (high - low) // 2 + 1
    codes, code = {}, 0
    for n in range(1, 12):
        for symbol in range(256):
            if lengths[symbol] == n:
                codes[n, code] = symbol
                code += 1
        code <<= 1
    sizes = struct.unpack_from("<3I", b, at)
    out, at = bytearray(), at + 12
    for part in range(4):
        end = at + sizes[part] if part < 3 else len(b)
        upto = min((count + 3) // 4 * (part + 1), count)
        n = code = 0
        for byte in b[at:end]:
            for k in range(8):
                n, code = n + 1, code << 1 | byte >> k & 1
                if (n, code) in codes and len(out) < upto:
                    out.append(codes[n, code])
                    n = code = 0
        assert len(out) == upto
        at = end
    return bytes(out)


def columns(p):
    count = struct.unpack_from("<I", p, 44)[0]
    at, out = 96 + 16 * count, {}
    for i in range(count):
        kind, coding, stored, raw = struct.unpack_from("<HHII", p, 96 + 16 * i)
        b = p[at:at + stored]
        at += stored
        out[kind] = b if coding == 0 else zlib.decompress(b, -15) if coding == 1 else unhuffman(b, raw)
        assert len(out[kind]) == raw
    return out


class Column:
    def __init__(self, b):
        self.b, self.p = b, 0

    def varint(self):
        v, self.p = varint(self.b, self.p)
        return v

    def signed(self):
        return zigzag(self.varint())

    def take(self, n):
        self.p += n
        return self.b[self.p - n:self.p]


def states(c):
    """The numbers of the states in a column."""
    out = []
    while c.p < len(c.b):
        out.append(c.varint())
        c.varint(), c.varint()
    return out


def enter_or_leave(stack, kind, number):
    if kind == 1:
        if len(stack) == 4096:
            del stack[64:64 + 2048]
        stack.append(number)
    elif kind == 2 and number in stack:
        del stack[len(stack) - 1 - stack[::-1].index(number)]


def block(p, comms, still):
    """`still`: the states open on the lane, those that ended in holes left out."""
    thread, count, first, last, before, unit, kinds, _ = struct.unpack_from("<IIqqQQII", p)
    cols = columns(p)
    c = {i: Column(cols.get(i, b"")) for i in range(1, 18)}
    on, place = {}, -1
    while c[15].p < len(c[15].b):
        place += 1 + c[15].varint()
        on[place] = c[15].varint()
    codes = []
    while c[2].p < len(c[2].b):
        codes.append((c[2].varint(), c[2].varint()))
    opened, count = states(c[1]), c[17].varint() if 17 in cols else None
    said = opened if count is None else states(c[17])
    assert said == still and count in (None, len(said))
    bits, at, time, expected = int.from_bytes(cols.get(6, b""), "little"), 0, first, 0
    for place, (what, size) in enumerate(zip(cols[3], cols[5])):
        low = max(0, (size - 4) // 4)
        step = size if size < 4 else ((4 + size % 4) << low) + (bits >> at & (1 << low) - 1)
        at += low
        time += step * unit
        kind, number = codes[what] if what < 255 else (c[4].varint(), c[4].varint())
        if kind == 13:
            kind, number = 2, opened[-1]
        enter_or_leave(opened, kind, number)
        enter_or_leave(still, kind, number)
        name = KINDS[kind - 1]
        out = [time, name, comms[number] if 5 <= kind <= 9 else number]
        if name in ("send", "recv", "coll"):
            out.append(c[7].signed())
        if name in ("send", "recv"):
            out.append(c[8].signed())
        if name in ("send", "recv", "coll", "lost"):
            out.append(c[9].varint())
        if name == "coll":
            out.append(c[10].varint())
        if name == "lost":
            out.append(c[16].varint() if c[16].p < len(c[16].b) else 0)
            del still[max(0, len(still) + 1 - max(1, out[-1])):]
        if name == "recv":
            out.append((expected + c[11].signed()) % 2**64)
            expected = out[-1] + 1
        if name == "counter":
            out.append(c[12].take(8).hex())
        if name == "event":
            out.append(c[14].take(c[13].varint()).hex())
        if place in on:
            assert kind <= 3 and on[place]
            out.append(f"on {comms[on[place]]}")
        yield out
    assert time == last and all(col.p == len(col.b) for i, col in c.items() if i not in (1, 3, 5, 6))


def descriptions(p, comms):
    """The rank's numbers of communicators and their keys, as its META chunks tell them."""
    at = 0
    while at < len(p):
        kind, at = varint(p, at)
        size, at = varint(p, at)
        if kind == 3:
            number, q = varint(p, at)
            comms[number] = struct.unpack_from("<Q", p, q)[0]
        at += size


def definitions(p):
    """Number of definitions, hosts, keys of communicators."""
    first, at = varint(p, 0)
    count, at = varint(p, at)
    assert first == 0
    for i in range(count):
        _, at = varint(p, at)
        for _ in range(4):
            _, at = string(p, at)
    properties, at = varint(p, at)
    for i in range(2 * properties):
        _, at = string(p, at)
    n, at = varint(p, at)
    hosts = []
    for i in range(n):
        host, at = string(p, at)
        hosts.append(host)
    n, at = varint(p, at)
    keys = []
    for i in range(n):
        keys.append(struct.unpack_from("<Q", p, at)[0])
        _, at = string(p, at + 8)
        for _ in range(3):
            _, at = varint(p, at)
    assert at == len(p) and hosts[0] == "" and keys[0] == 0
    return hosts, keys


class Log:
    """The bytes of a log in one or several files, by offset."""

    def __init__(self, path):
        self.files = [open(path, "rb").read()]
        number, count, ident = struct.unpack_from("<IIQ", self.files[0], 16)
        assert number == 0
        for i in range(count):
            self.files.append(open(f"{path}.{i + 1}", "rb").read())
            assert struct.unpack_from("<IIQ", self.files[-1], 16) == (i + 1, count, ident)

    def chunk(self, offset):
        return chunk(self.files[offset >> 48], offset & (1 << 48) - 1)


def rank_lanes(log, entry, hosts, keys):
    """(rank, thread, blocks' offsets, communicators, summary) of each lane of an entry of the rank table."""
    rank, lanes, _, index, size, records, _, _, pid, host, _, _, crc = struct.unpack("<iIQQQQqqQIIII", entry)
    assert zlib.crc32(entry[:76]) == crc and host < len(hosts)
    kind, owner, x = log.chunk(index)
    assert kind == 4 and owner == rank and len(x) == size - 32
    count, metas, numbers, _, front = struct.unpack_from("<IIIIQ", x)
    assert count == lanes and zlib.crc32(x[:front - 4]) == struct.unpack_from("<I", x, front - 4)[0]
    told = {}
    for m in range(metas):
        kind, owner, meta = log.chunk(struct.unpack_from("<Q", x, 32 + 8 * m)[0])
        assert kind == 2 and owner == rank
        descriptions(meta, told)
    at = 32 + 8 * metas
    comms = [keys[n] for n in struct.unpack_from(f"<{numbers}I", x, at)]
    assert comms == [told[n] for n in range(numbers)]
    at += (4 * numbers + 7) // 8 * 8
    name_at, list_at, total = at + 72 * lanes, front, 0
    sheet_at = front + 40 * sum(struct.unpack_from("<I", x, at + 72 * i + 4)[0] for i in range(lanes))
    for i in range(lanes):
        thread, blocks, _, _, n = struct.unpack_from("<IIqqQ", x, at + 72 * i)
        _, name_at = string(x, name_at)
        offsets = []
        for _ in range(blocks):
            assert zlib.crc32(x[list_at:list_at + 36]) == struct.unpack_from("<I", x, list_at + 36)[0]
            offsets.append(struct.unpack_from("<Q", x, list_at)[0])
            list_at += 40
        total += n
        sheets, path_bytes = struct.unpack_from("<II", x, at + 72 * i + 64)
        places = []
        for _ in range(sheets):
            assert zlib.crc32(x[sheet_at:sheet_at + 36]) == struct.unpack_from("<I", x, sheet_at + 36)[0]
            places.append(struct.unpack_from("<QqqII", x, sheet_at))
            sheet_at += 40
        paths = x[sheet_at:sheet_at + path_bytes]
        sheet_at += (path_bytes + 7) // 8 * 8
        yield rank, thread, offsets, comms, (places, paths)
    assert sheet_at == len(x) and total == records


def pieces_of(p, records):
    """Pieces of each level of a sheet, and where the exact sums begin."""
    levels, at = {}, 64
    for level in range(5, -1, -1):
        count = -(-records // (512 * 4**level))
        levels[level] = [struct.unpack_from("<I3H3BBH", p, at + 16 * i) for i in range(count)]
        at += 16 * count
        if level == 1:
            assert zlib.crc32(p[4:at]) == struct.unpack_from("<I", p)[0]
    return levels, at


def exact_sums(p, at, count):
    """Summed over the pieces: {definition: [count, own, all]}; their lengths and ties; is none inexact?"""
    sums, lengths, exact = {}, [], True
    for _ in range(count):
        length, at = varint(p, at)
        ties, at = varint(p, at)
        n, at = varint(p, at)
        exact = exact and n % 2 == 0
        lengths.append((length, ties))
        for _ in range(n // 2):
            definition, at = varint(p, at)
            sum = sums.setdefault(definition, [0, 0, 0])
            for k in range(3):
                v, at = varint(p, at)
                sum[k] += v
    assert at == len(p)
    return sums, lengths, exact


def sums_of(records):
    """The same from records (time, name, number ...)."""
    sums, stack, last, is_hole = {}, [], records[0][0], False
    for time, name, number, *more in records:
        for state in set(stack):
            sums[state][2] += (time - last) * (not is_hole)
        if stack:
            sums[stack[-1]][1] += (time - last) * (not is_hole)
        last = time
        is_hole = name == "lost" and more[1] > 0
        if is_hole:
            del stack[max(0, len(stack) + 1 - more[1]):]
        if name in ("enter", "event"):
            sums.setdefault(number, [0, 0, 0])[0] += 1
        if name == "enter":
            stack.append(number)
        if name == "leave" and number in stack:
            stack.reverse()
            stack.remove(number)
            stack.reverse()
    return sums


def check_summary(log, thread, records, places, paths):
    assert not places or zlib.crc32(paths[:-4]) == struct.unpack("<I", paths[-4:])[0]
    count, at = varint(paths, 0) if places else (1, 0)
    for i in range(1, count):
        parent, at = varint(paths, at)
        _, at = varint(paths, at)
        assert parent < i
    before, sums, exact = 0, {}, True
    for offset, start, end, size, n in places:
        kind, _, p = log.chunk(offset)
        assert kind == 6 and len(p) == size
        head = struct.unpack_from("<IIIQqqQ", p, 4)
        assert head[:2] == (thread, n) and head[3:6] == (before, start, end) and start == records[before][0]
        levels, at = pieces_of(p, n)
        for level, pieces in levels.items():
            for i, (step, a, b, c, x, y, z, events, first) in enumerate(pieces):
                mine = records[before + i * 512 * 4**level:before + min(n, (i + 1) * 512 * 4**level)]
                found = [r[2] for r in mine if r[1] == "event"]
                assert step == (mine[0][0] - start) // head[6] and max(a, b, c) < count and x >= y >= z and x > 0
                assert events == min(255, len(found)) and (not found or first == found[0])
        more, lengths, piece_exact = exact_sums(p, at, len(levels[3]))
        exact = exact and piece_exact
        at_ns = start
        for i, (length, ties) in enumerate(lengths):
            at_ns += length
            mine = records[before + i * 32768:before + min(n, (i + 1) * 32768)]
            assert ties == sum(r[0] == at_ns and r[1] in ("enter", "leave", "event") for r in mine)
        assert at_ns == end
        for definition, values in more.items():
            old = sums.setdefault(definition, [0, 0, 0])
            sums[definition] = [a + b for a, b in zip(old, values)]
        before += n
        assert end == (records[before] if before < len(records) else records[-1])[0]
    assert not places or before == len(records)
    assert not places or not exact or sums == {k: v for k, v in sums_of(records).items() if any(v)}


def main(path):
    log = Log(path)
    data = log.files[0]
    assert data[:8] == b"\x89Pith\r\n\x1a" and struct.unpack_from("<II", data, 8) == (1, 64)
    footer = data[-128:]
    magic, version, ranks, defs, table, records = struct.unpack_from("<8sIIQQQ", footer)
    assert magic == b"PithFoot" and version == 1 and zlib.crc32(footer[:124]) == struct.unpack_from("<I", footer, 124)[0]
    kind, _, p = log.chunk(defs)
    assert kind == 1
    hosts, keys = definitions(p)
    kind, _, p = log.chunk(table)
    assert kind == 5 and struct.unpack_from("<I", p)[0] == ranks
    seen = 0
    for i in range(ranks):
        for rank, thread, offsets, comms, summary in rank_lanes(log, p[32 + 80 * i:112 + 80 * i], hosts, keys):
            told, still = [], []
            for offset in offsets:
                kind, owner, b = log.chunk(offset)
                assert kind == 3 and owner == rank
                for out in block(b, comms, still):
                    seen += 1
                    told.append(out)
                    print(rank, thread, *out, sep="\t")
            check_summary(log, thread, told, *summary)
    assert seen == records


main(sys.argv[1])
