/* partners.h - communicators as the time library needs them: who is whose rank in MPI_COMM_WORLD, and labels. */
#ifndef PITHI_PARTNERS_H
#define PITHI_PARTNERS_H

#include "timing.h"

/* Messages from this process to the one with this rank in MPI_COMM_WORLD. */
struct pithi_time_partner {
    int32_t rank; /* + 1; 0: an empty place */
    uint64_t messages, bytes;
};
/* Counts for the partner in a table with open addressing. */
void pithi_time_partner_add(struct pithi_time_partner **table, uint32_t *room, uint32_t *count, int32_t rank,
                            uint64_t messages, uint64_t bytes);

/* What is known of a communicator. Valid until it is freed; entered when first asked for. NULL: MPI is not up. */
struct pithi_time_comm {
    MPI_Comm handle;
    int rank, size; /* own rank; members of the own group */
    int is_inter;
    int out_degree; /* neighbours in its topology to which it sends; size without one */
    int peers;      /* of the remote group, or members */
    int label;      /* 0: none */
    int32_t *world; /* [peers]; NULL: ranks are those of MPI_COMM_WORLD */
    struct pithi_time_comm *next;
};
struct pithi_time_comm *pithi_time_comm_find(MPI_Comm handle);
/* The partner's rank in MPI_COMM_WORLD; negative: none known. */
int pithi_time_world_rank(const struct pithi_time_comm *comm, int rank);

/* The text of a label: the name that the communicator has, else "ranks 0 2 4 6". "": none. */
const char *pithi_time_label(int label);

/* From MPI_Init on, with MPI_COMM_WORLD; without one (MPI_COMM_NULL: sessions), with the group of all processes. */
void pithi_time_comms_begin(MPI_Comm world, MPI_Group all);
void pithi_time_comms_end(void);

#endif
