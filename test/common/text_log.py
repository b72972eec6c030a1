"""text_log.py - the text that `pith print` gives and `pith convert` takes, for the checks in Python (lib.sh sets the path)."""
import collections

# fields: a dict of texts, what stands behind the name as key=value
Record = collections.namedtuple("Record", "ns rank thread kind name fields")


def ns(text):
    """Nanoseconds of a time in seconds with up to nine decimals."""
    whole, _, part = text.lstrip("-").partition(".")
    value = int(whole) * 10**9 + int(part.ljust(9, "0"))
    return -value if text.startswith("-") else value


def seconds(time_ns):
    return "%s%d.%09d" % ("-" * (time_ns < 0), *divmod(abs(time_ns), 10**9))


def fields(cells):
    return dict(cell.split("=", 1) for cell in cells if "=" in cell)


def records(lines):
    """Of all lines those of records, as Record."""
    for line in lines:
        if line.strip() and not line.startswith("#"):
            time, rank, thread, kind, name, *rest = line.rstrip("\n").split("\t")
            yield Record(ns(time), int(rank), int(thread), kind, name, fields(rest))


def line(time_ns, rank, thread, *rest):
    """A record's line: kind, name and key=value follow, apart or joined by tabs."""
    return "\t".join((seconds(time_ns), str(rank), str(thread)) + rest)


def comm(number, name, ranks):
    return "# comm\tcomm=%d\tname=%s\tsize=%d\tranks=%s" % (number, name, len(ranks), ",".join(map(str, ranks)))


def innermost(names, name):
    """The index of the innermost open state of this name; None: none."""
    return next((i for i in reversed(range(len(names))) if names[i] == name), None)
