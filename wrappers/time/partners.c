/* partners.c - see partners.h. */
#include "partners.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 256, LABEL = 96 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pithi_time_comm *buckets[BUCKETS];
static MPI_Group world_group;
static int is_up, world_size;
static char labels[PITHI_TIME_COMMS][LABEL];
static int label_count = 1; /* 0: none */

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

static unsigned bucket_of(MPI_Comm handle)
{
    return (unsigned)((uint64_t)(uintptr_t)handle * UINT64_C(0x9e3779b97f4a7c15) >> 56) % BUCKETS;
}

/* World ranks of the group whose members are partners. */
static int find_world_ranks(struct pithi_time_comm *comm, MPI_Group group)
{
    int *from = malloc(((size_t)comm->peers + 1) * sizeof *from), *to = malloc(((size_t)comm->peers + 1) * sizeof *to);
    int same = comm->peers == world_size;

    comm->world = malloc(((size_t)comm->peers + 1) * sizeof *comm->world);
    int good = from && to && comm->world;
    for (int i = 0; good && i < comm->peers; i++)
        from[i] = i;
    good = good && REAL(MPI_Group_translate_ranks)(group, comm->peers, from, world_group, to) == MPI_SUCCESS;
    for (int i = 0; good && i < comm->peers; i++) {
        comm->world[i] = to[i] == MPI_UNDEFINED ? -1 : to[i];
        same = same && to[i] == i;
    }
    if (same || !good) {
        free(comm->world);
        comm->world = NULL;
    }
    free(from);
    free(to);
    return good;
}

/* Members of one label have one text: communicators with the same name, or the same members, are one. */
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

static int count_neighbours(const struct pithi_time_comm *comm)
{
    int kind = MPI_UNDEFINED, in = 0, out = comm->peers, weighted;

    REAL(MPI_Topo_test)(comm->handle, &kind);
    if (kind == MPI_DIST_GRAPH)
        REAL(MPI_Dist_graph_neighbors_count)(comm->handle, &in, &out, &weighted);
    else if (kind == MPI_GRAPH)
        REAL(MPI_Graph_neighbors_count)(comm->handle, comm->rank, &out);
    else if (kind == MPI_CART && REAL(MPI_Cartdim_get)(comm->handle, &out) == MPI_SUCCESS)
        out *= 2;
    return out;
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
    if (bad || REAL(MPI_Group_size)(group, &comm->peers) != MPI_SUCCESS || !find_world_ranks(comm, group)) {
        free(comm);
        return NULL;
    }
    REAL(MPI_Group_free)(&group);
    comm->out_degree = comm->is_inter ? comm->peers : count_neighbours(comm);
    comm->label = pithi_time_by_comm ? make_label(comm) : 0;
    return comm;
}

/* The one found last by this thread. A handle that was freed may come again: then `generation` is another. */
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
    struct pithi_time_comm **bucket = &buckets[bucket_of(handle)], *comm = is_up ? *bucket : NULL;
    while (comm && comm->handle != handle)
        comm = comm->next;
    if (!comm && is_up && (comm = make(handle))) {
        comm->next = *bucket;
        *bucket = comm;
    }
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

/* ---- what the program's calls do --------------------------------------------------------------------------------- */

void pithi_time_comm_set(MPI_Comm handle)
{
    const struct pithi_time_comm *comm = pithi_time_comm_find(handle);

    pithi_time_self.comm = comm ? comm->label : 0;
}

/* Nobody uses it any more: that a program frees a communicator which another thread uses is its own fault. */
void pithi_time_comm_gone(const MPI_Comm *handle)
{
    pthread_mutex_lock(&lock);
    struct pithi_time_comm **at = &buckets[bucket_of(*handle)];
    while (*at && (*at)->handle != *handle)
        at = &(*at)->next;
    if (*at) {
        struct pithi_time_comm *gone = *at;
        *at = gone->next;
        free(gone->world);
        free(gone);
        __atomic_add_fetch(&generation, 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
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
}

void pithi_time_comms_end(void)
{
    pthread_mutex_lock(&lock);
    is_up = 0;
    pthread_mutex_unlock(&lock);
}
