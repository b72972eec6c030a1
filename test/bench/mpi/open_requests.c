/* open_requests.c - what a message costs while N receives are open, one rank, messages to itself: a line "N-NAME ns"
 * each. "all": N Irecv, N Send, one Waitall. "any": the same, each completed by a Waitany over the 8 oldest. Best of
 * some rounds, in the thread's processor time. bench_mpi_open.sh runs it with and without Pith. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static MPI_Request *requests;
static int *in;

static void post(int n)
{
    int out = 1;

    for (int i = 0; i < n; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, 0, i & 1023, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < n; i++)
        MPI_Send(&out, 1, MPI_INT, 0, i & 1023, MPI_COMM_WORLD);
}
static void all(int n)
{
    post(n);
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
}
static void any(int n)
{
    post(n);
    for (int i = 0; i < n; i++) {
        int index, left = n - (i & ~7);
        MPI_Waitany(left < 8 ? left : 8, &requests[i & ~7], &index, MPI_STATUS_IGNORE);
    }
}

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void measure(int n, const char *name, void (*once)(int))
{
    double best = 1e18;

    for (int round = 0; round < 5; round++) {
        int times = n < 100000 ? 100000 / n : 1;
        double begin = now_ns();
        for (int i = 0; i < times; i++)
            once(n);
        double each = (now_ns() - begin) / times / n;
        if (each < best)
            best = each;
    }
    printf("%d-%s %.1f\n", n, name, best);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    requests = calloc(100000, sizeof *requests);
    in = calloc(100000, sizeof *in);
    for (int n = 10; n <= 100000; n *= 100) {
        measure(n, "all", all);
        measure(n, "any", any);
    }
    MPI_Finalize();
    return 0;
}
