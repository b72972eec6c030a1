/* timed.c - calls whose counts, messages and bytes are known, for test_time.sh. With "threads": 8 that come and go. */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROOM = 64 };
static int rank, size;
static int given[ROOM], got[ROOM];

static void point_to_point(void)
{
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    MPI_Request requests[2];

    for (int i = 0; i < 10; i++) /* 10 messages of 4 i bytes: 180 */
        MPI_Sendrecv(given, i, MPI_INT, to, i, got, ROOM, MPI_INT, from, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send_init(given, 5, MPI_INT, to, 1, MPI_COMM_WORLD, &requests[0]); /* 4 of 20 */
    MPI_Recv_init(got, 5, MPI_INT, from, 1, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 3; i++) {
        MPI_Start(&requests[1]);
        MPI_Start(&requests[0]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    MPI_Send(given, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD); /* none */
}

static void collectives(void)
{
    int counts[ROOM], places[ROOM];

    for (int i = 0; i < size; i++) {
        counts[i] = i + 1;
        places[i] = i * (i + 1) / 2;
    }
    MPI_Bcast(given, 3, MPI_INT, 0, MPI_COMM_WORLD);                                         /* root: 12 */
    MPI_Scatter(given, 2, MPI_INT, got, 2, MPI_INT, 0, MPI_COMM_WORLD);                      /* root: 8 * size */
    MPI_Scatterv(given, counts, places, MPI_INT, got, rank + 1, MPI_INT, 0, MPI_COMM_WORLD); /* root: 4 (1 + 2 ...) */
    MPI_Gather(given, 2, MPI_INT, got, 2, MPI_INT, 0, MPI_COMM_WORLD);                       /* 8 */
    MPI_Allgather(MPI_IN_PLACE, -7, MPI_DATATYPE_NULL, got, 2, MPI_INT, MPI_COMM_WORLD);     /* in place: 0 */
    MPI_Alltoall(given, 3, MPI_INT, got, 3, MPI_INT, MPI_COMM_WORLD);                        /* 12 * size */
    MPI_Reduce(given, got, 4, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);                          /* 16 */
    MPI_Reduce_scatter(given, got, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);                /* 4 (1 + 2 ...) */
}

static void communicators(void)
{
    MPI_Comm half, named;
    double numbers[2] = {0}, sums[2];

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    for (int i = 0; i < 7; i++)
        MPI_Allreduce(numbers, sums, 2, MPI_DOUBLE, MPI_SUM, half);
    MPI_Comm_free(&half);
    MPI_Comm_dup(MPI_COMM_WORLD, &named);
    MPI_Comm_set_name(named, "the \"named\", one");
    MPI_Barrier(named);
    if (rank == 0)
        usleep(150000);
    MPI_Barrier(named);
    MPI_Comm_free(&named);
}

/* Rank 1 waits 200 ms for rank 0, in a call that it makes inside MPI_Comm_dup. */
static int wait_inside(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)key, (void)extra, (void)in, (void)out;
    if (rank == 0)
        usleep(200000);
    if (rank == 0)
        MPI_Send(given, 1, MPI_INT, 1, 4, comm);
    else if (rank == 1)
        MPI_Recv(got, 1, MPI_INT, 0, 4, comm, MPI_STATUS_IGNORE);
    *flag = 0;
    return MPI_SUCCESS;
}

static void nested(void)
{
    MPI_Comm other;
    int key;

    MPI_Comm_create_keyval(wait_inside, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Comm_free(&other);
}

static void *calls(void *unused)
{
    int value;

    (void)unused;
    for (int i = 0; i < 100; i++)
        MPI_Comm_rank(MPI_COMM_WORLD, &value);
    MPI_Send(given, 1, MPI_INT, rank, 3, MPI_COMM_WORLD);
    return NULL;
}

static void threads(void)
{
    pthread_t all[8];

    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 8; i++)
            pthread_create(&all[i], NULL, calls, NULL);
        for (int i = 0; i < 8; i++)
            MPI_Recv(got, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < 8; i++)
            pthread_join(all[i], NULL);
    }
}

/* A program without MPI_Init: 5 times 4 bytes. */
static int session(void)
{
#if MPI_VERSION >= 4
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "timed", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    for (int i = 0; i < 5; i++)
        MPI_Allreduce(given, got, 1, MPI_INT, MPI_SUM, comm);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    return 0;
#else
    return 77;
#endif
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int provided;

    if (!strcmp(what, "session"))
        return session();
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!strcmp(what, "threads")) {
        threads();
    } else if (!strcmp(what, "nested")) {
        nested();
    } else if (!strcmp(what, "pause")) {
        MPI_Pcontrol(0);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Pcontrol(1);
        MPI_Barrier(MPI_COMM_WORLD);
    } else if (!strcmp(what, "exit")) {
        exit(0);
    } else {
        point_to_point();
        collectives();
        communicators();
    }
    MPI_Finalize();
    MPI_Finalized(&provided);
    return !provided;
}
