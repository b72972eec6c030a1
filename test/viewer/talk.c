/* talk.c - an MPI program to be watched: a token goes round and round, with pauses. talk STEPS [FILE]: so often, and
 * then until FILE is there; exits with 3, with 4 if it has a child that it did not start. The token: how many rounds,
 * and whether there is one more. */
#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, size, token[2] = {0, 1}, steps = argc > 1 ? atoi(argv[1]) : 10;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 1; token[1]; i++) {
        if (rank != 0)
            MPI_Recv(token, 2, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            token[1] = i < steps || (argc > 2 && access(argv[2], F_OK) != 0);
        usleep(10000);
        MPI_Send(token, 2, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
        if (rank == 0)
            MPI_Recv(token, 2, MPI_INT, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        token[0]++;
    }
    if (rank == 0)
        printf("talk: %d\n", token[0]);
    MPI_Finalize();
    return wait(NULL) == -1 && errno == ECHILD ? 3 : 4;
}
