/*
 * mpi.h - found before the MPI's own mpi.h. In C++ it adds the bindings of mpicxx.h and leaves out the MPI's own; in C
 * it changes nothing.
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
