/* compare_clocks.h - when to compare clocks (PITH_SYNC); each library that compares them defines the function. */
#ifndef PITHI_COMPARE_CLOCKS_H
#define PITHI_COMPARE_CLOCKS_H

#include <mpi.h>

/* Call it after a call in which each process of `comm` waits for all others. */
void pithi_compare_clocks(int result, MPI_Comm comm);

#endif
