/* cpilog.c - pi by integration, in rounds, with its phases logged by MPE's calls.
 *
 * The area under 4 / (1 + x*x) from 0 to 1 is pi. Each round takes more strips than the one before; the ranks share
 * them out. Every round has four phases: rank 0 tells all the number of strips, a barrier, the sum, and the reduction.
 *
 *     mpecc -o cpilog cpilog.c -lm && mpirun -n 4 ./cpilog              the phases
 *     mpecc -mpilog -o cpilog cpilog.c -lm && mpirun -n 4 ./cpilog      and every MPI call
 *
 * Look for: the phases as states around the MPI calls; rank 0's ticks at each new round, which tell (as a payload) its
 * number and the strips; how much longer "Compute" takes with each round, and who waits in "Reduce".
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "mpe.h"

enum phase { BROADCAST, SYNC, COMPUTE, REDUCE, PHASES };

static int begins[PHASES], ends[PHASES], tick;

/* Every rank takes the numbers, in the same order; describing them is enough on one. */
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

/* The strips of this rank: every size-th one. */
static double area_of(long long strips, int rank, int size)
{
    double width = 1.0 / (double)strips, sum = 0.0;

    for (long long i = rank; i < strips; i += size) {
        double x = width * ((double)i + 0.5);
        sum += 4.0 / (1.0 + x * x);
    }
    return width * sum;
}

/* The end of the phase carries what was found. */
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
