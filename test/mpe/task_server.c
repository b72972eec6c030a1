/* task_server.c - uses the MPE API as a task server does: some hundred states, solo events with packed integers, ranks
 * of different roles that log different states, numbers kept in tables of the program. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "mpe.h"

enum { STATES = 300, EVENTS = 20, TASKS = 40 };

static int begins[STATES], ends[STATES], solos[EVENTS];

static void define(int rank)
{
    static const char *const colours[] = {"red", "green", "blue", "gold", "purple"};
    char name[32];

    for (int i = 0; i < STATES; i++) {
        MPE_Log_get_state_eventIDs(&begins[i], &ends[i]);
        snprintf(name, sizeof name, "task type %d", i);
        if (rank == 0)
            MPE_Describe_state(begins[i], ends[i], name, colours[i % 5]);
    }
    for (int i = 0; i < EVENTS; i++) {
        MPE_Log_get_solo_eventID(&solos[i]);
        snprintf(name, sizeof name, "queue %d", i);
        if (rank == 0)
            MPE_Describe_info_event(solos[i], name, "white", "size=%d priority=%d bytes=%l");
    }
}

static void log_queue(int queue, int size, int priority, long long bytes)
{
    MPE_LOG_BYTES buffer;
    int pos = 0;

    MPE_Log_pack(buffer, &pos, 'd', 1, &size);
    MPE_Log_pack(buffer, &pos, 'd', 1, &priority);
    MPE_Log_pack(buffer, &pos, 'l', 1, &bytes);
    MPE_Log_event(solos[queue], 0, buffer);
}

int main(int argc, char **argv)
{
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPE_Init_log();
    define(rank);
    for (int i = 0; i < TASKS; i++) {
        if (rank == size - 1) { /* the server */
            MPE_Log_bare_event(begins[0]);
            log_queue(i % EVENTS, i, -i, (long long)i << 40);
            MPE_Log_bare_event(ends[0]);
        } else {
            int type = 1 + (rank + 7 * i) % (STATES - 1);
            MPE_Log_bare_event(begins[type]);
            MPE_Log_bare_event(ends[type]);
        }
    }
    MPE_Finish_log("tasks");
    MPI_Finalize();
    return 0;
}
