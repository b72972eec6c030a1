/* freed.c - `freed [ROUNDS [THREADS]]`: communicators, windows, files and requests freed in odd orders: communicators
 * before the requests, the windows and the files on them, and handles that are used anew while requests of their last
 * use are open; with THREADS only the first of these, in that many threads at once. Each rank prints its number of
 * messages and a sum of what it received. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size, rounds = 3, calls;
static _Atomic int messages, sum;

static void must(int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "freed: %d: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The communicator is freed while its messages are open; the next one may get its handle. */
static void open_messages(MPI_Comm parent, int round)
{
    MPI_Comm first, second;
    MPI_Request requests[4];
    int out[2] = {round, round + 1}, in[2] = {-1, -1}, right = (rank + 1) % size, left = (rank + size - 1) % size;

    MPI_Comm_dup(parent, &first);
    MPI_Irecv(&in[0], 1, MPI_INT, left, 1, first, &requests[0]);
    MPI_Isend(&out[0], 1, MPI_INT, right, 1, first, &requests[1]);
    MPI_Comm_free(&first);
    MPI_Comm_split(parent, 0, size - rank, &second); /* the ranks in reverse order */
    MPI_Irecv(&in[1], 1, MPI_INT, size - 1 - left, 1, second, &requests[2]);
    MPI_Isend(&out[1], 1, MPI_INT, size - 1 - right, 1, second, &requests[3]);
    MPI_Comm_free(&second);
    MPI_Waitall(2, requests + 2, MPI_STATUSES_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    must(in[0] == round && in[1] == round + 1, "messages");
    messages += 2;
    sum += in[0] + in[1];
}

/* Then also the receive is freed. */
static void freed_receive(MPI_Comm parent)
{
    static __thread int in, out;
    MPI_Comm comm;
    MPI_Request requests[2];

    MPI_Comm_dup(parent, &comm);
    MPI_Irecv(&in, 1, MPI_INT, rank, 5, comm, &requests[0]);
    MPI_Isend(&out, 1, MPI_INT, rank, 5, comm, &requests[1]);
    MPI_Comm_free(&comm);
    MPI_Request_free(&requests[0]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    messages++;
}

static void *frees(void *parent)
{
    for (int i = 0; i < rounds; i++) {
        open_messages(*(MPI_Comm *)parent, i);
        freed_receive(*(MPI_Comm *)parent);
    }
    return NULL;
}

/* Each thread makes and frees communicators of its own, so one gets a handle that another has just freed. */
static void threads(int count)
{
    enum { MOST = 8 };
    MPI_Comm parents[MOST];
    pthread_t running[MOST];

    must(count <= MOST, "few threads");
    for (int i = 0; i < count; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &parents[i]);
    for (int i = 0; i < count; i++)
        must(pthread_create(&running[i], NULL, frees, &parents[i]) == 0, "a thread");
    for (int i = 0; i < count; i++)
        pthread_join(running[i], NULL);
    for (int i = 0; i < count; i++)
        MPI_Comm_free(&parents[i]);
}

/* (Open MPI 4.1 crashes, with or without Pith, if they are open when the communicator is freed.) */
static void open_collectives(int round)
{
    MPI_Comm comm;
    MPI_Request requests[3];
    int mine = round, all = 0, other = rank == 0 ? round : -1;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Iallreduce(&mine, &all, 1, MPI_INT, MPI_SUM, comm, &requests[0]);
    MPI_Ibarrier(comm, &requests[1]);
    MPI_Ibcast(&other, 1, MPI_INT, 0, comm, &requests[2]);
#ifndef OPEN_MPI
    MPI_Comm_free(&comm);
#endif
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    if (comm != MPI_COMM_NULL)
        MPI_Comm_free(&comm);
    must(all == round * size && other == round, "collectives");
    sum += all + other;
}

/* Persistent requests live longer than their communicator; one is freed without a start. */
static void kept_requests(int round)
{
    MPI_Comm comm;
    MPI_Request requests[3];
    int out = round, in = -1, never;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Recv_init(&in, 1, MPI_INT, (rank + size - 1) % size, 2, comm, &requests[0]);
    MPI_Send_init(&out, 1, MPI_INT, (rank + 1) % size, 2, comm, &requests[1]);
    MPI_Recv_init(&never, 1, MPI_INT, MPI_ANY_SOURCE, 3, comm, &requests[2]);
    MPI_Comm_free(&comm);
    for (int i = 0; i < 2; i++) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        must(in == round, "persistent requests");
        messages++;
        sum += in;
    }
    MPI_Request_free(&requests[2]);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

/* Windows and files outlive their communicator, and end in the order in which they began. */
static void windows_and_files(int round)
{
    MPI_Comm comm;
    MPI_Win windows[2];
    MPI_File files[2];
    int *memory[2], out = round;
    char name[64];

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < 2; i++) {
        MPI_Win_allocate(64, sizeof(int), MPI_INFO_NULL, comm, &memory[i], &windows[i]);
        *memory[i] = 0;
        snprintf(name, sizeof name, "file.%d", i);
        must(MPI_File_open(comm, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &files[i]) == MPI_SUCCESS,
             "a file opens");
    }
    MPI_Comm_free(&comm);
    for (int i = 0; i < 2; i++) {
        MPI_Win_fence(0, windows[i]);
        MPI_Accumulate(&out, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, windows[i]);
        MPI_Win_fence(0, windows[i]);
        MPI_File_write_at(files[i], rank * 4, &out, 1, MPI_INT, MPI_STATUS_IGNORE);
    }
    must(*memory[0] == *memory[1] && *memory[0] == (rank == 0 ? round * size : 0), "windows");
    for (int i = 0; i < 2; i++) {
        MPI_Win_free(&windows[i]);
        MPI_File_close(&files[i]);
    }
}

/* MPI calls this while it frees the communicator, which must still be known. */
static int deleted(MPI_Comm comm, int key, void *value, void *extra)
{
    int out = 1, in = 0, own;

    (void)key, (void)value, (void)extra;
    MPI_Comm_rank(comm, &own);
    MPI_Sendrecv(&out, 1, MPI_INT, own, 4, &in, 1, MPI_INT, own, 4, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    calls += in;
    return MPI_SUCCESS;
}

static void attributes(void)
{
    MPI_Comm comm, other;
    MPI_Request request;
    int key;

    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, deleted, &key, NULL);
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_idup(comm, &other, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_set_attr(comm, key, &key);
    MPI_Comm_set_attr(other, key, &key);
    MPI_Comm_free(&comm);
    MPI_Comm_free(&other);
    MPI_Comm_free_keyval(&key);
    must(calls == 2, "callbacks");
}

/* A call that fails sets nothing, or anything. */
static void failures(void)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_File file;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    must(MPI_Comm_dup(MPI_COMM_NULL, &comm) != MPI_SUCCESS, "no communicator");
    must(MPI_File_open(MPI_COMM_SELF, "no/such/folder", MPI_MODE_RDONLY, MPI_INFO_NULL, &file) != MPI_SUCCESS,
         "no such file");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char **argv)
{
    int count = argc > 2 ? atoi(argv[2]) : 0, given;

    if (argc > 1)
        rounds = atoi(argv[1]);
    MPI_Init_thread(&argc, &argv, count ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (count)
        threads(count);
    for (int i = 0; !count && i < rounds; i++)
        open_messages(MPI_COMM_WORLD, i);
    for (int i = 0; !count && i < 3; i++) {
        open_collectives(i);
        kept_requests(i);
        windows_and_files(i);
    }
    if (!count) {
        attributes();
        failures();
    }
    printf("rank %d: %d messages, %d\n", rank, messages, sum);
    MPI_Finalize();
    return 0;
}
