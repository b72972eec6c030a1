/* calls.c - what MPI calls cost on one rank, messages to itself: a line "NAME BEST MEDIAN" each, in ns: the best and
 * the median of rounds of calls, in the thread's processor time, which the machine's other work does not raise; and the
 * floors: the time stamp counter, or clock_gettime, read and 16 bytes stored. bench_mpi.sh runs it with and without
 * Pith. Arguments: rounds (default 40); anything more: the recording is paused. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CALLS = 20000, ROUNDS_MOST = 40 };

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static uint64_t ticks(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_nsec;
#endif
}

static volatile uint64_t *store;
static int rank, x, y, flag, rounds = ROUNDS_MOST;

static void floor_once(int i)
{
    store[2 * (i & 4095)] = ticks();
    store[2 * (i & 4095) + 1] = (uint64_t)i;
}
static void call_floor_once(int i)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    store[2 * (i & 4095)] = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
    store[2 * (i & 4095) + 1] = (uint64_t)i;
}
static void comm_rank(int i)
{
    (void)i;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}
static void initialized(int i)
{
    (void)i;
    MPI_Initialized(&flag);
}
static void sendrecv(int i)
{
    (void)i;
    MPI_Sendrecv(&x, 1, MPI_INT, 0, 1, &y, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void irecv_send_wait(int i)
{
    MPI_Request request;
    (void)i;
    MPI_Irecv(&y, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
    MPI_Send(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void allreduce(int i)
{
    (void)i;
    MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(const char *name, void (*once)(int))
{
    double each[ROUNDS_MOST];

    for (int round = 0; round < rounds; round++) {
        double begin = now_ns();
        for (int i = 0; i < CALLS; i++)
            once(i);
        each[round] = (now_ns() - begin) / CALLS;
    }
    qsort(each, (size_t)rounds, sizeof *each, compare);
    printf("%s %.2f %.2f\n", name, each[0], each[rounds / 2]);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (argc > 1 && atoi(argv[1]) > 0 && atoi(argv[1]) < ROUNDS_MOST)
        rounds = atoi(argv[1]);
    if (argc > 2)
        MPI_Pcontrol(0);
    store = calloc(8192, sizeof *store);
    measure("floor", floor_once);
    measure("call_floor", call_floor_once);
    measure("MPI_Comm_rank", comm_rank);
    measure("MPI_Initialized", initialized);
    measure("MPI_Sendrecv", sendrecv);
    measure("Irecv+Send+Wait", irecv_send_wait);
    measure("MPI_Allreduce", allreduce);
    MPI_Finalize();
    return 0;
}
