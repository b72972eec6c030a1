"""viewer_page_checks.py PROFILE - uses the page that opens logs in Chromium, with pointer, keys and dropped files, at 1
and 2 device pixels per pixel. Prints TAP. test_viewer_page.sh makes the logs and pages of the current folder."""
import json
import os
import random
import re
import subprocess
import sys

from browser import CTRL, SHIFT, Browser
from page_oracle import records_of, stat_of
from page_tap import has, ok, plan, same


def pith(*args):
    return subprocess.run(["pith", *args], capture_output=True, text=True, check=False)


class Viewer:
    """The page, and what it shows. Nothing waits for a time: `until` looks until something is so."""

    def __init__(self, browser, path, **how):
        self.page = browser.open(path, **how)
        self.until("document.body.dataset.started !== undefined")

    def until(self, what):
        return self.page.ask("new Promise((done, fail) => { const end = Date.now() + 60000, look = () => { "
                             "const found = %s; if (found) done(found); else if (Date.now() > end) "
                             "fail(new Error(`in 60 s not: %s`)); else setTimeout(look, 5); }; look(); })"
                             % (what, what.replace("\\", "\\\\").replace("`", "'").replace("${", "{")), True)

    def rest(self):
        """Returns when the picture is that of the view, and exact, and the legend is, too."""
        self.until("!isDrawing && !isDrawPending && picture && picture.isExact && picture.of.from === view.from "
                   "&& picture.of.to === view.to && picture.of.width === sizeOf().width && !restTimer && !legendsAsked")

    def is_open(self):
        return self.page.ask("document.body.classList.contains('has-log')")

    def drop(self, *paths):
        before = self.page.ask("Number(document.body.dataset.opened || 0)")
        self.page.drop_files(*paths)
        self.until(f"Number(document.body.dataset.opened || 0) > {before}")
        if self.is_open():
            self.rest()

    def view(self):
        return [int(part) for part in self.page.ask("`${view.from} ${view.to}`").split()]

    def log(self):
        return [int(part) for part in self.page.ask("`${log.from} ${log.to}`").split()]

    def link(self):
        """The link to what is shown, which follows after a moment."""
        return self.page.ask("writeLink(), location.hash.slice(1)")

    def place(self):
        """left, top, wide and bottom of the time lines in the page's window."""
        x, y, _, _ = self.page.box("#picture")
        left, top, wide, bottom = self.page.ask("[picture.left, picture.top, picture.wide, picture.bottom]")
        return x + left, y + top, wide, y + bottom

    def at(self, part, row, rows):
        left, top, wide, bottom = self.place()
        return left + part * wide, top + (row + 0.5) * (bottom - top) / rows

    def colour(self, x, y):
        box_x, box_y, _, _ = self.page.box("#picture")
        return self.page.ask(f"[...canvas.getContext('2d').getImageData({x - box_x} * devicePixelRatio, "
                             f"{y - box_y} * devicePixelRatio, 1, 1).data.slice(0, 3)]")

    def card(self, x, y):
        """The lines of the card at a place."""
        self.page.move(x, y)
        self.until("!isAsking")
        return self.page.text("#tip").split("\n") if self.page.box("#tip")[2] else []

    def press(self, name, keys=0):
        self.page.key(name, keys)
        self.rest()

    def button(self, name):
        x, y, width, height = self.page.box(f"#{name}")
        self.page.click(x + width / 2, y + height / 2)


def facts_of(path):
    info = dict(line.split(": ", 1) for line in pith("info", path).stdout.splitlines() if ": " in line)
    return f"{int(info['ranks'])} rank", f"{int(info['records']):,}".replace(",", "\u2009")


def check_formats(browser):
    viewer = Viewer(browser, "page.html")
    has(viewer.page.text("#drop"), "Drop a log here", "the page asks for a log")
    for name in sorted(os.listdir("logs")):
        if name.endswith((".pcf", ".row")):
            continue
        beside = [f"logs/{name[:-4]}.{end}" for end in ("row", "pcf")] if name.endswith(".prv") else []
        viewer.drop(*beside, f"logs/{name}")
        ranks, records = facts_of(f"logs/{name}")
        facts = viewer.page.text("#facts")
        ok(viewer.is_open() and ranks in facts and f" {records} records" in facts, f"dropped: {name}",
           viewer.page.text("#said"), facts, f"wanted: {ranks}, {records}")
    same(viewer.page.ask("document.title"), f"{sorted(os.listdir('logs'))[-1]} \u2013 Pith", "the page has the log's name")
    viewer.page.close()


