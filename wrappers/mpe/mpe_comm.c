/* mpe_comm.c - the communicators in which a program records messages and events.
 *
 * The data of a communicator are an attribute of it. So MPI frees them with the communicator, and a new communicator is
 * never mistaken for an old one with the same handle. The key (struct pith_comm) must be the same in all members:
 * - A duplicate's key is made from its parent's key and from its number among the parent's duplicates. MPI copies the
 *   attribute in all members, so all members count the same duplicates.
 * - Any other communicator's key is a hash of its members and of how many communicators with the same members were used
 *   before. For equal counts, all processes must first use such communicators in the same order.
 */
#include "mpe_internal.h"
#include "pith_tool.h"
#include "real.h"

#include <pthread.h>
#include <stdlib.h>

/* Defined in libpith-mpi (wrappers/mpi/comm.h), which may have defined the communicator in the log already. */
int pithi_comm_known(MPI_Comm handle, uint32_t *id, uint64_t *key) __attribute__((weak));

/* The data of a communicator, made at its first use. */
struct mpe_comm {
    uint32_t id;     /* the communicator's id in the log */
    int is_foreign;  /* 1: libpith-mpi defines it in the log and frees it */
    unsigned number; /* pithi_mpe_number of the log in which it is defined */
    uint64_t key;    /* the same in all members */
    /* rank: this process's rank; size: number of members; remote_size: that of the remote group, 0: no such group */
    int rank, size, remote_size;
    /* [size + remote_size] ranks in MPI_COMM_WORLD of the group's members, then of the remote group's; -1: no rank */
    int32_t ranks[];
};

/* The value of the attribute. */
struct attribute {
    uint64_t key, duplicates; /* key: as in struct mpe_comm, 0: not made yet; duplicates: how many were made */
    struct mpe_comm *comm;    /* NULL: the communicator was not used yet */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int keyval = MPI_KEYVAL_INVALID; /* key of the attribute */

/* ---- The attribute ----------------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* The attribute's copy function, which MPI_Comm_dup calls. Gives the duplicate an attribute with a key of its own. */
static int duplicate(MPI_Comm comm, int key, void *extra, void *value, void *out, int *flag)
{
    struct attribute *parent = value, *child = calloc(1, sizeof *child);

    (void)comm, (void)key, (void)extra;
    parent->duplicates++;
    *flag = child != NULL;
    if (child && parent->key)
        child->key = mix(parent->key, parent->duplicates) | 1;
    *(void **)out = child;
    return MPI_SUCCESS;
}

static int free_attribute(MPI_Comm comm, int key, void *value, void *extra)
{
    struct attribute *attribute = value;

    (void)comm, (void)key, (void)extra;
    if (attribute->comm && !attribute->comm->is_foreign && pithi_mpe_running() &&
        attribute->comm->number == pithi_mpe_number)
        pith_comm_free(attribute->comm->id);
    free(attribute->comm);
    free(attribute);
    return MPI_SUCCESS;
}

/* Gives a communicator the attribute, and returns its value; NULL on an error. */
static struct attribute *attach(MPI_Comm handle, uint64_t key)
{
    struct attribute *attribute = calloc(1, sizeof *attribute);

