/* gym_messages.c - a rank that is late with a message, or for one. An expert names that rank, and the state in which it
 * spends the time; that others wait in MPI_Recv or MPI_Send is only where it shows. */
#include "gym.h"

enum { LARGE = 256 << 10 }; /* above the eager limits of both MPIs, and quickly copied */
static char here[LARGE], there[LARGE];

static void pass(int from, int to, int count)
{
    if (rank == from)
        MPI_Send(here, count, MPI_CHAR, to, 0, MPI_COMM_WORLD);
    if (rank == to)
        MPI_Recv(there, count, MPI_CHAR, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* "Rank 1 refines three times as long as rank 0, which waits for its message." */
static void late_sender(int i)
{
    (void)i;
    uneven("refine");
    pass(1, 0, 1000);
}

/* The same outside all states. */
static void late_sender_plain(int i)
{
    (void)i;
    uneven(NULL);
    pass(1, 0, 1000);
}

/* "In each step another rank refines longer than the others, which wait for its message." */
static void late_sender_moving(int i)
{
    late = i % size;
    uneven("refine");
    for (int to = 0; to < size; to++)
        if (to != late)
            pass(late, to, 1000);
}

/* "Rank 0 assembles three times as long as the others. Rank 1 waits for it, and passes its waiting on." */
static void late_sender_chain(int i)
{
    (void)i;
    uneven("assemble");
    for (int to = 1; to < size; to++)
        pass(to - 1, to, 1000);
}

/* "Rank 1 unpacks three times as long as rank 0, whose synchronous sends wait." */
static void late_receiver_ssend(int i)
{
    (void)i;
    uneven("unpack");
    if (rank == 0)
        MPI_Ssend(here, 1000, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(there, 1000, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* "Rank 1 unpacks three times as long as rank 0, whose messages are too large for a buffer." */
static void late_receiver_large(int i)
{
    (void)i;
    uneven("unpack");
    pass(0, 1, LARGE);
}

/* With both neighbours in the ring. */
static void exchange(void)
{
    MPI_Request requests[4];
    int left = (rank + size - 1) % size, right = (rank + 1) % size;

    MPI_Irecv(there, 1000, MPI_CHAR, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(there + 1000, 1000, MPI_CHAR, right, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(here, 1000, MPI_CHAR, right, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(here, 1000, MPI_CHAR, left, 2, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

/* "Rank 2 smooths three times as long as its neighbours in the ring; in the end all go at its pace." */
static void halo(int i)
{
    uneven("smooth");
    exchange();
    if (i == STEPS - 1)
        meet();
}

/* "In each step another rank smooths three times as long": balanced, all take the mean. */
static void halo_moving(int i)
{
    work("smooth", !sick ? SHORT_MS + (double)(LONG_MS - SHORT_MS) / size : rank == i % size ? LONG_MS : SHORT_MS);
    exchange();
}

/* "Rank 0 decides for 10 ms on each request of 3 workers, which have 10 ms of work: they wait for rank 0." A worker
 * has a task every 30 ms, so it waits 20 of 30 ms: 3 * 20 of 4 * 30 ms are lost, one half. Cured, rank 0 decides in
 * 2.5 ms. */
static void master(int i)
{
    enum { TASKS = 48 };
    MPI_Status status;
    int task;

    (void)i;
    for (int left = TASKS + (size - 1); rank == 0 && left > 0; left--) {
        MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        task = left > size - 1;
        if (task)
            work("decide", sick ? 10 : 2.5);
        MPI_Send(&task, 1, MPI_INT, status.MPI_SOURCE, 0, MPI_COMM_WORLD);
    }
    for (task = 1; rank > 0 && task;) {
        MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(&task, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (task)
            work("task", 10);
    }
}

static const struct mode modes[] = {
    {"late_sender", late_sender, STEPS, 1},
    {"late_sender_plain", late_sender_plain, STEPS, 1},
    {"late_sender_moving", late_sender_moving, STEPS, 0},
    {"late_sender_chain", late_sender_chain, STEPS, 0},
    {"late_receiver_ssend", late_receiver_ssend, STEPS, 1},
    {"late_receiver_large", late_receiver_large, STEPS, 1},
    {"halo", halo, STEPS, 2},
    {"halo_moving", halo_moving, 2 * STEPS, 0},
    {"master", master, 1, 0},
};

GYM_MAIN(modes)
