"""page_tap.py - the checks of pages, printed as TAP; `plan` prints how many there were."""
import itertools
import re

number = itertools.count(1)


def ok(good, what, *why):
    print(f"{'ok' if good else 'not ok'} {next(number)} - {what}", flush=True)
    for line in [] if good else why:
        print(f"#   {line}")
    return good


def same(got, wanted, what):
    return ok(got == wanted, what, f"got:    {got!r}", f"wanted: {wanted!r}")


def like(got, pattern, what):
    return ok(re.search(pattern, got), what, f"got:    {got!r}", f"wanted: /{pattern}/")


def has(got, wanted, what):
    return ok(wanted in got, what, f"got:    {got!r}", f"wanted: {wanted!r}")


def plan():
    print(f"1..{next(number) - 1}")
