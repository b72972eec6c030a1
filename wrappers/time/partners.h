/* partners.h - counts by partner, and the labels of communicators. */
#ifndef PITHI_PARTNERS_H
#define PITHI_PARTNERS_H

#include "handle.h"
#include "timing.h"

/* Messages from this process to the process with this world rank. */
struct pithi_time_partner {
    int32_t rank; /* rank + 1; 0: empty */
    uint64_t messages, bytes;
};
/* Adds counts for a partner to an open-addressing hash table. */
void pithi_time_partner_add(struct pithi_time_partner **table, uint32_t *room, uint32_t *count, int32_t rank,
                            uint64_t messages, uint64_t bytes);

/* Returns the text of a label: the communicator's name, or "ranks 0 2 4 6"; "" for label 0. */
const char *pithi_time_label(int label);

#endif
