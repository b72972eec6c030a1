/* lock.h - locks that cost nothing when the program has not asked MPI for several threads at once. */
#ifndef PITHI_LOCK_H
#define PITHI_LOCK_H

#include "job.h"

#include <pthread.h>

static inline void pithi_lock(pthread_mutex_t *mutex)
{
    if (pithi_job_threads)
        pthread_mutex_lock(mutex);
}
static inline void pithi_unlock(pthread_mutex_t *mutex)
{
    if (pithi_job_threads)
        pthread_mutex_unlock(mutex);
}

#endif
