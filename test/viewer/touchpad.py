"""touchpad.py SOCKET - a touchpad of Xorg's input driver `inputtest` (xf86-input-inputtest-protocol.h). Each line of standard
input has what it does: X,Y moves the pointer there; begin, a scale, and end are of a pinch of two fingers. Prints a line
when the server has taken all of that. The driver serves one connection."""
import socket
import struct
import sys

VERSION, WAIT, MOTION, PINCH = 0, 1, 2, 7
BEGIN, UPDATE, END = 27, 28, 29  # XI_GesturePinchBegin ...

server = socket.socket(socket.AF_UNIX)
server.connect(sys.argv[1])


def send(kind, body=b""):
    server.sendall(struct.pack("II", 8 + len(body), kind) + body)


def answer():
    size, _ = struct.unpack("II", server.recv(8, socket.MSG_WAITALL))
    return server.recv(size - 8, socket.MSG_WAITALL) if size > 8 else b""


def pinch(kind, scale):
    send(PINCH, struct.pack("HHI6d", kind, 2, 0, 0, 0, 0, 0, scale, 0))


send(VERSION, struct.pack("HH", 1, 1))
answer()
scale = 1
for line in sys.stdin:
    for action in line.split():
        if "," in action:
            x, y = map(float, action.split(","))
            send(MOTION, struct.pack("I4xI8B4x64d64d", 1, 0, 3, *[0] * 7, x, y, *[0] * 62, *[0] * 64))
        elif action == "begin":
            pinch(BEGIN, 1)
        elif action == "end":
            pinch(END, scale)
        else:
            scale = float(action)
            pinch(UPDATE, scale)
        send(WAIT)
        answer()
    print("done", flush=True)
