/* sent.c - messages and bytes of the call that just ended. The sizes of datatypes, persistent requests. */
#include "partners.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- sizes: each thread keeps those of the types it used last ---------------------------------------------------- */

enum { CACHED = 8 };
static unsigned generation = 1;
static __thread struct {
    unsigned generation;
    MPI_Datatype type[CACHED];
    uint64_t size[CACHED]; /* + 1; 0: empty */
} sizes __attribute__((tls_model("initial-exec")));

void pithi_time_type_gone(void) { __atomic_add_fetch(&generation, 1, __ATOMIC_RELEASE); }

static uint64_t bytes_of(MPI_Count count, MPI_Datatype type)
{
    unsigned now = __atomic_load_n(&generation, __ATOMIC_ACQUIRE);
    unsigned slot = (unsigned)((uint64_t)(uintptr_t)type * UINT64_C(0x9e3779b97f4a7c15) >> 61);
    MPI_Count size = 0;

    if (count <= 0 || type == MPI_DATATYPE_NULL)
        return 0;
    if (sizes.generation != now) {
        memset(&sizes, 0, sizeof sizes);
        sizes.generation = now;
    }
    if (!sizes.size[slot] || sizes.type[slot] != type) {
        if (REAL(MPI_Type_size_x)(type, &size) != MPI_SUCCESS || size < 0)
            return 0;
        sizes.type[slot] = type;
        sizes.size[slot] = (uint64_t)size + 1;
    }
    return (uint64_t)count * (sizes.size[slot] - 1);
}

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
        add_message(world_rank_of(comm, peer), bytes_of(count, type));
}

/* ---- persistent requests: a hash table of those that give data --------------------------------------------------- */

struct prepared {
    struct prepared *next;
    MPI_Request request;
    int is_message, world_rank; /* is_message: 0: a collective */
    uint64_t bytes;
};
enum { BUCKETS = 1024 };
static struct prepared *buckets[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct prepared **find(MPI_Request request)
{
    struct prepared **at = &buckets[(uint64_t)(uintptr_t)request * UINT64_C(0x9e3779b97f4a7c15) >> 54];

    while (*at && (*at)->request != request)
        at = &(*at)->next;
    return at;
}

static void prepare(MPI_Request request, int is_message, int world_rank, uint64_t bytes)
{
    pthread_mutex_lock(&lock);
    struct prepared **at = find(request);
    if (!*at)
        *at = calloc(1, sizeof **at);
    if (*at) {
        (*at)->request = request;
        (*at)->is_message = is_message;
        (*at)->world_rank = world_rank;
        (*at)->bytes = bytes;
    }
    pthread_mutex_unlock(&lock);
}

void pithi_time_send_init(int result, MPI_Comm comm, int peer, MPI_Count count, MPI_Datatype type,
                          const MPI_Request *request)
{
    if (result != MPI_SUCCESS || !pithi_time_self.last || peer == MPI_PROC_NULL)
        return;
    prepare(*request, 1, world_rank_of(comm, peer), bytes_of(count, type));
}

void pithi_time_start(int count, const MPI_Request *requests)
{
    if (!pithi_time_self.last)
        return;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < count; i++) {
        const struct prepared *prepared = *find(requests[i]);
        if (prepared && prepared->is_message)
            add_message(prepared->world_rank, prepared->bytes);
        else if (prepared)
            pithi_time_add(&pithi_time_self.last->bytes, prepared->bytes);
    }
    pthread_mutex_unlock(&lock);
}

void pithi_time_forget(const MPI_Request *request)
{
    pthread_mutex_lock(&lock);
    struct prepared **at = find(*request), *gone = *at;
    if (gone)
        *at = gone->next;
    pthread_mutex_unlock(&lock);
    free(gone);
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
    return bytes_of(all, type);
}

/* NULL: this process is not the root. The root of an intercommunicator says MPI_ROOT; a rank there is that of a root in
 * the other group, which may be this process's own rank as well. */
static const struct pithi_time_comm *as_root(MPI_Comm handle, int root)
{
    const struct pithi_time_comm *comm = counts() ? pithi_time_comm_find(handle) : NULL;

    return comm && root == (comm->is_inter ? MPI_ROOT : comm->rank) ? comm : NULL;
}

void pithi_time_root(MPI_Comm handle, int root, MPI_Count count, MPI_Datatype type, int to_each)
{
    const struct pithi_time_comm *comm = as_root(handle, root);

    if (comm)
        pithi_time_self.given = bytes_of(count, type) * (uint64_t)(to_each ? comm->peers : 1);
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
        pithi_time_self.given = bytes_of(count, type);
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
        pithi_time_self.given = bytes_of(count, type) * (uint64_t)comm->peers;
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
        pithi_time_self.given += bytes_of(count_at(counts_, i), types[i]);
}

void pithi_time_share(MPI_Comm handle, MPI_Count count, MPI_Datatype type)
{
    const struct pithi_time_comm *comm = to_each(handle, NULL);

    if (comm)
        pithi_time_self.given = bytes_of(count, type) * (uint64_t)comm->size;
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
        pithi_time_self.given = bytes_of(count, type) * (uint64_t)comm->out_degree;
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
        pithi_time_self.given += bytes_of(count_at(counts_, i), types[i]);
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
