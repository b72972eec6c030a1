"""What pith analyze says of a damaged copy of a log is what it says of the same part of the whole log, or it says nothing.

    damaged_check.py make STEPS        prints a text log of four ranks: computing, a ring of messages, MPI_Allreduce
    damaged_check.py compare WHOLE     damages copies of the log in many places
    damaged_check.py members WHOLE TO  a copy in which the lists of members of communicators are damaged
"""
import json, random, struct, subprocess, sys

import text_log

RANKS = 4


def make(steps):
    """Each rank computes 40 to 60 us in each step, rank 1 20 us more."""
    chance = random.Random(7)
    records = []

    def put(ns, rank, *rest):
        records.append((ns, rank, len(records), text_log.line(ns, rank, 0, *rest)))

    now = [1000000 + rank for rank in range(RANKS)]
    for rank in range(RANKS):
        put(0, rank, "enter", "MPI_Init")
        put(now[rank], rank, "leave", "MPI_Init")
    for _ in range(steps):
        sends, ends = [], []
        for rank in range(RANKS):
            put(now[rank], rank, "enter", "solve")
            sends.append(now[rank] + 40000 + chance.randrange(20000) + (20000 if rank == 1 else 0))
            put(sends[rank], rank, "leave", "solve")
        for rank in range(RANKS):
            before = (rank - 1) % RANKS
            ends.append(max(sends[rank], sends[before]) + 1000)
            message = "comm=0", "tag=0", "bytes=100"
            put(sends[rank], rank, "enter", "MPI_Sendrecv")
            put(sends[rank], rank, "send", "", *message, "peer=%d" % ((rank + 1) % RANKS))
            put(ends[rank], rank, "recv", "", *message, "peer=%d" % before)
            put(ends[rank], rank, "leave", "MPI_Sendrecv")
        for rank in range(RANKS):
            put(ends[rank] + 200, rank, "enter", "MPI_Allreduce")
            put(ends[rank] + 200, rank, "coll", "", "comm=0", "bytes=8", "got_bytes=8", "root=-1")
            now[rank] = max(ends) + 1500 + rank * 10
            put(max(ends) + 1500, rank, "leave", "MPI_Allreduce")
    for rank in range(RANKS):
        put(now[rank], rank, "enter", "MPI_Finalize")
        put(max(now) + 100000, rank, "leave", "MPI_Finalize")
    print(text_log.comm(0, "MPI_COMM_WORLD", range(RANKS)))
    for record in sorted(records):
        print(record[3])


def analyze(log, *window):
    run = subprocess.run(["pith", "analyze", log, "--json", *window], capture_output=True, text=True)
    return json.loads(run.stdout) if run.stdout else None, run.stderr


def figures(a):
    """Of the time of all ranks: computing, each kind of waiting, and each cause."""
    all_ns = RANKS * (a["window"]["to_ns"] - a["window"]["from_ns"])
    shares = {"computing": sum(a["useful_ns"]) / all_ns}
    for wait in a["waits"]:
        shares[wait["kind"]] = shares.get(wait["kind"], 0) + wait["ns"] / all_ns
    for cause in a["delays"]:
        name = "%s on %d" % (cause["state"], cause["rank"])
        shares[name] = shares.get(name, 0) + (cause["direct_ns"] + cause["indirect_ns"]) / all_ns
    return shares


def judge(what, name, whole):
    """An answer must be right. A message must say what is missing. Returns what kind of answer it was."""
    got, message = analyze(name)
    bad = None
    if got is None:
        kind = "refused"
        if message.count("\n") < 1 or "missing" not in message and "nothing to analyse" not in message:
            bad = "refused with: " + message
    elif got["ranks_absent"] or got["ranks"] < RANKS:
        kind = "without ranks"
        page = subprocess.run(["pith", "analyze", name], capture_output=True, text=True).stdout
        if "counts as transfer" not in page:
            bad = "a page that does not say that ranks are missing"
    elif got["gaps"] == 0:
        kind = "whole"
        printed = subprocess.run(["pith", "print", name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if figures(got) != figures(whole) or message or printed.returncode != 0:
            bad = "other figures than the whole log's, or records that cannot be read"
    else:
        kind = "part"
        window = got["window"]
        same, _ = analyze(sys.argv[2], "--from", "%dns" % window["from_ns"], "--to", "%dns" % window["to_ns"])
        ours, right = figures(got), figures(same)
        worst = max(abs(ours.get(key, 0) - right.get(key, 0)) for key in {*ours, *right})
        if worst > 0.002 or not message or "damaged" not in message and "incomplete" not in message:
            bad = "%d to %d ns: %.4f off; %s" % (window["from_ns"], window["to_ns"], worst, message)
    if bad:
        print("not ok - %s: %s" % (what, bad))
    return kind, bad


def compare(name):
    data = open(name, "rb").read()
    whole, _ = analyze(name)
    size, kinds, bad = len(data), {}, 0

    def damage(what, *places, length=1, cut=None):
        nonlocal bad
        new = bytearray(data[:cut])
        for at in places:
            new[at:at + length] = bytes(255 - byte for byte in new[at:at + length]) if length == 1 else bytes(length)
        open("damaged.pith", "wb").write(new)
        kind, wrong = judge(what, "damaged.pith", whole)
        kinds[kind] = kinds.get(kind, 0) + 1
        bad += wrong is not None

    for i in range(1, 24):
        damage("a byte at %d/24" % i, size * i // 24)
    for i in range(1, 12):
        damage("cut at %d/12" % i, cut=size * i // 12)
    for i in range(1, 8):
        damage("4 KiB of zeros at %d/8" % i, size * i // 8, length=4096)
    damage("bytes at 1/5 and 1/2", size // 5, size // 2)
    damage("a byte at 1/4, cut at 2/3", size // 4, cut=size * 2 // 3)
    print("ok - all is right or said: %s" % ", ".join("%s %d" % item for item in sorted(kinds.items())) if not bad else "")
    print("ok - both occur" if kinds.get("part", 0) > 10 and kinds.get("without ranks", 0) > 1 else "not ok - %s" % kinds)


def damage_members(whole, to):
    """A META chunk has type 2; its payload begins after 32 bytes."""
    data = bytearray(open(whole, "rb").read())
    at = data.find(b"PChK\2\0")
    while at >= 0:
        data[at + 32 + struct.unpack_from("<Q", data, at + 8)[0] // 2] ^= 255
        at = data.find(b"PChK\2\0", at + 32)
    open(to, "wb").write(data)


if sys.argv[1] == "make":
    make(int(sys.argv[2]))
elif sys.argv[1] == "members":
    damage_members(*sys.argv[2:])
else:
    compare(sys.argv[2])
