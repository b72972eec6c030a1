/* stacks.c - computes 20 calls deep, always the same amount; prints the CPU time that it took, in ns. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

static volatile double sink;

__attribute__((noinline, noclone)) static double descend(int calls, double x)
{
    if (calls > 0)
        x = descend(calls - 1, x);
    else
        for (int i = 0; i < 2000; i++)
            x = x * 0.999999 + 1.0;
    sink = x;
    return x;
}

static double cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

int main(int argc, char **argv)
{
    double begin;
    MPI_Init(&argc, &argv);
    begin = cpu_ns();
    for (int i = 0; i < 200000; i++)
        sink = descend(20, sink);
    printf("%.0f\n", cpu_ns() - begin);
    MPI_Finalize();
    return 0;
}
