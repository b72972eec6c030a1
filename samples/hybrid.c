/* hybrid.c - MPI between processes and OpenMP in each: heat in a rod, as in a wall that is hot on one side.
 *
 * Each rank has a piece of the rod and exchanges its end cells with its neighbours. Its threads share the cells of a
 * step. The first cells cost more than the last ones, so thread 0 is late in each step.
 *
 *     mpicc -fopenmp -O2 -o hybrid hybrid.c -lm
 *     OMP_NUM_THREADS=2 mpirun -n 2 pith run --also openmp ./hybrid
 *     pith stat hybrid.pith --by state,lane
 *
 * In the timeline look for omp:barrier, in which thread 1 waits for thread 0, and for omp:idle, while thread 0 alone
 * exchanges cells. With schedule(dynamic, 100) at the first loop the barriers are short. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>

enum { CELLS = 2000, STEPS = 50, WORK = 40 };

/* What a cell gives off, which is not worth computing so exactly: the more terms, the longer. */
static double loss(double heat, int cell)
{
    double sum = 0;

    for (int k = 1; k <= WORK * (CELLS - cell) / CELLS + 1; k++)
        sum += sin(heat * k) / k;
    return 1e-6 * sum;
}

int main(int argc, char **argv)
{
    static double old[CELLS + 2], new[CELLS + 2];
    int provided, rank, size;
    double heat = 0, total = 0;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    if (rank == 0)
        old[0] = new[0] = 1;

    for (int step = 0; step < STEPS; step++) {
        MPI_Sendrecv(&old[CELLS], 1, MPI_DOUBLE, right, 0, &old[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Sendrecv(&old[1], 1, MPI_DOUBLE, left, 1, &old[CELLS + 1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
#pragma omp parallel
        {
#pragma omp for schedule(static)
            for (int i = 1; i <= CELLS; i++)
                new[i] = old[i] + 0.25 * (old[i - 1] - 2 * old[i] + old[i + 1]) - loss(old[i], i);
#pragma omp for
            for (int i = 1; i <= CELLS; i++)
                old[i] = new[i];
        }
    }

#pragma omp parallel for reduction(+ : heat)
    for (int i = 1; i <= CELLS; i++)
        heat += old[i];
    MPI_Reduce(&heat, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("heat after %d steps: %.6f\n", STEPS, total);
    MPI_Finalize();
    return 0;
}
