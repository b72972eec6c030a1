"""Logs as numpy arrays: Log, and the tables that it returns."""

import fnmatch
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from builtins import open as _open
from html import escape
from typing import Any, Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple, TypeVar, Union, overload

import numpy as np

from . import _read
from .errors import DamagedError, Error, FormatError, IncompleteLogWarning, open_error

Time = Union[None, int, float, str]
Names = Union[None, str, Iterable[str]]
Ranks = Union[None, int, Iterable[int]]
Path = Union[str, "os.PathLike[str]"]
Array = np.ndarray[Any, Any]
T = TypeVar("T")

ENTER, LEAVE, EVENT, COUNTER, SEND, RECV, COLL = range(1, 8)
_NEST, _CLIP = 1, 2
_NONE = 0xFFFFFFFF
_MIN, _MAX = -(2**63), 2**63 - 1
_STATE, _EVENT_TYPE, _COUNTER_TYPE = range(3)
# The columns that Records.fill() takes, in its order.
_COLUMNS = (("time_ns", "i8"), ("lane", "u4"), ("kind", "u4"), ("id", "u4"), ("comm", "u4"), ("peer", "i4"), ("tag", "i4"),
            ("bytes", "u8"), ("got_bytes", "u8"), ("value", "f8"), ("depth", "u4"), ("start_ns", "i8"), ("nested_ns", "i8"))
_LAYOUTS = {
    name: np.dtype({"names": [f[0] for f in fields], "formats": [f[1] for f in fields],
                    "offsets": [f[2] for f in fields], "itemsize": size})
    for name, (fields, size) in _read.layouts.items()
}
_ORDERS = np.array(["", "wrong order, same source", "wrong order, other source"], dtype=object)


class Table:
    """Columns of the same length. `table["start_ns"]` is a numpy array of shape (n,); `len(table)` is n; `table.columns`
    lists the names. `table[:10]` and `table[table["depth"] == 0]` are tables of these rows; `dict(table)` has the columns.
    Columns that stand for names hold numbers: `table.names("state")` has the text for each row."""

    def __init__(self, columns: Dict[str, Array], names: Optional[Dict[str, Array]] = None):
        self._columns = columns
        self._names = names or {}

    @property
    def columns(self) -> List[str]:
        return list(self._columns)

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), ()))

    def keys(self) -> List[str]:
        """The names of the columns."""
        return list(self._columns)

    @overload
    def __getitem__(self, column: str) -> Array: ...

    @overload
    def __getitem__(self, column: Union[slice, Array, Sequence[int], Sequence[bool]]) -> "Table": ...

    def __getitem__(self, column: Union[str, slice, Array, Sequence[int], Sequence[bool]]) -> Union[Array, "Table"]:
        if isinstance(column, str):
            return self._columns[column]
        if np.isscalar(column):
            raise TypeError(f"a table has columns such as table[{next(iter(self._columns), 'name')!r}]; a row is table[i:i + 1]")
        return self.where(column)

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __contains__(self, column: object) -> bool:
        return column in self._columns

    def names(self, column: str) -> Array:
        """The names of a column, an array of str (object) of shape (n,)."""
        texts: Array = self._names[column][self._columns[column]]
        return texts

    def where(self, rows: Any) -> "Table":
        """The rows that an index or a mask of numpy selects, as a table."""
        if not isinstance(rows, slice):
            rows = np.asarray(rows)
            rows = rows if len(rows) else rows.astype("i8")
        return Table({name: array[rows] for name, array in self._columns.items()}, self._names)

    def frame(self) -> Any:
        """A pandas DataFrame; columns that stand for names are categorical."""
        import pandas

        data = {}
        for name, array in self._columns.items():
            if name not in self._names:
                data[name] = array
                continue
            categories, code = np.unique(self._names[name].astype(str), return_inverse=True)
            data[name] = pandas.Categorical.from_codes(code.astype("i4")[array], categories)
        return pandas.DataFrame(data, copy=False)

    def __repr__(self) -> str:
        return f"<pith.Table of {len(self)} rows: {', '.join(self._columns)}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: the first and the last rows."""
        count = len(self)
        rows = list(range(count)) if count <= 20 else [*range(10), *range(count - 10, count)]
        shown = {name: (self._names[name][array[rows]] if name in self._names else array[rows])
                 for name, array in self._columns.items()}
        lines = []
        for place, row in enumerate(rows):
            if place and rows[place - 1] != row - 1:
                lines.append(f"<tr><td>...</td>{'<td>...</td>' * len(shown)}</tr>")
            lines.append(f"<tr><th>{row}</th>{''.join(f'<td>{escape(str(a[place]))}</td>' for a in shown.values())}</tr>")
        head = "".join(f"<th>{escape(name)}</th>" for name in shown)
        return (f"<table><thead><tr><th></th>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
                f"<p>{count} rows</p>")


