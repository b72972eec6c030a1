"""gym_python.py - late: rank 1 computes three times as long as rank 0, which waits for its message. An expert names rank 1.
balanced: nothing is wrong."""
import sys
import time

from mpi4py import MPI

world = MPI.COMM_WORLD
rank = world.Get_rank()
mode, cured = sys.argv[1], "cured" in sys.argv

world.Barrier()
for step in range(8):
    time.sleep(0.05 if mode == "balanced" else 0.06 if rank == 1 and not cured else 0.02)
    if mode == "balanced":
        world.Barrier()
    elif rank == 1:
        world.send(step, dest=0)
    else:
        world.recv(source=1)
