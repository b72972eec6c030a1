"""Records what a Python program does, with or without MPI: states, events, counters, messages.

Recording starts at the first use. The log is named by PITH_LOG, else after the program, and is written at exit; in a
program that `pith run` started, MPI_Finalize writes one log of all ranks. Every function may be called from any thread;
each thread has a lane of its own. None of them fails: records that cannot be stored are counted by lost().
"""

import contextlib
import functools
import os
from typing import Any, Callable, Iterator, TypeVar, Union

from . import _read  # noqa: F401 - both libraries are found in the same way
from ._record import Counter, Event, finish, flush, lost, pause, recv, resume, send, snapshot, thread_name
from ._record import State as _State

event = Event
counter = Counter
F = TypeVar("F", bound=Callable[..., Any])


class State(_State):
    """A coloured bar: `with state:`, `@state`, or begin() and end(). One state may be used by many threads at once, and
    may nest in itself. Cost of a pair: less than 200 ns."""

    __slots__ = ()

    def __call__(self, function: F) -> F:
        """Decorates a function: each call is an instance of the state."""

        @functools.wraps(function)
        def wrapper(*args: Any, **keywords: Any) -> Any:
            with self:
                return function(*args, **keywords)

        return wrapper  # type: ignore[return-value]


def state(name: str, colour: str = "") -> State:
    """Defines a state, or returns one with the same id if the name is known. `colour`: an X11 name or "#rrggbb"; "": the
    viewer chooses."""
    return State(name, colour)


@contextlib.contextmanager
def record(path: Union[None, str, "os.PathLike[str]"] = None) -> Iterator[None]:
    """Records a part of the program: `with pith.record("run.pith"):`, or as a decorator. At the end the log is written,
    and recording is over for this process. Under `pith run` the log goes on until MPI_Finalize, and `path` is ignored."""
    if path is not None and "PITH_LOG" not in os.environ:
        os.environ["PITH_LOG"] = os.fspath(path)
    resume()
    try:
        yield
    finally:
        finish()
