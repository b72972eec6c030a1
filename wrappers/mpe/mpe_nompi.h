/* mpe_nompi.h - the types and constants of mpi.h that the MPE API uses, for programs without MPI. Compile such programs
 * with -DNOMPI and link them with -lmpe_nompi. A process is rank 0 of 1. */
#ifndef MPE_NOMPI_H
#define MPE_NOMPI_H

typedef int MPI_Comm;
typedef int MPI_Datatype;
typedef int MPI_Fint;

#define MPI_COMM_NULL ((MPI_Comm)0)
#define MPI_COMM_WORLD ((MPI_Comm)1)
#define MPI_COMM_SELF ((MPI_Comm)2)
#define MPI_SUCCESS 0
#define MPI_ERR_COMM 5
#define MPI_ERR_RANK 6
#define MPI_ERR_ARG 12
#define MPI_UNDEFINED (-32766)
#define MPI_PROC_NULL (-1)
#define MPI_ANY_SOURCE (-2)
#define MPI_ANY_TAG (-1)

#endif
