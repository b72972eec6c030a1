/* give_way.c - to be preloaded, or linked into what is: ranks of MPICH that wait let others have the processor, as
 * those of Open MPI do (with mpi_yield_when_idle). Without, four ranks on two processors spend nine tenths of the time
 * asking their transport for what another rank, waiting for a processor, is to send.
 *
 * With -DWAITING_SLEEPS, waiting ranks of both MPIs sleep for a moment instead of asking again at once. So even more
 * ranks than cores disturb each other little, and the length of a wait can be known beforehand. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <time.h>

unsigned ucp_worker_progress(void *worker);

/* MPICH waits by calling this again and again; 0: nothing came. (A program that opens its MPI by dlopen has a libucp
 * that no search in order finds.) */
unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*real)(void *);
    if (!real)
        real = (unsigned (*)(void *))dlsym(RTLD_NEXT, "ucp_worker_progress");
    if (!real)
        real = (unsigned (*)(void *))dlsym(dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD), "ucp_worker_progress");
    unsigned came = real(worker);
    if (came == 0)
        sched_yield();
    return came;
}

#ifdef WAITING_SLEEPS
int sched_yield(void)
{
    struct timespec moment = {0, 20000};
    nanosleep(&moment, NULL);
    return 0;
}
#endif
