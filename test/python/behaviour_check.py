"""behaviour_check.py LOG NAMES DAMAGED CUT NOLOG BIG: errors, damage, threads, leaks."""

import inspect
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np

import pith
from check import finish, ok, raises, same

log_path, names, damaged, cut, no_log, big = sys.argv[1:]

raises(FileNotFoundError, lambda: pith.open("nosuch.pith"), "no such file", "nosuch.pith: cannot be opened")
raises(pith.FormatError, lambda: pith.open(no_log), "not a log", no_log)
raises(IsADirectoryError, lambda: pith.open(os.path.dirname(os.path.abspath(log_path))), "a folder", "is a folder without a log")
for path in (damaged, no_log):
    try:
        pith.open(path).states()
    except Exception as error:  # noqa: BLE001 - any, but not this one
        ok(not isinstance(error, FileNotFoundError), f"{path}: it is there", error)
with pith.open(log_path) as log:
    raises(pith.UsageError, lambda: log.states(from_="nosuch[3]"), "no such state in a time", "nosuch")
    methods = [name for name, method in vars(pith.Log).items() if name[0] != "_" and inspect.isfunction(method)]
    asked = sorted(name for name in methods if "where" in inspect.signature(getattr(log, name)).parameters)
    same(asked, ["collectives", "comm_matrix", "counters", "critical_path", "delays", "efficiency", "events", "findings",
                 "iterations", "load_imbalance", "messages", "stat", "states", "time_profile", "waits"], "what accepts a query")
    for name in asked:
        raises(pith.UsageError, lambda: getattr(log, name)(where="rank = 1"), f"{name}(): a wrong query", "query: column 6: '='")
    raises(pith.UsageError, lambda: log.where("bad ("), "where(): a wrong query", "query: column 1")
    raises(pith.UsageError, lambda: log.states("nosuch", where="bad ("), "a wrong query is told even if nothing can match", "column 1")
    raises(pith.UsageError, lambda: log.states("nosuch", from_="nosuch[3]"), "and a wrong time", "nosuch")
    raises(ValueError, lambda: log.comm_matrix("weight"), "comm_matrix of what it has not", "bytes")
    raises(pith.Error, lambda: log.iterations("nosuch"), "iterations of no state", "no state 'nosuch'")
    same(len(log.states("nosuch")), 0, "a pattern without a match: an empty table")
    same(len(log.states(ranks=[])), 0, "no ranks: an empty table")
    same(len(log.states(from_=1e9)), 0, "a window after the end: an empty table")
    same(log.states(from_="1us")["start_ns"].min() >= 1000, True, "a time as a word")
    table = log.states()
    picture = log.draw("--size", "600x200")
    ok("<svg" in picture._repr_svg_() and picture._repr_png_() is None, "draw(): a notebook gets an SVG")
    ok(log.draw(kind="png")._repr_png_().startswith(b"\x89PNG"), "draw(kind='png')")
    raises(pith.Error, lambda: log.draw("--nosuch"), "draw() with a wrong option: the command's message", "no such option: --nosuch")
    ok("<table" in table._repr_html_(), "a notebook shows a table")
    # Tables as sequences of rows and as mappings of columns.
    same([len(table[:3]), len(table[::2]), len(table[table["depth"] == 0]), len(table[[]]), len(table[[2, 0]])],
         [3, (len(table) + 1) // 2, int((table["depth"] == 0).sum()), 0, 2], "rows of a table by slice, mask and list")
    same(table[[2, 0]]["start_ns"].tolist(), table["start_ns"][[2, 0]].tolist(), "in the order of the list")
    same(table[:3].names("state").tolist(), table.names("state")[:3].tolist(), "with their names")
    same((table.keys(), list(dict(table)), "lane" in table), (table.columns, table.columns, True), "keys() and dict()")
    raises(TypeError, lambda: table[3], "a single row", "table[i:i + 1]")
    long = pith.open(big).states()
    html = long._repr_html_()
    ok(html.count("<tr>") == 22 and f"{len(long)} rows" in html and len(html) < 20000, "a notebook shows the ends of a long table", html[:400])
    ok("<th>ranks</th>" in log._repr_html_(), "and the facts of a log")
    # Pickled: opened again.
    again = pickle.loads(pickle.dumps(log))
    same((again.path, len(again.states())), (os.path.abspath(log_path), len(table)), "a pickled log is opened again")
    part = pickle.loads(pickle.dumps(log.where("rank == 0").where("duration > 0")))
    same(len(part.states()), len(log.where("rank == 0 and duration > 0").states()), "also that of a query")
    other = subprocess.run([sys.executable, "-c", "import pickle, sys; print(len(pickle.load(sys.stdin.buffer).states()))"],
                           input=pickle.dumps(log), capture_output=True, cwd="/")
    same(other.stdout.decode(), f"{len(table)}\n", "by another process")
raises(ValueError, log.states, "a closed log", "closed")
ok(len(table) > 0 and table["end_ns"].sum() > 0, "a table outlives its log")

wanted = {"café", "line\nbreak", "back\\slash", "broken\\xffutf8"}
ok(wanted <= set(pith.open(names).states().names("state")), "names as the program gave them", pith.open(names).definitions["name"])

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    log = pith.open(cut)
ok(len(caught) == 1 and caught[0].category is pith.IncompleteLogWarning and cut in str(caught[0].message), "a cut log: a warning",
   [str(c.message) for c in caught])
ok(0 < len(log.states()) and not log.info["complete"], "and what is whole is read")

log = pith.open(damaged)
error = raises(pith.DamagedError, log.states, "a damaged block raises", damaged)
whole = pith.open(big).states()
ok(error and 0 < len(error.partial) < len(whole), "and the exception has the rest", error and len(error.partial))

# Reading lets other threads run, and several threads may read one log.
log = pith.open(big)
steps, stop = 0, threading.Event()


def count():
    global steps
    while not stop.is_set():
        steps += 1


counter = threading.Thread(target=count)
counter.start()
log.states()
stop.set()
counter.join()
ok(steps > 1000, "the interpreter runs while a log is read", steps)
results = [None] * 4


def read(i):
    results[i] = log.states(ranks=[int(log.ranks[i % len(log.ranks)])])


threads = [threading.Thread(target=read, args=(i,)) for i in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
ok(all(np.array_equal(r["end_ns"], log.states(ranks=[int(log.ranks[i % len(log.ranks)])])["end_ns"]) for i, r in enumerate(results)),
   "four threads read one log")


# A signal at any moment of an analysis that comes from the cache, as Ctrl-C: its exception, or a result.
class Stop(Exception):
    pass


def interrupt(*unused):
    raise Stop


log.efficiency()
begin = time.monotonic()
with pith.open(big) as again:
    again.efficiency()
length, odd = time.monotonic() - begin, []
signal.signal(signal.SIGALRM, interrupt)
for part in range(1, 60):
    again = pith.open(big)
    try:
        signal.setitimer(signal.ITIMER_REAL, length * part / 60)
        again.efficiency()
        signal.setitimer(signal.ITIMER_REAL, 0)
    except Stop:
        pass
    except Exception as exception:
        odd.append(repr(exception))
signal.setitimer(signal.ITIMER_REAL, 0)
same(odd, [], "a signal stops an analysis")


def held():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def use():
    with pith.open(log_path) as opened:
        opened.states()
        opened.messages()
        opened.waits()


for _ in range(200):
    use()
# Damage anywhere: an error of the package, or a result.
methods = [name for name in asked if name != "time_profile"] + ["time_profile"]
with open(log_path, "rb") as file:
    whole = file.read()
odd = []
warnings.simplefilter("ignore")
for at in [*range(0, len(whole), 24), *(-size for size in range(100, len(whole), 100))]:
    changed = bytearray(whole if at >= 0 else whole[:-at])
    changed[max(at, 0):max(at, 0) + 8 * (at >= 0)] = bytes(8 * (at >= 0))
    with open("changed.pith", "wb") as file:
        file.write(changed)
    try:
        opened = pith.open("changed.pith")
    except (pith.Error, OSError):
        continue
    for name in methods:
        try:
            getattr(opened, name)()
        except (pith.Error, OSError):
            pass
        except Exception as error:  # noqa: BLE001 - any is a fault
            odd.append((at, name, repr(error)))
    opened.close()
same(odd, [], "a log changed or cut anywhere: no other exception")
with open("far.txt", "w") as file:
    file.write("-9223372036\t0\t0\tenter\tmain\n0\t1\t0\tenter\tx\n9223372036\t0\t0\tleave\tmain\n")
far = pith.open("far.txt")
raises(pith.FormatError, far.load_imbalance, "times of 584 years, added", "far.txt: its times are too far apart")
raises(pith.FormatError, far.time_profile, "and in a profile", "far.txt: its times are too far apart")

before, files = held(), len(os.listdir("/proc/self/fd"))
for _ in range(10000):
    pith.open(log_path).close()
for _ in range(300):
    use()
ok(held() - before < 8 << 20, "10,000 opens and 300 analyses leave no memory behind", f"{held() - before} bytes")
same(len(os.listdir("/proc/self/fd")), files, "nor files")
finish()
