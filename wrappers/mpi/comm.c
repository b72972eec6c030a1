/* comm.c - the keys of communicators, and their definitions in the log.
 *
 * All members must compute the same key for a communicator without a message, and no two communicators of a job may
 * have the same key. So a key is a hash of facts that all members know: the list of members, the kind of call and the
 * parent communicator, and the number of communicators that were made before with the same three. All members have the
 * same number, because the standard requires the same order of collective calls in all members:
 *
 *     MPI_Comm_split of the world makes {0, 2}          key: hash of (split, world, 0 2), number 0
 *     the same call again                               the same hash, number 1: another key
 *
 * Both groups of an intercommunicator must compute the same key, so the group with the lower first rank comes first in
 * the hash. Only MPI_COMM_WORLD has the key 0. */
#include "comm.h"

#include "coll.h"
#include "message.h"
#include "pith_tool.h"
#include "state.h"

#include <stdlib.h>

enum { BUCKETS = 256 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

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

/* ---- Numbers of creations with the same hash --------------------------------------------------------------------- */

struct count {
    uint64_t hash;  /* of parent, kind and members */
    uint64_t count; /* communicators made with this hash so far */
    struct count *next;
};
static struct count *counts[BUCKETS]; /* by hash, linked */

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

/* Returns the hash, with the number of earlier creations with the same hash mixed in. The result is never 0, which is
 * the key of MPI_COMM_WORLD. */
static uint64_t key_numbered(uint64_t hash)
{
    pithi_lock(&lock);
    uint64_t key = mix(hash, count_before(hash));
    pithi_unlock(&lock);
    return key ? key : 1;
}

/* ---- definitions ------------------------------------------------------------------------------------------------- */

/* Returns the key of a communicator. `parent`: the parent's key, not used for an intercommunicator made of two
 * groups. */
static uint64_t key_of(const struct pithi_handle *comm, enum pithi_comm_kind kind, uint64_t parent)
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

/* Defines the communicator in the log. Lists of ranks 0, 1, 2 ... are not stored in the handle, but made here. */
static void define(struct pithi_handle *comm, uint64_t key)
{
    int32_t *ranks = comm->world_ranks;

    if (comm->is_world_like && !(ranks = malloc((size_t)comm->size * sizeof *ranks)))
        return;
    for (int i = 0; comm->is_world_like && i < comm->size; i++)
        ranks[i] = i;
    struct pith_comm definition = {
        .key = key,
        .rank = comm->rank,
        .size = comm->size,
        .world_ranks = ranks,
        .remote_size = comm->remote_size,
        .remote_ranks = ranks + comm->size,
    };
    pithi_comm_of(comm)->key = key;
    pithi_comm_of(comm)->id = pith_comm_define(&definition);
    pithi_handle_use(comm, PITHI_CLIENT_LIBRARY);
    if (comm->is_world_like)
        free(ranks);
}

/* See comm.h. Called for every communicator but MPI_COMM_WORLD. Defines the communicator if the log does not have it.
 * The lock lets only one of several threads define it. */
struct pithi_handle *pithi_comm_find_other(MPI_Comm handle)
{
    static pthread_mutex_t defining = PTHREAD_MUTEX_INITIALIZER;
    struct pithi_handle *comm = pithi_job_up ? pithi_handle_of_comm(handle) : NULL;

    if (!comm || pithi_handle_has(comm, PITHI_CLIENT_LIBRARY))
        return comm;
    pithi_lock(&defining);
    if (!pithi_handle_has(comm, PITHI_CLIENT_LIBRARY))
        define(comm, key_of(comm, PITHI_COMM_OTHER, 0));
    pithi_unlock(&defining);
    return pithi_handle_has(comm, PITHI_CLIENT_LIBRARY) ? comm : NULL;
}

int pithi_comm_known(MPI_Comm handle, uint32_t *id, uint64_t *key)
{
    const struct pithi_handle *comm = pithi_comm_find(handle);

    if (comm) {
        *id = pithi_comm_of(comm)->id;
        *key = pithi_comm_of(comm)->key;
    }
    return comm != NULL;
}

/* Records the end of a communicator. The end of a window or a file is recorded before the call that frees it
 * (pithi_detail_freeing). */
static void freed(struct pithi_handle *handle)
{
    if (pithi_job_up && handle->handle != MPI_COMM_NULL && pithi_comm_of(handle)->id)
        pith_comm_free(pithi_comm_of(handle)->id);
}

void pithi_comm_begin(MPI_Comm world, MPI_Group recorded)
{
    static const struct pithi_handle_client log = {.freed = freed};

    pithi_handle_register(PITHI_CLIENT_LIBRARY, &log);
    pithi_handles_begin(world, recorded);
    pithi_handle_use(&pithi_handle_world, PITHI_CLIENT_LIBRARY);
}

int pithi_comm_root(const struct pithi_handle *comm, int root)
{
    return root == MPI_ROOT ? pithi_world_rank() : pithi_handle_peer(comm, root);
}

/* ---- calls of the user ------------------------------------------------------------------------------------------- */

static uint64_t key_known(const struct pithi_handle *comm) { return comm ? pithi_comm_of(comm)->key : 0; }

void pithi_comm_made(int result, enum pithi_comm_kind kind, MPI_Comm parent, const MPI_Comm *made)
{
    if (result != MPI_SUCCESS || !pithi_job_up || !pithi_job_messages || !pithi_self.recorded)
        return;
    struct pithi_handle *comm = pithi_handle_get(pithi_comm_key(*made));
    if (comm)
        define(comm, key_of(comm, kind, key_known(pithi_comm_find(parent))));
}

uint64_t pithi_comm_promise(MPI_Comm parent)
{
    const struct pithi_handle *from = pithi_self.recorded && pithi_job_messages ? pithi_comm_find(parent) : NULL;

    return from ? key_of(from, PITHI_COMM_DUP, key_known(from)) : 0;
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
    pithi_handle_comm_made(made);
    struct pithi_handle *comm = pithi_job_up && made != MPI_COMM_NULL ? pithi_handle_get(pithi_comm_key(made)) : NULL;
    if (comm)
        define(comm, key);
}

void pithi_comm_made_on(struct pithi_handle *made, enum pithi_comm_kind kind, MPI_Comm parent)
{
    define(made, key_of(made, kind, key_known(pithi_comm_find(parent))));
    pith_comm_name(pithi_comm_of(made)->id, kind == PITHI_COMM_FILE ? "file" : "window");
}

void pithi_comm_named(int result, MPI_Comm handle, const char *name)
{
    const struct pithi_handle *comm = pithi_self.recorded && pithi_job_messages ? pithi_comm_find(handle) : NULL;

    if (comm && result == MPI_SUCCESS)
        pith_comm_name(pithi_comm_of(comm)->id, name);
}
