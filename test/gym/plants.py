"""plants.py - the plants of the gym: what is wrong with each program, and what an expert would answer.

A row says how to run a program and what the first answer of `pith analyze` should be:

    name      of the row; `make gym GYM='late*'` chooses by it
    program   mode, and the rank that is late where it is not the program's own choice
    mpi       mpich, openmpi, or both
    kind      a word of the answer ("imbalance", "moving imbalance", "progress" ...); several: each is right
    rank      who is to blame; None: nobody alone, the answer must name no rank; ANY: not looked at; several: each is right
    state     what this rank does meanwhile, "computing" outside all states, or the MPI function; ANY, several: as above
    share     waiting or lost time of all lanes, part of their time; MEASURED: the program prints it; ANY, several: as above
    shows     findings that the plant explains, beside those with the name of its kind
    only      the answer's iterations must lie within these two
    busy      ranks that wait are busy, as they are without the gym: where messages take the time
    what_if   a change that undoes the plant: its prediction is compared with the program's run with `cured`

Where n ranks meet and one of them is late, n - 1 ranks wait 40 of each 60 ms (gym.h): shares are worked out from that.
"""

import fnmatch
import os
from types import SimpleNamespace

ANY, MEASURED = "any", "measured"
CORES = os.cpu_count() or 1
PLANTS = []


def plant(name, program, ranks, kind, rank=None, state=None, share=ANY, shows="", mpi="both", also="", only=None, what_if=None,
          busy=False):
    """Adds a row. Alternatives are kept as tuples."""
    PLANTS.append(SimpleNamespace(
        name=name, program=program.split(), ranks=ranks, mpi=("mpich", "openmpi") if mpi == "both" else (mpi,),
        kind=several(kind), rank=several(rank), state=several(state), share=several(share),
        shows=tuple(s.strip() for s in shows.split(",") if s.strip()), also=also, only=only, what_if=what_if, busy=busy))


def several(value):
    return value if isinstance(value, tuple) else (value,)


def chosen(patterns):
    """The rows whose names match one of the patterns, all without any."""
    return [p for p in PLANTS if not patterns or any(fnmatch.fnmatch(p.name, pattern) for pattern in patterns)]


# One rank of n ranks is late, in steps of 60 ms; half of all ranks' time is lost when there are 4.
def late(name, program, ranks, rank, state, shows, **more):
    more.setdefault("share", (ranks - 1) * 40 / (ranks * 60))
    plant(name, program, ranks, "imbalance", rank, state, shows="load imbalance, " + shows, **more)


# ---- One rank is late with a message, or for one
late("late_sender", "gym_messages late_sender", 2, 1, "refine", "late sender", what_if="refine@1=3")
late("late_sender_plain", "gym_messages late_sender_plain", 2, 1, "computing", "late sender", what_if="computing@1=3")
late("late_sender_chain", "gym_messages late_sender_chain", 4, 0, "assemble", "late sender", what_if="assemble@0=3")
late("late_receiver_ssend", "gym_messages late_receiver_ssend", 2, 1, "unpack", "late receiver", what_if="unpack@1=3")
late("late_receiver_large", "gym_messages late_receiver_large", 2, 1, "unpack", "late receiver, transfer")
late("halo", "gym_messages halo", 4, 2, "smooth", "late sender, wait at barrier", what_if="smooth@2=3")
late("python_late", "gym_python.py late", 2, 1, "computing", "late sender, wait at barrier", mpi="python")
plant("late_sender_moving", "gym_messages late_sender_moving", 4, "moving imbalance", None, "refine", 0.5, "late sender")
late("master", "gym_messages master", 4, 0, "decide", "late sender, late receiver, wait at finalize", share=0.5,
     what_if="decide@0=4")

# ---- ... or for a collective
late("bcast_root", "gym_collectives bcast_root", 4, 0, "read_input", "late broadcast", what_if="read_input@0=3")
late("scatter_root", "gym_collectives scatter_root", 4, 2, "partition", "late broadcast")
late("early_reduce", "gym_collectives early_reduce", 2, 1, "integrate", "early reduce", what_if="integrate@1=3")
late("early_gather", "gym_collectives early_gather", 4, 3, "integrate", "early reduce, wait at barrier, late inner rank")
late("barrier", "gym_collectives barrier", 4, 2, "sort", "wait at barrier", what_if="sort@2=3")
late("barrier_8", "gym_collectives barrier", 8, 2, "sort", "wait at barrier", mpi="openmpi")
late("allreduce", "gym_collectives allreduce", 4, 1, "computing", "wait at N x N", what_if="computing@1=3")
late("fortran_late", "gym_fortran late", 4, 2, "computing", "wait at N x N")
late("allreduce_two", "gym_collectives two", 4, (1, 2), "solve", "wait at N x N", share=2 * 40 / (4 * 60))
late("allreduce_state", "gym_collectives state", 4, 3, "write_checkpoint", "wait at N x N")
plant("allreduce_moving", "gym_collectives moving", 4, "moving imbalance", None, "solve", 0.5, "wait at N x N")
plant("bcast_moving", "gym_collectives bcast_moving", 4, "moving imbalance", None, "solve", 0.5, "late broadcast, wait at finalize",
      what_if="balanced")
