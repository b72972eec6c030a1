/* lock.h - locks that cost nothing when the program has not asked MPI for several threads at once. */
#ifndef PITHI_LOCK_H
#define PITHI_LOCK_H

#include <pthread.h>

/* 1: several threads may be in MPI at once. Set before the first lock, in MPI_Init, and never taken back. */
extern int pithi_many_threads __attribute__((visibility("hidden")));
/* After MPI_Init: as the library says. */
void pithi_lock_begin(void);

static inline void pithi_lock(pthread_mutex_t *mutex)
{
    if (pithi_many_threads)
        pthread_mutex_lock(mutex);
}
static inline void pithi_unlock(pthread_mutex_t *mutex)
{
    if (pithi_many_threads)
        pthread_mutex_unlock(mutex);
}

#endif
