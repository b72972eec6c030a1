/* no_worker.c - the functions of worker.h without threads. pithi_worker_start always returns 0, "no thread", and then
 * the caller does the work itself. */
#include "base/worker.h"

unsigned pithi_cores(void) { return 1; }

int pithi_worker_start(struct pithi_worker *w, void *(*work)(void *context), void *context)
{
    (void)work, (void)context;
    *w = (struct pithi_worker){0};
    return 0;
}

void pithi_worker_stop(struct pithi_worker *w) { w->is_stopped = 1; }

int pithi_worker_is_stopped(const struct pithi_worker *w) { return w->is_stopped; }

void pithi_worker_join(struct pithi_worker *w, int (*should_stop)(void *context), void *context)
{
    (void)w, (void)should_stop, (void)context;
}
