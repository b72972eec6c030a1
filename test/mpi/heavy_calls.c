/* heavy_calls.c - programs in which recording costs much: burn() is what a heavy wrapper does, and tells it to Pith.
 * `heavy_calls ring|master|colls|fences|early|late|more`: only some ranks burn. `heavy_calls made`: none does. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

static int rank, size;
static void (*own_cost)(uint64_t);

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void work(int64_t ns)
{
    for (int64_t from = now_ns(); now_ns() - from < ns;) {
    }
}

static void burn(int64_t ns)
{
    int64_t from = now_ns();
    if (!own_cost)
        return;
    work(ns);
    own_cost((uint64_t)(now_ns() - from));
}

static void ring(void)
{
    int token = 0;
    MPI_Request request;
    for (int turn = 0; turn < 60; turn++) {
        work(20000);
        if (rank == 0)
            burn(300000);
        if (rank == 0)
            MPI_Isend(&turn, 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD, &request);
        MPI_Recv(&token, 1, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 0)
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        else
            MPI_Send(&token, 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD);
    }
}

/* The workers burn, and the master waits for them. */
static void master(void)
{
    int token = 0;
    MPI_Request requests[64];
    for (int turn = 0; turn < 40; turn++) {
        if (rank == 0) {
            for (int i = 1; i < size; i++)
                MPI_Isend(&turn, 1, MPI_INT, i, 1, MPI_COMM_WORLD, &requests[i - 1]);
            MPI_Waitall(size - 1, requests, MPI_STATUSES_IGNORE);
            for (int i = 1; i < size; i++)
                MPI_Recv(&token, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Irecv(&token, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &requests[0]);
            MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
            work(10000 * rank);
            burn(200000 * rank);
            MPI_Send(&token, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
        }
    }
}

static void colls(void)
{
    int in[64] = {0}, out[64];
    for (int turn = 0; turn < 40; turn++) {
        if (rank == turn % 2)
            burn(300000);
        work(10000);
        if (turn % 4 == 0)
            MPI_Barrier(MPI_COMM_WORLD);
        else if (turn % 4 == 1)
            MPI_Bcast(in, 10, MPI_INT, 1 % size, MPI_COMM_WORLD);
        else if (turn % 4 == 2)
            MPI_Allreduce(in, out, 10, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        else
            MPI_Reduce(in, out, 10, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    }
}

/* Odd ranks send all they have, and have no delay; the rank before burns before it takes each, and does not wait. */
static void early(void)
{
    int token = 0, other = rank ^ 1;
    for (int i = 0; rank % 2 == 1 && i < 40; i++)
        MPI_Send(&token, 1, MPI_INT, other, 1, MPI_COMM_WORLD);
    if (rank % 2 == 0)
        work(5000000);
    for (int i = 0; rank % 2 == 0 && i < 40; i++) {
        burn(300000);
        MPI_Recv(&token, 1, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* The same, when clocks had time to drift. */
static void late(void)
{
    for (int64_t from = now_ns(), mine = 1, on = 1; on;) {
        work(100000);
        mine = rank == 0 && now_ns() - from < 1500000000;
        MPI_Allreduce(&mine, &on, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    }
    early();
}

/* On the windows in turn; and they are made and freed while others burn. */
static void fences(void)
{
    MPI_Win windows[2];
    int *memory;
    for (int i = 0; i < 2; i++) {
        if (rank == i)
            burn(300000);
        MPI_Win_allocate(64, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &windows[i]);
    }
    for (int turn = 0; turn < 40; turn++) {
        if (rank == turn % 2)
            burn(300000);
        work(10000);
        MPI_Win_fence(turn % 4 == 0 ? MPI_MODE_NOPRECEDE : 0, windows[turn / 4 % 2]);
    }
    for (int i = 0; i < 2; i++) {
        if (rank == i)
            burn(300000);
        MPI_Win_free(&windows[i]);
    }
}

/* Scans, nonblocking ones that others overtake, and those of two groups. */
static void more(void)
{
    int in[64] = {0}, out[64] = {0}, others[64] = {0};
    MPI_Comm half, both;
    MPI_Request requests[2];
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 3, &both);
    for (int turn = 0; turn < 40; turn++) {
        if (rank == turn % 2)
            burn(300000);
        work(10000);
        if (turn % 4 == 0) {
            MPI_Scan(in, out, 10, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        } else if (turn % 4 == 1) {
            MPI_Iallreduce(in, out, 10, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
            MPI_Ibcast(others, 10, MPI_INT, 1, MPI_COMM_WORLD, &requests[1]);
            work(10000);
            MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
            MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        } else if (turn % 4 == 2) {
            MPI_Allreduce(in, out, 10, MPI_INT, MPI_SUM, both);
        } else {
            MPI_Ibarrier(MPI_COMM_WORLD, &requests[0]);
            MPI_Ireduce(in, out, 10, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD, &requests[1]);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        }
    }
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
}

/* For each communicator PITH_COMPENSATE makes one, before any message tells of it. */
static void made(void)
{
    MPI_Comm comms[50];
    for (int i = 0; i < 50; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (int i = 0; i < 50; i++)
        MPI_Comm_free(&comms[i]);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    void *found = dlsym(RTLD_DEFAULT, "pith_own_cost");
    memcpy(&own_cost, &found, sizeof own_cost);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 1 && strcmp(argv[1], "ring") == 0)
        ring();
    if (argc > 1 && strcmp(argv[1], "master") == 0 && size > 1)
        master();
    if (argc > 1 && strcmp(argv[1], "colls") == 0)
        colls();
    if (argc > 1 && strcmp(argv[1], "fences") == 0)
        fences();
    if (argc > 1 && strcmp(argv[1], "early") == 0 && size % 2 == 0)
        early();
    if (argc > 1 && strcmp(argv[1], "late") == 0 && size % 2 == 0)
        late();
    if (argc > 1 && strcmp(argv[1], "more") == 0 && size > 1)
        more();
    if (argc > 1 && strcmp(argv[1], "made") == 0)
        made();
    return MPI_Finalize();
}
