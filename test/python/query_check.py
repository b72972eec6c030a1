"""query_check.py LOG ...: random queries against a brute-force reading of the lines of `pith print`, against SQL, `pith stat`,
`pith cut` and the package."""

import collections
import fnmatch
import os
import random
import subprocess
import sys

import pith
import text_log
from check import finish, ns, ok, pith as command, rows, same

NUMBERS = ("rank", "thread", "lane", "depth", "peer", "tag", "root")
TIMES = ("time", "end", "duration", "self")
SIZES = ("size", "got")
TEXTS = ("kind", "name", "state", "event", "counter", "group", "host", "payload")
OPS = {"==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
       ">": lambda a, b: a > b, ">=": lambda a, b: a >= b}
SQL = {"rank": "l.rank", "thread": "l.thread", "lane": "i.lane", "depth": "i.depth", "time": "i.start_ns", "end": "i.end_ns",
       "duration": "(i.end_ns - i.start_ns)", "self": "i.self_ns", "name": "d.name", "state": "d.name", "group": "d.grp",
       "host": "l.host", "kind": "'state'"}


# ---- The records, as items with fields

def read(path):
    """Items in the order of their first lines: dicts of fields, with "lines", the indices of their lines; and all lines."""
    items, lines, opened = [], [], collections.defaultdict(list)
    lanes, groups, comms, last_ns = {}, {}, {}, 0
    for line in command("print", path).splitlines():
        if line.startswith("# "):
            keys = text_log.fields(line.split("\t")[1:])
            if line.startswith("# lane\t"):
                lanes[int(keys["rank"]), int(keys["thread"])] = (len(lanes), keys["host"])
            elif line.startswith("# comm\t"):
                comms[int(keys["comm"])] = keys["name"]
            elif line.startswith(("# state\t", "# event\t", "# counter\t")):
                groups[line[2:].split("\t")[0], keys["name"]] = keys["group"]
            continue
        lines.append(line)
        time_ns, *lane, kind, name, keys = next(text_log.records([line]))
        last_ns, lane = time_ns, tuple(lane)
        item = {"kind": kind, "rank": lane[0], "thread": lane[1], "lane": lanes[lane][0], "host": lanes[lane][1],
                "time": time_ns, "lines": [len(lines) - 1]}
        stack = opened[lane]
        if kind == "leave":
            at = text_log.innermost([state["name"] for state in stack], name)
            if at is not None:
                stack[at]["lines"].append(len(lines) - 1)
                close(stack, at, time_ns)
                continue
            kind = item["kind"] = "leave"  # without an enter: a state of which only the name and the time are known
        if kind in ("enter", "leave"):
            item.update(kind="state", name=name, state=name, group=groups["state", name])
            if kind == "enter":
                item.update(depth=len(stack), nested=0)
                stack.append(item)
        elif kind in ("event", "counter"):
            item.update({"name": name, kind: name, "group": groups[kind, name]})
            if kind == "event":
                item["payload"] = keys.get("payload", "")
        for key, field in (("peer", "peer"), ("tag", "tag"), ("bytes", "size"), ("got_bytes", "got"), ("root", "root")):
            if key in keys:
                item[field] = int(keys[key])
        if "value" in keys:
            item["value"] = float(keys["value"])
        if "comm" in keys:
            item["comm"], item["comm_name"] = int(keys["comm"]), comms[int(keys["comm"])]
            if kind in ("send", "recv", "coll") and stack and "comm" not in stack[-1]:
                stack[-1].update(comm=item["comm"], comm_name=item["comm_name"])
        items.append(item)
    for stack in opened.values():
        while stack:
            close(stack, len(stack) - 1, last_ns)
    return items, lines


def close(stack, at, time_ns):
    item = stack.pop(at)
    item["end"], item["duration"] = time_ns, time_ns - item["time"]
    item["self"] = item["duration"] - item["nested"]
    if at:
        stack[at - 1]["nested"] += item["duration"]


# ---- Random queries: (text, function of an item, SQL condition or None)

def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def sql_text(text):
    return "'" + text.replace("'", "''") + "'"


