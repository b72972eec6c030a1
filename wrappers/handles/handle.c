/* handle.c - a hash table of communicators, windows and files, with chains, and the members of each communicator. A
 * program has few of these at a time.
 *
 * The program may free a communicator while a request on it is pending, and MPI may give the same handle to a new one:
 *
 *     MPI_Irecv on 0x84    the request holds entry A
 *     MPI_Comm_free        A leaves the table, but stays in memory (`retired`)
 *     MPI_Comm_dup         the new communicator has the handle 0x84, too, and gets the entry B
 *     MPI_Wait             the receive is recorded with A; then nothing holds A, and the next sweep frees A */
#include "handle.h"

#include "nested.h"
#include "ranks.h"
#include "real.h"

#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 256, CACHED = 8 }; /* CACHED: how many communicators a thread's cache has */

struct pithi_handle pithi_handle_world;
int pithi_many_threads;

static struct pithi_handle *buckets[BUCKETS]; /* by hash, linked */
static struct pithi_handle *retired;          /* entries whose handle was freed, until a sweep releases them */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, entering = PTHREAD_MUTEX_INITIALIZER;
static const struct pithi_handle_client *clients[PITHI_CLIENTS];
static MPI_Group world_group; /* world ranks are ranks in this group; valid while is_up is 1 */
static int is_up, own_rank;   /* is_up: 1: the table is in use; own_rank: this process's rank in world_group */

/* A per-thread cache of communicators. MPI may reuse a freed handle for another communicator, so a change of
 * `generation` invalidates all caches. */
static unsigned generation = 1;
static __thread struct {
    unsigned generation;
    MPI_Comm handle[CACHED];
    struct pithi_handle *entry[CACHED];
} cache __attribute__((tls_model("initial-exec")));

void pithi_lock_begin(void)
{
    int level = MPI_THREAD_SINGLE;

    /* Only with MPI_THREAD_MULTIPLE may several threads call MPI at once. With lower levels, no lock is taken. */
    REAL(MPI_Query_thread)(&level);
    pithi_many_threads |= level == MPI_THREAD_MULTIPLE;
}

