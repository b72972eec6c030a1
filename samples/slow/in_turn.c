/* in_turn.c - slow because the ranks work one after another (serialisation).
 *
 *     mpirun -n 3 pith run ./in_turn             slow
 *     mpirun -n 3 pith run ./in_turn fast        mended
 *
 * In each step, every rank computes, then writes its part of the result, and all add up the residual. All ranks have
 * the same work. But a rank writes only when the rank before it is ready: it waits in MPI_Recv for a token, and
 * passes the token on when it has written.
 *
 * Mended: every rank knows where its part begins in the file (MPI_File_write_at), so all write at the same time.
 */
#include "compute.h"
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 30, SOLVE_MS = 10, WRITE_MS = 10, TOKEN_TAG = 1 };

/* Writes after the rank before this one; `next` and `before` are MPI_PROC_NULL at the ends. */
static void write_in_turn(int before, int next)
{
    MPI_Recv(NULL, 0, MPI_BYTE, before, TOKEN_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    compute("write", WRITE_MS);
    MPI_Send(NULL, 0, MPI_BYTE, next, TOKEN_TAG, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rank, size;
    double residual = 1, sum = 0;
    int fast = argc > 1 && strcmp(argv[1], "fast") == 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int before = rank == 0 ? MPI_PROC_NULL : rank - 1;
    int next = rank == size - 1 ? MPI_PROC_NULL : rank + 1;

    double begin = MPI_Wtime();
    for (int step = 0; step < STEPS; step++) {
        compute("solve", SOLVE_MS);
        if (fast)
            compute("write", WRITE_MS);
        else
            write_in_turn(before, next);
        MPI_Allreduce(&residual, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("in_turn: %d steps in %.2f s\n", STEPS, MPI_Wtime() - begin);
    MPI_Finalize();
    return 0;
}
