/* partners.c - counts by partner, and the labels of communicators.
 *
 * A process of a large job sends to few others, so partners are in a hash table and not in an array by rank: for 26
 * partners the table has 64 slots, not 100,000. A slot contains the rank + 1, or 0 if it is free.
 *
 * A program may make communicators again and again. Communicators with the same name or members share a label, such as
 * "ranks 0 2 4 6"; otherwise the table would have a row for each communicator.
 */
#include "partners.h"

#include "real.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL = 96 }; /* bytes of a label */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char labels[PITHI_TIME_COMMS][LABEL];
static int label_count = 1; /* label 0: no communicator, or no room for its label */

/* ---- partners ---------------------------------------------------------------------------------------------------- */

/* Returns the slot of a key in an open-addressing table, or the free slot where the key would go. */
static struct pithi_time_partner *place_of(struct pithi_time_partner *table, uint32_t room, int32_t key)
{
    uint32_t at = (uint32_t)key * 2654435769u;

    for (at = (at ^ at >> 15) & (room - 1);; at = (at + 1) & (room - 1))
        if (table[at].rank == key || table[at].rank == 0)
            return &table[at];
}

void pithi_time_partner_add(struct pithi_time_partner **table, uint32_t *room, uint32_t *count, int32_t rank,
                            uint64_t messages, uint64_t bytes)
{
    if (2 * (*count + 1) > *room) {
        uint32_t wider = *room ? 2 * *room : 16;
        struct pithi_time_partner *made = calloc(wider, sizeof *made);

        if (!made)
            return;
        for (uint32_t i = 0; i < *room; i++)
            if ((*table)[i].rank)
                *place_of(made, wider, (*table)[i].rank) = (*table)[i];
        free(*table);
        *table = made;
        *room = wider;
    }
    struct pithi_time_partner *place = place_of(*table, *room, rank + 1);
    if (!place->rank)
        ++*count;
    place->rank = rank + 1;
    place->messages += messages;
    place->bytes += bytes;
}

/* ---- labels ------------------------------------------------------------------------------------------------------ */

/* Returns the index of the label with this text, which is made if needed; 0 if there is no room. The caller holds the
 * lock. */
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

static int make_label(const struct pithi_handle *comm)
{
    char name[MPI_MAX_OBJECT_NAME + 1] = "", text[LABEL];
    int peers = comm->remote_size ? comm->remote_size : comm->size;
    int size = 0, shown = peers <= 6 ? peers : 5, at;

    if (REAL(MPI_Comm_get_name)(comm->handle, name, &size) == MPI_SUCCESS && *name) {
        snprintf(text, sizeof text, "%s", name);
        return find_label(text);
    }
    at = snprintf(text, sizeof text, "ranks");
    for (int i = 0; i < shown; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, " %d", pithi_handle_peer(comm, i));
    if (shown < peers)
        snprintf(text + at, sizeof text - (size_t)at, " ... %d (%d)", pithi_handle_peer(comm, peers - 1), peers);
    return find_label(text);
}

/* Returns the label of a communicator, and keeps it in the slot of the communicator's entry. `is_new` 1: the
 * communicator got another name. */
static int label_of(MPI_Comm comm, int is_new)
{
    struct pithi_handle *handle = pithi_handle_of_comm(comm);

    if (!handle)
        return 0;
    int *label = pithi_handle_slot(handle, PITHI_CLIENT_LIBRARY);
    if (is_new || !pithi_handle_has(handle, PITHI_CLIENT_LIBRARY)) {
        pthread_mutex_lock(&lock);
        __atomic_store_n(label, make_label(handle), __ATOMIC_RELAXED);
        pthread_mutex_unlock(&lock);
        pithi_handle_use(handle, PITHI_CLIENT_LIBRARY);
    }
    return __atomic_load_n(label, __ATOMIC_RELAXED);
}

const char *pithi_time_label(int label) { return labels[label]; }

void pithi_time_comm_set(MPI_Comm comm) { pithi_time_self.comm = label_of(comm, 0); }

void pithi_time_comm_named(MPI_Comm comm)
{
    if (pithi_time_by_comm)
        label_of(comm, 1);
}
