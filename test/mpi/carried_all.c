/* carried_all.c - messages, collectives, communicators in all their forms, byte by byte: each operation prints a line
 * with its result, its status, and a hash of all the memory that it may have written. What it prints must not depend on
 * PITH_COMPENSATE; it goes to the files told.RANK. Rank r sends to r + 1 and receives from r - 1, so one rank talks to
 * itself. `carried_all threads`: some threads at once; prints what was wrong. */
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROOM 131072
static int rank, size, next, prev, step;
static MPI_Comm comm;
static char out[ROOM], in[ROOM];
static MPI_Datatype column, far_out, far_in; /* with gaps; at the addresses of `out` and `in`, from MPI_BOTTOM */

static uint64_t hash(const void *at, size_t bytes)
{
    uint64_t sum = 1469598103934665603u;
    for (size_t i = 0; i < bytes; i++)
        sum = (sum ^ ((const unsigned char *)at)[i]) * 1099511628211u;
    return sum;
}

static int class_of(int result)
{
    int class = 0;
    MPI_Error_class(result, &class);
    return class;
}

/* `status` of a receive of `type`; NULL: ignored. */
static void tell(const char *what, int result, const MPI_Status *status, MPI_Datatype type)
{
    printf("%d %d %s: class %d", rank, step++, what, class_of(result));
    if (status) {
        int count = 0, elements = 0, bytes = 0, cancelled = 0;
        MPI_Count large = 0;
        MPI_Get_count(status, type, &count);
        MPI_Get_count(status, MPI_BYTE, &bytes);
        MPI_Get_elements(status, type, &elements);
        MPI_Get_elements_x(status, MPI_BYTE, &large);
        MPI_Test_cancelled(status, &cancelled);
        printf(" from %d tag %d count %d bytes %d elements %d %lld cancelled %d", status->MPI_SOURCE, status->MPI_TAG,
               count, bytes, elements, (long long)large, cancelled);
    }
    printf(" memory %016llx\n", (unsigned long long)hash(in, sizeof in));
}

static void refill(void)
{
    for (int i = 0; i < ROOM; i++)
        out[i] = (char)(step * 31 + rank * 7 + i + (i >> 8));
    memset(in, 0x5a, sizeof in);
}

/* ---- each send with each receive --------------------------------------------------------------------------------- */

static int (*const sends[])(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *) = {
    MPI_Isend, MPI_Issend, MPI_Ibsend, MPI_Send_init, MPI_Ssend_init, MPI_Bsend_init};
enum { SENDS = 6, FIRST_INIT = 3 };

static MPI_Request send_one(int how, const void *buf, int count, MPI_Datatype type, int tag)
{
    MPI_Request request;
    sends[how](buf, count, type, next, tag, comm, &request);
    if (how >= FIRST_INIT)
        MPI_Start(&request);
    return request;
}

static void end_send(int how, MPI_Request *request)
{
    MPI_Wait(request, MPI_STATUS_IGNORE);
    if (how >= FIRST_INIT)
        MPI_Request_free(request);
}

enum { RECVS = 11 };

