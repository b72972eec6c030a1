/* at_finalize.c EVENTS - a rank that makes about EVENTS records when it is recorded, then ends: prints the seconds of
 * its MPI_Finalize, and of an MPI_Barrier (median of 20) at that moment. Calls are local, with messages to itself, so
 * that the time before does not grow with the ranks; gaps between them are uneven, as a program's are. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BARRIERS = 20 };

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint32_t seed = 12345;

static void spin(void)
{
    volatile uint32_t left;
    seed = seed * 1103515245u + 12345u;
    for (left = (seed >> 8 & 15) * (seed >> 12 & 15); left > 0; left = left - 1)
        ;
}

/* The records of a call: 2 of its state, and one each of a message sent and received. */
static long call(long i)
{
    int x = 1, y, flag;
    MPI_Request request;
    switch (seed >> 16 & 7) {
    case 0:
        MPI_Irecv(&y, 1, MPI_INT, 0, (int)(i & 3), MPI_COMM_SELF, &request);
        MPI_Send(&x, 1, MPI_INT, 0, (int)(i & 3), MPI_COMM_SELF);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        return 8;
    case 1:
    case 2:
    case 3:
        MPI_Comm_size(MPI_COMM_WORLD, &x);
        return 2;
    case 4:
        MPI_Initialized(&flag);
        return 2;
    default:
        MPI_Comm_rank(MPI_COMM_WORLD, &x);
        return 2;
    }
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    long events = argc > 1 ? atol(argv[1]) : 1000, made = 0;
    double barriers[BARRIERS], begin;

    MPI_Init(&argc, &argv);
    for (long i = 0; made < events; i++) {
        made += call(i);
        spin();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < BARRIERS; i++) {
        begin = now_s();
        MPI_Barrier(MPI_COMM_WORLD);
        barriers[i] = now_s() - begin;
    }
    qsort(barriers, BARRIERS, sizeof *barriers, compare);
    begin = now_s();
    MPI_Finalize();
    printf("%.6f %.9f\n", now_s() - begin, barriers[BARRIERS / 2]);
    return 0;
}
