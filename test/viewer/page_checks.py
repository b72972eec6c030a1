"""page_checks.py PROFILE - looks at the pages of logs in Chromium and uses them with pointer and keys, at 1 and 2 device
pixels per pixel. Prints TAP. What a page shows is compared with the records of its log, and with what the commands say.
test_page.sh makes the logs and the pages of the current folder."""
import json
import os
import random
import re
import sys

from browser import ALT, CTRL, Browser
from page_oracle import computing_of, hits_of, records_of, seconds, stacks_of, stat_of
from page_tap import has, like, ok, plan, same
from viewer_page_checks import Viewer

LEGEND = """ask('legend', %s).then(({ entries, rest }) => [Object.fromEntries(entries.map(({ id, count, total_ns, self_ns }) =>
    [log.defs[id].name, [count, Number(total_ns), Number(self_ns)]])), Number(rest.self_ns)])"""


class Shown(Viewer):
    """The page of a log. `row` counts from 0; `y` is from the row's top."""

    def __init__(self, browser, path, **how):
        super().__init__(browser, path, **how)
        self.until("log !== null")
        self.until("!doing && (findings || element('answer').hidden || element('answer').innerText.includes('takes a while'))") # the line above the picture stays as it is
        self.rest()
        self.scale = how.get("scale", 1)

    def pixels(self, points):
        """Colours at (x from the left of the time lines, y from the first row's top)."""
        return self.page.ask("""((points) => { const { width, data } = canvas.getContext("2d").getImageData(0, 0,
            canvas.width, canvas.height); return points.map(([x, y]) => {
              const at = (Math.floor((y + picture.top) * devicePixelRatio + 1e-6) * width
                + Math.floor((x + picture.left) * devicePixelRatio + 1e-6)) * 4;
              return [...data.slice(at, at + 3)].map((part) => part.toString(16).padStart(2, "0")).join(""); });
            })(%s)""" % json.dumps(points))

    def colour(self, part, y):
        return self.pixels([(self.wide() * part, y)])[0]

    def wide(self):
        return self.page.ask("picture.wide")

    def point(self, part, y):
        """As a place in the page's window."""
        left, top, wide, _ = self.place()
        return left + part * wide, top + y

    def follow(self, link):
        self.link() # it is written: the address changes
        self.page.follow(link)
        self.rest()

    def table(self):
        """{ name: [count, total, self, share] } as shown."""
        self.until(f"document.querySelectorAll('tbody tr').length > 0")
        rows = self.page.ask("""[...document.querySelectorAll("tbody tr")].map((line) => [...line.cells]
            .map((cell) => cell.innerText.trim()))""")
        return {row[0]: row[1:] for row in rows}

    def css(self, name):
        return self.page.ask(f"styleOf('--{name}').trim()")[1:]


# ---- A small log: what it shows, keys, pointer

def check_plain(browser, scale):
    shown = Shown(browser, "bare.html", scale=scale)
    page, at = shown.page, f" ({scale})"
    same(page.ask("devicePixelRatio"), scale, f"{scale} device pixels per pixel")
    same(shown.view(), shown.log(), "a log without MPI_Init: all of it" + at)
    for part, y, colour, what in [
            (0.15, 15, "cc0000", "red at 0.15 s"), (0.25, 15, "00aa00", "green in it at 0.25 s"),
            (0.25, 5, "cc0000", "red around it"), (0.8, 15, "0000cc", "blue at 0.8 s"),
            (0.3, 55, "0000cc", "rank 1: blue at 0.3 s"), (0.1, 33, "ff00ff", "its event at 0.1 s")]:
        same(shown.colour(part, y), colour, what + at)
    same(shown.table()["red"], ["1", "500 ms", "400 ms", "20.0 %"], "the table of states" + at)
    same(list(shown.table()), ["blue", "red", "computing", "green", "mark", "messages"], "by self time" + at)
    page.click(*[page.box("th")[i] + 3 for i in (0, 1)])
    shown.until("document.querySelector('tbody tr td').innerText.trim() === 'blue' && sorted === 'name'")
    shown.until("[...document.querySelectorAll('tbody tr')][1].innerText.includes('computing')")
    same(list(shown.table()), ["blue", "computing", "green", "mark", "red", "messages"], "and by name" + at)
    same(shown.card(*shown.point(0.25, 15))[:2], ["green", "rank 0"], "the card" + at)
    # A record gets a frame; Return zooms to it.
    page.click(*shown.point(0.25, 15))
    shown.until("chosen !== null")
    shown.press("z")
    same(shown.view(), [200000000, 300000000], "click and z: to the record" + at)
    shown.press("u")
    # A selection, its edge, its end.
    page.drag(*shown.point(0.2, 15), *shown.point(0.5, 15))
    first = shown.page.ask("selection.join(' ')")
    page.drag(*shown.point(0.5, 15), *shown.point(0.7, 15))
    begin, end = map(int, shown.page.ask("selection.join(' ')").split())
    ok(abs(begin - int(first.split()[0])) < 4e6 and abs(end - 7e8) < 4e6, "an edge of the selection is dragged" + at, first, begin, end)
    page.click(*shown.point(0.4, 15), clicks=2)
    shown.rest()
    same(shown.view(), [begin, end], "double click in the selection: zoom to it" + at)
    shown.press("u")
    page.click(*shown.point(0.9, 15))
    shown.until("selection === null")
    ok(True, "a click outside clears it" + at)
    shown.press("Escape")
    # The overview moves the view.
    shown.follow("0.4-0.6")
    x, y, _, high = page.box("#overview")
    left, _, wide, _ = shown.place()
    page.click(left + wide * 0.8, y + high / 2)
    shown.rest()
    begin, end = shown.view()
    ok(abs(begin - 7e8) < 4e6 and end - begin == 200000000, "a click in the overview moves the view there" + at, begin, end)
    shown.page.key("ArrowLeft", 8)
    shown.rest()
    same(shown.view(), [begin - 200000000, end - 200000000], "Shift-Left: one window to the left" + at)
    page.close()


