"""run_gym.py - builds and runs the plants that are chosen, has them analysed, and prints the tables. See README.md; started by
`gym`, which prepares the environment.

    run_gym.py FOLDER BUILD LOAD MPIS [PATTERN...]

FOLDER/MPI/ gets programs and logs; BUILD has Pith; MPIS: the names of those that are there; LOAD: so many busy loops run beside.
Exit status 1: a program could not be built, run or analysed.
"""

import functools
import json
import os
import re
import subprocess
import sys

from judge import judge, near
from plants import ANY, MEASURED, chosen

HERE = os.path.dirname(os.path.abspath(__file__))
PREDICTION_WITHIN = 0.05
PYTHON = "/usr/bin/python3"


def python_mpi():
    """The MPI of mpi4py; "": it is not there."""
    code = 'from mpi4py import MPI; print("openmpi" if "Open MPI" in MPI.Get_library_version() else "mpich")'
    return subprocess.run([PYTHON, "-c", code], capture_output=True, text=True).stdout.strip()


@functools.cache
def built(folder, build, mpi, program):
    """How the program is started. None: it could not be built."""
    if program.endswith(".py"):
        return [PYTHON, f"{HERE}/{program}"]
    path, is_fortran = f"{folder}/{mpi}/{program}", os.path.exists(f"{HERE}/{program}.f90")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if is_fortran:
        command = ["mpifort." + mpi, "-Wall", "-o", path, f"{HERE}/{program}.f90"]
    else:
        command = ["mpicc." + mpi, "-std=gnu11", "-Wall", "-Wextra", "-Wno-stringop-overflow", "-O1", "-g", "-fopenmp"]
        command += [f"-I{build}/include", "-o", path, f"{HERE}/{program}.c"]
        for libraries in (folder, build + "/lib"):
            command += ["-L" + libraries, "-Wl,-rpath," + libraries]
        command += ["-Wl,--as-needed", "-lslow_disk", "-Wl,--no-as-needed", "-lpith", "-lpthread"]
    return [path] if subprocess.run(command, check=False).returncode == 0 else None


def record(place, plant, mpi, cured):
    """Runs the program; returns the path of its log, and what it printed. None: it did not run well. place: FOLDER, BUILD."""
    folder = place[0]
    program, *arguments = plant.program
    log = f"{folder}/{mpi}/{plant.name}{'-cured' if cured else ''}.pith"
    run = built(*place, mpi, program)
    if not run:
        return None, ""
    command = ["timeout", "-k", "5", "60", "mpiexec." + mpi, "-n", str(plant.ranks), "pith", "run", "-o", log]
    command += ["--also", plant.also] * bool(plant.also) + run + arguments + ["cured"] * cured
    environment = dict(os.environ, **({} if plant.busy else {"LD_PRELOAD": f"{folder}/libwaiting_sleeps.so"}))
    # In a session of its own, so that Linux shares the cores between this program and others, not between all processes.
    done = subprocess.run(command, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          start_new_session=True)
    if done.returncode != 0:
        print(f"# {plant.name}, {mpi}: exit status {done.returncode}: {' '.join(command)}")
        print("".join(f"#   {line}\n" for line in done.stderr.splitlines()[-5:]), end="")
        return None, ""
    return log, done.stdout


def analyse(log, *options):
    done = subprocess.run(["pith", "analyze", log, *options], capture_output=True, text=True)
    if done.returncode != 0:
        print(f"# pith analyze {log} {' '.join(options)}: exit status {done.returncode}: {done.stderr.strip()}")
    return done.stdout if done.returncode == 0 else None


def planted_share(plant, printed):
    measured = re.search(r"^planted ([0-9.]+)$", printed, re.M)
    if MEASURED in plant.share:
        return (float(measured.group(1)),) if measured else ()
    return () if ANY in plant.share else plant.share


def window_ns(analysis):
    return analysis["window"]["to_ns"] - analysis["window"]["from_ns"]


def waiting(analysis):
    """The share of all wait states, whoever is to blame for them."""
    return sum(w["ns"] for w in analysis["waits"]) / (window_ns(analysis) * analysis["lanes"])


# ---- The tables

SHAPE = "{:<{}.{}} {:>4.4} {:<16.16} {:>8.8}"  # of a cause, planted or said, in four columns
WIDE, NARROW = 23, 16                            # its kind


