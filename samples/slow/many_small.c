/* many_small.c - slow because it sends many small messages where one message would do.
 *
 *     mpirun -n 2 pith run ./many_small             slow
 *     mpirun -n 2 pith run ./many_small fast        mended
 *
 * Two ranks have a grid each. In each step, they compute, and exchange the columns at their common border. The cells
 * of a column do not lie side by side in memory, so the program sends each of them as a message of its own. A message
 * costs about the same with 8 bytes as with 800.
 *
 * Mended: MPI_Type_vector describes the column, and one message takes all of its cells.
 */
#include "compute.h"
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 100, ROWS = 1000, COLUMNS = 8, RELAX_MS = 2 };

static double grid[ROWS][COLUMNS];
static MPI_Datatype column;

/* Sends the first column to rank `other`, and receives that rank's into the last column. */
static void exchange(int other, int fast)
{
    MPI_Request requests[2 * ROWS];
    MPI_Status statuses[2 * ROWS]; /* for MPI_STATUSES_IGNORE gcc warns, with MPICH's mpi.h */
    int n = 0;

    if (fast) {
        MPI_Irecv(&grid[0][COLUMNS - 1], 1, column, other, 0, MPI_COMM_WORLD, &requests[n++]);
        MPI_Isend(&grid[0][0], 1, column, other, 0, MPI_COMM_WORLD, &requests[n++]);
    }
    for (int row = 0; row < ROWS && !fast; row++) {
        MPI_Irecv(&grid[row][COLUMNS - 1], 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, &requests[n++]);
        MPI_Isend(&grid[row][0], 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, &requests[n++]);
    }
    MPI_Waitall(n, requests, statuses);
}

int main(int argc, char **argv)
{
    int rank, size;
    int fast = argc > 1 && strcmp(argv[1], "fast") == 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Type_vector(ROWS, 1, COLUMNS, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    int other = (rank ^ 1) < size ? rank ^ 1 : MPI_PROC_NULL;

    double begin = MPI_Wtime();
    for (int step = 0; step < STEPS; step++) {
        compute("relax", RELAX_MS);
        exchange(other, fast);
    }
    if (rank == 0)
        printf("many_small: %d steps in %.2f s\n", STEPS, MPI_Wtime() - begin);
    MPI_Type_free(&column);
    MPI_Finalize();
    return 0;
}
