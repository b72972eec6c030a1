"""serve_first.py PROFILE LINK NAME - opens a log of `pith serve` in Chromium over a line of 10 Mbit/s with 50 ms delay
(slow_line.py). Prints lines "what value unit": times, requests and bytes of the first picture, of the exact one, of a
zoom, and of the first picture when the browser has the page's program."""
import os
import subprocess
import sys
from urllib.parse import urlsplit

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../viewer"))
from browser import Browser  # noqa: E402

profile, link, name = sys.argv[1:]
place = urlsplit(link)
line = subprocess.Popen([sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "slow_line.py"),
                         str(place.port), "50", "10"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
port = int(line.stdout.readline())


def spent():
    line.stdin.write("\n")
    line.stdin.flush()
    return [int(word) for word in line.stdout.readline().split()]


def told(what, ms):
    requests, answered = spent()
    print(f"{what}\t{ms:.0f}\t{requests}\t{answered / 1e6:.3f}", flush=True)


# When the canvas gets its pictures, since the page was asked for; and when it has its worker.
WATCH = """window.shownAt = {};
new MutationObserver(() => {
  const shown = document.getElementById("picture")?.dataset.shown;
  if (shown) window.shownAt[shown.split(" ")[3]] ??= performance.now();
}).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-shown"] });"""

with Browser(profile) as browser:
    page = browser.open(f"{place.scheme}://127.0.0.1:{port}{place.path}?log=absent")
    page.send("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
    spent()
    address = f"http://127.0.0.1:{port}{place.path}?log={name}"
    page.send("Page.navigate", url=address)
    wait = lambda *kinds: page.ask(f"""new Promise((done) => {{
      const look = () => {{
        const at = {list(kinds)}.map((kind) => window.shownAt?.[kind]).find((time) => time);
        if (at) done(at); else setTimeout(look, 2);
      }};
      look();
    }})""")
    told("first", wait("coarse", "quick", "exact"))
    told("exact", wait("exact"))
    begin = page.ask("(window.shownAt = {}, performance.now())")
    page.ask("(zoom(0.1), 0)")
    told("zoom", wait("quick", "exact") - begin)
    told("zoom exact", wait("exact") - begin)
    page.send("Page.navigate", url="about:blank")
    page.ask("document.readyState")
    spent()
    page.send("Page.navigate", url=address)
    told("again", wait("coarse", "quick", "exact"))
line.terminate()
