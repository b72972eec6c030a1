/* ring.c - a token goes around all ranks: a short program that sends messages in three ways.
 *
 *     mpicc -o ring ring.c
 *     mpirun -n 4 pith run ./ring
 *
 * Every rank adds its number to the token and sends it to the next rank; the last rank sends it to rank 0:
 *
 *     lap 0   MPI_Send, MPI_Recv
 *     lap 1   MPI_Isend, MPI_Irecv, completed by MPI_Wait
 *     lap 2   persistent requests, created once and started by MPI_Start
 *
 * What to look for in the timeline: each lap is a staircase of arrows. Ranks that do not have the token yet are in a
 * long MPI_Recv or MPI_Wait.
 */
#include <mpi.h>
#include <stdio.h>

static int rank, size;
static MPI_Request give_again, take_again; /* the persistent requests of lap 2 */

static void give(int lap, int *token)
{
    int next = (rank + 1) % size;
    MPI_Request request;

    if (lap == 0) {
        MPI_Send(token, 1, MPI_INT, next, lap, MPI_COMM_WORLD);
    } else if (lap == 1) {
        MPI_Isend(token, 1, MPI_INT, next, lap, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Start(&give_again);
        MPI_Wait(&give_again, MPI_STATUS_IGNORE);
    }
}

static void take(int lap, int *token)
{
    int last = (rank + size - 1) % size;
    MPI_Request request;

    if (lap == 0) {
        MPI_Recv(token, 1, MPI_INT, last, lap, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (lap == 1) {
        MPI_Irecv(token, 1, MPI_INT, last, lap, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Start(&take_again);
        MPI_Wait(&take_again, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    int token = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Send_init(&token, 1, MPI_INT, (rank + 1) % size, 2, MPI_COMM_WORLD, &give_again);
    MPI_Recv_init(&token, 1, MPI_INT, (rank + size - 1) % size, 2, MPI_COMM_WORLD, &take_again);

    /* With one rank there is no ring: a blocking send to oneself may never return. */
    for (int lap = 0; lap < 3 && size > 1; lap++) {
        if (rank != 0)
            take(lap, &token);
        token += rank;
        give(lap, &token);
        if (rank == 0)
            take(lap, &token);
    }
    if (rank == 0)
        printf("ring: the token came back with %d after 3 laps of %d ranks\n", token, size);

    MPI_Request_free(&give_again);
    MPI_Request_free(&take_again);
    MPI_Finalize();
    return 0;
}