def number(dice, items, field):
    values = [i[field] for i in items if field in i] or [0]
    return dice.choice(values) + dice.choice((0, 0, 0, 1, -1))


def written(dice, field, value):
    if field in TIMES:
        units = [u for u, n in (("ns", 1), ("us", 10**3), ("ms", 10**6), ("s", 10**9)) if value % n == 0]
        scale = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}
        unit = dice.choice(units)
        return f"{value // scale[unit]}{unit}"
    if field in SIZES:
        return dice.choice([f"{value}", f"{value}B"] + ([f"{value // 1024}KiB"] if value % 1024 == 0 else []))
    return str(value)


def comparison(dice, items):
    field = dice.choice(NUMBERS + TIMES + SIZES + TEXTS + ("comm", "value") + ("state", "duration", "rank", "time") * 2)
    column = SQL.get(field)
    if field in TEXTS or (field == "comm" and dice.random() < 0.5):
        key = "comm_name" if field == "comm" else field
        some = [i[key] for i in items if key in i] or ["x"]
        some = [s for s in dice.choices(some, k=3) if "\\" not in s] or ["x"]
        op = dice.choice(("==", "!=", "in", "~"))
        if op == "in":
            return (f"{field} in " + ", ".join(map(quoted, some)), lambda i: key in i and i[key] in some,
                    column and f"{column} IN ({', '.join(map(sql_text, some))})")
        if op == "~":
            word = "".join(c for c in some[0] if c not in "[]*?")
            pattern = dice.choice((word[:2] + "*", "*" + word[-3:], "?" + word[1:], word))
            return (f"{field} ~ {quoted(pattern)}", lambda i: key in i and fnmatch.fnmatchcase(i[key], pattern),
                    column and f"{column} GLOB {sql_text(pattern)}")
        return (f"{field} {op} {quoted(some[0])}", lambda i: key in i and OPS[op](i[key], some[0]),
                column and f"{column} {op} {sql_text(some[0])}")
    if field != "value" and dice.random() < 0.3:
        ranges = [sorted((number(dice, items, field), number(dice, items, field))) for _ in range(dice.randint(1, 3))]
        ranges = [(a, dice.choice((a, b))) for a, b in ranges]
        text = ", ".join(written(dice, field, a) + (f"-{written(dice, field, b)}" if a != b else "") for a, b in ranges)
        if dice.random() < 0.5:
            text = f"({text})"
        return (f"{field} in {text}", lambda i: field in i and any(a <= i[field] <= b for a, b in ranges),
                column and "(" + " OR ".join(f"{column} BETWEEN {a} AND {b}" for a, b in ranges) + ")")
    value, op = number(dice, items, field), dice.choice(list(OPS))
    return (f"{field} {op} {written(dice, field, value) if field != 'value' else repr(value)}",
            lambda i: field in i and OPS[op](i[field], value), column and f"{column} {op} {value}")


def query(dice, items, depth=0):
    roll = dice.random()
    if depth > 3 or roll < 0.35:
        text, holds, condition = comparison(dice, items)
        only_others = condition is None and not text.startswith("comm ")
        return text, holds, "0" if only_others else condition and f"ifnull({condition}, 0)"
    left, left_holds, left_sql = query(dice, items, depth + 1)
    if roll < 0.45:
        return f"not ({left})", lambda i: not left_holds(i), left_sql and f"NOT ({left_sql})"
    right, right_holds, right_sql = query(dice, items, depth + 1)
    both = left_sql and right_sql
    if roll < 0.75:
        return f"({left}) and ({right})", lambda i: left_holds(i) and right_holds(i), both and f"(({left_sql}) AND ({right_sql}))"
    return f"({left}) or ({right})", lambda i: left_holds(i) or right_holds(i), both and f"(({left_sql}) OR ({right_sql}))"


# ---- Comparing

def lines_of(*words):
    return [line for line in command("print", *words).splitlines() if not line.startswith("#")]


def is_message(line):
    return line.split("\t")[3] in ("send", "recv")


def plain(lines):
    """Lines as `pith cut` keeps them: a message may lose its peer, and receives get new numbers."""
    return ["\t".join(f for f in line.split("\t") if not f.startswith(("peer=", "posted="))) if is_message(line) else line
            for line in lines]


