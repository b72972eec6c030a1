/* coll.c - computes and writes the records of collective operations (coll.h). */
#include "coll.h"

#include "pith_tool.h"
#include "ranks.h"
#include "state.h"

/* The record of this thread's current collective call; comm NULL: nothing to record. */
static __thread struct {
    struct pithi_comm *comm;
    int root; /* a world rank */
    uint64_t given, got;
    int of_all; /* receives data from every other process; set where that is not certain */
} now __attribute__((tls_model("initial-exec")));

static struct pithi_comm *begin_on(struct pithi_comm *comm)
{
    now.comm = comm;
    now.root = PITH_NOBODY;
    now.given = now.got = 0;
    now.of_all = 0;
    return now.comm;
}

static struct pithi_comm *begin(MPI_Comm comm)
{
    return begin_on(pithi_self.recorded && pithi_job_messages ? pithi_comm_find(comm) : NULL);
}

static struct pithi_comm *begin_rooted(MPI_Comm comm, int root)
{
    if (begin(comm))
        now.root = pithi_comm_root(now.comm, root);
    return now.comm;
}

/* The number of processes that this one exchanges data with. */
static int others(const struct pithi_comm *comm) { return comm->remote_size ? comm->remote_size : comm->size; }

/* Whether the ith of these processes is this process. */
static int is_self(const struct pithi_comm *comm, int i) { return !comm->remote_size && i == comm->rank; }

static int am_root(const struct pithi_comm *comm, int root)
{
    return comm->remote_size ? root == MPI_ROOT : root == comm->rank;
}

/* A process in the root's group of an intercommunicator that is not the root takes no part. */
static int is_idle(int root) { return root == MPI_PROC_NULL; }

static pithi_count count_at(struct pithi_counts counts, int i)
{
    return counts.is_wide ? ((const pithi_count *)counts.at)[i] : ((const int *)counts.at)[i];
}

static uint64_t sum(struct pithi_counts counts, int count, MPI_Datatype type)
{
    pithi_count total = 0;

    for (int i = 0; counts.at && i < count; i++)
        total += count_at(counts, i);
    return pithi_type_bytes(total, type);
}

static uint64_t sum_types(struct pithi_counts counts, int count, const MPI_Datatype *types)
{
    uint64_t total = 0;

    for (int i = 0; counts.at && types && i < count; i++)
        total += pithi_type_bytes(count_at(counts, i), types[i]);
    return total;
}

void pithi_coll_barrier(MPI_Comm comm) { begin(comm); }

void pithi_coll_window(struct pithi_comm *window, int of_all)
{
    begin_on(pithi_self.recorded && pithi_job_messages ? window : NULL);
    now.of_all = of_all;
}

void pithi_coll_bcast(MPI_Comm comm, int root, pithi_count count, MPI_Datatype type)
{
    if (!begin_rooted(comm, root) || is_idle(root))
        return;
    if (am_root(now.comm, root))
        now.given = pithi_type_bytes(count, type);
    else
        now.got = pithi_type_bytes(count, type);
}

static void give_to_root(int root, const void *from, pithi_count count, MPI_Datatype type, uint64_t in_place)
{
    if (!now.comm->remote_size || !am_root(now.comm, root))
        now.given = from == MPI_IN_PLACE ? in_place : pithi_type_bytes(count, type);
}

void pithi_coll_gather(MPI_Comm comm, int root, const void *from, pithi_count count, MPI_Datatype type,
                       pithi_count recv_count, MPI_Datatype recv_type)
{
    if (!begin_rooted(comm, root) || is_idle(root))
        return;
    uint64_t part = am_root(now.comm, root) ? pithi_type_bytes(recv_count, recv_type) : 0;
    give_to_root(root, from, count, type, part);
    now.got = part * (uint64_t)others(now.comm);
}

void pithi_coll_gatherv(MPI_Comm comm, int root, const void *from, pithi_count count, MPI_Datatype type,
                        struct pithi_counts recv_counts, MPI_Datatype recv_type)
{
    if (!begin_rooted(comm, root) || is_idle(root))
        return;
    uint64_t own = 0;
    if (am_root(now.comm, root)) {
        now.got = sum(recv_counts, others(now.comm), recv_type);
        if (from == MPI_IN_PLACE)
            own = pithi_type_bytes(count_at(recv_counts, now.comm->rank), recv_type);
    }
    give_to_root(root, from, count, type, own);
}

