/* known_part.h - the part of a log that an analysis can be about: the longest time without a hole.
 *
 * A *hole* is a time in which records of some lane are missing: a block is damaged, the program lost records (LOST), or
 * the file was cut. After a hole it is not known which states are open, and messages and collectives can no longer be
 * matched by their order. So an analysis takes only records between two holes:
 *
 *     rank 0  ------------------xx-------------------      xx: a hole
 *     rank 1  ---xx----------------------------------
 *     known                       |-----------------|      the longest part without a hole of any lane */
#ifndef PITHI_KNOWN_PART_H
#define PITHI_KNOWN_PART_H

#include "pithlog.h"

struct pithi_known_part {
    int64_t from_ns, to_ns; /* INT64_MIN, INT64_MAX: from the start, to the end of the log */
    int is_part;            /* the log has holes */
    uint32_t unread;        /* ranks of which no block can be read; they have no holes */
    uint32_t listed;        /* of these, those with records by the index of the log */
    uint32_t gaps, lane;    /* number of holes in the time that was asked for; lane of the earliest one */
    int64_t gap_from_ns, gap_to_ns;
};

/* Finds the longest part of [from_ns, to_ns] without a hole. `is_damaged`: reads all blocks to find damaged ones, and
 * those that are not there. `stop` (may be NULL) is called for each lane; not 0: PITH_ERR_STOPPED. */
int pithi_known_part_find(struct pithlog *log, int64_t from_ns, int64_t to_ns, int is_damaged,
                          int (*stop)(void *context, double part), void *context, struct pithi_known_part *known);

#endif
