/* played.c - preloaded behind the log library: MPI in a time of its own, in which the right answer is known exactly.
 *
 *     LD_PRELOAD=libpith-mpi.so:played.so PLAYED_COST=C [PLAYED_LATENCY=L] [PLAYED_EAGER=B] program
 *
 * Each rank has a clock that only these move: nanosleep, by as much as is asked for; an MPI call, by as much as below;
 * and each look at the clock, by C ns - so a record costs what the clock costs. A message carries its sender's time
 * with it (a second one, on a communicator of our own); one of more than B bytes that was posted does not leave before
 * its sender waits. So a run with C = 0 is the run without recording, whatever else
 * the machine does. Time begins with MPI_Init's end.
 *
 * Of MPI there is what workloads.c, windows.c and overlap.c use: blocking, nonblocking, persistent messages (those of
 * one sender and tag end in their order), collectives (of all ranks, on whatever communicator), fences. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ns of a call that need not wait; of one that ends several requests; of a collective behind the last one to come, or
 * behind its root */
enum { CALL = 300, ENDS = 1100, COLL = 700 };

static __thread int is_main, inside; /* of MPI: it looks at the clock, too */
static int64_t now_ns;
static int64_t cost_ns, latency_ns, eager_bytes;
static int begun;
static MPI_Comm beside, recorders[64]; /* ours; the log library's, which are in no time */
static int recorders_count;

#define REAL(name)                                                                                                     \
    ({                                                                                                                 \
        static __typeof__(&name) real_;                                                                                \
        real_ ? real_ : (real_ = (__typeof__(&name))dlsym(RTLD_NEXT, #name));                                          \
    })
#define CALL_REAL(name, ...)                                                                                           \
    ({                                                                                                                 \
        inside++;                                                                                                      \
        int result_ = REAL(name)(__VA_ARGS__);                                                                         \
        inside--;                                                                                                      \
        result_;                                                                                                       \
    })

static int64_t later(int64_t a, int64_t b) { return a > b ? a : b; }

/* ---- The clock --------------------------------------------------------------------------------------------------- */

__attribute__((constructor)) static void set_up(void)
{
    const char *cost = getenv("PLAYED_COST"), *latency = getenv("PLAYED_LATENCY"), *eager = getenv("PLAYED_EAGER");
    is_main = 1;
    cost_ns = cost ? atol(cost) : 0;
    latency_ns = latency ? atol(latency) : 2000;
    eager_bytes = eager ? atol(eager) : INT64_MAX;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    if (clock != CLOCK_MONOTONIC || !is_main || inside)
        return (int)syscall(SYS_clock_gettime, clock, now);
    now->tv_sec = 1000 + now_ns / 1000000000;
    now->tv_nsec = now_ns % 1000000000;
    now_ns += begun ? cost_ns : 0;
    return 0;
}

int nanosleep(const struct timespec *span, struct timespec *left)
{
    if (!is_main || inside)
        return (int)syscall(SYS_nanosleep, span, left);
    now_ns += span->tv_sec * 1000000000 + span->tv_nsec;
    return 0;
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

/* Requests that are messages: where from or to, and whether to receive; or collectives. Persistent ones until they are
 * freed. */
static struct note {
    MPI_Request request;
    int peer, tag, is_recv, is_kept;
    int is_held; /* its time has not been sent */
    struct coll *coll;
} notes[256];

/* NULL: it is the recorder's own. */
static struct note *find(MPI_Request request)
{
    for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++)
        if (notes[i].request == request)
            return &notes[i];
    return NULL;
}

static struct note *keep(MPI_Request request, int peer, int tag, int is_recv, int is_kept)
{
    struct note *note = find(0);
    if (!note)
        abort();
    *note = (struct note){request, peer, tag, is_recv, is_kept, 0, NULL};
    return note;
}

/* Its end begins. */
static struct note take(MPI_Request request)
{
    struct note none = {0}, *note = request == MPI_REQUEST_NULL ? &none : find(request), taken;
    if (!note)
        abort();
    taken = *note;
    if (!note->is_kept)
        note->request = 0;
    return taken;
}

static void send_time(int to, int tag)
{
    if (to != MPI_PROC_NULL)
        CALL_REAL(PMPI_Send, &now_ns, 1, MPI_INT64_T, to, tag, beside);
    now_ns += CALL;
}

static int64_t arrival(int from, int tag)
{
    int64_t sent_ns = INT64_MIN / 2;
    if (from != MPI_PROC_NULL)
        CALL_REAL(PMPI_Recv, &sent_ns, 1, MPI_INT64_T, from, tag, beside, MPI_STATUS_IGNORE);
    return sent_ns + latency_ns;
}

int PMPI_Init(int *argc, char ***argv)
{
    int result = CALL_REAL(PMPI_Init, argc, argv);
    CALL_REAL(PMPI_Comm_dup, MPI_COMM_WORLD, &beside);
    begun = 1;
    return result;
}

/* Programs make theirs in other ways. */
static int note_recorders(int result, const MPI_Comm *made)
{
    if (*made != MPI_COMM_NULL && recorders_count < (int)(sizeof recorders / sizeof recorders[0]))
        recorders[recorders_count++] = *made;
    return result;
}

static int is_played(MPI_Comm comm)
{
    for (int i = 0; i < recorders_count; i++)
        if (recorders[i] == comm)
            return 0;
    return 1;
}

/* MPICH 5 gives the handle of a freed one to the next that the program makes. */
int PMPI_Comm_free(MPI_Comm *comm)
{
    for (int i = 0; i < recorders_count; i++)
        if (recorders[i] == *comm)
            recorders[i] = recorders[--recorders_count];
    return CALL_REAL(PMPI_Comm_free, comm);
}

int PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *made)
{
    return note_recorders(CALL_REAL(PMPI_Comm_create, comm, group, made), made);
}

int PMPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm *made)
{
    return note_recorders(CALL_REAL(PMPI_Comm_split, comm, colour, key, made), made);
}

