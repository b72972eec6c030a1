"""unfold_oracle.py LOG UNFOLD FROM TO BARS FLAMES - draws LOG with `--unfold UNFOLD`, from FROM to TO ns, and compares the
picture with its records, one by one: labels, the pixels of each level and depth, names and durations. BARS has the bars of
functions by flame_log.py, FLAMES what `pith print` says of them. Prints checks.

unfold_oracle.py LOG UNFOLD FROM TO LINES - compares it with the window, whose lines of pixels are in LINES."""
import re
import subprocess
import sys

from page_oracle import pith, records_of

HEIGHT, TOP, BAR_TOP, LEFT = 24, 46, 2, 16  # of a row; of the first row; of the bar in a row; of labels


def levels_of(records):
    """[{begin, end, name, whole}] by level: what a lane is in, also for no time. A state whose outer state ends first
    moves up a level; `whole` is the time from its own begin to its end."""
    stack, levels, open_parts = [], [], []
    for time, kind, name in records:
        if kind == "enter":
            stack.append({"name": name, "from": time})
        elif kind == "leave":
            at = len(stack) - 1 - [one["name"] for one in stack[::-1]].index(name)
            stack.pop(at)["to"] = time
        for level in range(max(len(stack), len(open_parts))):
            one = stack[level] if level < len(stack) else None
            if level == len(levels):
                levels.append([])
                open_parts.append((None, 0))
            was, begin = open_parts[level]
            if was is not one:
                if was and (time > begin or was["from"] == time):
                    levels[level].append((begin, time, was))
                open_parts[level] = (one, time)
    assert not stack
    return [[(begin, end, one["name"], one["to"] - one["from"]) for begin, end, one in level] for level in levels]


def functions_of(bars):
    """The same of the functions of each lane."""
    lanes = {}
    for line in open(bars):
        rank, thread, depth, name, begin, end = line.split()
        levels = lanes.setdefault((int(rank), int(thread)), [])
        while len(levels) <= int(depth):
            levels.append([])
        levels[int(depth)].append((int(begin), int(end), name, int(end) - int(begin)))
    return lanes


def colours_of(text):
    """{ name: {colours} } of functions; those of one name have several."""
    colours = {}
    for name, colour in re.findall(r"^# state\tname=(\[no core\]|\S+).*\tcolour=#(\w+)", text, re.M):
        colours.setdefault(name.replace(" ", "_"), set()).add(colour)
    return colours


def darker(colour):
    return "".join(f"{int(int(colour[i:i + 2], 16) * 0.65):02x}" for i in (0, 2, 4))


def duration(ns):
    unit, name = next((unit, name) for unit, name in ((1e9, "s"), (1e6, "ms"), (1e3, "us"), (1, "ns")) if ns >= unit)
    return f"{ns / unit:.4g} {name}"


def within(levels, from_ns, to_ns):
    """The levels in which there is something in this time. Row 64 shows the innermost of all deeper ones: not known
    here (None)."""
    count = len(levels)
    while count and not any(begin < to_ns and max(begin + 1, end) > from_ns for begin, end, *_ in levels[count - 1]):
        count -= 1
    return levels[:count] if count <= 64 else levels[:63] + [None]


def rows_of(log, unfold, bars, from_ns, to_ns):
    """[(label, parts, is function)] of the rows that the picture must have, from top to bottom; parts None: several
    levels."""
    rows, functions = [], functions_of(bars)
    for (rank, thread), records in records_of(log).items():
        label = f"{rank}.{thread}" if thread else f"rank {rank}"
        levels = levels_of([record for record in records if record[1] != "event"])
        if unfold != "all" and str(rank) not in unfold.split(","):
            rows.append((label, None, False))
            continue
        levels = within(levels, from_ns, to_ns) or [[]]
        depths = within(functions.get((rank, thread), []), from_ns, to_ns)
        rows += [(f"level {i + 1}" if i else label, parts, False) for i, parts in enumerate(levels)]
        rows += [(f"depth {i + 1}", parts, True) for i, parts in enumerate(depths)]
    return rows


def picture(words):
    """The lines of pixels as hexadecimal text."""
    subprocess.run(["pith", *words, "-o", "unfold.png"], check=True)
    subprocess.run(["convert", "unfold.png", "-depth", "8", "ppm:unfold.ppm"], check=True)
    _, size, _, pixels = open("unfold.ppm", "rb").read().split(b"\n", 3)
    width, height = map(int, size.split())
    return [pixels[3 * width * y:3 * width * (y + 1)].hex() for y in range(height)]