static void get_from_root(int root, const void *to, pithi_count count, MPI_Datatype type, uint64_t in_place)
{
    if (!now.comm->remote_size || !am_root(now.comm, root))
        now.got = to == MPI_IN_PLACE ? in_place : pithi_type_bytes(count, type);
}

void pithi_coll_scatter(MPI_Comm comm, int root, pithi_count count, MPI_Datatype type, const void *to,
                        pithi_count recv_count, MPI_Datatype recv_type)
{
    if (!begin_rooted(comm, root) || is_idle(root))
        return;
    uint64_t part = am_root(now.comm, root) ? pithi_type_bytes(count, type) : 0;
    now.given = part * (uint64_t)others(now.comm);
    get_from_root(root, to, recv_count, recv_type, part);
}

void pithi_coll_scatterv(MPI_Comm comm, int root, struct pithi_counts counts, MPI_Datatype type, const void *to,
                         pithi_count recv_count, MPI_Datatype recv_type)
{
    if (!begin_rooted(comm, root) || is_idle(root))
        return;
    uint64_t own = 0;
    if (am_root(now.comm, root)) {
        now.given = sum(counts, others(now.comm), type);
        if (to == MPI_IN_PLACE)
            own = pithi_type_bytes(count_at(counts, now.comm->rank), type);
    }
    get_from_root(root, to, recv_count, recv_type, own);
}

void pithi_coll_allgather(MPI_Comm comm, const void *from, pithi_count count, MPI_Datatype type, pithi_count recv_count,
                          MPI_Datatype recv_type)
{
    if (!begin(comm))
        return;
    uint64_t part = pithi_type_bytes(recv_count, recv_type);
    now.given = from == MPI_IN_PLACE ? part : pithi_type_bytes(count, type);
    now.got = part * (uint64_t)others(now.comm);
}

void pithi_coll_allgatherv(MPI_Comm comm, const void *from, pithi_count count, MPI_Datatype type,
                           struct pithi_counts recv_counts, MPI_Datatype recv_type)
{
    if (!begin(comm))
        return;
    now.given = from == MPI_IN_PLACE ? pithi_type_bytes(count_at(recv_counts, now.comm->rank), recv_type)
                                     : pithi_type_bytes(count, type);
    now.got = sum(recv_counts, others(now.comm), recv_type);
}

void pithi_coll_alltoall(MPI_Comm comm, const void *from, pithi_count count, MPI_Datatype type, pithi_count recv_count,
                         MPI_Datatype recv_type)
{
    if (!begin(comm))
        return;
    now.got = pithi_type_bytes(recv_count, recv_type) * (uint64_t)others(now.comm);
    now.given = from == MPI_IN_PLACE ? now.got : pithi_type_bytes(count, type) * (uint64_t)others(now.comm);
}

void pithi_coll_alltoallv(MPI_Comm comm, const void *from, struct pithi_counts counts, MPI_Datatype type,
                          struct pithi_counts recv_counts, MPI_Datatype recv_type)
{
    if (!begin(comm))
        return;
    now.got = sum(recv_counts, others(now.comm), recv_type);
    now.given = from == MPI_IN_PLACE ? now.got : sum(counts, others(now.comm), type);
    now.of_all = now.got > 0;
    for (int i = 0; now.of_all && i < others(now.comm); i++)
        now.of_all = is_self(now.comm, i) || count_at(recv_counts, i) > 0;
}

void pithi_coll_alltoallw(MPI_Comm comm, const void *from, struct pithi_counts counts, const MPI_Datatype *types,
                          struct pithi_counts recv_counts, const MPI_Datatype *recv_types)
{
    if (!begin(comm))
        return;
    now.got = sum_types(recv_counts, others(now.comm), recv_types);
    now.given = from == MPI_IN_PLACE ? now.got : sum_types(counts, others(now.comm), types);
    now.of_all = now.got > 0;
    for (int i = 0; now.of_all && i < others(now.comm); i++)
        now.of_all = is_self(now.comm, i) || pithi_type_bytes(count_at(recv_counts, i), recv_types[i]) > 0;
}

