/*
 * mpi.h - found before the MPI's own mpi.h, it gives C++ the bindings of mpicxx.h in place of those of the MPI; C gets
 * what it always got.
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
