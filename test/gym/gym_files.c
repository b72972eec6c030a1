/* gym_files.c - ranks that wait for a rank that writes a file (recorded with --also io). An expert says that the time
 * goes to files, and in which rank. */
#include "gym.h"

#include <fcntl.h>
#include <unistd.h>

extern int slow_disk_ms; /* how long fsync takes, up to 999 ms (slow_disk.c) */

static void write_slowly(int ms)
{
    char name[40], data[4096] = "";

    snprintf(name, sizeof name, "gym_files.%d.out", rank);
    int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    slow_disk_ms = ms;
    if (write(file, data, sizeof data) != sizeof data || fsync(file) != 0)
        perror(name);
    close(file);
    unlink(name);
}

/* "Rank 0 alone spends two thirds of the time in files, and 3 ranks wait for it." */
static void alone(int i)
{
    (void)i;
    work("solve", SHORT_MS);
    if (rank == 0 && sick)
        write_slowly(LONG_MS - SHORT_MS);
    meet();
}

/* "The ranks write one after another, 20 ms each." */
static void in_turn(int i)
{
    (void)i;
    work("solve", SHORT_MS);
    if (rank > 0)
        MPI_Recv(NULL, 0, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    write_slowly(sick ? 20 : 2);
    if (rank < size - 1)
        MPI_Send(NULL, 0, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
    meet();
}

static const struct mode modes[] = {{"alone", alone, STEPS, 0}, {"in_turn", in_turn, 5, 0}};

GYM_MAIN(modes)