def place_of_axis(line):
    """The first pixel and the width of the axis in a line; the rest of the line is paper."""
    drawn = [x for x in range(len(line) // 6) if line[6 * x:6 * x + 6] != line[:6]]
    return drawn[0], drawn[-1] - drawn[0] + 1


def wrong_pixels(rows, lines, left, width, from_ns, to_ns, colours):
    """What is wrong; and how many pixels were known."""
    wrong, sure, step = [], 0, (to_ns - from_ns) / width
    everything = [colour for of in colours for name in of.values() for colour in name]
    everything = set(everything) | {darker(colour) for colour in everything}
    for row, (label, parts, is_function) in enumerate(rows):
        line = lines[TOP + row * HEIGHT + BAR_TOP + 11]
        seen = [[] for _ in range(width)]
        for begin, end, name, _ in parts or []:
            for column in range(max(0, int((begin - from_ns) / step) - 1), min(width, int((end - from_ns) / step) + 2)):
                seen[column].append((begin, end, name))
        for column in range(width if parts is not None else 0):
            low, high, covers = from_ns + column * step, from_ns + (column + 1) * step, {}
            for begin, end, name in seen[column]:
                covers[name] = covers.get(name, 0) + max(0, min(end, high) - max(begin, low)) / step
            most = max(covers, key=covers.get, default=None)
            got = line[6 * (left + column):6 * (left + column) + 6]
            near = any(begin < high + 1 and end > low - 1 for begin, end, _ in seen[column])
            if most and covers[most] > 0.55:
                of = colours[is_function][most]
                good = got in of or got in {darker(colour) for colour in of}
            elif not near:
                good = got not in everything
            else:
                continue
            sure += 1
            if not good:
                wrong.append((label, column, got, covers))
    return wrong, sure


def wrong_names(rows, svg, left, width, from_ns, to_ns):
    """What is wrong of names and durations; how many there are of both."""
    wrong, counts, step = [], [0, 0], (to_ns - from_ns) / width
    named = [set() for _ in rows]
    last = None
    for x, y, text in re.findall(r'<text x="([\d.]+)" y="([\d.]+)">([^<]*)<', svg):
        row = (float(y) - TOP - 15) / HEIGHT
        if row not in range(len(rows)) or float(x) <= left or rows[int(row)][1] is None:
            continue
        time = from_ns + (float(x) - left) * step
        found = [part for part in rows[int(row)][1] if part[0] - step <= time <= part[1] + step]
        if re.fullmatch(r"[\d.e+]+ (ns|us|ms|s)", text):
            counts[1] += 1
            if not last or text not in [duration(part[3]) for part in found if part in last]:
                wrong.append((rows[int(row)][0], x, text, found))
            continue
        begin = re.sub(r" ?\u2026$| \(.*", "", text).replace(" ", "_")
        last = [part for part in found if part[2].startswith((begin, "MPI_" + begin))]
        counts[0] += 1
        named[int(row)] |= set(last)
        if not last:
            wrong.append((rows[int(row)][0], x, text, found))
    for row, (label, parts, _) in enumerate(rows):
        for before, part in zip([(0, 0, None), *(parts or [])], parts or []):
            if before[1] == part[0] and before[2] == part[2]: # may be one bar, if it comes from another level
                continue
            if (min(part[1], to_ns) - max(part[0], from_ns)) / step > 60 and part not in named[row]:
                wrong.append((label, "has no name", part))
    return wrong, counts


def ok(good, what, *wrong):
    print(f"{'ok' if good else 'not ok'} - {what}")
    for one in [] if good else wrong[:4]:
        print(f"# {one}")


def main(log, unfold, from_ns, to_ns, bars, flames):
    from_ns, to_ns = int(from_ns), int(to_ns)
    rows = rows_of(log, unfold, bars, from_ns, to_ns)
    states = sorted({name for of in records_of(log).values() for _, kind, name in of if kind == "enter"})
    colours = [{name: {f"{i % 5 * 50:02x}ff{i * 8:02x}"} for i, name in enumerate(states)},
               colours_of(open(flames).read())]
    given = "; ".join(f"colour {name} #{colour}" for name, of in colours[0].items() for colour in of)
    words = ["draw", log, "--unfold", unfold, "--from", f"{from_ns}ns", "--to", f"{to_ns}ns", "-e",
             f"height {HEIGHT}; arrows off; hide pith:*; {given}"]
    subprocess.run(["pith", *words, "-o", "unfold.svg", "--full"], check=True)
    svg = open("unfold.svg").read()
    labels = re.findall(rf'<text x="{LEFT}" y="([\d.]+)">([^<]*)<', svg)
    labels = [text for y, text in labels if TOP < float(y) < TOP + HEIGHT * len(rows)]
    what = f"{log}, --unfold {unfold}, {from_ns} to {to_ns}: "
    ok(labels == [row[0] for row in rows], f"{what}{len(rows)} rows", labels, [row[0] for row in rows])
    lines = picture([*words, "-e", "names off"])
    left, width = place_of_axis(lines[TOP + HEIGHT * len(rows)])
    wrong, sure = wrong_pixels(rows, lines, left, width, from_ns, to_ns, colours)
    ok(not wrong and sure > 2000, f"{what}{sure} pixels are as the records say", *wrong)
    wrong, (names, durations) = wrong_names(rows, svg, left, width, from_ns, to_ns)
    ok(not wrong and names > 5, f"{what}{names} names, {durations} durations", *wrong)


def compare_with_window(log, unfold, from_ns, to_ns, file):
    """The window has the rows of the whole log, also those of which the time has nothing."""
    seen = open(file).read().split()
    width, whole = len(seen[0]) // 6, rows_of(log, unfold, "bars", -1, 1 << 62)
    rows, at = rows_of(log, unfold, "bars", int(from_ns), int(to_ns)), []
    for number, row in enumerate(whole):
        if len(at) < len(rows) and row[0] == rows[len(at)][0]:
            at.append(number)
    words = ["draw", log, "--unfold", unfold, "--from", f"{from_ns}ns", "--to", f"{to_ns}ns", "-e",
             f"height {HEIGHT}; arrows off; names off; hide pith:*"]
    left, other = place_of_axis(picture(words)[TOP + HEIGHT * len(rows)])
    lines = picture([*words, "--size", str(1200 + width - other)])
    there = [(row * HEIGHT + y, number * HEIGHT + y) for row, number in enumerate(at) for y in range(HEIGHT)]
    there = [(y, of) for y, of in there if of < len(seen)]
    wrong = [y for y, of in there if seen[of] != lines[TOP + y][6 * left:6 * (left + width)]]
    ok(not wrong and len(there) > 300, f"{len(there)} lines of {width} pixels as in the window", *wrong)


if len(sys.argv) == 6:
    compare_with_window(*sys.argv[1:])
else:
    main(*sys.argv[1:])
