/* replica.c - makes the calls of two programs whose logs MPE 2 wrote, as far as the logs tell: "pi", five rounds of a
 * sum with its phases as states and events, and "ring", a message that goes round a thousand times. */
#include <mpi.h>
#include <string.h>

#include "mpe.h"

enum { BROADCAST, SYNC, COMPUTE, REDUCE, STATES, POST = 0, START, END, EVENTS };

static int rank, size, begins[STATES], ends[STATES], events[EVENTS];

static void describe(void)
{
    for (int i = 0; i < STATES; i++)
        MPE_Log_get_state_eventIDs(&begins[i], &ends[i]);
    for (int i = 0; i < EVENTS; i++)
        MPE_Log_get_solo_eventID(&events[i]);
    if (rank != 0)
        return;
    MPE_Describe_state(begins[BROADCAST], ends[BROADCAST], "Broadcast", "red");
    MPE_Describe_state(begins[SYNC], ends[SYNC], "Sync", "orange");
    MPE_Describe_state(begins[COMPUTE], ends[COMPUTE], "Compute", "blue");
    MPE_Describe_state(begins[REDUCE], ends[REDUCE], "Reduce", "green");
    MPE_Describe_event(events[POST], "Broadcast Post", "white");
    MPE_Describe_event(events[START], "Compute Start", "purple");
    MPE_Describe_event(events[END], "Compute End", "navy");
}

static void pi(void)
{
    double sum = 0, all;
    int n = 1000;

    describe();
    for (int round = 0; round < 5; round++) {
        MPE_Log_event(begins[BROADCAST], 0, NULL);
        MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
        MPE_Log_event(ends[BROADCAST], 0, NULL);
        MPE_Log_event(events[POST], 0, NULL);
        MPE_Log_event(begins[SYNC], 0, NULL);
        MPI_Barrier(MPI_COMM_WORLD);
        MPE_Log_event(ends[SYNC], 0, NULL);
        MPE_Log_event(events[START], 0, NULL);
        MPE_Log_event(begins[COMPUTE], 0, NULL);
        for (int i = rank; i < n; i += size)
            sum += 4 / (1 + (i + 0.5) / n * ((i + 0.5) / n)) / n;
        MPE_Log_event(ends[COMPUTE], 0, NULL);
        MPE_Log_event(events[END], 0, NULL);
        MPE_Log_event(begins[REDUCE], 0, NULL);
        MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
        MPE_Log_event(ends[REDUCE], 0, NULL);
        MPE_Log_sync_clocks();
    }
}

static void ring(void)
{
    int data[3] = {0}, next = (rank + 1) % size, before = (rank + size - 1) % size;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < 1000; round++) {
        if (rank == 0) {
            MPI_Send(data, 3, MPI_INT, next, 99, MPI_COMM_WORLD);
            MPI_Send(data, 3, MPI_INT, MPI_PROC_NULL, 99, MPI_COMM_WORLD);
            MPI_Recv(data, 3, MPI_INT, before, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(data, 3, MPI_INT, before, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Recv(data, 3, MPI_INT, MPI_PROC_NULL, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(data, 3, MPI_INT, next, 99, MPI_COMM_WORLD);
        }
        if (round % 100 == 0)
            MPE_Log_sync_clocks();
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Pcontrol(0);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Pcontrol(1);
    if (argc > 1 && strcmp(argv[1], "ring") == 0)
        ring();
    else
        pi();
    return MPI_Finalize();
}
