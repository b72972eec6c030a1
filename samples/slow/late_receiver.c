/* late_receiver.c - slow because a long message waits for a receiver that is busy.
 *
 *     mpirun -n 2 pith run ./late_receiver             slow
 *     mpirun -n 2 pith run ./late_receiver fast        mended
 *
 * Rank 0 computes an ocean and rank 1 an atmosphere. In each step, the ocean sends its surface, 1 MiB, and computes;
 * the atmosphere computes its radiation, receives the surface, and computes the heat flow from it. Then both agree on
 * the length of the next step. MPI does not buffer such a long message: MPI_Send lasts until the atmosphere calls
 * MPI_Recv, which it does after its radiation. Only then does the ocean begin to compute, and the atmosphere waits
 * for it later.
 *
 * Mended: the atmosphere posts its receive before the radiation, and the ocean computes between MPI_Isend and
 * MPI_Wait.
 */
#include "compute.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 35, SURFACE = 1 << 20, OCEAN_MS = 20, RADIATION_MS = 15, FLOW_MS = 5 };

static void ocean_step(char *surface, int fast)
{
    MPI_Request sent = MPI_REQUEST_NULL;

    if (fast)
        MPI_Isend(surface, SURFACE, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &sent);
    else
        MPI_Send(surface, SURFACE, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    compute("ocean", OCEAN_MS);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
}

static void atmosphere_step(char *surface, int fast)
{
    MPI_Request received;

    if (fast)
        MPI_Irecv(surface, SURFACE, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &received);
    compute("radiation", RADIATION_MS);
    if (fast)
        MPI_Wait(&received, MPI_STATUS_IGNORE);
    else
        MPI_Recv(surface, SURFACE, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    compute("flow", FLOW_MS);
}

int main(int argc, char **argv)
{
    int rank, size;
    double longest = 1, length = 0;
    int fast = argc > 1 && strcmp(argv[1], "fast") == 0;
    char *surface = calloc(SURFACE, 1);

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!surface || size < 2)
        MPI_Abort(MPI_COMM_WORLD, 1);

    double begin = MPI_Wtime();
    for (int step = 0; step < STEPS; step++) {
        if (rank == 0)
            ocean_step(surface, fast);
        else if (rank == 1)
            atmosphere_step(surface, fast);
        MPI_Allreduce(&longest, &length, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("late_receiver: %d steps in %.2f s\n", STEPS, MPI_Wtime() - begin);
    MPI_Finalize();
    free(surface);
    return 0;
}
