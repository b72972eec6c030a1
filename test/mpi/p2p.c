/* p2p.c - every way to send and to receive, once; each message has a size of its own. Rank r sends to r + 1 and
 * receives from r - 1, so one rank talks to itself. Prints per rank "rank R sent N checks C failed F"; the log must
 * hold just these. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BIG 20000
static int rank, size, next, prev, sent, checks, failed, bytes;
static MPI_Comm comm;
static char out[BIG], in[BIG];

static int check(int good, const char *what)
{
    checks++;
    if (!good) {
        failed++;
        printf("rank %d: wrong: %s\n", rank, what);
    }
    return good;
}

/* The next message: a size that none had before. */
static int fresh(void)
{
    sent++;
    return ++bytes;
}

static MPI_Request post(int tag)
{
    MPI_Request request;
    MPI_Irecv(in, BIG, MPI_CHAR, prev, tag, comm, &request);
    return request;
}

static void wait_for(MPI_Request *request, int tag, int want)
{
    MPI_Status status;
    int count = -1;

    memset(&status, 0x55, sizeof status);
    int error = status.MPI_ERROR;
    MPI_Wait(request, &status);
    MPI_Get_count(&status, MPI_CHAR, &count);
    check(status.MPI_SOURCE == prev && status.MPI_TAG == tag && count == want, "status of a receive");
    check(status.MPI_ERROR == error, "MPI_ERROR of a single completion is not touched");
    check(*request == MPI_REQUEST_NULL, "request is null");
}

static void all_sends(void)
{
    static char buffer[1 << 20];
    MPI_Request request, other;
    int n, tag = 1;

    MPI_Buffer_attach(buffer, sizeof buffer);
    request = post(tag), n = fresh();
    MPI_Send(out, n, MPI_CHAR, next, tag, comm);
    wait_for(&request, tag++, n);
    request = post(tag), n = fresh();
    MPI_Bsend(out, n, MPI_CHAR, next, tag, comm);
    wait_for(&request, tag++, n);
    request = post(tag), n = fresh();
    MPI_Ssend(out, n, MPI_CHAR, next, tag, comm);
    wait_for(&request, tag++, n);
    request = post(tag), n = fresh();
    MPI_Barrier(comm);
    MPI_Rsend(out, n, MPI_CHAR, next, tag, comm);
    wait_for(&request, tag++, n);
    int (*const nonblocking[])(const void *, int, MPI_Datatype, int, int, MPI_Comm,
                               MPI_Request *) = {MPI_Isend, MPI_Ibsend, MPI_Issend, MPI_Irsend};
    for (int i = 0; i < 4; i++) {
        request = post(tag), n = fresh();
        MPI_Barrier(comm);
        nonblocking[i](out, n, MPI_CHAR, next, tag, comm, &other);
        wait_for(&request, tag++, n);
        MPI_Wait(&other, MPI_STATUS_IGNORE);
    }
    void *detached;
    int detached_size;
    MPI_Buffer_detach(&detached, &detached_size);
}

