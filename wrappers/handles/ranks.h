/* ranks.h - ranks of one group in another, neighbours in a topology, communicators for the recorder. */
#ifndef PITHI_RANKS_H
#define PITHI_RANKS_H

#include <mpi.h>
#include <stdint.h>

/* The members of `group` as ranks of `in`; -1 for members that are not in it. The caller frees it. NULL: no memory. */
int *pithi_ranks_in(MPI_Group group, MPI_Group in, int *size);
/* 1: all members of `group` are in `in`. Allocates nothing, so all processes get the same answer. */
int pithi_ranks_are_in(MPI_Group group, MPI_Group in);
/* Like pithi_ranks_are_in, for a communicator's own group and, if it has one, its remote group. */
int pithi_comm_is_in(MPI_Comm comm, MPI_Group in);

/* The neighbours of a process in the communicator's topology. At the border of a non-periodic Cartesian grid some of
 * them are MPI_PROC_NULL. */
struct pithi_neighbours {
    int in, out;     /* numbers of sources and destinations, MPI_PROC_NULL included */
    uint64_t absent; /* bit i: neighbour i, in both lists, is MPI_PROC_NULL; only for the first 64 */
};
/* Finds the neighbours of `rank`. 0: the communicator has no topology. */
int pithi_neighbours(MPI_Comm comm, int rank, struct pithi_neighbours *found);
/* The ranks of the *count neighbours that send to a process, without MPI_PROC_NULL; the caller frees the list. NULL: no
 * topology, or no memory. */
int *pithi_neighbour_sources(MPI_Comm comm, int rank, int *count);

/* Makes a communicator for the recorder, of the processes in `members`, a subgroup of MPI_COMM_WORLD, or of all
 * (MPI_GROUP_NULL); collective over these. Does not use MPI_Comm_dup, which would call the copy functions of the
 * program's attributes. Errors on it are returned. MPI_COMM_NULL: failed. */
MPI_Comm pithi_own_comm(MPI_Group members);

#endif
