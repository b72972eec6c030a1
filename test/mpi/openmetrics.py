"""openmetrics.py - reads metrics from standard input by the rules of OpenMetrics 1.0, as far as gauges need them, and prints
each error; then evaluates its argument, in which `m` is {(name, (label, value), ...): number}, labels sorted."""
import re
import sys

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"'
SAMPLE = re.compile(r"(%s)\{(%s(?:,%s)*)?\} (-?[0-9.]+(?:e[+-]?[0-9]+)?)" % (NAME, LABEL, LABEL))
text = sys.stdin.buffer.read().decode("utf-8")  # must be UTF-8
m, seen, family, has_samples, unit = {}, set(), None, False, ""


def wrong(number, what):
    print("line %d: %s" % (number, what))


lines = text.split("\n")
if lines[-2:] != ["# EOF", ""]:
    wrong(len(lines), "the last line is not # EOF")
for number, line in enumerate(lines[:-2], 1):
    about = re.fullmatch("# (TYPE|UNIT|HELP) (%s) (.+)" % NAME, line)
    sample = SAMPLE.fullmatch(line)
    if about:
        kind, name, rest = about.groups()
        if kind == "TYPE":
            if name in seen:
                wrong(number, "a second family " + name)
            if rest != "gauge":
                wrong(number, "no gauge")
            seen.add(name)
            family, has_samples = name, False
        elif name != family or has_samples:
            wrong(number, kind + " is not at the begin of its family")
        if kind == "UNIT" and not name.endswith("_" + rest):
            wrong(number, "the name does not end with its unit")
    elif sample:
        has_samples = True
        if sample.group(1) != family:
            wrong(number, "a sample outside its family")
        labels = re.findall(LABEL, sample.group(2) or "")
        if len(dict(labels)) != len(labels):
            wrong(number, "a label twice")
        plain = [(k, re.sub(r"\\(.)", lambda e: "\n" if e[1] == "n" else e[1], v)) for k, v in labels]
        key = (sample.group(1), *sorted(plain))
        if key in m:
            wrong(number, "a series twice")
        m[key] = float(sample.group(sample.lastindex))
    else:
        wrong(number, "is neither a sample nor a description: " + line)


def value(name, **labels):
    """The only value of this name with these labels."""
    found = [v for k, v in m.items() if k[0] == name and set(labels.items()) <= set(k[1:])]
    return found[0] if len(found) == 1 else found


if len(sys.argv) > 1:
    print(eval(sys.argv[1]))
