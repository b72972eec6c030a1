#!/usr/bin/env python3
"""otf2_contexts.py FILE: the calling contexts of an archive, from `otf2-print -G FILE` and `otf2-print FILE`: lines of
time in seconds, rank, thread, kind (enter leave sample) and the path of the context. An unwind distance that is not
what OTF2 says, an end of another state than the open one, and a sample outside the open states end it with an error."""
import re
import subprocess
import sys


def lines(*arguments):
    return subprocess.run(['otf2-print', *arguments], check=True, capture_output=True, text=True).stdout.splitlines()


path = {}
for line in lines('-G', sys.argv[1]):
    found = re.match(r'CALLING_CONTEXT +(\d+)  Region: "(.*)" <\d+>, Source.*, Parent: (?:UNDEFINED|".*" <(\d+)>)$', line)
    if found:
        path[int(found[1])] = (path[int(found[3])] if found[3] else []) + [(int(found[1]), found[2])]

before, open_states = {}, {}
for line in lines(sys.argv[1]):
    if re.match(r'(ENTER|LEAVE) ', line):
        sys.exit(f'not a context: {line}')
    found = re.match(r'CALLING_CONTEXT_(\w+) +(\d+) +(\d+)  Calling Context: ".*?" <(\d+)>'
                     r'(?:, Unwind Distance: (\d+))?', line)
    if not found:
        continue
    kind, location, time, now = found[1], int(found[2]), int(found[3]), path[int(found[4])]
    last, states = before.get(location, []), open_states.setdefault(location, [])
    common = sum(1 for depth in range(1, min(len(last), len(now)) + 1) if last[:depth] == now[:depth])
    if kind != 'LEAVE' and int(found[5]) != len(now) - common + 1:
        sys.exit(f'{len(now) - common + 1} is the distance: {line}')
    if kind == 'ENTER':
        if now[:-1] != states:
            sys.exit(f'not in the open state: {line}')
        open_states[location] = now
    elif kind == 'LEAVE':
        if now != states:
            sys.exit(f'not the open state: {line}')
        open_states[location] = now[:-1]
    elif now[:len(states)] != states:
        sys.exit(f'outside the open states: {line}')
    before[location] = now if kind != 'LEAVE' else now[:-1]
    print(f'{time / 1e9:.9f}\t{location & 0xffffffff}\t{location >> 32}\t{kind.lower()}\t'
          + ';'.join(name for _, name in now))
