/*
 * mpi.h - the compiler finds this header before the MPI library's mpi.h, which it includes. In C++ it adds the bindings
 * of mpicxx.h and leaves out those of the MPI library; in C it adds nothing.
 */
#pragma GCC system_header
#ifdef __cplusplus
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#endif
#include_next <mpi.h>
#ifdef __cplusplus
#include "mpicxx.h"
#endif
