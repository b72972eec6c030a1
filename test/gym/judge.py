"""judge.py - compares what `pith analyze --json` says of a program with what is wrong with it (plants.py).

The first answer is the member "answer". Without one, nothing is right. A finding is false when it costs more than 2 % of the
run and is not explained: the plant's row does not name it, it blames another rank, or it costs more than the plant does.
Example: in late_sender rank 1 is late and 33 % are lost. "late sender, 33 %" and "load imbalance, rank 1, 33 %" are
explained; "load imbalance, rank 0", "small messages, 3 %" and "late sender, 60 %" are false. What the page calls a guess
(the system counted as much time without a core) is not false.
"""

from types import SimpleNamespace

from plants import ANY

SIZE_WITHIN, FALSE_ABOVE = 0.10, 0.02
BY_LOAD, BY_LOAD_MOST = ("descheduled ranks", "no core"), 0.10  # what busy loops beside the program explain


def judge(plant, share, analysis, load=0):
    """share: the planted ones, as numbers; () where none is known. load: so many busy loops ran beside. Returns the parts of
    the answer that are right, and the findings that are false."""
    said = analysis.get("answer") or {}
    verdict = SimpleNamespace(said=said, false=false_findings(plant, share, analysis["findings"], load))
    verdict.kind = said.get("kind") in plant.kind
    verdict.rank = bool(said) and (ANY in plant.rank or said.get("rank") in plant.rank)
    verdict.state = bool(said) and (ANY in plant.state or said.get("state") in plant.state) and in_iterations(plant, said)
    verdict.size = bool(said) and (not share or any(near(said.get("share", 0), s, SIZE_WITHIN) for s in share))
    verdict.right = verdict.kind and verdict.rank and verdict.state and verdict.size
    return verdict


def near(got, wanted, within):
    return abs(got - wanted) <= within * wanted


def in_iterations(plant, said):
    """Each instance of a rare cost lies within the iterations that the answer names; one more at either end is right, too:
    where iterations begin is not defined."""
    if not plant.only:
        return True
    first, last = said.get("iterations") or (0, 0)
    return abs(first - plant.only[0]) <= 1 and abs(last - plant.only[1]) <= 1


def false_findings(plant, share, findings, load):
    return [f for f in findings if f["percent"] > 100 * FALSE_ABOVE and not f.get("guess")
            and not explained(plant, share, f, load)]


def explained(plant, share, finding, load):
    if load and finding["name"] in BY_LOAD and finding["percent"] <= 100 * BY_LOAD_MOST:
        return True
    if finding["name"] not in plant.shows + plant.kind:
        return False
    blames = finding["name"] == "load imbalance" or finding["name"] in plant.kind
    if blames and "rank" in finding and not {ANY, None} & set(plant.rank) and finding["rank"] not in plant.rank:
        return False
    return not share or finding["percent"] / 100 <= max(share) * (1 + SIZE_WITHIN) + FALSE_ABOVE
