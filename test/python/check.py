"""check.py - what the tests in Python share: TAP lines, and the commands as the other opinion."""

import json
import subprocess

_count = 0


def ok(good, what, said=""):
    """Prints a TAP line; returns `good`."""
    global _count
    _count += 1
    print(f"{'ok' if good else 'not ok'} {_count} - {what}")
    if not good and str(said):
        print("# " + str(said).replace("\n", "\n# "))
    return good


def same(got, wanted, what):
    return ok(got == wanted, what, f"got:    {got}\nwanted: {wanted}")


def raises(error, function, what, text=""):
    """The call raises `error` with `text` in it; returns the exception."""
    try:
        function()
    except error as raised:
        ok(text in str(raised), what, raised)
        return raised
    ok(False, what, "no exception")
    return None


def pith(*words):
    """The output of a command."""
    return subprocess.run(["pith", *words], check=True, capture_output=True, text=True).stdout


def rows(*words):
    return json.loads(pith(*words, "--json"))


def ns(seconds):
    """Nanoseconds of a time that a command printed with nine decimals."""
    return int(round(float(seconds) * 1e9))


def finish():
    print(f"1..{_count}")