    if (attribute)
        attribute->key = key;
    if (attribute && REAL(MPI_Comm_set_attr)(handle, keyval, attribute) == MPI_SUCCESS)
        return attribute;
    free(attribute);
    return NULL;
}

void pithi_mpe_comm_begin(void)
{
    if (keyval == MPI_KEYVAL_INVALID &&
        REAL(MPI_Comm_create_keyval)(duplicate, free_attribute, &keyval, NULL) == MPI_SUCCESS)
        attach(MPI_COMM_WORLD, 1);
}

/* ---- Members ----------------------------------------------------------------------------------------------------- */

/* Stores the ranks in MPI_COMM_WORLD of a group's members; a member of another job gets -1. Returns 0 on an error. */
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

/* Returns a hash of the members. Both sides of an intercommunicator must compute the same hash, so the side with the
 * smaller first rank comes first. */
static uint64_t hash_of(const struct mpe_comm *comm)
{
    const int32_t *sides[2] = {comm->ranks, comm->ranks + comm->size};
    int sizes[2] = {comm->size, comm->remote_size}, first = sizes[1] > 0 && sides[1][0] < sides[0][0];
    uint64_t hash = 77;

    for (int side = 0; side < 2; side++) {
        int at = side ^ first;
        hash = mix(hash, (uint64_t)sizes[at]);
        for (int i = 0; i < sizes[at]; i++)
            hash = mix(hash, (uint32_t)sides[at][i]);
    }
    return hash;
}

/* Returns how many communicators with this hash were used before, and counts this one. The caller holds the lock. */
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

/* Asks MPI for the members of a communicator. Returns NULL if there is no memory or MPI returns an error. */
static struct mpe_comm *find_members(MPI_Comm handle)
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
    struct mpe_comm *comm = calloc(1, sizeof *comm + (size_t)(size + remote_size) * sizeof *comm->ranks);
    if (comm) {
        *comm = (struct mpe_comm){.rank = rank, .size = size, .remote_size = remote_size};
        if (!translate(group, size, comm->ranks) ||
            (remote_size && !translate(remote, remote_size, comm->ranks + size))) {
            free(comm);
            comm = NULL;
        }
    }
    REAL(MPI_Group_free)(&group);
    if (remote != MPI_GROUP_NULL)
        REAL(MPI_Group_free)(&remote);
    return comm;
}

/* ---- Lookup ------------------------------------------------------------------------------------------------------ */

/* Returns the data of a communicator, after defining the communicator in the present log. Returns NULL if the
 * communicator cannot be used. The caller holds the lock. */
static struct mpe_comm *find(MPI_Comm handle)
{
    void *value = NULL;
    int flag = 0;

    if (keyval == MPI_KEYVAL_INVALID || REAL(MPI_Comm_get_attr)(handle, keyval, &value, &flag) != MPI_SUCCESS)
        return NULL;
    struct attribute *attribute = flag ? value : attach(handle, 0);
    if (!attribute)
        return NULL;
    if (!attribute->comm) {
        struct mpe_comm *comm = find_members(handle);
        if (!comm)
            return NULL;
        if (!attribute->key)
            attribute->key = mix(hash_of(comm), count_before(hash_of(comm))) | 1;
        comm->key = attribute->key;
        attribute->comm = comm;
    }
    struct pith_comm definition = {.key = attribute->comm->key,
                                   .rank = attribute->comm->rank,
                                   .size = attribute->comm->size,
                                   .world_ranks = attribute->comm->ranks,
                                   .remote_size = attribute->comm->remote_size,
                                   .remote_ranks = attribute->comm->ranks + attribute->comm->size};

    if (attribute->comm->number != pithi_mpe_number) {
        attribute->comm->is_foreign =
            pithi_comm_known && pithi_comm_known(handle, &attribute->comm->id, &attribute->comm->key);
        if (!attribute->comm->is_foreign)
            attribute->comm->id = pith_comm_define(&definition);
        attribute->comm->number = pithi_mpe_number;
    }
    return attribute->comm;
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
    const struct mpe_comm *comm = find(handle);
    int peers = comm ? comm->remote_size ? comm->remote_size : comm->size : 0, good = rank < peers;
    if (good) {
        *id = comm->id;
        *world_rank = comm->ranks[(comm->remote_size ? comm->size : 0) + rank];
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
    const struct mpe_comm *comm = find(handle);
    if (comm) {
        *key = comm->key;
        id = comm->id;
    }
    pthread_mutex_unlock(&lock);
    return id;
}

/* ---- The end ----------------------------------------------------------------------------------------------------- */

static void (*at_finalize)(void);

/* The delete function of an attribute of MPI_COMM_SELF. MPI_Finalize calls it before it does anything else. */
static int finish_first(MPI_Comm comm, int key, void *value, void *extra)
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
    if (REAL(MPI_Comm_create_keyval)(pithi_mpe_copy_nothing, finish_first, &key, NULL) == MPI_SUCCESS)
        REAL(MPI_Comm_set_attr)(MPI_COMM_SELF, key, NULL);
}