/* `how` it is received; the last ones have receives under way before the send begins. */
static void receive(int how, void *buf, int count, MPI_Datatype type, int tag)
{
    MPI_Status status, statuses[2];
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Message message;
    int flag = 0, index, result = 0;
    switch (how) {
    case 0:
        result = MPI_Recv(buf, count, type, prev, tag, comm, &status);
        break;
    case 1:
        result = MPI_Recv(buf, count, type, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
        break;
    case 2:
        MPI_Probe(MPI_ANY_SOURCE, tag, comm, &status);
        tell("probe", 0, &status, type);
        result = MPI_Recv(buf, count, type, status.MPI_SOURCE, tag, comm, MPI_STATUS_IGNORE);
        tell("ignored", result, NULL, type);
        return;
    case 3:
        while (!flag)
            MPI_Iprobe(prev, MPI_ANY_TAG, comm, &flag, &status);
        tell("iprobe", 0, &status, type);
        result = MPI_Recv(buf, count, type, prev, tag, comm, &status);
        break;
    case 4:
        MPI_Mprobe(prev, MPI_ANY_TAG, comm, &message, &status);
        tell("mprobe", 0, &status, type);
        result = MPI_Mrecv(buf, count, type, &message, &status);
        break;
    case 5:
        while (!flag)
            MPI_Improbe(MPI_ANY_SOURCE, tag, comm, &flag, &message, MPI_STATUS_IGNORE);
        MPI_Imrecv(buf, count, type, &message, &requests[0]);
        result = MPI_Wait(&requests[0], &status);
        break;
    case 6:
        MPI_Irecv(buf, count, type, MPI_ANY_SOURCE, tag, comm, &requests[0]);
        while (!flag)
            result = MPI_Test(&requests[0], &flag, &status);
        break;
    case 7:
        MPI_Irecv(buf, count, type, prev, tag, comm, &requests[1]);
        result = MPI_Waitany(2, requests, &index, &status);
        break;
    case 8:
        MPI_Irecv(buf, count, type, prev, MPI_ANY_TAG, comm, &requests[1]);
        result = MPI_Waitsome(2, requests, &flag, &index, statuses);
        status = statuses[0];
        break;
    case 9:
        MPI_Recv_init(buf, count, type, prev, tag, comm, &requests[0]);
        MPI_Start(&requests[0]);
        result = MPI_Waitall(2, requests, statuses);
        MPI_Request_free(&requests[0]);
        status = statuses[0];
        break;
    default:
        MPI_Irecv(buf, count, type, prev, tag, comm, &requests[0]);
        while (!flag)
            MPI_Request_get_status(requests[0], &flag, &status);
        tell("get_status", 0, &status, type);
        result = MPI_Wait(&requests[0], &status);
    }
    tell("receive", result, &status, type);
}

static void each_with_each(void)
{
    const struct {
        const void *from;
        void *to;
        int count, room;
        MPI_Datatype type, to_type;
    } kinds[] = {{out, in, 1, 1, MPI_INT, MPI_INT},
                 {out, in, 3, 100, MPI_DOUBLE, MPI_DOUBLE},
                 {out, in, 0, 7, MPI_INT, MPI_INT},
                 {NULL, NULL, 0, 0, MPI_BYTE, MPI_BYTE},
                 {out, in, 4000, 5000, MPI_INT, MPI_INT},
                 {out, in, ROOM, ROOM, MPI_CHAR, MPI_CHAR},
                 {out, in, 5, 9, column, column},
                 {MPI_BOTTOM, MPI_BOTTOM, 1, 1, far_out, far_in},
                 {out, in, 2, 3, MPI_DOUBLE_INT, MPI_DOUBLE_INT}};
    int tag = 100;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (int how = 0; how < SENDS; how++)
            for (int by = 0; by < RECVS; by++) {
                if ((how + by + (int)k) % 3 && by > 1 && how > 0) /* not all of 594 */
                    continue;
                refill();
                MPI_Request request = send_one(how, kinds[k].from, kinds[k].count, kinds[k].type, ++tag);
                receive(by, kinds[k].to, kinds[k].room, kinds[k].to_type, tag);
                end_send(how, &request);
            }
}

static void blocking(void)
{
    MPI_Status status;
    MPI_Request request;
    refill();
    MPI_Irecv(in, 50, MPI_INT, prev, 1, comm, &request);
    MPI_Send(out, 20, MPI_INT, next, 1, comm);
    int result = MPI_Wait(&request, &status);
    tell("Send", result, &status, MPI_INT);
    refill();
    MPI_Irecv(in, 50, column, prev, 1, comm, &request);
    MPI_Ssend(out, 20, column, next, 1, comm);
    result = MPI_Wait(&request, &status);
    tell("Ssend", result, &status, column);
    refill();
    MPI_Irecv(in, 50, MPI_INT, prev, 1, comm, &request);
    MPI_Barrier(comm);
    MPI_Rsend(out, 20, MPI_INT, next, 1, comm);
    result = MPI_Wait(&request, &status);
    tell("Rsend", result, &status, MPI_INT);
    for (int n = 0; n < 3; n++) {
        int counts[] = {0, 11, 9000};
        refill();
        result = MPI_Sendrecv(out, counts[n], MPI_INT, next, 2, in, 10000, MPI_INT, prev, 2, comm, &status);
        tell("Sendrecv", result, &status, MPI_INT);
        refill();
        memcpy(in, out, sizeof in);
        result = MPI_Sendrecv_replace(in, counts[n], MPI_INT, next, 3, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
        tell("Sendrecv_replace", result, &status, MPI_INT);
        refill();
        memcpy(in, out, sizeof in);
        result = MPI_Sendrecv_replace(in, counts[n] / 20, column, next, 3, prev, 3, comm, MPI_STATUS_IGNORE);
        tell("Sendrecv_replace of a column", result, NULL, column);
        refill();
        result =
            MPI_Sendrecv(out, counts[n], MPI_INT, MPI_PROC_NULL, 2, in, 1, MPI_INT, MPI_PROC_NULL, 2, comm, &status);
        tell("Sendrecv with nobody", result, &status, MPI_INT);
    }
}

static void both_at_once(void)
{
#if MPI_VERSION >= 4
    MPI_Request request; /* MPI_INT only: MPICH 4.0 does not keep other types as long as it needs them */
    refill();
    MPI_Isendrecv(out, 5, MPI_INT, next, 4, in, 9, MPI_INT, prev, 4, comm, &request);
    tell("Isendrecv", MPI_Wait(&request, MPI_STATUS_IGNORE), NULL, MPI_INT);
    refill();
    refill();
    memcpy(in, out, sizeof in);
    MPI_Isendrecv_replace(in, 400, MPI_INT, next, 4, prev, 4, comm, &request);
    tell("Isendrecv_replace", MPI_Wait(&request, MPI_STATUS_IGNORE), NULL, MPI_INT);
    refill();
    MPI_Isendrecv(out, 5, MPI_INT, next, 4, in, 9, MPI_INT, MPI_PROC_NULL, 4, comm, &request);
    MPI_Recv(in, 9, MPI_INT, prev, 4, comm, MPI_STATUS_IGNORE);
    tell("Isendrecv half", MPI_Wait(&request, MPI_STATUS_IGNORE), NULL, MPI_INT);
    refill();
    MPI_Isend(out, 70, MPI_INT, next, 5, comm, &request);
    tell("Recv_c", MPI_Recv_c(in, 100, MPI_INT, prev, 5, comm, MPI_STATUS_IGNORE), NULL, MPI_INT);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    refill();
    MPI_Psend_init(out, 2, 50, MPI_INT, next, 6, comm, MPI_INFO_NULL, &request);
    MPI_Request part;
    MPI_Precv_init(in, 2, 50, MPI_INT, prev, 6, comm, MPI_INFO_NULL, &part);
    MPI_Start(&part);
    MPI_Start(&request);
    MPI_Pready_range(0, 1, request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    tell("partitioned", MPI_Wait(&part, MPI_STATUS_IGNORE), NULL, MPI_INT);
    MPI_Request_free(&request);
    MPI_Request_free(&part);
#endif
}

/* ---- traps ------------------------------------------------------------------------------------------------------- */

static void persistent(void)
{
    MPI_Request requests[4];
    MPI_Status statuses[4];
    MPI_Datatype type;
    MPI_Type_vector(4, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Send_init(out, 3, type, next, 10, comm, &requests[0]);
    MPI_Recv_init(in, 5, type, prev, 10, comm, &requests[1]);
    MPI_Send_init(out + 60000, 7, MPI_INT, next, 11, comm, &requests[2]);
    MPI_Recv_init(in + 60000, 9, MPI_INT, prev, 11, comm, &requests[3]);
    MPI_Type_free(&type);
    for (int i = 0; i < 3; i++) {
        refill();
        MPI_Startall(4, requests);
        int result = MPI_Waitall(4, requests, i == 1 ? MPI_STATUSES_IGNORE : statuses);
        tell("Startall", result, i == 1 ? NULL : &statuses[1], MPI_INT);
        tell("the other", result, i == 1 ? NULL : &statuses[3], MPI_INT);
    }
    int flag = 0;
    MPI_Testall(4, requests, &flag, statuses);
    tell("inactive ones", flag, &statuses[1], MPI_INT);
    for (int i = 0; i < 4; i++)
        MPI_Request_free(&requests[i]);
}

/* Requests outlive their communicator. */
static void outlived(void)
{
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Comm copy;
    MPI_Comm_dup(comm, &copy);
    MPI_Send_init(out, 3, MPI_INT, next, 10, copy, &requests[0]);
    MPI_Recv_init(in, 5, MPI_INT, prev, 10, copy, &requests[1]);
    MPI_Comm_free(&copy);
    for (int i = 0; i < 3; i++) {
        refill();
        MPI_Startall(2, requests);
        int result = MPI_Waitall(2, requests, statuses);
        tell("of no communicator", result, &statuses[1], MPI_INT);
    }
    for (int i = 0; i < 2; i++)
        MPI_Request_free(&requests[i]);
}

/* Same sender, same tag; and completed in another order than posted. */
static void other_order(void)
{
    MPI_Request recvs[6], all[6];
    MPI_Status status;
    refill();
    for (int i = 0; i < 6; i++)
        MPI_Irecv(in + 1000 * i, 100, MPI_INT, i == 3 ? MPI_ANY_SOURCE : prev, 12, comm, &recvs[i]);
    for (int i = 0; i < 6; i++)
        MPI_Isend(out + 100 * i, i + 1, MPI_INT, next, 12, comm, &all[i]);
    for (int i = 5; i >= 0; i--) {
        int result = MPI_Wait(&recvs[i], &status);
        tell("in another order", result, &status, MPI_INT);
    }
    MPI_Waitall(6, all, MPI_STATUSES_IGNORE);
}

static void truncated(void)
{
    MPI_Status status;
    MPI_Request request;
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int kind = 0; kind < 3; kind++) {
        refill();
        MPI_Isend(out, 100, MPI_INT, next, 13, comm, &request);
        int result;
        if (kind == 0) {
            result = MPI_Recv(in, 10, MPI_INT, prev, 13, comm, &status);
        } else if (kind == 1) {
            MPI_Request other;
            MPI_Irecv(in, 10, MPI_INT, prev, 13, comm, &other);
            result = MPI_Wait(&other, &status);
        } else {
            result = MPI_Recv(in, 5, column, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
        }
        memset(in, 0, sizeof in); /* what stands there is not defined */
        printf("%d %d source %d tag %d\n", rank, kind, kind < 2 ? status.MPI_SOURCE : 0, kind < 2 ? status.MPI_TAG : 0);
        tell("truncated", result, NULL, MPI_INT);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        result = MPI_Sendrecv(out, 10, MPI_INT, next, 13, in, 20, MPI_INT, prev, 13, comm, &status);
        tell("and then", result, &status, MPI_INT);
    }
    tell("count -1", MPI_Send(out, -1, MPI_INT, next, 1, comm), NULL, MPI_INT);
    tell("no type", MPI_Send(out, 1, MPI_DATATYPE_NULL, next, 1, comm), NULL, MPI_INT);
    tell("no buffer", MPI_Send(NULL, 1, MPI_INT, next, 1, comm), NULL, MPI_INT);
    tell("no such rank", MPI_Recv(in, 1, MPI_INT, size, 1, comm, MPI_STATUS_IGNORE), NULL, MPI_INT);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
}

static void given_up(void)
{
    MPI_Request request, other;
    MPI_Status status;
    refill();
    MPI_Irecv(in, 10, MPI_INT, prev, 140, comm, &request);
    MPI_Cancel(&request);
    int flag = 0, result = MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag); /* all else in it is not defined */
    tell(flag ? "cancelled" : "not cancelled", result, NULL, MPI_INT);
    MPI_Irecv(in, 10, MPI_INT, MPI_PROC_NULL, 14, comm, &request);
    result = MPI_Wait(&request, &status);
    tell("of nobody", result, &status, MPI_INT);
    MPI_Irecv(in, 10, MPI_INT, prev, 14, comm, &request);
    MPI_Request_free(&request);
    MPI_Isend(out, 7, MPI_INT, next, 14, comm, &other);
    MPI_Request_free(&other);
    while (memcmp(in + 24, "ZZZZ", 4) == 0)
        MPI_Iprobe(MPI_ANY_SOURCE, 999, comm, &flag, MPI_STATUS_IGNORE);
    tell("freed under way", 0, NULL, MPI_INT);
    result = MPI_Sendrecv(out, 3, MPI_INT, next, 14, in, 20, MPI_INT, prev, 14, comm, &status);
    tell("the next one", result, &status, MPI_INT);
}

/* As many as fit, when nobody has received one. */
static void buffered(void)
{
    enum { MANY = 20, BYTES = 40 };
    int room, size_back = 0;
    void *buffer, *back = NULL;
    MPI_Status status;
    MPI_Pack_size(BYTES, MPI_BYTE, comm, &room);
    room = MANY * (room + MPI_BSEND_OVERHEAD);
    buffer = malloc((size_t)room);
    MPI_Buffer_attach(buffer, room);
    refill();
    for (int i = 0; i < MANY; i++)
        MPI_Bsend(out + i, BYTES, MPI_BYTE, next, 15, comm);
    for (int i = 0; i < MANY; i++) {
        int result = MPI_Recv(in + 100 * i, 100, MPI_BYTE, prev, 15, comm, &status);
        tell("Bsend", result, &status, MPI_BYTE);
    }
    MPI_Buffer_detach(&back, &size_back);
    tell(back == buffer && size_back == room ? "its own buffer is back" : "another buffer", 0, NULL, MPI_BYTE);
    free(buffer);
}

/* ---- communicators, collectives, windows ------------------------------------------------------------------------- */

static void exchange_on(MPI_Comm on, const char *what)
{
    MPI_Status status;
    int me, all, result;
    MPI_Comm_rank(on, &me);
    MPI_Comm_size(on, &all);
    refill();
    result = MPI_Sendrecv(out, 6, MPI_INT, (me + 1) % all, 16, in, 10, MPI_INT, (me + all - 1) % all, 16, on, &status);
    tell(what, result, &status, MPI_INT);
    result = MPI_Allreduce(out, in, 10, MPI_UNSIGNED, MPI_SUM, on);
    tell(what, result, NULL, MPI_INT);
}

static void communicators(void)
{
    MPI_Comm made;
    MPI_Request request;
    MPI_Group group;
    for (int i = 0; i < 30; i++) {
        MPI_Comm_dup(comm, &made);
        exchange_on(made, "dup");
        MPI_Comm_free(&made);
    }
    MPI_Comm_split(comm, rank % 2, -rank, &made);
    exchange_on(made, "split");
    MPI_Comm_free(&made);
    MPI_Comm_idup(comm, &made, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    exchange_on(made, "idup");
    MPI_Comm_free(&made);
    MPI_Comm_group(comm, &group);
    MPI_Comm_create_group(comm, group, 5, &made);
    exchange_on(made, "create_group");
    MPI_Irecv(in, 10, MPI_INT, prev, 17, made, &request);
    MPI_Send(out, 4, MPI_INT, next, 17, made);
    MPI_Comm_free(&made);
    tell("freed before it was received", MPI_Wait(&request, MPI_STATUS_IGNORE), NULL, MPI_INT);
    MPI_Group_free(&group);
    exchange_on(MPI_COMM_SELF, "self");
    if (size < 2)
        return;
    MPI_Comm half;
    MPI_Status status;
    MPI_Comm_split(comm, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, comm, 1 - rank % 2, 3, &made);
    refill();
    int there = rank / 2, last = (size + rank % 2) / 2 - 1, pair = there <= last;
    MPI_Isend(out, 8, MPI_INT, pair ? there : MPI_PROC_NULL, 18, made, &request);
    int result = MPI_Recv(in, 20, MPI_INT, pair ? there : MPI_PROC_NULL, 18, made, &status);
    tell("between groups", result, &status, MPI_INT);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    tell("Barrier between groups", MPI_Barrier(made), NULL, MPI_INT);
    MPI_Comm_free(&made);
    MPI_Comm_free(&half);
}

static void collectives(void)
{
    int counts[64], places[64];
    MPI_Request request;
    for (int i = 0; i < size; i++) {
        counts[i] = 3 + i;
        places[i] = 10 * i;
    }
    for (int root = 0; root < size; root++) {
        refill();
        tell("Bcast", MPI_Bcast(rank == root ? out : in, 100, MPI_INT, root, comm), NULL, MPI_INT);
        tell("Scatter", MPI_Scatter(out, 5, MPI_INT, in, 5, MPI_INT, root, comm), NULL, MPI_INT);
        tell("Gatherv", MPI_Gatherv(out, counts[rank], MPI_INT, in, counts, places, MPI_INT, root, comm), NULL,
             MPI_INT);
        tell("Reduce", MPI_Reduce(out, in, 50, MPI_UNSIGNED, MPI_MAX, root, comm), NULL, MPI_INT);
    }
    refill();
    tell("Allgatherv", MPI_Allgatherv(out, counts[rank], MPI_INT, in, counts, places, MPI_INT, comm), NULL, MPI_INT);
    tell("Alltoall", MPI_Alltoall(out, 30, MPI_INT, in, 30, MPI_INT, comm), NULL, MPI_INT);
    tell("Reduce_scatter", MPI_Reduce_scatter(out, in, counts, MPI_UNSIGNED, MPI_SUM, comm), NULL, MPI_INT);
    tell("Scan", MPI_Scan(out, in, 9, MPI_UNSIGNED, MPI_SUM, comm), NULL, MPI_INT);
    MPI_Iallreduce(out, in, 9, MPI_UNSIGNED, MPI_MIN, comm, &request);
    tell("Iallreduce", MPI_Wait(&request, MPI_STATUS_IGNORE), NULL, MPI_INT);
    tell("Barrier", MPI_Barrier(comm), NULL, MPI_INT);
}

#include "carried_colls.h"
#include "carried_windows.h"

/* ---- threads ----------------------------------------------------------------------------------------------------- */

enum { THREADS = 3, TURNS = 300 };
static int failed;
static MPI_Comm own_comms[THREADS];
static MPI_Win own_windows[THREADS]; /* all of one communicator: their fences meet in any order */

static void *thread(void *which)
{
    int me = (int)(intptr_t)which, got[64], put[64];
    for (int turn = 0; turn < TURNS; turn++) {
        MPI_Comm on = turn % 2 ? own_comms[me] : comm;
        int count = 1 + (turn * 7 + me) % 60, there = 0;
        MPI_Request requests[2];
        MPI_Status statuses[2];
        for (int i = 0; i < count; i++)
            put[i] = turn * 1000 + me * 100 + i;
        memset(got, 0, sizeof got);
        if (turn % 3 == 0) {
            MPI_Sendrecv(put, count, MPI_INT, next, me, got, 64, MPI_INT, prev, me, on, &statuses[0]);
        } else {
            MPI_Irecv(got, 64, MPI_INT, prev, me, on, &requests[0]);
            MPI_Isend(put, count, MPI_INT, next, me, on, &requests[1]);
            MPI_Waitall(2, requests, statuses);
        }
        MPI_Get_count(&statuses[0], MPI_INT, &there);
        if (there != count || memcmp(got, put, (size_t)count * sizeof *got) != 0)
            __atomic_add_fetch(&failed, 1, __ATOMIC_RELAXED);
        if (turn % 10 == 0)
            MPI_Barrier(own_comms[me]);
        if (turn % 10 == 5)
            MPI_Win_fence(0, own_windows[me]);
    }
    return NULL;
}

static void threads(void)
{
    pthread_t all[THREADS];
    for (int i = 0; i < THREADS; i++) {
        char *there;
        MPI_Comm_dup(comm, &own_comms[i]);
        MPI_Win_allocate(64, 1, MPI_INFO_NULL, comm, &there, &own_windows[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_create(&all[i], NULL, thread, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(all[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        MPI_Comm_free(&own_comms[i]);
        MPI_Win_free(&own_windows[i]);
    }
    printf("rank %d failed %d\n", rank, failed);
}

int main(int argc, char **argv)
{
    int want = argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, level;
    static char buffer[1 << 21];
    void *back;
    MPI_Aint there;
    MPI_Init_thread(&argc, &argv, want, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    comm = MPI_COMM_WORLD;
    next = (rank + 1) % size;
    prev = (rank + size - 1) % size;
    if (argc > 1) {
        threads();
        return MPI_Finalize();
    }
    char told[40];
    snprintf(told, sizeof told, "told.%d", rank); /* lines of several ranks would mix */
    if (!freopen(told, "w", stdout))
        return 1;
    MPI_Type_vector(7, 2, 3, MPI_INT, &column);
    MPI_Type_commit(&column);
    MPI_Get_address(out, &there);
    MPI_Type_create_hindexed(1, &(int){900}, &there, MPI_INT, &far_out);
    MPI_Get_address(in, &there);
    MPI_Type_create_hindexed(1, &(int){1000}, &there, MPI_INT, &far_in);
    MPI_Type_commit(&far_out);
    MPI_Type_commit(&far_in);
    MPI_Buffer_attach(buffer, sizeof buffer);
    each_with_each();
    blocking();
    MPI_Buffer_detach(&back, &level);
    both_at_once();
    persistent();
    outlived();
    other_order();
    truncated();
    given_up();
    buffered();
    communicators();
    collectives();
    more_collectives();
    windows();
    window_groups();
    return MPI_Finalize();
}