class _Intervals(NamedTuple):
    """Instances of states, each an array of shape (n,)."""

    state: Array
    lane: Array
    begin_ns: Array
    end_ns: Array
    self_ns: Array
    depth: Array
    parent: Array  # row of the state around it; -1: none
    matches: Array  # bool: the query holds
    damage: Optional[str]


class Finding(NamedTuple):
    """What makes a run slow, as `pith analyze` prints it."""

    name: str  #: "late sender", "load imbalance" ...
    text: str  #: lines for people
    ns: float  #: what it costs, summed over lanes
    share: float  #: of the time of all lanes with MPI calls, 0 to 1


class Picture:
    """A drawing of a log; a notebook shows it."""

    def __init__(self, data: bytes, kind: str):
        self.data, self.kind = data, kind

    def save(self, path: Path) -> None:
        with _open(path, "wb") as file:
            file.write(self.data)

    def _repr_svg_(self) -> Optional[str]:
        return self.data.decode() if self.kind == "svg" else None

    def _repr_png_(self) -> Optional[bytes]:
        return self.data if self.kind == "png" else None


class Page:
    """A page of a log, as `pith draw -o LOG.html` makes it; a notebook shows it in a frame."""

    def __init__(self, data: bytes, height: int):
        self.data, self.height = data, height

    def save(self, path: Path) -> None:
        with _open(path, "wb") as file:
            file.write(self.data)

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{escape(self.data.decode(), quote=True)}" title="Pith" width="100%" height="{self.height}" '
                'style="border: 0"></iframe>')


def _is_notebook() -> bool:
    """Whether a kernel of Jupyter runs this."""
    ipython: Any = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


def _program() -> str:
    """The command pith: of the installation that this package belongs to, else of PATH."""
    here = os.path.dirname(os.path.abspath(__file__))
    while here != os.path.dirname(here):
        here = os.path.dirname(here)
        candidate = os.path.join(here, "bin", "pith")
        if os.access(candidate, os.X_OK):
            return candidate
    found = shutil.which("pith")
    if not found:
        raise Error("the command pith is not in PATH; install Pith or add its bin folder")
    return found


def open(path: Path) -> "Log":  # noqa: A001 - as gzip.open, tarfile.open
    """Opens a log of any format that Pith reads (`pith help formats`). FileNotFoundError, OSError; FormatError: it is not a
    log; DamagedError. Warns with IncompleteLogWarning if parts are missing."""
    return Log(path)


def _open_again(path: str, queries: Sequence[str]) -> "Log":
    log = Log(path)
    for query in queries:
        log = log.where(query)
    return log