def check_card(viewer):
    """card.txt: rank 0 is in MPI_Waitall from 0.2 to 0.6 s, inside of step."""
    viewer.drop("card.txt")
    viewer.press("m")
    viewer.press("f")
    x, y = viewer.at(0.4, 0, 3)
    lines = viewer.card(x, y)
    same([lines[0], lines[1], lines[3]], ["MPI_Waitall", "rank 0", "400 ms"], "the card of a state")
    ok(lines[2] in ("at 399 ms", "at 400 ms", "at 0.4 s"), "its time", lines[2])
    same(viewer.card(*viewer.at(0.2, 1, 3))[:1], ["rank 1"], "the card where no state is")
    same(viewer.card(5, 5), [], "none outside")
    viewer.page.click(x, y, clicks=2)
    viewer.rest()
    same(viewer.view(), [200000000, 600000000], "double click: zoom to the state")
    viewer.press("u")
    viewer.press("m")
    message = viewer.page.ask("""(async () => {
        for (let y = picture.top; y < picture.bottom; y++)
          for (let x = picture.left + picture.wide * 0.30; x < picture.left + picture.wide * 0.6; x++) {
            const found = await ask("at", x, y);
            if (found.lines && found.lines[0].startsWith("message")) return found.lines;
          }
        return []; })()""")
    ok(message[:1] in (["message from rank 1 to rank 0"], ["message from rank 2 to rank 0"]), "the card of a message", message)


