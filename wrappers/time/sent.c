/* sent.c - counts the messages and bytes of the call that just ended, and of each start of a persistent request. */
#include "partners.h"

#include "datatype.h"
#include "request.h"

/* ---- messages ---------------------------------------------------------------------------------------------------- */

static void add_message(int world_rank, uint64_t bytes)
{
    struct pithi_time_self *self = &pithi_time_self;

    pithi_time_add(&self->last->messages, 1);
    pithi_time_add(&self->last->bytes, bytes);
    if (pithi_time_partners && world_rank >= 0)
        pithi_time_partner_add(&self->thread->partners, &self->thread->partner_room, &self->thread->partner_count,
                               world_rank, 1, bytes);
}

static int world_rank_of(MPI_Comm handle, int peer)
{
    const struct pithi_time_comm *comm = pithi_time_partners ? pithi_time_comm_find(handle) : NULL;

    return comm ? pithi_time_world_rank(comm, peer) : -1;
}

void pithi_time_send(MPI_Comm comm, int peer, MPI_Count count, MPI_Datatype type)
{
    if (pithi_time_self.last && peer != MPI_PROC_NULL)
        add_message(world_rank_of(comm, peer), pithi_type_bytes(count, type));
}

/* ---- persistent requests: what each start sends ------------------------------------------------------------------ */

struct prepared {
    int is_message, world_rank; /* is_message: 0: a collective */
    uint64_t bytes;
};
static int client;

static int reused(void *data)
{
    (void)data;
    return 1;
}

void pithi_time_requests_begin(void)
{
    static const struct pithi_request_client prepared = {.size_bytes = sizeof(struct prepared), .reused = reused};
    static int is_registered; /* a program may begin with a session and call MPI_Init later */

    if (!is_registered)
        client = pithi_request_register(&prepared);
    is_registered = 1;
}

static void prepare(MPI_Request handle, int is_message, int world_rank, uint64_t bytes)
{
    struct pithi_request *request = pithi_request_open(pithi_request_key(handle), client);

    if (!request)
        return;
    *(struct prepared *)pithi_request_data(request, client) = (struct prepared){is_message, world_rank, bytes};
    pithi_request_close();
}

void pithi_time_send_init(int result, MPI_Comm comm, int peer, MPI_Count count, MPI_Datatype type,
                          const MPI_Request *request)
{
    if (result != MPI_SUCCESS || !pithi_time_self.last || peer == MPI_PROC_NULL)
        return;
    prepare(*request, 1, world_rank_of(comm, peer), pithi_type_bytes(count, type));
}

void pithi_time_start(int count, const MPI_Request *requests)
{
    for (int i = 0; i < count && pithi_time_self.last && pithi_request_any(); i++) {
        struct pithi_request *request = pithi_request_find(pithi_request_key(requests[i]), client);
        const struct prepared *prepared = request ? pithi_request_data(request, client) : NULL;
        if (prepared && prepared->is_message)
            add_message(prepared->world_rank, prepared->bytes);
        else if (prepared)
            pithi_time_add(&pithi_time_self.last->bytes, prepared->bytes);
    }
}

void pithi_time_forget(const MPI_Request *handle)
{
    struct pithi_request *request = pithi_request_any() ? pithi_request_find(pithi_request_key(*handle), client) : NULL;

    if (request)
        pithi_request_forget(request, client);
}

/* ---- collectives ------------------------------------------------------------------------------------------------- */

static int counts(void) { return pithi_time_self.last != NULL; }

static MPI_Count count_at(struct pithi_time_counts counts_, int i)
{
    return counts_.is_wide ? ((const MPI_Count *)counts_.at)[i] : ((const int *)counts_.at)[i];
}

static uint64_t sum(struct pithi_time_counts counts_, int members, MPI_Datatype type)
{
    MPI_Count all = 0;

    for (int i = 0; i < members; i++)
        all += count_at(counts_, i);
    return pithi_type_bytes(all, type);
}

/* The communicator if this process is the root, else NULL. The root of an intercommunicator passes MPI_ROOT; a rank
 * names a root in the other group, and may equal this process's own rank. */
