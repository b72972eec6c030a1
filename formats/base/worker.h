/* worker.h - a thread for a part of the work that needs nobody else, if the process may use a second core. */
#ifndef PITHI_WORKER_H
#define PITHI_WORKER_H

#include <pthread.h>

struct pithi_worker {
    pthread_t thread; /* valid if is_running */
    int is_running;
    int is_stopped; /* see pithi_worker_is_stopped */
};

/* The cores that this process may use. */
unsigned pithi_cores(void);

/* Starts work(context) in a thread that handles no signals of the program. 0: there is no thread; do the work here. */
int pithi_worker_start(struct pithi_worker *worker, void *(*work)(void *context), void *context);
/* Asks the work to stop. */
void pithi_worker_stop(struct pithi_worker *worker);
int pithi_worker_is_stopped(const struct pithi_worker *worker);
/* Waits for the end of the work, if it was started. Meanwhile asks `should_stop` (NULL: nobody) again and again whether
 * to stop it. */
void pithi_worker_join(struct pithi_worker *worker, int (*should_stop)(void *context), void *context);

#endif