def check_moves(viewer):
    """Views are compared with what the same steps give in numbers."""
    viewer.drop("run.pith")
    begin, end = viewer.log()
    whole = end - begin
    finalize = max(time for records in records_of("run.pith").values() for time, kind, name in records
                   if (kind, name) == ("enter", "MPI_Finalize"))
    same(viewer.view(), [begin, finalize], "at first the work: to the last begin of MPI_Finalize; there is no MPI_Init")
    viewer.press("f")
    same(viewer.view(), [begin, end], "f: the whole log")
    viewer.press("i")
    same(viewer.view(), [begin, finalize], "i: the work again")
    viewer.button("fit")
    viewer.rest()
    viewer.button("work")
    viewer.rest()
    same(viewer.view(), [begin, finalize], "and its button")
    viewer.press("f")
    viewer.press("w")
    near = [begin + whole // 4, end - whole // 4]
    ok(all(abs(got - edge) <= 1 for got, edge in zip(viewer.view(), near)), "w: half of it", viewer.view(), near)
    inner = viewer.view()
    viewer.press("d")
    by = (inner[1] - inner[0]) / 4
    ok(all(abs(got - edge - by) <= 1 for got, edge in zip(viewer.view(), inner)), "d: a quarter to the right", viewer.view())
    viewer.press("u")
    same(viewer.view(), inner, "u: back")
    viewer.press("r")
    ok(viewer.view() != inner, "r: again")
    viewer.press("f")
    same(viewer.view(), [begin, end], "f: all")
    left, top, wide, bottom = viewer.place()
    middle = (top + bottom) / 2
    viewer.page.drag(left + wide * 0.25, middle, left + wide * 0.5, middle, keys=CTRL)
    viewer.rest()
    near = [begin + whole * 0.25, begin + whole * 0.5]
    ok(all(abs(got - edge) <= whole / wide for got, edge in zip(viewer.view(), near)), "Ctrl-drag: zoom", viewer.view(), near)
    before = viewer.view()
    viewer.page.drag(left + wide * 0.5, middle, left + wide * 0.25, middle, keys=SHIFT)
    viewer.rest()
    by = (before[1] - before[0]) * 0.25
    ok(all(abs(got - edge - by) <= by / 50 for got, edge in zip(viewer.view(), before)), "Shift-drag: move", viewer.view(), before)
    before = viewer.view()
    viewer.page.wheel(left + wide * 0.5, middle, -200)
    viewer.rest()
    ok(abs((viewer.view()[1] - viewer.view()[0]) / (before[1] - before[0]) - 0.67) < 0.01, "wheel: zoom", viewer.view(), before)
    viewer.press("f")
    viewer.page.drag(left + wide * 0.5, middle, left + wide * 0.75, middle)
    selected = [int(part) for part in viewer.page.ask("selection.join(' ')").split()]
    near = [begin + whole * 0.5, begin + whole * 0.75]
    ok(all(abs(got - edge) <= whole / wide for got, edge in zip(selected, near)), "drag: select", selected, near)
    viewer.press("z")
    same(viewer.view(), selected, "z: zoom to the selection")
    viewer.press("Escape")
    same(viewer.page.ask("selection"), None, "Esc: no selection")
    viewer.press("f")
    spread = [[[left + wide * 0.4, middle], [left + wide * 0.6, middle]], [[left + wide * 0.3, middle], [left + wide * 0.7, middle]]]
    viewer.page.touch(*spread)
    viewer.rest()
    ok(abs((viewer.view()[1] - viewer.view()[0]) / whole - 0.5) < 0.02, "two fingers: zoom", viewer.view())
    viewer.press("f")


def check_legend(viewer):
    viewer.drop("run.pith")
    viewer.press("f")
    stat = {row["name"]: (row["count"], round(row["self_s"] * 1e9))
            for row in json.loads(pith("stat", "run.pith", "--json").stdout) if row["kind"] == "state"}
    shown = viewer.page.ask("ask('legend', view.from, view.to).then(({ entries }) => entries.filter(({ id }) => log.defs[id].kind === 'state')"
                            ".map(({ id, count, self_ns }) => [log.defs[id].name, count, Number(self_ns)]))")
    same({name: (number, time) for name, number, time in shown}, stat, "the legend's counts and times are those of `pith stat`")
    left, top, wide, bottom = viewer.place()
    viewer.page.drag(left + wide * 0.3, (top + bottom) / 2, left + wide * 0.6, (top + bottom) / 2)
    viewer.until("document.querySelector('caption.selected')")
    has(viewer.page.text("caption"), "Selection: ", "with a selection the table says so")
    part = [int(edge) for edge in viewer.page.ask("selection.join(' ')").split()]
    stat = {name: (number, own) for name, (number, _, own) in stat_of("run.pith", *part).items() if not name.startswith("pith:")}
    shown = viewer.page.ask("ask('legend', ...selection).then(({ entries }) => entries.map(({ id, count, self_ns }) => "
                            "[log.defs[id].name, count, Number(self_ns)]))")
    same({name: (number, own) for name, number, own in shown if name in stat}, stat, "its figures are those of `pith stat`")
    viewer.press("Escape")
    viewer.until("!document.querySelector('caption.selected')")
    viewer.until("document.querySelectorAll('tbody tr').length > 0")
    name = viewer.page.ask("document.querySelector('tbody tr label').innerText")
    viewer.page.ask("document.querySelector('tbody tr').id = 'first'; 0")
    before = viewer.page.ask("canvas.toDataURL()")
    x, y, _, height = viewer.page.box("#first input")
    viewer.page.click(x + 4, y + height / 2)
    viewer.until("document.querySelector('tr.hidden')")
    viewer.rest()
    ok(viewer.page.ask("canvas.toDataURL()") != before, f"a click in the legend hides {name}")
    has(viewer.page.text("tr.hidden"), name, "and says so")
    viewer.page.key("H")
    viewer.until("!document.querySelector('tr.hidden')")
    viewer.rest()
    ok(viewer.page.ask("canvas.toDataURL()") == before, "Shift-h shows it again")


def check_answer(viewer):
    for log in "late.txt", "run.pith":
        viewer.drop(log)
        viewer.until("findings && element('answer').innerText")
        answer = pith("analyze", "--answer", log).stdout.strip()
        ok(log != "late.txt" or "`refine`" in answer, "an answer with a name", answer)
        same(viewer.page.text("#answer span"), re.sub("`([^`]*)`", "\u201c\\1\u201d", answer), f"{log}: the answer of `pith analyze`")


def check_findings(viewer):
    viewer.drop("run.pith")
    before = viewer.page.ask("canvas.toDataURL()")
    viewer.press("W")
    viewer.until("findings && shown.waits")
    viewer.rest()
    ok(viewer.page.ask("canvas.toDataURL()") != before, "Shift-w hatches waiting")
    names = [row["name"] for row in json.loads(pith("analyze", "--json", "run.pith").stdout)["findings"]]
    same(viewer.page.ask("[...document.querySelectorAll('summary b')].map((name) => name.innerText)"), names, "its findings")
    found = json.loads(pith("analyze", "--json", "run.pith").stdout)
    depths = []
    for row in found["findings"]:
        depths.append(depths[row["part_of"]] + 1 if "part_of" in row else 0)
    same(viewer.page.ask("[...document.querySelectorAll('#findings details')].map((block) => parseInt(block.style.marginLeft) / 20)"),
         depths, "parts of a finding are indented below it")
    same(viewer.page.text("#findings p"), "Efficiencies: " + ", ".join(
        f"{name.replace('_', ' ')} {value:.2f}" for name, value in found["efficiencies"].items() if name in (
            "parallel", "load_balance", "communication", "serialisation", "transfer")), "its efficiencies")
    x, y, width, height = viewer.page.box("summary button")
    viewer.page.click(x + width / 2, y + height / 2)
    viewer.rest()
    first = json.loads(pith("analyze", "--json", "run.pith").stdout)["findings"][0]
    begin, end = viewer.view()
    ok(begin <= first["from_ns"] and end >= first["to_ns"], "`show` goes to its place", [begin, end], first)


def check_search(viewer):
    """All hits of a name, one after another, are the records of `pith print`."""
    viewer.drop("run.pith")
    rows = [json.loads(line) for line in pith("print", "run.pith", "--json").stdout.splitlines() if line.startswith("{")]
    times = sorted(round(row["time_s"] * 1e9) for row in rows if row.get("kind") == "enter" and row.get("name") == "work")
    viewer.page.key("/")
    viewer.page.type("work")
    got = []
    for _ in range(len(times) + 1):
        before = viewer.page.ask("hit ? `${hit.time} ${hit.lane} ${hit.tie}` : ''")
        viewer.page.key("Enter")
        viewer.until(f"hit && `${{hit.time}} ${{hit.lane}} ${{hit.tie}}` !== {json.dumps(before)}")
        got.append(int(viewer.page.ask("String(hit.time)")))
    ok(len(times) > 3 and got == times + times[:1], "search: all of them, then from the start", got, times)
    has(viewer.page.text("#said"), "(on from the start)", "which is said")
    viewer.page.key("Escape")
    viewer.page.key("n")
    viewer.until(f"hit && Number(hit.time) === {times[1]}")
    viewer.page.key("N")
    viewer.until(f"hit && Number(hit.time) === {times[0]}")
    ok(True, "n and Shift-n: on and back")
    for sought, said in (("nonesuch", "no name matches nonesuch"), ("duration >", "a number is missing")):
        viewer.page.ask(f"element('search').value = {json.dumps(sought)}; 0")
        viewer.page.key("n")
        viewer.until("element('said').classList.contains('alarm')")
        has(viewer.page.text("#said"), said, f"{sought}: what is wrong")
        viewer.page.ask("say(''); 0")
    longest = max((row for row in json.loads(pith("stat", "run.pith", "--json").stdout) if row["kind"] == "state"),
                  key=lambda row: row["max_s"])
    viewer.page.ask(f"element('search').value = 'duration >= {round(longest['max_s'] * 1e9)}ns'; hit = null; 0")
    viewer.page.key("n")
    viewer.until("hit !== null")
    has(viewer.page.text("#said"), longest["name"], "a query finds the longest state")


def check_errors(viewer, rounds):
    open("empty.txt", "w").close()
    for name in ("no.txt", "empty.txt"):
        viewer.drop(name)
        same("pith: " + viewer.page.text("#said"), pith("info", name).stderr.strip(), f"{name}: the reader's error")
        ok(not viewer.is_open(), "and no picture")
    viewer.drop("run.pith")
    ok(viewer.is_open(), "the next log opens")
    same(viewer.page.text("#said"), "", "and the error is gone")
    chance, good, opened, refused, silent = random.Random(5), open("run.pith", "rb").read(), 0, 0, 0
    for number in range(rounds):
        bad = bytearray(good)
        for _ in range(3):
            at = chance.randrange(len(bad))
            bad[at:at + 8] = bytes(chance.randrange(256) for _ in range(8))
        with open(f"bad{number}.pith", "wb") as out:
            out.write(bad[:chance.randrange(len(bad))] if chance.random() < 0.5 else bad)
        viewer.drop(f"bad{number}.pith")
        opened += viewer.is_open()
        refused += not viewer.is_open() and viewer.page.text("#said") != ""
        silent += not viewer.is_open() and viewer.page.text("#said") == ""
    ok(silent == 0 and opened > 0, f"{rounds} damaged logs: {opened} opened, {refused} refused with a line", f"{silent} without")
    viewer.drop("run.pith")
    ok(viewer.is_open(), "and the next log opens")
    viewer.page.ask("ask('analyze').catch(() => 0).then(() => 0)")


def check_hostile(browser):
    viewer = Viewer(browser, "hostile.html")
    viewer.rest()
    has(viewer.page.ask("document.title"), "<script>document.title=", "a log's name is no script")
    viewer.drop("states.txt")
    viewer.until("document.querySelectorAll('tbody tr').length > 0")
    has(viewer.page.text("tbody"), "</script>", "a state's name is text")
    same(viewer.page.ask("document.title"), "states.txt \u2013 Pith", "and no script")
    viewer.page.close()


def check_large(browser):
    if not os.path.exists("large.pith"):
        ok(False, "a large log")
        return
    viewer = Viewer(browser, "page.html")
    viewer.drop("large.pith")
    ok(viewer.page.ask("log.large"), "a log of more than a million records is drawn from its summary first")
    viewer.page.key("w")
    viewer.until("canvas.dataset.shown.endsWith('quick')")
    viewer.rest()
    ok(viewer.page.ask("canvas.dataset.shown").endswith("exact"), "and exactly when it rests")
    viewer.page.close()


def check_scale(browser):
    viewer = Viewer(browser, "run.html", scale=2, dark=True)
    viewer.rest()
    same(viewer.page.ask("[canvas.width / canvas.clientWidth, document.documentElement.dataset.theme]"), [2, "dark"],
         "2 pixels each, and dark, as the reader's system is")
    paper = viewer.page.ask("getComputedStyle(document.body).backgroundColor")
    for name in ("dark", "light"):
        same("rgb(%d, %d, %d)" % tuple(viewer.colour(*viewer.page.box("#picture")[:2])), paper, f"picture and page: {name}")
        viewer.press("t")
        viewer.until("canvas.dataset.theme === document.documentElement.dataset.theme")
        paper = viewer.page.ask("getComputedStyle(document.body).backgroundColor")
    same(viewer.page.ask("document.title"), "run.pith \u2013 Pith", "the log inside the page is open")
    viewer.press("w")
    viewer.press("d")
    link, view = viewer.link(), viewer.view()
    viewer.page.go(link)
    viewer.until("log !== null")
    viewer.rest()
    same(viewer.view(), view, "the address keeps the view")
    viewer.page.close()


def main(profile):
    with Browser(profile) as browser:
        check_formats(browser)
        viewer = Viewer(browser, "page.html")
        check_card(viewer)
        check_moves(viewer)
        check_legend(viewer)
        check_answer(viewer)
        check_findings(viewer)
        check_search(viewer)
        check_errors(viewer, 60)
        viewer.page.close()
        check_hostile(browser)
        check_large(browser)
        check_scale(browser)
        same(browser.errors, [], "no errors in the scripts")
    plan()


if __name__ == "__main__":
    main(sys.argv[1])
