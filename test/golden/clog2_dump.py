#!/usr/bin/env python3
"""clog2_dump.py FILE: prints a CLOG-2 file, a record a line, and checks what strict readers want of it.

Written from the description of the format alone, so that it can disagree with formats/foreign/clog2. Rules that are broken
come as lines "BAD ..." and exit status 1: whole blocks, room for the end of a block, times that do not fall, a
definition of each number in use (before its first use, if the preamble does not have it in its ranges), a COMMEVT before anything on a line, no empty colour or name, strings that end inside their
fields, states open at most once on a line, the three records of an intercommunicator. --counts: how many records of
each type instead. --messages: the messages instead, between world ranks, paired as Jumpshot pairs them.
"""
import struct
import sys

SIZES = {0: 24, 1: 24, 2: 136, 3: 128, 4: 64, 5: 32, 6: 64, 7: 48, 8: 40, 9: 72, 10: 72, 11: 32}
TITLES = ("is_big_endian= is_finalzed= block_size= num_buffered_blocks= max_comm_world_size= max_thread_count= "
          "known_eventID_start= user_eventID_start= known_solo_eventID_start= user_solo_eventID_start= "
          "known_stateID_count= user_stateID_count= known_solo_eventID_count= user_solo_eventID_count= "
          "commtable_fptr=").split()
COMM_EVENTS = {0: "world", 1: "self", 10: "free", 100: "intra", 101: "local", 102: "remote", 1000: "inter"}
bad = []


def complain(text):
    bad.append(text)


def string(field, what, may_be_empty=True):
    if b"\0" not in field:
        complain(what + " does not end inside its field")
    text = field.split(b"\0")[0]
    if not text and not may_be_empty:
        complain(what + " is empty")
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        complain(what + " is cut inside a character")
        return repr(text)


def preamble(data):
    words = data[:1024].rstrip(b"\0").split(b"\0")
    words = [w.decode("ascii") for w in words]
    if "" in words or len(words) != 33:
        complain("preamble has %d words" % len(words))
    values = {}
    for i, title in enumerate(TITLES):
        if words[1 + 2 * i] != title:
            complain("preamble: %s where %s should be" % (words[1 + 2 * i], title))
        values[title[:-1]] = words[2 + 2 * i]
    values["table"] = int(words[30]) * int(words[31]) + int(words[32])
    return words[0], values


def uuid(raw):
    number, time = struct.unpack(">id", raw[:12])
    return "%d-%g-%s" % (number, time, raw[12:].rstrip(b"\0").decode("utf-8", "replace"))


