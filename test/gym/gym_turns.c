/* gym_turns.c - ranks that work one after another, though all have the same work: an expert says "serialisation", and
 * names the state that is done in turn. No single rank is to blame. */
#include "gym.h"

/* Rank r does `state` for ms when the rank before it is ready. */
static void in_turn(const char *state, double ms)
{
    if (rank > 0)
        MPI_Recv(NULL, 0, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    work(state, ms);
    if (rank < size - 1)
        MPI_Send(NULL, 0, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
}

/* "The ranks write one after another: each waits three quarters of the time": of 20 + 4 * 20 ms a step each rank waits
 * 60 ms. Cured, the writing takes a tenth. */
static void token(int i)
{
    (void)i;
    work("solve", 20);
    in_turn("write", sick ? 20 : 2);
    meet();
}

/* "A pipeline with one piece of work in it at a time": each rank waits for 45 of 60 ms. */
static void pipeline(int i)
{
    (void)i;
    in_turn("stage", sick ? 15 : 5);
    meet();
}

/* A token that goes round and round, and nothing else: each rank waits for 30 of 40 ms. */
static void ring(int i)
{
    if (i > 0 && rank == 0)
        MPI_Recv(NULL, 0, MPI_INT, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank > 0)
        MPI_Recv(NULL, 0, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    work("turn", sick ? 10 : 1);
    if (rank < size - 1 || i < STEPS - 1)
        MPI_Send(NULL, 0, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
}

/* "A pipeline in which all work at the same time, once it is full": the last rank waits for 3 of 23 pieces at the
 * begin, the first one for 3 at the end, and those between for 3 in sum. */
static void full(int i)
{
    (void)i;
    in_turn("stage", 20);
}

static const struct mode modes[] = {
    {"token", token, 5, 0},
    {"pipeline", pipeline, STEPS, 0},
    {"ring", ring, STEPS, 0},
    {"full", full, 20, 0},
};

GYM_MAIN(modes)
