/* across.c - messages over intercommunicators of the last rank and all others, whose ranks are reversed, made by
 * MPI_Intercomm_create and by MPI_Comm_dup; and over the communicator that MPI_Intercomm_merge makes. Prints a line
 * "FROM -> TO tag=TAG sz=BYTES" a message, with ranks in MPI_COMM_WORLD. */
#include <mpi.h>
#include <stdio.h>

static int rank, size;

static void receive(MPI_Comm comm, int from, int tag)
{
    MPI_Request request;
    MPI_Status status;
    int got[4], bytes;

    if (tag % 2) {
        MPI_Recv(got, 4, MPI_INT, from, tag, comm, &status);
    } else { /* completed in MPI_Wait */
        MPI_Irecv(got, 4, MPI_INT, MPI_ANY_SOURCE, tag, comm, &request);
        MPI_Wait(&request, &status);
    }
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    printf("%d -> %d tag=%d sz=%d\n", got[0], rank, tag, bytes);
}

/* The last rank sends to each rank of the other group, and gets an answer from each. Tags from `first` on. */
static void talk(MPI_Comm inter, int first)
{
    int own, mine[4] = {rank, 0, 0, 0};

    MPI_Comm_rank(inter, &own);
    if (rank < size - 1) {
        receive(inter, 0, first + own);
        MPI_Send(mine, 1 + own % 3, MPI_INT, 0, first + 20 + own, inter);
        return;
    }
    for (int to = 0; to < size - 1; to++)
        MPI_Send(mine, 4, MPI_INT, to, first + to, inter);
    for (int from = 0; from < size - 1; from++)
        receive(inter, from, first + 20 + from);
}

int main(int argc, char **argv)
{
    MPI_Comm group, inter, copy, all;
    int own, mine[1];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    mine[0] = rank;
    MPI_Comm_split(MPI_COMM_WORLD, rank == size - 1, -rank, &group);
    MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, rank == size - 1 ? size - 2 : size - 1, 9, &inter);
    talk(inter, 100);
    MPI_Comm_dup(inter, &copy);
    talk(copy, 200);
    MPI_Intercomm_merge(inter, rank < size - 1, &all);
    MPI_Comm_rank(all, &own);
    MPI_Send(mine, 1, MPI_INT, (own + 1) % size, 301, all);
    receive(all, (own + size - 1) % size, 301);
    MPI_Comm_free(&all);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&group);
    return MPI_Finalize();
}
