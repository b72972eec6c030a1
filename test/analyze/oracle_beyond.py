"""oracle_beyond.py: the wait states beyond the textbook, for oracle.py: all pairs, from the definitions, without regard to time.

RULES has the rules that hold: neighbours; ORACLE_RULES="inner progress polling neighbours" in the environment switches on others,
"all" all of them. They conclude from times that coincide, and pith analyze does that only for waits of over 10 us; the times
of random logs are nanoseconds. So these rules are compared in simulated programs (test_simulated.sh). Where a definition leaves a choice, the simplest one
is taken; these places are marked with "Choice"."""
import os

LATE_INNER, POLLING, LATE_NOTICE, PROGRESS = 12, 13, 14, 11
EVERY = {"inner", "progress", "polling", "neighbours"}
RULES = EVERY if os.environ.get("ORACLE_RULES") == "all" else set(os.environ.get("ORACLE_RULES", "neighbours").split())
assert RULES <= EVERY, "the rules are: " + " ".join(sorted(EVERY))
ROOTED = {"bcast", "scatter", "scatterv", "reduce", "gather", "gatherv"}
UPWARD = {"reduce", "gather", "gatherv"}
TESTS = {"MPI_Test", "MPI_Testall", "MPI_Testany", "MPI_Testsome"}
PROBES = {"MPI_Iprobe", "MPI_Improbe"}
NEIGHBOURHOOD = {"neighbor_alltoall", "neighbor_alltoallv", "neighbor_alltoallw", "neighbor_allgather", "neighbor_allgatherv"}


