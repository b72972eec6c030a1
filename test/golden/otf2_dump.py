#!/usr/bin/env python3
"""otf2_dump.py: what otf2-print says of the events of an archive (standard input), as lines of `pith print`: time in
seconds, rank, thread, kind, name or values. Ends of states whose beginnings are missing, ends of collectives without a
beginning and times that fall on a location end it with an error."""
import re
import sys

line_of = re.compile(r'^([A-Z][A-Z_0-9]*) +(\d+) +(\d+)  ?(.*)$')
name_of = re.compile(r'"(.*)" <\d+>')


def wrong(text):
    sys.exit(f'otf2_dump: {text}')


def value(text, key):
    number = re.search(key + r': (-?\d+|UNDEFINED)', text).group(1)
    return '4294967295' if number == 'UNDEFINED' else number  # otf2-print 3.2 has a word for it


def peer_rank(text, key):
    return int(re.search(key + r': \d+ \(".*?" <(\d+)>\)', text).group(1)) & 0xffffffff


def name(text):
    return name_of.search(text).group(1)


open_states, collective, last = {}, {}, {}
for line in sys.stdin:
    found = line_of.match(line)
    if not found:
        continue
    event, location, time, rest = found.group(1), int(found.group(2)), int(found.group(3)), found.group(4)
    if time < last.get(location, 0):
        wrong(f'time falls: {line}')
    last[location] = time
    stack = open_states.setdefault(location, [])
    out = None
    if event == 'ENTER':
        stack.append(name(rest))
        out = 'enter', stack[-1]
    elif event == 'LEAVE':
        if not stack or stack.pop() != name(rest):
            wrong(f'not the innermost state: {line}')
        out = 'leave', name(rest)
    elif event.startswith('PARAMETER_'):
        out = 'event', re.search(r'Parameter: "(.*?)" <\d+>', rest).group(1)
        if out[1] == 'records lost':
            out = 'lost', '', f'count={value(rest, "Value")}'
    elif event == 'METRIC':
        member, kind, number = re.search(r'\("(.*)" <\d+>; (\w+); (.*)\)', rest).groups()
        out = 'counter', member, f'value={float(number):g}'
    elif event == 'MPI_SEND':
        out = 'send', f'peer={peer_rank(rest, "Receiver")}', f'tag={value(rest, "Tag")}', f'bytes={value(rest, "Length")}'
    elif event in ('MPI_RECV', 'MPI_IRECV'):
        out = 'recv', f'peer={peer_rank(rest, "Sender")}', f'tag={value(rest, "Tag")}', f'bytes={value(rest, "Length")}'
    elif event == 'MPI_COLLECTIVE_BEGIN':
        collective[location] = 1
    elif event == 'MPI_COLLECTIVE_END':
        if not collective.pop(location, 0):
            wrong(f'a collective ends that never began: {line}')
        out = 'coll', re.search(r'Operation: (\w+)', rest).group(1), f'bytes={value(rest, "Sent")}', f'got_bytes={value(rest, "Received")}'
    elif event in ('COMM_CREATE', 'COMM_DESTROY'):
        out = 'comm', name(rest)
    elif event == 'MEASUREMENT_ON_OFF':
        out = ('pause' if 'OFF' in rest else 'resume'),
    elif event not in ('MPI_IRECV_REQUEST', 'MPI_REQUEST_CANCELLED'):
        wrong(f'an event that is not written: {line}')
    if out:
        seconds = f'{time // 10**9}.{time % 10**9:09d}'
        print(seconds, location & 0xffffffff, location >> 32, *out, sep='\t')
for location, stack in open_states.items():
    if stack:
        wrong(f'states without end on {location}: {stack}')
