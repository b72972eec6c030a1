/* talk.c - an MPI program to be watched: a token goes round and round, with pauses. talk STEPS: exits with 3, with 4 if
 * it has a child that it did not start. */
#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, size, token = 0, steps = argc > 1 ? atoi(argv[1]) : 10;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < steps; i++) {
        if (rank != 0)
            MPI_Recv(&token, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        usleep(10000);
        MPI_Send(&token, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
        if (rank == 0)
            MPI_Recv(&token, 1, MPI_INT, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        token++;
    }
    if (rank == 0)
        printf("talk: %d\n", token);
    MPI_Finalize();
    return wait(NULL) == -1 && errno == ECHILD ? 3 : 4;
}
