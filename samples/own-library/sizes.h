/* sizes.h - the functions that the wrappers call. REAL(MPI_X)(...) calls the MPI library's MPI_X. */
#ifndef SIZES_H
#define SIZES_H

#include "real.h"

void sizes_begin(void);
void sizes_add(MPI_Count count, MPI_Datatype type);
void sizes_end(void);

#endif
