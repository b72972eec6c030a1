/* request.c - a hash table: entries in the order in which they were made, chained in buckets. So thousands of requests,
 * completed as they were posted, are gone through in the order of memory.
 */
#include "request.h"

#include "lock.h"

#include <stdlib.h>

static struct pithi_request *pool;
static uint32_t *buckets;  /* the first entry's place + 1; 0: none */
static size_t room, used;  /* room: of both, a power of two; `used` is also read without the lock */
static uint32_t fresh;     /* entries of the pool from here on were never used */
static uint32_t free_ones; /* place + 1 of the first of those given back */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t key_of(MPI_Request handle) { return (uint64_t)(uintptr_t)handle + 1; }

static uint32_t *bucket_of(uint64_t key)
{
    return &buckets[(size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (room - 1)];
}

static void count_comm(struct pithi_comm *comm, uint32_t step)
{
    if (comm) /* changed under the lock only; read by others */
        __atomic_store_n(&comm->open_requests, __atomic_load_n(&comm->open_requests, __ATOMIC_RELAXED) + step,
                         __ATOMIC_RELEASE);
}

/* Where the place of the entry is kept (+ 1); *0 when there is none. */
static uint32_t *find(uint64_t key)
{
    uint32_t *at = bucket_of(key);

    while (*at && pool[*at - 1].key != key)
        at = &pool[*at - 1].next;
    return at;
}

static void set_used(size_t count) { __atomic_store_n(&used, count, __ATOMIC_RELEASE); }

static int widen(void)
{
    size_t wider = room ? 2 * room : 256;
    struct pithi_request *entries = realloc(pool, wider * sizeof *entries);
    uint32_t *heads = calloc(wider, sizeof *heads);

    if (entries)
        pool = entries;
    if (!entries || !heads) {
        free(heads);
        return 0;
    }
    free(buckets);
    buckets = heads;
    room = wider;
    for (uint32_t i = 0; i < fresh; i++) { /* none was given back, or there would be room */
        uint32_t *head = bucket_of(pool[i].key);
        pool[i].next = *head;
        *head = i + 1;
    }
    return 1;
}

/* A new entry, in no bucket; NULL: no memory. */
static struct pithi_request *take(void)
{
    uint32_t place = free_ones;

    if (place) {
        free_ones = pool[place - 1].next;
        return &pool[place - 1];
    }
    if (fresh == room && !widen())
        return NULL;
    return &pool[fresh++];
}

struct pithi_request *pithi_request_open(MPI_Request handle)
{
    uint64_t key = key_of(handle);
    struct pithi_request *entry;
    uint32_t *at;

    pithi_lock(&lock);
    if (used && *(at = find(key))) { /* completed behind our back */
        entry = &pool[*at - 1];
        count_comm(entry->comm, (uint32_t)-1);
        return entry;
    }
    entry = take();
    if (!entry) {
        pithi_unlock(&lock);
        return NULL;
    }
    at = bucket_of(key);
    entry->key = key;
    entry->place = (uint32_t)(entry - pool);
    entry->next = *at;
    *at = entry->place + 1;
    set_used(used + 1);
    return entry;
}

void pithi_request_close(struct pithi_request *entry)
{
    count_comm(entry->comm, 1);
    pithi_unlock(&lock);
}

void pithi_request_hold(struct pithi_comm *comm, int step)
{
    pithi_lock(&lock);
    count_comm(comm, (uint32_t)step);
    pithi_unlock(&lock);
}

void pithi_request_put(MPI_Request handle, const struct pithi_request *request)
{
    struct pithi_request *entry = pithi_request_open(handle);

    if (!entry)
        return;
    uint64_t key = entry->key;
    uint32_t place = entry->place, next = entry->next;
    *entry = *request;
    entry->key = key;
    entry->place = place;
    entry->next = next;
    pithi_request_close(entry);
}

int pithi_request_any(void) { return __atomic_load_n(&used, __ATOMIC_ACQUIRE) != 0; }

void pithi_request_get(MPI_Request handle, struct pithi_request *copy)
{
    uint32_t place;

    copy->kind = PITHI_REQUEST_NONE;
    pithi_lock(&lock);
    if (used && (place = *find(key_of(handle))))
        *copy = pool[place - 1];
    pithi_unlock(&lock);
}

/* The entry that was copied, if it is still that one; its place stays the same as long as it lives. */
static struct pithi_request *find_copied(const struct pithi_request *copy)
{
    struct pithi_request *entry = &pool[copy->place];

    return entry->key == copy->key && entry->kind == copy->kind ? entry : NULL;
}

void pithi_request_drop(const struct pithi_request *copy)
{
    pithi_lock(&lock);
    struct pithi_request *entry = find_copied(copy);
    if (entry && entry->posted == copy->posted) {
        uint32_t *at = find(copy->key);
        count_comm(entry->comm, (uint32_t)-1);
        *at = entry->next;
        entry->key = 0;
        entry->next = free_ones;
        free_ones = entry->place + 1;
        set_used(used - 1);
    }
    pithi_unlock(&lock);
}

void pithi_request_set(const struct pithi_request *copy)
{
    pithi_lock(&lock);
    struct pithi_request *entry = find_copied(copy);
    if (entry && entry->comm == copy->comm) {
        uint32_t next = entry->next;
        *entry = *copy;
        entry->next = next;
    }
    pithi_unlock(&lock);
}