plant("halo_moving", "gym_messages halo_moving", 4, "moving imbalance", None, "smooth", 0.5, "late sender, wait at finalize",
      what_if="balanced")
plant("halves", "gym_collectives halves", 4, "moving imbalance", None, "computing", 0.5, "wait at N x N, load imbalance",
      what_if="balanced")
for n in (2, 4):
    plant(f"phases_{n}", "gym_collectives phases", n, "moving imbalance", (0, 1), ("assemble", "solve"), (n - 1) * 40 / (n * 60),
          "wait at N x N, wait at barrier, load imbalance")
plant("phases_plain", "gym_collectives phases_plain", 2, "moving imbalance", None, "computing", 40 / 120,
      "wait at N x N, wait at barrier")
late("startup", "gym_collectives startup", 4, 0, "read_input", "late broadcast", share=3 * 300 / (4 * 460))
late("allreduce_rare", "gym_collectives rare", 4, 1, "rebuild", "wait at N x N", share=5 * 3 * 60 / (4 * 800), only=(13, 86))
late("tree_bcast_1", "gym_collectives tree_bcast 1", 4, 1, "computing", "wait at barrier, late inner rank", mpi="openmpi",
     what_if="computing@1=3")
late("tree_bcast_2", "gym_collectives tree_bcast 2", 4, 2, "computing", "wait at barrier, late inner rank",
     what_if="computing@2=3")
late("tree_reduce_2", "gym_collectives tree_reduce 2", 4, 2, "computing", "wait at barrier, late inner rank, early reduce",
     what_if="computing@2=3")
late("tree_reduce_3", "gym_collectives tree_reduce 3", 4, 3, "computing", "wait at barrier, late inner rank, early reduce",
     mpi="openmpi", what_if="computing@3=3")
late("scan", "gym_collectives scan", 4, 0, "count", "early scan", what_if="count@0=3")
late("alltoallv", "gym_collectives alltoallv", 4, 3, "pack", "wait at N x N")
late("neighbours", "gym_collectives neighbours", 4, 2, "smooth", "wait at N x N, wait at barrier", what_if="smooth@2=3")
late("communicators", "gym_collectives communicators", 4, 1, "computing", "wait at N x N")
late("subgroups", "gym_collectives subgroups", 4, 3, "sum_up", "wait at N x N, wait at barrier",
     what_if="sum_up@3=3")
plant("finalize", "gym_collectives finalize", 4, ("imbalance", "start and end"), 1, "clean_up", 3 * 240 / (4 * 400),
      "load imbalance, wait at finalize")

# ---- Nobody asks MPI to move the data; polling
# (Rank 0 waits 40 of 100 ms, and then rank 1 for what rank 0 could have done meanwhile: 40 of 200 ms or both, 80.)
MUTE = "wait for progress, load imbalance, late receiver, late sender, late notice, wait at barrier"
HELD_UP = (40 / 200, 80 / 200)
plant("progress_receiver", "gym_progress receiver", 2, "progress", 1, "overlap", HELD_UP, MUTE, what_if="overlap@1=3")
plant("progress_sender", "gym_progress sender", 2, "progress", 1, "overlap", HELD_UP, MUTE, mpi="openmpi")
plant("progress_collective", "gym_progress collective", 4, ("progress", "imbalance"), 1, "overlap", 0.5,
      MUTE + ", wait at N x N")
late("polling_test", "gym_progress polling_test", 2, 1, "refine", "late sender, polling, late notice", what_if="refine@1=3")
late("polling_iprobe", "gym_progress polling_iprobe", 2, 1, "refine", "late sender, polling, late notice")

# ---- One after another
plant("token", "gym_turns token", 4, "serialisation", ANY, "write", 60 / 100, "late sender, wait at barrier", what_if="write=10")
plant("pipeline", "gym_turns pipeline", 4, "serialisation", ANY, "stage", 45 / 60, "late sender, wait at barrier",
      what_if="stage=3")
