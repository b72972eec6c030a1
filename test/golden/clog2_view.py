#!/usr/bin/env python3
"""clog2_view.py FILE: a CLOG-2 file as MPE's clog2_print shows it. Written from the format and from such texts alone.

--compared: what two runs of a program have in common; FILE may be such a text. Times, what is random in the name of a
communicator, and the order in which processes are merged differ from run to run. So do the values of constants, which
are those of the MPI, and of clock shifts. Each record stays in its place among those of its process."""
import re
import struct
import sys

# The texts that we have show two of each; the other words are ours.
KINDS = {-1: "Unknown(-1)", 1: "IntraComm", 0: "InterComm", 2: "LocalIntraComm", 3: "RemoteIntraComm"}
MADE = {0: "CommWorldCreate", 1: "CommSelfCreate ", 10: "CommFree       ", 100: "CommIntraCreate",
        101: "LocalIntraComm ", 102: "RemoteIntraComm", 1000: "CommInterCreate"}
SIZES = {2: 136, 3: 128, 4: 64, 5: 32, 6: 64, 7: 48, 8: 40, 9: 72, 10: 72, 11: 32}


def text(field):
    return field.split(b"\0")[0].decode()


def uuid(raw):
    return "%d-%f-%s" % (*struct.unpack(">id", raw[:12]), text(raw[12:]))


def body(kind, b):
    """The words of a record after its type."""
    number = struct.unpack(">%di" % (len(b) // 4), b)
    if kind == 2:
        return "sdef state=%d s_et=%d e_et=%d color=%s name=%s fmt=%s" % (
            *number[:3], text(b[16:40]), text(b[40:72]), text(b[72:]))
    if kind == 3:
        return "edef et=%d color=%s name=%s fmt=%s" % (number[0], text(b[8:32]), text(b[32:64]), text(b[64:]))
    if kind == 4:
        return "cdef et=%d name=%s value=%d" % (number[0], text(b[8:]), number[1])
    if kind in (5, 6):
        return ("bare et=%d" if kind == 5 else "cago et=%d") % number[0]
    if kind == 7:
        return "msg  et=%s icomm=%d rank=%d tag=%d sz=%d" % ({-101: "send", -102: "recv"}[number[0]], *number[1:5])
    if kind == 9:
        return "comm et=%s icomm=%d rank=%d wrank=%d gcomm=%s" % (MADE[number[0]], *number[1:4], uuid(b[16:]))
    return "shft shift=%f" % struct.unpack(">d", b)


def view(data):
    """The lines of the whole text."""
    words = [w.decode() for w in data[:1024].rstrip(b"\0").split(b"\0")]
    values = dict(zip(words[1:29:2], words[2:30:2]))
    size, table = int(values["block_size="]), int(words[30]) * int(words[31]) + int(words[32])
    yield words[0]
    for title in ("is_big_endian", "is_finalized", "num_buffered_blocks", "block_size", "max_comm_world_size",
                  "max_thread_count", "known_eventID_start", "user_eventID_start", "known_solo_eventID_start",
                  "user_solo_eventID_start", "known_stateID_count", "user_stateID_count", "known_solo_eventID_count",
                  "user_solo_eventID_count"):
        yield "%s = %s" % (title, values[title.replace("finalized", "finalzed") + "="].strip())
    yield "commIDs_table_file_offset = %d" % table
    for at in range(table + 4, table + 4 + 40 * struct.unpack(">i", data[table:table + 4])[0], 40):
        number, kind = struct.unpack(">ii", data[at + 32:at + 40])
        yield "GID=%s LID=%d kind=%s" % (uuid(data[at:at + 32]), number, (KINDS[kind] + " ")[:11])
    for start in range(1024, table, size):
        at = start
        while True:
            time, comm, rank, thread, kind = struct.unpack(">diiii", data[at:at + 24])
            if kind < 2:
                break
            yield "ts=%f icomm=%d rank=%d thd=%d type=%s" % (time, comm, rank, thread,
                                                            body(kind, data[at + 24:at + SIZES[kind]]))
            at += SIZES[kind]


def compared(lines):
    """The lines to compare: the head, then each process's records; communicators are numbered in that order."""
    number, world, processes = {}, {}, {-1: []}
    for line in lines:
        line = re.sub(r"^ts=\S+ ", "", re.sub(r"(GID|gcomm)=\S+", r"\1=", line)).rstrip()
        head = re.match(r"icomm=(\d+) rank=(\d+) thd=\d+ type=(\w+)", line)
        made = re.search(r"type=comm et=\w+ +icomm=(\d+) rank=(\d+) wrank=(\d+)", line)
        if made:
            world[made.group(1), made.group(2)] = int(made.group(3))
        rank = world.get(head.groups()[:2], int(head.group(2))) if head else -1
        processes.setdefault(rank, []).append(re.sub(r"(shift|value)=\S+", r"\1=", line))
    for process in sorted(processes):
        for line in processes[process]:
            yield re.sub(r"icomm=(\d+)", lambda m: "icomm=" + str(number.setdefault(m.group(1), len(number))), line)


def main():
    with open(sys.argv[-1], "rb") as file:
        data = file.read()
    lines = list(view(data)) if b"\0" in data[:1024] else data.decode().splitlines()
    print("\n".join(compared(lines) if "--compared" in sys.argv else lines))


main()
