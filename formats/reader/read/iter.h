/* iter.h - shared by iter.c (few lanes) and runs.c (very many lanes). */
#ifndef PITHI_ITER_H
#define PITHI_ITER_H

#include "pithlog.h"

/* Keeps rare code out of the path of each record. */
#define UNCOMMON __attribute__((noinline, cold))

/* The most lanes that are read at once. Each has an unpacked block of about 70 KB. More lanes are read in groups
 * (runs.c). */
enum { PITHI_ITER_LANES = 256 };

/* Sets *list to the lanes that a query (NULL: all) selects, each once, in order. Returns PITH_OK or an error; the
 * caller frees *list even after an error. */
int pithi_query_lanes(struct pithlog *log, const struct pithlog_query *query, uint32_t **list, uint32_t *count);

/* Where a record comes from: PITHLOG_CLIP adds records before and after all others, and at holes (lane_blocks.h). */
enum pithi_iter_part {
    PITHI_PART_BEFORE,
    PITHI_PART_WITHIN,
    PITHI_PART_AFTER,
    PITHI_PART_HOLE,  /* the LEAVE at the begin, or the ENTER at the end, of a hole inside a state */
    PITHI_PART_ENDED, /* the LEAVE where a hole begins, if the state ended in the hole or the window ends in it */
    /* The ENTER where a hole ends, if the state began in the hole or the window begins in it; start_ns is the begin. */
    PITHI_PART_BEGUN
};
/* Returns where the record delivered last comes from. */
enum pithi_iter_part pithi_iter_part(const struct pithlog_iter *iter);

/* From now on, the iterator calls `tell` for each hole of a lane, after the last record before the hole was delivered,
 * and perhaps again for the same hole. The call of the iterator that does so returns -1, except in two cases. First, in
 * a log whose index was rebuilt, damage was already reported at opening; there, the end of each lane with messages also
 * counts as a hole, because the lane's last blocks may be missing. Second, with PITHLOG_CLIP, `tell` is also called for
 * a hole that contains from_ns. For other holes of LOST records, `tell` is not called, because the caller gets the LOST
 * record (pithi_is_hole). */
struct pithi_holes {
    void (*tell)(void *context, uint32_t lane);
    void *context;
};
void pithi_iter_tell_holes(struct pithlog_iter *iter, struct pithi_holes holes);
/* Like pithi_iter_tell_holes, but `tell` is also called for holes that end after the window. To find these, one more
 * block of each lane is read. */
void pithi_iter_tell_all_holes(struct pithlog_iter *iter, struct pithi_holes holes);

/* Finds the first record of each lane, before any record is delivered. Returns 1; -1 on an error: records of one lane
 * are damaged, and the next call continues. With more than PITHI_ITER_LANES lanes, it does nothing and returns 1. */
int pithi_iter_prime(struct pithlog_iter *iter);
/* After pithi_iter_prime: returns the states that are open before the first record of lane i, if this record is in the
 * block in which the window begins; else NULL. */
const struct pithi_stack *pithi_iter_open_states(const struct pithlog_iter *iter, uint32_t i);

/* Delivers the records of a query over more than PITHI_ITER_LANES lanes; the query is copied. The functions are like
 * pithlog_iter_open, _next_many and _close. The lanes are read slab by slab: a temporary file holds the packed records
 * of one interval of the log, with about `slab_records` records. */
struct pithi_runs;
enum { PITHI_SLAB_RECORDS = 16 << 20 };
int pithi_runs_new(struct pithlog *log, const struct pithlog_query *query, uint64_t slab_records,
                   struct pithi_runs **runs);
int pithi_runs_next(struct pithi_runs *runs, struct pithlog_record *records, uint32_t count);
void pithi_runs_tell_holes(struct pithi_runs *runs, struct pithi_holes holes, int all);
void pithi_runs_free(struct pithi_runs *runs);

/* Call it before the first record. It divides the log into intervals of this length, counted from the log's start.
 * From then on, intervals come one after another. Within an interval, the records of all lanes of a rank come
 * together, in time order; ranks come one after another, or several ranks merged in time order. At most `threads`
 * threads read. Returns 1 if records come like this; 0 if all records come in time order, because there are few
 * lanes, or too many of one rank. Cannot be used for logs with holes. */
int pithi_iter_by_intervals(struct pithlog_iter *iter, uint64_t length_ns, unsigned threads);
int pithi_runs_by_intervals(struct pithi_runs *runs, uint64_t length_ns, unsigned threads);
/* Returns the last ns of the interval that contains a time. */
int64_t pithi_interval_end(int64_t time_ns, int64_t start_ns, uint64_t length_ns);

#endif