def stat_rows(rows_):
    """What `pith stat` counts of states: name -> count and times in ns."""
    return {r["name"]: (r["count"], *(ns(r[c]) for c in ("total_s", "self_s", "mean_s", "min_s", "max_s")))
            for r in rows_ if r["kind"] == "state" and r["count"]}


def check_sums(path, log, dice, text, states):
    """The sums of the package over what a query selects, against `pith stat`; returns what is wrong."""
    begin, end = log.info["start_ns"], log.info["end_ns"]
    a, b = sorted(dice.randrange(begin, end + 1) for _ in range(2))
    wrong = []
    for window, words in (({}, ()), ({"from_": a / 1e9, "to": b / 1e9}, ("--from", f"{a}ns", "--to", f"{b}ns"))):
        table = log.stat(where=text, **window)
        got = {n: tuple(int(round(table[c][i])) for c in ("count", "total_ns", "self_ns", "mean_ns", "min_ns", "max_ns"))
               for i, n in enumerate(table.names("state"))}
        wanted = stat_rows(rows("stat", path, *words, "--where", text))
        if got != wanted:
            wrong.append(f"stat({window}, where='{text}'): {got}, not {wanted}")
        edges, profile = log.time_profile(5, where=text, **window)
        if {n: int(p.sum()) for n, p in profile.items()} != {n: w[2] for n, w in wanted.items() if w[2]}:
            wrong.append(f"time_profile({window}, where='{text}')")
        part = log.states(where=text, **window)
        busy = {}
        for name, rank, own in zip(part.names("state").tolist(), part["rank"].tolist(), part["self_ns"].tolist()):
            busy.setdefault(name, collections.Counter())[rank] += own
        table = log.load_imbalance(where=text, **window)
        if dict(zip(table.names("state").tolist(), table["max_ns"].tolist())) != {
                n: max(c.values()) for n, c in busy.items() if any(c.values())}:
            wrong.append(f"load_imbalance({window}, where='{text}')")
    inside = sorted((i["lane"], max(i["time"], a), min(i["end"], b)) for i in states if i["end"] >= a and i["time"] <= b)
    if sorted(zip(part["lane"], part["start_ns"], part["end_ns"])) != inside:
        wrong.append(f"states({a}..{b}, where='{text}'): {len(part)}, not {len(inside)}")
    return wrong


def check_analysis(path, log):
    """Analyses of a part, against `pith analyze`."""
    for text in ("rank in 0-1 or kind == coll", 'rank >= 2 or state == "MPI_Init" or kind in (send, recv)', "rank == 1"):
        wanted = rows("analyze", path, "--where", text)
        same([f.name for f in log.findings(where=text)], [f["name"] for f in wanted["findings"]], f"{path}: findings of {text}")
        part, waits, own = log.where(text), log.waits(where=text), log.where(text).waits()
        same(round(log.efficiency(where=text)["parallel"], 4), round(wanted["efficiencies"]["parallel"], 4),
             f"{path}: efficiency of {text}")
        same(int((waits["to_ns"] - waits["from_ns"]).sum()), log.efficiency(where=text)["wait_ns"], f"{path}: waits of {text}")
        both = [sorted(zip(*(t[c].tolist() for c in ("rank", "from_ns", "to_ns", "cause_rank")))) for t in (waits, own)]
        same(both[0], both[1], f"{path}: waits of the part")
        for table in (waits, log.delays(where=text), log.critical_path(where=text), log.iterations(where=text)):
            ok((log.lanes["rank"][table["lane"]] == table["rank"]).all(), f"{path}: lanes of the whole log, {text}")
        same(set(part.ranks.tolist()) <= set(log.ranks.tolist()) and len(part.definitions), len(log.definitions),
             f"{path}: where() keeps the definitions")


