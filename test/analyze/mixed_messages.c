/* mixed_messages.c - four ranks that send with each kind of call, for test_communication.sh. */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROUNDS = 10, MOST = 400000 };

/* To the next rank, from the one before. */
static void ring(int rank, int ranks, char *out, char *in, int bytes)
{
    int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks, found = 0, got;
    MPI_Request requests[2];
    MPI_Status status;

    MPI_Irecv(in, MOST, MPI_CHAR, before, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, bytes, MPI_CHAR, next, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Isend(out, bytes + 10, MPI_CHAR, next, 2, MPI_COMM_WORLD, &requests[0]); /* found by MPI_Probe */
    MPI_Probe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_CHAR, &got);
    MPI_Recv(in, got, MPI_CHAR, status.MPI_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    if (rank % 2) /* so that some ranks poll for long */
        usleep(3000);
    MPI_Isend(out, bytes + 20, MPI_CHAR, next, 3, MPI_COMM_WORLD, &requests[0]); /* in a loop of MPI_Iprobe */
    for (found = 0; !found; usleep(20))
        MPI_Iprobe(before, 3, MPI_COMM_WORLD, &found, &status);
    MPI_Recv(in, MOST, MPI_CHAR, before, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Irecv(in, MOST, MPI_CHAR, before, 4, MPI_COMM_WORLD, &requests[1]); /* in a loop of MPI_Test */
    if (rank % 2 == 0)
        usleep(3000);
    MPI_Isend(out, bytes + 30, MPI_CHAR, next, 4, MPI_COMM_WORLD, &requests[0]);
    for (found = 0; !found; usleep(20))
        MPI_Test(&requests[1], &found, MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Sendrecv(out, bytes + 40, MPI_CHAR, next, 5, in, MOST, MPI_CHAR, before, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int rank, ranks;
    char *out = calloc(1, MOST), *in = malloc(MOST);

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Barrier(MPI_COMM_WORLD); /* so that all messages are in the window: no rank is still in MPI_Init */
    for (int i = 0; i < ROUNDS; i++)
        ring(rank, ranks, out, in, 1000 * (rank + 1) + i);
    for (int i = 0; i < ROUNDS; i++) { /* to a late receiver: small ones are buffered, large ones are not */
        int bytes = i % 2 ? 300000 + i : 300 + i;
        if (rank % 2 == 0 && rank + 1 < ranks) {
            MPI_Send(out, bytes, MPI_CHAR, rank + 1, 6, MPI_COMM_WORLD);
        } else if (rank % 2) {
            usleep(20000);
            MPI_Recv(in, MOST, MPI_CHAR, rank - 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    free(in);
    free(out);
    return 0;
}
