/* open_requests.c - what a message costs while N receives are open, one rank, messages to itself: a line "N-NAME ns"
 * each. "all": N Irecv, N Send, one Waitall. "any": the same, each completed by a Waitany over the 8 oldest. Best of
 * some rounds. bench_mpi_open.sh runs it with and without Pith. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

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

static void measure(int n, const char *name, void (*once)(int))
{
    double best = 1e9;

    for (int round = 0; round < 5; round++) {
        int times = n < 100000 ? 100000 / n : 1;
        double begin = MPI_Wtime();
        for (int i = 0; i < times; i++)
            once(n);
        double each = (MPI_Wtime() - begin) / times / n;
        if (each < best)
            best = each;
    }
    printf("%d-%s %.1f\n", n, name, 1e9 * best);
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
