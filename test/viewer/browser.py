"""browser.py - drives a headless Chromium as a user does: with pointer and key events of the DevTools protocol, which
come through a pair of pipes. It needs nothing but Python.

    with Browser(profile_folder) as browser:
        page = browser.open("log.html", scale=2)
        page.drag(300, 100, 500, 100)
        page.key("Escape")
        page.ask("document.title")
"""
import base64
import fcntl
import json
import os
import re
import subprocess

SHIFT, CTRL, ALT = 8, 2, 1
# Keys that give no letter: their codes on a keyboard of Windows, which the protocol uses.
NAMED = {"Escape": 27, "Enter": 13, "Backspace": 8, "Tab": 9, "Home": 36, "PageUp": 33, "PageDown": 34, "ArrowLeft": 37,
         "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "F1": 112, "F3": 114}


class Browser:
    def __init__(self, profile):
        to_chrome, self._out = os.pipe()
        self._in, from_chrome = os.pipe()
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (to_chrome, from_chrome)]
        os.close(to_chrome)
        os.close(from_chrome)

        def give_pipes():
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)
        self._process = subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--remote-debugging-pipe", "--no-first-run", f"--user-data-dir={profile}", "about:blank"],
            preexec_fn=give_pipes, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for end in ends:
            os.close(end)
        self._number, self._rest, self.errors = 0, b"", []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.terminate()
        self._process.wait()

    def _read(self):
        while b"\0" not in self._rest:
            more = os.read(self._in, 1 << 20)
            if not more:
                raise EOFError("the browser has ended")
            self._rest += more
        message, self._rest = self._rest.split(b"\0", 1)
        message = json.loads(message)
        if message.get("method") == "Runtime.exceptionThrown":
            details = message["params"]["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        return message

    def send(self, method, session=None, **params):
        """Sends a command and returns its result."""
        self._number += 1
        command = {"id": self._number, "method": method, "params": params}
        if session:
            command["sessionId"] = session
        data = json.dumps(command).encode() + b"\0"
        while data:
            data = data[os.write(self._out, data):]
        while True:
            message = self._read()
            if message.get("id") == self._number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]

    def allow_clipboard(self):
        self.send("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])

    def open(self, path, **how):
        return Page(self, path, **how)


class Page:
    """A page in a tab of its own. Positions are pixels of the style sheet, from the top left of the page's window."""

    def __init__(self, browser, path, scale=1, size=(1200, 800), link="", dark=False):
        target = browser.send("Target.createTarget", url="about:blank")["targetId"]
        self._browser = browser
        self._session = browser.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self._target, self._scale = target, scale
        for domain in ("Page", "Runtime"):
            self.send(f"{domain}.enable")
        self.send("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=scale,
                  mobile=False)
        self.prefer("dark" if dark else "light")
        self.front()
        self.url = path if "://" in path else f"file://{os.path.abspath(path)}"
        self.go(link)

    def send(self, method, **params):
        return self._browser.send(method, self._session, **params)

    def go(self, link=""):
        """Opens the page anew, with `link` as the part behind the #."""
        self.send("Page.navigate", url="about:blank")
        self.send("Page.navigate", url=self.url + (f"#{link}" if link else ""))
        self.ask("new Promise((done) => document.readyState === 'complete' ? done() : addEventListener('load', done))")
        self.settle()

    def follow(self, link):
        """Changes the part behind the # of the address, as a reader does."""
        self.ask("""new Promise((done) => { const hash = location.hash;
            addEventListener("hashchange", done, { once: true });
            location.hash = %s;
            if (location.hash === hash) done(); }).then(() => 0)""" % json.dumps(link))
        self.settle()

    def front(self):
        """Brings the tab to the front: pages behind others do not draw."""
        self.send("Page.bringToFront")

    def close(self):
        self._browser.send("Target.closeTarget", targetId=self._target)

    def prefer(self, scheme):
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def ask(self, script, is_repeatable=False):
        """The value of an expression, of a promise when it is kept. is_repeatable: if the page goes to another address
        meanwhile, the new one is asked."""
        try:
            found = self.send("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        except RuntimeError as error:
            if not is_repeatable or not re.search("navigated or closed|context was destroyed", str(error)):
                raise
            return self.ask(script, True)
        if "exceptionDetails" in found:
            raise RuntimeError(found["exceptionDetails"].get("exception", {}).get("description", script))
        return found["result"].get("value")

    def settle(self):
        """Returns when the page has drawn."""
        self.ask("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))", True)

    def point(self, kind, x, y, button="none", held=0, keys=0, clicks=0, **more):
        self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, buttons=held, modifiers=keys,
                  clickCount=clicks, **more)

    def move(self, x, y):
        self.point("mouseMoved", x, y)
        self.settle()

    def click(self, x, y, keys=0, clicks=1):
        self.point("mouseMoved", x, y)
        for count in range(1, clicks + 1):
            self.point("mousePressed", x, y, "left", 1, keys, count)
            self.point("mouseReleased", x, y, "left", 0, keys, count)
        self.settle()

    def drag(self, x0, y0, x1, y1, keys=0, button="left", drop=True):
        held = {"left": 1, "middle": 4}[button]
        self.point("mouseMoved", x0, y0)
        self.point("mousePressed", x0, y0, button, held, keys, 1)
        for part in (0.3, 0.7, 1):
            self.point("mouseMoved", x0 + (x1 - x0) * part, y0 + (y1 - y0) * part, button, held, keys)
        if drop:
            self.drop(x1, y1, keys, button)
        self.settle()

    def touch(self, *places):
        """Moves fingers from the first to the last of their places: a list of [x, y] of all fingers each time."""
        for i, fingers in enumerate(places):
            self.send("Input.dispatchTouchEvent", type="touchMove" if i else "touchStart",
                      touchPoints=[{"x": x, "y": y, "id": finger} for finger, (x, y) in enumerate(fingers)])
        self.send("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        self.settle()

    def drop(self, x, y, keys=0, button="left"):
        self.point("mouseReleased", x, y, button, 0, keys, 1)
        self.settle()

    def wheel(self, x, y, by, keys=0):
        self.ask("window.wheeled = new Promise((done) => addEventListener('wheel', () => done(), { once: true })); 0")
        self.point("mouseWheel", x, y, keys=keys, deltaX=0, deltaY=by * self._scale) # comes in device pixels
        self.ask("wheeled")
        self.settle()

    def key(self, name, keys=0):
        """Presses a key: a letter or a name; a large letter comes with Shift."""
        letter = len(name) == 1
        if letter and (name.isupper() or name in "?+"):
            keys |= SHIFT
        what = {"key": name, "modifiers": keys}
        if name in NAMED or name.isalnum(): # the letters of other signs are codes of other keys
            what["windowsVirtualKeyCode"] = NAMED.get(name) or ord(name.upper())
        if (letter or name == "Enter") and not keys & (CTRL | ALT):
            what["text"] = "\r" if name == "Enter" else name
        self.send("Input.dispatchKeyEvent", type="keyDown", **what)
        self.send("Input.dispatchKeyEvent", type="keyUp", **{**what, "text": ""})
        self.settle()

    def type(self, text):
        for letter in text:
            self.key(letter)

    def drop_files(self, *paths):
        """Drags files on the page and drops them."""
        files = {"items": [], "files": [os.path.abspath(path) for path in paths], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            self.send("Input.dispatchDragEvent", type=kind, x=300, y=300, data=files)

    def reload(self):
        self.send("Page.reload")

    def shot(self, path, **more):
        data = self.send("Page.captureScreenshot", format="png", **more)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def box(self, selector):
        """x, y, width, height of the first element."""
        return self.ask(f"(() => {{ const box = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
                        "return [box.x, box.y, box.width, box.height]; })()")

    def text(self, selector):
        return self.ask(f"document.querySelector({json.dumps(selector)}).innerText")