class Checker:
    """What was defined and announced so far, and which states are open."""

    def __init__(self, values):
        self.values = values
        self.starts, self.ends, self.solos, self.lines, self.open = {}, {}, set(), {}, {}
        self.early = {}
        self.last = None
        self.inters, self.after, self.messages = {}, {}, []

    def time(self, t):
        if self.last is not None and t < self.last:
            complain("time falls from %.9f to %.9f" % (self.last, t))
        self.last = t

    def line(self, comm, rank, thread, what):
        if (comm, rank) not in self.lines:
            complain("%s on line (%d, %d) before its COMMEVT" % (what, comm, rank))
        if not 0 <= rank < int(self.values["max_comm_world_size"]):
            complain("%s: rank %d is not below max_comm_world_size" % (what, rank))
        if not 0 <= thread < int(self.values["max_thread_count"]):
            complain("%s: thread %d is not below max_thread_count" % (what, thread))

    def made(self, etype, number, rank, world):
        """A member of an intercommunicator writes three records: of it, of the member's group, of the other group. The
        ranks in a group are those of its members, so the member has no rank in the other group."""
        if etype in (101, 102):
            inter, last = self.after.pop(world, (None, None))
            if last != {101: 1000, 102: 101}[etype]:
                complain("process %d: a group is not behind its intercommunicator" % world)
            self.inters.setdefault(inter, set()).add(number)
            if len(self.inters[inter]) > 2:
                complain("intercommunicator %s has more than two groups" % inter)
            self.after[world] = (inter, etype)
        elif self.after.pop(world, (None, 102))[1] != 102:
            complain("process %d: an intercommunicator without its groups" % world)
        if etype == 1000:
            self.after[world] = (number, etype)
        if etype == 102:
            if rank != -1:
                complain("process %d has the rank %d in a group that it does not belong to" % (world, rank))
        elif self.lines.setdefault((number, rank), world) != world and etype != 1000:
            complain("rank %d of communicator %d is process %d and %d" %
                     (rank, number, self.lines[number, rank], world))

    def arrows(self):
        """The messages: a receive takes the first send of its tag between the same lines."""
        sends = {}
        for sender, receiver, tag, size in [m[1:] for m in self.messages if m[0] == -101]:
            sends.setdefault((sender, receiver, tag), []).append(size)
        for sender, receiver, tag, size in [m[1:] for m in self.messages if m[0] == -102]:
            if not sends.get((sender, receiver, tag)):
                complain("no send for the receive from %s at %s, tag %d" % (sender, receiver, tag))
                continue
            yield "%s -> %s tag=%d sz=%d" % (self.lines.get(sender), self.lines.get(receiver), tag,
                                             sends[sender, receiver, tag].pop(0))

    def event(self, comm, rank, thread, event):
        """A state must be open at most once on a line: then no order of pairing can be wrong."""
        key = (comm, rank, thread)
        first, solo = (int(self.values["user_%seventID_start" % kind]) for kind in ("", "solo_"))
        if event not in self.starts and event not in self.ends and event not in self.solos:
            self.early[event] = 1
        if event < 0 or event >= solo:
            if event >= solo + int(self.values["user_solo_eventID_count"]):
                complain("event %d is outside the preamble's ranges" % event)
            return
        if event >= first + 2 * int(self.values["user_stateID_count"]) and event in self.early:
            complain("event %d is not defined" % event)
        start = event in self.starts or event % 2 == 0 and event not in self.ends
        state = (key, event if start else self.ends.get(event, event - 1))
        if start:
            self.open[state] = self.open.get(state, 0) + 1
            if self.open[state] > 1:
                complain("state of event %d is open twice on line %s" % (event, key))
        else:
            if not self.open.get(state):
                complain("state of event %d ends on line %s where it is not open" % (event, key))
            self.open[state] = self.open.get(state, 0) - 1

    def late(self):
        """The numbers that have no definition at all, or one that is not what their use before it meant."""
        for event in self.early:
            if event not in self.starts and event not in self.ends and event not in self.solos:
                complain("event %d is not defined" % event)
            elif self.ends.get(event, event - 1) != event - 1 or event in self.starts and event % 2:
                complain("event %d is used before its definition" % event)


