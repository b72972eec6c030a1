/* known_windows.c - windows: calls that wait for a known time. In `paired` the even rank is 0, its peer 1. */
#include "known.h"

#include <stddef.h>

#define SHARED "MPI_Win_lock MPI_Fetch_and_op MPI_Win_flush MPI_Win_unlock"
#define OF_ALL "MPI_Win_lock_all MPI_Fetch_and_op MPI_Win_flush_all MPI_Win_unlock_all"

/* ---- Windows: making and freeing --------------------------------------------------------------------------------- */

static void create_window(void)
{
    delay();
    CALL(MPI_Win_create(here, LONG, 1, MPI_INFO_NULL, WORLD, &fresh_window));
}

static void allocate_window(void)
{
    void *memory;

    delay();
    CALL(MPI_Win_allocate(8, 1, MPI_INFO_NULL, WORLD, &memory, &fresh_window));
}

static void free_window(void)
{
    delay();
    CALL(MPI_Win_free(&spare_windows[repeat]));
}

/* ---- One-sided: an even rank waits for the next ----------------------------------------------------------------- */

static void fence(void)
{
    delay();
    CALL(MPI_Win_fence(0, fenced));
}

static void access_case(void)
{
    delay();
    IN(0, MPI_Win_start(peer_group, 0, window)); /* which of the two waits depends on the MPI */
    IN(1, MPI_Win_complete(window));
}

static void post_window(void)
{
    delay();
    START(MPI_Win_post(peer_group, 0, window));
    for (int done = 0; !done; sleep_until(now_ns() + 200000))
        MPI_Win_test(window, &done);
}

static void expose_case(void)
{
    MPI_Win_post(peer_group, 0, window);
    MPI_Send(here, 8, MPI_CHAR, peer, 0, WORLD);
    delay();
    WAIT(MPI_Win_wait(window));
}

static void access_late(void)
{
    MPI_Request posted;

    MPI_Irecv(there, 8, MPI_CHAR, peer, 0, WORLD, &posted);
    complete(1, &posted);
    delay();
    MPI_Win_start(peer_group, 0, window);
    START(MPI_Win_complete(window));
}

/* ---- Locks: the next rank holds one on its own window, until it unlocks ------------------------------------------ */

static void lock_case(void)
{
    meet();
    delay();
    IN(0, MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, paired));
    IN(1, MPI_Win_unlock(1, paired));
    meet();
}

static void shared_case(void)
{
    int one = 1, before;

    meet();
    delay();
    IN(0, MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, paired));
    IN(1, MPI_Fetch_and_op(&one, &before, MPI_INT, 1, 0, MPI_SUM, paired));
    IN(2, MPI_Win_flush(1, paired));
    IN(3, MPI_Win_unlock(1, paired));
    meet();
}

static void lock_all_case(void)
{
    int one = 1, before;

    meet();
    delay();
    IN(0, MPI_Win_lock_all(0, paired));
    IN(1, MPI_Fetch_and_op(&one, &before, MPI_INT, 1, 0, MPI_SUM, paired));
    IN(2, MPI_Win_flush_all(paired));
    IN(3, MPI_Win_unlock_all(paired));
    meet();
}

static void lock_own(void)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, paired);
    meet();
    delay();
    START(MPI_Win_unlock(1, paired));
    meet();
}

static void lock_all_own(void)
{
    int one = 1, before;

    MPI_Win_lock_all(0, paired);
    MPI_Fetch_and_op(&one, &before, MPI_INT, 1, 0, MPI_SUM, paired);
    MPI_Win_flush(1, paired);
    meet();
    delay();
    START(MPI_Win_unlock_all(paired));
    meet();
}

/* It computes, until it calls MPI, and stays there. */
static void compute(void)
{
    int flag;

    meet();
    delay();
    START(MPI_Iprobe(MPI_ANY_SOURCE, 9, WORLD, &flag, NO_STATUS));
    meet();
}

const struct known_case window_cases[] = {
    {"wait at N x N", "MPI_Win_create", ALL, create_window, create_window, NULL},
    {"wait at N x N", "MPI_Win_allocate", ALL, allocate_window, allocate_window, NULL},
    {"wait at N x N", "MPI_Win_free", ALL, free_window, free_window, NULL},
    {"wait at N x N", "MPI_Win_fence", ALL, fence, fence, NULL},
    {"late post", "MPI_Win_start MPI_Win_complete", PAIR, access_case, post_window, NULL},
    {"early wait", "MPI_Win_wait", PAIR, expose_case, access_late, NULL},
    {"lock contention", "MPI_Win_lock MPI_Win_unlock", PAIR, lock_case, lock_own, NULL},
    {"lock contention", SHARED, PAIR, shared_case, lock_own, NULL},
    {"lock contention", OF_ALL, PAIR, lock_all_case, lock_own, NULL},
    {"lock contention", "MPI_Win_lock MPI_Win_unlock", PAIR, lock_case, lock_all_own, NULL},
    {"wait for progress", SHARED, PAIR, shared_case, compute, NULL},
    {"wait for progress", OF_ALL, PAIR, lock_all_case, compute, NULL},
    {NULL, NULL, PAIR, NULL, NULL, NULL}};