class Log:
    """An open log. Several threads may read it at once. It is a context manager: `with pith.open(path) as log:`.

    Methods that select take the same arguments: `name`, a pattern or a list of patterns such as "MPI_*"; `from_` and `to`,
    times (seconds or words); `ranks`, numbers of ranks; `where`, a query of pith-query(7). A query compares whole states,
    also those that a window cuts. A damaged part raises DamagedError, whose `partial` has the rest.

    A pickled log is its path: who unpickles it opens the file again, which must be there (multiprocessing, dask ...).
    """

    def __init__(self, path: Path):
        self.path: str = os.fspath(path)
        self._queries: Tuple[str, ...] = ()
        try:
            self._log = _read.Log(self.path)
        except OSError as error:
            raise open_error(self.path, str(error)) from None
        self._begin()
        if not self._info["complete"]:
            warnings.warn(f"{self.path}: incomplete: {self._info['incomplete'] or 'parts are missing'}",
                          IncompleteLogWarning, stacklevel=3)

    def _begin(self) -> None:
        """Reads the definitions of the open log."""
        self._info = self._log.info()
        self._defs = self._log.definitions()
        lanes = self._log.lanes()
        self._lane_rank = np.array([lane[0] for lane in lanes], dtype="i4")
        self._lane_thread = np.array([lane[1] for lane in lanes], dtype="u4")
        self._lanes = lanes
        self._names = np.array([d[1] for d in self._defs] + ["computing"], dtype=object)
        self._kind = np.array([d[0] for d in self._defs], dtype="i4")
        self._analyses: Dict[Tuple[Any, ...], Any] = {}

    def where(self, query: str) -> "Log":
        """The records that a query of pith-query(7) selects, as a log of its own: what `pith cut --where` writes. It has all
        definitions, but only the lanes that can match; they are numbered anew."""
        part = Log.__new__(Log)
        part.path = self.path
        part._queries = (*self._queries, query)
        part._log = self._log.part(query)
        part._begin()
        return part

    def __enter__(self) -> "Log":
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def __reduce__(self) -> Tuple[Callable[..., "Log"], Tuple[Any, ...]]:
        return _open_again, (os.path.abspath(self.path), self._queries)

    def close(self) -> None:
        """Closes the file. Tables remain valid."""
        self._analyses.clear()
        self._log.close()

    def __repr__(self) -> str:
        i = self._info
        return f"<pith.Log {self.path}: {i['ranks']} ranks, {i['lanes']} lanes, {i['records']} records>"

    def _repr_html_(self) -> str:
        """What a notebook shows: the facts."""
        facts = "".join(f"<tr><th>{escape(str(key))}</th><td>{escape(str(value))}</td></tr>"
                        for key, value in self.info.items() if not key.startswith("code "))
        return f"<table><caption>{escape(self.path)}</caption><tbody>{facts}</tbody></table>"

    # ---- What the log holds

    @property
    def info(self) -> Dict[str, Any]:
        """Facts: format, complete, ranks, lanes, records, states, events, messages, lost, start_ns, end_ns, bytes ..., and
        the properties of the run: program, host, mpi, clock, start_unix_s ..."""
        return {**self._log.properties(), **self._info}

    @property
    def ranks(self) -> Array:
        """The ranks that have lanes, ascending; int32."""
        ranks: Array = np.unique(self._lane_rank)
        return ranks

    @property
    def lanes(self) -> Table:
        """A row for each thread of each rank: rank, thread, name, host, first_ns, last_ns, records."""
        columns = list(zip(*self._lanes)) or [()] * 7
        kinds: Tuple[Any, ...] = ("i4", "u4", object, object, "i8", "i8", "u8")
        names = ("rank", "thread", "name", "host", "first_ns", "last_ns", "records")
        return Table({n: np.array(c, dtype=k) for n, c, k in zip(names, columns, kinds)})

    @property
    def definitions(self) -> Table:
        """A row for each state, event and counter: name, kind, colour ("#rrggbb"), group, format (of payloads; of counters
        the unit). Row i describes the number i in columns such as `state`."""
        kinds = ("state", "event", "counter")
        columns = {"name": [d[1] for d in self._defs], "kind": [kinds[d[0]] for d in self._defs],
                   "colour": [f"#{d[2]:06x}" for d in self._defs], "group": [d[3] for d in self._defs],
                   "format": [d[4] for d in self._defs]}
        return Table({name: np.array(column, dtype=object) for name, column in columns.items()})

    @property
    def communicators(self) -> List[Dict[str, Any]]:
        """For each communicator its name, and the world ranks of its group and remote group (int32 arrays; empty:
        unknown). Item 0 is MPI_COMM_WORLD."""
        result = []
        for name, size, _, members in self._log.communicators():
            world = np.frombuffer(members, dtype="i4")
            result.append({"name": name, "ranks": world[:size], "remote_ranks": world[size:]})
        return result

    def time(self, when: Time, end: bool = False) -> int:
        """The nanosecond that seconds or a word ("3ms", "init", "solve[3]") stand for; `end`: the end of the instance."""
        if when is None:
            return _MAX if end else _MIN
        if isinstance(when, str):
            return int(self._log.find(when, int(end)))
        return int(round(float(when) * 1e9))

    # ---- Records

    def _ids(self, name: Names, kind: int) -> Array:
        """A mask over definitions, with one more item for none."""
        patterns = ["*"] if name is None else [name] if isinstance(name, str) else list(name)
        return np.array([d[0] == kind and any(fnmatch.fnmatchcase(d[1], p) for p in patterns) for d in self._defs] + [False],
                        dtype=bool)

    def _select(self, ranks: Ranks) -> Optional[Array]:
        if ranks is None:
            return None
        wanted = np.atleast_1d(np.asarray(list(ranks) if isinstance(ranks, Iterable) else ranks))
        return np.flatnonzero(np.isin(self._lane_rank, wanted)).astype("u4")

    def _records(self, columns: Sequence[str], kinds: Iterable[int], ids: Optional[Array] = None, from_: Time = None,
                 to: Time = None, ranks: Ranks = None, flags: int = 0,
                 where: Optional[str] = None) -> Tuple[Dict[str, Array], Optional[str]]:
        """The records as a dict of columns, and the text of the first damage or None."""
        lanes, begin, end = self._select(ranks), self.time(from_), self.time(to, True)
        if where is not None:
            _read.check_query(where)
        if ids is not None and not ids.any() or lanes is not None and not len(lanes):
            return {name: np.empty(0, dtype=kind) for name, kind in _COLUMNS if name in columns}, None
        iterator = _read.Records(self._log, begin, end, None if lanes is None else lanes.tobytes(),
                                 sum(1 << k for k in kinds), flags,
                                 None if ids is None else ids[:-1].astype("u1").tobytes(), where)
        bound = sum(lane[6] for lane in self._lanes) + len(self._lanes) * 64
        room = max(min(bound, 1 << 20), 1)
        arrays = {name: np.empty(room, dtype=kind) for name, kind in _COLUMNS if name in columns}
        filled, damage = 0, None
        while True:
            count, text = iterator.fill(filled, tuple(arrays.get(name) for name, _ in _COLUMNS))
            filled += count
            damage = damage or text
            if text is None and filled < room:
                break
            if filled == room:
                room *= 2
                for array in arrays.values():
                    array.resize(room, refcheck=False)  # moves pages, copies nothing
        for array in arrays.values():
            array.resize(filled, refcheck=False)
        return arrays, damage

    def _with_lane(self, arrays: Dict[str, Array]) -> Dict[str, Array]:
        lane = arrays["lane"]
        return {"lane": lane, "rank": self._lane_rank[lane], "thread": self._lane_thread[lane]}

    @staticmethod
    def _whole(table: T, damage: Optional[str]) -> T:
        if damage is not None:
            raise DamagedError(damage, table)
        return table

    def _intervals(self, from_: Time, to: Time, ranks: Ranks, where: Optional[str] = None) -> "_Intervals":
        """All instances of states, cut at the window, with those that match."""
        columns = ("time_ns", "lane", "id", "depth", "start_ns")
        arrays, damage = self._records(columns, (LEAVE,), None, from_, to, ranks, _CLIP)
        matches = np.ones(len(arrays["lane"]), dtype=bool)
        if where is not None:
            some, also_damage = self._records(columns, (LEAVE,), None, from_, to, ranks, _CLIP, where)
            matches, damage = _rows_of(some, arrays), damage or also_damage
        begin = np.maximum(arrays["start_ns"], self.time(from_))
        # Only states that have a begin and lie at least partly in the window and in the log.
        rows = (arrays["depth"] != _NONE) & (begin <= np.minimum(arrays["time_ns"], self._info["end_ns"]))
        if not rows.all():
            arrays, begin, matches = {name: array[rows] for name, array in arrays.items()}, begin[rows], matches[rows]
        end, lane, depth = arrays["time_ns"], arrays["lane"], arrays["depth"]
        order = np.lexsort((end, depth, begin, lane))
        place = np.empty(len(order), dtype="i8")
        place[order] = np.arange(len(order))
        parent = np.full(len(order), -1, dtype="i8")
        outer = order[depth[order] == 0]  # of one depth, in the order of lanes and times
        for d in range(1, int(depth.max(initial=0)) + 1):
            inner = order[depth[order] == d]
            before = np.searchsorted(place[outer], place[inner]) - 1
            found = np.where(before >= 0, outer[before], -1) if len(outer) else np.full(len(inner), -1)
            parent[inner] = np.where((found >= 0) & (lane[found] == lane[inner]), found, -1)
            outer = inner
        length, inside = end - begin, parent >= 0
        nested = np.bincount(parent[inside], weights=length[inside], minlength=len(order))  # exact up to 104 days
        return _Intervals(arrays["id"], lane, begin, end, length - nested.astype("i8"), depth, parent, matches,
                          damage)

    def states(self, name: Names = None, *, from_: Time = None, to: Time = None, ranks: Ranks = None,
               where: Optional[str] = None) -> Table:
        """Instances of states in the order of their ends: state, lane, rank, thread, start_ns, end_ns, self_ns (without
        states inside), depth (0: outermost). States open at the ends of the window or of the log are cut there."""
        if from_ is None and to is None:
            arrays, damage = self._records(("time_ns", "lane", "id", "depth", "start_ns", "nested_ns"), (LEAVE,),
                                           self._ids(name, _STATE), None, None, ranks, _CLIP, where)
            rows = arrays["depth"] != _NONE
            state, lane, begin, end, depth = (arrays[c] for c in ("id", "lane", "start_ns", "time_ns", "depth"))
            own = end - begin - arrays["nested_ns"]
        else:  # of states inside, only the part in the window counts
            state, lane, begin, end, own, depth, _, matches, damage = self._intervals(from_, to, ranks, where)
            rows = self._ids(name, _STATE)[state] & matches
        columns = {"state": state, **self._with_lane({"lane": lane}), "start_ns": begin, "end_ns": end, "self_ns": own,
                   "depth": depth}
        table = Table(columns, {"state": self._names})
        return self._whole(table if rows.all() else table.where(rows), damage)

    def events(self, name: Names = None, *, from_: Time = None, to: Time = None, ranks: Ranks = None, payloads: bool = False,
               where: Optional[str] = None) -> Table:
        """Solo events: event, lane, rank, thread, time_ns; with `payloads` also payload, their text (slower)."""
        ids = self._ids(name, _EVENT_TYPE)
        arrays, damage = self._records(("time_ns", "lane", "id"), (EVENT,), ids, from_, to, ranks, 0, where)
        columns = {"event": arrays["id"], **self._with_lane(arrays), "time_ns": arrays["time_ns"]}
        if payloads:
            lanes = self._select(ranks)
            again = _read.Records(self._log, self.time(from_), self.time(to, True),
                                  None if lanes is None else lanes.tobytes(), 1 << EVENT, 0, ids[:-1].astype("u1").tobytes(),
                                  where)
            texts = again.payloads() if len(arrays["id"]) else []
            columns["payload"] = np.array(texts, dtype=object)
        return self._whole(Table(columns, {"event": self._names}), damage)

    def counters(self, name: Names = None, *, from_: Time = None, to: Time = None, ranks: Ranks = None,
                 where: Optional[str] = None) -> Table:
        """Values of counters: counter, lane, rank, thread, time_ns, value (float64)."""
        arrays, damage = self._records(("time_ns", "lane", "id", "value"), (COUNTER,), self._ids(name, _COUNTER_TYPE), from_, to,
                                       ranks, 0, where)
        columns = {"counter": arrays["id"], **self._with_lane(arrays), "time_ns": arrays["time_ns"], "value": arrays["value"]}
        return self._whole(Table(columns, {"counter": self._names}), damage)

    def collectives(self, *, from_: Time = None, to: Time = None, ranks: Ranks = None, where: Optional[str] = None) -> Table:
        """Each rank's part in each collective: lane, rank, thread, time_ns, comm (number in `communicators`), root (world
        rank; -1: none), sent_bytes, received_bytes."""
        arrays, damage = self._records(("time_ns", "lane", "comm", "peer", "bytes", "got_bytes"), (COLL,), None, from_, to, ranks,
                                       0, where)
        columns = {**self._with_lane(arrays), "time_ns": arrays["time_ns"], "comm": arrays["comm"], "root": arrays["peer"],
                   "sent_bytes": arrays["bytes"], "received_bytes": arrays["got_bytes"]}
        return self._whole(Table(columns), damage)

    def messages(self, *, from_: Time = None, to: Time = None, ranks: Ranks = None, where: Optional[str] = None) -> Table:
        """Matched messages that are under way at any time in the window, with an end on one of the ranks: send_ns, recv_ns,
        sender, receiver (world ranks), send_lane, recv_lane, tag, comm, bytes. The whole log is matched."""
        data, _, _, damage = _read.messages(self._log, where)
        all_ = np.frombuffer(data, dtype=_LAYOUTS["message"])
        first, last = np.minimum(all_["send_ns"], all_["recv_ns"]), np.maximum(all_["send_ns"], all_["recv_ns"])
        rows = (last >= self.time(from_)) & (first <= self.time(to, True))
        lanes = self._select(ranks)
        if lanes is not None:
            rows &= np.isin(all_["send_lane"], lanes) | np.isin(all_["recv_lane"], lanes)
        kept = all_ if rows.all() else all_[rows]
        columns = {"send_ns": kept["send_ns"], "recv_ns": kept["recv_ns"], "sender": self._lane_rank[kept["send_lane"]],
                   "receiver": self._lane_rank[kept["recv_lane"]], "send_lane": kept["send_lane"],
                   "recv_lane": kept["recv_lane"], "tag": kept["tag"], "comm": kept["comm"], "bytes": kept["bytes"]}
        return self._whole(Table(columns), damage)

    # ---- Sums

    def stat(self, name: Names = None, *, from_: Time = None, to: Time = None, ranks: Ranks = None,
             where: Optional[str] = None) -> Table:
        """A row for each state, most self time first: state, count, total_ns (with states inside; counted once where a state is
        inside itself), self_ns, mean_ns, min_ns, max_ns. As `pith stat`."""
        state, _, begin, end, own, depth, parent, matches, damage = self._intervals(from_, to, ranks, where)
        length, outermost, around = end - begin, np.ones(len(state), dtype=bool), parent
        for _ in range(int(depth.max(initial=0))):
            outermost &= (around < 0) | (state[around] != state)
            around = np.where(around < 0, -1, parent[around])
        order = np.flatnonzero(self._ids(name, _STATE)[state] & matches)
        order = order[np.argsort(state[order], kind="stable")]
        rows, at = np.unique(state[order], return_index=True)
        values = (length * outermost, own, length, length, length)
        ways: Tuple[Any, ...] = (np.add, np.add, np.add, np.minimum, np.maximum)
        total, own, all_, low, high = (how.reduceat(value[order], at) if len(order) else value[order]
                                       for how, value in zip(ways, values))
        count = np.diff(np.append(at, len(order)))
        columns = {"state": rows, "count": count, "total_ns": total, "self_ns": own, "mean_ns": all_ / count, "min_ns": low,
                   "max_ns": high}
        return self._whole(Table(columns, {"state": self._names}).where(np.argsort(-own, kind="stable")), damage)

    def comm_matrix(self, value: str = "bytes", *, from_: Time = None, to: Time = None,
                    where: Optional[str] = None) -> Array:
        """Messages between ranks: array of shape (ranks, ranks), [sender, receiver], uint64; `value`: "bytes" or
        "messages". Rows are in the order of `ranks`."""
        if value not in ("bytes", "messages"):
            raise ValueError("value: must be 'bytes' or 'messages'")
        table, ranks = self.messages(from_=from_, to=to, where=where), self.ranks
        matrix = np.zeros((len(ranks), len(ranks)), dtype="u8")
        at = (np.searchsorted(ranks, table["sender"]), np.searchsorted(ranks, table["receiver"]))
        np.add.at(matrix, at, table["bytes"] if value == "bytes" else np.uint64(1))
        return matrix

    def _check_sums(self) -> None:
        """Raises an error if a time summed over all lanes may not fit 64 bits: in a damaged log, or one made by hand."""
        times = [time for lane in self._lanes if lane[6] for time in lane[4:6]] or [0]
        if (max(times) - min(times)) * len(self._lanes) > _MAX:
            raise FormatError(f"{self.path}: its times are too far apart to be added over all threads")

    def time_profile(self, bins: int = 100, *, from_: Time = None, to: Time = None, ranks: Ranks = None,
                     where: Optional[str] = None) -> Tuple[Array, Dict[str, Array]]:
        """What the lanes did over time. Returns edges_ns, int64 of shape (bins + 1,), and a dict of name -> self time in ns
        in each bin, summed over lanes, int64 of shape (bins,). "computing": outside all states; not with `where`."""
        self._check_sums()
        begin = max(self._info["start_ns"], self.time(from_))
        edges = np.linspace(begin, min(self._info["end_ns"], self.time(to, True)), bins + 1).astype("i8")
        state, _, start, end, _, _, parent, matches, damage = self._intervals(from_, to, ranks, where)
        outside, lanes = len(self._defs), self._select(ranks)
        state = np.where(matches, state, outside)
        owner = np.where(parent >= 0, state[parent], outside)  # has its time reduced by the states inside
        sums = np.zeros((outside + 1, bins), dtype="i8")
        sums[outside] = np.diff(edges) * (len(self._lanes) if lanes is None else len(lanes))
        for number in range(outside + 1):
            for rows, sign in ((state == number, 1), (owner == number, -1)):
                if rows.any():
                    sums[number] += sign * np.diff(_time_before(edges, start[rows], end[rows]))
        shown = outside + (where is None)
        result = {self._names[i]: sums[i] for i in range(shown) if sums[i].any()}
        return self._whole((edges, result), damage)

    def load_imbalance(self, name: Names = None, *, from_: Time = None, to: Time = None,
                       where: Optional[str] = None) -> Table:
        """How unevenly ranks spend their time: state, mean_ns and max_ns of the self time of a rank, rank (with the most),
        imbalance (max / mean - 1; 0: even). The state "computing" is the time outside all states, from the first record of
        a lane in the window to its last; it is left out with `where`."""
        self._check_sums()
        table, ranks = self.states(from_=from_, to=to, where=where), self.ranks
        if not len(ranks):
            none = np.zeros(0)
            return Table({"state": none.astype("u4"), "mean_ns": none, "max_ns": none.astype("i8"), "rank": ranks,
                          "imbalance": none}, {"state": self._names})
        at = np.searchsorted(ranks, table["rank"])
        sums = np.zeros((len(self._names), len(ranks)), dtype="i8")
        np.add.at(sums, (table["state"], at), table["self_ns"])
        for rank, _, _, _, first, last, count in self._lanes:
            if count:
                sums[-1, np.searchsorted(ranks, rank)] += max(min(last, self.time(to, True)) - max(first, self.time(from_)), 0)
        outer = table["depth"] == 0
        np.subtract.at(sums[-1], at[outer], (table["end_ns"] - table["start_ns"])[outer])
        if where is not None:
            sums[-1] = 0
        if name is not None:
            sums[~self._ids(name, _STATE)] = 0
        rows = np.flatnonzero(sums.any(axis=1))
        rows = rows[np.argsort(-(sums[rows].max(axis=1) - sums[rows].mean(axis=1)), kind="stable")]
        mean, high = sums[rows].mean(axis=1), sums[rows].max(axis=1)
        columns = {"state": rows.astype("u4"), "mean_ns": mean, "max_ns": high, "rank": ranks[sums[rows].argmax(axis=1)],
                   "imbalance": high / mean - 1}
        return Table(columns, {"state": self._names})

    # ---- Analysis

    def _analysis(self, from_: Time, to: Time, where: Optional[str] = None) -> Tuple[Any, "Log", Array]:
        """The analysis of the records that match, the log of these, and the number here of each of its lanes."""
        key = (self.time(from_), self.time(to, True), where)
        if key not in self._analyses:
            part = self if where is None else self.where(where)
            places = {place: i for i, place in enumerate(zip(self._lane_rank.tolist(), self._lane_thread.tolist()))}
            lanes = np.array([places[place] for place in zip(part._lane_rank.tolist(), part._lane_thread.tolist())], dtype="u4")
            analysis = _read.Analysis(part._log, *key[:2])
            # Not `self`: the log would refer to itself, and so stay open after its last use.
            self._analyses[key] = (analysis, None if where is None else part, lanes)
        analysis, part, lanes = self._analyses[key]
        return analysis, self if part is None else part, lanes

    def efficiency(self, *, from_: Time = None, to: Time = None, where: Optional[str] = None) -> Dict[str, Any]:
        """The efficiencies of POP, 0 to 1: parallel = load_balance * communication, communication = serialisation *
        transfer; also wait_ns, useful_ns, ideal_ns (run time if transfers took no time), from_ns and to_ns. Without a window:
        from the last end of MPI_Init to the last begin of MPI_Finalize."""
        info: Dict[str, Any] = self._analysis(from_, to, where)[0].info()
        return info

    def waits(self, *, from_: Time = None, to: Time = None, where: Optional[str] = None) -> Table:
        """Wait states of messages and collectives: kind ("late sender" ...), state (the MPI function), lane, rank, thread,
        cause_lane, cause_rank, from_ns, to_ns, caused_ns (waiting of other lanes that it caused), order."""
        analysis, part, lanes = self._analysis(from_, to, where)
        parts = [np.frombuffer(analysis.array("wait", lane), dtype=_LAYOUTS["wait"]) for lane in range(len(lanes))]
        all_ = np.concatenate(parts) if parts else np.empty(0, dtype=_LAYOUTS["wait"])
        kinds: Array = np.array([_read.wait_kind_name(k) or "" for k in range(int(all_["kind"].max(initial=0)) + 1)], dtype="O")
        cause = lanes[all_["cause_lane"]]
        columns = {"kind": all_["kind"], "state": all_["state"], **self._with_lane({"lane": lanes[all_["lane"]]}),
                   "cause_lane": cause, "cause_rank": self._lane_rank[cause], "from_ns": all_["from_ns"],
                   "to_ns": all_["to_ns"], "caused_ns": all_["handed_ns"], "order": all_["order"]}
        return Table(columns, {"kind": kinds, "state": part._names, "order": _ORDERS})

    def delays(self, *, from_: Time = None, to: Time = None, where: Optional[str] = None) -> Table:
        """Root causes of waiting, largest first: state (computing: outside all states) on lane and rank, kind of the waiting
        that it caused, direct_ns, indirect_ns. Their sum is the sum of all waiting."""
        analysis, part, lanes = self._analysis(from_, to, where)
        all_ = np.frombuffer(analysis.array("delay"), dtype=_LAYOUTS["delay"])
        kinds: Array = np.array([_read.wait_kind_name(k) or "" for k in range(int(all_["kind"].max(initial=0)) + 1)], dtype="O")
        state = np.where(all_["state"] == _NONE, len(part._defs), all_["state"])
        columns = {"kind": all_["kind"], "state": state, **self._with_lane({"lane": lanes[all_["lane"]]}),
                   "direct_ns": all_["direct_ns"], "indirect_ns": all_["indirect_ns"]}
        return Table(columns, {"kind": kinds, "state": part._names})

    def critical_path(self, *, from_: Time = None, to: Time = None, where: Optional[str] = None) -> Table:
        """The parts of the critical path in time order, without gaps: lane, rank, thread, from_ns, to_ns."""
        analysis, _, lanes = self._analysis(from_, to, where)
        all_ = np.frombuffer(analysis.array("path"), dtype=_LAYOUTS["path"])
        return Table({**self._with_lane({"lane": lanes[all_["lane"]]}), "from_ns": all_["from_ns"], "to_ns": all_["to_ns"]})

    def iterations(self, state: Optional[str] = None, *, from_: Time = None, to: Time = None,
                   where: Optional[str] = None) -> Table:
        """The iterations of the program, found by the period of its MPI calls, or the instances of a state: lane, rank,
        thread, from_ns, to_ns. Empty: none found."""
        analysis, part, lanes = self._analysis(from_, to, where)
        number = _NONE
        if state is not None:
            rows = np.flatnonzero((part._names[:-1] == state) & (part._kind == _STATE))
            if not len(rows):
                raise Error(f"{self.path}: no state {state!r}")
            number = int(rows[0])
        all_ = np.frombuffer(analysis.iterations(number), dtype=_LAYOUTS["iteration"])
        return Table({**self._with_lane({"lane": lanes[all_["lane"]]}), "from_ns": all_["from_ns"], "to_ns": all_["to_ns"]})

    def findings(self, *, from_: Time = None, to: Time = None, where: Optional[str] = None) -> List[Finding]:
        """What makes the run slow, the largest cost first; empty: nothing above 0.5 % of the time."""
        return [Finding(*f) for f in self._analysis(from_, to, where)[0].findings()]

    # ---- Pictures

    def draw(self, *options: str, kind: str = "svg") -> Picture:
        """Draws the timelines: `log.draw("--from", "init", "--size", "900x300")`, with the options of `pith draw`. `kind`: "svg"
        or "png"."""
        return Picture(self._draw(kind, options), kind)

    def _draw(self, suffix: str, options: Sequence[str]) -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "picture." + suffix)
            done = subprocess.run([_program(), "draw", self.path, "-o", out, *options], capture_output=True, text=True)
            if done.returncode:
                raise Error(done.stderr.strip())
            with _open(out, "rb") as file:
                return file.read()

    def view(self, *options: str, height: int = 600) -> Optional[Page]:
        """Opens the window, with the options of `pith view`, and returns at once. In a notebook, it is a page instead, with
        the options of `pith draw`, in a frame of `height` pixels."""
        if _is_notebook():
            return Page(self._draw("html", options), height)
        subprocess.Popen([_program(), "view", self.path, *options])
        return None


