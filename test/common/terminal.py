"""What a program writes to a terminal."""
import os


def text_from(master):
    """All that comes out of the master side of a terminal, until its last writer ends."""
    text = b""
    while True:
        try:
            piece = os.read(master, 4096)
        except OSError:
            break
        if not piece:
            break
        text += piece
    return text.decode()
