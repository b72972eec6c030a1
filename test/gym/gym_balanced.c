/* gym_balanced.c - programs in which nothing is wrong: all ranks work equally long, nobody waits. An expert says so,
 * and finds nothing. In `busy` and `late_start` one thing is wrong: how the program is started. */
#include "gym.h"

static double one = 1, sum;
static char here[2000], there[2000];

/* All meet in each step. */
static void meeting(int i)
{
    (void)i;
    work("solve", 50);
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* Neighbours in a ring exchange messages, while they compute. */
static void overlapping(int i)
{
    MPI_Request requests[2];

    (void)i;
    MPI_Irecv(there, 1000, MPI_CHAR, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(here, 1000, MPI_CHAR, (rank + 1) % size, 0, MPI_COMM_WORLD, &requests[1]);
    work("inner", 40);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    work("border", 10);
}

/* Rank 0 sends small messages, rank 1 receives them 30 ms later: nobody waits, for they are buffered. */
static void buffered(int i)
{
    (void)i;
    work("solve", 30);
    if (rank == 0)
        MPI_Send(here, 100, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    work("solve", 30);
    if (rank == 1)
        MPI_Recv(there, 100, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Ranks do different work, of the same length: one half of them the ocean, the other half the atmosphere. */
static void coupled(int i)
{
    (void)i;
    work(rank % 2 ? "atmosphere" : "ocean", 50);
    MPI_Sendrecv(here, 1000, MPI_CHAR, rank ^ 1, 0, there, 1000, MPI_CHAR, rank ^ 1, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

/* "Twice as many ranks as cores: each computes at most half of the time." Each needs 20 ms of a core in each step. */
static void busy(int i)
{
    struct timespec now;
    int64_t end_ns = 0, now_ns = 0;
    uint32_t id = pith_state_define("solve", NULL);

    (void)i;
    pith_begin(id);
    while (now_ns <= end_ns) {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        now_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
        end_ns = end_ns ? end_ns : now_ns + 20000000;
    }
    pith_end(id);
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static const struct mode modes[] = {
    {"meeting", meeting, STEPS, 0},
    {"overlapping", overlapping, STEPS, 0},
    {"buffered", buffered, STEPS, 0},
    {"coupled", coupled, STEPS, 0},
    {"busy", busy, 10, 0},
    {"late_start", meeting, STEPS, 1},
};

/* late_start: "Rank 1 calls MPI_Init 300 ms after the others; then nothing is wrong." Launchers tell a process its
 * rank in the environment. */
static void start_late(int argc, char **argv)
{
    const char *mpich = getenv("PMI_RANK"), *openmpi = getenv("OMPI_COMM_WORLD_RANK");
    const char *own = openmpi ? openmpi : mpich;

    if (argc == 2 && strcmp(argv[1], "late_start") == 0 && own && strcmp(own, "1") == 0)
        work(NULL, 300);
}

int main(int argc, char **argv)
{
    start_late(argc, argv);
    MPI_Init(&argc, &argv);
    int status = run_mode(argc, argv, modes, COUNT(modes));
    MPI_Finalize();
    return status;
}