def _rows_of(some: Dict[str, Array], all_: Dict[str, Array]) -> Array:
    """A mask over the rows of `all_`: those that are also in `some`. Of equal rows, as many as there."""
    count = len(all_["lane"])
    both = [np.concatenate((all_[name], some[name])) for name in all_]
    order = np.lexsort(both)  # stable: of equal rows, those of `all_` come first
    begins = np.ones(len(order), dtype=bool)
    begins[1:] = np.any([column[order[1:]] != column[order[:-1]] for column in both], axis=0)
    group = np.cumsum(begins) - 1
    wanted = np.bincount(group[order >= count], minlength=group[-1] + 1 if len(group) else 0)
    chosen = order[np.arange(len(order)) - np.flatnonzero(begins)[group] < wanted[group]]
    mask = np.zeros(count, dtype=bool)
    mask[chosen] = True
    return mask


def _time_before(when: Array, start: Array, end: Array) -> Array:
    """The sum of the parts of the intervals [start, end) that lie before each moment; int64 of the shape of `when`."""

    def since(moments: Array) -> Any:  # sum over all moments m before w of w - m
        moments = np.sort(moments)
        count = np.searchsorted(moments, when)
        return count * when - np.concatenate(([0], np.cumsum(moments)))[count]

    before: Array = since(start) - since(end)
    return before