def check_legend(browser):
    shown = Shown(browser, "bare.html")
    page = shown.page
    place = lambda name: page.ask(f"""(() => {{ const label = [...document.querySelectorAll("tbody label")]
        .find((label) => label.innerText.trim() === "{name}"), box = label.getBoundingClientRect();
        return [box.right - 5, box.y + box.height / 2]; }})()""")
    shown.table()
    boxes = lambda: page.ask("Object.fromEntries(log.defs.filter((def) => !isTool(def)).map(({ name, hidden }) => [name, !hidden]))")
    everything = {"blue": True, "red": True, "green": True, "mark": True}
    same(boxes(), everything, "all are shown")
    page.click(*place("green"))
    shown.rest()
    same([shown.colour(0.25, 15), boxes()["green"]], ["cc0000", False], "a click hides green")
    page.click(*place("green"))
    shown.rest()
    same([shown.colour(0.25, 15), boxes()], ["00aa00", everything], "and shows it")
    page.click(*place("green"), keys=ALT)
    shown.rest()
    same([shown.colour(0.25, 15), boxes()], ["00aa00", {name: name == "green" for name in everything}], "Alt-click: only green")
    same(shown.link(), "hide=blue,red,event%3Amark".replace("blue,red", ",".join(name for name in boxes() if name in ("blue", "red"))),
         "which the link knows")
    page.click(*place("green"), keys=ALT)
    shown.rest()
    same(boxes(), everything, "once more: all")
    page.click(*place("blue"), clicks=2)
    shown.rest()
    same(boxes(), {name: name == "blue" for name in everything}, "a double click: only blue")
    shown.press("H")
    same(boxes(), everything, "Shift-h: all")
    page.close()


def check_colours(browser):
    shown = Shown(browser, "bare.html", dark=True)
    ground = lambda: shown.page.ask("getComputedStyle(document.body).backgroundColor")
    same(ground(), "rgb(21, 25, 30)", "dark where the user likes it dark")
    shown.page.prefer("light")
    shown.until("canvas.dataset.theme === 'light'")
    same([ground(), shown.colour(0.25, 15)], ["rgb(255, 255, 255)", "00aa00"], "light when the user changes it")
    shown.page.key("t")
    shown.until("canvas.dataset.theme === 'dark'")
    same([ground(), shown.colour(0.25, 15)], ["rgb(21, 25, 30)", "00aa00"], "t: dark, with the log's colours")
    shown.page.close()


