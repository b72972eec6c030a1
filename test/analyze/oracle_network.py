"""oracle_network.py: the network that `pith analyze` fits to the transfers of a log, for oracle.py: from the definition, in
plain loops. A release is (time, kind, lane, call, needed members or None, bytes, members)."""
LATE_SENDER, LATE_RECEIVER = 0, 1


class Network:
    def __init__(self, log, first, t0, t1):
        self.log, self.first, self.samples, self.lines = log, first, {}, {}
        for calls in log.calls:
            for call in calls:
                if call.outermost is call and call.begin >= t0 and call.end <= t1:
                    self.add(call)
        for line in {k[0][1] for k in self.samples}:
            messages = [(k, v) for k, v in self.samples.items() if k[0][1] == line and k[1] == 1]
            self.lines[None, line] = self.fit(messages)
        for line in [k[0] for k in self.samples]:
            self.lines[line] = self.fit([(k, v) for k, v in self.samples.items() if k[0] == line], self.lines[None, line[1]])

    def releases(self, call):
        return [r for c in self.log.calls[call.lane] if c.outermost is call for r in c.releases]

    def is_here(self, lane, release):
        """Whether both lanes are on one host."""
        ranks = [self.log.lanes[i][0] for i in (lane, release[2])]
        return self.log.host.get(ranks[0], "") == self.log.host.get(ranks[1], "")

    def is_in_call(self, call, release):
        """Whether the transfer cannot begin before the call."""
        time, kind, size = release[0], release[1], release[5]
        limit = self.log.eager_limit(self.is_here(call.lane, release))
        if limit is None and self.is_here(call.lane, release):
            limit = 4096
        return time >= call.begin or kind == LATE_RECEIVER or (kind == LATE_SENDER and limit is not None and size > limit)

    @staticmethod
    def steps(release):
        """How often one member must double to be all."""
        return sum(2 ** i < release[6] for i in range(32))

    def add(self, call):
        all_needs = self.releases(call)
        if not all_needs:
            return
        if call.name in self.first:
            last = min(all_needs, key=lambda r: (r[0], -r[5], r[2]))
            found = [last] if self.is_in_call(call, last) else []
        else:
            found = [r for r in all_needs if self.is_in_call(call, r)]
        if not found:
            return
        last = min(found, key=lambda r: (-r[0], -r[5], r[2]))
        start = max(last[0], call.begin)
        if start < call.end:
            line = call.name, self.is_here(call.lane, last)
            key = line, self.steps(last), max(last[5], 1).bit_length()
            self.samples.setdefault(key, []).append((last[5], call.end - start))

    @staticmethod
    def fit(groups, usual=(0, 0)):
        """(latency, time of a byte) with the least sum of squared errors, each divided by the model's time. Of one size, the
        usual line times the factor with the least sum."""
        latency = byte = 0
        rows = [(k[1], sum(b for b, _ in v) / len(v), sum(t for _, t in v) / len(v), len(v)) for k, v in groups]
        for turn in range(8):
            weights = [n / (latency * s + byte * b if turn and latency * s + byte * b > 0 else t) for s, b, t, n in rows]
            ss, sb, bb, st, bt = (sum(w * f(*row[:3]) for w, row in zip(weights, rows)) for f in (
                lambda s, b, t: s * s, lambda s, b, t: s * b, lambda s, b, t: b * b, lambda s, b, t: s * t, lambda s, b, t: b * t))
            latency, byte, spread = st / ss if ss else 0, 0, ss * bb - sb * sb
            if spread <= 1e-9 * ss * bb:
                squares = usual[0] ** 2 * ss + 2 * usual[0] * usual[1] * sb + usual[1] ** 2 * bb
                factor = (usual[0] * st + usual[1] * bt) / squares if squares else 0
                return (usual[0] * factor, usual[1] * factor) if factor else (latency, byte)
            free_byte, free_latency = (bt * ss - st * sb) / spread, (st * bb - bt * sb) / spread
            if free_byte > 0:
                latency, byte = (free_latency, free_byte) if free_latency >= 0 else (0, bt / bb)
        return latency, byte

    def ns(self, call, release):
        is_here = self.is_here(call.lane, release)
        latency, byte = self.lines.get((call.name, is_here)) or self.lines.get((None, is_here), (0, 0))
        return latency * self.steps(release) + byte * release[5]


def find_fitted(log, first, replay, members, t0, t1):
    """The replay on the fitted network."""
    network = Network(log, first, t0, t1)

    def finish(call, begin, release):
        needs, come = network.releases(call), []
        for need in [r for r in needs if r[0] < t1]:  # after that, the call waits to the end of the window
            ns = network.ns(call, need)
            if network.is_in_call(call, need):
                come.append(max(begin, release(need)) + ns)
            else:  # it had come by the end of the call
                come.append(release(need) + min(ns, call.end - need[0]))
        is_first = call.name in first
        needs = [min(needs, key=lambda r: r[0])] if needs and is_first else needs
        keeps = not any(network.is_in_call(call, need) for need in needs)
        kept = min(call.end, t1) - max(call.begin, t0) if keeps else 0
        return max([begin + kept] + ([min(come)] if is_first and come else come))

    return replay(log, members, t0, t1, None, lambda lane, a, b, exact: b - a, finish)
