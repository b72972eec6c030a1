"""firefox.py - drives a headless Firefox as browser.py drives Chromium, by Marionette: JSON over a socket, with real
pointer, wheel and key events. It needs nothing but Python, and no geckodriver.

    with Firefox(profile_folder) as browser:
        page = browser.open("log.html")
        page.drag(300, 100, 500, 100)
"""
import base64
import json
import os
import re
import shutil
import socket
import subprocess
import time

from browser import ALT, CTRL, SHIFT, Page

COMMAND = next((name for name in ("firefox-esr", "firefox") if shutil.which(name)), None)
NAMED = {"Escape": "\ue00c", "Enter": "\ue007", "Backspace": "\ue003", "Tab": "\ue004", "Home": "\ue011",
         "PageUp": "\ue00e", "PageDown": "\ue00f", "ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014",
         "ArrowDown": "\ue015", "F1": "\ue031", "F3": "\ue033"}
MODIFIERS = {SHIFT: "\ue008", CTRL: "\ue009", ALT: "\ue00a"}
PREFERENCES = {"marionette.port": 0, "app.update.disabledForTesting": True, "browser.shell.checkDefaultBrowser": False,
               "datareporting.policy.dataSubmissionEnabled": False, "browser.startup.page": 0,
               "toolkit.telemetry.reportingpolicy.firstRun": False, "network.captive-portal-service.enabled": False,
               "dom.events.testing.asyncClipboard": True}


class Firefox:
    def __init__(self, profile, scale=1, dark=False):
        os.makedirs(profile, exist_ok=True)
        prefer = {**PREFERENCES, "layout.css.devPixelsPerPx": str(scale),
                  "layout.css.prefers-color-scheme.content-override": 0 if dark else 1}
        with open(os.path.join(profile, "user.js"), "w") as out:
            out.writelines(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in prefer.items())
        self.scale, self.dark, self._number = scale, dark, 0
        says_port = os.path.join(profile, "MarionetteActivePort")
        if os.path.exists(says_port):
            os.remove(says_port)
        self._process = subprocess.Popen(
            [COMMAND, "--headless", "--marionette", "--remote-allow-system-access", "--no-remote", "--profile", profile,
             "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": profile})
        port = ""
        while not port: # it is there once the browser listens
            if self._process.poll() is not None:
                raise EOFError("the browser has ended")
            time.sleep(0.05)
            if os.path.exists(says_port):
                with open(says_port) as said:
                    port = said.read()
        self._file = socket.create_connection(("127.0.0.1", int(port))).makefile("rwb")
        self._read()
        self.send("WebDriver:NewSession", capabilities={"alwaysMatch": {"unhandledPromptBehavior": "dismiss"}})
        self.send("WebDriver:SetTimeouts", script=120000, pageLoad=120000)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.terminate()
        self._process.wait()

    def _read(self):
        size = b""
        while not size.endswith(b":"):
            more = self._file.read(1)
            if not more:
                raise EOFError("the browser has ended")
            size += more
        return json.loads(self._file.read(int(size[:-1])))

    def send(self, method, **params):
        """Sends a command and returns its result."""
        self._number += 1
        data = json.dumps([0, self._number, method, params]).encode()
        self._file.write(b"%d:%s" % (len(data), data))
        self._file.flush()
        _, _, error, result = self._read()
        if error:
            raise RuntimeError(f"{method}: {error['message']}")
        return result["value"] if isinstance(result, dict) and list(result) == ["value"] else result

    def allow_clipboard(self):
        """It is allowed: a preference."""

    @property
    def errors(self):
        """Those of the scripts of pages; neither warnings nor scripts of our own that a page refuses."""
        self.send("Marionette:SetContext", value="chrome")
        found = self.send("WebDriver:ExecuteScript", args=[], script="""return Services.console.getMessageArray()
            .filter((said) => said instanceof Ci.nsIScriptError && !(said.flags & 1)
              && /^(file|http|blob|data):/.test(said.sourceName) && !/blocked an inline script/.test(said.errorMessage))
            .map(String)""")
        self.send("Marionette:SetContext", value="content")
        return found

    def open(self, path, **how):
        return FirefoxPage(self, path, **how)


