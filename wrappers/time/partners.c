/* partners.c - counts by partner, and the communicators with their labels. */
#include "partners.h"

#include "ranks.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL = 96 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pithi_table comms = PITHI_TABLE;
static MPI_Group world_group;
static int is_up, world_size;
static char labels[PITHI_TIME_COMMS][LABEL];
static int label_count = 1; /* label 0: none */

/* ---- partners ---------------------------------------------------------------------------------------------------- */

static struct pithi_time_partner *place_of(struct pithi_time_partner *table, uint32_t room, int32_t key)
{
    uint32_t at = (uint32_t)key * 2654435769u;

    for (at = (at ^ at >> 15) & (room - 1);; at = (at + 1) & (room - 1))
        if (table[at].rank == key || table[at].rank == 0)
            return &table[at];
}

static int widen(struct pithi_time_partner **table, uint32_t *room)
{
    uint32_t wider = *room ? 2 * *room : 16;
    struct pithi_time_partner *made = calloc(wider, sizeof *made);

    if (!made)
        return 0;
    for (uint32_t i = 0; i < *room; i++)
        if ((*table)[i].rank)
            *place_of(made, wider, (*table)[i].rank) = (*table)[i];
    free(*table);
    *table = made;
    *room = wider;
    return 1;
}

void pithi_time_partner_add(struct pithi_time_partner **table, uint32_t *room, uint32_t *count, int32_t rank,
                            uint64_t messages, uint64_t bytes)
{
    if (2 * (*count + 1) > *room && !widen(table, room))
        return;
    struct pithi_time_partner *place = place_of(*table, *room, rank + 1);
    if (!place->rank)
        ++*count;
    place->rank = rank + 1;
    place->messages += messages;
    place->bytes += bytes;
}

/* ---- communicators ----------------------------------------------------------------------------------------------- */

/* Finds the world ranks of the group that contains the partners. */
static int find_world_ranks(struct pithi_time_comm *comm, MPI_Group group)
{
    int same;

    if (!(comm->world = pithi_ranks_in(group, world_group, &comm->peers)))
        return 0;
    same = comm->peers == world_size;
    for (int i = 0; same && i < comm->peers; i++)
        same = comm->world[i] == i;
    if (same) {
        free(comm->world);
        comm->world = NULL;
    }
    return 1;
}

/* Communicators with the same name, or the same members, share a label. */
static int find_label(const char *text)
{
    for (int i = 1; i < label_count; i++)
        if (!strcmp(labels[i], text))
            return i;
    if (label_count == PITHI_TIME_COMMS)
        return 0;
    snprintf(labels[label_count], LABEL, "%s", text);
    return label_count++;
}

static int make_label(const struct pithi_time_comm *comm)
{
    char name[MPI_MAX_OBJECT_NAME + 1] = "", text[LABEL];
    int size = 0, shown = comm->peers <= 6 ? comm->peers : 5, at;

    if (REAL(MPI_Comm_get_name)(comm->handle, name, &size) == MPI_SUCCESS && *name) {
        snprintf(text, sizeof text, "%s", name);
        return find_label(text);
    }
    at = snprintf(text, sizeof text, "ranks");
    for (int i = 0; i < shown; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, " %d", pithi_time_world_rank(comm, i));
    if (shown < comm->peers)
        snprintf(text + at, sizeof text - (size_t)at, " ... %d (%d)", pithi_time_world_rank(comm, comm->peers - 1),
                 comm->peers);
    return find_label(text);
}

static struct pithi_time_comm *make(MPI_Comm handle)
{
    struct pithi_time_comm *comm = calloc(1, sizeof *comm);
    MPI_Group group = MPI_GROUP_NULL;

    if (!comm)
        return NULL;
    comm->handle = handle;
    REAL(MPI_Comm_test_inter)(handle, &comm->is_inter);
    REAL(MPI_Comm_rank)(handle, &comm->rank);
    REAL(MPI_Comm_size)(handle, &comm->size);
    int bad = comm->is_inter ? REAL(MPI_Comm_remote_group)(handle, &group) : REAL(MPI_Comm_group)(handle, &group);
    if (bad || !find_world_ranks(comm, group)) {
        free(comm);
        return NULL;
    }
    REAL(MPI_Group_free)(&group);
    if (!comm->is_inter)
        pithi_neighbours(handle, comm->rank, &comm->neighbours);
    comm->label = pithi_time_by_comm ? make_label(comm) : 0;
    return comm;
}

/* A per-thread cache of the last communicator. Freeing a communicator changes `generation`, as its handle may be
 * reused. */
static unsigned generation = 1;
static __thread struct {
    unsigned generation;
    struct pithi_time_comm *comm;
} last __attribute__((tls_model("initial-exec")));

struct pithi_time_comm *pithi_time_comm_find(MPI_Comm handle)
{
    unsigned now = __atomic_load_n(&generation, __ATOMIC_ACQUIRE);

    if (last.generation == now && last.comm->handle == handle)
        return last.comm;
    if (handle == MPI_COMM_NULL)
        return NULL;
    pthread_mutex_lock(&lock);
    struct pithi_time_comm *comm = is_up ? pithi_table_find(&comms, pithi_comm_key(handle)) : NULL;
    if (!comm && is_up && (comm = make(handle)))
        pithi_table_put(&comms, pithi_comm_key(handle), &comm->table);
    pthread_mutex_unlock(&lock);
    if (comm) {
        last.generation = now;
        last.comm = comm;
    }
    return comm;
}

int pithi_time_world_rank(const struct pithi_time_comm *comm, int rank)
{
    if (rank < 0 || rank >= comm->peers)
        return -1;
    return comm->world ? comm->world[rank] : rank;
}

const char *pithi_time_label(int label) { return labels[label]; }

/* ---- calls of the program ---------------------------------------------------------------------------------------- */

void pithi_time_comm_set(MPI_Comm handle)
{
    const struct pithi_time_comm *comm = pithi_time_comm_find(handle);

    pithi_time_self.comm = comm ? comm->label : 0;
}

/* Frees the entry at once: a program must not free a communicator that another thread uses. */
void pithi_time_comm_gone(const MPI_Comm *handle)
{
    struct pithi_time_comm *gone = pithi_table_take(&comms, pithi_comm_key(*handle));

    if (!gone)
        return;
    __atomic_add_fetch(&generation, 1, __ATOMIC_RELEASE);
    free(gone->world);
    free(gone);
}

void pithi_time_comm_named(MPI_Comm handle)
{
    struct pithi_time_comm *comm = pithi_time_by_comm ? pithi_time_comm_find(handle) : NULL;

    if (!comm)
        return;
    pthread_mutex_lock(&lock);
    comm->label = make_label(comm);
    pthread_mutex_unlock(&lock);
}

void pithi_time_comms_begin(MPI_Comm world, MPI_Group all)
{
    pthread_mutex_lock(&lock);
    if (world != MPI_COMM_NULL)
        REAL(MPI_Comm_group)(world, &world_group);
    else
        world_group = all;
    REAL(MPI_Group_size)(world_group, &world_size);
    is_up = 1;
    pthread_mutex_unlock(&lock);
    pithi_time_requests_begin();
}

void pithi_time_comms_end(void)
{
    pthread_mutex_lock(&lock);
    is_up = 0;
    pthread_mutex_unlock(&lock);
}
