/* mpi.h - the parts of MPI that wrappers/mpe needs, for libmpe_nompi, which is built without MPI. The compiler finds
 * this file before any other mpi.h, because its folder is the first include folder. */
#ifndef PITHI_SERIAL_MPI_H
#define PITHI_SERIAL_MPI_H

#include "mpe_nompi.h"

#include <string.h>

typedef int MPI_Group;
typedef int MPI_Op;
#define MPI_BYTE ((MPI_Datatype)1)
#define MPI_INT ((MPI_Datatype)4)
#define MPI_MIN ((MPI_Op)1)
#define MPI_Comm_f2c(comm) ((MPI_Comm)(comm))

static inline int PMPI_Initialized(int *flag) { return *flag = 1, MPI_SUCCESS; }
static inline int PMPI_Finalized(int *flag) { return *flag = 0, MPI_SUCCESS; }
static inline int MPI_Init(int *argc, char ***argv) { return (void)argc, (void)argv, MPI_SUCCESS; }
static inline int PMPI_Comm_size(MPI_Comm comm, int *size) { return (void)comm, *size = 1, MPI_SUCCESS; }
static inline int PMPI_Comm_rank(MPI_Comm comm, int *rank) { return (void)comm, *rank = 0, MPI_SUCCESS; }
static inline int PMPI_Comm_group(MPI_Comm comm, MPI_Group *group) { return (void)comm, *group = 1, MPI_SUCCESS; }
static inline int PMPI_Group_size(MPI_Group group, int *size) { return (void)group, *size = 1, MPI_SUCCESS; }
static inline int PMPI_Group_free(MPI_Group *group) { return *group = 0, MPI_SUCCESS; }
static inline int PMPI_Group_translate_ranks(MPI_Group from, int count, const int *ranks, MPI_Group to, int *translated)
{
    (void)from, (void)count, (void)to;
    *translated = *ranks;
    return MPI_SUCCESS;
}
static inline int PMPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return (void)buffer, (void)count, (void)type, (void)root, (void)comm, MPI_SUCCESS;
}
static inline int PMPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    (void)op, (void)comm;
    memcpy(to, from, (size_t)(count * type)); /* a datatype's handle is its size here */
    return MPI_SUCCESS;
}
static inline int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm *copy) { return *copy = comm, MPI_SUCCESS; }
static inline int PMPI_Comm_free(MPI_Comm *comm) { return *comm = MPI_COMM_NULL, MPI_SUCCESS; }

#endif
