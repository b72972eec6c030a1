/* request.c - a hash table with open addressing; deletion moves later entries back, so that it never fills with graves.
 */
#include "request.h"

#include "lock.h"

#include <stdlib.h>

static struct pithi_request *table;
static size_t room, used; /* room: a power of two, at most half used; `used` is also read without the lock */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t key_of(MPI_Request handle) { return (uint64_t)(uintptr_t)handle + 1; }

static size_t place_of(uint64_t key) { return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (room - 1); }

static void count_comm(struct pithi_comm *comm, uint32_t step)
{
    if (comm) /* changed under the lock only; read by others */
        __atomic_store_n(&comm->open_requests, __atomic_load_n(&comm->open_requests, __ATOMIC_RELAXED) + step,
                         __ATOMIC_RELEASE);
}

static struct pithi_request *find(uint64_t key)
{
    for (size_t i = place_of(key);; i = (i + 1) & (room - 1))
        if (table[i].key == key || table[i].key == 0)
            return &table[i];
}

static int widen(void)
{
    struct pithi_request *old = table, *wider;
    size_t old_room = room;

    if (2 * (used + 1) <= room)
        return 1;
    wider = calloc(old_room ? 2 * old_room : 256, sizeof *wider);
    if (!wider)
        return 0;
    table = wider;
    room = old_room ? 2 * old_room : 256;
    for (size_t i = 0; i < old_room; i++)
        if (old[i].key)
            *find(old[i].key) = old[i];
    free(old);
    return 1;
}

struct pithi_request *pithi_request_open(MPI_Request handle)
{
    uint64_t key = key_of(handle);

    pithi_lock(&lock);
    if (!widen()) {
        pithi_unlock(&lock);
        return NULL;
    }
    struct pithi_request *place = find(key);
    if (place->key)
        count_comm(place->comm, (uint32_t)-1);
    else
        __atomic_store_n(&used, used + 1, __ATOMIC_RELEASE);
    place->key = key;
    return place;
}

void pithi_request_close(struct pithi_request *place)
{
    count_comm(place->comm, 1);
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
    struct pithi_request *place = pithi_request_open(handle);

    if (!place)
        return;
    uint64_t key = place->key;
    *place = *request;
    place->key = key;
    pithi_request_close(place);
}

int pithi_request_any(void) { return __atomic_load_n(&used, __ATOMIC_ACQUIRE) != 0; }

void pithi_request_get(MPI_Request handle, struct pithi_request *copy)
{
    copy->kind = PITHI_REQUEST_NONE;
    pithi_lock(&lock);
    if (used) {
        const struct pithi_request *place = find(key_of(handle));
        if (place->key) {
            *copy = *place;
            copy->place = (uint32_t)(place - table);
        }
    }
    pithi_unlock(&lock);
}

static void empty(size_t hole)
{
    for (size_t i = (hole + 1) & (room - 1); table[i].key; i = (i + 1) & (room - 1)) {
        size_t home = place_of(table[i].key);
        if (((i - home) & (room - 1)) >= ((i - hole) & (room - 1))) {
            table[hole] = table[i];
            hole = i;
        }
    }
    table[hole].key = 0;
    __atomic_store_n(&used, used - 1, __ATOMIC_RELEASE);
}

static struct pithi_request *find_copied(const struct pithi_request *copy)
{
    if (copy->place < room && table[copy->place].key == copy->key)
        return &table[copy->place];
    return find(copy->key);
}

void pithi_request_drop(const struct pithi_request *copy)
{
    pithi_lock(&lock);
    if (used) {
        struct pithi_request *place = find_copied(copy);
        if (place->key && place->kind == copy->kind && place->posted == copy->posted) {
            count_comm(place->comm, (uint32_t)-1);
            empty((size_t)(place - table));
        }
    }
    pithi_unlock(&lock);
}

void pithi_request_set(const struct pithi_request *copy)
{
    pithi_lock(&lock);
    if (used) {
        struct pithi_request *place = find_copied(copy);
        if (place->key && place->kind == copy->kind && place->comm == copy->comm)
            *place = *copy;
    }
    pithi_unlock(&lock);
}
