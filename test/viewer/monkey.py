"""monkey.py SEED EVENTS - random keys, clicks, drags and turns of the wheel (hands.py), the same ones for the same
seed. Prints a line after a few events, and goes on when it has read one: the window is neither idle nor far behind."""
import random
import sys

from hands import act, x11, display

seed, events = map(int, sys.argv[1:])
chance = random.Random(seed)
width = x11.XDisplayWidth(display, 0)
height = x11.XDisplayHeight(display, 0)
names = [*"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"] + """
    plus minus equal period comma colon semicolon question asterisk bracketleft bracketright space
    Left Right Up Down Prior Next Home End Tab BackSpace Delete Insert
    F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12""".split() + ["Return", "Escape"] * 6
held = [[]] * 7 + [["Control_L"], ["Alt_L"], ["Shift_L"], ["Control_L", "Shift_L"], ["Super_L"]]
at = [width // 2, height // 2]


def move(reach=0):
    """To any place, or one at most `reach` pixels from here."""
    for axis, most in ((0, width), (1, height)):
        to = at[axis] + chance.randint(-reach, reach) if reach else chance.randrange(most)
        at[axis] = min(most - 1, max(0, to))
    act("move", *at)


def key():
    act("key", *chance.choice(held), chance.choice(names))


def words():
    """What is typed for a list, a filter or the command line."""
    for letter in chance.choice(["show", "zoom", "rows", "a", "9", "hide", "0.1 0.2", "MPI", "find", "0-2", "[", "-1"]):
        act("key", {" ": "space", ".": "period", "[": "bracketleft", "-": "minus"}.get(letter, letter))


def click():
    number = chance.choice([1, 1, 1, 1, 1, 2, 3])
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        act("click", number)


def drag():
    act("down", chance.choice([1, 1, 1, 2]))
    for _ in range(chance.randint(1, 6)):
        move(chance.choice([10, 100, 0]))
    for number in (1, 2):
        act("up", number)


def wheel():
    for _ in range(chance.randint(1, 4)):
        act("click", chance.choice([4, 5]))


for done in range(events):
    chance.choices([move, lambda: move(60), key, words, click, drag, wheel], [20, 15, 30, 2, 20, 6, 7])[0]()
    if chance.random() < 0.3:
        print(done, flush=True)
        if not sys.stdin.readline():
            sys.exit(1)
print("end", flush=True)
