"""judge_check.py - judge.py on answers and findings made by hand, and a row of the table. Prints TAP lines."""

from types import SimpleNamespace

from judge import judge
from plants import ANY, PLANTS, chosen
from run_gym import row

# Rank 1 of 2 is late in `refine`: 40 of 2 * 60 ms are lost.
LATE = chosen(["late_sender"])[0]
RARE = chosen(["allreduce_rare"])[0]
BALANCED = chosen(["balanced_meeting"])[0]
MOVING = chosen(["allreduce_moving"])[0]
ANSWER = {"text": "", "kind": "imbalance", "ns": 1, "share": 0.34, "rank": 1, "state": "refine", "other": 0, "iterations": None}


def marks(plant, answer, share=None):
    verdict = judge(plant, plant.share if share is None else share, {"answer": answer, "findings": []})
    return "".join("-x"[good] for good in (verdict.kind, verdict.rank, verdict.state, verdict.size, verdict.right))


def false(plant, name, percent, load=0, **more):
    finding = {"name": name, "percent": percent, **more}
    return len(judge(plant, () if ANY in plant.share else plant.share, {"findings": [finding]}, load).false)


def check(got, wanted, what):
    print(f"{'ok' if got == wanted else 'not ok'} - {what}")
    if got != wanted:
        print(f"# got {got}, wanted {wanted}")


check(marks(LATE, ANSWER), "xxxxx", "the right answer is right")
check(marks(LATE, None), "-----", "without an answer, nothing is right")
check(marks(BALANCED, None, ()), "-----", "nor for a program in which nothing is wrong")
check(marks(LATE, {**ANSWER, "kind": "transfer"}), "-xxx-", "another kind")
check(marks(LATE, {**ANSWER, "rank": 0}), "x-xx-", "another rank")
check(marks(LATE, {**ANSWER, "rank": None}), "x-xx-", "no rank where one is to blame")
check(marks(LATE, {**ANSWER, "state": "MPI_Recv"}), "xx-x-", "another state")
check(marks(LATE, {**ANSWER, "share": 0.37}), "xxx--", "11 % too large")
check(marks(LATE, {**ANSWER, "share": 0.3}), "xxxxx", "10 % too small")
check(marks(LATE, {**ANSWER, "share": 0.29}), "xxx--", "13 % too small")
check(marks(LATE, {**ANSWER, "share": 0.8}, ()), "xxxxx", "a size that is not known is not looked at")
check(marks(LATE, {**ANSWER, "share": 0.8}, (0.3, 0.8)), "xxxxx", "one of several sizes")
check(marks(MOVING, {**ANSWER, "kind": "moving imbalance", "rank": None, "state": "solve", "share": 0.5}), "xxxxx",
      "nobody alone is to blame")
check(marks(MOVING, {**ANSWER, "kind": "moving imbalance", "rank": 2, "state": "solve", "share": 0.5}), "x-xx-",
      "a rank where nobody alone is to blame")
rare = {**ANSWER, "state": "rebuild", "share": 0.28, "iterations": [13, 86]}
check(marks(RARE, rare), "xxxxx", "a cost in some iterations, with them")
check(marks(RARE, {**rare, "iterations": [1, 100]}), "xx-x-", "with others")
check(marks(RARE, {**rare, "iterations": None}), "xx-x-", "without")
check(marks(BALANCED, {**ANSWER, "kind": "balanced", "rank": None, "state": None, "share": 0.97}, ()), "xxxxx", "balanced")
check(false(LATE, "late sender", 33.4), 0, "a finding of the plant is explained")
check(false(LATE, "load imbalance", 33.4, rank=1), 0, "also one that blames its rank")
check(false(LATE, "load imbalance", 33.4, rank=0), 1, "one that blames another rank is false")
check(false(LATE, "late sender", 60.0, rank=0), 1, "one that costs more than the plant is false")
check(false(LATE, "small messages", 3.0), 1, "one of another name is false")
check(false(LATE, "small messages", 3.0, guess=True), 0, "unless it is called a guess")
check(false(LATE, "small messages", 1.9), 0, "or costs less than 2 %")
check(false(LATE, "imbalance", 33.0, rank=1), 0, "one with the name of the kind is explained")
check(false(BALANCED, "wait at N x N", 2.1), 1, "nothing explains a finding where nothing is wrong")
check(false(BALANCED, "descheduled ranks", 8.0), 1, "ranks without a core are false")
check(false(BALANCED, "descheduled ranks", 8.0, load=6), 0, "unless busy loops ran beside")
check(false(BALANCED, "descheduled ranks", 18.0, load=6), 1, "but not for so much of the time")
LOG = {"window": {"from_ns": 100, "to_ns": 600}, "lanes": 2, "waits": [{"ns": 330}], "answer": ANSWER,
       "findings": [{"name": "transfer", "percent": 3.3}]}
check(row(LATE, "mpich", LATE.share, LOG, judge(LATE, LATE.share, LOG)).split(),
      "late_sender mpich 2 imbalance 1 refine 33 % 33 % imbalance 1 refine 34 % yes yes yes yes transfer 3 %".split(), "its row")
check(len({p.name for p in PLANTS}), len(PLANTS), "the names of plants are unique")
check(sum(p.kind == ("balanced",) for p in PLANTS) >= 4 and len(PLANTS) >= 40, True, "40 plants, 4 of them balanced")
check(all(s is None or isinstance(s, (str, float)) for p in PLANTS for s in p.share), True, "shares are numbers")
check(isinstance(LATE, SimpleNamespace) and LATE.share, (40 / 120,), "the share of one of two ranks")