def check_link(browser):
    shown = Shown(browser, "many.html", size=(1200, 700))
    shown.press("+")
    shown.page.drag(*shown.point(0.2, 15), *shown.point(0.7, 15))
    shown.page.ask("hide(log.defs.findIndex(({ kind }) => kind === 'state'), true), 0")
    shown.press("PageDown")
    shown.until("firstRow() > 0")
    shown.rest()
    link = shown.link()
    like(link, r"^[\d.]+-[\d.]+&select=[\d.]+-[\d.]+&hide=.+&row=\d+$", "view, selection, hidden names, row")
    browser.allow_clipboard()
    shown.button("link")
    shown.until("element('said').textContent === 'link copied'")
    same(shown.page.ask("navigator.clipboard.readText()"), f"{shown.page.url}#{link}", "the button copies it")
    see = lambda one: [one.view(), one.page.ask("selection.join(' ')"), one.page.ask("firstRow()"),
                       one.page.ask("canvas.toDataURL()"), sorted(one.table())]
    shown.page.move(5, 5)
    other = Shown(browser, "many.html", link=link, size=(1200, 700))
    wanted, got = see(shown), see(other)
    ok(got == wanted, "the link shows the same again, to the pixel", got[:3], wanted[:3])
    other.page.close()
    shown.page.front()
    shown.press("f")
    shown.press("Escape")
    shown.press("H")
    shown.follow(link)
    ok(see(shown)[:3] == wanted[:3], "an address that is typed in, too", see(shown)[:3], wanted[:3])
    shown.follow("3-1&select=2.5-1.2.3&hide=")
    same(shown.view(), shown.log(), "an address without sense: all")
    shown.page.close()


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


def depths_of(log):
    return [max(len(stack) for _, stack in stacks_of(records)) for records in records_of(f"{log}.pith").values()]


