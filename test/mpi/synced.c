/* synced.c - for test_clocks.sh: records events and, beside each, what the true clock showed (false_clock.c).
 * usage: synced ROUNDS SLEEP_US [sync] [quiet] [die] [late]
 * sync: pith_sync, some times; quiet: ranks never talk; die: rank 1 kills itself; late: half a second before MPI_Init
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <pith.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

extern int64_t false_clock_true(void) __attribute__((weak));
extern void false_clock_begin(void) __attribute__((weak));

static uint32_t tick, truth;

static int64_t boot_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The clock is read for the first of the two; what it truly was stands in the second. Without false_clock.c the truth
 * is CLOCK_BOOTTIME, read before and after, as often as it takes for these to be one moment. */
static void record(void)
{
    unsigned char bytes[8];
    int64_t ns, before;
    int tries = 0;
    do {
        before = boot_clock();
        pith_event(tick);
        ns = false_clock_true ? false_clock_true() : (boot_clock() + before) / 2;
    } while (!false_clock_true && ns - before > 500 && ++tries < 1000);
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(ns >> (56 - 8 * i));
    pith_event_data(truth, bytes, sizeof bytes);
}

static void talk(int rank, int size)
{
    char sent[64] = "", got[64];
    MPI_Sendrecv(sent, 64, MPI_CHAR, (rank + 1) % size, 1, got, 64, MPI_CHAR, (rank + size - 1) % size, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

static int asked(int argc, char **argv, const char *what)
{
    for (int i = 3; i < argc; i++)
        if (strcmp(argv[i], what) == 0)
            return 1;
    return 0;
}

/* What a program does before it begins with MPI, as a state. */
static void prepare(void)
{
    struct timespec nap = {0, 25000000};
    uint32_t state = pith_state_define("prepare", "green");
    pith_begin(state);
    for (int i = 0; i < 21; i++) {
        record();
        nanosleep(&nap, NULL);
    }
    pith_end(state);
}

int main(int argc, char **argv)
{
    int rank, size, rounds = argc > 2 ? atoi(argv[1]) : 10;
    struct timespec nap = {0, argc > 2 ? atol(argv[2]) * 1000 : 1000};
    tick = pith_event_define("tick", "red", NULL);
    truth = pith_event_define("truth", "blue", "true=%l");
    pith_event(tick); /* the buffer is made: this one's truth is not known */
    record();         /* before the clocks were ever compared */
    if (asked(argc, argv, "late"))
        prepare();
    MPI_Init(&argc, &argv);
    if (false_clock_begin)
        false_clock_begin();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < rounds; i++) {
        record();
        if (!asked(argc, argv, "quiet"))
            talk(rank, size);
        if (asked(argc, argv, "sync") && i % (rounds / 4 + 1) == rounds / 4)
            pith_sync();
        if (asked(argc, argv, "die") && rank == 1 && i == rounds - 1)
            kill(getpid(), SIGKILL);
        nanosleep(&nap, NULL);
    }
    record();
    MPI_Finalize();
    return 0;
}