def median(values):
    """Choice: of an even count the upper one."""
    return sorted(values)[len(values) // 2] if values else 0


def follows(end, release, start, usual):
    """Whether a call ends so soon after the release that the release explains it. Choice: within the usual time or a tenth of
    the waiting that it explains, as calls that find their data at hand make the usual time too short."""
    return release < end and end - release <= max(usual, (release - start) / 10)


# ---- Neighbours ------------------------------------------------------------------------------------------------------

def neighbours_of_payload(payload):
    """The sources in an event pith:neighbours, which comes before a member's first record on that communicator."""
    digits = payload.replace(" ", "")
    return [int(digits[i:i + 8], 16) for i in range(0, len(digits), 8)]


def is_known(name):
    """Without this rule, nothing is known of a collective among neighbours, not even that a call completes it."""
    return "neighbours" in RULES or "neighbor" not in name


def neighbours(log, comm, member, members):
    """The members whose data a member gets. Choice: none if the log does not have its neighbours."""
    sources = {log.comms[comm][place] for place in log.neighbours.get((member.rank, comm), [])}
    return [m for m in members if m.rank in sources] if "neighbours" in RULES else []


# ---- Inner ranks of trees --------------------------------------------------------------------------------------------

def binomial(count):
    """For each of two trees, with root 0, a function that gives a member's parent."""
    return [lambda r: r & (r - 1), lambda r: r & ~(1 << r.bit_length() - 1)]


def is_on_way(name, m, k, count):
    """Whether k hands data on to m in one of the two binomial trees; in a reduction, whether m gets data from k."""
    m, k = (k, m) if name in UPWARD else (m, k)
    for parent in binomial(count):
        place = m
        while place:
            place = parent(place)
            if place == k:
                return True
    return False


def inner_ranks(log, instances):
    """Members that hand on the data of a rooted collective. `instances`: complete ones, as (name, communicator, members by
    place). A tree is that of a function, communicator and root: Choice: it does not change with the size."""
    groups = {}
    for name, comm, members in instances:
        if name in ROOTED:
            groups.setdefault((name, comm, members[0].root), []).append(members)
    for (name, comm, root), group in groups.items():
        top = log.comms[comm].index(root)
        count = len(group[0])

        def end(member):
            return member.completion.end if member.done is None else member.done

        # Choice: the usual transfer time is the median of the times from the last begin of a member in a call, its own at
        # the earliest, to the end of the call.
        usual = median([end(m) - max([m.completion.begin] + [k.begin for k in members if k.begin < end(m)])
                        for members in group for m in members if m.completion])

        def first(m, members):
            """When it may begin to wait: in a reduction a member does not need the root."""
            return m.completion.begin if name in UPWARD else max(m.completion.begin, members[top].begin)

        def explains(m, k, members):
            start = first(m, members)
            return start < k.begin and follows(end(m), k.begin, start, usual)

        for place in range(count):
            for members in group if place != top else ():
                m = members[place]
                found = []
                for other in range(count):
                    k = members[other]
                    if other in (place, top) or not m.completion or not explains(m, k, members):
                        continue
                    pairs = [(g[place], g[other], g) for g in group if g[place].completion]
                    # A member that once began after this one's end does not hand data on to it.
                    if any(b.begin >= end(a) for a, b, _ in pairs):
                        continue
                    # Choice: a binomial tree, or two instances that show it.
                    if is_on_way(name, (place - top) % count, (other - top) % count, count) or \
                            sum(explains(a, b, g) for a, b, g in pairs) >= 2:
                        found.append(k)
                if found:
                    k = min(found, key=lambda k: (-k.begin, k.lane))
                    since = first(m, members)
                    m.completion.releases.append((k.begin, LATE_INNER, k.lane, k.call, None, m.got, count, since))


# ---- No progress -----------------------------------------------------------------------------------------------------

def progress(log, messages, instances, serves):
    """`messages`: (message, call that completes its send or None, call that completes its receive or None), of messages that
    wait for their receiver. The library works in calls that serve, of any thread of the rank."""
    serving = {}
    for lane, calls in enumerate(log.calls):
        serving.setdefault(log.lanes[lane][0], []).extend(
            c for c in calls if c.outermost is c and (serves(c.name) or c.name in TESTS))

    def next_call(rank, ready):
        """The next call that serves, if the rank is in none when both sides are ready."""
        calls = serving.get(rank, [])
        if any(c.begin <= ready < c.end for c in calls):
            return None
        return min((c for c in calls if c.begin > ready), key=lambda c: (c.begin, c.lane), default=None)

    sends, receives, found = [], [], []
    for message, sender, receiver in messages:
        sent = message.call.begin if message.call else message.time
        ready = max(sent, message.post.begin)
        ranks = log.lanes[message.lane][0], log.lanes[message.post.lane][0]
        # The mirror: a receive waits for a sender that has sent and does not call MPI.
        for call, rank, since, rows in ((sender, ranks[1], message.post.begin, sends), (receiver, ranks[0], sent, receives)):
            by = call and ranks[0] != ranks[1] and next_call(rank, ready)
            # Choice: not of a call that returns with the first of several messages.
            if by and call.begin < by.begin and call.name not in ("MPI_Waitany", "MPI_Waitsome", "MPI_Testany", "MPI_Testsome"):
                rows.append((call, by, max(call.begin, since), message.size))
    # A call that ended before shows that the library works by itself. Choice: for sends and receives apart, as a receiver
    # may fetch the data alone; nonblocking collectives follow the sends.
    for rows in (sends, receives):
        if all(call.end > by.begin for call, by, _, _ in rows):
            found += rows
    if all(call.end > by.begin for call, by, _, _ in sends):
        for _, _, members in instances:
            for m in members:
                if not m.completion or m.completion is m.call or m.done is None:
                    continue
                ready = max(k.begin for k in members)  # Choice: all have started it, also those that it does not need
                others = [(next_call(k.rank, ready), k) for k in members if k.lane != m.lane]
                others = [by for by, _ in others if by and m.completion.begin < by.begin < m.completion.end and
                          by.lane != m.lane]
                if others:
                    by = min(others, key=lambda c: (-c.begin, c.lane))
                    found.append((m.completion, by, max(m.completion.begin, ready), m.got))
    # Choice: a latency is the median time from the release of a call that completes a message to its end, in all other calls.
    asked = {id(call) for call, _, _, _ in found}
    latency = median([c.end - max([c.begin] + [r[0] for r in c.releases]) for calls in log.calls for c in calls
                      if id(c) not in asked and any(r[1] in (0, 1) for r in c.releases)])
    for call, by, since, size in found:
        if since < by.begin and follows(call.end, by.begin, since, latency):
            call.releases.append((by.begin, PROGRESS, by.lane, by, None, size, 2, since))


# ---- Polling ---------------------------------------------------------------------------------------------------------

def polling(log):
    """Makes one call of a row of failed tests and the one that succeeds."""
    for lane, calls in enumerate(log.calls):
        outer = [c for c in calls if c.outermost is c]

        def is_poll(c):
            return c.name in TESTS | PROBES

        def is_failed(c):
            # Choice: a test that completes a send leaves no trace, and counts as failed.
            return is_poll(c) and not (c.received or c.completed or c.probed)

        sleeping = [s for s in log.states[lane] if "sleep" in s[2].lower()]

        def work(a, b):
            """The time in [a, b) outside of states that sleep. Choice: those whose names contain "sleep"."""
            sleeps = [s for s in sleeping if s[0] < b and s[1] > a]
            times = sorted({a, b} | {t for s in sleeps for t in s[:2] if a < t < b})
            return sum(y - x for x, y in zip(times, times[1:]) if not any(s[0] <= x and s[1] >= y for s in sleeps))

        # Choice: the computing between two calls, but not between a failed test and the next one.
        ends = [log.begin] + [c.end for c in outer]
        begins = [c.begin for c in outer] + [log.end]
        pieces = [b - a for i, (a, b) in enumerate(zip(ends, begins)) if b > a and not
                  (0 < i < len(outer) and is_failed(outer[i - 1]) and is_poll(outer[i]))]
        usual = median(pieces)
        row = []
        for call, after in zip(outer, outer[1:] + [None]):
            if is_failed(call):
                row.append(call)
                gap = work(call.end, after.begin) if after else 0
                if not after or not is_poll(after) or (gap and 10 * gap >= usual):
                    row = []
                continue
            if row and is_poll(call) and call.releases:
                call.is_polling = True
                tests = set(map(id, row))
                states = {id(c.state) for c in log.calls[lane] if id(c.outermost) in tests}
                log.calls[lane] = [c for c in log.calls[lane] if id(c.outermost) not in tests]
                log.states[lane] = [s for s in log.states[lane] if id(s) not in states]
                call.state[0] = call.begin = row[0].begin
                log.states[lane].sort(key=lambda s: s[0])
            row = []
