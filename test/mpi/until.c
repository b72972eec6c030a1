/* until.c - ranks that exchange messages until the parent of the test says stop: for snapshots of a running job. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, size, round, stop = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (round = 0; !stop; round++) {
        int token = round;
        MPI_Sendrecv_replace(&token, 1, MPI_INT, (rank + 1) % size, 7, (rank + size - 1) % size, 7, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
        if (round % 10 == 0) { /* often, so that a job that waits for a slow one leaves the cores to it */
            stop = rank == 0 && access("stop", F_OK) == 0;
            MPI_Bcast(&stop, 1, MPI_INT, 0, MPI_COMM_WORLD);
            usleep(2000);
        }
        if (rank == 0 && round == 100)
            fclose(fopen("running", "w"));
    }
    if (rank == 0)
        printf("%d rounds\n", round);
    MPI_Finalize();
    return 0;
}