for path in sys.argv[1:]:
    items, lines = read(path)
    base = path + ".query.sqlite"
    command("convert", path, base)
    same(sorted(n for i in items for n in i["lines"]), list(range(len(lines))), f"{path}: every line belongs to an item")
    dice = random.Random(os.environ.get("QUERY_SEED", "7") + path)
    wrong, kept, asked_sql, empty, count = [], 0, 0, 0, int(os.environ.get("QUERY_COUNT", "60"))
    with pith.open(path) as log:
        for n in range(count):
            text, holds, condition = query(dice, items)
            chosen = [i for i in items if holds(i)]
            wanted = [lines[k] for k in sorted(k for i in chosen for k in i["lines"])]
            kept, empty = kept + len(wanted), empty + (not wanted)
            tried = subprocess.run(["pith", "print", path, "--where", text], capture_output=True, text=True)
            if tried.returncode:  # a name, rank or thread that the log does not have
                if wanted or " match" not in tried.stderr or tried.stdout:
                    wrong.append(f"print --where '{text}': {tried.stderr}")
                continue
            got = lines_of(path, "--where", text)
            if got != wanted:
                wrong.append(f"print --where '{text}': {len(got)} lines, not {len(wanted)}")
            if n % 4 == 0:
                command("cut", path, "-o", "part.pith", "--where", text)
                if sorted(plain(lines_of("part.pith"))) != sorted(plain(wanted)):
                    wrong.append(f"cut --where '{text}'")
                if subprocess.run(["pith", "check", "part.pith"], capture_output=True).returncode:
                    wrong.append(f"check after cut --where '{text}'")
            states = [i for i in chosen if i["kind"] == "state" and "end" in i]
            s = log.states(where=text)
            if sorted(zip(s["lane"], s["start_ns"], s["end_ns"], s["self_ns"], s["depth"])) != sorted(
                    (i["lane"], i["time"], i["end"], i["self"], i["depth"]) for i in states):
                wrong.append(f"states(where='{text}'): {len(s)}, not {len(states)}")
            for table, kind in ((log.events(where=text), "event"), (log.counters(where=text), "counter"),
                                (log.collectives(where=text), "coll")):
                if sorted(zip(table["lane"], table["time_ns"])) != sorted((i["lane"], i["time"]) for i in chosen if i["kind"] == kind):
                    wrong.append(f"{kind}s where '{text}'")
            if n % 3 == 0:
                wrong += check_sums(path, log, dice, text, states)
            if condition is None:
                continue
            asked_sql += 1
            said = command("sql", base, "SELECT d.name, count(*), sum(self_ns) FROM intervals i JOIN lanes l USING(lane)"
                           f" JOIN definitions d ON d.id = i.state WHERE {condition} GROUP BY 1 ORDER BY 1", "--csv")
            table = rows("stat", path, "--where", text)
            summed = {r["name"]: (r["count"], ns(r["self_s"])) for r in table if r["kind"] == "state"}
            expected = {i: (c, s) for i, c, s in ((r.rsplit(",", 2)[0].strip('"'), int(r.rsplit(",", 2)[1]), int(r.rsplit(",", 2)[2]))
                                                  for r in said.splitlines()[1:])}
            if summed != expected:
                wrong.append(f"stat --where '{text}': {summed}, SQL ({condition}): {expected}")
        m = log.messages()
        sent = {}
        for peer in log.ranks.tolist()[:3]:
            some = log.messages(where=f"rank == {peer} and size >= 1")
            rows_ = ((m["sender"] == peer) | (m["receiver"] == peer)) & (m["bytes"] >= 1)
            same(len(some), int(rows_.sum()), f"{path}: messages with an end on rank {peer}")
            sent = rows("stat", path, "--by", "comm", "--where", f"rank == {peer} and size >= 1")
            same(sum(r["messages"] for r in sent), len(some), f"{path}: stat --by comm of rank {peer}")
            for value in ("messages", "bytes"):
                same(int(log.comm_matrix(value, where=f"rank == {peer} and size >= 1").sum()), sum(r[value] for r in sent),
                     f"{path}: comm_matrix of rank {peer}, {value}")
        if len(log.states("MPI_*")):
            check_analysis(path, log)
    ok(not wrong, f"{path}: random queries give the same everywhere", "\n".join(wrong[:8]))
    ok(kept and asked_sql and empty < 0.6 * count, f"{path}: {kept} lines in the answers, {asked_sql} asked of SQL, {empty} empty")
finish()
