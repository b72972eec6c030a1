/* give_way.c - to be preloaded, or linked into what is: ranks that wait in MPI let others have the processor. MPICH
 * would ask its transport without end; Open MPI (with mpi_yield_when_idle) calls sched_yield each time. That is enough
 * while others want the processor. Where nobody does, a rank that waits for a second would burn a second of it, and a
 * test beside it had one less; so a rank that has waited for 0.2 ms sleeps for a moment between two questions. Each
 * question costs some 20 us, so the moment grows with the wait: to a 16th of it, 0.5 ms at most.
 *
 * With -DWAITING_SLEEPS, waiting ranks sleep instead of asking again at once. So even more ranks than cores disturb
 * each other little, and the length of a wait can be known beforehand. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

unsigned ucp_worker_progress(void *worker);

#ifdef WAITING_SLEEPS
enum { ASKS_NS = 0, GAP_NS = 0, MOMENT_NS = 20000, LONGEST_NS = MOMENT_NS };
static int is_told = 1;
#else
/* A message between two running ranks is there within a few microseconds. */
enum { ASKS_NS = 200000, GAP_NS = 20000, MOMENT_NS = 50000, LONGEST_NS = 500000 };
static int is_told;
#endif

/* By system calls: programs and tests have functions of these names. */
static int64_t now_ns(void)
{
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Yields; sleeps, when it has been called again and again for ASKS_NS with no more than GAP_NS in between. (With
 * GIVE_WAY=yield in the environment it never sleeps: for what is measured in microseconds. Not with WAITING_SLEEPS.) */
int sched_yield(void)
{
    static _Thread_local int64_t since_ns, last_ns;
    static int only_yields;
    int64_t now, moment;
    if (!is_told)
        only_yields = getenv("GIVE_WAY") != NULL, is_told = 1;
    if (only_yields)
        return (int)syscall(SYS_sched_yield);
    now = now_ns();
    if (now - last_ns > GAP_NS)
        since_ns = now;
    moment = (now - since_ns) / 16;
    moment = moment < MOMENT_NS ? MOMENT_NS : moment > LONGEST_NS ? LONGEST_NS : moment;
    if (now - since_ns < ASKS_NS)
        syscall(SYS_sched_yield);
    else
        syscall(SYS_nanosleep, &(struct timespec){0, moment}, NULL);
    last_ns = now_ns();
    return 0;
}

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
