/* partners.h - communicators as the time library needs them: the world rank of each rank, and labels. */
#ifndef PITHI_PARTNERS_H
#define PITHI_PARTNERS_H

#include "handle_table.h"
#include "ranks.h"
#include "timing.h"

/* Messages from this process to the process with this world rank. */
struct pithi_time_partner {
    int32_t rank; /* rank + 1; 0: empty */
    uint64_t messages, bytes;
};
/* Adds counts for a partner to an open-addressing hash table. */
void pithi_time_partner_add(struct pithi_time_partner **table, uint32_t *room, uint32_t *count, int32_t rank,
                            uint64_t messages, uint64_t bytes);

/* A communicator; entered at its first use, valid until it is freed. NULL: MPI is not initialized. */
struct pithi_time_comm {
    struct pithi_handle table;
    MPI_Comm handle;
    int rank, size; /* own rank; size of the own group */
    int is_inter;
    struct pithi_neighbours neighbours;
    int peers;  /* size of the remote group; without one, size */
    int label;  /* 0: none */
    int *world; /* [peers]; NULL: ranks equal world ranks */
};
struct pithi_time_comm *pithi_time_comm_find(MPI_Comm handle);
/* The partner's world rank; negative: unknown. */
int pithi_time_world_rank(const struct pithi_time_comm *comm, int rank);

/* The text of a label: the communicator's name, or "ranks 0 2 4 6". "": none. */
const char *pithi_time_label(int label);

/* Called in MPI_Init with MPI_COMM_WORLD, or, in programs with sessions, with MPI_COMM_NULL and the group of all
 * processes. */
void pithi_time_comms_begin(MPI_Comm world, MPI_Group all);
void pithi_time_comms_end(void);

#endif