void pithi_coll_reduce(MPI_Comm comm, int root, pithi_count count, MPI_Datatype type)
{
    if (!begin_rooted(comm, root) || is_idle(root))
        return;
    int is_root = am_root(now.comm, root);
    if (!is_root || !now.comm->remote_size)
        now.given = pithi_type_bytes(count, type);
    if (is_root)
        now.got = pithi_type_bytes(count, type);
}

void pithi_coll_allreduce(MPI_Comm comm, pithi_count count, MPI_Datatype type)
{
    if (begin(comm))
        now.given = now.got = pithi_type_bytes(count, type);
}

void pithi_coll_exscan(MPI_Comm comm, pithi_count count, MPI_Datatype type)
{
    pithi_coll_allreduce(comm, count, type);
    if (now.comm && now.comm->rank == 0)
        now.got = 0;
}

void pithi_coll_reduce_scatter(MPI_Comm comm, struct pithi_counts counts, MPI_Datatype type)
{
    if (!begin(comm))
        return;
    now.given = sum(counts, now.comm->size, type);
    now.got = pithi_type_bytes(count_at(counts, now.comm->rank), type);
}

void pithi_coll_reduce_scatter_block(MPI_Comm comm, pithi_count count, MPI_Datatype type)
{
    if (!begin(comm))
        return;
    now.got = pithi_type_bytes(count, type);
    now.given = now.got * (uint64_t)now.comm->size;
}

/* ---- neighbourhoods ---------------------------------------------------------------------------------------------- */

/* The numbers of incoming and outgoing neighbours; cached in the communicator. */
static void degrees(struct pithi_comm *comm, int *in, int *out)
{
    *out = __atomic_load_n(&comm->out_degree, __ATOMIC_ACQUIRE);
    *in = comm->in_degree;
    if (*out >= 0)
        return;
    pithi_neighbours(comm->handle, comm->rank, in, out);
    __atomic_store_n(&comm->in_degree, *in, __ATOMIC_RELAXED);
    __atomic_store_n(&comm->out_degree, *out, __ATOMIC_RELEASE);
}

static int begin_neighbours(MPI_Comm comm, int *in, int *out)
{
    if (!begin(comm))
        return 0;
    degrees(now.comm, in, out);
    return 1;
}

void pithi_coll_nallgather(MPI_Comm comm, pithi_count count, MPI_Datatype type, pithi_count recv_count,
                           MPI_Datatype recv_type)
{
    int in, out;

    if (!begin_neighbours(comm, &in, &out))
        return;
    now.given = out ? pithi_type_bytes(count, type) : 0;
    now.got = pithi_type_bytes(recv_count, recv_type) * (uint64_t)in;
}

void pithi_coll_nallgatherv(MPI_Comm comm, pithi_count count, MPI_Datatype type, struct pithi_counts recv_counts,
                            MPI_Datatype recv_type)
{
    int in, out;

    if (!begin_neighbours(comm, &in, &out))
        return;
    now.given = out ? pithi_type_bytes(count, type) : 0;
    now.got = sum(recv_counts, in, recv_type);
}

void pithi_coll_nalltoall(MPI_Comm comm, pithi_count count, MPI_Datatype type, pithi_count recv_count,
                          MPI_Datatype recv_type)
{
    int in, out;

    if (!begin_neighbours(comm, &in, &out))
        return;
    now.given = pithi_type_bytes(count, type) * (uint64_t)out;
    now.got = pithi_type_bytes(recv_count, recv_type) * (uint64_t)in;
}

void pithi_coll_nalltoallv(MPI_Comm comm, struct pithi_counts counts, MPI_Datatype type,
                           struct pithi_counts recv_counts, MPI_Datatype recv_type)
{
    int in, out;

    if (!begin_neighbours(comm, &in, &out))
        return;
    now.given = sum(counts, out, type);
    now.got = sum(recv_counts, in, recv_type);
}