int PMPI_Send(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    if (is_played(comm))
        send_time(to, tag);
    return CALL_REAL(PMPI_Send, buffer, count, type, to, tag, comm);
}

int PMPI_Recv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    MPI_Status own;
    status = status == MPI_STATUS_IGNORE ? &own : status;
    int result = CALL_REAL(PMPI_Recv, buffer, count, type, from, tag, comm, status);
    if (is_played(comm))
        now_ns = later(now_ns + CALL, arrival(status->MPI_SOURCE, status->MPI_TAG));
    return result;
}

static int64_t bytes_of(int count, MPI_Datatype type)
{
    int size;
    CALL_REAL(PMPI_Type_size, type, &size);
    return (int64_t)count * size;
}

int PMPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    if (!is_played(comm))
        return CALL_REAL(PMPI_Isend, buffer, count, type, to, tag, comm, request);
    int is_long = bytes_of(count, type) > eager_bytes;
    if (is_long)
        now_ns += CALL;
    else
        send_time(to, tag);
    int result = CALL_REAL(PMPI_Isend, buffer, count, type, to, tag, comm, request);
    keep(*request, to, tag, 0, 0)->is_held = is_long;
    return result;
}

/* A call that waits begins. */
static void send_held(void)
{
    for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++) {
        struct note *note = &notes[i];
        if (note->request && note->is_held && note->peer != MPI_PROC_NULL)
            CALL_REAL(PMPI_Send, &now_ns, 1, MPI_INT64_T, note->peer, note->tag, beside);
        note->is_held = 0;
    }
}

int PMPI_Irecv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request)
{
    int result = CALL_REAL(PMPI_Irecv, buffer, count, type, from, tag, comm, request);
    now_ns += CALL;
    keep(*request, from, tag, 1, 0);
    return result;
}

int PMPI_Send_init(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                   MPI_Request *request)
{
    int result = CALL_REAL(PMPI_Send_init, buffer, count, type, to, tag, comm, request);
    keep(*request, to, tag, 0, 1);
    return result;
}

int PMPI_Recv_init(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request)
{
    int result = CALL_REAL(PMPI_Recv_init, buffer, count, type, from, tag, comm, request);
    keep(*request, from, tag, 1, 1);
    return result;
}

