/* waiting_sleeps.c - preloaded with give_way.c: ranks that wait in MPI sleep for a moment instead of asking again at
 * once. So more ranks than cores disturb each other little, and the length of a plant is known. Open MPI calls
 * sched_yield while it waits (with mpi_yield_when_idle), for MPICH give_way.c does. */
#include <sched.h>
#include <time.h>

int sched_yield(void)
{
    struct timespec moment = {0, 20000};

    nanosleep(&moment, NULL);
    return 0;
}
