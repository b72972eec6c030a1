#!/usr/bin/env python3
"""losses.py FORMAT BEFORE AFTER NOTES: whether the notes of a conversion account for all that it lost.

BEFORE and AFTER are what `pith print` gives of a log and of the log that was read back from FORMAT. Each note is a rule
that changes BEFORE, and says by its count how much it changes. When all rules were applied, BEFORE must be AFTER: a
difference without a note, a note without a difference and a wrong count are each a line."""
import collections
import re
import sys

import text_log

MESSAGES = ("send", "recv")
COLOURS = {"red": "#ff0000", "blue": "#0000ff", "yellow": "#ffff00", "white": "#ffffff", "sea green": "#2e8b57",
           "SeaGreen": "#2e8b57", "cyan": "#00ffff"}


class Log:
    def __init__(self, path):
        self.props, self.lanes, self.defs, self.comms, self.records = {}, [], [], [], []
        for line in open(path, encoding="utf-8"):
            cells = line.rstrip("\n").split("\t")
            fields = text_log.fields(cells[1:])
            what = cells[0][2:]
            if what == "property":
                self.props[fields["key"]] = fields["value"]
            elif what == "lane":
                self.lanes.append(fields)
            elif what in ("state", "event", "counter"):
                fields["colour"] = COLOURS.get(fields["colour"], fields["colour"])
                self.defs.append(dict(fields, kind=what))
            elif what == "comm":
                self.comms.append(fields)
            elif not line.startswith("#"):
                self.records.append(dict(text_log.fields(cells[5:]), time=text_log.ns(cells[0]), rank=cells[1], thread=cells[2], kind=cells[3],
                                         name=cells[4]))

    def drop(self, wanted):
        before = len(self.records)
        self.records = [r for r in self.records if not wanted(r)]
        return before - len(self.records)

    def edit(self, wanted, change):
        found = [r for r in self.records if wanted(r)]
        for r in found:
            change(r)
        return len(found)

    def by_lane(self):
        lanes = collections.defaultdict(list)
        for r in self.records:
            lanes[r["rank"], r["thread"]].append(r)
        return lanes

    def first_threads(self):
        first = {}
        for lane in self.lanes:
            first.setdefault(lane["rank"], lane["thread"])
        return first


def pairs(before, after):
    """Definitions of one that became those of the other: by name, what is left in order."""
    for kind in ("state", "event", "counter"):
        old = [d for d in before.defs if d["kind"] == kind]
        new = [d for d in after.defs if d["kind"] == kind]
        names = {d["name"] for d in old} & {d["name"] for d in new}
        named = {d["name"]: d for d in new if d["name"] in names}
        yield from ((d, named[d["name"]]) for d in old if d["name"] in names)
        yield from zip([d for d in old if d["name"] not in names], [d for d in new if d["name"] not in names])


def adopt(before, after, key, wanted=lambda old, new: True, kinds=("state", "event", "counter")):
    count = 0
    for old, new in pairs(before, after):
        if old["kind"] in kinds and old.get(key, "") != new.get(key, "") and wanted(old, new):
            old[key] = new.get(key, "")
            count += 1
    return count


# ---- Rules: of notes in the order in which they are applied; each gives how much it changed.

def moved(b, a, form):
    by = -min(r["time"] for r in b.records)
    b.edit(lambda r: True, lambda r: r.update(time=r["time"] + by))
    return by


