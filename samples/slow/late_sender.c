/* late_sender.c - slow because a receiver waits for a sender that has more to compute (load imbalance).
 *
 *     mpirun -n 3 pith run ./late_sender             slow
 *     mpirun -n 3 pith run ./late_sender fast        mended
 *
 * A mesh is cut into one part for each rank. In each step, every rank refines its part, sends its right edge to the
 * next rank and receives the edge of the rank before it, in a ring. The parts have the same area, but the part of
 * rank 1 has three times as many cells: rank 2 waits in MPI_Recv for the edge of rank 1, and the others wait for rank
 * 2 in turn.
 *
 * Mended: the mesh is cut into parts with the same number of cells.
 */
#include "compute.h"
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 40, CELLS = 100, EDGE = 16, DETAILED_RANK = 1 };

static const double ms_per_cell = 0.1;

/* The number of cells of a rank. */
static int cells_of(int rank, int size, int fast)
{
    int all = (size + 2) * CELLS; /* the part of DETAILED_RANK has 3 * CELLS, each other part has CELLS */

    if (fast)
        return all / size + (rank < all % size);
    return rank == DETAILED_RANK ? 3 * CELLS : CELLS;
}

int main(int argc, char **argv)
{
    int rank, size;
    double edge[EDGE] = {0}, before[EDGE];
    int fast = argc > 1 && strcmp(argv[1], "fast") == 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    int cells = cells_of(rank, size, fast);

    double begin = MPI_Wtime();
    for (int step = 0; step < STEPS; step++) {
        compute("refine", cells * ms_per_cell);
        MPI_Send(edge, EDGE, MPI_DOUBLE, right, 0, MPI_COMM_WORLD); /* short enough for MPI to buffer it */
        MPI_Recv(before, EDGE, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (rank == 0)
        printf("late_sender: %d steps in %.2f s\n", STEPS, MPI_Wtime() - begin);
    MPI_Finalize();
    return 0;
}