void pithi_handle_register(enum pithi_client client, const struct pithi_handle_client *functions)
{
    clients[client] = functions;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* The upper 8 bits of the product choose one of the 256 buckets. */
static struct pithi_handle **bucket_of(uint64_t key) { return &buckets[key * UINT64_C(0x9e3779b97f4a7c15) >> 56]; }

struct pithi_handle *pithi_handle_get(uint64_t key)
{
    pithi_lock(&lock);
    struct pithi_handle *entry = *bucket_of(key);
    while (entry && entry->key != key)
        entry = entry->next;
    pithi_unlock(&lock);
    return entry;
}

struct pithi_handle *pithi_handle_find(uint64_t key, enum pithi_client client)
{
    struct pithi_handle *entry = pithi_handle_get(key);

    return entry && pithi_handle_has(entry, client) ? entry : NULL;
}

/* Moves the entry with this key from the table to `retired`. `only`: if not NULL, moves the entry only if it is this
 * one. */
static void unlink_locked(uint64_t key, const struct pithi_handle *only)
{
    struct pithi_handle **at = bucket_of(key), *entry;

    while (*at && (*at)->key != key)
        at = &(*at)->next;
    if (!(entry = *at) || (only && entry != only))
        return;
    /* The caches of all threads may contain the entry, so they become invalid. */
    *at = entry->next;
    entry->next = retired;
    retired = entry;
    __atomic_add_fetch(&generation, 1, __ATOMIC_RELEASE);
}

/* Adds an entry to the table; adds nothing if `entry` is NULL, because there was no memory. Removes an old entry with
 * the same key, whose handle was freed by a call that has no wrapper. */
static void put(struct pithi_handle *entry, uint64_t key)
{
    pithi_lock(&lock);
    unlink_locked(key, NULL);
    if (entry) {
        entry->key = key;
        entry->next = *bucket_of(key);
        *bucket_of(key) = entry;
    }
    pithi_unlock(&lock);
}

/* See handle.h. Calls the clients without holding the lock, because they may look up other handles. */
void pithi_handles_sweep(void)
{
    struct pithi_handle *dead = NULL, *next;

    pithi_lock(&lock);
    for (struct pithi_handle **at = &retired, *entry; (entry = *at);) {
        if (pithi_handle_is_held(entry, PITHI_CLIENT_LIBRARY) ||
            pithi_handle_is_held(entry, PITHI_CLIENT_COMPENSATION)) {
            at = &entry->next;
            continue;
        }
        *at = entry->next;
        entry->next = dead;
        dead = entry;
    }
    pithi_unlock(&lock);
    for (; dead; dead = next) {
        next = dead->next;
        /* The clients free their data before the entry is freed. */
        for (int i = PITHI_CLIENTS; i-- > 0 && dead->is_freed;)
            if (clients[i] && clients[i]->ended && pithi_handle_has(dead, (enum pithi_client)i))
                clients[i]->ended(dead);
        free(dead->world_ranks);
        free(dead);
    }
}

/* ---- members ----------------------------------------------------------------------------------------------------- */

int *pithi_group_world_ranks(MPI_Group group, int *size) { return pithi_ranks_in(group, world_group, size); }

int pithi_world_rank(void) { return own_rank; }

int pithi_comm_is_ours(MPI_Comm comm) { return pithi_comm_is_in(comm, world_group); }

/* Stores the world ranks of a group's members in `ranks`. Returns 0 if there is no memory. */
static int add_world_ranks(MPI_Group group, int32_t *ranks)
{
    int size, *found = pithi_ranks_in(group, world_group, &size);

    for (int i = 0; found && i < size; i++)
        ranks[i] = found[i];
    free(found);
    return found != NULL;
}

int pithi_comm_sizes(MPI_Comm comm, struct pithi_handle *entry)
{
    int inter = 0;

    if (REAL(MPI_Comm_test_inter)(comm, &inter) != MPI_SUCCESS)
        return 0;
    REAL(MPI_Comm_rank)(comm, &entry->rank);
    REAL(MPI_Comm_size)(comm, &entry->size);
    if (inter)
        REAL(MPI_Comm_remote_size)(comm, &entry->remote_size);
    return 1;
}

/* Finds the world ranks of the members. Returns 0 on an error; the communicator then gets no entry. */
static int find_members(struct pithi_handle *entry)
{
    MPI_Group group, remote;

    if (!pithi_comm_sizes(entry->handle, entry) || REAL(MPI_Comm_group)(entry->handle, &group) != MPI_SUCCESS)
        return 0;
    entry->world_ranks = malloc((size_t)(entry->size + entry->remote_size + 1) * sizeof *entry->world_ranks);
    int good = entry->world_ranks && add_world_ranks(group, entry->world_ranks);
    REAL(MPI_Group_free)(&group);
    if (!good || !entry->remote_size)
        return good;
    if (REAL(MPI_Comm_remote_group)(entry->handle, &remote) != MPI_SUCCESS)
        return 0;
    good = add_world_ranks(remote, entry->world_ranks + entry->size);
    REAL(MPI_Group_free)(&remote);
    return good;
}

/* See handle.h. Asks MPI once, and then keeps the neighbours in the entry. */
struct pithi_neighbours pithi_handle_neighbours(struct pithi_handle *entry)
{
    struct pithi_neighbours found;

    if (__atomic_load_n(&entry->knows_neighbours, __ATOMIC_ACQUIRE))
        return entry->neighbours;
    pithi_neighbours(entry->handle, entry->rank, &found);
    pithi_lock(&entering);
    if (!entry->knows_neighbours) {
        entry->neighbours = found;
        __atomic_store_n(&entry->knows_neighbours, 1, __ATOMIC_RELEASE);
    }
    pithi_unlock(&entering);
    return found;
}

/* ---- communicators ----------------------------------------------------------------------------------------------- */

/* Makes an entry for a communicator and returns it, but does not add it to the table; NULL on an error. */
static struct pithi_handle *make(MPI_Comm comm)
{
    struct pithi_handle *entry = calloc(1, sizeof *entry);

    if (!entry)
        return NULL;
    entry->handle = comm;
    if (!find_members(entry)) {
        free(entry->world_ranks);
        free(entry);
        return NULL;
    }
    /* Usually each member's rank is equal to its world rank. Then the list of world ranks is not needed and is
     * freed. */
    int same = entry->size == pithi_handle_world.size && !entry->remote_size;

    for (int i = 0; same && i < entry->size; i++)
        same = entry->world_ranks[i] == i;
    if (same) {
        free(entry->world_ranks);
        entry->world_ranks = NULL;
        entry->is_world_like = 1;
    }
    return entry;
}

struct pithi_handle *pithi_handle_of_comm(MPI_Comm comm)
{
    /* The cache needs no lock. If any handle was freed since the last use, the cache is emptied, because the handle may
     * belong to another communicator now. */
    unsigned now = __atomic_load_n(&generation, __ATOMIC_ACQUIRE);
    unsigned place = (unsigned)((uint64_t)(uintptr_t)comm * UINT64_C(0x9e3779b97f4a7c15) >> 61);

    if (cache.generation != now) {
        memset(&cache, 0, sizeof cache);
        cache.generation = now;
    }
    if (cache.entry[place] && cache.handle[place] == comm)
        return cache.entry[place];
    if (!is_up || comm == MPI_COMM_NULL)
        return NULL;
    struct pithi_handle *entry = pithi_handle_get(pithi_comm_key(comm));
    if (!entry) {
        /* `entering` is a lock only for making entries. Making an entry calls MPI, and meanwhile other threads may need
         * `lock`. */
        pithi_lock(&entering);
        entry = pithi_handle_get(pithi_comm_key(comm)); /* not NULL if another thread has just entered it */
        if (!entry && (entry = make(comm)))
            put(entry, pithi_comm_key(comm));
        pithi_unlock(&entering);
    }
    cache.handle[place] = comm;
    cache.entry[place] = entry;
    return entry;
}

void pithi_handles_begin(MPI_Comm world, MPI_Group recorded)
{
    struct pithi_handle *entry = &pithi_handle_world;

    /* A program that uses only sessions has no MPI_COMM_WORLD; the group `recorded` takes its place. */
    if (world == MPI_COMM_NULL) {
        world_group = recorded;
        REAL(MPI_Group_rank)(recorded, &own_rank);
        entry->rank = own_rank;
        REAL(MPI_Group_size)(recorded, &entry->size);
        is_up = 1;
        return;
    }
    REAL(MPI_Comm_group)(world, &world_group);
    REAL(MPI_Comm_rank)(world, &entry->rank);
    REAL(MPI_Comm_size)(world, &entry->size);
    own_rank = entry->rank;
    entry->is_world_like = 1;
    entry->handle = world;
    /* If only some processes of MPI_COMM_WORLD are recorded, world ranks are their ranks in the group `recorded`. */
    if (recorded != MPI_GROUP_NULL) {
        world_group = recorded;
        REAL(MPI_Group_rank)(recorded, &own_rank);
        entry->is_world_like = !find_members(entry);
    }
    put(entry, pithi_comm_key(world));
    is_up = 1;
}

/* See handle.h. The entries stay in memory. */
void pithi_handles_end(void)
{
    is_up = 0;
    __atomic_add_fetch(&generation, 1, __ATOMIC_RELEASE);
}

/* ---- the program's calls ----------------------------------------------------------------------------------------- */

/* Returns 1 if the program made the present call. Handles that MPI makes for itself are not entered in the table. */
static int counts(void) { return is_up && pithi_self.recorded; }

void pithi_handle_comm_made(MPI_Comm made)
{
    if (counts() && made != MPI_COMM_NULL)
        put(make(made), pithi_comm_key(made));
}

/* Returns a new entry that has the members of the entry `parent`; NULL if there is no parent or no memory. */
static struct pithi_handle *copy(const struct pithi_handle *parent)
{
    struct pithi_handle *entry = parent ? calloc(1, sizeof *entry) : NULL;

    if (!entry)
        return NULL;
    *entry = (struct pithi_handle){
        .handle = MPI_COMM_NULL, .rank = parent->rank, .size = parent->size, .is_world_like = parent->is_world_like};
    if (parent->is_world_like)
        return entry;
    size_t bytes = (size_t)parent->size * sizeof *parent->world_ranks;
    if (!(entry->world_ranks = malloc(bytes))) {
        free(entry);
        return NULL;
    }
    memcpy(entry->world_ranks, parent->world_ranks, bytes);
    return entry;
}

/* Enters a window or file, which has the members of the communicator on which it was made. */
void pithi_handle_made_on(uint64_t key, MPI_Comm comm)
{
    if (counts() && key)
        put(copy(pithi_handle_of_comm(comm)), key);
}

/* Called before MPI_Comm_free and the like. Holds the entry, so that it still exists after the call, and returns it.
 * Returns NULL if the handle has no entry or is never freed. */
struct pithi_handle *pithi_handle_free_begin(uint64_t key)
{
    struct pithi_handle *entry = counts() ? pithi_handle_get(key) : NULL;

    if (!entry || entry->handle == MPI_COMM_WORLD || entry->handle == MPI_COMM_SELF)
        return NULL;
    pithi_handle_hold(entry, PITHI_CLIENT_LIBRARY, 1);
    return entry;
}

/* Called after MPI_Comm_free and the like. During the call, another thread may have got the same handle for a new
 * object; that thread then has removed `entry` from the table already. So this function removes `entry` only if it is
 * still there. */
void pithi_handle_free_end(int result, struct pithi_handle *entry)
{
    if (!entry)
        return;
    if (result == MPI_SUCCESS) {
        pithi_lock(&lock);
        unlink_locked(entry->key, entry);
        pithi_unlock(&lock);
        entry->is_freed = 1;
        for (int i = PITHI_CLIENTS; i-- > 0;)
            if (clients[i] && clients[i]->freed && pithi_handle_has(entry, (enum pithi_client)i))
                clients[i]->freed(entry);
    }
    pithi_handle_hold(entry, PITHI_CLIENT_LIBRARY, -1);
    pithi_handles_sweep();
}