def rounded(b, a, form):
    half = 500 if form == "alog" else 0
    return b.edit(lambda r: r["time"] % 1000, lambda r: r.update(time=(r["time"] + half) // 1000 * 1000))


def as_seconds(b, a, form):
    def read(time):
        return int(time / 1e9 * 1e9 + (-0.5 if time < 0 else 0.5))
    return b.edit(lambda r: read(r["time"]) != r["time"], lambda r: r.update(time=read(r["time"])))


def end_open(b, lane, records, time):
    """Ends the open states of a lane. Returns their number."""
    open_states = []
    for r in records:
        if r["kind"] == "enter":
            open_states.append(r["name"])
        elif r["kind"] == "leave":
            del open_states[text_log.innermost(open_states, r["name"])]
    for name in reversed(open_states):
        b.records.append({"time": time, "rank": lane[0], "thread": lane[1], "kind": "leave", "name": name})
    return len(open_states)


def broken(b, a, form):
    """Where a lane ends with a lost record, its open states end."""
    return sum(end_open(b, lane, records, records[-1]["time"]) for lane, records in b.by_lane().items()
               if records[-1]["kind"] == "lost")


def discarded(b, a, form):
    """The enter that would be the 4097th open state of its lane ends 2048, all but the outermost 64 and the newest."""
    count = 0
    for lane, records in b.by_lane().items():
        open_states = []
        for r in records:
            if r["kind"] == "leave" and r["name"] in open_states:
                del open_states[len(open_states) - 1 - open_states[::-1].index(r["name"])]
            if r["kind"] == "enter":
                for name in reversed(open_states[64:2112] if len(open_states) == 4096 else []):
                    b.records.append({"time": r["time"], "rank": lane[0], "thread": lane[1], "kind": "leave", "name": name})
                    count += 1
                open_states[64:2112] = [] if len(open_states) == 4096 else open_states[64:2112]
                open_states.append(r["name"])
    return count


def closed(b, a, form):
    end = max(r["time"] for r in b.records)
    return sum(end_open(b, lane, records, end) for lane, records in b.by_lane().items())


def unmatched(b, a, form):
    alone = []
    for records in b.by_lane().values():
        depth = collections.Counter()
        for r in records:
            depth[r["name"]] += {"enter": 1, "leave": -1}.get(r["kind"], 0)
            if r["kind"] == "leave" and depth[r["name"]] < 0:
                depth[r["name"]] = 0
                alone.append(id(r))
    return b.drop(lambda r: id(r) in alone)


def split(b, a, form):
    count, made = 0, []
    for records in b.by_lane().values():
        stack = []
        for r in records:
            again = []
            if r["kind"] == "enter":
                stack.append(r["name"])
            elif r["kind"] == "leave":
                while stack[-1] != r["name"]:
                    again.append(stack.pop())
                stack.pop()
            made += [dict(r, kind="leave", name=name) for name in again]
            made.append(r)
            made += [dict(r, kind="enter", name=name) for name in reversed(again)]
            stack += reversed(again)
            count += len(again)
    b.records = made
    return count


def no_partner(b, a, form):
    paths = collections.defaultdict(lambda: ([], []))
    for r in b.records:
        if r["kind"] in MESSAGES and r["peer"] != "-1":
            ends = (r["rank"], r["peer"]) if r["kind"] == "send" else (r["peer"], r["rank"])
            paths[r["comm"], ends, r["tag"]][r["kind"] == "recv"].append(id(r))
    alone = [r for sends, recvs in paths.values() for r in sends[len(recvs):] + recvs[len(sends):]]
    return b.drop(lambda r: id(r) in alone)


def no_rank(b, a, form):
    ranks = {lane["rank"] for lane in b.lanes}
    return b.drop(lambda r: r["kind"] in MESSAGES and r["peer"] != "-1" and r["peer"] not in ranks)


def posted(b, a, form):
    highest, count = collections.Counter(), 0
    for r in b.records:
        if r["kind"] == "recv":
            count += int(r["posted"]) < highest[r["rank"]]
            highest[r["rank"]] = max(highest[r["rank"]], int(r["posted"]) + 1)
    return count


def on_comm(b, a, form):
    b.edit(lambda r: r["kind"] == "leave", lambda r: r.pop("comm", None))
    return b.edit(lambda r: r["kind"] in ("enter", "event") and "comm" in r, lambda r: r.pop("comm"))


def of_world(b, a, form):
    return b.edit(lambda r: r["kind"] in MESSAGES and r["comm"] != "0" and r["peer"] != "-1",
                  lambda r: r.update(comm="0", name=b.comms[0]["name"]))


def first_lane(b, a, form):
    first = b.first_threads()
    return b.edit(lambda r: r["kind"] in MESSAGES and r["thread"] != first[r["rank"]],
                  lambda r: r.update(thread=first[r["rank"]]))


def nodes(b, a, form):
    place = {(lane["rank"], lane["thread"]): str(i) for i, lane in enumerate(b.lanes)}
    first = {rank: place[rank, thread] for rank, thread in b.first_threads().items()}
    for r in b.records:
        r.update(rank=place[r["rank"], r["thread"]], thread="0")
        if r["kind"] in MESSAGES:
            r["peer"] = first[r["peer"]]
    count = sum(lane["rank"] != str(i) or lane["thread"] != "0" for i, lane in enumerate(b.lanes))
    for i, lane in enumerate(b.lanes):
        lane.update(rank=str(i), thread="0")
    return count


def counters(b, a, form):
    before = len(b.defs)
    b.defs = [d for d in b.defs if d["kind"] != "counter"]
    return before - len(b.defs)


def unused(b, a, form):
    used = {r["name"] for r in ORIGINAL if r["kind"] in ("enter", "leave", "event", "counter")}
    before = len(b.defs)
    b.defs = [d for d in b.defs if d["name"] in used]
    return before - len(b.defs)


def dropped(*kinds):
    return lambda b, a, form: b.drop(lambda r: r["kind"] in kinds)


def payloads(b, a, form):
    return b.edit(lambda r: r["kind"] == "event" and "payload" in r, lambda r: r.pop("payload"))


def payloads_changed(b, a, form):
    count = 0
    old, new = b.by_lane(), a.by_lane()
    for lane in old:
        events = [[r for r in log[lane] if r["kind"] == "event"] for log in (old, new)]
        for before, after in zip(*events):
            if before.get("payload") != after.get("payload"):
                count += 1
                before["payload"] = after.get("payload", "")
    return count


def quotes(b, a, form):
    """Of definitions, lanes and payloads; records have the names of definitions."""
    count = 0
    for fields, key in [(d, "name") for d in b.defs + b.lanes] + [(r, "payload") for r in b.records if "payload" in r]:
        count += '"' in fields[key]
        fields[key] = fields[key].replace('"', "'")
    b.edit(lambda r: '"' in r["name"], lambda r: r.update(name=r["name"].replace('"', "'")))
    return count


def names(b, a, form):
    count, renamed = 0, {}
    for old, new in pairs(b, a):
        if old["name"] != new["name"]:
            renamed[old["kind"], old["name"]] = new["name"]
            old["name"] = new["name"]
            count += 1
    kind = {"enter": "state", "leave": "state", "event": "event", "counter": "counter"}
    b.edit(lambda r: (kind.get(r["kind"]), r["name"]) in renamed,
           lambda r: r.update(name=renamed[kind[r["kind"]], r["name"]]))
    for old, new in zip(b.lanes, a.lanes) if form == "alog" else ():
        if old["name"] != new["name"]:
            old["name"] = new["name"]
            count += 1
    return count


def lanes_lose(key):
    def rule(b, a, form):
        count = sum(lane[key] != "" for lane in b.lanes)
        for lane in b.lanes:
            lane[key] = ""
        return count
    return rule


def comms(b, a, form):
    count = len(b.comms) - 1
    b.comms, a.comms = b.comms[:1], a.comms[:1]
    return count


def members(b, a, form):
    ranks, count = {lane["rank"] for lane in b.lanes}, 0
    for comm in b.comms:
        there = [r for r in comm["ranks"].split(",") if r in ranks]
        count += int(comm["size"]) - len(there)
        comm.update(ranks=",".join(there), size=str(len(there)))
    return count


def cut_comms(b, a, form):
    renamed, hosts = {}, set()
    for old, new in zip(b.comms, a.comms):
        if old["name"] != new["name"]:
            renamed[old["comm"]] = old["name"] = new["name"]
    for old, new in zip(b.lanes, a.lanes):
        if old["host"] != new["host"]:
            hosts.add(old["rank"])
            old["host"] = new["host"]
    b.edit(lambda r: r["kind"] in MESSAGES + ("comm", "coll") and r["comm"] in renamed,
           lambda r: r.update(name=renamed[r["comm"]]))
    return len(renamed) + len(hosts)


def lost_comms(b, a, form):
    there, before = {c["comm"] for c in a.comms}, len(b.comms)
    b.comms = [c for c in b.comms if c["comm"] in there]
    return before - len(b.comms)


def lost_members(b, a, form):
    count = 0
    for old, new in zip(b.comms[1:], a.comms[1:]):
        there = [rank for rank in old["ranks"].split(",") if rank in new["ranks"].split(",")]
        count += int(old["size"]) - len(there)
        old.update(ranks=",".join(there), size=str(len(there)))
    return count


def unused_comms(b, a, form):
    used, before = {r["comm"] for r in b.records if r["kind"] in MESSAGES} | {"0"}, len(b.comms)
    b.comms = [c for c in b.comms if c["comm"] in used]
    return before - len(b.comms)


def comm_names(b, a, form):
    named = [c for c in b.comms[1:] if c["name"]]
    for comm in named:
        b.edit(lambda r: r.get("comm") == comm["comm"] and r["kind"] in MESSAGES, lambda r: r.update(name=""))
        comm["name"] = ""
    return len(named)


def properties(b, a, form):
    kept = {"program": b.props["program"]} if form == "paje" and "program" in b.props else {}
    count, b.props = len(b.props) - len(kept), kept
    return count


def stacks(b, a, form):
    names = [key for key in b.props if key.startswith("code ")]
    for key in names:
        del b.props[key]
    return sum(r["name"] in ("pith:sample", "pith:site") for r in b.records)


def sizes(b, a, form):
    return b.edit(lambda r: r["kind"] in MESSAGES and int(r["bytes"]) >= 1 << 31,
                  lambda r: r.update(bytes=str((1 << 31) - 1)))


RULES = [
    ("ends of states without a start are left out", unmatched),
    ("states end early: too many are open at once", discarded),
    ("states that end where records are missing are closed there", broken),
    ("states still open at the end are closed there", closed),
    ("ns: by so much all times are moved", moved),
    ("times are rounded to whole microseconds", rounded),
    ("times are rounded: seconds in doubles are exact for 50 days", as_seconds),
    ("ends of states that were not nested: the states inside are cut in two", split),
    ("receives ended before one posted earlier: the order of posting is not kept", posted),
    ("receives that got no message are left out", lambda b, a, form: b.drop(
        lambda r: r["kind"] == "recv" and r["peer"] == "-1")),
    ("ends of messages with (ranks that are not in the log|processes without a line) are left out", no_rank),
    ("sends to nobody left out", lambda b, a, form: b.drop(lambda r: r["kind"] == "send" and r["peer"] == "-1")),
    ("sends and receives of which the partner is not in the log are left out", no_partner),
    ("(sizes of messages|message sizes) of 2 GiB and more (are )?written as 2147483647", sizes),
    ("states and events on a communicator: that is left out", on_comm),
    ("ends of messages: their communicators are left out", of_world),
    ("ends of messages of other threads are written as of their rank's first lane", first_lane),
    ("collective operations: their bytes and roots are left out", dropped("coll")),
    ("records of communicators made and freed are left out", dropped("comm")),
    ("pauses and resumes are left out", dropped("pause", "resume")),
    ("records of lost records are left out", dropped("lost")),
    ("definitions of counters are left out", counters),
    ("definitions that no record uses are left out", unused),
    ("values of counters are left out", dropped("counter")),
    ("payloads of events are left out", payloads),
    ("names (of definitions and lanes )?cut to [0-9]+ bytes or (changed|made different)", names),
    ("payloads (cut to .*|of events are cut)", payloads_changed),
    ("names and payloads have double quotes: these became single ones", quotes),
    ("formats of payloads are left out", lambda b, a, form: adopt(b, a, "format", kinds=("event",))),
    ("formats of payloads became %d or %s, or are left out",
     lambda b, a, form: adopt(b, a, "format", kinds=("event",))),
    ("payload formats .*", lambda b, a, form: adopt(b, a, "format", kinds=("event",))),
    ("units of counters are left out", lambda b, a, form: adopt(b, a, "unit", kinds=("counter",))),
    ("groups of states, events and counters are left out", lambda b, a, form: adopt(b, a, "group")),
    ("colours are left out", lambda b, a, form: adopt(b, a, "colour", lambda old, new: not new["colour"])),
    ("colours became others that the format has",
     lambda b, a, form: adopt(b, a, "colour", lambda old, new: old["colour"] and new["colour"])),
    ("names of lanes are left out", lanes_lose("name")),
    ("lanes: their hosts are left out", lanes_lose("host")),
    ("lanes have other ranks and threads: each is a process of its own", nodes),
    ("members of communicators that (have no lane|are not in the log) are left out", members),
    ("names of communicators and hosts cut to 14 bytes or changed", cut_comms),
    ("communicators without a record are left out", lost_comms),
    ("members of communicators without a record are left out", lost_members),
    ("communicators without a message are left out", unused_comms),
    ("names of communicators are left out", comm_names),
    ("communicators: their names and members are left out", comms),
    ("samples and call sites are events with addresses, without the names of functions", stacks),
    ("functions of samples: callers beyond depth 99 are left out",
     lambda b, a, form: sum(max(0, r.get("functions", "").count(";") - 99) for r in b.records)),
    ("properties of the run are left out", properties),
]


def renumber(log, strip):
    """Numbers of posting as those of the receives that are there; `strip`: none."""
    order = collections.defaultdict(list)
    for r in log.records:
        if r["kind"] == "recv":
            order[r["rank"]].append(r)
    for records in order.values():
        for i, r in enumerate(sorted(records, key=lambda r: int(r["posted"]))):
            r["posted"] = "" if strip else str(i)


def plain_world(log):
    """That MPI_COMM_WORLD has all ranks needs not be told."""
    world = log.comms[0]
    all_ranks = [str(i) for i in range(int(world.get("size", 0)))]
    if world.get("ranks", "").split(",") in (all_ranks, list(log.first_threads())):
        del world["ranks"], world["size"]


def lines(log):
    plain_world(log)
    shown = ["property " + k for k in log.props]
    shown += ["lane %s" % sorted(x.items()) for x in log.lanes]
    shown += sorted("definition %s" % sorted(x.items()) for x in log.defs)
    shown += ["comm %s" % sorted(x.items()) for x in log.comms]
    shown += sorted("record %012d %s" % (r["time"], sorted(r.items())) for r in log.records)
    return shown


form, before, after = sys.argv[1], Log(sys.argv[2]), Log(sys.argv[3])
ORIGINAL = list(before.records)
notes, wrong = {}, []
for line in open(sys.argv[4], encoding="utf-8"):
    found = re.fullmatch(r"pith: note: (\d+) (.*)\n", line)
    if not found or found[2] in notes:
        wrong.append("strange, or told twice: " + line.rstrip("\n"))
    else:
        notes[found[2]] = int(found[1])
known = set()
for text, rule in RULES:
    for note in [n for n in notes if re.fullmatch(text, n)]:
        known.add(note)
        count = rule(before, after, form)
        if count != notes[note]:
            wrong.append("%d, not %d: %s" % (notes[note], count, note))
adopt(before, after, "colour", lambda old, new: not old["colour"])  # one that Pith draws: no loss
wrong += ["no such rule: " + note for note in notes if note not in known]
strip = any("order of posting" in note for note in notes)
renumber(before, strip)
renumber(after, strip)
after.props = {k: v for k, v in after.props.items() if k in before.props or k in Log(sys.argv[2]).props}
left, right = lines(before), lines(after)
wrong += ["- " + line for line in left if line not in right] + ["+ " + line for line in right if line not in left]
if not wrong and left != right:
    wrong.append("the order is different")
print("\n".join(wrong))
sys.exit(bool(wrong))
