"""page_checks.py - looks at pages in Chromium and uses them with pointer and keys, at 1 and 2 device pixels per pixel.
Prints TAP. What a page shows is compared with the records of its log, and with what the commands say of the log.
test_page.sh makes the logs and the pages of the current folder."""
import json
import random
import re
import subprocess
import sys

from browser import ALT, CTRL, SHIFT, Browser
from page_oracle import computing_of, hits_of, records_of, seconds, stacks_of, stat_of, sums_of
from page_tap import like, ok, plan, same


# ---- A page, and what is seen of it

PIXELS = """window.pixels = (points) => {
  const canvas = document.querySelector(".rows canvas"), pen = canvas.getContext("2d"), ratio = devicePixelRatio;
  const image = pen.getImageData(0, 0, canvas.width, canvas.height).data;
  return points.map(([x, y]) => {
    const at = (Math.floor(y * ratio + 1e-6) * canvas.width + Math.floor(x * ratio + 1e-6)) * 4;
    return [...image.slice(at, at + 3)].map((part) => part.toString(16).padStart(2, "0")).join("");
  });
}; 0"""


class Shown:
    """A page with the place of its time lines: `left` in them is where time begins, `wide` how much room it has."""

    def __init__(self, browser, path, **how):
        self.page = browser.open(path, **how)
        self.scale = how.get("scale", 1)
        self.page.ask(PIXELS)
        self.x, self.y, width, self.high = self.page.box(".rows")
        line = self.pixels([(i / self.scale, 4) for i in range(int(width * self.scale))])
        paper = self.page.ask("getComputedStyle(document.documentElement).getPropertyValue('--paper').trim()")[1:]
        self.left = next(i for i, colour in enumerate(line) if colour != paper and colour != "000000") / self.scale
        self.wide = width - self.left

    def pixels(self, points):
        return self.page.ask(f"pixels({json.dumps(points)})")

    def colour(self, part, y):
        """The colour at a part of the time that is seen, and y pixels below the first row's top."""
        return self.pixels([(self.left + self.wide * part, y)])[0]

    def at(self, part, y):
        """As a place in the page's window."""
        return self.x + self.left + self.wide * part, self.y + y

    def window(self):
        return self.page.text(".window")

    def table(self):
        """{ name: [count, inclusive, exclusive, share, exact inclusive, exact exclusive] } as shown."""
        rows = self.page.ask("""[...document.querySelectorAll("tbody tr")].map((line) => [...line.cells]
            .flatMap((cell, i) => i === 0 ? [cell.innerText.trim()] : [cell.innerText])
            .concat([2, 3].map((i) => line.cells[i] ? line.cells[i].title : "")))""")
        return {row[0]: row[1:] for row in rows}

    def link(self):
        """The link to what is shown, which follows after a moment."""
        self.page.ask("new Promise((done) => setTimeout(done, 300))")
        return self.page.ask("location.hash").lstrip("#")


def selected(link):
    """The selection in a link, in nanoseconds."""
    found = re.search(r"select=(\d+\.\d{9})-(\d+\.\d{9})", link)
    return [int(second.replace(".", "")) for second in found.groups()] if found else None


# ---- A small log: what it shows, keys, pointer

def check_plain(browser, scale):
    shown = Shown(browser, "bare.html", scale=scale)
    page, at = shown.page, f" ({scale})"
    same(page.ask("devicePixelRatio"), scale, f"{scale} device pixels per pixel")
    same(page.text("h1"), "plain.pith", "the title" + at)
    like(page.text(".faint"), r"^2 ranks, \d+ records, 1 s$", "the line below it" + at)
    ok(30 < shown.left < 100, "bars begin beside the labels" + at)
    for part, y, colour, what in [
            (0.15, 15, "cc0000", "red at 0.15 s"), (0.25, 15, "00aa00", "green in it at 0.25 s"),
            (0.25, 5, "cc0000", "red around it"), (0.8, 15, "0000cc", "blue at 0.8 s"),
            (0.3, 55, "0000cc", "rank 1: blue at 0.3 s"), (0.95, 45, "000000", "rank 1: nothing at 0.95 s"),
            (0.1, 33, "ff00ff", "its event at 0.1 s")]:
        same(shown.colour(part, y), colour, what + at)
    same(shown.window(), "0.000 s \u2013 1.000 s, 1 s", "the window of time" + at)
    same(shown.table()["red"][:4], ["1", "500 ms", "400 ms", "20 %"], "the table of states" + at)
    same(list(shown.table()), ["blue", "red", "no state", "green", "mark", "messages"], "by exclusive time" + at)
    page.click(*[page.box("th")[i] + 3 for i in (0, 1)])
    same(list(shown.table()), ["blue", "green", "mark", "no state", "red", "messages"], "and by name" + at)
    page.move(*shown.at(0.25, 15))
    tip = lambda: re.sub(r"\s+", " ", page.text(".tip").strip())
    like(tip(), r"^green rank 0 at 2(49|50|51)(\.\d)? ms 100 ms$", "under the pointer: green" + at)
    page.move(*shown.at(0.5, 29))
    same(tip().replace("\u2009", " "), "message rank 0 to rank 1 1 024 bytes, tag 7 sent 400 ms took 200 ms",
         "and the message" + at)
    line = lambda: shown.pixels([(shown.left + shown.wide / 2, y / 2) for y in range(54, 65)])
    before = line()
    page.key("m")
    ok(line() != before, "m: no message" + at)
    check_keys(shown, at)
    check_pointer(shown, at)
    page.close()