def body_text(kind, body, head, check):
    """The text of a record's body; the checks beside."""
    comm, rank, thread = head
    if kind == 2:
        state, start, end = struct.unpack(">iii", body[:12])
        colour, name = string(body[16:40], "colour", False), string(body[40:72], "name", False)
        check.starts[start], check.ends[end] = state, start
        if not (state < 300 and start == 2 * state or 300 <= state < 300 + int(check.values["user_stateID_count"])):
            complain("state %d with event %d is outside the preamble's ranges" % (state, start))
        return "sdef state=%d s_et=%d e_et=%d color=%s name=%s fmt=%s" % (state, start, end, colour, name,
                                                                         string(body[72:112], "format"))
    if kind == 3:
        event, = struct.unpack(">i", body[:4])
        check.solos.add(event)
        first = int(check.values["user_solo_eventID_start"])
        if not (event in (-10, -9) or first <= event < first + int(check.values["user_solo_eventID_count"])):
            complain("solo event %d is outside the preamble's ranges" % event)
        return "edef et=%d color=%s name=%s fmt=%s" % (event, string(body[8:32], "colour", False),
                                                      string(body[32:64], "name", False),
                                                      string(body[64:104], "format"))
    if kind == 4:
        return "cdef et=%d name=%s value=%d" % (struct.unpack(">i", body[:4])[0], string(body[8:40], "constant", False),
                                               struct.unpack(">i", body[4:8])[0])
    if kind in (5, 6):
        event, = struct.unpack(">i", body[:4])
        check.line(comm, rank, thread, "event")
        check.event(comm, rank, thread, event)
        return ("bare et=%d" % event) if kind == 5 else "cago et=%d bytes=%s" % (event, body[8:40].hex())
    if kind == 7:
        etype, other, partner, tag, size = struct.unpack(">iiiii", body[:20])
        check.line(comm, rank, thread, "message")
        if etype not in (-101, -102) or size < 0:
            complain("message of type %d and size %d" % (etype, size))
        name, ends = {-101: "send", -102: "recv"}.get(etype), [(comm, rank), (other, partner)]
        check.messages.append([etype] + ends[::1 if etype == -101 else -1] + [tag, size])
        return "msg et=%s icomm=%d rank=%d tag=%d sz=%d" % (name, other, partner, tag, size)
    if kind == 9:
        etype, number, in_rank, world = struct.unpack(">iiii", body[:16])
        if etype == 10:
            check.line(comm, rank, thread, "free")
        else:
            check.line(0, world, thread, "comm") if etype else None
            check.made(etype, number, in_rank, world)
        return "comm et=%s icomm=%d rank=%d wrank=%d gcomm=%s" % (COMM_EVENTS.get(etype, etype), number, in_rank, world,
                                                                 uuid(body[16:48]))
    if kind == 11:
        return "shft shift=%.9f" % struct.unpack(">d", body)[0]
    complain("record type %d is never in a merged log" % kind)
    return "type=%d" % kind


def blocks(data, values, check):
    size, at, ended = int(values["block_size"]), 1024, False
    if (values["table"] - 1024) % size:
        complain("the table does not stand behind whole blocks")
    while at < values["table"]:
        end, p = at + size, at
        while True:
            t, comm, rank, thread, kind = struct.unpack(">diiii", data[p:p + 24])
            if kind in (0, 1):
                break
            if kind not in SIZES or p + SIZES[kind] + 24 >= end:
                complain("record of type %d at byte %d does not fit its block" % (kind, p))
                return
            check.time(t)
            yield kind, "%.9f %d %d %d %s" % (t, comm, rank, thread, body_text(kind, data[p + 24:p + SIZES[kind]],
                                                                             (comm, rank, thread), check))
            p += SIZES[kind]
        if data[p + 24:end].strip(b"\0"):
            complain("bytes behind the end of the block at %d" % at)
        ended = kind == 0
        if ended != (end == values["table"]) or ended and t != 1e8:
            complain("block at byte %d ends with type %d" % (at, kind))
        at = end


def main():
    counts, messages = "--counts" in sys.argv, "--messages" in sys.argv
    with open(sys.argv[-1], "rb") as file:
        data = file.read()
    version, values = preamble(data)
    out, number_of = [], {}
    said = ["%s=%s" % (k, v) for k, v in values.items() if k not in ("table", "commtable_fptr")]
    out.append(" ".join([version] + said))
    check = Checker(values)
    for kind, text in blocks(data, values, check):
        number_of[kind] = number_of.get(kind, 0) + 1
        out.append(text)
    check.late()
    at = values["table"]
    entries, = struct.unpack(">i", data[at:at + 4])
    for i in range(entries):
        raw = data[at + 4 + 40 * i:at + 44 + 40 * i]
        out.append("table %s lid=%d kind=%d" % ((uuid(raw[:32]),) + struct.unpack(">ii", raw[32:])))
    if at + 4 + 40 * entries != len(data):
        complain("%d bytes behind the table" % (len(data) - at - 4 - 40 * entries))
    if counts:
        out = ["%d %d" % (kind, number_of[kind]) for kind in sorted(number_of)]
    if messages:
        out = list(check.arrows())
    print("\n".join(out + ["BAD " + text for text in bad[:20]]))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
