/* compare_clocks.h - declares the function that compares clocks (PITH_SYNC). Each library that compares clocks defines
 * it. */
#ifndef PITHI_COMPARE_CLOCKS_H
#define PITHI_COMPARE_CLOCKS_H

#include <mpi.h>

/* Compares the clocks of the processes if it is time for that. Call it after a call in which each process of `comm`
 * waits for all others. `result`: what that call returned. */
void pithi_compare_clocks(int result, MPI_Comm comm);

#endif
