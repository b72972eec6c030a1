"""on_terminal.py FOLLOW COMMAND...: runs it with stderr on a terminal, held up for a second, and prints what came there.

It is stopped a moment after its start and goes on a second later, so that it is long work however fast the machine is.
FOLLOW: so many milliseconds after its start."""
import os
import pty
import signal
import subprocess
import sys
import time

master, slave = pty.openpty()
process = subprocess.Popen(sys.argv[2:], stderr=slave, stdout=subprocess.DEVNULL)
os.close(slave)
time.sleep(int(sys.argv[1]) / 1000)
process.send_signal(signal.SIGSTOP)
time.sleep(1)
process.send_signal(signal.SIGCONT)
text = b""
while True:
    try:
        piece = os.read(master, 4096)
    except OSError:
        break
    if not piece:
        break
    text += piece
print(process.wait(), repr(text.decode()))
