"""read_check.py LOG ...: every figure of the package against the commands, which have been tested against oracles."""

import gc
import random
import sys
import weakref

import numpy as np
import pandas

import pith
import text_log
from check import finish, ns, ok, pith as command, rows, same


def printed(path):
    return text_log.records(command("print", path).splitlines())


def naive_states(records, begin, end, log_end):
    """The instances of states by the rule of pithlog.h, cut at the window: a leave ends the innermost open state of its
    name on its lane."""
    open_, found = {}, []
    for time, rank, thread, kind, name, _ in records:
        stack = open_.setdefault((rank, thread), [])
        if kind == "enter":
            stack.append((name, time))
        elif kind == "leave":
            i = text_log.innermost([state for state, _ in stack], name)
            if i is not None:
                found.append((name, rank, thread, stack.pop(i)[1], time))
    for (rank, thread), stack in open_.items():
        found += [(name, rank, thread, start, log_end) for name, start in stack]
    return sorted((n, r, t, max(s, begin), min(e, end)) for n, r, t, s, e in found if e >= begin and s <= end)


def as_rows(table):
    return sorted(zip(table.names("state").tolist(), table["rank"].tolist(), table["thread"].tolist(),
                      table["start_ns"].tolist(), table["end_ns"].tolist()))


def check_records(path, log):
    records = list(printed(path))
    info = log.info
    begin, end = info["start_ns"], info["end_ns"]
    states = log.states()
    same(as_rows(states), naive_states(records, begin, end, end), f"{path}: states, all {len(states)}")
    dice = random.Random(path)
    names = sorted(set(log.definitions["name"]))
    good = 0
    for _ in range(20):
        a, b = sorted(dice.randrange(begin, end + 1) for _ in range(2))
        ranks = dice.sample(log.ranks.tolist(), dice.randint(1, len(log.ranks)))
        pattern = dice.choice(["*", "MPI_*", "*a*", dice.choice(names)])
        table = log.states(pattern, from_=a / 1e9, to=b / 1e9, ranks=ranks)
        a, b = log.time(a / 1e9), log.time(b / 1e9)
        import fnmatch
        wanted = [s for s in naive_states(records, a, b, end) if s[1] in ranks and fnmatch.fnmatchcase(s[0], pattern)]
        if as_rows(table) != wanted:
            ok(False, f"{path}: states of {pattern!r} in {a}..{b} on {ranks}", f"{as_rows(table)[:5]}\n{wanted[:5]}")
        else:
            good += 1
    same(good, 20, f"{path}: 20 random windows, ranks and patterns")
    everything = naive_states(records, begin, end, end)
    same([as_rows(log.states(n)) for n in names], [[s for s in everything if s[0] == n] for n in names],
         f"{path}: states of one name")
    events = [(t, r, th, n) for t, r, th, kind, n, _ in records if kind == "event"]
    table = log.events(payloads=True)
    same(sorted(zip(table["time_ns"].tolist(), table["rank"].tolist(), table["thread"].tolist(), table.names("event").tolist())),
         sorted(events), f"{path}: events")
    same([len(log.events(n)) for n in names], [sum(e[3] == n for e in events) for n in names], f"{path}: events of one name")
    values = sorted((t, r, n, float(v["value"])) for t, r, _, kind, n, v in records if kind == "counter")
    table = log.counters()
    got = sorted(zip(table["time_ns"].tolist(), table["rank"].tolist(), table.names("counter").tolist(), table["value"].tolist()))
    ok(len(got) == len(values) and all(g[:3] == w[:3] and np.isclose(g[3], w[3], rtol=1e-5, equal_nan=True) for g, w in zip(got, values)),
       f"{path}: counters", f"{got[:3]} {values[:3]}")
    colls = sorted((t, r, int(v["comm"]), int(v["root"]), int(v["bytes"])) for t, r, _, kind, _, v in records if kind == "coll")
    table = log.collectives()
    same(sorted(zip(*(table[c].tolist() for c in ("time_ns", "rank", "comm", "root", "sent_bytes")))), colls, f"{path}: collectives")