/* ---- Collectives that do not block: all tell all when they come to one ------------------------------------------- */

enum shape { WITH_ALL, FROM_ROOT, TO_ROOT, FROM_LOWER };
enum { RANKS = 64 };

static struct coll {
    int is_used;
    uint64_t whom;                           /* in MPI_COMM_WORLD, this rank waits for, bit by bit */
    int64_t mine_ns[RANKS], times_ns[RANKS]; /* by rank; in the first, all but that of this one are 0 */
    MPI_Request gather; /* by a reduction: MPICH 4.0's persistent MPI_Allgather gives what the first start gave */
} colls[64];

static uint64_t whom(MPI_Comm comm, enum shape shape, int root)
{
    int is_inter, rank, size, there[RANKS], numbers[RANKS], is_root;
    uint64_t all = 0;
    MPI_Group group, world;
    CALL_REAL(PMPI_Comm_test_inter, comm, &is_inter);
    CALL_REAL(PMPI_Comm_rank, comm, &rank);
    CALL_REAL(PMPI_Comm_group, MPI_COMM_WORLD, &world);
    if (is_inter)
        CALL_REAL(PMPI_Comm_remote_group, comm, &group);
    else
        CALL_REAL(PMPI_Comm_group, comm, &group);
    CALL_REAL(PMPI_Group_size, group, &size);
    for (int i = 0; i < size; i++)
        numbers[i] = i;
    CALL_REAL(PMPI_Group_translate_ranks, group, size, numbers, world, there);
    for (int i = 0; i < (shape == FROM_LOWER ? rank : size); i++)
        all |= UINT64_C(1) << there[i];
    is_root = is_inter ? root == MPI_ROOT : root == rank;
    if (shape == FROM_ROOT)
        all = is_root || root < 0 ? 0 : UINT64_C(1) << there[root];
    CALL_REAL(PMPI_Group_free, &group);
    CALL_REAL(PMPI_Group_free, &world);
    return shape == TO_ROOT && !is_root ? 0 : all;
}

static void come(struct coll *coll)
{
    int rank;
    CALL_REAL(PMPI_Comm_rank, MPI_COMM_WORLD, &rank);
    coll->mine_ns[rank] = now_ns;
}

static struct coll *new_coll(MPI_Comm comm, enum shape shape, int root)
{
    struct coll *coll = colls;
    while (coll->is_used)
        if (++coll == colls + sizeof colls / sizeof colls[0])
            abort();
    coll->is_used = 1;
    coll->whom = whom(comm, shape, root);
    come(coll);
    return coll;
}

/* When the last of those was there whom this rank waits for. */
static int64_t all_there(const struct coll *coll)
{
    int64_t last_ns = INT64_MIN / 2;
    for (int i = 0; i < RANKS; i++)
        if (coll->whom >> i & 1)
            last_ns = later(last_ns, coll->times_ns[i]);
    return last_ns + COLL;
}

static void start_kept(MPI_Request request)
{
    const struct note *note = find(request);
    if (!note || !note->coll)
        return;
    come(note->coll);
    CALL_REAL(PMPI_Start, &note->coll->gather);
}

int PMPI_Start(MPI_Request *request)
{
    const struct note *note = find(*request);
    start_kept(*request);
    if (note && (note->is_recv || note->coll))
        now_ns += CALL;
    else if (note)
        send_time(note->peer, note->tag);
    return CALL_REAL(PMPI_Start, request);
}

/* Of collectives. */
int PMPI_Startall(int count, MPI_Request requests[])
{
    for (int i = 0; i < count; i++)
        start_kept(requests[i]);
    now_ns += CALL;
    return CALL_REAL(PMPI_Startall, count, requests);
}

int PMPI_Request_free(MPI_Request *request)
{
    struct note *note = find(*request);
    if (note) {
        note->request = 0;
        if (note->coll) {
            CALL_REAL(PMPI_Request_free, &note->coll->gather);
            note->coll->is_used = 0;
        }
    }
    return CALL_REAL(PMPI_Request_free, request);
}

