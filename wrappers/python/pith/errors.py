"""Exceptions. Their texts are those of the commands: one line, FILE: byte N: what is wrong; what to do."""

import os
from typing import Any

from . import _read


class Error(Exception):
    """A log cannot be read; the base of the others."""


class FormatError(Error):
    """The file is not a log of any known format, or of a newer version."""


class UsageError(Error, ValueError):
    """An argument is out of range: no such time, lane or state."""


class DamagedError(Error):
    """The log contradicts its format. `partial` is what the call would have returned, without the damaged parts; None if
    nothing could be read."""

    def __init__(self, text: str, partial: Any = None):
        super().__init__(text)
        self.partial = partial


class IncompleteLogWarning(UserWarning):
    """The log lacks parts: its file was cut, or it was made from such a file. What is there is read."""


def open_error(path: str, text: str) -> OSError:
    """The OSError that says why the file cannot be opened: it is not there, no file, not readable; else the plain one."""
    if not os.path.exists(path):
        return FileNotFoundError(text)
    if os.path.isdir(path):
        return IsADirectoryError(text)
    return OSError(text) if os.access(path, os.R_OK) else PermissionError(text)


# In the order of enum pith_err, from PITH_ERR_OPEN to PITH_ERR_STOPPED.
_read.set_errors([OSError, OSError, FormatError, DamagedError, FormatError, MemoryError, UsageError,
                  KeyboardInterrupt])
