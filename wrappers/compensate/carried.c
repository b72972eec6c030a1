/* carried.c - see carried.h: a hash table, and lists of receives under way. One mutex, which costs nothing unless
 * several threads may be in MPI at once. */
#include "carry.h"

#include "lock.h"
#include "real.h"
#include "second_message.h"
#include "type_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 4096 };

static struct pithi_carried *buckets[BUCKETS], *unused;
static struct pithi_carried *first_listed, *last_listed; /* receives under way, by all communicators */
static int64_t count;                                    /* in the table; atomic */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct pithi_carried **bucket_of(uint64_t key) { return &buckets[key * UINT64_C(0x9e3779b97f4a7c15) >> 52]; }

/* ---- The table --------------------------------------------------------------------------------------------------- */

/* For requests for which there is no memory; then they are among the unused. */
static struct pithi_carried *take_reserve(void)
{
    enum { RESERVE = 256 };
    static struct pithi_carried reserve[RESERVE];
    static int taken, told;
    struct pithi_carried *entry = NULL;
    int is_first;
    pithi_lock(&mutex);
    if (taken < RESERVE)
        entry = &reserve[taken++];
    is_first = !entry && !told;
    told |= is_first;
    pithi_unlock(&mutex);
    if (is_first)
        fputs("pith: no memory for what requests carry (PITH_COMPENSATE): MPI refuses them\n", stderr);
    return entry;
}

struct pithi_carried *pithi_carried_new(struct pithi_shadow *comm)
{
    pithi_lock(&mutex);
    struct pithi_carried *entry = unused;
    if (entry)
        unused = entry->next;
    pithi_unlock(&mutex);
    if (!entry && !(entry = malloc(sizeof *entry)))
        entry = take_reserve();
    if (!entry)
        return NULL;
    memset(entry, 0, sizeof *entry);
    entry->comm = comm;
    entry->out_type = entry->in_type = MPI_DATATYPE_NULL;
    return entry;
}

static void unlist(struct pithi_carried *entry)
{
    if (!entry->is_listed)
        return;
    *(entry->before ? &entry->before->behind : &first_listed) = entry->behind;
    *(entry->behind ? &entry->behind->before : &last_listed) = entry->before;
    entry->is_listed = 0;
    __atomic_sub_fetch(&entry->comm->pending, 1, __ATOMIC_RELAXED);
}

static void take_out(struct pithi_carried *entry)
{
    struct pithi_carried **at = bucket_of(entry->key);
    while (*at && *at != entry)
        at = &(*at)->next;
    if (*at) {
        *at = entry->next;
        __atomic_sub_fetch(&count, 1, __ATOMIC_RELAXED);
    }
    entry->key = 0;
}

/* A library may forget a request that failed: who has a handle of its own, as all but sends have, is not there any more
 * when it is given again. NULL: there was none. */
static struct pithi_carried *take_older(uint64_t key)
{
    struct pithi_carried *older = *bucket_of(key);
    while (older && (older->key != key || older->is_claimed || !(older->is_persistent || older->receives)))
        older = older->next;
    if (older)
        take_out(older);
    return older;
}

void pithi_carried_enter(struct pithi_carried *entry, MPI_Request handle)
{
    entry->key = (uint64_t)(uintptr_t)handle + 1;
    struct pithi_carried **bucket = bucket_of(entry->key);
    pithi_lock(&mutex);
    struct pithi_carried *older = take_older(entry->key);
    entry->next = *bucket;
    *bucket = entry;
    __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
    pithi_unlock(&mutex);
    if (older) /* its request is over: the library may not use what it holds, as little as the program's buffer */
        pithi_carried_close(older);
}

int pithi_carried_any(void) { return __atomic_load_n(&count, __ATOMIC_RELAXED) != 0; }

struct pithi_carried *pithi_carried_find(MPI_Request handle, int claim)
{
    uint64_t key = (uint64_t)(uintptr_t)handle + 1;
    pithi_lock(&mutex);
    struct pithi_carried *entry = *bucket_of(key);
    while (entry && (entry->key != key || entry->is_claimed))
        entry = entry->next;
    if (entry && claim)
        entry->is_claimed = 1;
    pithi_unlock(&mutex);
    return entry;
}

void pithi_carried_unclaim(struct pithi_carried *entry)
{
    pithi_lock(&mutex);
    entry->is_claimed = 0;
    pithi_unlock(&mutex);
}

void pithi_carried_keep_comm(struct pithi_carried *entry)
{
    entry->keeps_comm = 1;
    __atomic_add_fetch(&entry->comm->pending, 1, __ATOMIC_RELAXED);
}

