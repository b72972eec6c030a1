#!/usr/bin/env python3
"""ring.py - MPI from Python (mpi4py): objects around a ring, arrays summed up.

    mpirun -n 4 pith run python3 ring.py

Lower-case methods (send, recv, bcast) move any Python object: mpi4py packs it into bytes, so that a recv is a probe for
the size and then the receive. Upper-case methods (Send, Allreduce) move buffers as they are. Both are plain MPI calls
underneath, and that is what the timeline shows.
"""
from array import array

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()

# An object goes around: each rank writes its number into the list.
visitors = []
if size > 1:
    if rank == 0:
        world.send([0], dest=1, tag=5)
        visitors = world.recv(source=size - 1, tag=5)
    else:
        visitors = world.recv(source=rank - 1, tag=5)
        world.send(visitors + [rank], dest=(rank + 1) % size, tag=5)

# Half of the ranks each: a communicator of their own, and a sum within it.
half = world.Split(color=rank % 2, key=rank)
mine = array("d", [rank, 1.0])
total = array("d", [0.0, 0.0])
half.Allreduce([mine, MPI.DOUBLE], [total, MPI.DOUBLE], op=MPI.SUM)
half.Free()

everybody = world.gather((rank, list(total)), root=0)
if rank == 0:
    print(f"ring.py: the list came back as {visitors}, sums {everybody}")
