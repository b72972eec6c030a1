/* mpe_comm.c - messages, and the communicators they are in.
 *
 * What is known of a communicator hangs on it as an attribute, so it goes with it, and no handle is ever mistaken for
 * one of a communicator that is gone. Its key (struct pith_comm): duplicates have one made of their parent's and their
 * number among its duplicates, for MPI has the attribute copied, in all members. That of others is a hash of their
 * members and of how many with the same members were used before: all processes use those in the same order, or
 * messages are matched in the order of use.
 */
#include "mpe_comm.h"

#include "mpe_log.h"
#include "mpe_session.h"
#include "pith_tool.h"
#include "real.h"

#include <pthread.h>
#include <stdlib.h>

/* Of libpith-mpi (wrappers/mpi/comm.h), where that is: it has the communicator in the log already. */
int pithi_comm_known(MPI_Comm handle, uint32_t *id, uint64_t *key) __attribute__((weak));

struct known {
    uint32_t id;
    int is_theirs;   /* libpith-mpi's, which defines and frees it */
    unsigned number; /* of the log that it is defined in */
    uint64_t key;
    int rank, size, remote_size;
    int32_t ranks[]; /* size, then remote_size */
};

/* The attribute. */
struct held {
    uint64_t key, duplicates; /* key 0: to be made of the members */
    struct known *known;      /* NULL: not looked at */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int keyval = MPI_KEYVAL_INVALID;

/* ---- The attribute ----------------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static int not_copied(MPI_Comm comm, int key, void *extra, void *value, void *out, int *flag)
{
    (void)comm, (void)key, (void)extra, (void)value, (void)out;
    *flag = 0;
    return MPI_SUCCESS;
}

static int duplicate(MPI_Comm comm, int key, void *extra, void *value, void *out, int *flag)
{
    struct held *parent = value, *child = calloc(1, sizeof *child);

    (void)comm, (void)key, (void)extra;
    parent->duplicates++;
    *flag = child != NULL;
    if (child && parent->key)
        child->key = mix(parent->key, parent->duplicates) | 1;
    *(void **)out = child;
    return MPI_SUCCESS;
}

static int forget(MPI_Comm comm, int key, void *value, void *extra)
{
    struct held *held = value;

    (void)comm, (void)key, (void)extra;
    if (held->known && !held->known->is_theirs && pithi_mpe_running() && held->known->number == pithi_mpe_number)
        pith_comm_free(held->known->id);
    free(held->known);
    free(held);
    return MPI_SUCCESS;
}

static struct held *hold(MPI_Comm handle, uint64_t key)
{
    struct held *held = calloc(1, sizeof *held);

    if (held)
        held->key = key;
    if (held && REAL(MPI_Comm_set_attr)(handle, keyval, held) == MPI_SUCCESS)
        return held;
    free(held);
    return NULL;
}

void pithi_mpe_comm_begin(void)
{
    if (keyval == MPI_KEYVAL_INVALID && REAL(MPI_Comm_create_keyval)(duplicate, forget, &keyval, NULL) == MPI_SUCCESS)
        hold(MPI_COMM_WORLD, 1);
}

/* ---- Members ----------------------------------------------------------------------------------------------------- */

/* The world ranks of a group's members; -1 for those of another job. */
static int translate(MPI_Group group, int size, int32_t *ranks)
{
    int *from = malloc((size_t)size * sizeof *from), *to = malloc((size_t)size * sizeof *to), good = from && to;
    MPI_Group world;

    for (int i = 0; good && i < size; i++)
        from[i] = i;
    if (good && REAL(MPI_Comm_group)(MPI_COMM_WORLD, &world) == MPI_SUCCESS) {
        good = REAL(MPI_Group_translate_ranks)(group, size, from, world, to) == MPI_SUCCESS;
        REAL(MPI_Group_free)(&world);
        for (int i = 0; good && i < size; i++)
            ranks[i] = to[i] == MPI_UNDEFINED ? -1 : to[i];
    }
    free(from);
    free(to);
    return good;
}

/* Both sides of an intercommunicator must come to the same: the side with the smaller first rank first. */
static uint64_t hash_of(const struct known *known)
{
    const int32_t *sides[2] = {known->ranks, known->ranks + known->size};
    int sizes[2] = {known->size, known->remote_size}, first = sizes[1] > 0 && sides[1][0] < sides[0][0];
    uint64_t hash = 77;

    for (int side = 0; side < 2; side++) {
        int at = side ^ first;
        hash = mix(hash, (uint64_t)sizes[at]);
        for (int i = 0; i < sizes[at]; i++)
            hash = mix(hash, (uint32_t)sides[at][i]);
    }
    return hash;
}

/* How many with this hash there were before; under the lock. */
static uint64_t count_before(uint64_t hash)
{
    static struct {
        uint64_t hash, count;
    } * counts;
    static size_t used, room;
    size_t i = 0;

    while (i < used && counts[i].hash != hash)
        i++;
    if (i == used && used == room) {
        void *more = realloc(counts, (room + 64) * sizeof *counts);
        if (!more)
            return 0;
        counts = more;
        room += 64;
    }
    if (i == used) {
        counts[used].hash = hash;
        counts[used++].count = 0;
    }
    return counts[i].count++;
}

static struct known *look_at(MPI_Comm handle)
{
    MPI_Group group, remote = MPI_GROUP_NULL;
    int inter = 0, size = 0, remote_size = 0, rank = 0;