void pithi_carried_close(struct pithi_carried *entry)
{
    if (entry->keeps_comm)
        __atomic_sub_fetch(&entry->comm->pending, 1, __ATOMIC_RELAXED);
    if (entry->out_type != MPI_DATATYPE_NULL)
        REAL(MPI_Type_free)(&entry->out_type);
    if (entry->in_type != MPI_DATATYPE_NULL)
        REAL(MPI_Type_free)(&entry->in_type);
    if (entry->arriving.memory)
        pithi_part_arriving_end(&entry->arriving);
    if (entry->pcoll)
        pithi_pcoll_drop(entry->pcoll);
    free(entry->copied);
    pithi_lock(&mutex);
    unlist(entry);
    if (entry->key)
        take_out(entry);
    entry->next = unused;
    unused = entry;
    pithi_unlock(&mutex);
}

/* ---- Second messages --------------------------------------------------------------------------------------------- */

void pithi_carried_list(struct pithi_carried *entry)
{
    pithi_lock(&mutex);
    unlist(entry);
    entry->before = last_listed;
    entry->behind = NULL;
    *(last_listed ? &last_listed->behind : &first_listed) = entry;
    last_listed = entry;
    entry->is_listed = 1;
    entry->has_letter = 0;
    __atomic_add_fetch(&entry->comm->pending, 1, __ATOMIC_RELAXED);
    pithi_unlock(&mutex);
}

int pithi_carried_letter(struct pithi_shadow *comm, struct pithi_carried *entry, int from, int tag,
                         struct pithi_header *header)
{
    int good = 1;
    pithi_lock(&mutex);
    for (struct pithi_carried *other = first_listed; good && other && other != entry; other = other->behind)
        if (other->comm == comm && other->from == from && other->tag == tag && !other->has_letter) {
            good = pithi_second_recv(comm, &other->in, from, tag);
            other->has_letter = (uint8_t)good;
        }
    if (entry && entry->has_letter)
        *header = entry->in;
    else
        good = good && pithi_second_recv(comm, header, from, tag);
    if (entry) {
        unlist(entry);
        entry->has_letter = 0;
    }
    pithi_unlock(&mutex);
    return good;
}

/* ---- Requests that the program has freed ------------------------------------------------------------------------- */

struct kept {
    struct pithi_carried *entry;
    MPI_Request handle;
    struct kept *next;
};
static struct kept *all_kept; /* under the mutex */
static int kept_count;        /* atomic */

/* A request that was never started, for the library to free. Not one of MPI_PROC_NULL: when such a one has been freed,
 * MPICH 4.0.2 waits for ever for a persistent collective. */
MPI_Request pithi_carried_keep(struct pithi_carried *entry, MPI_Request handle)
{
    MPI_Request nothing = MPI_REQUEST_NULL;
    struct kept *kept = malloc(sizeof *kept);
    if (!kept || REAL(MPI_Recv_init)(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_SELF, &nothing) != MPI_SUCCESS) {
        free(kept);
        return MPI_REQUEST_NULL;
    }
    *kept = (struct kept){entry, handle, NULL};
    pithi_lock(&mutex);
    take_out(entry);
    kept->next = all_kept;
    all_kept = kept;
    __atomic_add_fetch(&kept_count, 1, __ATOMIC_RELAXED);
    pithi_unlock(&mutex);
    return nothing;
}

/* 1: it is complete, and its second message, if it has one, is received and forgotten. */
static int is_over(struct kept *kept)
{
    struct pithi_carried *entry = kept->entry;
    struct pithi_header header;
    MPI_Status status;
    int done = 0, flag = 0;
    if (REAL(MPI_Request_get_status)(kept->handle, &done, &status) != MPI_SUCCESS || !done)
        return 0;
    if (entry->is_cancelled)
        REAL(MPI_Test_cancelled)(&status, &flag);
    if (entry->arriving.memory && !flag)
        pithi_part_arrived(&entry->arriving, &header);
    else if (entry->receives && !entry->has_header && !flag)
        pithi_carried_letter(entry->comm, entry, entry->from == MPI_ANY_SOURCE ? status.MPI_SOURCE : entry->from,
                             entry->tag == MPI_ANY_TAG ? status.MPI_TAG : entry->tag, &header);
    REAL(MPI_Request_free)(&kept->handle);
    return 1;
}

void pithi_carried_look(int all)
{
    if (!__atomic_load_n(&kept_count, __ATOMIC_RELAXED))
        return;
    do {
        pithi_lock(&mutex);
        struct kept *kept = all_kept;
        if (kept)
            all_kept = kept->next;
        pithi_unlock(&mutex);
        if (!kept)
            return;
        if (is_over(kept)) {
            pithi_carried_close(kept->entry);
            __atomic_sub_fetch(&kept_count, 1, __ATOMIC_RELAXED);
            free(kept);
        } else if (!all) { /* the oldest first, next time */
            pithi_lock(&mutex);
            struct kept **last = &all_kept;
            while (*last)
                last = &(*last)->next;
            kept->next = NULL;
            *last = kept;
            pithi_unlock(&mutex);
        }
    } while (all);
}
