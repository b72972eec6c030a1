/* worker.c - see worker.h. */
#include "base/worker.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

enum { ASK_NS = 50000000 }; /* ns between two calls of should_stop */

unsigned pithi_cores(void)
{
    cpu_set_t cores;
    return sched_getaffinity(0, sizeof cores, &cores) == 0 ? (unsigned)CPU_COUNT(&cores) : 1;
}

int pithi_worker_start(struct pithi_worker *w, void *(*work)(void *context), void *context)
{
    sigset_t all, before;

    *w = (struct pithi_worker){0};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    w->is_running = pthread_create(&w->thread, NULL, work, context) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return w->is_running;
}

void pithi_worker_stop(struct pithi_worker *w) { __atomic_store_n(&w->is_stopped, 1, __ATOMIC_RELAXED); }

int pithi_worker_is_stopped(const struct pithi_worker *w) { return __atomic_load_n(&w->is_stopped, __ATOMIC_RELAXED); }

void pithi_worker_join(struct pithi_worker *w, int (*should_stop)(void *context), void *context)
{
    struct timespec until;

    while (w->is_running) {
        if (should_stop && should_stop(context))
            pithi_worker_stop(w);
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += ASK_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        w->is_running = pthread_timedjoin_np(w->thread, NULL, &until) == ETIMEDOUT;
    }
}
