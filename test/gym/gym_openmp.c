/* gym_openmp.c - a thread that works longer than its team. MPI shows nothing of it: all ranks are equally late. */
#include "gym.h"

#include <omp.h>

static double one = 1, sum;

/* "Thread 2 of each rank works three times as long as the rest of its team": of 3 * 60 ms a step 2 * 40 are lost. */
static void slow_thread(int i)
{
    (void)i;
#pragma omp parallel num_threads(3)
    work(NULL, sick && omp_get_thread_num() == 2 ? LONG_MS : SHORT_MS);
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* "Thread 2 of rank 1 works three times as long as all other threads": 5 of 6 threads wait 40 of 60 ms. */
static void slow_rank(int i)
{
    (void)i;
#pragma omp parallel num_threads(3)
    work(NULL, sick && rank == late && omp_get_thread_num() == 2 ? LONG_MS : SHORT_MS);
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* "Nothing is wrong." */
static void balanced(int i)
{
    (void)i;
#pragma omp parallel num_threads(2)
    work(NULL, 50);
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static const struct mode modes[] = {
    {"slow_thread", slow_thread, STEPS, 0}, {"slow_rank", slow_rank, STEPS, 1}, {"balanced", balanced, STEPS, 0}};

int main(int argc, char **argv)
{
    int provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    int status = run_mode(argc, argv, modes, COUNT(modes));
    MPI_Finalize();
    return status;
}
