#!/usr/bin/env python3
"""slog2_dump.py FILE [PRINT]: prints what a SLOG-2 file holds and checks what Jumpshot relies on.

Written from the description of the format alone, so that it can disagree with formats/foreign/slog2. With PRINT, the lines of
`pith print` of the log that the file was made of, the drawables are compared with its states, events and messages.
Rules that are broken come as lines "BAD ..." and exit status 1: every byte of the file belongs to one part; the tree is
whole, boxes hold what is in them and partition time, each drawable lies as deep as it can; previews are the sums of what
lies below them; counts and ratios are those of the drawables; each line is in each map. --counts: only the numbers."""
import math
import struct
import sys
from collections import Counter, defaultdict

EVENT, STATE, ARROW = 0, 1, 2
PREVIEWS = {-1: EVENT, -3: STATE, -2: ARROW}
bad = []


def complain(text):
    bad.append(text)


class Bytes:
    def __init__(self, data, at, size):
        self.data, self.at, self.end = data, at, at + size
        if self.end > len(data):
            complain("a part of %d bytes at %d reaches over the file's end" % (size, at))

    def get(self, form):
        values = struct.unpack_from(">" + form, self.data, self.at)
        self.at += struct.calcsize(">" + form)
        return values[0] if len(values) == 1 else values

    def raw(self):
        size = self.get("h")
        self.at += size
        return self.data[self.at - size:self.at]

    def string(self):
        return self.raw().decode("utf-8", "replace")

    def done(self, what):
        if self.at != self.end:
            complain("%s ends at %d, not at %d" % (what, self.at, self.end))


class Category:
    def __init__(self, b):
        self.index, self.name, self.topology, self.colour = b.get("i"), b.string(), b.get("i"), b.get("I")
        self.modifiable, self.width = b.get("bb")
        self.keys = [b.string() for _ in range(b.get("h"))]
        self.types = "".join(chr(b.get("b")) for _ in range(b.get("h")))
        self.methods = [b.get("i") for _ in range(b.get("h"))]
        self.inclusive, self.exclusive, self.count = b.get("ffq")
        if not self.name or self.topology not in (EVENT, STATE, ARROW) or self.modifiable not in (0, 1):
            complain("category %d is not one" % self.index)
        if len(self.keys) not in (len(self.types), len(self.types) + 1) or self.types.strip("shdlxXeE"):
            complain("category %s: %d keys, types %s" % (self.name, len(self.keys), self.types))
        if self.index < 0 and (PREVIEWS.get(self.index) != self.topology or self.width != 5 or self.count):
            complain("category %d is no preview's" % self.index)

    def text(self, info):
        """The values of an info between their keys, as `pith print` shows payloads."""
        b, out = Bytes(info, 0, len(info)), []
        if not info or not self.types:
            return info.hex()
        for i, key in enumerate(self.keys):
            out.append(key)
            if i < len(self.types):
                out.append(value_text(b, self.types[i]))
        if self.types and b.at != b.end:
            complain("info %s of %s does not go with its types" % (info.hex(), self.name))
        return "".join(out)


