/* windows.c - `windows TURNS [halves]`: two windows of one communicator, with fences that must be barriers and such
 * that need not be; and one of each half of the ranks. What a rank calls between them is uneven, so that where
 * recording costs, it keeps others waiting. Never looks at a clock (played.c). Rank 0 says what came out. (MPICH 4.0's
 * windows of a few bytes overlap.) */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int rank, size;

static void pause_us(long us) { nanosleep(&(struct timespec){.tv_nsec = 1000 * us}, NULL); }

/* Calls that take no time of their own. */
static void chat(int count)
{
    int bytes;
    while (count-- > 0)
        MPI_Type_size(MPI_INT, &bytes);
}

static void turn(int number, int *memory[2], MPI_Win windows[2])
{
    int mine = memory[0][0] + rank;
    pause_us(20 + (number * 7 + rank * 13) % 40);
    chat((number + rank) % 4 * 5);
    MPI_Win_fence(0, windows[0]);
    MPI_Put(&mine, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, windows[0]);
    chat((number + 3 * rank) % 4 * 5);
    MPI_Win_fence(0, windows[0]);
    pause_us(100 * rank);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, windows[1]);
    mine = memory[0][0];
    MPI_Accumulate(&mine, 1, MPI_INT, (rank + size - 1) % size, 0, 1, MPI_INT, MPI_SUM, windows[1]);
    chat(rank * 5);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, windows[1]);
}

/* The even and the odd ranks by themselves. */
static void halves(int turns)
{
    MPI_Comm half;
    MPI_Win window;
    int *memory;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Win_allocate(64, sizeof *memory, MPI_INFO_NULL, half, &memory, &window);
    for (int i = rank % 2 ? turns : 0; i < 2 * turns; i++) {
        MPI_Win_fence(0, window);
        pause_us(10 * rank);
    }
    MPI_Win_free(&window);
    MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
    int *memory[2], turns = argc > 1 ? atoi(argv[1]) : 10;
    MPI_Win windows[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 2; i++) {
        chat((rank + i) % 2 * 10);
        MPI_Win_allocate(64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory[i], &windows[i]);
        *memory[i] = 0;
    }
    MPI_Win_fence(0, windows[0]);
    for (int i = 0; i < turns; i++)
        turn(i, memory, windows);
    if (rank == 0)
        printf("%d %d\n", *memory[0], *memory[1]);
    for (int i = 0; i < 2; i++) {
        chat(rank * 3);
        MPI_Win_free(&windows[i]);
    }
    if (argc > 2)
        halves(turns);
    MPI_Finalize();
    return 0;
}
