/* chosen.c - one call of each group, with a pause before those that leave a message or collective: for PITH_ONLY and
 * PITH_SKIP. Prints what it computed. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { PAUSE_US = 20000 };

static void ring(int rank, int size)
{
    MPI_Request requests[2];
    int out = rank, in = -1, next = (rank + 1) % size;

    MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &requests[0]);
    usleep(PAUSE_US);
    MPI_Isend(&out, 1, MPI_INT, next, 5, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Send_init(&out, 1, MPI_INT, next, 6, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(&in, 1, MPI_INT, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &requests[1]);
    usleep(PAUSE_US);
    MPI_Start(&requests[0]);
    MPI_Start(&requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    printf("%d got %d\n", rank, in);
}

static void others(int rank)
{
    int value = 7 * !rank, sum = 0;
    char name[64];
    MPI_Comm half;
    MPI_File file;

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    MPI_Comm_set_name(half, "half");
    usleep(PAUSE_US);
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, half);
    snprintf(name, sizeof name, "chosen.%d.tmp", rank);
    MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file);
    MPI_File_write_at(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Comm_free(&half);
    printf("%d has %d\n", rank, sum);
}

int main(int argc, char **argv)
{
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    ring(rank, size);
    others(rank);
    MPI_Finalize();
    return 0;
}
