/* records.h - reads the steps of a log for an analysis: the one place of this folder that walks a log. */
#ifndef PITHI_RECORDS_H
#define PITHI_RECORDS_H

#include "pithlog.h"

struct pithi_reading {
    /* Takes the next step; returns PITH_OK or an error. A state that is still open at the end of the log does not end,
     * unless the query has PITHLOG_CLIP; the steps PITHLOG_EDGE are left out. */
    int (*take)(void *context, const struct pithlog_step *step);
    /* Called when records of the lane are missing from now on, perhaps several times for the same hole. NULL: not
     * wanted. */
    void (*missing)(void *context, uint32_t lane);
    void *context;
    int (*progress)(void *context, double part); /* may be NULL; as in pithlog_waits_query */
    void *progress_context;
    /* If set, steps may come in intervals. In each interval, all steps of one rank come first, then all steps of the
     * next rank. So the data of a rank stays in the processor's caches. The function is called before the first
     * interval and after each interval. NULL: all steps come in the order of times. */
    int (*interval_ends)(void *context);
    unsigned threads; /* most threads that may read, with the caller; 0: as many as are worth it */
};

/* Reads the times, lanes and kinds of records of the query (pithlog_walk_open). Returns PITH_ERR_DAMAGED if damaged
 * parts were left out. */
int pithi_read_steps(struct pithlog *log, const struct pithlog_query *query, const struct pithi_reading *reading);

#endif
