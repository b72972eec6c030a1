/* gym_windows.c - one-sided communication: who posts late, who keeps a lock, who computes while others access its
 * memory. An expert names that rank and what it does meanwhile. */
#include "gym.h"

enum { MANY_STEPS = 16 }; /* so that the cost of making a window is small beside them */

static MPI_Win win;
static MPI_Group peer;
static double mine[1000], one = 1;

static void make_window(int i)
{
    MPI_Group all;
    int other = 1 - rank;

    if (i > 0)
        return;
    MPI_Win_create(mine, sizeof mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    if (size == 2)
        MPI_Group_incl(all, 1, &other, &peer);
    MPI_Group_free(&all);
}

static void free_window(int is_last)
{
    if (is_last)
        MPI_Win_free(&win);
}

/* "Rank 1 prepares its window three times as long as rank 0, which waits to put into it." */
static void late_post(int i)
{
    make_window(i);
    uneven("prepare");
    if (rank == 0) {
        MPI_Win_start(peer, 0, win);
        MPI_Put(&one, 1, MPI_DOUBLE, 1, 0, 1, MPI_DOUBLE, win);
        MPI_Win_complete(win);
    } else {
        MPI_Win_post(peer, 0, win);
        MPI_Win_wait(win);
    }
    free_window(i == MANY_STEPS - 1);
}

/* "Rank 2 fills its part three times as long as the others, which wait at the fence." */
static void fence(int i)
{
    make_window(i);
    if (i == 0)
        MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    uneven("fill");
    MPI_Put(&one, 1, MPI_DOUBLE, (rank + 1) % size, 0, 1, MPI_DOUBLE, win);
    MPI_Win_fence(i == MANY_STEPS - 1 ? MPI_MODE_NOSUCCEED : 0, win);
    free_window(i == MANY_STEPS - 1);
}

static void update(void)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Put(&one, 1, MPI_DOUBLE, 0, (MPI_Aint)rank, 1, MPI_DOUBLE, win);
    MPI_Win_flush(0, win);
    work("update", 30);
    MPI_Win_unlock(0, win);
}

/* "All update rank 0's window under an exclusive lock, one after another, 30 ms each": of 4 * 30 ms a step each rank
 * waits 90 ms, for the lock or for the last one. */
static void lock(int i)
{
    make_window(i);
    update();
    meet();
    free_window(i == STEPS - 1);
}

/* The same beside work without a lock, and without a barrier: of 30 + 20 ms a step each of 4 ranks waits 70. */
static void lock_beside(int i)
{
    make_window(i);
    update();
    work("solve", 20);
    free_window(i == STEPS - 1);
}

/* "Rank 1 computes for 60 ms without a call of MPI, while rank 0 accumulates into its memory." Rank 0 has as much to
 * do, but most of it after that. */
static void progress(int i)
{
    make_window(i);
    if (rank == 0) {
        uneven("overlap");
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
        MPI_Accumulate(&one, 1, MPI_DOUBLE, 1, 0, 1, MPI_DOUBLE, MPI_SUM, win);
        MPI_Win_unlock(1, win);
        work("rest", LONG_MS - SHORT_MS);
    } else
        uneven("overlap");
    meet();
    free_window(i == MANY_STEPS - 1);
}

static const struct mode modes[] = {
    {"late_post", late_post, MANY_STEPS, 1}, {"fence", fence, MANY_STEPS, 2},       {"lock", lock, STEPS, 0},
    {"lock_beside", lock_beside, STEPS, 0},  {"progress", progress, MANY_STEPS, 1},
};

GYM_MAIN(modes)
