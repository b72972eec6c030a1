"""sql_check.py LOG ...: the database of a log against the package: every table, and random questions against numpy."""

import random
import sqlite3
import sys

import numpy as np

import pith
from check import finish, ok, pith as command, same


def rows(columns, *arrays):
    return sorted(zip(*(a.tolist() for a in arrays))) if len(columns) else []


for path in sys.argv[1:]:
    base = path + ".sqlite"
    command("convert", path, base)
    db = sqlite3.connect(f"file:{base}?mode=ro", uri=True)

    def ask(query, *values):
        return db.execute(query, values).fetchall()

    with pith.open(path) as log:
        s = log.states()
        same(sorted(ask("SELECT lane, state, start_ns, end_ns, self_ns, depth FROM intervals")),
             rows(s, *(s[c] for c in ("lane", "state", "start_ns", "end_ns", "self_ns", "depth"))), f"{path}: intervals")
        same(ask("SELECT count(*) FROM intervals i JOIN intervals p ON p.id = i.parent WHERE p.lane = i.lane"
                 " AND p.depth = i.depth - 1 AND p.start_ns <= i.start_ns AND p.end_ns >= i.start_ns"),
             ask("SELECT count(*) FROM intervals WHERE depth > 0"), f"{path}: each inner interval has the parent around it")
        same(ask("SELECT sum(i.end_ns - i.start_ns) FROM intervals i WHERE depth = 0"),
             ask("SELECT sum(self_ns) FROM intervals"), f"{path}: the self times are all of the time in states")
        e = log.events(payloads=True)
        same(sorted(ask("SELECT lane, event, time_ns, ifnull(payload, '') FROM events")),
             sorted(zip(e["lane"].tolist(), e["event"].tolist(), e["time_ns"].tolist(), e["payload"].tolist())), f"{path}: events")
        c = log.counters()
        same(sorted(ask("SELECT lane, counter, time_ns, ifnull(value, 'nan') FROM counters"), key=str),
             sorted(((a, b, t, "nan" if v != v else v) for a, b, t, v in
                     zip(*(c[k].tolist() for k in ("lane", "counter", "time_ns", "value")))), key=str), f"{path}: counters")
        k = log.collectives()
        same(sorted(ask("SELECT lane, time_ns, comm, root, sent_bytes, received_bytes FROM collectives")),
             rows(k, *(k[n] for n in ("lane", "time_ns", "comm", "root", "sent_bytes", "received_bytes"))), f"{path}: collectives")
        m = log.messages()
        same(sorted(ask("SELECT send_lane, recv_lane, send_ns, recv_ns, tag, comm, bytes FROM messages")),
             rows(m, *(m[n] for n in ("send_lane", "recv_lane", "send_ns", "recv_ns", "tag", "comm", "bytes"))), f"{path}: messages")
        if len(log.states("MPI_*")):
            w = log.waits()
            same(sorted(ask("SELECT lane, state, kind, from_ns, to_ns, cause_lane FROM waits")),
                 sorted(zip(w["lane"].tolist(), w["state"].tolist(), w.names("kind").tolist(), w["from_ns"].tolist(),
                            w["to_ns"].tolist(), w["cause_lane"].tolist())), f"{path}: wait states")
        same(ask("PRAGMA foreign_key_check"), [], f"{path}: all foreign keys are there")
        names = dict(ask("SELECT id, name FROM definitions"))
        around, wanted = {}, {}
        for number, parent, state, self_ns in ask("SELECT id, parent, state, self_ns FROM intervals ORDER BY id"):
            around[number] = (around[parent] if parent else ()) + (names[state],)
            name = ";".join(around[number]) if len(around[number]) <= 64 else "...;" + ";".join(around[number][-64:])
            key = (len(around[number]) - 1, name)
            wanted[key] = wanted.get(key, 0) + self_ns
        got = {}
        for depth, name, ns in ask("SELECT p.depth, p.name, sum(self_ns) FROM intervals JOIN call_paths p USING(path) GROUP BY p.path"):
            got[(depth, name)] = got.get((depth, name), 0) + ns
        same(got, wanted, f"{path}: call paths")
        same(sum(n for n, in ask("SELECT sum(count) FROM path_times")), len(s), f"{path}: path_times")
        spans = [(a, b) for a, b in ask("SELECT from_ns, to_ns FROM counter_spans") if b < a]
        same((spans, ask("SELECT count(*) FROM counter_spans")), ([], ask("SELECT count(*) FROM counters")), f"{path}: spans of counter values")
        for t in (log.info["start_ns"], (log.info["start_ns"] + log.info["end_ns"]) // 2, log.info["end_ns"]):
            last = {}
            for lane, counter, time_ns, value in ask("SELECT lane, counter, time_ns, value FROM counters ORDER BY time_ns, rowid"):
                if time_ns <= t:
                    last[(lane, counter)] = value
            same(sorted(map(str, (v for v, in ask("SELECT value FROM counter_spans WHERE from_ns <= ? AND ? < to_ns", t, t)))),
                 sorted(map(str, last.values())), f"{path}: values at {t}")
        parts = ask("SELECT from_ns, to_ns, lane FROM critical_path ORDER BY from_ns, rowid")
        same([a[1] for a in parts[:-1]], [b[0] for b in parts[1:]], f"{path}: the critical path has no gap")
        same(sum(b - a for a, b, _ in parts), sum(n for n, in ask("SELECT ns FROM critical_times")), f"{path}: its states are all of it")
        if len(log.states("MPI_*")) > 1000:
            ok(len(parts) > 0, f"{path}: there is a critical path")
        for query, index in (("intervals WHERE parent = 1", "intervals_by_parent"), ("collectives WHERE interval = 1", "collectives_by_interval"),
                             ("collectives WHERE comm = 0 ORDER BY time_ns", "collectives_by_comm")):
            plan = ask("EXPLAIN QUERY PLAN SELECT * FROM " + query)
            ok(index in plan[0][3], f"{path}: {index} is used: {plan[0][3]}")
        same(ask("SELECT rank, thread, host, records FROM lanes ORDER BY lane"),
             list(zip(*(log.lanes[n].tolist() for n in ("rank", "thread", "host", "records")))), f"{path}: lanes")
        same(dict(ask("SELECT key, value FROM log"))["records"], log.info["records"], f"{path}: facts")
        dice, good = random.Random(path), 0
        for _ in range(20):
            a, b = sorted(dice.randrange(log.info["start_ns"], log.info["end_ns"] + 1) for _ in range(2))
            least, rank = dice.choice([0, 1000, 1000000]), dice.choice(log.ranks.tolist())
            chosen = s.where((s["end_ns"] >= a) & (s["start_ns"] <= b) & (s["end_ns"] - s["start_ns"] > least) & (s["rank"] == rank))
            wanted = [(n, int((chosen["state"] == n).sum()), int(chosen["self_ns"][chosen["state"] == n].sum()))
                      for n in np.unique(chosen["state"]).tolist()]
            good += ask("SELECT i.state, count(*), sum(self_ns) FROM intervals i JOIN lanes USING(lane) WHERE end_ns >= ?"
                        " AND start_ns <= ? AND end_ns - start_ns > ? AND rank = ? GROUP BY 1 ORDER BY 1", a, b, least, rank) == wanted
        same(good, 20, f"{path}: 20 random filters")
finish()
