"""recorded.py - a program that records itself: states, a decorator, an exception, events, counters, threads."""

import threading

import pith

solve = pith.state("solve", "SeaGreen")
step = pith.event("step", format="i=%d")
plain = pith.event("plain")
residual = pith.counter("residual", "K")


@pith.state("helper")
def helper(n):
    """Helps."""
    return helper(n - 1) + 1 if n else 0


assert helper.__name__ == "helper" and helper.__doc__ == "Helps."
for i in range(10):
    with solve as entered:
        assert entered is solve
        step.record(i.to_bytes(4, "big"))
        residual.set(1 / (i + 1))
        assert helper(2) == 2
try:
    with solve:
        raise KeyError("goes on")
except KeyError:
    plain.record()


def work():
    pith.thread_name("worker")
    for _ in range(5):
        solve.begin()
        solve.end()


threads = [threading.Thread(target=work) for _ in range(3)]
for t in threads:
    t.start()
for t in threads:
    t.join()
pith.pause()
with solve:
    pass
pith.resume()
for wrong in (lambda: residual.set("x"), lambda: step.record(3), lambda: pith.state(), lambda: step.record(b"", b"")):
    try:
        wrong()
    except TypeError:
        continue
    raise SystemExit("a wrong argument was taken")
assert pith.lost() == 0
