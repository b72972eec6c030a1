"""oracle_windows.py: the releases of calls by one-sided epochs, for oracle.py: all pairs, from the definitions in
formats/analysis/waits/epochs.h."""

LATE_POST, EARLY_WAIT, LOCK_CONTENTION, WAIT_FOR_PROGRESS = 8, 9, 10, 11
RMA = {"MPI_Put", "MPI_Get", "MPI_Accumulate", "MPI_Get_accumulate", "MPI_Fetch_and_op", "MPI_Compare_and_swap"}
LOCKS = {"MPI_Win_lock", "MPI_Win_lock_all", "MPI_Win_unlock", "MPI_Win_unlock_all", "MPI_Win_flush",
         "MPI_Win_flush_all", "MPI_Win_flush_local", "MPI_Win_flush_local_all"} | RMA
ALL = "all"


class Epoch:
    """An event pith:epoch: what a call does, with which ranks."""

    def __init__(self, rank, call, comm, what, ranks):
        self.rank, self.call, self.comm, self.what = rank, call, comm, what
        self.ranks = {int(r) for r in ranks.split(",") if r}


def release(call, kind, by):
    call.releases.append((by.begin, kind, by.lane, by, None, 0, 2))


def posts_and_accesses(epochs):
    """Pairs post number n of a target for an origin with start number n of that origin for the target."""
    def of(what, rank, other):
        """The calls of one kind of a rank for another rank; a complete or wait belongs to the group before it."""
        begins, found, group = {"complete": "start", "wait": "post"}.get(what), [], set()
        for e in epochs:
            if e.rank == rank and e.what == begins:
                group = e.ranks
            if e.rank == rank and e.what == what and other in (group if begins else e.ranks):
                found.append(e.call)
        return found

    ranks = {e.rank for e in epochs}
    for target in ranks:
        for origin in ranks:
            starts, completes = of("start", origin, target), of("complete", origin, target)
            posts, waits = of("post", target, origin), of("wait", target, origin)
            for n, post in enumerate(posts):
                if n < len(starts) and post.begin < starts[n].end:
                    release(starts[n], LATE_POST, post)
                elif n < len(completes) and post.begin < completes[n].end:
                    release(completes[n], LATE_POST, post)
            for complete, wait in zip(completes, waits):
                release(wait, EARLY_WAIT, complete)


def locks(log, epochs):
    def access_at(lane, time):
        return next((c for c in log.calls[lane] if c.outermost is c and c.name in LOCKS and c.begin <= time < c.end), None)

    held, asked = [], {}
    for e in epochs:
        key = e.rank, ALL if e.what in ("lock_all", "unlock_all") else min(e.ranks, default=None)
        if e.what in ("exclusive", "shared", "lock_all"):
            asked[key] = e.call, e.what == "exclusive"
        elif e.what in ("unlock", "unlock_all") and key in asked:
            held.append((e.call, key[1]) + asked[key])
    held.sort(key=lambda h: h[0].end)
    for i, (unlock, target, lock, alone) in enumerate(held):
        for other, its_target, its_lock, its_alone in held[:i]:
            if not (alone or its_alone) or other.lane == unlock.lane or (target != its_target and ALL not in (target, its_target)):
                continue
            if unlock.begin <= its_lock.begin or other.begin <= lock.begin:
                continue  # one had begun to unlock when the other asked
            waited = access_at(unlock.lane, other.begin)
            after = access_at(other.lane, unlock.begin) if unlock.begin < other.end else None
            if after and (not waited or lock.begin < its_lock.begin):
                release(after, LOCK_CONTENTION, unlock)
            elif waited:
                release(waited, LOCK_CONTENTION, other)


def progress(log, epochs, targets, serves):
    """A call waits for the next serving call of its targets if they were in none when it began."""
    accessed = {}
    everything = [(call, rank, {target}) for call, rank, target in targets]
    everything += [(e.call, e.rank, e.what) for e in epochs if e.what in ("lock_all", "unlock_all", "flush_all")]
    comms = {id(e.call): e.comm for e in epochs}
    for call, rank, reached in sorted(everything, key=lambda x: x[0].begin):
        if call.name in RMA:
            accessed.setdefault(rank, set()).update(reached)
        if reached == "lock_all":
            accessed.pop(rank, None)  # an unlock or a fence has ended them
            reached = set(log.comms[comms[id(call)]])
        elif reached in ("unlock_all", "flush_all"):
            reached = accessed.pop(rank, set())
        last = []
        for target in reached - {rank}:
            calls = [c for lane, of in enumerate(log.calls) if log.lanes[lane][0] == target
                     for c in of if c.outermost is c and serves(c.name)]
            if not any(c.begin <= call.begin < c.end for c in calls):
                last += sorted((c for c in calls if call.begin < c.begin < call.end), key=lambda c: (c.begin, c.lane))[:1]
        if last:
            release(call, WAIT_FOR_PROGRESS, min(last, key=lambda c: (-c.begin, c.lane)))