static const struct pithi_time_comm *as_root(MPI_Comm handle, int root)
{
    const struct pithi_time_comm *comm = counts() ? pithi_time_comm_find(handle) : NULL;

    return comm && root == (comm->is_inter ? MPI_ROOT : comm->rank) ? comm : NULL;
}

void pithi_time_root(MPI_Comm handle, int root, MPI_Count count, MPI_Datatype type, int to_each)
{
    const struct pithi_time_comm *comm = as_root(handle, root);

    if (comm)
        pithi_time_self.given = pithi_type_bytes(count, type) * (uint64_t)(to_each ? comm->peers : 1);
}

void pithi_time_rootv(MPI_Comm handle, int root, struct pithi_time_counts counts_, MPI_Datatype type)
{
    const struct pithi_time_comm *comm = as_root(handle, root);

    if (comm)
        pithi_time_self.given = sum(counts_, comm->peers, type);
}

void pithi_time_give(const void *from, MPI_Count count, MPI_Datatype type)
{
    if (counts() && from != MPI_IN_PLACE)
        pithi_time_self.given = pithi_type_bytes(count, type);
}

void pithi_time_to_root(int root, const void *from, MPI_Count count, MPI_Datatype type)
{
    if (root >= 0)
        pithi_time_give(from, count, type);
}

static const struct pithi_time_comm *to_each(MPI_Comm handle, const void *from)
{
    return counts() && from != MPI_IN_PLACE ? pithi_time_comm_find(handle) : NULL;
}

void pithi_time_each(MPI_Comm handle, const void *from, MPI_Count count, MPI_Datatype type)
{
    const struct pithi_time_comm *comm = to_each(handle, from);

    if (comm)
        pithi_time_self.given = pithi_type_bytes(count, type) * (uint64_t)comm->peers;
}

void pithi_time_eachv(MPI_Comm handle, const void *from, struct pithi_time_counts counts_, MPI_Datatype type)
{
    const struct pithi_time_comm *comm = to_each(handle, from);

    if (comm)
        pithi_time_self.given = sum(counts_, comm->peers, type);
}

void pithi_time_eachw(MPI_Comm handle, const void *from, struct pithi_time_counts counts_, const MPI_Datatype *types)
{
    const struct pithi_time_comm *comm = to_each(handle, from);

    for (int i = 0; comm && i < comm->peers; i++)
        pithi_time_self.given += pithi_type_bytes(count_at(counts_, i), types[i]);
}

void pithi_time_share(MPI_Comm handle, MPI_Count count, MPI_Datatype type)
{
    const struct pithi_time_comm *comm = to_each(handle, NULL);

    if (comm)
        pithi_time_self.given = pithi_type_bytes(count, type) * (uint64_t)comm->size;
}

void pithi_time_shares(MPI_Comm handle, struct pithi_time_counts counts_, MPI_Datatype type)
{
    const struct pithi_time_comm *comm = to_each(handle, NULL);

    if (comm)
        pithi_time_self.given = sum(counts_, comm->size, type);
}

void pithi_time_neighbours(MPI_Comm handle, MPI_Count count, MPI_Datatype type)
{
    const struct pithi_time_comm *comm = to_each(handle, NULL);

    if (comm)
        pithi_time_self.given = pithi_type_bytes(count, type) * (uint64_t)comm->out_degree;
}

void pithi_time_neighboursv(MPI_Comm handle, struct pithi_time_counts counts_, MPI_Datatype type)
{
    const struct pithi_time_comm *comm = to_each(handle, NULL);

    if (comm)
        pithi_time_self.given = sum(counts_, comm->out_degree, type);
}

void pithi_time_neighboursw(MPI_Comm handle, struct pithi_time_counts counts_, const MPI_Datatype *types)
{
    const struct pithi_time_comm *comm = to_each(handle, NULL);

    for (int i = 0; comm && i < comm->out_degree; i++)
        pithi_time_self.given += pithi_type_bytes(count_at(counts_, i), types[i]);
}

void pithi_time_given(void)
{
    if (counts())
        pithi_time_add(&pithi_time_self.last->bytes, pithi_time_self.given);
}

void pithi_time_given_later(int result, const MPI_Request *request)
{
    if (result == MPI_SUCCESS && counts() && pithi_time_self.given)
        prepare(*request, 0, -1, pithi_time_self.given);
}
