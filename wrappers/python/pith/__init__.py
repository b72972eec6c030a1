"""Pith: reads logs of parallel programs into numpy arrays, and records from Python.

    import pith
    log = pith.open("run.pith")            # any format that Pith reads: OTF2, CLOG-2, SLOG-2, Paraver ...
    log.states("MPI_*").frame()            # a pandas DataFrame
    log.efficiency()["parallel"]

    solve = pith.state("solve")            # records into the log of this program
    with solve:
        ...

Times are int64 nanoseconds from the start of the log. Arguments that are times accept seconds (1.5) and the words of the
commands ("3ms", "1:02:33", "init", "end-1s", "solve[3]").
"""

from typing import Any

from .errors import DamagedError, Error, FormatError, IncompleteLogWarning, UsageError
from .log import Finding, Log, Page, Picture, Table, open

__all__ = [
    "open", "Log", "Table", "Picture", "Page", "Finding",
    "Error", "FormatError", "DamagedError", "UsageError", "IncompleteLogWarning",
    "record", "state", "event", "counter", "State", "Event", "Counter",
    "send", "recv", "pause", "resume", "flush", "snapshot", "finish", "lost", "thread_name",
]


def __getattr__(name: str) -> Any:
    # Imported here, as it loads libpith, which a program that only reads logs does not need.
    if name in __all__:
        from . import recording

        return getattr(recording, name)
    raise AttributeError(f"module 'pith' has no attribute {name!r}")
