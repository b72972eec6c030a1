/* hangs.c - jobs that hang, each in its own way, until they are killed or for as long as is told:
 *
 *     hangs io SECONDS    the last rank is outside MPI, in the state `io`, while the others wait for it in MPI_Barrier
 *     hangs receive       the first two ranks wait for a message of each other; the others wait for both in MPI_Barrier
 *     hangs send          each rank sends to the next one with MPI_Ssend, in a ring
 *     hangs chain SECONDS rank 0 sends to rank 1 with MPI_Ssend; rank 1 waits in MPI_Allreduce for the last, in `io`
 *     hangs tag           rank 1 receives with another tag than rank 0 sent with; rank 0 waits in MPI_Finalize
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pith.h"

static int rank, size;

static void work(double seconds)
{
    struct timespec left = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    uint32_t io = pith_state_define("io", "brown");

    pith_begin(io);
    while (nanosleep(&left, &left) != 0)
        ;
    pith_end(io);
}

static void run(const char *how, double seconds)
{
    int number = rank, sum = 0;

    if (strcmp(how, "io") == 0) {
        if (rank == size - 1)
            work(seconds);
        MPI_Barrier(MPI_COMM_WORLD);
    } else if (strcmp(how, "receive") == 0) {
        if (rank < 2)
            MPI_Recv(&number, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    } else if (strcmp(how, "send") == 0) {
        MPI_Ssend(&number, 1, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD);
    } else if (strcmp(how, "chain") == 0) {
        MPI_Comm others;
        MPI_Comm_split(MPI_COMM_WORLD, rank > 0, 0, &others);
        if (rank == 0)
            MPI_Ssend(&number, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
        if (rank == size - 1)
            work(seconds);
        if (rank > 0)
            MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, others);
        if (rank == 1)
            MPI_Recv(&number, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (strcmp(how, "tag") == 0) {
        if (rank == 0)
            MPI_Send(&number, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
        if (rank == 1)
            MPI_Recv(&number, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    run(argc > 1 ? argv[1] : "", argc > 2 ? atof(argv[2]) : 0);
    MPI_Finalize();
    return 0;
}