def check_keys(shown, at):
    page = shown.page
    for key, keys, wanted in [
            ("+", 0, "250.0 ms \u2013 750.0 ms, 500 ms"), ("ArrowLeft", 0, "125.0 ms \u2013 625.0 ms, 500 ms"),
            ("d", 0, "250.0 ms \u2013 750.0 ms, 500 ms"), ("w", 0, "375.0 ms \u2013 625.0 ms, 250 ms"),
            ("a", 0, "312.5 ms \u2013 562.5 ms, 250 ms"), ("ArrowRight", SHIFT, "562.5 ms \u2013 812.5 ms, 250 ms"),
            ("ArrowLeft", SHIFT, "312.5 ms \u2013 562.5 ms, 250 ms"),
            ("ArrowRight", 0, "375.0 ms \u2013 625.0 ms, 250 ms"),
            ("s", 0, "250.0 ms \u2013 750.0 ms, 500 ms"), ("u", 0, "375.0 ms \u2013 625.0 ms, 250 ms"),
            ("u", 0, "312.5 ms \u2013 562.5 ms, 250 ms"), ("r", 0, "375.0 ms \u2013 625.0 ms, 250 ms"),
            ("z", CTRL, "312.5 ms \u2013 562.5 ms, 250 ms"), ("-", 0, "187.5 ms \u2013 687.5 ms, 500 ms"),
            ("0", 0, "0.000 s \u2013 1.000 s, 1 s"), ("u", 0, "187.5 ms \u2013 687.5 ms, 500 ms"),
            ("f", 0, "0.000 s \u2013 1.000 s, 1 s")]:
        page.key(key, keys)
        same(re.sub(r"(\.\d)\d+ ms", r"\1 ms", shown.window()), wanted, f"key {'Ctrl-' * (keys == CTRL)}{key}{at}")
    for _ in range(30):
        page.key("+")
    same(re.sub(".*, ", "", shown.window()), "20 ns", "no nearer than 20 ns" + at)
    same(shown.colour(0.9, 15), "0000cc", "where a bar goes over all of it" + at)
    page.key("Home")
    same(page.ask("document.querySelector('.card').checkVisibility()"), False, "no card of keys" + at)
    page.key("?")
    like(page.text(".card"), r"(?s)\+ +w.*zoom in.*Esc.*Drag", "?: the keys" + at)
    page.key("Escape")
    same(page.ask("document.querySelector('.card').checkVisibility()"), False, "Esc closes it" + at)
    high = page.box(".rows")[3]
    page.key("]")
    ok(page.box(".rows")[3] > high, "]: higher rows" + at)
    page.key("[")
    same(page.box(".rows")[3], high, "[: lower rows" + at)
    page.move(*shown.at(0.25, 15))
    page.key("h")
    same(shown.colour(0.25, 15), "cc0000", "h: green, below the pointer, is hidden" + at)
    page.key("H")
    same(shown.colour(0.25, 15), "00aa00", "H: it is shown again" + at)


def check_pointer(shown, at):
    page = shown.page
    page.wheel(*shown.at(0.25, 15), -100)
    page.wheel(*shown.at(0.25, 15), -100)
    like(shown.window(), r"^\d\d\.\d\d? ms . [67]\d\d\.\d\d? ms", "the wheel zooms" + at)
    same(shown.colour(0.25, 15), "00aa00", "about the pointer" + at)
    page.key("u")
    same(shown.window(), "0.000 s \u2013 1.000 s, 1 s", "u: both turns are undone" + at)
    page.drag(*shown.at(0.1, 15), *shown.at(0.4, 15))
    from_ns, to_ns = selected(shown.link())
    ok(abs(from_ns - 1e8) < 2e6 and abs(to_ns - 4e8) < 2e6, "a drag selects" + at, from_ns, to_ns)
    same([shown.colour(part, y) for part, y in [(0.05, 15), (0.3, 5), (0.8, 15)]], ["eb9999", "cc0000", "9999eb"],
         "what is outside is pale" + at)
    like(page.text(".stretch"), r"^Selection: (300|29\d|30\d)(\.\d+)? ms, ", "its duration" + at)
    page.drag(*shown.at(0.4, 15), *shown.at(0.6, 15))
    after = selected(shown.link())
    ok(after[0] == from_ns and abs(after[1] - 6e8) < 2e6, "its edge is dragged" + at, after)
    page.click(*shown.at(0.3, 5))
    same(selected(shown.link()), after, "a click inside keeps it" + at)
    page.key("Escape")
    page.click(*shown.at(0.3, 15), clicks=2)
    like(shown.window(), r"^(99|100|101)\.\d ms . (59\d|60\d)\.\d ms", "a double click inside zooms to it" + at)
    page.key("f")
    page.key("z")
    like(shown.window(), r"^(99|100|101)\.\d ms . (59\d|60\d)\.\d ms", "z, too" + at)
    page.key("f")
    page.key("Escape")
    page.key("Escape")
    same([selected(shown.link()), shown.colour(0.05, 15)], [None, "cc0000"], "Esc: no selection" + at)
    page.drag(*shown.at(0.1, 15), *shown.at(0.4, 15))
    page.click(*shown.at(0.8, 40))
    same(selected(shown.link()), None, "a click outside: no selection" + at)
    page.drag(*shown.at(0.2, 15), *shown.at(0.4, 15), drop=False)
    page.key("Escape")
    page.drop(*shown.at(0.4, 15))
    same(selected(shown.link()), None, "Esc in a drag: no selection" + at)
    page.click(*shown.at(0.25, 15), clicks=2)
    same(shown.window(), "200.0 ms \u2013 300.0 ms, 100 ms", "a double click: to green" + at)
    page.key("f")
    page.drag(*shown.at(0.25, 15), *shown.at(0.5, 15), CTRL)
    like(shown.window(), r"^(249|250|251)\.\d ms . (499|500|501)\.\d ms", "Ctrl-drag zooms" + at)
    page.drag(*shown.at(0.5, 15), *shown.at(0.1, 15), SHIFT)
    like(shown.window(), r"^(349|350|351)\.\d ms", "Shift-drag moves" + at)
    page.drag(*shown.at(0.1, 15), *shown.at(0.5, 15), button="middle")
    like(shown.window(), r"^(249|250|251)\.\d ms", "a drag with the middle button, too" + at)
    page.key("u")
    page.key("u")
    like(shown.window(), r"^(249|250|251)\.\d ms . (499|500|501)\.\d ms", "a drag is undone as one" + at)
    page.key("f")
    page.click(*[page.box("button[title^='zoom in']")[i] + 5 for i in (0, 1)])
    same(shown.window(), "250.0 ms \u2013 750.0 ms, 500 ms", "a button" + at)
    x, y, width, _ = page.box(".overview")
    page.click(x + shown.left + shown.wide * 0.25, y + 10)
    like(shown.window(), r"^[01]\.\d ms . 50[01]\.\d ms, 500 ms$", "the overview goes there" + at)


# ---- The legend, colours, the link

def check_touch(browser, scale):
    """Fingers in a log of a second."""
    shown = Shown(browser, "plain.html", scale=scale)

    def touch(*places):
        shown.page.touch(*[[shown.at(part, 15 + 30 * i) for i, part in enumerate(parts)] for parts in places])

    def sees(wanted, what):
        found = re.match(r"(\d\.\d{9})-(\d\.\d{9})$", shown.link())
        got = [float(time) for time in found.groups()] if found else shown.link()
        ok(found and all(abs(a - b) < 0.005 for a, b in zip(got, wanted)), f"{what} (scale {scale})", got, wanted)
    touch([0.4, 0.6], [0.35, 0.65], [0.3, 0.7])
    sees([0.25, 0.75], "two fingers zoom")
    shown.page.key("u")
    same(shown.link(), "", f"which is undone at once (scale {scale})")
    touch([0.4, 0.6], [0.35, 0.65], [0.3, 0.7])
    touch([0.5], [0.4], [0.25])
    sees([0.375, 0.875], "a finger moves")
    touch([0.25, 0.75], [0.4, 0.8])
    sees([0.25, 0.875], "two fingers zoom out, and move")
    shown.page.close()