    REAL(MPI_Comm_test_inter)(handle, &inter);
    if (REAL(MPI_Comm_group)(handle, &group) != MPI_SUCCESS)
        return NULL;
    REAL(MPI_Group_size)(group, &size);
    REAL(MPI_Group_rank)(group, &rank);
    if (inter && REAL(MPI_Comm_remote_group)(handle, &remote) == MPI_SUCCESS)
        REAL(MPI_Group_size)(remote, &remote_size);
    struct known *known = calloc(1, sizeof *known + (size_t)(size + remote_size) * sizeof *known->ranks);
    if (known) {
        *known = (struct known){.rank = rank, .size = size, .remote_size = remote_size};
        if (!translate(group, size, known->ranks) ||
            (remote_size && !translate(remote, remote_size, known->ranks + size))) {
            free(known);
            known = NULL;
        }
    }
    REAL(MPI_Group_free)(&group);
    if (remote != MPI_GROUP_NULL)
        REAL(MPI_Group_free)(&remote);
    return known;
}

/* ---- Look-up ----------------------------------------------------------------------------------------------------- */

static struct known *enter(MPI_Comm handle, struct held *held)
{
    struct known *known = look_at(handle);

    if (!known)
        return NULL;
    if (!held->key)
        held->key = mix(hash_of(known), count_before(hash_of(known))) | 1;
    known->key = held->key;
    held->known = known;
    return known;
}

/* Defined in the log that is under way. */
static void define(MPI_Comm handle, struct known *known)
{
    struct pith_comm told = {.key = known->key,
                             .rank = known->rank,
                             .size = known->size,
                             .world_ranks = known->ranks,
                             .remote_size = known->remote_size,
                             .remote_ranks = known->ranks + known->size};

    if (known->number == pithi_mpe_number)
        return;
    known->is_theirs = pithi_comm_known && pithi_comm_known(handle, &known->id, &known->key);
    if (!known->is_theirs)
        known->id = pith_comm_define(&told);
    known->number = pithi_mpe_number;
}

static struct known *find(MPI_Comm handle)
{
    void *value = NULL;
    int flag = 0;

    if (keyval == MPI_KEYVAL_INVALID || REAL(MPI_Comm_get_attr)(handle, keyval, &value, &flag) != MPI_SUCCESS)
        return NULL;
    struct held *held = flag ? value : hold(handle, 0);
    struct known *known = held && !held->known ? enter(handle, held) : held ? held->known : NULL;
    if (known)
        define(handle, known);
    return known;
}

int pithi_mpe_peer(MPI_Comm handle, int rank, uint32_t *id, int32_t *world_rank)
{
    *id = 0;
    *world_rank = rank;
    if (handle == MPI_COMM_WORLD)
        return rank >= 0 && rank < pithi_mpe_ranks;
    if (handle == MPI_COMM_NULL || rank < 0)
        return 0;
    pthread_mutex_lock(&lock);
    const struct known *known = find(handle);
    int peers = known ? known->remote_size ? known->remote_size : known->size : 0, good = rank < peers;
    if (good) {
        *id = known->id;
        *world_rank = known->ranks[(known->remote_size ? known->size : 0) + rank];
    }
    pthread_mutex_unlock(&lock);
    return good && *world_rank >= 0;
}

uint32_t pithi_mpe_comm(MPI_Comm handle, uint64_t *key)
{
    uint32_t id = 0;

    *key = 0;
    if (handle == MPI_COMM_WORLD || handle == MPI_COMM_NULL)
        return 0;
    pthread_mutex_lock(&lock);
    const struct known *known = find(handle);
    if (known) {
        *key = known->key;
        id = known->id;
    }
    pthread_mutex_unlock(&lock);
    return id;
}

/* ---- The end ----------------------------------------------------------------------------------------------------- */

static void (*at_finalize)(void);

/* MPI_Finalize begins by freeing what hangs on MPI_COMM_SELF. */
static int self_ends(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    at_finalize();
    return MPI_SUCCESS;
}

void pithi_mpe_at_finalize(void (*finish)(void))
{
    int key = MPI_KEYVAL_INVALID;

    if (at_finalize)
        return;
    at_finalize = finish;
    if (REAL(MPI_Comm_create_keyval)(not_copied, self_ends, &key, NULL) == MPI_SUCCESS)
        REAL(MPI_Comm_set_attr)(MPI_COMM_SELF, key, NULL);
}