def check_pixels(browser, scale, seed, unfolded=""):
    """Each pixel that is looked at has the colour of a state that its lane is in, at this level, in this pixel's time
    or next to it. If the lane is in the same states all this time, there is only one. `unfolded`: the page has a row for
    each level."""
    row_height, levels = (20, 20) if unfolded else (120, 20)
    shown, chance = Shown(browser, f"random{unfolded}-bare.html", scale=scale, size=(1200, 2200)), random.Random(seed)
    colours = shown.page.ask("Object.fromEntries(log.defs.map(({ name, rgb }) => [name, colour(rgb).slice(1)]))")
    lanes = [stacks_of(records) for records in records_of("random.pith").values()]
    depths = depths_of("random")
    rows = [sum(depths[:lane]) for lane in range(3)] if unfolded else range(3)
    span = max(stacks[-1][0] for stacks in lanes)
    ground = set(shown.page.ask("[styleOf('--paper').trim().slice(1)]")) | {"e9edf1", "dfe3e8", "000000", "e4e7eb", "eceff2"}
    ys, wrong, sure, deep = bands(row_height, levels), [], 0, set()
    same(shown.page.ask("picture.row_height"), row_height, f"rows of {row_height} pixels")
    for width in (span, span // 7, span // 60, span // 1000, 5000, 200):
        from_ns = chance.randrange(0, span - width + 1)
        shown.follow(f"{seconds(from_ns)}-{seconds(from_ns + width)}")
        wide = shown.wide()
        step = width / (wide * scale)
        points, wanted = [], []
        for _ in range(400):
            lane, column = chance.randrange(len(lanes)), chance.randrange(int(wide * scale))
            level = chance.randrange(depths[lane] if unfolded else levels)
            if not unfolded and ys[level] is None:
                continue
            low, high = from_ns + (column - 0.6 - scale) * step, from_ns + (column + 2.1) * step
            seen = [stack for (time, stack), (end, _) in zip(lanes[lane], lanes[lane][1:] + [(1 << 62, [])])
                    if time <= high and end >= low]
            allowed, is_ground = set(), len(seen) > 1
            for stack in seen:
                outer = stack[:level + 1] if len(seen) > 1 else stack[:level + 1][-1:]
                outer = stack[level:level + 1] if unfolded else outer
                allowed |= {colours[state] for state in outer}
                if len(seen) > 1:
                    allowed |= {darker(colours[state]) for state in outer}
                is_ground |= not outer
            y = level * row_height + 3.5 if unfolded else ys[level]
            points.append(((column + 0.5) / scale, rows[lane] * row_height + y))
            wanted.append((allowed, is_ground, lane, level, column, width))
            if len(allowed) == 1 and not is_ground:
                sure += 1
                deep.add(level)
        bright = set(colours.values()) | {darker(colour) for colour in colours.values()}
        wrong += [(*place, got) for got, place in zip(shown.pixels(points), wanted)
                  if got not in place[0] and not (place[1] and got not in bright)]
    name = f"random{unfolded}"
    ok(not wrong, f"{name} ({scale}): pixels are as the records say", *[str(one) for one in wrong[:4]], str(ground))
    ok(sure > 300 and len(deep) > 3, f"{name} ({scale}): {sure} of them exactly, at {len(deep)} levels")
    shown.page.close()


def check_selection(browser, name, seed, unfolded=""):
    shown, chance = Shown(browser, f"{name}{unfolded}.html"), random.Random(seed)
    times = sorted({time for records in records_of(f"{name}.pith").values() for time, _, _ in records})
    wrong = []
    for turn in range(8):
        # From records on, from between them, and narrow. The end of an interval does not belong to it: it is at no record.
        from_ns = chance.choice(times[:-1]) if turn % 3 else chance.randrange(times[0], times[-1])
        to_ns = min(from_ns + 50, times[-1]) if turn % 4 == 3 else chance.randrange(from_ns, times[-1])
        while to_ns in times:
            to_ns -= 1
        if to_ns <= from_ns:
            continue
        got, rest = shown.page.ask(LEGEND % f"{from_ns}n, {to_ns}n")
        wanted = {name: list(sums) for name, sums in stat_of(f"{name}.pith", from_ns, to_ns).items()}
        got = {name: sums for name, sums in got.items() if not name.startswith("pith:")}
        if got != wanted:
            wrong += [(from_ns, to_ns, got, wanted)]
        if rest != computing_of(f"{name}.pith", from_ns, to_ns):
            wrong += [(from_ns, to_ns, rest, computing_of(f"{name}.pith", from_ns, to_ns))]
    ok(not wrong, f"{name}{unfolded}: figures of selections are those of pith stat", *[str(one) for one in wrong[:3]])
    shown.page.close()


RICH_SEARCHES = [("allre", 'state ~ "*Allre*"'), ("MPI_*", 'state ~ "MPI_*"'), ("MPI_* > 0.3ms", 'state ~ "MPI_*" and duration > 0.3ms'),
                 ("compute < 200us", 'state == compute and duration < 200us'),
                 ("checkpoint", 'state ~ "*checkpoint*" or event ~ "*checkpoint*"')]
RANDOM_SEARCHES = [("state-a", 'state ~ "*state-a*"'), ("*-k > 2us", 'state ~ "*-k" and duration > 2us')]


def check_search(browser, log, searches):
    """`searches`: what is typed, and the same as a query of `pith print`."""
    shown = Shown(browser, f"{log}.html")
    page = shown.page
    for text, query in searches:
        page.key("/")
        page.ask("document.activeElement.value = '', hits = { text: '', all: [] }, 0")
        page.type(text)
        wanted = hits_of(f"{log}.pith", query)
        said = f"{len(wanted):,} hits".replace(",", "\u2009")
        shown.until(f"element('said').textContent === {json.dumps(said)}")
        page.key("Escape")
        shown.press("f")
        wrong = []
        for key, at in [("n", 0), ("n", 1), ("n", 2), ("N", 1), ("N", 0), ("N", len(wanted) - 1), ("n", 0)]:
            before = page.ask("hit ? `${hit.time} ${hit.lane} ${hit.tie}` : ''")
            page.key(key)
            shown.until(f"hit && `${{hit.time}} ${{hit.lane}} ${{hit.tie}}` !== {json.dumps(before)}")
            shown.rest()
            time, lane, name = wanted[at]
            got = [*page.ask("[String(hit.time), hit.lane]"), page.text("#said")]
            if got[:2] != [str(time), lane] or not got[2].startswith(f"{at + 1:,} of {len(wanted):,}: {name}, ".replace(",", "\u2009", 0)):
                if got[:2] != [str(time), lane] or f": {name}, " not in got[2]:
                    wrong.append((got, wanted[at]))
        ok(not wrong, f"{log}: {said}, with n and N: {text}", *[str(one) for one in wrong])
        page.ask("hit = chosen = null, 0")
    page.close()


# ---- What a log may have

def check_damaged(browser):
    """Three lanes of a log, the middle of which has a damaged block at its begin."""
    shown = Shown(browser, "damaged.html")
    like(shown.page.text("#trouble"), r"byte \d+: a block of rank \d+ is damaged", "a damaged log: the page says so")
    shown.page.close()


def check_gaps(browser):
    """Rank 0 pauses from 200 to 500 ms, and loses records at 700 ms."""
    shown = Shown(browser, "gaps.html")
    tips = [shown.card(*shown.point(part, 15))[:1] for part in (0.35, 0.7, 0.6)]
    same(tips, [["recording paused for 300 ms"], ["12 records lost"], ["rank 0"]], "the card says why nothing is there")
    shown.page.close()


def check_waits(browser):
    """Rank 0 waits in MPI_Recv until rank 1 sends at 610 ms: --waits hatches it at once."""
    shown = Shown(browser, "late.html")
    shown.until("shown.waits")
    shown.follow("0.56-0.66")
    seen = lambda part: len(set(shown.pixels([(shown.wide() * part + x, 15) for x in range(-20, 21)]))) > 1
    same([seen(0.3), seen(0.7)], [True, False], "what waits is hatched, and only that")
    has(" ".join(shown.card(*shown.point(0.3, 15))), "waits ", "and the card says for whom")
    shown.press("W")
    shown.rest()
    same(seen(0.3), False, "Shift-w: no longer")
    shown.page.close()


def check_sites(browser):
    """A call has its function and line; a state around calls has none."""
    shown = Shown(browser, "card.html")
    shown.press("f")
    cards = [shown.card(*shown.point(part + 0.001, y)) for y, part in [(6, 0.17), (15, 0.4), (15, 0.65)]]
    same([[card[0], [line for line in card if line.startswith("called")]] for card in cards],
         [["step", []], ["MPI_Waitall", ["called in exchange_halo (heat2d.c:89)"]],
          ["MPI_Recv", ["called in exchange_halo (heat2d.c:89)"]]], "the function and line of a call")
    shown.page.close()


def check_words(browser):
    shown = Shown(browser, "words.html")
    same([shown.view(), shown.page.ask("log.rows"), shown.page.ask("shown.arrows")], [[4000000, 6000000], 5, False],
         "words: window, rows of ranks 0 and 1, arrows")
    same(shown.page.ask("log.defs.filter(({ hidden }) => hidden).every(({ name }) => /^(MPI_|pith:)/.test(name))"), True, "hidden states")
    has(shown.page.ask("document.title"), '</script>"\\', "the title is text")
    has(shown.page.text("#facts"), "a part of the log", "it says that it has only a part")
    shown.page.close()
    shown = Shown(browser, "selected.html")
    same([shown.page.ask("selection.join(' ')"), shown.table()["blue"][:2]], ["500000000 1000000000", ["2", "750 ms"]], "select: the table is of it")
    shown.press("Escape")
    same(shown.link(), "select=none", "which the reader can clear")
    shown.page.close()
    for name, label, on in [("dense", r"^Messages \(would cover [0-9]+ %\)$", "false"), ("asked", "^Messages$", "true")]:
        shown = Shown(browser, f"{name}.html")
        like(shown.page.text("#arrows"), label, f"a crowd of messages: {name}")
        same(shown.page.ask("element('arrows').getAttribute('aria-pressed')"), on, "and whether it is drawn")
        if name == "dense":
            shown.button("arrows")
            shown.until("element('arrows').getAttribute('aria-pressed') === 'true'")
            same(shown.page.text("#arrows"), "Messages", "the button draws it")
        shown.page.close()
    shown = Shown(browser, "clock.html")
    shown.table()
    like(shown.page.text("caption"), r"^2026-11-29 14:03:05\S* to 2026-11-30 14:26:4[89]", "times of day")
    shown.page.close()
    shown = Shown(browser, "notes.html")
    same(shown.page.text("#notes").strip(), "here it begins", "notes are listed")
    left, top, wide, _ = shown.place()
    same(shown.card(left + wide * 0.5 + 4, top + 4), ["note 1", "here it begins"], "and have flags")
    x, y, width, height = shown.page.box("#notes button")
    shown.press("+")
    shown.page.click(x + width / 2, y + height / 2)
    shown.rest()
    begin, end = shown.view()
    ok(abs((begin + end) / 2 - 4e8) < 1e6, "a click on one brings it into the middle", begin, end)
    shown.page.close()


def check_rows(browser):
    shown = Shown(browser, "random-unfolded.html")
    same(shown.page.ask("log.rows"), sum(depths_of("random")), "unfolded: a row for each level")
    shown.page.ask("element('rows').value = 'group none; fold_rows', element('rows').dispatchEvent(new Event('change')), 0")
    shown.until("log.rows === 3")
    shown.rest()
    ok(True, "and the list of rows folds them")
    shown.page.close()
    shown = Shown(browser, "many.html")
    rows, fit = shown.page.ask("[log.rows, rowsThatFit()]")
    ok(rows > fit, "more rows than fit", rows, fit)
    first = shown.card(*shown.point(0.5, 15))
    left, top, wide, _ = shown.place()
    shown.page.wheel(left + wide / 2, top + 50, 5000)
    shown.until("picture.first > 0")
    shown.rest()
    ok(shown.card(*shown.point(0.5, 15)) != first, "the wheel scrolls them", first)
    shown.press("[")
    ok(shown.page.ask("rowsThatFit()") > fit, "[: lower rows")
    before = shown.view()
    shown.page.wheel(left + wide / 2, top + 50, -200, keys=CTRL)
    shown.rest()
    ok(shown.view() != before, "Ctrl-wheel zooms")
    shown.page.close()


def check_answer(browser):
    shown = Shown(browser, "run.html", size=(1280, 800))
    shown.until("findings")
    same(len({shown.page.box("#" + name)[1] for name in ("choose", "fit", "work", "search", "help")}), 1, "one line of buttons")
    has(shown.page.text("#answer"), "Show me", "the answer is above the picture")
    begin, end = [int(time) for time in shown.page.ask("[findings.place.from, findings.place.to]")]
    for key in "+++":
        shown.press(key)
    shown.button("show-me")
    shown.rest()
    got = shown.view()
    ok(got[0] <= begin + (end - begin) * 0.26 and got[1] >= end - (end - begin) * 0.26, "`Show me` goes there", got, [begin, end])
    shown.button("find")
    shown.until("!element('findings').hidden")
    has(shown.page.text("#findings"), "Efficiencies", "the findings are listed")
    # As in a log that is analyzed only when the reader asks for it.
    shown.page.ask("(findings = null, log = { ...log, records: 5671000 }, beginTables(), 0)")
    has(shown.page.text("#answer"), "\u201cFindings\u201d looks for what costs most", "a large log: where the answer is")
    ok("Show me" not in shown.page.text("#answer"), "without a button")
    shown.button("find")
    shown.until("findings && !element('findings').hidden")
    has(shown.page.text("#answer"), "Show me", "which comes with them")
    shown.page.close()
    shown = Shown(browser, "alone.html")
    shown.until("findings")
    same(shown.page.text("#answer"), "The log has no MPI calls and no messages, so nothing can be said about waiting.",
         "nothing costs: no button either")
    shown.page.close()


def check_flash(browser):
    """While the page starts, it never asks for a log: it has one."""
    page = browser.open("bare.html")
    same(page.ask("getComputedStyle(element('drop')).display"), "none", "a page with a log asks for none")
    page.close()


def check_notebook(browser):
    """In a notebook (a stand-in for its kernel), view() is the page in a frame. notebook.html is what a cell shows."""
    cell = Viewer.__new__(Viewer)
    cell.page = browser.open("notebook.html")
    inside = "document.querySelector('iframe').contentDocument"
    cell.until(f"{inside} && {inside}.body.classList.contains('has-log') && /lost/.test({inside}.querySelector('#answer').innerText)")
    same(cell.page.ask(f"{inside}.title"), "cell 3 \u2013 Pith", "a notebook shows the page")
    same(cell.page.ask("document.querySelector('iframe').clientHeight"), 400, "in a frame of this height")
    cell.page.close()


def check_no_errors(browser, names):
    for name in names:
        before = len(browser.errors)
        shown = Shown(browser, f"{name}.html")
        same(browser.errors[before:], [], f"no error in {name}.html")
        shown.page.close()


def main(profile, pages):
    with Browser(profile) as browser:
        for scale in (1, 2):
            check_plain(browser, scale)
            check_pixels(browser, scale, 10 + scale)
            check_pixels(browser, scale, 20 + scale, "-unfolded")
        check_flash(browser)
        check_legend(browser)
        check_colours(browser)
        check_link(browser)
        for seed, name in enumerate(["rich", "deep", "random", "ended", "recursive", "epoch", "moments"]):
            check_selection(browser, name, seed)
        check_selection(browser, "random", 4, "-unfolded")
        check_search(browser, "rich", RICH_SEARCHES)
        check_search(browser, "random", RANDOM_SEARCHES)
        check_damaged(browser)
        check_gaps(browser)
        check_waits(browser)
        check_sites(browser)
        check_words(browser)
        check_rows(browser)
        check_answer(browser)
        if os.path.exists("notebook.html"):
            check_notebook(browser)
        check_no_errors(browser, pages)
        same(browser.errors, [], "and none in all of this")
    plan()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