def check_legend(browser):
    shown = Shown(browser, "bare.html")
    page = shown.page
    place = lambda name: page.ask(f"""(() => {{ const label = [...document.querySelectorAll("tbody label")]
        .find((label) => label.innerText.trim() === "{name}"), box = label.getBoundingClientRect();
        return [box.right - 5, box.y + box.height / 2]; }})()""")
    boxes = lambda: page.ask("""Object.fromEntries([...document.querySelectorAll("tbody label")].map((label) =>
        [label.innerText.trim(), label.querySelector("input").checked]))""")
    everything = {"blue": True, "red": True, "green": True, "mark": True}
    same(boxes(), everything, "all are shown")
    page.click(*place("green"))
    same([shown.colour(0.25, 15), boxes()["green"]], ["cc0000", False], "a click hides green")
    page.click(*place("green"))
    same([shown.colour(0.25, 15), boxes()], ["00aa00", everything], "and shows it")
    page.click(*place("green"), keys=ALT)
    same([shown.colour(0.25, 15), shown.colour(0.8, 15) != "0000cc", boxes()],
         ["00aa00", True, {name: name == "green" for name in everything}], "Alt-click: only green")
    like(shown.link(), "^hide=blue,red,event%3Amark$", "which the link knows")
    page.click(*place("green"), keys=ALT)
    same(boxes(), everything, "once more: all")
    page.click(*place("blue"), clicks=2)
    same([shown.colour(0.8, 15), boxes()], ["0000cc", {name: name == "blue" for name in everything}],
         "a double click: only blue")
    page.click(*place("blue"), clicks=2)
    same(boxes(), everything, "and all again")
    page.close()


def check_colours_of_page(browser):
    shown = Shown(browser, "bare.html", dark=True)
    page = shown.page
    ground = lambda: page.ask("getComputedStyle(document.body).backgroundColor")
    same(ground(), "rgb(23, 27, 32)", "dark where the user likes it dark")
    page.prefer("light")
    page.settle()
    same(ground(), "rgb(255, 255, 255)", "light when the user changes it")
    page.key("t")
    same([ground(), page.text("button[title^='light']")], ["rgb(23, 27, 32)", "Light"], "t: dark")
    ok(shown.colour(0.95, 45) != "e9edf1" and shown.colour(0.25, 15) == "00aa00",
       "the rows, too, but not the colours of states")
    page.click(*[page.box("button[title^='light']")[i] + 5 for i in (0, 1)])
    same(ground(), "rgb(255, 255, 255)", "the button: light")
    page.close()


