/* ranks.h - ranks of one group in another, neighbours in a topology, communicators for the recorder. */
#ifndef PITHI_RANKS_H
#define PITHI_RANKS_H

#include <mpi.h>
#include <stdint.h>

/* Returns the ranks that the members of `group` have in the group `in`, and sets *size to their number; a member that
 * is not in `in` has -1. The caller frees the list. Returns NULL if there is no memory. */
int *pithi_ranks_in(MPI_Group group, MPI_Group in, int *size);
/* Returns 1 if all members of `group` are in the group `in`. The result is the same in all processes, because the
 * function allocates nothing and so cannot fail in only one of them. */
int pithi_ranks_are_in(MPI_Group group, MPI_Group in);
/* Returns 1 if all members of a communicator are in the group `in`, also those of its remote group, if it has one. */
int pithi_comm_is_in(MPI_Comm comm, MPI_Group in);

/* The neighbours of a process in the communicator's topology. At the border of a non-periodic Cartesian grid, some
 * neighbours are MPI_PROC_NULL. */
struct pithi_neighbours {
    int in, out;     /* how many sources and destinations there are, MPI_PROC_NULL included */
    uint64_t absent; /* bit i is 1 if neighbour i is MPI_PROC_NULL, as source and destination; for the first 64 */
};
/* Finds the neighbours of `rank`. Returns 0 if the communicator has no topology. */
int pithi_neighbours(MPI_Comm comm, int rank, struct pithi_neighbours *found);
/* Returns the ranks of the *count neighbours that send to a process, without MPI_PROC_NULL; the caller frees the list.
 * Returns NULL if there is no topology or no memory. */
int *pithi_neighbour_sources(MPI_Comm comm, int rank, int *count);

/* Makes a communicator for the recorder and returns it. Its processes are those in `members`, a subgroup of
 * MPI_COMM_WORLD; MPI_GROUP_NULL: all processes. Collective over these processes. Does not call MPI_Comm_dup, which
 * would call the copy functions of the program's attributes. Calls on the communicator return their errors. Returns
 * MPI_COMM_NULL on an error. */
MPI_Comm pithi_own_comm(MPI_Group members);

#endif
