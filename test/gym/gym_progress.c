/* gym_progress.c - a rank that computes without calling MPI, while others wait for it to move their data; and ranks
 * that ask again and again whether a message has come. An expert names the rank that computes, not the call that
 * takes long. */
#include "gym.h"

enum { LARGE = 256 << 10 }; /* above the eager limits of both MPIs, and quickly copied */
static char here[LARGE], there[LARGE];
static double one = 1, sum;

/* What rank 0 has to do after its call: so both ranks have work for 60 ms in a step. If rank 1 called MPI meanwhile, a
 * step would take 60 ms; as it is, 100: rank 0 waits for 40 ms, and then rank 1 for it. */
static void rest(void)
{
    if (rank == 0)
        work("rest", LONG_MS - SHORT_MS);
    meet();
}

/* "Rank 1 has posted its receive, but it overlaps for 60 ms without a call of MPI: the large message of rank 0
 * waits." */
static void receiver(int i)
{
    MPI_Request request;

    (void)i;
    if (rank == 1) {
        MPI_Irecv(there, LARGE, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &request);
        uneven("overlap");
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        uneven("overlap");
        MPI_Send(here, LARGE, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    }
    rest();
}

/* The mirrored case: "Rank 1 has begun to send, but it overlaps for 60 ms: rank 0 waits for the large message." With
 * MPICH the receiver fetches the message by itself. */
static void sender(int i)
{
    MPI_Request request;

    (void)i;
    if (rank == 1) {
        MPI_Isend(here, LARGE, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &request);
        uneven("overlap");
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        uneven("overlap");
        MPI_Recv(there, LARGE, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    rest();
}

/* "All have begun MPI_Iallreduce, but rank 1 overlaps for 60 ms without a call of MPI." It forwards what one of the
 * others needs; the rest is at most a step ahead, and in the end all go at its pace. */
static void collective(int i)
{
    MPI_Request request;

    MPI_Iallreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    uneven("overlap");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (i == STEPS - 1)
        meet();
}

/* "Rank 1 refines three times as long as rank 0, which asks for its message each ms": a late sender, whatever the
 * call. */
static void polling_test(int i)
{
    MPI_Request request;
    int done = 0;

    (void)i;
    if (rank == 1) {
        uneven("refine");
        MPI_Send(here, 1000, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
        return;
    }
    MPI_Irecv(there, 1000, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request);
    uneven("refine");
    while (MPI_Test(&request, &done, MPI_STATUS_IGNORE), !done)
        work(NULL, 1);
}

static void polling_iprobe(int i)
{
    int there_is = 0;

    (void)i;
    uneven("refine");
    if (rank == 1) {
        MPI_Send(here, 1000, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
        return;
    }
    while (MPI_Iprobe(1, 0, MPI_COMM_WORLD, &there_is, MPI_STATUS_IGNORE), !there_is)
        work(NULL, 1);
    MPI_Recv(there, 1000, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static const struct mode modes[] = {
    {"receiver", receiver, STEPS, 1},
    {"sender", sender, STEPS, 1},
    {"collective", collective, STEPS, 1},
    {"polling_test", polling_test, STEPS, 1},
    {"polling_iprobe", polling_iprobe, STEPS, 1},
};

GYM_MAIN(modes)