def cause(width, kind, rank, state, share):
    """Each is a tuple of alternatives."""
    def text(values):
        return "/".join("-" if value in (None, ANY) else str(value) for value in values)
    percent = "/".join(f"{100 * s:.0f}" for s in share)
    return SHAPE.format(text(kind), width, width, text(rank), text(state), percent + " %" if percent else "-")


def row(plant, mpi, share, analysis, verdict):
    said = verdict.said
    planted = cause(WIDE, plant.kind, plant.rank, plant.state, share)
    answer = cause(NARROW, *((said.get(part),) for part in ("kind", "rank", "state")), (said["share"],) if "share" in said else ())
    marks = " ".join("yes" if good else " no" for good in (verdict.kind, verdict.rank, verdict.state, verdict.size))
    false = ", ".join(f"{f['name']} {f['percent']:.0f} %" for f in verdict.false)
    waits = f"{100 * waiting(analysis):.0f} %"
    return f"{plant.name:<20.20} {mpi:<7} {plant.ranks:>2}  {planted} {waits:>5}  {answer}  {marks}  {false}".rstrip()


def head():
    planted = SHAPE.format("planted: kind", WIDE, WIDE, "rank", "state", "share")
    said = SHAPE.format("said: kind", NARROW, NARROW, "rank", "state", "share")
    return f"{'program':<20} {'MPI':<7}  n  {planted} {'waits':>5}  {said}  knd rnk cau siz  false findings"


def predicted_s(log, change):
    """The run time that --what-if predicts; None: the prediction is withheld."""
    page = analyse(log, "--what-if", change) or ""
    got = re.search(r"\s([0-9.]+) s\b", page)
    return None if "withheld" in page else float(got.group(1)) if got else 0.0


def predict(place, plant, mpi, log):
    """A row of the second table: what --what-if says of the sick log, and how long the cured program takes. A busy machine can
    only lengthen a run, so each is the least of up to three runs. Returns 1 where both agree or the prediction is withheld."""
    wanted = got = float("inf")
    for attempt in range(3):
        log = record(place, plant, mpi, False)[0] if attempt else log
        cured = record(place, plant, mpi, True)[0]
        analysis = cured and analyse(cured, "--json")
        prediction = log and predicted_s(log, plant.what_if)
        if prediction is None and log:
            break
        wanted = min(wanted, window_ns(json.loads(analysis)) / 1e9) if analysis else wanted
        got = min(got, prediction) if prediction else got
        if near(got, wanted, PREDICTION_WITHIN):
            break
    good = prediction is None or near(got, wanted, PREDICTION_WITHIN)
    said = "withheld" if prediction is None else f"predicted {got:.3f} s {100 * (got / wanted - 1):+6.1f} %"
    print(f"{plant.name:<20.20} {mpi:<7} {plant.what_if:<16} cured {wanted:.3f} s, {said:<30} {'yes' if good else 'no'}",
          flush=True)
    return int(good)


def run(place, load, mpis, plants):
    """Returns 1 if all could be run and analysed."""
    right = count = false = 0
    complete, for_what_if, of_python = 1, [], python_mpi()
    print(head())
    for plant in plants:
        for mpi in (of_python,) if plant.mpi == ("python",) else plant.mpi:
            if mpi not in mpis:
                continue
            log, printed = record(place, plant, mpi, False)
            analysis = log and analyse(log, "--json")
            if not analysis:
                complete = 0
                continue
            share = planted_share(plant, printed)
            analysis = json.loads(analysis)
            verdict = judge(plant, share, analysis, load)
            print(row(plant, mpi, share, analysis, verdict), flush=True)
            count += 1
            right += verdict.right
            false += len(verdict.false)
            if plant.what_if:
                for_what_if.append((plant, mpi, log))
    if for_what_if:
        print("\nWhat-if against the cured program")
        good = sum(predict(place, *one) for one in for_what_if)
        print(f"{good} of {len(for_what_if)} predictions within {100 * PREDICTION_WITHIN:.0f} %, or withheld\n")
    print(f"{right} of {count} first answers right, {false} false findings")
    return complete and count > 0


def main():
    folder, build, load, mpis, *patterns = sys.argv[1:]
    load = int(load)
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(load)]
    try:
        return 0 if run((folder, build), load, mpis.split(), chosen(patterns)) else 1
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


if __name__ == "__main__":
    sys.exit(main())
