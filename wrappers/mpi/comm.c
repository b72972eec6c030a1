/* comm.c - the table of communicators, their keys and their world ranks. */
#include "comm.h"

#include "coll.h"
#include "job.h"
#include "lock.h"
#include "message.h"
#include "pith_tool.h"
#include "ranks.h"
#include "real.h"
#include "state.h"

#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 256, CACHED = 8 };

static struct pithi_table comms = PITHI_TABLE;
static struct pithi_comm *retired; /* freed, but open requests may still refer to them */
struct pithi_comm pithi_comm_world;
static MPI_Group world_group;
static int own_rank; /* in world_group */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* A per-thread cache of handles. MPI may reuse a freed handle for another communicator, so a change of `generation`
 * invalidates all caches. */
static unsigned generation = 1;
static __thread struct {
    unsigned generation;
    MPI_Comm handle[CACHED];
    struct pithi_comm *comm[CACHED];
} cache __attribute__((tls_model("initial-exec")));

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash ^= value;
    hash *= UINT64_C(0x9e3779b97f4a7c15);
    hash ^= hash >> 29;
    hash *= UINT64_C(0xbf58476d1ce4e5b9);
    return hash ^ hash >> 32;
}

static uint64_t mix_ranks(uint64_t hash, const int32_t *ranks, int count, int is_world_like)
{
    hash = mix(hash, (uint64_t)count);
    for (int i = 0; i < count; i++)
        hash = mix(hash, (uint32_t)(is_world_like ? i : ranks[i]));
    return hash;
}

/* ---- numbering of equal creations -------------------------------------------------------------------------------- */

struct count {
    uint64_t hash;
    uint64_t count;
    struct count *next;
};
static struct count *counts[BUCKETS];

static uint64_t count_before(uint64_t hash)
{
    struct count **at = &counts[hash % BUCKETS];

    while (*at && (*at)->hash != hash)
        at = &(*at)->next;
    if (!*at && !(*at = calloc(1, sizeof **at)))
        return 0;
    (*at)->hash = hash;
    return (*at)->count++;
}

/* Never 0, which is the key of MPI_COMM_WORLD. */
static uint64_t key_numbered(uint64_t hash)
{
    pithi_lock(&lock);
    uint64_t key = mix(hash, count_before(hash));
    pithi_unlock(&lock);
    return key ? key : 1;
}

/* ---- members ----------------------------------------------------------------------------------------------------- */

/* The world ranks of a group's members; -1 for members in another job. */
static int translate(MPI_Group group, int32_t *ranks)
{
    int size, *found = pithi_ranks_in(group, world_group, &size);

    for (int i = 0; found && i < size; i++)
        ranks[i] = found[i];
    free(found);
    return found != NULL;
}

int32_t *pithi_comm_group(MPI_Group group, int *size) { return pithi_ranks_in(group, world_group, size); }

static int find_members(struct pithi_comm *comm)
{
    MPI_Group group, remote = MPI_GROUP_NULL;
    int inter = 0;

    if (REAL(MPI_Comm_test_inter)(comm->handle, &inter) != MPI_SUCCESS ||
        REAL(MPI_Comm_group)(comm->handle, &group) != MPI_SUCCESS)
        return 0;
    REAL(MPI_Group_size)(group, &comm->size);
    REAL(MPI_Group_rank)(group, &comm->rank);
    if (inter && REAL(MPI_Comm_remote_group)(comm->handle, &remote) == MPI_SUCCESS)
        REAL(MPI_Group_size)(remote, &comm->remote_size);
    comm->world_ranks = malloc((size_t)(comm->size + comm->remote_size + 1) * sizeof *comm->world_ranks);
    int good = comm->world_ranks && translate(group, comm->world_ranks);
    if (good && comm->remote_size)
        good = translate(remote, comm->world_ranks + comm->size);
    REAL(MPI_Group_free)(&group);
    if (remote != MPI_GROUP_NULL)
        REAL(MPI_Group_free)(&remote);
    return good;
}

