/* interpreter.c - uses the MPE API as an interpreter's module does: every call takes a communicator, states and events
 * are objects that are made at any time, several threads log, logging is switched on and off. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "mpe.h"

enum { THREADS = 4, ROUNDS = 50 };

struct state {
    MPI_Comm comm;
    int begin, end;
};

static struct state make_state(MPI_Comm comm, const char *name, const char *colour, const char *format)
{
    struct state state = {.comm = comm};
    int rank;

    MPE_Log_get_state_eventIDs(&state.begin, &state.end);
    MPI_Comm_rank(comm, &rank);
    if (rank == 0)
        MPE_Describe_comm_state(comm, state.begin, state.end, name, colour, format);
    return state;
}

static struct state work;

static void *run(void *number)
{
    for (int i = 0; i < ROUNDS; i++) {
        MPE_LOG_BYTES bytes;
        int pos = 0, value = (int)(long)number * 1000 + i;
        MPE_Log_pack(bytes, &pos, 'd', 1, &value);
        MPE_Log_comm_event(work.comm, work.begin, NULL);
        MPE_Log_comm_event(work.comm, work.end, bytes);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    MPI_Comm half;
    int rank, size, given, event;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPE_Init_log();
    struct state all = make_state(MPI_COMM_WORLD, "world", "red", NULL);
    work = make_state(half, "half", "blue", "value=%d");
    MPE_Log_get_solo_eventID(&event);
    if (rank == 0)
        MPE_Describe_comm_event(MPI_COMM_WORLD, event, "mark", "green", "at=%d");
    MPE_Log_comm_event(all.comm, all.begin, NULL);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    MPE_Stop_log();
    MPE_Log_comm_event(all.comm, event, NULL); /* not logged */
    MPE_Start_log();
    if (rank + 1 < size)
        MPE_Log_comm_send(all.comm, rank + 1, 5, 100);
    if (rank > 0)
        MPE_Log_comm_receive(all.comm, rank - 1, 5, 100);
    MPE_Log_comm_event(all.comm, event, NULL);
    MPE_Log_comm_event(all.comm, all.end, NULL);
    MPE_Log_sync_clocks();
    MPE_Finish_log("interpreter");
    if (rank == 0)
        puts(MPE_Log_merged_logfilename());
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
