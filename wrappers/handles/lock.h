/* lock.h - locks that cost nothing unless the program may call MPI from several threads at once (handle.c). */
#ifndef PITHI_LOCK_H
#define PITHI_LOCK_H

#include <pthread.h>

/* 1: several threads may be in MPI at once. Set in MPI_Init, before the first lock, and never cleared. */
extern int pithi_many_threads __attribute__((visibility("hidden")));
/* Call it after MPI_Init. Sets pithi_many_threads if the thread level is MPI_THREAD_MULTIPLE. */
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
