#!/usr/bin/env python3
"""harmless.py FILE...: finds what a terminal would obey: control characters (but tab and newline), DEL, C1 controls, bytes that
are no UTF-8. Prints file, offset and the bytes around, one line each, exit 1; nothing and 0 when there is none."""
import sys

found = 0
for name in sys.argv[1:]:
    data = open(name, "rb").read()
    at = 0
    for character in data.decode("utf-8", "surrogateescape"):
        code = ord(character)
        if (code < 32 and character not in "\t\n") or 127 <= code < 160 or 0xdc80 <= code <= 0xdcff:
            print("%s: byte %d: %r" % (name, at, data[max(at - 12, 0):at + 12]))
            found = 1
            break
        at += len(character.encode("utf-8", "surrogateescape"))
sys.exit(found)
