/* laggard.c - slow because all ranks meet in each step, and one of them always comes last.
 *
 *     mpirun -n 3 pith run ./laggard             slow
 *     mpirun -n 3 pith run ./laggard fast        mended
 *
 * In each step, every rank solves its part of the equations, and MPI_Allreduce adds up the residual. Rank 0 also
 * writes a report of the step. The other ranks wait for it in MPI_Allreduce, which ends on no rank before all ranks
 * have called it.
 *
 * Mended: rank 0 reports every tenth step.
 */
#include "compute.h"
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 50, SOLVE_MS = 10, REPORT_MS = 15 };

int main(int argc, char **argv)
{
    int rank;
    double residual = 1, sum = 0;
    int fast = argc > 1 && strcmp(argv[1], "fast") == 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    double begin = MPI_Wtime();
    for (int step = 0; step < STEPS; step++) {
        compute("solve", SOLVE_MS);
        if (rank == 0 && (!fast || step % 10 == 0))
            compute("report", REPORT_MS);
        MPI_Allreduce(&residual, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("laggard: %d steps in %.2f s\n", STEPS, MPI_Wtime() - begin);
    MPI_Finalize();
    return 0;
}
