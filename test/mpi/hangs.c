/* hangs.c - jobs that hang, each in its own way, until they are killed or, where a FILE is given, until that exists:
 *
 *     hangs io FILE         the last rank is outside MPI, in the state `io`; the others wait for it in MPI_Barrier
 *     hangs receive         the first two ranks wait for a message of each other, the others for both in MPI_Barrier
 *     hangs send            each rank sends to the next one with MPI_Ssend, in a ring
 *     hangs chain FILE      rank 0 sends to rank 1 with MPI_Ssend; rank 1 waits in MPI_Allreduce for the last, in `io`
 *     hangs chain FILE die  the same, but then the last rank dies, and the job with it
 *     hangs master FILE     rank 0 receives from each other rank; the last one is in `io` first
 *     hangs request         all ranks wait for generalized requests
 *     hangs pieces          each of the first two ranks waits in MPI_Waitall for two messages of the other
 *     hangs busy FILE       rank 0 receives from the last rank, which records events until FILE exists: no hang
 *     hangs handler         no hang; the program has a handler of its own for SIGUSR2, and sends itself that signal
 *     hangs missed          rank 0 leaves out an MPI_Barrier, and is in MPI_Finalize
 *     hangs different       rank 0 is in MPI_Allreduce, the others in MPI_Barrier
 *     hangs comm            rank 1 receives on another communicator than rank 0 sent on
 *     hangs pipeline FILE   each rank receives from the next one; the last one is in `io` first
 *     hangs stopped         the last rank stops itself (SIGSTOP); the others wait for its messages
 *     hangs lock            rank 0 keeps a lock of a window, and is in MPI_Barrier; rank 1 waits for the lock
 *     hangs join            a second thread of rank 1 receives from rank 0, and its first one waits for that thread;
 *                           the others are in MPI_Barrier
 *     hangs both            of each of the first two ranks, a second thread receives from the other one, and the first
 *                           one is in MPI_Barrier; rank 2 leaves that out
 *     hangs goes FILE       a second thread of rank 1 records events until FILE exists, the first one receives: no hang
 *     hangs tag             rank 1 receives with another tag than rank 0 sent with; rank 0 waits in MPI_Finalize
 */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pith.h"

static int rank, size, dies;
static volatile sig_atomic_t handled;

static void on_signal(int number) { handled += number == SIGUSR2; }

/* In `io` until the file exists, but at least for half a second, in which the others come to their calls. */
static void work(const char *file)
{
    uint32_t io = pith_state_define("io", "brown");
    int steps = 0;

    pith_begin(io);
    while (steps++ < 50 || access(file, F_OK) != 0)
        usleep(10000);
    if (dies)
        raise(SIGKILL);
    pith_end(io);
}

static int query(void *state, MPI_Status *status)
{
    (void)state;
    (void)status;
    return MPI_SUCCESS;
}

