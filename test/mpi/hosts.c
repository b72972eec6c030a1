/* hosts.c - a ring of messages and a reduction; each rank says how many ranks its host has. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, here, sum, i;
    MPI_Comm host;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &here);
    MPI_Comm_free(&host);
    for (i = 0; i < 100; i++) {
        int got, next = (rank + 1) % size, before = (rank + size - 1) % size;
        MPI_Sendrecv(&i, 1, MPI_INT, next, i, &got, 1, MPI_INT, before, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Allreduce(&got, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    printf("%d\n", here);
    MPI_Finalize();
    return 0;
}
