/* give_way.c - to be preloaded, or linked into what is: ranks of MPICH that wait let others have the processor, as
 * those of Open MPI do. Without, four ranks on two processors spend nine tenths of the time asking their transport for
 * what another rank, waiting for a processor, is to send. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>

unsigned ucp_worker_progress(void *worker);

/* MPICH waits by calling this again and again; 0: nothing came. */
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
