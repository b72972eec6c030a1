/* own_comm.h - a communicator of our own. */
#ifndef PITHI_OWN_COMM_H
#define PITHI_OWN_COMM_H

#include <mpi.h>

/* Of `members` of MPI_COMM_WORLD, or, MPI_GROUP_NULL, of all; collective over these. Not by MPI_Comm_dup, which would
 * call the copy functions of the program's attributes; with errors returned. MPI_COMM_NULL: it failed. */
MPI_Comm pithi_own_comm(MPI_Group members);

#endif
