/* known_part.h - finds the known part of a log, which an analysis uses: the longest interval in which no lane has a
 * hole.
 *
 * A *hole* is an interval in which records of a lane are missing: a block is damaged, the program lost records (LOST),
 * or the file was cut. After a hole it is not known which states are open, and messages and collectives can no longer
 * be matched by their order. So an analysis takes only records between two holes:
 *
 *     rank 0  ------------------xx-------------------      xx: a hole
 *     rank 1  ---xx----------------------------------
 *     known                       |-----------------|      the longest part without a hole of any lane */
#ifndef PITHI_KNOWN_PART_H
#define PITHI_KNOWN_PART_H

#include "pithlog.h"

struct pithi_known_part {
    int64_t from_ns, to_ns; /* INT64_MIN, INT64_MAX: from the start, to the end of the log */
    int is_part;            /* 1: the log has holes */
    uint32_t unread;        /* ranks of which no block can be read; they do not count as holes */
    uint32_t listed;        /* unread ranks that have records according to the index of the log */
    uint32_t holes, lane;   /* number of holes in the interval that was asked for; lane of the earliest hole */
    int64_t hole_from_ns, hole_to_ns;
};

/* Finds the longest part of [from_ns, to_ns] without a hole. With `is_damaged`, reads the heads of all blocks to find
 * damaged and missing blocks. `stop` (may be NULL) is called for each lane; if it returns anything but 0, the result is
 * PITH_ERR_STOPPED. */
int pithi_known_part_find(struct pithlog *log, int64_t from_ns, int64_t to_ns, int is_damaged,
                          int (*stop)(void *context, double part), void *context, struct pithi_known_part *known);

#endif
