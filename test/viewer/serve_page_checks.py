"""serve_page_checks.py PROFILE LINK - the pages of `pith serve folder` in Chromium. Prints TAP. test_serve.sh makes the
folder and the pages to compare with, and starts the server."""
import os
import signal
import sys
from urllib.parse import quote

from browser import Browser
from page_tap import has, ok, plan, same
from viewer_page_checks import Viewer


def pixels(viewer):
    """The picture in short. The one that is inside the page and the served one have the same name and so the same title."""
    return viewer.page.ask("""(async () => {
        const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
        const sum = await crypto.subtle.digest("SHA-256", data);
        return `${canvas.width} x ${canvas.height} ${[...new Uint8Array(sum)].slice(0, 8)}`; })()""")


def opened(browser, link, **how):
    viewer = Viewer(browser, link, **how)
    viewer.until("log !== null")
    viewer.rest()
    return viewer


def check_list(browser, link):
    page = browser.open(link)
    names = page.ask("[...document.querySelectorAll('a')].map((a) => a.textContent)")
    same(names, sorted(os.listdir("folder")), "the list of the logs, with any name")
    x, y, width, height = page.box('a[href="?log=run.pith"]')
    page.click(x + width / 2, y + height / 2)
    viewer = Viewer.__new__(Viewer)
    viewer.page = page
    viewer.until("typeof log !== 'undefined' && log !== null")
    viewer.rest()
    same(page.ask("document.title"), "run.pith \u2013 Pith", "a click opens a log")
    page.close()


def check_same(browser, link, name, inside):
    """The served log and the one inside a page: picture, view, cards, legend, findings."""
    here, there = opened(browser, inside), opened(browser, f"{link}?log={name}")
    same(there.page.text("#facts"), here.page.text("#facts"), f"{name}: the same facts")
    same(pixels(there), pixels(here), "the same picture")
    for viewer in (here, there):
        viewer.page.front()
        for key in ("+", "+", "ArrowRight", "+"):
            viewer.press(key)
    same(there.view(), here.view(), "keys zoom and pan")
    same(pixels(there), pixels(here), "to the same picture")
    same(there.page.text("#legend"), here.page.text("#legend"), "the same legend")
    cards = []
    for viewer in (here, there):
        viewer.page.front()
        cards.append(viewer.card(*viewer.at(0.5, 1, int(viewer.page.ask("log.rows")))))
    ok(cards[0] and cards[1] == cards[0], "the same card", cards)
    for viewer in (here, there):
        viewer.page.front()
        viewer.button("find")
        viewer.until("document.querySelectorAll('#findings h2').length > 0")
    same(there.page.text("#findings"), here.page.text("#findings"), "the same findings")
    same(there.page.ask("Boolean(findings.isServed)"), name == "large.pith", "of a large log by the server")
    for viewer in (here, there):
        viewer.page.front()
        viewer.press("c")
        viewer.until("shown.path")
        viewer.rest()
    same(pixels(there), pixels(here), "the same critical path, by the page")
    view = there.view()
    there.page.reload()
    there.until("typeof log !== 'undefined' && log !== null")
    there.rest()
    same(there.view(), view, "the address keeps the view")
    has(there.page.ask("location.href"), f"?log={name}", "and the log")
    here.page.close()
    there.page.close()


def check_first(browser, link):
    """Without what the page asks for early, and with that of another version, it reads for itself."""
    here = opened(browser, "large.html")
    for break_it, why in (("if (url.includes('first')) return Promise.reject(new Error('lost'));", "is lost"),
                          ("if (url.includes('first')) url = url.replace('large', 'vast');", "is of another log"),
                          ("if (url.includes('first')) url = url.replace('first', 'no');", "is refused")):
        page = browser.open("data:text/html,")
        page.send("Page.addScriptToEvaluateOnNewDocument",
                  source="window.broken = 0; const get = fetch; window.fetch = (url, ...more) => "
                  "{ if (url.includes('first')) window.broken++; %s return get(url, ...more); }" % break_it)
        there = Viewer.__new__(Viewer)
        there.page = page
        page.send("Page.navigate", url=f"{link}?log=large.pith")
        there.until("typeof log !== 'undefined' && log !== null")
        there.rest()
        ok(page.ask("broken") > 0, f"what the first picture needs {why}")
        same(pixels(there), pixels(here), "the same picture")
        page.close()
    here.page.close()


