/* waiting_sleeps.c - to be preloaded: ranks that wait in MPI sleep for a moment instead of asking again at once. So
 * more ranks than cores disturb each other little, and the length of a plant is known. Both MPIs wait in a loop: Open
 * MPI calls sched_yield in it (with mpi_yield_when_idle), MPICH with UCX gets it from here. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <time.h>

int sched_yield(void)
{
    struct timespec moment = {0, 20000};

    nanosleep(&moment, NULL);
    return 0;
}

unsigned ucp_worker_progress(void *worker);

/* 0: nothing came. */
unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*real)(void *);
    if (!real)
        real = (unsigned (*)(void *))dlsym(RTLD_NEXT, "ucp_worker_progress");
    unsigned came = real(worker);
    if (came == 0)
        sched_yield();
    return came;
}
