"""on_terminal.py FOLLOW COMMAND...: runs it with stderr on a terminal, held up for a second, and prints what came there.

It is stopped when it is at work and goes on a second later, so that it is long work however fast the machine is.
FOLLOW: it is stopped after so many milliseconds of processor time, however busy the machine is."""
import os
import pty
import signal
import subprocess
import sys
import time

from terminal import text_from

master, slave = pty.openpty()
process = subprocess.Popen(sys.argv[2:], stderr=slave, stdout=subprocess.DEVNULL)
os.close(slave)
clock = ~process.pid << 3 | 2  # its processor time: clock_getcpuclockid(3)
while process.poll() is None and time.clock_gettime(clock) < int(sys.argv[1]) / 1000:
    time.sleep(0.001)
process.send_signal(signal.SIGSTOP)
time.sleep(1)
process.send_signal(signal.SIGCONT)
text = text_from(master)
print(process.wait(), repr(text))
