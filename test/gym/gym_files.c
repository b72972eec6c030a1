/* gym_files.c - ranks that wait for a rank in a file (recorded with --also io). The slow file is a timer, whose read
 * lasts as long as we like. An expert says that the time goes to files, and in which rank. */
#include "gym.h"

#include <sys/timerfd.h>
#include <unistd.h>

static void read_slowly(int ms)
{
    struct itimerspec after = {{0, 0}, {0, ms * 1000000L}};
    uint64_t count;
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);

    timerfd_settime(timer, 0, &after, NULL);
    if (read(timer, &count, sizeof count) != sizeof count)
        perror("gym_files: read");
    close(timer);
}

/* "Rank 0 alone spends two thirds of the time in files, and 3 ranks wait for it." */
static void alone(int i)
{
    (void)i;
    work("solve", SHORT_MS);
    if (rank == 0 && sick)
        read_slowly(LONG_MS - SHORT_MS);
    meet();
}

/* "The ranks read one after another, 20 ms each." */
static void in_turn(int i)
{
    (void)i;
    work("solve", SHORT_MS);
    if (rank > 0)
        MPI_Recv(NULL, 0, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    read_slowly(sick ? 20 : 2);
    if (rank < size - 1)
        MPI_Send(NULL, 0, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
    meet();
}

static const struct mode modes[] = {{"alone", alone, STEPS, 0}, {"in_turn", in_turn, 5, 0}};

GYM_MAIN(modes)