plant("ring", "gym_turns ring", 4, "serialisation", ANY, "turn", 30 / 40, "late sender, wait at finalize")
plant("full_pipeline", "gym_turns full", 4, "serialisation", ANY, "stage", 3 / 23, "late sender, wait at finalize")

# ---- The messages themselves
plant("large", "gym_transfer large", 2, "transfer", ANY, "MPI_Sendrecv", MEASURED, "late sender, late receiver", busy=True)
# (The calls of `small` are so short that recording them is a part of the time: its size is not looked at. The sender waits when
# the receiver's buffers are full.)
plant("small", "gym_transfer small", 2, "transfer", ANY, ("MPI_Send", "MPI_Recv"), ANY,
      "small messages, late sender, late receiver, recording", busy=True)
plant("eager_limit", "gym_transfer eager_limit", 2, ("transfer", "serialisation"), ANY, ("MPI_Send", "solve", "unpack"), 80 / 160,
      "late receiver, wait at barrier, late sender")

# ---- Windows
late("late_post", "gym_windows late_post", 2, 1, "prepare", "late post, early wait", what_if="prepare@1=3")
late("fence", "gym_windows fence", 4, 2, "fill", "wait at N x N, wait at barrier")
plant("lock", "gym_windows lock", 4, "serialisation", ANY, "update", 90 / 120, "lock contention, wait at barrier")
plant("lock_beside", "gym_windows lock_beside", 4, "serialisation", ANY, ("update", "solve"), 70 / 120, "lock contention, wait at barrier")
plant("win_progress", "gym_windows progress", 2, "progress", 1, "overlap", HELD_UP, MUTE, mpi="mpich")

# ---- Threads: of all threads' time, or of that of the threads that call MPI
plant("omp_slow_thread", "gym_openmp slow_thread", 2, "threads", ANY, ANY, (80 / 180, 40 / 60), "OpenMP waiting, load imbalance",
      also="openmp", what_if="omp:implicit_task=3")
plant("omp_slow_rank", "gym_openmp slow_rank", 2, ("threads", "imbalance"), 1, ANY, (200 / 360, 80 / 120, 40 / 120),
      "OpenMP waiting, load imbalance, wait at N x N", also="openmp", what_if="omp:implicit_task@1=3")
plant("pthread_join", "gym_pthread join", 2, "threads", ANY, ("filter", "pthread_join"), (40 / 60, 40 / 120), "thread waiting",
      also="pthread", what_if="filter=3")
plant("pthread_condition", "gym_pthread condition", 2, "threads", ANY, ("filter", "pthread_cond_wait"), (40 / 60, 40 / 120),
      "thread waiting", also="pthread", what_if="filter=3")

# ---- Cores: each rank needs 20 ms of a core and gets half of one
if CORES <= 8:
    plant("cores", "gym_balanced busy", 2 * CORES, "cores", ANY, ANY, 0.5,
          "no core, descheduled ranks, wait at N x N, transfer, slow collectives")

# ---- The start. The run begins where the last rank has left MPI_Init, unless the answer looks further.
plant("late_start", "gym_balanced late_start", 4, "start and end", 1, ANY, ANY, "wait at init")

# ---- Files: the waiting for them, or that and the time in them
plant("files_alone", "gym_files alone", 4, "files", 0, "io:fsync", (3 * 40 / 240, 4 * 40 / 240),
      "load imbalance, wait at barrier", also="io")
plant("files_in_turn", "gym_files in_turn", 4, "files", ANY, "io:fsync", (60 / 100, 80 / 100),
      "late sender, wait at barrier", also="io")

# ---- Nothing is wrong
for name, program, ranks in (("meeting", "gym_balanced meeting", 4), ("overlapping", "gym_balanced overlapping", 4),
                             ("buffered", "gym_balanced buffered", 2), ("coupled", "gym_balanced coupled", 4)):
    plant("balanced_" + name, program, ranks, "balanced", ANY, ANY)
plant("balanced_8", "gym_balanced meeting", 8, "balanced", ANY, ANY, mpi="openmpi")
plant("balanced_openmp", "gym_openmp balanced", 2, "balanced", ANY, ANY, also="openmp")
plant("balanced_fortran", "gym_fortran balanced", 4, "balanced", ANY, ANY)
plant("balanced_python", "gym_python.py balanced", 2, "balanced", ANY, ANY, mpi="python")