static int wait_for(int count, MPI_Request requests[], MPI_Status statuses[])
{
    int64_t end_ns = now_ns + (count > 1 ? ENDS : CALL);
    struct note of[64];
    send_held();
    for (int i = 0; i < count; i++)
        of[i] = take(requests[i]);
    int result = CALL_REAL(PMPI_Waitall, count, requests, statuses);
    for (int i = 0; i < count; i++) {
        if (of[i].is_recv)
            end_ns = later(end_ns, arrival(of[i].peer, of[i].tag));
        if (!of[i].coll)
            continue;
        CALL_REAL(PMPI_Wait, &of[i].coll->gather, MPI_STATUS_IGNORE);
        end_ns = later(end_ns, all_there(of[i].coll));
        of[i].coll->is_used = of[i].is_kept;
    }
    now_ns = end_ns;
    return result;
}

int PMPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    return wait_for(count, requests, statuses);
}

int PMPI_Wait(MPI_Request *request, MPI_Status *status)
{
    return wait_for(1, request, status == MPI_STATUS_IGNORE ? MPI_STATUSES_IGNORE : status);
}

/* ---- Collectives ------------------------------------------------------------------------------------------------- */

#define STARTING(name, arguments, shape, root, ...)                                                                    \
    int name arguments                                                                                                 \
    {                                                                                                                  \
        if (!begun || inside || !is_played(comm))                                                                      \
            return CALL_REAL(name, __VA_ARGS__);                                                                       \
        struct coll *coll = new_coll(comm, shape, root);                                                               \
        CALL_REAL(PMPI_Iallreduce, coll->mine_ns, coll->times_ns, RANKS, MPI_INT64_T, MPI_MAX, beside, &coll->gather); \
        now_ns += CALL;                                                                                                \
        int result = CALL_REAL(name, __VA_ARGS__);                                                                     \
        keep(*request, 0, 0, 0, 0)->coll = coll;                                                                       \
        return result;                                                                                                 \
    }

STARTING(PMPI_Ibarrier, (MPI_Comm comm, MPI_Request *request), WITH_ALL, 0, comm, request)
STARTING(PMPI_Ibcast, (void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request),
         FROM_ROOT, root, buffer, count, type, root, comm, request)
STARTING(PMPI_Iallreduce,
         (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request),
         WITH_ALL, 0, in, out, count, type, op, comm, request)
STARTING(PMPI_Ireduce,
         (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
          MPI_Request *request),
         TO_ROOT, root, in, out, count, type, op, root, comm, request)
STARTING(PMPI_Iscan,
         (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request),
         FROM_LOWER, 0, in, out, count, type, op, comm, request)

#if MPI_VERSION >= 4
#define MAKING(name, arguments, shape, root, ...)                                                                      \
    int name arguments                                                                                                 \
    {                                                                                                                  \
        int result = CALL_REAL(name, __VA_ARGS__);                                                                     \
        if (!begun || inside || !is_played(comm))                                                                      \
            return result;                                                                                             \
        struct coll *coll = new_coll(comm, shape, root);                                                               \
        CALL_REAL(PMPI_Allreduce_init, coll->mine_ns, coll->times_ns, RANKS, MPI_INT64_T, MPI_MAX, beside,             \
                  MPI_INFO_NULL, &coll->gather);                                                                       \
        keep(*request, 0, 0, 0, 1)->coll = coll;                                                                       \
        return result;                                                                                                 \
    }

MAKING(PMPI_Barrier_init, (MPI_Comm comm, MPI_Info info, MPI_Request *request), WITH_ALL, 0, comm, info, request)
MAKING(PMPI_Bcast_init,
       (void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request),
       FROM_ROOT, root, buffer, count, type, root, comm, info, request)
MAKING(PMPI_Reduce_init,
       (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm, MPI_Info info,
        MPI_Request *request),
       TO_ROOT, root, in, out, count, type, op, root, comm, info, request)
MAKING(PMPI_Scan_init,
       (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Info info,
        MPI_Request *request),
       FROM_LOWER, 0, in, out, count, type, op, comm, info, request)
