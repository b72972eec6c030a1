"""page_first.py PROFILE VIEWER SMALL LARGE LOG - pages in Chromium, 1600 x 1000: VIEWER has no log, SMALL a small one, LARGE
a large one, which is LOG. Prints lines "what value unit low high goal": times until pictures, of frames, and memory."""
import os
import sys
from statistics import median

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../viewer"))
from browser import Browser  # noqa: E402

profile, viewer, small, large, log = sys.argv[1:]
ROUNDS = 7

# When the canvas got its first pictures, since the page was asked for.
WATCH = """window.shownAt = {};
new MutationObserver(() => {
  const shown = document.getElementById("picture")?.dataset.shown;
  if (shown) window.shownAt[shown.split(" ")[3]] ??= performance.now();
}).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-shown"] });"""
WAIT = ("new Promise((done) => { const look = () => window.shownAt && (%s) ? done(%s) : setTimeout(look, 2); look(); })")
FIRST = WAIT % (("Object.keys(window.shownAt).length", "Math.min(...Object.values(window.shownAt))"))
EXACT = WAIT % (("window.shownAt.exact", "window.shownAt.exact"))

# A tour as a reader makes it: zooms in at several places, moves along, zooms out. Each frame from the move of the view
# until the canvas has its picture.
TOUR = """(async () => {
  const shows = () => new Promise((done) => {
    const watch = new MutationObserver(() => { watch.disconnect(); done(performance.now()); });
    watch.observe(canvas, { attributes: true, attributeFilter: ["data-shown"] });
  });
  const took = [];
  const frame = async (move) => {
    while (isDrawing) await new Promise((done) => setTimeout(done, 1));
    const begin = performance.now(), end = shows();
    move();
    if (isDrawing) took.push(await end - begin);
  };
  for (const place of [0.2, 0.5, 0.8]) {
    const at = () => view.from + BigInt(Math.round(Number(span()) * place));
    for (let i = 0; i < 12; i++) await frame(() => zoom(0.8, at()));
    for (let i = 0; i < 12; i++) await frame(() => pan(i < 6 ? 0.05 : -0.05));
    for (let i = 0; i < 12; i++) await frame(() => zoom(1.25, at()));
  }
  return took;
})()"""

# A view that is moved with each frame of the browser, for two seconds: how many pictures a second are seen.
MOVING = """(async () => {
  const views = new Set(), begin = performance.now();
  zoom(0.5);
  for (let i = 0; performance.now() - begin < 2000; i++) {
    pan(i % 60 < 30 ? 0.01 : -0.01);
    await new Promise((done) => requestAnimationFrame(done));
    views.add(`${canvas.dataset.shown} ${Math.floor(i / 30)}`);
  }
  return views.size / (performance.now() - begin) * 1000;
})()"""


def told(what, values, unit, goal=""):
    at = sorted(values)
    print(f"{what}\t{median(at):.1f}\t{unit}\t{at[0]:.1f}\t{at[-1]:.1f}\t{goal}", flush=True)


def part(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def opened(browser, path, until):
    """A page in a tab of its own, and when its picture was there."""
    page = browser.open("data:text/html,", size=(1600, 1000))
    page.send("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
    page.send("Page.navigate", url=f"file://{os.path.abspath(path)}")
    return page, page.ask(until)


def chosen(browser):
    """A log that is chosen as a file in the page without one."""
    page = browser.open(viewer, size=(1600, 1000))
    page.ask("new Promise((done) => { const look = () => 'started' in document.body.dataset ? done(0) "
             ": setTimeout(look, 2); look(); })")
    page.ask(WATCH + "addEventListener('change', () => { window.chosenAt = performance.now(); }, true); 0")
    node = page.send("DOM.querySelector", nodeId=page.send("DOM.getDocument")["root"]["nodeId"], selector="#file")
    page.send("DOM.setFileInputFiles", files=[os.path.abspath(log)], nodeId=node["nodeId"])
    return page, page.ask(f"({FIRST}).then((at) => at - window.chosenAt)")


def memory(page):
    page.send("HeapProfiler.collectGarbage")
    heap = page.ask("performance.memory.usedJSHeapSize")
    return (heap + page.ask("ask('memory')")) / 2**20


with Browser(profile) as browser:
    for name, path in (("heat2d", small), ("8e6 records", large)):
        times, frames, paces = [], [], []
        for i in range(ROUNDS if path == small else 3):
            page, at = opened(browser, path, EXACT if path == small else FIRST)
            times.append(at)
            if i < 2:
                page.ask(EXACT)
                page.ask("new Promise((done) => { const look = () => analyzing ? setTimeout(look, 5) : done(0); look(); })")
                frames += page.ask(TOUR)
                paces.append(page.ask(MOVING))
                held = memory(page)
            page.close()
        told(f"page: {name}, {'first exact picture' if path == small else 'first picture, log in the page'}", times, "ms",
             "<=300" if path == small else "")
        if path == large:
            times = []
            for _ in range(3):
                page, at = chosen(browser)
                times.append(at)
                page.close()
            told(f"page: {name}, first picture, log chosen", times, "ms", "<=500")
        told(f"page: {name}, a frame", [part(frames, 0.5)], "ms")
        told(f"page: {name}, a frame, 95 of 100", [part(frames, 0.95)], "ms", "<=16.7")
        told(f"page: {name}, pictures of a moving view", paces, "1/s", ">=50")
        told(f"page: {name}, memory", [held], "MiB")
