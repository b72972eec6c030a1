/* cpilog.c - pi by integration, in rounds, with its phases logged by MPE's calls.
 *
 * The area under 4 / (1 + x*x) from 0 to 1 is pi. The area is cut into strips, which are divided among the ranks. Each
 * round has four times as many strips as the round before. It has four phases: rank 0 broadcasts the number of strips,
 * all ranks meet in a barrier, each rank adds up its strips, and a reduction adds up the ranks' sums.
 *
 *     mpecc -o cpilog cpilog.c -lm && mpirun -n 4 ./cpilog              logs the phases
 *     mpecc -mpilog -o cpilog cpilog.c -lm && mpirun -n 4 ./cpilog      logs every MPI call too
 *
 * What to look for in the timeline: the phases are states around the MPI calls. On rank 0, an event marks each round;
 * its payload has the round's number and the number of strips. "Compute" takes longer in each round, and "Reduce" shows
 * which ranks wait.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "mpe.h"

enum phase { BROADCAST, SYNC, COMPUTE, REDUCE, PHASES };

static int begins[PHASES], ends[PHASES], tick;

/* Every rank gets the event numbers, in the same order. It is enough to describe them on one rank. */
static void define_events(int rank)
{
    static const char *const names[PHASES] = {"Broadcast", "Sync", "Compute", "Reduce"};
    static const char *const colours[PHASES] = {"red", "orange", "blue", "green"};

    for (int i = 0; i < PHASES; i++) {
        MPE_Log_get_state_eventIDs(&begins[i], &ends[i]);
        if (rank == 0)
            MPE_Describe_info_state(begins[i], ends[i], names[i], colours[i], i == COMPUTE ? "area=%E" : NULL);
    }
    MPE_Log_get_solo_eventID(&tick);
    if (rank == 0)
        MPE_Describe_info_event(tick, "New round", "white", "round=%d strips=%l");
}

static void log_tick(int round, long long strips)
{
    MPE_LOG_BYTES bytes;
    int size = 0;

    MPE_Log_pack(bytes, &size, 'd', 1, &round);
    MPE_Log_pack(bytes, &size, 'l', 1, &strips);
    MPE_Log_event(tick, 0, bytes);
}

/* The area of this rank's strips: every size-th strip. */
static double area_of(long long strips, int rank, int size)
{
    double width = 1.0 / (double)strips, sum = 0.0;

    for (long long i = rank; i < strips; i += size) {
        double x = width * ((double)i + 0.5);
        sum += 4.0 / (1.0 + x * x);
    }
    return width * sum;
}

/* The event at the end of the phase has the result as its payload. */
static double compute(long long strips, int rank, int size)
{
    MPE_LOG_BYTES bytes;
    int used = 0;

    MPE_Log_event(begins[COMPUTE], 0, NULL);
    double area = area_of(strips, rank, size);
    MPE_Log_pack(bytes, &used, 'E', 1, &area);
    MPE_Log_event(ends[COMPUTE], 0, bytes);
    return area;
}

static double one_round(int round, long long strips, int rank, int size)
{
    double area, pi = 0.0;

    if (rank == 0)
        log_tick(round, strips);
    MPE_Log_event(begins[BROADCAST], 0, NULL);
    MPI_Bcast(&strips, 1, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
    MPE_Log_event(ends[BROADCAST], 0, NULL);

    MPE_Log_event(begins[SYNC], 0, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    MPE_Log_event(ends[SYNC], 0, NULL);

    area = compute(strips, rank, size);

    MPE_Log_event(begins[REDUCE], 0, NULL);
    MPI_Reduce(&area, &pi, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPE_Log_event(ends[REDUCE], 0, NULL);
    return pi;
}

int main(int argc, char **argv)
{
    int rank, size, rounds = argc > 1 ? atoi(argv[1]) : 5;
    double pi = 0.0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPE_Init_log();
    define_events(rank);
    for (int round = 0; round < rounds; round++)
        pi = one_round(round, 10000LL << 2 * round, rank, size);
    if (rank == 0)
        printf("pi is near %.12f, off by %.1e\n", pi, fabs(pi - acos(-1.0)));
    MPE_Finish_log("cpilog");
    MPI_Finalize();
    return 0;
}
