/* mpe_comm.h - communicators that a program names in its own records of messages. */
#ifndef PITHI_MPE_COMM_H
#define PITHI_MPE_COMM_H

#include <mpi.h>
#include <stdint.h>

/* A log begins: from now on duplicates of communicators are told apart in the same way in all their members. */
void pithi_mpe_comm_begin(void);

/* The recorder's id of a communicator, and a rank of it (of an intercommunicator: of the remote group) as world rank.
 * 0: there is no such. */
int pithi_mpe_peer(MPI_Comm handle, int rank, uint32_t *id, int32_t *world_rank);

/* The same of the communicator alone, and its key; 0: the world, or none that is known. */
uint32_t pithi_mpe_comm(MPI_Comm handle, uint64_t *key);

/* Has finish() called at the beginning of MPI_Finalize, while MPI is whole. The first one stays. */
void pithi_mpe_at_finalize(void (*finish)(void));

/* Puts the own rank in `comm` into *rank and returns 1; 0: MPI is not up, or there is no communicator. */
int pithi_mpe_rank(MPI_Comm comm, int *rank);

#endif