class FirefoxPage(Page):
    """A page in a tab of its own."""

    def __init__(self, browser, path, scale=None, size=(1200, 800), link="", dark=None):
        if (scale or browser.scale, browser.dark if dark is None else dark) != (browser.scale, browser.dark):
            raise ValueError("scale and theme are those of the whole browser")
        self._browser, self._scale, self._held = browser, browser.scale, 0
        self._tab = browser.send("WebDriver:NewWindow", type="tab")["handle"]
        self.front()
        browser.send("WebDriver:SetWindowRect", width=size[0], height=size[1])
        inner = browser.send("WebDriver:ExecuteScript", script="return [innerWidth, innerHeight]", args=[])
        browser.send("WebDriver:SetWindowRect", width=2 * size[0] - inner[0], height=2 * size[1] - inner[1])
        self.url = path if "://" in path else f"file://{os.path.abspath(path)}"
        self.go(link)

    def send(self, method, **params):
        return self._browser.send(method, **params)

    def go(self, link=""):
        self.send("WebDriver:Navigate", url="about:blank")
        self.send("WebDriver:Navigate", url=self.url + (f"#{link}" if link else ""))
        self.settle()

    def reload(self):
        self.send("WebDriver:Refresh")

    def front(self):
        self.send("WebDriver:SwitchToWindow", handle=self._tab)

    def close(self):
        self.front()
        handles = self.send("WebDriver:CloseWindow")
        self.send("WebDriver:SwitchToWindow", handle=handles[0])

    def ask(self, script, is_repeatable=True):
        """The value of an expression, of a promise when it is kept; of statements that end in `; 0`: 0."""
        while True:
            try:
                return self._ask(script)
            except RuntimeError as error: # a click has opened another page meanwhile: ask that one
                if "unloaded" not in str(error) and "documentElement is null" not in str(error):
                    raise

    def _ask(self, script):
        """By a script of the page, because others do not see its variables, and the page allows no eval."""
        steps = f"{script[:-1]} return 0;" if re.search(r";\s*0$", script) else f"return {script};"
        told = self.send("WebDriver:ExecuteAsyncScript", args=[steps], script="""
            const [steps, done] = arguments, script = document.createElement("script");
            const page = window.wrappedJSObject || window;
            delete page.asked;
            script.textContent = `window.asked = (async () => { ${steps} })()
              .then((value) => JSON.stringify({ value }), (error) => JSON.stringify({ error: String(error) }));`;
            document.documentElement.append(script);
            script.remove();
            if (page.asked) page.asked.then(done);
            else done("");""")
        if told is None:
            raise RuntimeError("the page was unloaded")
        if not told: # a page that allows no scripts
            return self.send("WebDriver:ExecuteScript", script=steps, args=[])
        found = json.loads(told)
        if "error" in found:
            raise RuntimeError(f"{found['error']}: {script}")
        return found.get("value")

    def _act(self, *sources):
        self.send("WebDriver:PerformActions", actions=list(sources))

    def _hold(self, keys):
        """Presses and releases modifiers."""
        steps = [{"type": "keyDown" if keys & bit else "keyUp", "value": value} for bit, value in MODIFIERS.items()
                 if (keys ^ self._held) & bit]
        self._held = keys
        if steps:
            self._act({"type": "key", "id": "keys", "actions": steps})

    def _pointer(self, *steps, kind="mouse", name="mouse"):
        return {"type": "pointer", "id": name, "parameters": {"pointerType": kind}, "actions": list(steps)}

    def point(self, kind, x, y, button="none", held=0, keys=0, clicks=0, deltaX=0, deltaY=0):
        self._hold(keys)
        number = {"none": 0, "left": 0, "middle": 1}[button]
        move = {"type": "pointerMove", "x": round(x), "y": round(y), "duration": 0}
        if kind == "mouseWheel":
            self._act({"type": "wheel", "id": "wheel", "actions": [{"type": "scroll", "x": round(x), "y": round(y),
                "deltaX": round(deltaX / self._scale), "deltaY": round(deltaY / self._scale)}]})
        elif kind == "mouseMoved":
            self._act(self._pointer(move))
        else:
            self._act(self._pointer(move, {"type": "pointerDown" if kind == "mousePressed" else "pointerUp",
                                           "button": number}))
        if kind != "mousePressed" and not held:
            self._hold(0)

    def click(self, x, y, keys=0, clicks=1):
        self._hold(keys)
        once = [{"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp")]
        again = [{"type": "pause", "duration": 80}, once[0], {"type": "pause", "duration": 80}, once[1]] # as by hand
        self._act(self._pointer({"type": "pointerMove", "x": round(x), "y": round(y), "duration": 0},
                                *once, *again * (clicks - 1)))
        self._hold(0)
        self.settle()

    def touch(self, *places):
        steps = [[] for _ in places[0]]
        for i, fingers in enumerate(places):
            for finger, (x, y) in enumerate(fingers):
                steps[finger].append({"type": "pointerMove", "x": round(x), "y": round(y), "duration": 0})
                steps[finger] += [] if i else [{"type": "pointerDown", "button": 0}]
        for some in steps:
            some.append({"type": "pointerUp", "button": 0})
        self._act(*(self._pointer(*some, kind="touch", name=f"finger{finger}") for finger, some in enumerate(steps)))
        self.settle()

    def key(self, name, keys=0):
        if len(name) == 1 and (name.isupper() or name in "?+"):
            keys |= SHIFT
        self._hold(keys)
        value = NAMED.get(name, name)
        self._act({"type": "key", "id": "keys", "actions": [{"type": "keyDown", "value": value},
                                                            {"type": "keyUp", "value": value}]})
        self._hold(0)
        self.settle()

    def choose(self, *paths):
        """Chooses files, as the button of the page does."""
        field = self.send("WebDriver:FindElement", using="css selector", value="#file")
        self.send("WebDriver:ElementSendKeys", id=next(iter(field.values())),
                  text="\n".join(os.path.abspath(path) for path in paths))

    def drop_files(self, *paths):
        """Drops files on the page. Files reach a script only by a field for files: one of our own gives them to the
        event."""
        self.ask("""document.body.append(Object.assign(document.createElement("input"), { type: "file", id: "dropped",
            multiple: true })); 0""")
        field = self.send("WebDriver:FindElement", using="css selector", value="#dropped")
        self.send("WebDriver:ElementSendKeys", id=next(iter(field.values())),
                  text="\n".join(os.path.abspath(path) for path in paths))
        self.ask("""const data = new DataTransfer(), field = document.getElementById("dropped");
            for (const file of field.files) data.items.add(file);
            field.remove();
            const how = { dataTransfer: data, bubbles: true, cancelable: true };
            for (const kind of ["dragenter", "dragover", "drop"])
              document.body.dispatchEvent(new DragEvent(kind, how)); 0""")

    def shot(self, path):
        data = self.send("WebDriver:TakeScreenshot", full=False)
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
