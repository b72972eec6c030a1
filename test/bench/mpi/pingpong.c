/* pingpong.c - how long a message takes, by its size: two ranks to and fro, 8 bytes to 4 MB; "SIZE NS" each, half of
 * the shortest of many rounds. Rank 0 tells. */
#include <mpi.h>
#include <stdio.h>

static const int sizes[] = {8, 64, 512, 4096, 32768, 262144, 4194304};
static char buffer[4194304];

static double round_s(int size, int first, int count)
{
    double begin = MPI_Wtime();
    for (int i = 0; i < count; i++) {
        if (first) {
            MPI_Send(buffer, size, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
            MPI_Recv(buffer, size, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(buffer, size, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(buffer, size, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
        }
    }
    return (MPI_Wtime() - begin) / count;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        int size = sizes[i];
        double least = 1e9;
        for (int round = 0; round < 40; round++) {
            double took = round_s(size, rank == 0, size > 65536 ? 4 : 40);
            least = took < least ? took : least;
        }
        if (rank == 0)
            printf("%d %.0f\n", size, least / 2 * 1e9);
    }
    MPI_Finalize();
    return 0;
}