def escaped(text):
    names = {"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    return "".join(names.get(c, c if c >= " " and c != "\x7f" else "\\x%02x" % ord(c)) for c in text)


def value_text(b, token):
    if token == "s":
        size = b.get("H")
        b.at += size
        return escaped(b.data[b.at - size:b.at].decode("utf-8", "replace"))
    value = b.get({"h": "h", "d": "i", "l": "q", "x": "I", "X": "Q", "e": "f", "E": "d"}[token])
    return {"x": "%x", "X": "%x", "e": "%.9g", "E": "%.17g"}.get(token, "%d") % value


class Drawable:
    """Times in nanoseconds, as they were before they became seconds in doubles."""

    def __init__(self, b, categories):
        start = b.at
        self.index, self.info = b.get("i"), b.raw()
        self.vertices = [b.get("di") for _ in range(b.get("h"))]
        self.size = b.at - start + 1
        self.first, self.last = min(self.vertices)[0], max(self.vertices)[0]
        self.lines = tuple(line for _, line in self.vertices)
        self.category = categories.get(self.index)
        if not self.category:
            complain("a drawable has category %d, which there is none" % self.index)
            return
        self.topology = self.category.topology
        if len(self.vertices) != (1 if self.topology == EVENT else 2):
            complain("%s with %d vertices" % (self.category.name, len(self.vertices)))
        if self.topology == STATE and (len(set(self.lines)) != 1 or self.vertices[0][0] > self.vertices[1][0]):
            complain("a state on two lines, or that ends before it begins")
        self.own = self.last - self.first


class Node:
    def __init__(self, b, categories):
        self.start = b.at
        self.head(b)
        self.nestless, self.nestable = self.drawables(b, categories), self.drawables(b, categories)
        self.previews = [Previews(b) for _ in range(b.get("i"))]
        b.done("node %s" % (self.id,))

    def head(self, b):
        self.first, self.last = b.get("dd")
        self.id = b.get("hi")
        self.place = b.get("qi")

    @staticmethod
    def drawables(b, categories):
        out = []
        for _ in range(b.get("i")):
            if b.get("b") != 0:
                complain("a composite, which Pith never writes")
            out.append(Drawable(b, categories))
        return out

    def all(self):
        return self.nestless + self.nestable


class Previews(Node):
    def __init__(self, b):
        self.head(b)
        self.lists = [[Shadow(b) for _ in range(b.get("i"))] for _ in range(2)]


class Shadow:
    def __init__(self, b):
        self.index, info = b.get("i"), b.raw()
        self.vertices = [b.get("di") for _ in range(b.get("h"))]
        self.first, self.last, self.count = b.get("ddq")
        weights = [b.get("iffq") for _ in range(b.get("i"))]
        self.weights = {w[0]: w[1:] for w in weights}
        if info or len(self.weights) != len(weights):
            complain("a shadow with an info, or with a category twice")


# ---- What stands around the tree


def read_header(data):
    b = Bytes(data, 0, 108)
    names = "categories methods lines root directory annotations postamble".split()
    header = dict(version=b.string(), children=b.get("h"), leaf=b.get("i"), depth=b.get("h"), largest=b.get("i"))
    header.update((name, b.get("qi")) for name in names)
    b.done("the header")
    if header["version"] != "SLOG 2.0.6":
        complain("version " + header["version"])
    if any(header[name] != (0, 0) for name in ("methods", "annotations", "postamble")):
        complain("the header has a place for what there is not")
    return header


def read_categories(data, header):
    b = Bytes(data, *header["categories"])
    categories = [Category(b) for _ in range(b.get("i"))]
    b.done("the category map")
    if len({c.index for c in categories}) != len(categories):
        complain("two categories have one index")
    if len({(c.topology, c.name) for c in categories}) != len(categories):
        complain("two categories have one name")
    return {c.index: c for c in categories}


def read_maps(data, header):
    b, maps = Bytes(data, *header["lines"]), []
    for _ in range(b.get("i")):
        title, labels = b.string(), [b.string() for _ in range(b.get("i"))]
        rows = [(b.get("i"), [b.get("i") for _ in labels]) for _ in range(b.get("i"))]
        if b.get("h"):
            complain("a map with methods")
        if [r[0] for r in rows] != sorted({r[0] for r in rows}):
            complain("rows of %s are not sorted by line" % title)
        maps.append((title, labels, dict(rows)))
    b.done("the line maps")
    check_maps(maps)
    return maps


def check_maps(maps):
    threads = len(maps[0][1]) > 1
    wanted = [("Process-Thread View" if threads else "Process View", ["world_rank", "thread"][:1 + threads]),
              ("Communicator-Thread View" if threads else "Communicator View",
               ["commID", "comm_rank", "thread"][:2 + threads]), ("Identity Map", ["LineID"])]
    if [m[:2] for m in maps] != wanted:
        complain("maps are %s" % ([m[:2] for m in maps],))
    if any(set(m[2]) != set(maps[0][2]) for m in maps) or any([k] != v for k, v in maps[-1][2].items()):
        complain("a line is not in each map, or the identity is none")
    seen = Counter(tuple(v) for v in maps[1][2].values())
    if any(n > 1 for n in seen.values()):
        complain("two lines of one communicator, rank and thread")


# ---- The tree


def read_tree(data, header, categories):
    b, nodes, order = Bytes(data, *header["directory"]), {}, []
    for _ in range(b.get("i")):
        node_id, first, last, place = b.get("hi"), b.get("d"), b.get("d"), b.get("qi")
        node = Node(Bytes(data, *place), categories)
        if (node.id, node.first, node.last, node.place) != (node_id, first, last, place):
            complain("node %s at %s is not what the directory says" % (node_id, place))
        if node_id in nodes:
            complain("node %s is there twice" % (node_id,))
        nodes[node_id] = node
        order.append((first, -node_id[0]))
    b.done("the directory")
    if order != sorted(order):
        complain("the directory is not in order")
    depth = max(d for d, _ in nodes)
    if nodes[depth, 0].place != header["root"] or header["depth"] != depth or [n for n in nodes if n[0] == depth] != [
            (depth, 0)]:
        complain("the root is not what the header says")
    return nodes, depth


def check_parts(data, header, nodes):
    parts = [(0, 108)] + [header[p] for p in ("categories", "lines", "directory")] + [n.place for n in nodes.values()]
    at = 0
    for start, size in sorted(parts):
        if start != at:
            complain("bytes %d to %d belong to nothing, or to two parts" % (at, start))
        at = start + size
    if at != len(data):
        complain("%d bytes behind the last part" % (len(data) - at))
    if header["largest"] != max(size for start, size in parts if start):
        complain("the largest part is not %d bytes" % header["largest"])


def check_structure(header, nodes, depth):
    leaves = sorted(n for d, n in nodes if d == 0)
    if leaves != list(range(len(leaves))):
        complain("leaves are %s" % leaves)
    for (d, n), node in nodes.items():
        children = [(d - 1, c) for c in range(n * header["children"], (n + 1) * header["children"])] if d else []
        children = [nodes[c] for c in children if c in nodes]
        if d and not children:
            complain("node %s has no child" % ((d, n),))
        if d < depth and (d + 1, n // header["children"]) not in nodes:
            complain("node %s has no parent" % ((d, n),))
        if children and (node.first, node.last) != (children[0].first, children[-1].last):
            complain("the box of %s is not its children's" % (node.id,))
        if [(p.id, p.first, p.last, p.place) for p in node.previews] != [(c.id, c.first, c.last, c.place)
                                                                         for c in children]:
            complain("the previews of %s are not of its children" % (node.id,))
        if d == 0 and n and nodes[0, n - 1].last != node.first:
            complain("leaf %d does not begin where the one before ends" % n)
        if d == 0 and node.place[1] > header["leaf"] and len(node.all()) > 1:
            complain("leaf %d has %d bytes" % (n, node.place[1]))
        check_drawables(node, children)


def check_drawables(node, children):
    for drawables, topologies in ((node.nestless, (EVENT, ARROW)), (node.nestable, (STATE,))):
        keys = [(d.first, -d.last, d.index, d.lines) for d in drawables]
        if keys != sorted(keys):
            complain("drawables of node %s are not in order" % (node.id,))
        for d in drawables:
            if d.topology not in topologies:
                complain("%s in the wrong list" % d.category.name)
            if d.first < node.first or d.last > node.last:
                complain("%s at %.9f is not in the box of node %s" % (d.category.name, d.first, node.id))
            if any(c.first <= d.first and d.last < c.last for c in children):
                complain("%s at %.9f lies too high, in node %s" % (d.category.name, d.first, node.id))


# ---- Sums


def take_own(drawables):
    """Sets the time of each state without the states inside; says whether that can be told."""
    lines, exact = defaultdict(list), True
    for d in drawables:
        if d.topology == STATE:
            lines[d.lines[0]].append(d)
    for states in lines.values():
        states.sort(key=lambda d: (d.first, -d.last))
        stack = []
        for d in states:
            while stack and stack[-1].last <= d.first:
                stack.pop()
            if stack:
                exact &= d.last <= stack[-1].last and (d.first, d.last) != (stack[-1].first, stack[-1].last)
                stack[-1].own -= d.last - d.first
            stack.append(d)
    return exact


def near(a, b, scale=1.0):
    return abs(a - b) <= 2e-6 * max(abs(a), abs(b)) + 1e-9 * scale


def check_categories(categories, drawables, length, exact):
    count, total, own = Counter(), defaultdict(float), defaultdict(float)
    for d in drawables:
        count[d.index] += 1
        total[d.index] += d.last - d.first
        own[d.index] += d.own
    scale = 1 / length if length else 0
    for index, c in categories.items():
        if index < 0:
            continue
        if c.count != count[index] or not c.count:
            complain("%s: %d drawables, and the file says %d" % (c.name, count[index], c.count))
        if not near(c.inclusive, total[index] * scale) or (exact and not near(c.exclusive, own[index] * scale)):
            complain("%s: ratios %g %g, and not %g %g" % (c.name, c.inclusive, c.exclusive, total[index] * scale,
                                                         own[index] * scale))
    topologies = {d.topology for d in drawables}
    if {c.topology for c in categories.values() if c.index < 0} != topologies:
        complain("categories of previews are not those of what there is")


def check_previews(nodes, exact):
    """From the leaves up: the drawables below each node against the previews that its parent has of it."""
    below = {}
    for node_id in sorted(nodes):
        node = nodes[node_id]
        for previews in node.previews:
            check_preview(previews, below.pop(previews.id, []), exact)
            below.setdefault(node_id, []).extend(previews.drawables)
        below.setdefault(node_id, []).extend(node.all())


def check_preview(previews, drawables, exact):
    groups = defaultdict(list)
    for d in drawables:
        groups[d.topology, d.lines].append(d)
    for i, shadows in enumerate(previews.lists):
        times = [min(t for t, _ in s.vertices) for s in shadows]
        if times != sorted(times):
            complain("previews of %s are not in order" % (previews.id,))
        for s in shadows:
            topology = PREVIEWS.get(s.index)
            if (topology == STATE) != (i == 1):
                complain("a preview in the wrong list")
            check_shadow(s, groups.pop((topology, tuple(line for _, line in s.vertices)), []), previews.id, exact)
    if groups:
        complain("node %s: no previews of %s" % (previews.id, list(groups)[:3]))
    previews.drawables = drawables


def check_shadow(s, drawables, node_id, exact):
    if not drawables or s.count != len(drawables):
        complain("a shadow of %s stands for %d drawables, not %d" % (node_id, s.count, len(drawables)))
        return
    if (s.first, s.last) != (min(d.first for d in drawables), max(d.last for d in drawables)):
        complain("a shadow of %s has a wrong box" % (node_id,))
    for i, (time, _) in enumerate(s.vertices):
        if not near(time, math.fsum(d.vertices[i][0] for d in drawables) / len(drawables), s.last):
            complain("a vertex of a shadow of %s is not the mean" % (node_id,))
    length, sums = s.last - s.first, defaultdict(lambda: [0.0, 0.0, 0])
    for d in drawables:
        sums[d.index][0] += d.last - d.first
        sums[d.index][1] += d.own
        sums[d.index][2] += 1
    if set(sums) != set(s.weights):
        complain("a shadow of %s has the categories %s" % (node_id, sorted(s.weights)))
        return
    for index, (inclusive, exclusive, count) in s.weights.items():
        total, own, number = sums[index]
        if count != number or (length and (not near(inclusive, total / length, 1000) or
                                           (exact and not near(exclusive, own / length, 1000)))):
            complain("a shadow of %s: weight %s of category %d" % (node_id, s.weights[index], index))
        if exclusive > inclusive * 1.000001 or (not length and (inclusive or exclusive)):
            complain("a shadow of %s: ratios %g and %g" % (node_id, inclusive, exclusive))


# ---- Against `pith print`


def texts(drawables, maps):
    """Each drawable as a line."""
    ranks, comms = maps[0][2], maps[1][2]

    def lane(line):
        return "\t".join(str(v) for v in (ranks[line] + [0])[:2])
    for d in drawables:
        times = ["%.9f" % t for t, _ in d.vertices]
        if any(line not in ranks for line in d.lines):
            complain("line %s is in no map" % (d.lines,))
        elif d.topology == EVENT:
            text = d.category.text(d.info)
            yield "\t".join([times[0], lane(d.lines[0]), "event", d.category.name] + ["payload=" + text] * bool(text))
        elif d.topology == STATE:
            yield "\t".join([times[0], lane(d.lines[0]), "state", d.category.name, times[1]])
        else:
            yield "\t".join([times[0], lane(d.lines[0]), "arrow", times[1], lane(d.lines[1]),
                             d.category.text(d.info).replace(", ", "\t")])
            own, other = comms[d.lines[0]], comms[d.lines[1]]
            if (own[0] == 0) != (other[0] == 0):
                complain("an arrow from communicator %d to %d" % (own[0], other[0]))


def printed(path):
    """The same of the log: states from the innermost open enter, messages by order of posting."""
    opened, sends, recvs, last, out = defaultdict(list), defaultdict(list), defaultdict(list), "0", []
    for line in open(path):
        if line.startswith("#"):
            continue
        time, rank, thread, kind, name, *rest = line.rstrip("\n").split("\t")
        f, last = dict(r.split("=", 1) for r in rest), time
        if kind == "enter":
            opened[rank, thread, name].append(time)
        elif kind == "leave" and opened[rank, thread, name]:
            out.append("\t".join([opened[rank, thread, name].pop(), rank, thread, "state", name, time]))
        elif kind == "event":
            out.append("\t".join([time, rank, thread, kind, name] + ["payload=" + f.get("payload", "")] * bool(rest)))
        elif kind == "send":
            sends[f["comm"], rank, f["peer"], f["tag"]].append((time, rank, thread, f["bytes"]))
        elif kind == "recv":
            recvs[f["comm"], f["peer"], rank, f["tag"]].append((int(f["posted"]), time, rank, thread))
    for (rank, thread, name), times in opened.items():
        out += ["\t".join([t, rank, thread, "state", name, last]) for t in times]
    for path_, queue in sends.items():
        for (t0, r0, th0, size), (_, t1, r1, th1) in zip(queue, sorted(recvs[path_])):
            out.append("\t".join([t0, r0, th0, "arrow", t1, r1, th1, "msg_tag=" + path_[3], "msg_size=" + size]))
    return out


def main():
    names = [a for a in sys.argv[1:] if not a.startswith("--")]
    with open(names[0], "rb") as file:
        data = file.read()
    header = read_header(data)
    categories, maps = read_categories(data, header), read_maps(data, header)
    nodes, depth = read_tree(data, header, categories)
    check_parts(data, header, nodes)
    check_structure(header, nodes, depth)
    drawables = [d for n in nodes.values() for d in n.all()]
    exact = take_own(drawables)
    check_categories(categories, drawables, nodes[depth, 0].last - nodes[depth, 0].first, exact)
    check_previews(nodes, exact)
    lines = sorted(texts(drawables, maps))
    if len(names) > 1:
        wanted, got = Counter(printed(names[1])), Counter(lines)
        for text in list((wanted - got).elements())[:5]:
            complain("missing: " + text)
        for text in list((got - wanted).elements())[:5]:
            complain("too much: " + text)
    if "--counts" in sys.argv:
        shadows = sum(len(part) for n in nodes.values() for p in n.previews for part in p.lists)
        lines = ["drawables %d" % len(drawables), "nodes %d" % len(nodes), "depth %d" % depth, "previews %d" % shadows,
                 "lines %d" % len(maps[0][2]), "exact %d" % exact]
    print("\n".join(lines + ["BAD " + text for text in bad[:20]]))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
