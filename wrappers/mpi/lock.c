/* lock.c - see lock.h. */
#include "lock.h"

#include "real.h"

int pithi_many_threads;

void pithi_lock_begin(void)
{
    int level = MPI_THREAD_SINGLE;
    REAL(MPI_Query_thread)(&level);
    pithi_many_threads |= level == MPI_THREAD_MULTIPLE;
}