def check_sums(path, log):
    for window in ((), ("--from", "0.0005"), ("--from", "0.0002", "--to", "0.0007")):
        keys = dict(zip(("from_", "to"), window[1::2]))
        table = log.stat(**keys)
        got = {n: tuple(int(round(table[c][i])) for c in ("count", "total_ns", "self_ns", "mean_ns", "min_ns", "max_ns"))
               for i, n in enumerate(table.names("state"))}
        wanted = {r["name"]: (r["count"], *(ns(r[c]) for c in ("total_s", "self_s", "mean_s", "min_s", "max_s")))
                  for r in rows("stat", path, *window) if r["kind"] == "state" and r["count"]}
        same(got, wanted, f"{path}: pith stat {' '.join(window)}")
    edges, profile = log.time_profile(7)
    same(sum(profile.values()).tolist(), (np.diff(edges) * log.info["lanes"]).tolist(), f"{path}: a profile has all of the time")
    table = log.stat()
    got = {n: int(p.sum()) for n, p in profile.items() if n != "computing"}
    same(got, {n: int(s) for n, s in zip(table.names("state"), table["self_ns"]) if s}, f"{path}: and each state its own")
    good = 0
    for i in range(7):
        part = log.stat(from_=edges[i] / 1e9, to=edges[i + 1] / 1e9)
        wanted = {n: int(t) for n, t in zip(part.names("state"), part["self_ns"]) if t}
        good += {n: int(p[i]) for n, p in profile.items() if n != "computing" and p[i]} == wanted
    same(good, 7, f"{path}: each bin is the sum of its window")
    parts = {}
    for rank in log.ranks.tolist():
        part = log.stat(ranks=[rank])
        lanes = log.lanes.where(log.lanes["rank"] == rank)
        alive = int((lanes["last_ns"] - lanes["first_ns"])[lanes["records"] > 0].sum())
        for n, t in [*zip(part.names("state"), part["self_ns"]), ("computing", alive - int(part["self_ns"].sum()))]:
            parts.setdefault(n, {})[rank] = int(t)
    table = log.load_imbalance()
    got = {n: (round(table["mean_ns"][i], 3), int(table["max_ns"][i]), round(table["imbalance"][i], 9))
           for i, n in enumerate(table.names("state"))}
    wanted = {n: (round(sum(p.values()) / len(log.ranks), 3), max(p.values()),
                  round(max(p.values()) * len(log.ranks) / sum(p.values()) - 1, 9)) for n, p in parts.items() if any(p.values())}
    same(got, wanted, f"{path}: the imbalance of each state")
    ok(all(parts[n].get(int(table["rank"][i])) == table["max_ns"][i] for i, n in enumerate(table.names("state"))),
       f"{path}: and the rank with the most")
    pairs = {}
    for r in rows("stat", path, "--by", "comm"):
        if r.get("messages"):
            pairs[(r["from"], r["to"])] = (r["messages"], r["bytes"])
    ranks = log.ranks
    for column, value in ((0, "messages"), (1, "bytes")):
        matrix = log.comm_matrix(value)
        got = {(int(ranks[i]), int(ranks[j])): int(matrix[i, j]) for i, j in zip(*np.nonzero(log.comm_matrix("messages")))}
        same(got, {p: v[column] for p, v in pairs.items()}, f"{path}: {value} by pair")


def check_analysis(path, log):
    wanted = rows("analyze", path)
    efficiency = log.efficiency()
    same({k: round(efficiency[k], 4) for k in ("parallel", "load_balance", "serialisation", "transfer")},
         {k: round(wanted["efficiencies"][k], 4) for k in ("parallel", "load_balance", "serialisation", "transfer")},
         f"{path}: efficiencies")
    waits = log.waits()
    same(int((waits["to_ns"] - waits["from_ns"]).sum()), efficiency["wait_ns"], f"{path}: the wait states are all the waiting")
    delays = log.delays()
    ok(np.isclose(delays["direct_ns"].sum() + delays["indirect_ns"].sum(), efficiency["wait_ns"], rtol=1e-6),
       f"{path}: the delays cost all the waiting")
    path_ = log.critical_path()
    ok(len(path_) and path_["from_ns"][0] == efficiency["from_ns"] and path_["to_ns"][-1] == efficiency["to_ns"]
       and (path_["from_ns"][1:] == path_["to_ns"][:-1]).all(), f"{path}: the critical path has no gap")
    found = log.iterations()
    same((len(found), int((found["to_ns"] - found["from_ns"]).max(initial=0))),
         (wanted["iterations"]["count"], wanted["iterations"]["max_ns"]) if wanted.get("iterations") else (0, 0), f"{path}: iterations")
    same([f.name for f in log.findings()], [f["name"] for f in wanted["findings"]], f"{path}: findings")


def check_closes(path):
    """A log that nothing refers to closes at once, also after an analysis."""
    gc.disable()
    log = pith.open(path)
    log.efficiency()
    seen = weakref.ref(log)
    del log
    ok(seen() is None, f"{path}: an analysis does not keep the log open")
    gc.enable()


for path in sys.argv[1:]:
    with pith.open(path) as log:
        check_records(path, log)
        check_sums(path, log)
        if (log.states("MPI_*")["state"].size) > 0:
            check_analysis(path, log)
            check_closes(path)
        frame = log.states().frame()
        ok(isinstance(frame, pandas.DataFrame) and frame["state"].dtype == "category" and len(frame) == len(log.states()),
           f"{path}: a DataFrame with categories")
        same(frame["state"].astype(str).tolist(), log.states().names("state").tolist(), f"{path}: the categories are the names")
        ok(log.messages().frame()["bytes"].sum() == log.comm_matrix().sum(), f"{path}: messages as a DataFrame")
finish()