# The kinds of pictures in order, and what was said with each.
WATCH = """window.seen = [];
addEventListener("DOMContentLoaded", () => new MutationObserver(() => seen.push(
  document.getElementById("picture").dataset.shown?.split(" ")[3] + ": " + document.getElementById("said").textContent
)).observe(document.getElementById("picture"), { attributeFilter: ["data-shown"] }));"""


def check_coarse(browser, link):
    """Of a log that is not small, the first picture is coarse, says so, and is followed by the exact one."""
    for name in ("large.pith", "vast.pith"):
        page = browser.open("data:text/html,")
        page.send("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
        page.send("Page.navigate", url=f"{link}?log={name}")
        there = Viewer.__new__(Viewer)
        there.page = page
        there.until("typeof log !== 'undefined' && log !== null")
        there.rest()
        seen = page.ask("seen")
        same([seen[0], seen[-1].split(":")[0]], ["coarse: a coarse picture; the exact one follows", "exact"],
             f"{name}: a coarse picture, which says so, then an exact one")
        same(page.text("#said"), "", "and no word of it any more")
        program = "performance.getEntriesByType('resource').find(({ name }) => name.includes('program?')).transferSize"
        same(page.ask(program), 0, "the page's program is kept by the browser")
        page.close()


def check_stopped(browser, link, server):
    """The server ends while a page is open: this is said, once more of the log is needed."""
    viewer = opened(browser, f"{link}?log=vast.pith")
    os.kill(server, signal.SIGINT)
    for _ in range(6):
        viewer.page.key("+")
    viewer.until("document.getElementById('said').textContent.includes('does not answer')")
    same(viewer.page.text("#said"), "vast.pith: pith serve does not answer; is it still running, and the connection up?",
         "the server has ended")
    viewer.page.close()


def check_vast(browser, link):
    """Views of more than 1.5 million records: no records are read, the legend comes from the server."""
    here, there = opened(browser, "vast.html"), opened(browser, f"{link}?log=vast.pith")
    there.until("document.querySelectorAll('#legend tr').length > 1")
    same(there.page.text("#legend"), here.page.text("#legend"), "a large view: the same legend, by the server")
    same(there.page.ask("Boolean(picture.of.flags & NEAR)"), True, "with a picture of the summary")
    there.page.front()
    there.button("theme")
    there.rest()
    here.page.front()
    here.button("theme")
    here.rest()
    there.until("document.querySelector('#legend .colour').style.background === '%s'"
                % here.page.ask("document.querySelector('#legend .colour').style.background"))
    for viewer in (here, there):
        viewer.page.front()
        viewer.button("theme")
        viewer.press("+")
        viewer.press("+")
    same(there.page.ask("Boolean(picture.of.flags & NEAR)"), False, "a smaller one")
    same(pixels(there), pixels(here), "has the exact picture")
    same(there.page.text("#legend"), here.page.text("#legend"), "and legend")
    here.page.close()
    there.page.close()


def check_others(browser, link):
    viewer = opened(browser, f"{link}?log=words.txt")
    has(viewer.page.text("#facts"), "native log", "a log of another format is read on its machine")
    viewer.page.close()
    name = next(name for name in os.listdir("folder") if name.startswith('"'))
    viewer = opened(browser, f"{link}?log={quote(name)}")
    same(viewer.page.ask("document.title"), f"{name} \u2013 Pith", "a hostile name is a name")
    viewer.page.close()
    page = browser.open(f"{link}?log=../secret.pith")
    has(page.text("body"), "there is no such log", "another file: no")
    page.close()


def check_changed(browser, link):
    viewer = opened(browser, f"{link}?log=run.pith")
    records = viewer.page.ask("log.records")
    os.replace("last.pith", "folder/run.pith")
    viewer.until("document.getElementById('reload')")
    same(viewer.page.text("#reload"), "The log has changed: reload", "a log that is written anew: a button")
    viewer.button("reload")
    viewer.until(f"typeof log !== 'undefined' && log !== null && log.records !== {records}")
    viewer.rest()
    has(viewer.page.text("#facts"), "80\u2009000 records", "which opens the new one")
    viewer.page.close()


def main(profile, link, server):
    with Browser(profile) as browser:
        check_list(browser, link)
        check_same(browser, link, "run.pith", "run.html")
        check_same(browser, link, "large.pith", "large.html")
        check_first(browser, link)
        check_coarse(browser, link)
        check_vast(browser, link)
        check_others(browser, link)
        check_changed(browser, link)
        same(browser.errors, [], "no errors in the scripts")
        check_stopped(browser, link, int(server))
    plan()


if __name__ == "__main__":
    main(*sys.argv[1:])
