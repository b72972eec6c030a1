/* gym_transfer.c - programs in which the messages themselves take the time. How long, only the run can say: each rank
 * measures its calls, and the program prints the share. */
#include "gym.h"

enum { LARGE = 32 << 20, MANY = 30000, LARGE_STEPS = 20 };
static char here[LARGE], there[LARGE];
static double lost, began;

static void begin_calls(int i)
{
    if (i == 0)
        began = MPI_Wtime();
    work("solve", 5);
    lost -= MPI_Wtime();
}

static void end_calls(int i, int last)
{
    lost += MPI_Wtime();
    if (i == last)
        tell_share(lost, MPI_Wtime() - began);
}

/* "Both ranks exchange 32 MB in each step, which takes most of the time." */
static void large(int i)
{
    begin_calls(i);
    MPI_Sendrecv(here, LARGE, MPI_CHAR, 1 - rank, 0, there, LARGE, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    end_calls(i, LARGE_STEPS - 1);
}

/* "30000 messages of 8 bytes there and back, in each step: send one message." */
static void small(int i)
{
    begin_calls(i);
    for (int k = 0; k < MANY; k++)
        if (rank == 0)
            MPI_Send(here, 8, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(there, 8, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    end_calls(i, STEPS - 1);
}

/* "Each message of 256 KiB waits for its receiver, which works for 10 ms between two of them; the sender has the same
 * work, but does it after the last." Below the eager limit both would work at the same time. Of 40 + 40 ms each rank
 * waits 40. */
static void eager_limit(int i)
{
    enum { PARTS = 4, PART = 256 << 10 };

    (void)i;
    for (int k = 0; k < PARTS; k++)
        if (rank == 0)
            MPI_Send(here, sick ? PART : 100, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        else {
            work("unpack", 10);
            MPI_Recv(there, sick ? PART : 100, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    if (rank == 0)
        work("solve", 40);
    meet();
}

static const struct mode modes[] = {
    {"large", large, LARGE_STEPS, 0},
    {"small", small, STEPS, 0},
    {"eager_limit", eager_limit, STEPS, 0},
};

GYM_MAIN(modes)