static void define(struct pithi_comm *comm)
{
    struct pith_comm definition = {
        .key = comm->key,
        .rank = comm->rank,
        .size = comm->size,
        .world_ranks = comm->world_ranks,
        .remote_size = comm->remote_size,
        .remote_ranks = comm->world_ranks + comm->size,
    };

    comm->id = pith_comm_define(&definition);
    int same = comm->size == pithi_comm_world.size && !comm->remote_size;
    for (int i = 0; same && i < comm->size; i++)
        same = comm->world_ranks[i] == i;
    if (same) {
        free(comm->world_ranks);
        comm->world_ranks = NULL;
        comm->is_world_like = 1;
    }
}

static uint64_t key_of(const struct pithi_comm *comm, enum pithi_comm_kind kind, uint64_t parent)
{
    const int32_t *local = comm->world_ranks;

    if (!comm->remote_size)
        return key_numbered(mix_ranks(mix(mix(2, (uint64_t)kind), parent), local, comm->size, comm->is_world_like));
    const int32_t *remote = local + comm->size;
    int local_first = local[0] <= remote[0];
    uint64_t hash = mix(3, (uint64_t)(kind == PITHI_COMM_INTER ? 0 : kind));
    hash = mix_ranks(hash, local_first ? local : remote, local_first ? comm->size : comm->remote_size, 0);
    hash = mix_ranks(hash, local_first ? remote : local, local_first ? comm->remote_size : comm->size, 0);
    return key_numbered(mix(hash, kind == PITHI_COMM_INTER ? 0 : parent));
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static void enter(struct pithi_comm *comm) { pithi_table_put(&comms, pithi_comm_key(comm->handle), &comm->table); }

static struct pithi_comm *take(MPI_Comm handle)
{
    struct pithi_comm *comm = pithi_table_take(&comms, pithi_comm_key(handle));

    __atomic_add_fetch(&generation, 1, __ATOMIC_RELEASE);
    return comm;
}

static void retire(struct pithi_comm *comm)
{
    pithi_lock(&lock);
    comm->next = retired;
    retired = comm;
    for (struct pithi_comm **at = &retired; *at;) {
        struct pithi_comm *dead = *at;
        if (__atomic_load_n(&dead->open_requests, __ATOMIC_ACQUIRE)) {
            at = &dead->next;
            continue;
        }
        *at = dead->next;
        free(dead->world_ranks);
        free(dead);
    }
    pithi_unlock(&lock);
}

static struct pithi_comm *add(MPI_Comm handle, enum pithi_comm_kind kind, uint64_t parent, uint64_t key)
{
    struct pithi_comm *comm = calloc(1, sizeof *comm), *stale = take(handle);

    if (stale) /* freed by a call that has no wrapper */
        retire(stale);
    if (!comm)
        return NULL;
    comm->handle = handle;
    if (!find_members(comm)) {
        free(comm->world_ranks);
        free(comm);
        return NULL;
    }
    comm->key = key ? key : key_of(comm, kind, parent);
    define(comm);
    enter(comm);
    return comm;
}

struct pithi_comm *pithi_comm_find_other(MPI_Comm handle)
{
    if (!pithi_job_up || handle == MPI_COMM_NULL)
        return NULL;
    unsigned now = __atomic_load_n(&generation, __ATOMIC_ACQUIRE);
    if (cache.generation != now) {
        memset(&cache, 0, sizeof cache);
        cache.generation = now;
    }
    unsigned slot = (unsigned)((uint64_t)(uintptr_t)handle * UINT64_C(0x9e3779b97f4a7c15) >> 61);
    if (cache.comm[slot] && cache.handle[slot] == handle)
        return cache.comm[slot];
    struct pithi_comm *comm = pithi_table_find(&comms, pithi_comm_key(handle));
    if (!comm)
        comm = add(handle, PITHI_COMM_OTHER, 0, 0);
    cache.handle[slot] = handle;
    cache.comm[slot] = comm;
    return comm;
}

int pithi_comm_known(MPI_Comm handle, uint32_t *id, uint64_t *key)
{
    const struct pithi_comm *comm = pithi_comm_find(handle);

    if (comm) {
        *id = comm->id;
        *key = comm->key;
    }
    return comm != NULL;
}

void pithi_comm_begin(MPI_Group recorded)
{
    pithi_comm_world.handle = MPI_COMM_WORLD;
    pithi_comm_world.is_world_like = 1;
    REAL(MPI_Comm_group)(MPI_COMM_WORLD, &world_group);
    REAL(MPI_Comm_rank)(MPI_COMM_WORLD, &pithi_comm_world.rank);
    REAL(MPI_Comm_size)(MPI_COMM_WORLD, &pithi_comm_world.size);
    own_rank = pithi_comm_world.rank;
    if (recorded != MPI_GROUP_NULL) {
        world_group = recorded;
        REAL(MPI_Group_rank)(recorded, &own_rank);
        pithi_comm_world.is_world_like = !find_members(&pithi_comm_world);
    }
    enter(&pithi_comm_world);
}

void pithi_comm_begin_group(MPI_Group all)
{
    pithi_comm_world.handle = MPI_COMM_NULL;
    world_group = all;
    REAL(MPI_Group_rank)(all, &own_rank);
    pithi_comm_world.rank = own_rank;
    REAL(MPI_Group_size)(all, &pithi_comm_world.size);
}

int pithi_comm_self(void) { return own_rank; }

int pithi_comm_root(const struct pithi_comm *comm, int root)
{
    if (root == MPI_ROOT)
        return own_rank;
    return pithi_comm_peer(comm, root);
}

/* ---- calls of the user ------------------------------------------------------------------------------------------- */

void pithi_comm_made(int result, enum pithi_comm_kind kind, MPI_Comm parent, const MPI_Comm *made)
{
    if (result != MPI_SUCCESS || !pithi_job_up || !pithi_job_messages || !pithi_self.recorded || *made == MPI_COMM_NULL)
        return;
    const struct pithi_comm *from = parent == MPI_COMM_NULL ? NULL : pithi_comm_find(parent);
    add(*made, kind, from ? from->key : 0, 0);
}

uint64_t pithi_comm_promise(MPI_Comm parent)
{
    const struct pithi_comm *from = pithi_self.recorded && pithi_job_messages ? pithi_comm_find(parent) : NULL;

    return from ? key_of(from, PITHI_COMM_DUP, from->key) : 0;
}

void pithi_comm_pending(int result, uint64_t key, MPI_Comm *made, const MPI_Request *request)
{
    if (key && result == MPI_SUCCESS)
        pithi_coll_numbered(pithi_pending_enter(
            pithi_request_key(*request),
            &(struct pithi_pending){.kind = PITHI_PENDING_COMM, .is_active = 1, .bytes = key, .u.made = made}));
}

void pithi_comm_promised(uint64_t key, MPI_Comm made)
{
    if (pithi_job_up && made != MPI_COMM_NULL)
        add(made, PITHI_COMM_DUP, 0, key);
}

struct pithi_comm *pithi_comm_of_window(const struct pithi_comm *parent)
{
    struct pithi_comm *comm = parent ? calloc(1, sizeof *comm) : NULL;

    if (!comm)
        return NULL;
    *comm = (struct pithi_comm){.handle = MPI_COMM_NULL, .rank = parent->rank, .size = parent->size};
    comm->world_ranks = malloc((size_t)comm->size * sizeof *comm->world_ranks);
    if (!comm->world_ranks) {
        free(comm);
        return NULL;
    }
    for (int i = 0; i < comm->size; i++)
        comm->world_ranks[i] = pithi_comm_peer(parent, i);
    comm->key = key_of(comm, PITHI_COMM_WINDOW, parent->key);
    define(comm);
    pith_comm_name(comm->id, "window");
    return comm;
}

struct pithi_comm *pithi_comm_drop_begin(const MPI_Comm *handle)
{
    if (!pithi_job_up || !pithi_self.recorded || *handle == MPI_COMM_NULL || *handle == MPI_COMM_WORLD)
        return NULL;
    return take(*handle);
}

void pithi_comm_drop_end(int result, struct pithi_comm *comm)
{
    if (!comm)
        return;
    if (result != MPI_SUCCESS) {
        enter(comm);
        return;
    }
    pith_comm_free(comm->id);
    retire(comm);
}

void pithi_comm_named(int result, MPI_Comm handle, const char *name)
{
    const struct pithi_comm *comm = pithi_self.recorded && pithi_job_messages ? pithi_comm_find(handle) : NULL;

    if (comm && result == MPI_SUCCESS)
        pith_comm_name(comm->id, name);
}
