/* mpi.h - the little of MPI that wrappers/mpe needs, where there is none: for libmpe_nompi. It stands first among the
 * include folders there. */
#ifndef PITHI_SERIAL_MPI_H
#define PITHI_SERIAL_MPI_H

#include "mpe_nompi.h"

typedef int MPI_Group;

static inline int PMPI_Initialized(int *flag) { return *flag = 1, MPI_SUCCESS; }
static inline int PMPI_Finalized(int *flag) { return *flag = 0, MPI_SUCCESS; }
static inline int MPI_Init(int *argc, char ***argv) { return (void)argc, (void)argv, MPI_SUCCESS; }
static inline int PMPI_Comm_size(MPI_Comm comm, int *size) { return (void)comm, *size = 1, MPI_SUCCESS; }

#endif
