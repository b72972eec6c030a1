/* sizes.h - what the wrappers call. REAL(MPI_X)(...) is the MPI library's own MPI_X. */
#ifndef SIZES_H
#define SIZES_H

#include "real.h"

void sizes_begin(void);
void sizes_add(MPI_Count count, MPI_Datatype type);
void sizes_end(void);

#endif