void pithi_coll_nalltoallw(MPI_Comm comm, struct pithi_counts counts, const MPI_Datatype *types,
                           struct pithi_counts recv_counts, const MPI_Datatype *recv_types)
{
    int in, out;

    if (!begin_neighbours(comm, &in, &out))
        return;
    now.given = sum_types(counts, out, types);
    now.got = sum_types(recv_counts, in, recv_types);
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

/* Records a collective that begins now. */
static void put(const struct pithi_comm *comm, int root, uint64_t given_bytes, uint64_t got_bytes)
{
    if (pithi_calls_are_off())
        return;
    if (__builtin_expect(pithi_self.begun, 1))
        pith_same_coll(comm->id, root, given_bytes, got_bytes);
    else
        pith_comm_coll(comm->id, root, given_bytes, got_bytes);
}

/* Events for facts that the record has no field for; the replay reads them (formats/analysis/coll_rules.h). */
enum { STARTED, COMPLETE, KEPT, OF_ALL };

static void put_number(unsigned char *p, uint32_t number)
{
    for (int i = 0; i < 4; i++)
        p[i] = (unsigned char)(number >> (24 - 8 * i));
}

static void tell(int what, uint32_t request, uint32_t number)
{
    static const char *const names[] = {"pith:coll_started", "pith:coll_complete", "pith:coll_kept",
                                        "pith:coll_of_all"};
    static const char *const formats[] = {"request=%d", "request=%d", "request=%d number=%d", NULL};
    static uint32_t ids[OF_ALL + 1]; /* id + 1 */
    unsigned char bytes[8];
    uint32_t id = __atomic_load_n(&ids[what], __ATOMIC_RELAXED);

    if (pithi_calls_are_off())
        return;
    if (id == 0) {
        id = pith_event_define_group(names[what], "gray50", formats[what], "pith") + 1;
        __atomic_store_n(&ids[what], id, __ATOMIC_RELAXED);
    }
    put_number(bytes, request);
    put_number(bytes + 4, number);
    if (what == OF_ALL)
        pith_event(id - 1);
    else
        pith_event_data(id - 1, bytes, what == KEPT ? 8 : 4);
}

void pithi_coll_record(void)
{
    if (!now.comm || !pithi_self.recorded)
        return;
    if (now.of_all)
        tell(OF_ALL, 0, 0);
    put(now.comm, now.root, now.given, now.got);
}

void pithi_coll_made(int result, const MPI_Comm *made)
{
    if (result != MPI_SUCCESS || *made == MPI_COMM_NULL)
        return;
    begin(*made);
    pithi_coll_record();
}

void pithi_coll_numbered(int64_t request)
{
    if (request >= 0)
        tell(STARTED, (uint32_t)request, 0);
}

void pithi_coll_started(int result, const MPI_Request *request)
{
    if (!now.comm || !pithi_self.recorded || result != MPI_SUCCESS || *request == MPI_REQUEST_NULL)
        return;
    int64_t number =
        pithi_pending_enter(pithi_request_key(*request),
                            &(struct pithi_pending){.kind = PITHI_PENDING_COLL, .is_active = 1, .comm = now.comm});
    pithi_coll_numbered(number);
}

void pithi_coll_complete(uint32_t request) { tell(COMPLETE, request, 0); }

/* All members count the requests that they keep, even if they are not recorded. */
void pithi_coll_keep(int result, const MPI_Request *request)
{
    if (!now.comm || !pithi_self.recorded || result != MPI_SUCCESS)
        return;
    uint32_t count = __atomic_fetch_add(&now.comm->kept_colls, 1, __ATOMIC_RELAXED);
    int64_t number =
        pithi_pending_enter(pithi_request_key(*request), &(struct pithi_pending){.kind = PITHI_PENDING_COLL_INIT,
                                                                                 .comm = now.comm,
                                                                                 .bytes = now.given,
                                                                                 .u.got_bytes = now.got,
                                                                                 .peer = now.root});
    if (number >= 0)
        tell(KEPT, (uint32_t)number, count);
}

void pithi_coll_restart(struct pithi_pending *pending, uint32_t number)
{
    tell(STARTED, number, 0);
    put(pending->comm, pending->peer, pending->bytes, pending->u.got_bytes);
    pending->is_active = 1;
}
