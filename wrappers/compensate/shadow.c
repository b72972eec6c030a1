/* shadow.c - makes, finds and frees shadows (shadow.h). */
#include "shadow.h"

#include "ranks.h"
#include "real.h"

#include <stdlib.h>

static struct pithi_table shadows = PITHI_TABLE;
static struct pithi_shadow world, own;
static MPI_Group world_group;

static void enter(uint64_t key, struct pithi_shadow *shadow) { pithi_table_put(&shadows, key, &shadow->table); }

struct pithi_shadow *pithi_shadow_find(MPI_Comm handle)
{
    return handle == world.handle ? &world : pithi_table_find(&shadows, pithi_comm_key(handle));
}

/* ---- Making ------------------------------------------------------------------------------------------------------ */

/* Does not use MPI_Comm_dup, which would call the copy functions of the program's attributes. A process without memory
 * does not join (`out`); the others see that a member is missing, and no process uses the shadow. */
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

void pithi_shadow_begin(void)
{
    REAL(MPI_Comm_group)(MPI_COMM_WORLD, &world_group);
    world.handle = MPI_COMM_WORLD;
    make(&world, 0);
    enter(pithi_comm_key(MPI_COMM_WORLD), &world);
    own.handle = MPI_COMM_SELF;
    make(&own, 0);
    enter(pithi_comm_key(MPI_COMM_SELF), &own);
}

void pithi_shadow_made(int result, const MPI_Comm *made)
{
    if (result != MPI_SUCCESS || *made == MPI_COMM_NULL || !pithi_comm_is_in(*made, world_group))
        return;
    struct pithi_shadow *shadow = calloc(1, sizeof *shadow), none = {.handle = *made};
    if (!shadow) {
        make(&none, 1);
        return;
    }
    free(pithi_table_take(&shadows, pithi_comm_key(*made))); /* an old entry, freed by a call without a wrapper */
    shadow->handle = *made;
    make(shadow, 0);
    if (shadow->comm == MPI_COMM_NULL)
        free(shadow);
    else
        enter(pithi_comm_key(*made), shadow);
}

/* ---- Windows ----------------------------------------------------------------------------------------------------- */

/* If the window could not be made, perhaps in some processes only, none has a shadow. */
void pithi_shadow_window_made(int result, const struct pithi_shadow *of, const MPI_Win *window)
{
    struct pithi_shadow *shadow = result == MPI_SUCCESS ? calloc(1, sizeof *shadow) : NULL, none = {.handle = of->comm};
    if (!shadow) {
        make(&none, 1);
        return;
    }
    free(pithi_table_take(&shadows, pithi_window_key(*window)));
    shadow->handle = of->comm;
    make(shadow, 0);
    if (shadow->comm == MPI_COMM_NULL)
        free(shadow);
    else
        enter(pithi_window_key(*window), shadow);
}

struct pithi_shadow *pithi_shadow_find_window(MPI_Win window)
{
    return pithi_table_find(&shadows, pithi_window_key(window));
}

struct pithi_shadow *pithi_shadow_drop_window(MPI_Win window)
{
    return window == MPI_WIN_NULL ? NULL : pithi_table_take(&shadows, pithi_window_key(window));
}

/* ---- Freeing ----------------------------------------------------------------------------------------------------- */

struct pithi_shadow *pithi_shadow_drop_begin(const MPI_Comm *handle)
{
    return *handle == MPI_COMM_NULL || *handle == MPI_COMM_WORLD || *handle == MPI_COMM_SELF
               ? NULL
               : pithi_table_take(&shadows, pithi_comm_key(*handle));
}

/* A shadow that a request still needs is never freed: MPI_Comm_free is collective, and the other members have already
 * called it. */
void pithi_shadow_drop_end(int result, struct pithi_shadow *gone)
{
    if (!gone)
        return;
    if (result != MPI_SUCCESS) {
        enter(gone->table.key, gone);
        return;
    }
    if (__atomic_load_n(&gone->pending, __ATOMIC_RELAXED) > 0)
        return;
    if (gone->comm != MPI_COMM_NULL)
        REAL(MPI_Comm_free)(&gone->comm);
    free(gone);
}
