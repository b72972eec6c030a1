/* also_cost.c - calls that `pith run --also` records, many times each. Compiled with -finstrument-functions and
 * -fopenmp. Prints "NAME NS" for each: the CPU time of a call, all threads together, the least of some rounds. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define PLAIN __attribute__((no_instrument_function, noinline))

static FILE *file;
static char text[100];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int sink;

__attribute__((noinline)) static void function(void) { sink++; }

PLAIN static void call_function(void) { function(); }
PLAIN static void call_write(void) { sink += (int)pwrite(fileno(file), text, sizeof text, 0); }
PLAIN static void call_mutex(void)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
}
PLAIN static void call_malloc(void)
{
    static void *volatile block; /* so that the compiler keeps both calls */

    block = malloc(100);
    free(block);
}
PLAIN static void call_barrier(void)
{
#pragma omp parallel num_threads(1)
    {
#pragma omp barrier
    }
}

PLAIN static double cpu_ns(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

PLAIN static void measure(const char *name, void call(void), int calls)
{
    enum { ROUNDS = 20 };
    double best = 1e18;

    for (int round = 0; round < ROUNDS; round++) {
        double from = cpu_ns();
        for (int i = 0; i < calls; i++)
            call();
        double ns = (cpu_ns() - from) / calls;
        best = ns < best ? ns : best;
    }
    printf("%s %.6g\n", name, best);
}

PLAIN int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (!(file = tmpfile()))
        return 1;
    measure("functions", call_function, 20000);
    measure("io", call_write, 2000);
    measure("openmp", call_barrier, 2000);
    measure("pthread", call_mutex, 20000);
    measure("memory", call_malloc, 20000);
    MPI_Finalize();
    return 0;
}