def check_link(browser):
    shown = Shown(browser, "many.html", size=(1200, 1400))
    page = shown.page
    page.key("+")
    page.drag(*shown.at(0.2, 15), *shown.at(0.7, 15))
    page.click(*page.ask("""(() => { const box = document.querySelector("tbody label").getBoundingClientRect();
        return [box.right - 3, box.y + 5]; })()"""))
    page.key("PageDown")
    link = shown.link()
    like(link, r"^\d\.\d{9}-\d\.\d{9}&select=\d\.\d{9}-\d\.\d{9}&hide=.+&row=\d+$",
         "view, selection, hidden names, row")
    browser.send("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    page.click(*[page.box("button[title^='a link']")[i] + 5 for i in (0, 1)])
    same(page.ask("navigator.clipboard.readText()"), f"{page.url}#{link}", "the button copies it")
    see = lambda page: [page.text(".window"), page.text(".stretch"), page.text("table"),
                        page.ask("document.querySelector('.rows').scrollTop"),
                        page.ask("document.querySelector('.rows canvas').toDataURL()")]
    page.move(5, 5)
    other = Shown(browser, "many.html", link=link, size=(1200, 1400))
    wanted, got = see(page), see(other.page)
    same(got[:4], wanted[:4], "the link shows the same again")
    page.front()
    page.key("f")
    page.key("Escape")
    page.key("H")
    shown.link()
    page.follow(link)
    wanted = see(page)
    same(wanted[:4], got[:4], "an address that is typed in, too")
    ok(wanted[4] == got[4], "to the pixel")
    same(shown.link(), link, "and it stays")
    page.follow("3-1&select=2.5-1.2.3")
    same(shown.link(), "", "an address without sense: all")
    page.close()
    other.page.close()


# ---- Against the log

def darker(colour):
    return "".join(f"{int(int(colour[i:i + 2], 16) * 0.65):02x}" for i in (0, 2, 4))


def bands(row_height, levels):
    """y of each level, below the row's top, where neither its outline nor a deeper level is; None: there is no room."""
    gap = min(8, int(row_height * 0.22))
    full = row_height - gap
    heights = [full] + [max(1, int(full * 0.66 ** level + 0.5)) for level in range(1, levels + 1)]
    tops = [gap // 2 + (full - height) // 2 for height in heights]
    return [tops[level] + 1.5 if tops[level + 1] - tops[level] >= 3 else None for level in range(levels)]


RICH_ROWS = [0, 2, 3, 4, 5, 6, 7, 8]  # the row of each lane: a counter is below the first


def depths_of(log):
    return [max(len(stack) for _, stack in stacks_of(records)) for records in records_of(f"{log}.pith").values()]


def check_pixels(browser, name, rows, row_height, levels, scale, seed, unfolded=""):
    """Each pixel that is looked at has the colour of a state that its lane is in, at this level, in this pixel's time
    or next to it. If the lane is in the same states all this time, there is only one. `unfolded`: the page has a row for
    each level."""
    shown = Shown(browser, f"{name}{unfolded}-bare.html", scale=scale, size=(1200, 2200 if unfolded else 900))
    page, chance = shown.page, random.Random(seed)
    colours = dict(page.ask("""[...document.querySelectorAll("tbody tr label")].map((label) => [label.innerText.trim(),
        label.querySelector(".colour").style.background.match(/\\d+/g).map((part) =>
            (+part).toString(16).padStart(2, "0")).join("")])"""))
    lanes = [stacks_of(records) for records in records_of(f"{name}.pith").values()]
    span = max(stacks[-1][0] for stacks in lanes)
    idle = page.ask("getComputedStyle(document.documentElement).getPropertyValue('--idle').trim()")[1:]
    paper = page.ask("getComputedStyle(document.documentElement).getPropertyValue('--paper').trim()")[1:]
    grid = page.ask("getComputedStyle(document.documentElement).getPropertyValue('--grid').trim()")[1:]
    ys, wrong, sure, deep = bands(row_height, levels), [], 0, set()
    depths = depths_of(name)
    for width in (span, span // 7, span // 60, span // 1000, 5000, 200):
        from_ns = chance.randrange(0, span - width + 1)
        page.follow(f"{from_ns / 1e9:.9f}-{(from_ns + width) / 1e9:.9f}")
        step = width / (shown.wide * scale)
        points, wanted = [], []
        for _ in range(400):
            lane, column = chance.randrange(len(lanes)), chance.randrange(int(shown.wide * scale))
            level = chance.randrange(depths[lane] if unfolded else levels)
            if not unfolded and ys[level] is None:
                continue
            # The line at a begin is a pixel of the style sheet wide.
            low, high = from_ns + (column - 0.6 - scale) * step, from_ns + (column + 2.1) * step
            seen = [stack for (time, stack), (end, _) in zip(lanes[lane], lanes[lane][1:] + [(1 << 62, [])])
                    if time <= high and end >= low]
            allowed = set()
            for stack in seen:
                outer = stack[:level + 1] if len(seen) > 1 else stack[:level + 1][-1:]
                outer = stack[level:level + 1] if unfolded else outer
                allowed |= {colours[state] for state in outer}
                if len(seen) > 1:
                    allowed |= {darker(colours[state]) for state in outer}
                if not outer or len(seen) > 1:
                    allowed |= {idle, paper, grid, "000000"}
            y = level * row_height + 3.5 if unfolded else ys[level]
            points.append((shown.left + (column + 0.5) / scale, rows[lane] * row_height + y))
            wanted.append((allowed, lane, level, column, width))
            if len(allowed) == 1:
                sure += 1
                deep.add(level)
        wrong += [(*place, got) for got, place in zip(shown.pixels(points), wanted) if got not in place[0]]
    name += unfolded
    ok(not wrong, f"{name} ({scale}): pixels are as the records say", *[str(one) for one in wrong[:4]])
    ok(sure > 300 and (len(deep) > 9 if unfolded else len(deep) == sum(y is not None for y in ys)),
       f"{name} ({scale}): {sure} of them exactly, at {len(deep)} levels")
    page.close()


OUTSIDE = ("computing", "no state")


def figures(table):
    """{ name: (count, inclusive, exclusive) } by the page's table, of states and events."""
    whole = lambda text: int(text.replace("\u2009", "") or -1)
    return {name: (whole(cells[0]), *[round(float(cell or 0) * 1e9) for cell in cells[-2:]])
            for name, cells in table.items() if name != "messages" and name not in OUTSIDE and whole(cells[0])}


def computing(table):
    """The time outside all states by the page's table."""
    return sum(round(float(cells[-1]) * 1e9) for name, cells in table.items() if name in OUTSIDE)


def check_selection(browser, name, asked, seed, unfolded=""):
    shown, chance = Shown(browser, f"{name}{unfolded}.html"), random.Random(seed)
    times = sorted({time for records in records_of(f"{name}.pith").values() for time, _, _ in records})
    wrong = []
    for turn in range(12):
        # At records, between them, and narrow.
        ends = [chance.choice(times) if turn % 3 else chance.randrange(times[0], times[-1]) for _ in (1, 2)]
        from_ns, to_ns = sorted(ends)
        if turn % 4 == 3:
            to_ns = min(from_ns + 50, times[-1])
        if from_ns == to_ns:
            continue
        shown.page.follow(f"select={seconds(from_ns)}-{seconds(to_ns)}")
        table = shown.table()
        got, wanted = figures(table), asked(f"{name}.pith", from_ns, to_ns)
        if got != wanted:
            wrong += [(from_ns, to_ns, set(got.items()) ^ set(wanted.items()))]
        got, wanted = computing(table), computing_of(f"{name}.pith", from_ns, to_ns)
        if got != wanted:
            wrong += [(from_ns, to_ns, got, wanted)]
    ok(not wrong, f"{name}{unfolded}: figures of selections are those of {asked.__name__}",
       *[str(one) for one in wrong[:3]])
    shown.page.follow("")
    same(computing(shown.table()), computing_of(f"{name}.pith", times[0], times[-1]),
         f"{name}{unfolded}: all time outside states")
    shown.page.drag(*shown.at(0.31, 15), *shown.at(0.62, 15))
    ends = selected(shown.link())
    same(figures(shown.table()), asked(f"{name}.pith", *ends), f"{name}: and of one that was dragged")
    shown.page.close()


def check_unfolded(browser, searches):
    """Rows of bands: their labels, a row for each level of each lane; hits, whose durations need all of them."""
    page = browser.open("random-unfolded.html")
    labels = [f"level {level + 1}" if level else f"rank {lane}"
              for lane, depth in enumerate(depths_of("random")) for level in range(depth)]
    same(re.findall(r'^\{label: "([^"]*)"', open("random-unfolded.html").read(), re.M), labels, "a row for each level")
    for text, query in searches:
        page.key("/")
        page.ask("document.activeElement.value = ''")
        page.type(text)
        same(page.text(".said").replace("\u2009", ""), f"{len(hits_of('random.pith', query))} hits",
             f"unfolded: find {text}")
        page.key("Escape")
    page.close()


RICH_LABELS = ["rank 0", "0.1 worker", "rank 1", "1.1 worker", "rank 2", "rank 3", "rank 4", "rank 5"]
RICH_SEARCHES = [("allre", 'state ~ "*Allre*"'), ("MPI_*", 'state ~ "MPI_*"'),
                 ("MPI_Wait???", 'state ~ "MPI_Wait???"'), ("MPI_* > 0.3ms", 'state ~ "MPI_*" and duration > 0.3ms'),
                 ("compute < 200us", 'state == compute and duration < 200us'),
                 ("checkpoint", 'state ~ "*checkpoint*" or event ~ "*checkpoint*"')]

RANDOM_SEARCHES = [("state-a", 'state ~ "*state-a*"'), ("*-k > 2us", 'state ~ "*-k" and duration > 2us'),
                   ("state-q < 50ns", 'state == "state-q" and duration < 50ns')]


def check_search(browser, log, labels, searches):
    """`searches`: what is typed, and the same as a query of `pith print`."""
    shown = Shown(browser, f"{log}.html")
    page = shown.page
    said = lambda: page.text(".said").replace("\u2009", "")
    for text, query in searches:
        page.key("/")
        page.ask("document.activeElement.value = ''")
        page.type(text)
        wanted = hits_of(f"{log}.pith", query)
        same(said(), f"{len(wanted)} hits", f"find {text}")
        page.key("Escape")
        page.key("f")
        steps = [("n", i) for i in range(3)] + [("N", 1), ("N", 0), ("N", len(wanted) - 1), ("n", 0)]
        wrong = []
        for key, at in steps:
            page.key(key)
            time, lane, name = wanted[at]
            found = re.match(r"(\d+) of (\d+): (.*), (.*), at ([\d.]+) (ns|us|ms|s)", said())
            unit = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
            got = found and (int(found[1]) - 1, int(found[2]), found[3], found[4],
                             round(float(found[5]) * unit[found[6]]))
            if got != (at, len(wanted), name, labels[lane], time):
                wrong.append((got, (at, len(wanted), name, labels[lane], time)))
        ok(not wrong, f"its hits, with n and N: {text}", *[str(one) for one in wrong])
    page.close()


def check_search_shows(browser):
    shown = Shown(browser, "rich.html")
    page = shown.page
    said = lambda: page.text(".said")
    page.key("/")
    page.type("repair")
    page.key("Enter")
    accent = page.ask("getComputedStyle(document.documentElement).getPropertyValue('--accent').trim()")[1:]
    time, lane, _ = hits_of("rich.pith", 'state == repair')[0]
    row = shown.pixels([(shown.left + x, 30 * (lane + 1) + 15) for x in range(int(shown.wide))])
    ok(accent in row, "Enter: the hit has a frame, in its row")
    like(shown.window(), r"ms", f"at {time}")
    page.type("nothing")
    same(said(), "no hits", "what is not there")
    page.close()


# ---- Pages without exact times

def check_coarse(browser):
    shown = Shown(browser, "big.html", link="select=0.101000000-0.403000000")
    page = shown.page
    found = re.search(r"^Selection: 302 ms, 101.* ms . 403.* ms\. The figures are of ([\d.]+) ms . ([\d.]+) ms\. "
                      r"Exactly: pith stat big\.pith --from 0\.101000000 --to 0\.403000000", page.text(".stretch"))
    if ok(found, "a large log: which time the figures are of", page.text(".stretch")):
        # Both ends of `pith stat` belong to its window. A state that begins at the last one adds no time.
        from_ns, to_ns = [round(float(text) * 1e6) for text in found.groups()]
        got, wanted = figures(shown.table()), stat_of("big.pith", from_ns, to_ns)
        same({name: times for name, (_, *times) in got.items()}, {name: times for name, (_, *times) in wanted.items()},
             "the times are those of pith stat")
        same([name for name in shown.table() if name in OUTSIDE], ["computing"], "and there is computing")
        same(computing(shown.table()), computing_of("big.pith", from_ns, to_ns), "which is the time outside all states")
        ok(from_ns <= 101000000 and to_ns >= 403000000 and to_ns - from_ns < 350000000, "with the selection in it")
    same({cells[0] for name, cells in shown.table().items() if cells[-1]}, {""}, "no counts of states")
    few = browser.open("few.html", link="select=0.1-0.2")
    like(few.text(".stretch"), "Exactly, but of all lanes: pith stat", "some rows: the command is for all")
    few.close()
    page.front()
    page.key("Escape")
    page.key("/")
    page.type("MPI_* > 1ms")
    like(page.text(".said"), r"places; their durations are not in this page$", "a search has no durations")
    page.key("Enter")
    like(page.text(".said"), "^1 of ", "but goes to its places")
    same(page.text(".finer").strip(), "", "without a hatched picture")
    page.go("0.400000000-0.400002000")
    like(page.text(".finer"), r"^Hatched, bundles of messages: finer than this page\. To see it: "
         r"pith draw big.pith -o part.html --from 0.400000000 --to 0.400002000$", "hatched, with the command")
    page.close()


# Three lanes of a log, the middle of which has a damaged block at its begin.
def check_damaged(browser):
    shown = Shown(browser, "damaged.html")
    page = shown.page
    like(page.text(".alarm"), r"byte \d+: a block of rank \d+ is damaged.*red lines: records are missing",
         "a damaged log: the page says so")
    alarm = page.ask("getComputedStyle(document.documentElement).getPropertyValue('--alarm').trim()")[1:]
    across = lambda row: shown.pixels([(shown.left + x, 30 * row + 15) for x in range(1, 201)])
    ok(across(1).count(alarm) >= 30, "its lane has red lines where records are missing", across(1)[:20])
    same([across(0).count(alarm), across(2).count(alarm)], [0, 0], "the lanes beside it have none")
    page.move(*shown.at(0.1, 45))
    like(page.text(".tip"), "^records are missing: the file is damaged", "the pointer says why nothing is there")
    page.move(*shown.at(0.1, 15))
    ok("missing" not in page.text(".tip"), "but not on another lane", page.text(".tip"))
    page.close()


# Rank 0 pauses from 200 to 500 ms, and loses records at 700 ms.
def check_gaps(browser):
    shown = Shown(browser, "gaps.html")
    page = shown.page
    colour = lambda name: page.ask(f"getComputedStyle(document.documentElement).getPropertyValue('--{name}').trim()")[1:]
    across = lambda row, part: shown.pixels([(shown.left + shown.wide * part + x, 30 * row + 15) for x in range(-20, 21)])
    idle, alarm = colour("idle"), colour("alarm")
    hatched = lambda pixels: idle in pixels and len(set(pixels)) > 1
    same([hatched(across(0, part)) for part in (0.25, 0.35, 0.45, 0.6)], [True, True, True, False], "a pause is hatched")
    same([alarm in across(0, part) for part in (0.35, 0.6, 0.7)], [False, False, True], "a loss has a red line")
    same([alarm in across(1, 0.7), hatched(across(1, 0.35))], [False, False], "only on their lane")
    tips = []
    for part in (0.35, 0.7, 0.6):
        page.move(*shown.at(part, 15))
        tips.append(page.text(".tip").split("\n")[:2])
    same([tips[0], tips[1][0], tips[2][0]], [["recording paused", "for 300 ms"], "12 records lost", "rank 0"],
         "the pointer says what they are")
    page.close()


def check_waits(browser):
    """Rank 0 waits in MPI_Recv until rank 1 sends at 610 ms. A column of the page has some 24 us."""
    shown = Shown(browser, "late.html")
    page = shown.page
    seen = lambda part: len(set(shown.pixels([(shown.left + shown.wide * part + x, 15) for x in range(-20, 21)]))) > 1
    for link in ("0.560000000-0.660000000", "0.609990000-0.610010000", "0.609999980-0.610000020"):
        page.go(link)
        page.ask(PIXELS)
        tips = []
        for part in (0.45, 0.55):
            page.move(*shown.at(part, 15))
            tips.append("waiting" in page.text(".tip"))
        same([seen(0.45), seen(0.55), *tips], [True, False, True, False],
             f"what waits is hatched, and only that: {link}")
    page.close()
    page = browser.open("late-folded.html")
    page.ask("""(() => { const real = CanvasRenderingContext2D.prototype.strokeText;
        window.rims = [];
        CanvasRenderingContext2D.prototype.strokeText = function (text, ...more) {
          window.rims.push(text.split(" ")[0]);
          return real.call(this, text, ...more); }; })()""")
    for wanted, what in [([], "without hatches, names have no rims"),
                         (["step", "MPI_Recv", "step", "MPI_Send"], "names on hatched ground have a rim")]:
        page.ask("rims.length = 0")
        page.key("W")
        same(page.ask("rims"), wanted, what)
    page.close()


def check_sites(browser):
    """A call has its function and line; a state around calls has none."""
    for name, steps in [("card", [(6, 0.2), (15, 0.4), (15, 0.65)]), ("card-bands", [(15, 0.4), (45, 0.4), (45, 0.65)])]:
        shown = Shown(browser, name + ".html")
        tips = []
        for y, part in steps:
            shown.page.move(*shown.at(part + 0.001, y))
            tips.append(shown.page.text(".tip").split("\n"))
        same([[tip[0], [line for line in tip if line.startswith("called")]] for tip in tips],
             [["step", []], ["MPI_Waitall", ["called in exchange_halo (heat2d.c:89)"]],
              ["MPI_Recv", ["called in exchange_halo (heat2d.c:89)"]]],
             f"the function and line of a call: {name}")
        shown.page.close()


def check_fine(browser):
    shown = Shown(browser, "fine-bare.html")
    page = shown.page
    page.go("0.499999990-0.500000072")
    page.ask(PIXELS)
    line = lambda y: shown.pixels([(shown.left + i, y) for i in range(int(shown.wide))])
    runs = []
    for colour in line(20):
        if re.match("(ff|00){3}$", colour) and colour != "000000":
            runs += [] if runs and runs[-1] == colour else [colour]
    same(runs, ["ff0000", "00ff00", "0000ff", "ffff00", "ff00ff"], "62 ns: all five states, in their order")
    ok(abs(line(20).count("00ff00") / shown.wide * 82 - 20) < 0.5, "and a state of 20 ns is 20 ns wide")
    same(len(set(line(45))), 1, "the other rank has no line there")
    same(page.text(".finer").strip(), "", "nothing is hatched: the times are exact")
    page.close()
    shown = Shown(browser, "bare.html", link="0.1-0.2")
    page = shown.page
    same(shown.pixels([(shown.left + 1, 33)]), ["ff00ff"], "an event at the begin of the time shown")
    page.close()
    page = browser.open("deep.html", link="0.25-0.75")
    same(page.ask("document.querySelectorAll('tbody tr').length"), 20, "20 levels")
    page.close()


def check_words(browser):
    """What `-e` asks for: messages, a selection."""
    button = """(() => { const found = [...document.querySelectorAll("button")].find((button) =>
        /^Messages/.test(button.textContent));
        return found.textContent + ": " + found.getAttribute("aria-pressed"); })()"""
    for name, wanted, what in [
            ("dense", r"^Messages \(would cover [0-9]+ %\): false$", "a crowd of messages is hidden, which is said"),
            ("asked", "^Messages: true$", "unless it is asked for")]:
        page = browser.open(f"{name}.html")
        like(page.ask(button), wanted, what)
        page.close()
    page = browser.open("long.html")
    like(page.text(".window"), "^0:00:00.* \u2013 24:23:43.*, 24:23:43$", "a long duration: hours, minutes and seconds")
    for text, hits in ("work > 23:59:59", "1 of 1"), ("work > 24:23:44", "no hits"), ("work < 24:24:00", "1 of 1"):
        page.key("/")
        page.type(text)
        page.key("Enter")
        like(page.text(".said"), f"^{hits}", f"the search {text}")
        page.key("Escape")
    page.close()
    shown = Shown(browser, "selected.html")
    same([shown.colour(0.25, 5), shown.colour(0.75, 15)], ["eb9999", "0000cc"],
         "select: red before it is pale, blue in it is not")
    same(shown.table()["blue"][:2], ["2", "750 ms"], "and the table is of the selection")
    shown.page.key("Escape")
    same([shown.link(), shown.colour(0.25, 5)], ["select=none", "cc0000"], "which the reader can clear")
    shown.page.close()
    shown = Shown(browser, "part.html")
    same([cells[2] for cells in shown.table().values() if cells[0] != "0"][:1], [""],
         "where states are left out, a selection has no exclusive times")
    shown.page.close()


# ---- Bundles of messages

DRAWN = """window.drawnLines = () => {
  const pen = CanvasRenderingContext2D.prototype, kept = { ...["moveTo", "lineTo", "stroke", "fillText"]
    .reduce((all, name) => ({ ...all, [name]: pen[name] }), {}) }, lines = [], texts = [];
  let points = [];
  const keep = (name, run) => { pen[name] = function (...what) { run(this, ...what); kept[name].apply(this, what); }; };
  keep("moveTo", (_, x, y) => { points = [x, y]; });
  keep("lineTo", (_, x, y) => points.push(x, y));
  keep("stroke", (pen) => { if (points.length === 4) lines.push([...points, pen.globalAlpha]); points = []; });
  keep("fillText", (pen, text, x, y) => { if (pen.font.startsWith("10px")) texts.push([text, x, y]); });
  dispatchEvent(new Event("resize"));
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
    Object.assign(pen, kept);
    done([lines, texts]);
  })));
}; 0"""


def picture_of(path):
    """The lines and numbers of messages of an SVG: [[x0, y0, x1, y1, darkness]], [[text, x, y]]; its plot's left."""
    lines, texts, alpha = [], [], 1
    left, = set(re.findall(r'<clipPath id="c1"><path d="M(\d+) ', open(path).read()))
    for line in open(path):
        if re.match(r'<g stroke="#16202a"', line):
            alpha = float(re.search(r'stroke-opacity="([^"]*)"', line)[1])
        found = re.match(r'<path (?:stroke-opacity="(\S+)" )?d="M(\S+) (\S+?)l(\S+) (\S+?)"/>$', line)
        if found:
            x, y, dx, dy = map(float, found.groups()[1:])
            lines.append([x, y, x + dx, y + dy, float(found[1] or alpha)])
        found = re.match(r'<text x="(\S+)" y="(\S+)" text-anchor="middle">(\d+[kM]?)</text>', line)
        if found:
            texts.append([found[3], float(found[1]), float(found[2])])
    return lines, texts, float(left)


def lacking(some, others, reach):
    """Those of `some` that are not among `others`, within `reach` of their numbers."""
    def is_near(a, b):
        return len(a) == len(b) and all(x == y if isinstance(x, str) else abs(x - y) <= by
                                        for x, y, by in zip(a, b, reach))
    return [a for a in some if not any(is_near(a, b) for b in others)]


def check_bundles(browser, name, link, svg):
    """A crowd of messages is drawn as in a picture with the same columns: the same bundles with the same numbers."""
    narrow = Shown(browser, f"{name}.html")
    shown = Shown(browser, f"{name}.html", size=(1200 + 1024 - round(narrow.wide), 800), link=link)
    narrow.page.close()
    page, (wanted, numbers, left) = shown.page, picture_of(svg)
    same(shown.wide, 1024, f"{svg}: as wide as the picture")
    page.ask(DRAWN)
    lines, texts = page.ask("drawnLines()")
    by = shown.left - left
    top = min(y for line in wanted for y in line[1:4:2]) - min(y for line in lines for y in line[1:4:2])
    lines = [[x0 - by, y0 + top, x1 - by, y1 + top, dark] for x0, y0, x1, y1, dark in lines]
    texts = [[text, x - by, y + top] for text, x, y in texts]
    ok(len(wanted) > 100 and len(numbers) > 10, f"{svg}: a crowd", len(wanted), len(numbers))
    # Single messages have a darkness of their own; bundles are fainter than this.
    bundles = [line for line in lines if line[4] < 0.29]
    ok(len(bundles) > 100, f"{svg}: bundles", len(bundles))
    same(lacking(bundles, wanted, [0.3] * 4 + [0.011])[:5], [], f"{svg}: bundles are those of the picture")
    for what, got, others, reach in [("lines", [line[:4] for line in lines], [line[:4] for line in wanted], [0.3] * 4),
                                     ("numbers", texts, numbers, [0, 1, 1])]:
        same(lacking(got, others, reach)[:5], [], f"{svg}: no other {what}")
        same(lacking(others, got, reach)[:5], [], f"{svg}: all {what}")
    page.close()


def check_bundle_texts(browser):
    shown = Shown(browser, "crowd.html")
    page = shown.page
    page.move(*shown.at(0.95, 90))
    like(page.text(".tip"), r"^10\u2009\d{3} messages\nrank 2 to rank 3\nsent about 950 ms$", "a bundle under the pointer")
    page.move(*shown.at(0.012, 90))
    like(page.text(".tip"), r"^message\nrank \d to rank \d\n\d+ bytes, tag 0\nsent ", "a single message")
    same(page.text(".finer").strip(), "", "nothing is finer than the page")
    page.go("0.949-0.951")
    like(page.text(".finer"), r"^Bundles of messages: finer than this page\. .* --from 0\.949000000 --to 0\.951000000$",
         "bundles are finer than the page")
    page.go("0.98-0.981")
    same(page.text(".finer").strip(), "", "but not where no messages are")
    page.close()
    shown = Shown(browser, "dense.html") # all of whose messages are in the page
    shown.page.ask(DRAWN)
    same(shown.page.ask("drawnLines()")[0], [], "what would cover too much is not drawn")
    shown.page.go("0-0.00001")
    shown.page.ask(DRAWN)
    same(len(shown.page.ask("drawnLines()")[0]), 1, "the only message of a short time is drawn as such")
    shown.page.move(*shown.at(0.3, 15))
    like(shown.page.text(".tip"), r"^message\nrank 0 to rank 1\n8 bytes, tag 0\nsent 0", "with its size and time")
    shown.page.close()


def check_path(browser):
    """The critical path has exact times, or says that it has not."""
    shown = Shown(browser, "path.html", link="0.612345-0.612347")
    # At a third of this, the path goes from rank 1, which sends, to rank 0, which waits.
    same(shown.pixels([(shown.left + shown.wide * part, y) for part in (0.3, 0.38) for y in (15, 45)])
         .count("d6006c"), 2, "one row has the path")
    same([shown.colour(0.3, 45), shown.colour(0.38, 15)], ["d6006c"] * 2, "until the message is sent, and after that")
    same(shown.page.text(".finer").strip(), "", "which is exact")
    shown.page.close()
    page = browser.open("steps.html")
    same(page.text(".finer").strip(), "", "a path of many steps: not finer than the whole page")
    page.go("0.5-0.501")
    like(page.text(".finer"), r"^Bundles of messages, critical path: finer than this page\. To see it: "
         r"pith draw steps\.pith -o part\.html --from 0\.500000000 --to 0\.501000000$", "but than a part of it")
    page.key("c")
    ok("critical path" not in page.text(".finer"), "not while it is not shown")
    page.close()


def check_names(browser, scale):
    """Each name in a bar is that of its state: the texts that are drawn are caught on their way."""
    page = browser.open("rich.html", scale=scale)
    page.ask("""(() => { const real = CanvasRenderingContext2D.prototype.fillText;
        window.texts = [];
        CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...more) {
          if (this.canvas.parentNode.parentNode.className === "rows") window.texts.push([text, x, y]);
          return real.call(this, text, x, y, ...more); }; })()""")
    lanes = [stacks_of(records) for records in records_of("rich.pith").values()]
    wrong, seen = [], 0
    wide = page.ask("document.querySelector('.rows canvas').getBoundingClientRect().width")
    for from_ns, to_ns in [(4000000, 6000000), (7000000, 7400000), (9000000, 9030000)]:
        page.ask("texts.length = 0")
        page.follow(f"{from_ns / 1e9:.9f}-{to_ns / 1e9:.9f}")
        left = page.ask("Math.min(...texts.filter(([, x]) => x > 0).map(([, x]) => x))") - 4
        for text, x, y in page.ask("texts"):
            row = int(y // 30)
            if x <= 0 or row not in RICH_ROWS or left < 30:
                continue
            seen += 1
            time = from_ns + (x + 6 - left) * (to_ns - from_ns) / (wide - left)
            stack = [stack for at, stack in lanes[RICH_ROWS.index(row)] if at <= time][-1]
            name = re.sub(r"(\u2026|  [\d.]+ [num]?s)$", "", text)
            if not any(state.startswith(name) or state.startswith(f"MPI_{name}") for state in stack):
                wrong.append((text, x, y, time, stack))
    ok(not wrong and seen > 30, f"{seen} names are in bars of their states ({scale})", *[str(one) for one in wrong[:4]])
    page.close()


# Keeps what the axis shows: texts with their left and right ends.
AXIS_TEXTS = """(() => { const real = CanvasRenderingContext2D.prototype.fillText;
        window.texts = [];
        CanvasRenderingContext2D.prototype.fillText = function (text, x, ...more) {
          const half = this.measureText(text).width / 2;
          if (this.canvas.className === "axis") window.texts.push([text, x - half, x + half]);
          return real.call(this, text, x, ...more); }; })()"""


def check_long_axis(browser):
    """In a log of a day the marks are at the times that their texts say, which pith takes."""
    shown = Shown(browser, "long.html", link="80000-87000")
    page = shown.page
    page.ask(AXIS_TEXTS)
    seen = []
    for turn in range(12):
        page.ask("texts.length = 0")
        page.key("+")
        link, texts = shown.link(), page.ask("texts")
        from_s, to_s = map(float, re.search(r"([\d.]+)-([\d.]+)", link).groups())
        for text, left, right in texts:
            hours, minutes, second = map(float, text.split(":"))
            x = shown.left + (hours * 3600 + minutes * 60 + second - from_s) / (to_s - from_s) * shown.wide
            if abs(x - (left + right) / 2) > 1.5:
                ok(False, f"the axis after {turn + 1} times +", link, text, x, left, right)
        seen += [text for text, _, _ in texts]
    ok(any(re.match(r"^2\d:\d\d:00$", text) for text in seen) and any(re.search(r":\d\d\.\d$", text) for text in seen),
       "hours, minutes and seconds on the axis", seen)
    drawn = subprocess.run(["pith", "draw", "long.txt", "--text", "--from", seen[-3], "--to", seen[-2]], check=False,
                           capture_output=True, text=True)
    same(drawn.stderr, "", f"pith draw takes {seen[-3]} and {seen[-2]}")
    page.close()


def check_clock(browser):
    """A page with times of day, from 2026-11-29 14:03:05.25 on, over a midnight."""
    shown = Shown(browser, "clock.html", link="20000-50000")
    page, days, right = shown.page, 0, []
    page.ask(AXIS_TEXTS)
    for turn in range(30):
        page.ask("texts.length = 0")
        page.key("+")
        link, texts = shown.link(), page.ask("texts")
        from_s, to_s = map(float, re.search(r"([\d.]+)-([\d.]+)", link).groups())
        for text, left, end in texts:
            if "-" in text:
                time = (int(text[-2:]) - 29) % 30 * 86400
                days += 1
            else:
                hours, minutes, second = map(float, text.split(":"))
                time = hours * 3600 + minutes * 60 + second
            time -= 50585.25
            x = shown.left + (time - from_s) / (to_s - from_s) * shown.wide
            day = 86400 / (to_s - from_s) * shown.wide
            off = (x - (left + end) / 2) % day
            right.append(min(off, day - off) < 1.5)
            if not right[-1]:
                ok(False, f"times of day after {turn + 1} keys", link, text, x, left, end)
    ok(all(right) and len(right) > 100 and days >= 2, "times of day on the axis", len(right), days)
    like(shown.window(), r"^2026-11-\d\d \d\d:\d\d:[\d.]+ . 2026-11-\d\d \d\d:\d\d:[\d.]+, ", "and above")
    page.close()


def check_axis(browser):
    """Texts of the axis do not cover each other, however long they are."""
    page = browser.open("epoch.html")
    top = page.box(".rows")[1]
    page.ask(AXIS_TEXTS)
    for turn in range(20):
        page.ask("texts.length = 0")
        page.key("+")
        texts = page.ask("texts")
        if any(right > left for (_, _, right), (_, left, _) in zip(texts, texts[1:])) or not texts:
            ok(False, f"the axis after {turn + 1} times +", texts)
            break
    else:
        like(texts[0][0], r"^1700000000\.\d{8,9} s$", "a narrow axis, with texts beside each other")
    same(page.box(".rows")[1], top, "the rows do not jump when the text of the time shown gets longer")
    page.close()


def check_no_errors(browser, names):
    for name in names:
        before = len(browser.errors)
        page = browser.open(f"{name}.html")
        same(browser.errors[before:], [], f"no error in {name}.html")
        if name == "big":
            page.shot("big.png", clip={"x": 200, "y": 150, "width": 800, "height": 300, "scale": 1})
        page.close()


def main(profile, pages):
    with Browser(profile) as browser:
        for scale in (1, 2):
            check_plain(browser, scale)
            check_names(browser, scale)
            check_pixels(browser, "rich", RICH_ROWS, 30, 3, scale, scale)
            check_pixels(browser, "random", range(3), 120, 20, scale, 10 + scale)
            depths = depths_of("random")
            check_pixels(browser, "random", [sum(depths[:lane]) for lane in range(3)], 20, 20, scale, 20 + scale,
                         "-unfolded")
            check_touch(browser, scale)
        check_legend(browser)
        check_colours_of_page(browser)
        check_link(browser)
        for seed, (name, asked) in enumerate([("rich", stat_of), ("rich", sums_of), ("deep", stat_of),
                                              ("random", sums_of)]):
            check_selection(browser, name, asked, seed)
        check_selection(browser, "ended", sums_of, 5)
        check_selection(browser, "recursive", stat_of, 6)
        check_selection(browser, "recursive", stat_of, 7, "-unfolded")
        check_selection(browser, "epoch", sums_of, 8)
        check_selection(browser, "moments", stat_of, 9)
        check_axis(browser)
        check_long_axis(browser)
        check_clock(browser)
        check_search(browser, "recursive", ["rank 0"], [("f3 > 90us", 'state == f3 and duration > 90us')])
        check_search(browser, "rich", RICH_LABELS, RICH_SEARCHES)
        check_selection(browser, "random", sums_of, 4, "-unfolded")
        check_search(browser, "random", ["rank 0", "rank 1", "rank 2"], RANDOM_SEARCHES)
        check_unfolded(browser, RANDOM_SEARCHES)
        check_search_shows(browser)
        check_coarse(browser)
        check_damaged(browser)
        check_gaps(browser)
        check_waits(browser)
        check_sites(browser)
        check_fine(browser)
        check_words(browser)
        check_bundles(browser, "crowd", "", "crowd.svg")
        check_bundles(browser, "crowd", "0.25-0.5", "crowd-part.svg")
        check_bundle_texts(browser)
        check_path(browser)
        check_no_errors(browser, pages)
        same(browser.errors, [], "and none in all of this")
    plan()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
