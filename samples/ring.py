#!/usr/bin/env python3
"""ring.py - MPI from Python (mpi4py): an object goes around a ring, and arrays are summed.

    mpirun -n 4 pith run python3 ring.py

Methods in lower case (send, recv, bcast) transfer any Python object. mpi4py packs it into bytes, so a recv is a probe
for the size and then a receive. Methods with a capital (Send, Allreduce) transfer buffers directly. The timeline shows
the MPI calls that both of them make.
"""
from array import array

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()

# A list goes around, and each rank appends its number.
visitors = []
if size > 1:
    if rank == 0:
        world.send([0], dest=1, tag=5)
        visitors = world.recv(source=size - 1, tag=5)
    else:
        visitors = world.recv(source=rank - 1, tag=5)
        world.send(visitors + [rank], dest=(rank + 1) % size, tag=5)

# Ranks with even and odd numbers get a communicator each, and sum up arrays in it.
half = world.Split(color=rank % 2, key=rank)
mine = array("d", [rank, 1.0])
total = array("d", [0.0, 0.0])
half.Allreduce([mine, MPI.DOUBLE], [total, MPI.DOUBLE], op=MPI.SUM)
half.Free()

everybody = world.gather((rank, list(total)), root=0)
if rank == 0:
    print(f"ring.py: the list came back as {visitors}, sums {everybody}")