#endif

/* Those that block. */
static void after(MPI_Comm comm, enum shape shape, int root)
{
    struct coll coll = {.whom = whom(comm, shape, root)};
    come(&coll);
    CALL_REAL(PMPI_Allreduce, coll.mine_ns, coll.times_ns, RANKS, MPI_INT64_T, MPI_MAX, beside);
    now_ns = later(now_ns + CALL, all_there(&coll));
}

/* All leave when the last has come. */
static void meet(void)
{
    CALL_REAL(PMPI_Allreduce, MPI_IN_PLACE, &now_ns, 1, MPI_INT64_T, MPI_MAX, beside);
    now_ns += COLL;
}
/* From the root: large ones take their time, and keep who gets them busy; it says when it was. */
static void hear(int root, int64_t bytes, MPI_Comm comm)
{
    int64_t root_ns = now_ns;
    int rank;
    CALL_REAL(PMPI_Comm_rank, comm, &rank);
    CALL_REAL(PMPI_Bcast, &root_ns, 1, MPI_INT64_T, root, beside);
    now_ns += CALL + bytes;
    if (rank != root)
        now_ns = later(now_ns, root_ns + COLL + 2 * bytes);
}

int PMPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int result = CALL_REAL(PMPI_Bcast, buffer, count, type, root, comm);
    if (begun && !inside && is_played(comm))
        hear(root, bytes_of(count, type), comm);
    return result;
}

int PMPI_Scatter(const void *in, int count, MPI_Datatype type, void *out, int count_out, MPI_Datatype type_out,
                 int root, MPI_Comm comm)
{
    int result = CALL_REAL(PMPI_Scatter, in, count, type, out, count_out, type_out, root, comm);
    if (begun && !inside && is_played(comm))
        hear(root, bytes_of(count_out, type_out), comm);
    return result;
}

#define PLAYED(name, arguments, is_ours, play, ...)                                                                    \
    int name arguments                                                                                                 \
    {                                                                                                                  \
        int result = CALL_REAL(name, __VA_ARGS__);                                                                     \
        if (begun && !inside && (is_ours))                                                                             \
            play;                                                                                                      \
        return result;                                                                                                 \
    }
#define MEETING(name, arguments, is_ours, ...) PLAYED(name, arguments, is_ours, meet(), __VA_ARGS__)

PLAYED(PMPI_Barrier, (MPI_Comm comm), is_played(comm), after(comm, WITH_ALL, 0), comm)
PLAYED(PMPI_Allreduce, (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
       is_played(comm), after(comm, WITH_ALL, 0), in, out, count, type, op, comm)
PLAYED(PMPI_Reduce, (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),
       is_played(comm), after(comm, TO_ROOT, root), in, out, count, type, op, root, comm)
PLAYED(PMPI_Scan, (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm), is_played(comm),
       after(comm, FROM_LOWER, 0), in, out, count, type, op, comm)
MEETING(PMPI_Alltoall,
        (const void *in, int count, MPI_Datatype type, void *out, int count_out, MPI_Datatype type_out, MPI_Comm comm),
        is_played(comm), in, count, type, out, count_out, type_out, comm)
MEETING(PMPI_Alltoallv,
        (const void *in, const int counts[], const int starts[], MPI_Datatype type, void *out, const int counts_out[],
         const int starts_out[], MPI_Datatype type_out, MPI_Comm comm),
        is_played(comm), in, counts, starts, type, out, counts_out, starts_out, type_out, comm)
MEETING(PMPI_Win_allocate, (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *memory, MPI_Win *window),
        is_played(comm), size, unit, info, comm, memory, window)
MEETING(PMPI_Win_free, (MPI_Win * window), 1, window)

/* A fence that may be no barrier is none. */
int PMPI_Win_fence(int assertion, MPI_Win window)
{
    int result = CALL_REAL(PMPI_Win_fence, assertion, window);
    if (assertion & MPI_MODE_NOPRECEDE)
        now_ns += CALL;
    else if (!inside)
        meet();
    return result;
}