static void all_receives(void)
{
    MPI_Request request;
    MPI_Status status;
    MPI_Message message;
    int n, flag = 0, count, tag = 20;

    n = fresh();
    MPI_Isend(out, n, MPI_CHAR, next, tag, comm, &request);
    MPI_Recv(in, BIG, MPI_CHAR, prev, tag, comm, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    tag++, n = fresh();
    MPI_Isend(out, n, MPI_CHAR, next, tag, comm, &request);
    MPI_Recv(in, BIG, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
    MPI_Get_count(&status, MPI_CHAR, &count);
    check(status.MPI_SOURCE == prev && status.MPI_TAG == tag && count == n, "status of a wildcard receive");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    tag++, n = fresh();
    MPI_Sendrecv(out, n, MPI_CHAR, next, tag, in, BIG, MPI_CHAR, prev, tag, comm, MPI_STATUS_IGNORE);
    tag++, n = fresh();
    MPI_Sendrecv_replace(in, n, MPI_CHAR, next, tag, prev, MPI_ANY_TAG, comm, &status);
    check(status.MPI_TAG == tag, "status of Sendrecv_replace");
    tag++, n = fresh();
    MPI_Isend(out, n, MPI_CHAR, next, tag, comm, &request);
    MPI_Probe(prev, tag, comm, &status);
    MPI_Get_count(&status, MPI_CHAR, &count);
    MPI_Recv(in, count, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG, comm, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    tag++, n = fresh();
    MPI_Isend(out, n, MPI_CHAR, next, tag, comm, &request);
    while (!flag)
        MPI_Iprobe(MPI_ANY_SOURCE, tag, comm, &flag, MPI_STATUS_IGNORE);
    MPI_Recv(in, BIG, MPI_CHAR, prev, tag, comm, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    tag++, n = fresh();
    MPI_Isend(out, n, MPI_CHAR, next, tag, comm, &request);
    MPI_Mprobe(MPI_ANY_SOURCE, tag, comm, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(in, BIG, MPI_CHAR, &message, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    tag++, n = fresh();
    MPI_Isend(out, n, MPI_CHAR, next, tag, comm, &request);
    for (flag = 0; !flag;)
        MPI_Improbe(prev, tag, comm, &flag, &message, MPI_STATUS_IGNORE);
    MPI_Request matched;
    MPI_Imrecv(in, BIG, MPI_CHAR, &message, &matched);
    wait_for(&matched, tag, n);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* A matched message is received after one that came later: its order is that of the match. */
static void late_mrecv(void)
{
    MPI_Request request[2];
    MPI_Message message;
    int tag = 40;

    for (int i = 0; i < 2; i++)
        MPI_Isend(out, fresh(), MPI_CHAR, next, tag, comm, &request[i]);
    MPI_Mprobe(prev, tag, comm, &message, MPI_STATUS_IGNORE);
    MPI_Recv(in, BIG, MPI_CHAR, prev, tag, comm, MPI_STATUS_IGNORE);
    MPI_Mrecv(in, BIG, MPI_CHAR, &message, MPI_STATUS_IGNORE);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
}

static void persistent(void)
{
    static char buffer[1 << 20];
    void *detached;
    int detached_size, tag = 50;
    MPI_Request all[8];

    MPI_Buffer_attach(buffer, sizeof buffer);
    for (int i = 0; i < 4; i++)
        MPI_Recv_init(in, BIG, MPI_CHAR, i % 2 ? prev : MPI_ANY_SOURCE, tag + i, comm, &all[i]);
    /* Each is started three times, with one size: the sizes of one tag are alike, but the tags differ. */
    MPI_Send_init(out, fresh(), MPI_CHAR, next, tag, comm, &all[4]);
    MPI_Bsend_init(out, fresh(), MPI_CHAR, next, tag + 1, comm, &all[5]);
    MPI_Ssend_init(out, fresh(), MPI_CHAR, next, tag + 2, comm, &all[6]);
    MPI_Rsend_init(out, fresh(), MPI_CHAR, next, tag + 3, comm, &all[7]);
    for (int round = 0; round < 3; round++) {
        MPI_Startall(4, all);
        MPI_Barrier(comm);
        MPI_Start(&all[4]);
        MPI_Startall(3, all + 5);
        MPI_Waitall(8, all, MPI_STATUSES_IGNORE);
        MPI_Waitall(8, all, MPI_STATUSES_IGNORE); /* inactive: nothing happens */
    }
    sent += 8;
    for (int i = 0; i < 8; i++)
        MPI_Request_free(&all[i]);
    MPI_Buffer_detach(&detached, &detached_size);
}

/* Completions in another order than the receives were posted in. */
static void out_of_order(void)
{
    MPI_Request request[6];
    int tag = 60;

    for (int i = 0; i < 6; i++)
        MPI_Irecv(in + i * 3000, 3000, MPI_CHAR, i % 2 ? prev : MPI_ANY_SOURCE, i % 3 ? tag : MPI_ANY_TAG, comm,
                  &request[i]);
    MPI_Barrier(comm);
    for (int i = 0; i < 6; i++)
        MPI_Send(out, fresh(), MPI_CHAR, next, tag, comm);
    MPI_Wait(&request[4], MPI_STATUS_IGNORE);
    MPI_Wait(&request[2], MPI_STATUS_IGNORE);
    MPI_Waitall(6, request, MPI_STATUSES_IGNORE);
    MPI_Barrier(comm);
}

static void nobody(void)
{
    MPI_Request request;
    MPI_Status status;
    MPI_Message message;
    int count = -1;

    MPI_Send(out, 5, MPI_CHAR, MPI_PROC_NULL, 1, comm);
    MPI_Recv(in, 5, MPI_CHAR, MPI_PROC_NULL, 1, comm, &status);
    MPI_Get_count(&status, MPI_CHAR, &count);
    check(status.MPI_SOURCE == MPI_PROC_NULL && count == 0, "status of a receive from nobody");
    MPI_Irecv(in, 5, MPI_CHAR, MPI_PROC_NULL, 1, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Isend(in, 5, MPI_CHAR, MPI_PROC_NULL, 1, comm, &request);
    MPI_Wait(&request, &status);
    MPI_Sendrecv(out, 3, MPI_CHAR, MPI_PROC_NULL, 1, in, 3, MPI_CHAR, MPI_PROC_NULL, 1, comm, MPI_STATUS_IGNORE);
    MPI_Probe(MPI_PROC_NULL, 1, comm, &status);
    MPI_Mprobe(MPI_PROC_NULL, 1, comm, &message, &status);
    check(message == MPI_MESSAGE_NO_PROC, "the message of nobody");
    MPI_Mrecv(in, 5, MPI_CHAR, &message, MPI_STATUS_IGNORE);
    MPI_Recv_init(in, 5, MPI_CHAR, MPI_PROC_NULL, 1, comm, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}

/* Each of the completing calls on its own set of receives; 12 at a time, and 1500 for Waitall. */
static int begin_many(MPI_Request *request, int count, int tag)
{
    for (int i = 0; i < count; i++)
        MPI_Irecv(in, BIG, MPI_CHAR, prev, tag + (i & 1), comm, &request[i]);
    MPI_Barrier(comm);
    for (int i = 0; i < count; i++)
        MPI_Isend(out, fresh(), MPI_CHAR, next, tag + (i & 1), comm, &request[count + i]);
    return 2 * count;
}

static void completion(void)
{
    enum { MANY = 1500, FEW = 12 };
    static MPI_Request request[2 * MANY];
    static MPI_Status statuses[2 * MANY];
    int indices[2 * FEW], n, index, flag, done;

    n = begin_many(request, MANY, 100);
    MPI_Waitall(n, request, MPI_STATUSES_IGNORE);
    n = begin_many(request, FEW, 102);
    MPI_Waitall(n, request, statuses);
    check(statuses[FEW - 1].MPI_SOURCE == prev && statuses[FEW - 1].MPI_TAG == 103, "statuses of Waitall");
    n = begin_many(request, FEW, 104);
    for (int i = 0; i < n; i++)
        MPI_Waitany(n, request, &index, i % 2 ? MPI_STATUS_IGNORE : statuses);
    MPI_Waitany(n, request, &index, MPI_STATUS_IGNORE);
    check(index == MPI_UNDEFINED, "Waitany at the end");
    n = begin_many(request, FEW, 106);
    for (int left = n; left > 0; left -= done)
        MPI_Waitsome(n, request, &done, indices, left % 2 ? MPI_STATUSES_IGNORE : statuses);
    n = begin_many(request, FEW, 108);
    for (flag = 0; !flag;)
        MPI_Testall(n, request, &flag, MPI_STATUSES_IGNORE);
    n = begin_many(request, FEW, 110);
    for (int left = n; left > 0; left -= flag)
        MPI_Testany(n, request, &index, &flag, MPI_STATUS_IGNORE);
    n = begin_many(request, FEW, 112);
    for (int left = n; left > 0; left -= done)
        MPI_Testsome(n, request, &done, indices, MPI_STATUSES_IGNORE);
    n = begin_many(request, FEW, 114);
    for (int i = n - 1; i >= 0; i--)
        for (flag = 0; !flag;)
            MPI_Test(&request[i], &flag, MPI_STATUS_IGNORE);
    MPI_Barrier(comm);
}

/* Receives that end without a message, or unseen. */
static void cancelled(void)
{
    MPI_Request request;
    MPI_Status status;
    int flag = 0;

    MPI_Irecv(in, BIG, MPI_CHAR, prev, 9999, comm, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    check(flag, "a receive was cancelled");
    request = post(200);
    MPI_Request_free(&request);
    MPI_Barrier(comm);
    sent++; /* its size is not seen: 0 */
    MPI_Send(out, 0, MPI_CHAR, next, 200, comm);
    MPI_Isend(out, fresh(), MPI_CHAR, next, 200, comm, &request);
    MPI_Recv(in, BIG, MPI_CHAR, prev, 200, comm, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(comm);
}

/* A message too long for its receive: matched all the same. The last one of the program: the sizes differ at both ends.
 */
static void truncated(void)
{
    MPI_Request request;
    MPI_Comm quiet;

    MPI_Comm_dup(comm, &quiet);
    MPI_Comm_set_errhandler(quiet, MPI_ERRORS_RETURN);
    MPI_Isend(out, 100, MPI_CHAR, next, 1, quiet, &request);
    check(MPI_Recv(in, 10, MPI_CHAR, MPI_ANY_SOURCE, 1, quiet, MPI_STATUS_IGNORE) != MPI_SUCCESS,
          "a receive is too short");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(MPI_Send(out, 1, MPI_CHAR, size + 5, 1, quiet) != MPI_SUCCESS, "a send to a rank that is not there");
    check(MPI_Irecv(out, 1, MPI_CHAR, size + 5, 1, quiet, &request) != MPI_SUCCESS, "a receive from one");
    MPI_Comm_free(&quiet);
}

#if MPI_VERSION >= 4
static void version_4(void)
{
    MPI_Request request, both[2];
    MPI_Status status;
    MPI_Count count;
    int n;

    n = fresh();
    MPI_Irecv_c(in, BIG, MPI_CHAR, prev, 300, comm, &request);
    MPI_Send_c(out, n, MPI_CHAR, next, 300, comm);
    MPI_Wait(&request, &status);
    MPI_Get_count_c(&status, MPI_CHAR, &count);
    check(count == n, "count of a large-count receive");
    MPI_Isend_c(out, fresh(), MPI_CHAR, next, 301, comm, &request);
    MPI_Recv_c(in, BIG, MPI_CHAR, prev, 301, comm, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Sendrecv_c(out, fresh(), MPI_CHAR, next, 302, in, BIG, MPI_CHAR, prev, 302, comm, MPI_STATUS_IGNORE);
    MPI_Isendrecv(out, fresh(), MPI_CHAR, next, 303, in, BIG, MPI_CHAR, prev, 303, comm, &request);
    MPI_Wait(&request, &status);
    /* Its status says nothing in MPICH 4.0. */
    MPI_Isendrecv_replace(in, fresh(), MPI_CHAR, next, 304, prev, 304, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (size > 1) {         /* MPICH 4.0 hangs on a partitioned message to oneself */
        bytes += bytes % 2; /* two partitions of n bytes */
        n = fresh() + 1000;
        MPI_Psend_init(out, 2, n, MPI_CHAR, next, 305, comm, MPI_INFO_NULL, &both[0]);
        MPI_Precv_init(in, 2, n, MPI_CHAR, prev, 305, comm, MPI_INFO_NULL, &both[1]);
        MPI_Startall(2, both);
        MPI_Pready(0, both[0]);
        MPI_Pready(1, both[0]);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
        MPI_Request_free(&both[0]);
        MPI_Request_free(&both[1]);
    }
}
#endif

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    comm = MPI_COMM_WORLD;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    next = (rank + 1) % size;
    prev = (rank + size - 1) % size;
    all_sends();
    all_receives();
    late_mrecv();
    persistent();
    out_of_order();
    nobody();
    completion();
    cancelled();
#if MPI_VERSION >= 4
    version_4();
#endif
    if (argc > 1)
        truncated();
    printf("rank %d sent %d checks %d failed %d\n", rank, sent, checks, failed);
    MPI_Finalize();
    return failed ? 1 : 0;
}
