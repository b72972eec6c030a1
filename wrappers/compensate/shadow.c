/* shadow.c - see shadow.h: a table by handle. */
#include "shadow.h"

#include "lock.h"
#include "real.h"

#include <stdint.h>
#include <stdlib.h>

enum { BUCKETS = 256 };

static struct pithi_shadow *buckets[BUCKETS];
static struct pithi_shadow world, own;
static MPI_Group world_group;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct pithi_shadow **bucket_of(MPI_Comm handle)
{
    return &buckets[(uint64_t)(uintptr_t)handle * UINT64_C(0x9e3779b97f4a7c15) >> 56];
}

static void enter(struct pithi_shadow *shadow)
{
    struct pithi_shadow **bucket = bucket_of(shadow->handle);
    pithi_lock(&mutex);
    shadow->next = *bucket;
    *bucket = shadow;
    pithi_unlock(&mutex);
}

static struct pithi_shadow *take(MPI_Comm handle)
{
    struct pithi_shadow **at = bucket_of(handle), *found;
    pithi_lock(&mutex);
    while (*at && (*at)->handle != handle)
        at = &(*at)->next;
    found = *at;
    if (found)
        *at = found->next;
    pithi_unlock(&mutex);
    return found;
}

struct pithi_shadow *pithi_shadow_find(MPI_Comm handle)
{
    if (handle == world.handle)
        return &world;
    pithi_lock(&mutex);
    struct pithi_shadow *found = *bucket_of(handle);
    while (found && found->handle != handle)
        found = found->next;
    pithi_unlock(&mutex);
    return found;
}

/* ---- Making ------------------------------------------------------------------------------------------------------ */

/* Not by MPI_Comm_dup, which would call the copy functions of the program's attributes. Who has no memory for it stays
 * out (`out`), and then all see that some are missing, and do without. */
static void make(struct pithi_shadow *shadow, int out)
{
    int there = 0, remote = 0, had_remote = 0;
    shadow->comm = MPI_COMM_NULL;
    REAL(MPI_Comm_rank)(shadow->handle, &shadow->rank);
    REAL(MPI_Comm_size)(shadow->handle, &shadow->size);
    REAL(MPI_Comm_test_inter)(shadow->handle, &shadow->is_inter);
    if (REAL(MPI_Comm_split)(shadow->handle, out ? MPI_UNDEFINED : 0, shadow->rank, &shadow->comm) != MPI_SUCCESS ||
        shadow->comm == MPI_COMM_NULL) {
        shadow->comm = MPI_COMM_NULL;
        return;
    }
    REAL(MPI_Comm_set_errhandler)(shadow->comm, MPI_ERRORS_RETURN);
    REAL(MPI_Comm_size)(shadow->comm, &there);
    if (shadow->is_inter) {
        REAL(MPI_Comm_remote_size)(shadow->handle, &had_remote);
        REAL(MPI_Comm_remote_size)(shadow->comm, &remote);
    }
    if (there != shadow->size || remote != had_remote)
        REAL(MPI_Comm_free)(&shadow->comm);
}

/* Whether all of a group are of this job: the same answer everywhere, so it needs no memory. */
static int are_ours(MPI_Group group)
{
    enum { MANY = 128 };
    int size = 0, good = 1, ranks[MANY], there[MANY];
    REAL(MPI_Group_size)(group, &size);
    for (int from = 0; good && from < size; from += MANY) {
        int many = size - from < MANY ? size - from : MANY;
        for (int i = 0; i < many; i++)
            ranks[i] = from + i;
        good = REAL(MPI_Group_translate_ranks)(group, many, ranks, world_group, there) == MPI_SUCCESS;
        for (int i = 0; good && i < many; i++)
            good = there[i] != MPI_UNDEFINED;
    }
    REAL(MPI_Group_free)(&group);
    return good;
}

static int is_ours(MPI_Comm handle)
{
    MPI_Group group;
    int inter = 0;
    REAL(MPI_Comm_test_inter)(handle, &inter);
    return REAL(MPI_Comm_group)(handle, &group) == MPI_SUCCESS && are_ours(group) &&
           (!inter || (REAL(MPI_Comm_remote_group)(handle, &group) == MPI_SUCCESS && are_ours(group)));
}

void pithi_shadow_begin(void)
{
    REAL(MPI_Comm_group)(MPI_COMM_WORLD, &world_group);
    world.handle = MPI_COMM_WORLD;
    make(&world, 0);
    enter(&world);
    own.handle = MPI_COMM_SELF;
    make(&own, 0);
    enter(&own);
}

void pithi_shadow_made(int result, const MPI_Comm *made)
{
    if (result != MPI_SUCCESS || *made == MPI_COMM_NULL || !is_ours(*made))
        return;
    struct pithi_shadow *shadow = calloc(1, sizeof *shadow), none = {.handle = *made};
    if (!shadow) {
        make(&none, 1);
        return;
    }
    free(take(*made)); /* freed without our seeing it */
    shadow->handle = *made;
    make(shadow, 0);
    if (shadow->comm == MPI_COMM_NULL)
        free(shadow);
    else
        enter(shadow);
}

/* ---- Windows ----------------------------------------------------------------------------------------------------- */

/* Handles of windows and communicators are never the same, but their numbers may be. */
static MPI_Comm key_of(MPI_Win window)
{
    return (MPI_Comm)(uintptr_t)((uint64_t)(uintptr_t)window ^ UINT64_C(0x5a5a5a5a));
}

/* Where it could not be made, perhaps in some processes only, none has one. */
void pithi_shadow_window_made(int result, const struct pithi_shadow *of, const MPI_Win *window)
{
    struct pithi_shadow *shadow = result == MPI_SUCCESS ? calloc(1, sizeof *shadow) : NULL, none = {.handle = of->comm};
    if (!shadow) {
        make(&none, 1);
        return;
    }
    free(take(key_of(*window)));
    shadow->handle = of->comm;
    make(shadow, 0);
    shadow->handle = key_of(*window);
    if (shadow->comm == MPI_COMM_NULL)
        free(shadow);
    else
        enter(shadow);
}

struct pithi_shadow *pithi_shadow_find_window(MPI_Win window) { return pithi_shadow_find(key_of(window)); }

struct pithi_shadow *pithi_shadow_drop_window(MPI_Win window)
{
    return window == MPI_WIN_NULL ? NULL : take(key_of(window));
}

/* ---- Freeing ----------------------------------------------------------------------------------------------------- */

struct pithi_shadow *pithi_shadow_drop_begin(const MPI_Comm *handle)
{
    return *handle == MPI_COMM_NULL || *handle == MPI_COMM_WORLD || *handle == MPI_COMM_SELF ? NULL : take(*handle);
}

/* While a request will need it, it stays, and so for good: MPI_Comm_free of ours would come too late for the
 * others. */
void pithi_shadow_drop_end(int result, struct pithi_shadow *gone)
{
    if (!gone)
        return;
    if (result != MPI_SUCCESS) {
        enter(gone);
        return;
    }
    if (__atomic_load_n(&gone->pending, __ATOMIC_RELAXED) > 0)
        return;
    if (gone->comm != MPI_COMM_NULL)
        REAL(MPI_Comm_free)(&gone->comm);
    free(gone);
}
