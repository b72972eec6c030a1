"""hands.py - keys and a pointer for the X server of DISPLAY, by its extension XTEST: programs get the same events as
from a keyboard and a mouse. Each line of standard input is one action:
    move X Y        pointer to this place of the screen
    down N, up N    button N of the pointer; 4 and 5 are the wheel
    click N         both
    key NAME...     keys are pressed in this order and released in the reverse one: key Alt_L s
    wait SECONDS
Prints a line when the server has taken an action."""
import ctypes
import sys
import time

x11 = ctypes.CDLL("libX11.so.6")
xtst = ctypes.CDLL("libXtst.so.6")
x11.XOpenDisplay.restype = ctypes.c_void_p
x11.XStringToKeysym.restype = ctypes.c_ulong
display = ctypes.c_void_p(x11.XOpenDisplay(None))
if not display:
    sys.exit("hands.py: no display")


def code(name):
    """The key with this name, and 1 if it needs Shift."""
    keysym = x11.XStringToKeysym(name.encode())
    keycode = x11.XKeysymToKeycode(display, ctypes.c_ulong(keysym))
    if not keycode:
        raise ValueError(f"no key {name}")
    shifted = x11.XkbKeycodeToKeysym(display, keycode, 0, 0) != keysym
    return keycode, shifted


x11.XkbKeycodeToKeysym.restype = ctypes.c_ulong
NOW = ctypes.c_ulong(0)


def button(number, down):
    xtst.XTestFakeButtonEvent(display, number, down, NOW)


def keys(names):
    codes = []
    for name in names:
        keycode, shifted = code(name)
        if shifted and code("Shift_L")[0] not in codes:
            codes.append(code("Shift_L")[0])
        codes.append(keycode)
    for down, some in ((1, codes), (0, reversed(codes))):
        for keycode in some:
            xtst.XTestFakeKeyEvent(display, keycode, down, NOW)


def act(verb, *words):
    """Does one action and waits until the server has taken it."""
    if verb == "move":
        xtst.XTestFakeMotionEvent(display, -1, int(words[0]), int(words[1]), NOW)
    elif verb == "key":
        keys(words)
    elif verb == "wait":
        time.sleep(float(words[0]))
    else:
        number = int(words[0])
        for down in {"down": (1,), "up": (0,), "click": (1, 0)}[verb]:
            button(number, down)
    x11.XSync(display, 0)


if __name__ == "__main__":
    for line in sys.stdin:
        act(*line.split())
        print("done", flush=True)