static int forget(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int cancel(void *state, int is_complete)
{
    (void)state;
    (void)is_complete;
    return MPI_SUCCESS;
}

static void *receive(void *unused)
{
    int number;

    MPI_Recv(&number, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return unused;
}

static void *go_on(void *file)
{
    uint32_t step = pith_event_define("step", NULL, NULL);

    while (access(file, F_OK) != 0) {
        pith_event(step);
        usleep(10000);
    }
    return NULL;
}

static void run(const char *how, const char *file)
{
    int number = rank, sum = 0;
    pthread_t thread;

    if (strcmp(how, "io") == 0) {
        if (rank == size - 1)
            work(file);
        MPI_Barrier(MPI_COMM_WORLD);
    } else if (strcmp(how, "receive") == 0) {
        if (rank < 2)
            MPI_Recv(&number, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    } else if (strcmp(how, "send") == 0) {
        MPI_Ssend(&number, 1, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD);
    } else if (strcmp(how, "chain") == 0) {
        MPI_Comm others;
        MPI_Comm_split(MPI_COMM_WORLD, rank > 0, 0, &others);
        if (rank > 0)
            MPI_Comm_set_name(others, "others");
        if (rank == 0)
            MPI_Ssend(&number, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
        if (rank == size - 1)
            work(file);
        if (rank > 0)
            MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, others);
        if (rank == 1)
            MPI_Recv(&number, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (strcmp(how, "master") == 0) {
        if (rank == size - 1)
            work(file);
        if (rank > 0)
            MPI_Send(&number, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
        for (int i = 1; rank == 0 && i < size; i++)
            MPI_Recv(&number, 1, MPI_INT, i, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (strcmp(how, "request") == 0) {
        MPI_Request request;
        MPI_Grequest_start(query, forget, cancel, NULL, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (strcmp(how, "pieces") == 0) {
        MPI_Request requests[2];
        MPI_Status statuses[2];
        int pieces[2];
        for (int i = 0; rank < 2 && i < 2; i++)
            MPI_Irecv(&pieces[i], 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &requests[i]);
        if (rank < 2)
            MPI_Waitall(2, requests, statuses);
    } else if (strcmp(how, "busy") == 0) {
        uint32_t step = pith_event_define("step", NULL, NULL);
        while (rank == size - 1 && access(file, F_OK) != 0) {
            pith_event(step);
            usleep(10000);
        }
        if (rank == 0)
            MPI_Recv(&number, 1, MPI_INT, size - 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == size - 1)
            MPI_Send(&number, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
    } else if (strcmp(how, "handler") == 0) {
        raise(SIGUSR2);
        if (rank == 0)
            printf("%d\n", (int)handled);
    } else if (strcmp(how, "missed") == 0) {
        if (rank > 0)
            MPI_Barrier(MPI_COMM_WORLD);
    } else if (strcmp(how, "different") == 0) {
        if (rank == 0)
            MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        else
            MPI_Barrier(MPI_COMM_WORLD);
        MPI_Recv(&number, 1, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (strcmp(how, "comm") == 0) {
        MPI_Comm other;
        MPI_Comm_dup(MPI_COMM_WORLD, &other);
        if (rank == 0)
            MPI_Send(&number, 1, MPI_INT, 1, 7, other);
        if (rank == 1)
            MPI_Recv(&number, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (strcmp(how, "pipeline") == 0) {
        if (rank == size - 1)
            work(file);
        else
            MPI_Recv(&number, 1, MPI_INT, rank + 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank > 0)
            MPI_Send(&number, 1, MPI_INT, rank - 1, 7, MPI_COMM_WORLD);
    } else if (strcmp(how, "stopped") == 0) {
        if (rank == size - 1)
            raise(SIGSTOP);
        else
            MPI_Recv(&number, 1, MPI_INT, size - 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (strcmp(how, "lock") == 0) {
        MPI_Win window;
        MPI_Win_create(&number, sizeof number, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
        if (rank == 0)
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1) {
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
            MPI_Put(&sum, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
            MPI_Win_unlock(0, window);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    } else if (strcmp(how, "join") == 0) {
        if (rank == 1) {
            pthread_create(&thread, NULL, receive, NULL);
            pthread_join(thread, NULL);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    } else if (strcmp(how, "both") == 0) {
        if (rank < 2) {
            pthread_create(&thread, NULL, receive, NULL);
            MPI_Barrier(MPI_COMM_WORLD);
        }
    } else if (strcmp(how, "goes") == 0) {
        if (rank == 1)
            pthread_create(&thread, NULL, go_on, (void *)(uintptr_t)file);
        if (rank < 2)
            MPI_Sendrecv(&number, 1, MPI_INT, 1 - rank, rank, &sum, 1, MPI_INT, 1 - rank, 1 - rank, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
        if (rank == 1) {
            MPI_Recv(&number, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            pthread_join(thread, NULL);
        } else if (rank == 0) {
            while (access(file, F_OK) != 0)
                usleep(10000);
            MPI_Send(&number, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
        }
    } else if (strcmp(how, "tag") == 0) {
        if (rank == 0)
            MPI_Send(&number, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
        if (rank == 1)
            MPI_Recv(&number, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    dies = argc > 3;
    if (argc > 1 && strcmp(argv[1], "handler") == 0)
        signal(SIGUSR2, on_signal);
    int level,
        has_threads = argc > 1 && (!strcmp(argv[1], "join") || !strcmp(argv[1], "both") || !strcmp(argv[1], "goes"));
    MPI_Init_thread(&argc, &argv, has_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    run(argc > 1 ? argv[1] : "", argc > 2 ? argv[2] : "");
    MPI_Finalize();
    return 0;
}
