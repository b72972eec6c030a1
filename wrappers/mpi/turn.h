/* turn.h - moments to compare clocks (PITH_SYNC): each library that does so has a function for it. */
#ifndef PITHI_TURN_H
#define PITHI_TURN_H

#include <mpi.h>

/* Behind a call in which each process of `comm` has waited for all others. */
void pithi_turn(int result, MPI_Comm comm);

#endif
