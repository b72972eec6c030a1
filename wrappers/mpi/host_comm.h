/* host_comm.h - the processes of a communicator that run on the same host. */
#ifndef PITHI_HOST_COMM_H
#define PITHI_HOST_COMM_H

#include <mpi.h>

/* Collective on `comm`. Makes a communicator of the processes on this process's host, in the order of `key`; the caller
 * frees it. Returns an MPI error code. If the code is not MPI_SUCCESS, no communicator is made. */
int pithi_host_comm(MPI_Comm comm, int key, MPI_Comm *host);

#endif
