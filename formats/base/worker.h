/* worker.h - runs a function in a thread of its own, which can be asked to stop. */
#ifndef PITHI_WORKER_H
#define PITHI_WORKER_H

#include <pthread.h>

struct pithi_worker {
    pthread_t thread; /* valid if is_running */
    int is_running;
    int is_stopped; /* 1: the work shall stop (pithi_worker_is_stopped) */
};

/* The number of cores that this process may use. */
unsigned pithi_cores(void);

/* Starts work(context) in a thread that handles no signals of the program. Returns 1, or 0 if no thread could be
 * started; the caller then does the work itself. */
int pithi_worker_start(struct pithi_worker *worker, void *(*work)(void *context), void *context);
/* Asks the work to stop. */
void pithi_worker_stop(struct pithi_worker *worker);
int pithi_worker_is_stopped(const struct pithi_worker *worker);
/* Waits for the end of the work, if it was started. Meanwhile calls should_stop (NULL: none) every 50 ms, and stops the
 * work if should_stop returns 1. */
void pithi_worker_join(struct pithi_worker *worker, int (*should_stop)(void *context), void *context);

#endif
