/* iter.h - shared by iter.c (few lanes) and runs.c (very many lanes). */
#ifndef PITHI_ITER_H
#define PITHI_ITER_H

#include "pithlog.h"

/* Keeps rare code out of the path of each record. */
#define UNCOMMON __attribute__((noinline, cold))

/* The lanes read at once, each with an unpacked block of about 70 KB; more lanes are read in groups (runs.c). */
enum { PITHI_ITER_LANES = 256 };

/* The lanes that a query (NULL: all) selects, each once, in order. PITH_OK, or an error; free *list in any case. */
int pithi_query_lanes(struct pithlog *log, const struct pithlog_query *query, uint32_t **list, uint32_t *count);

/* The parts of a query: PITHLOG_CLIP adds records before and after all others, and at holes (lane_blocks.h). */
enum pithi_iter_part {
    PITHI_PART_BEFORE,
    PITHI_PART_WITHIN,
    PITHI_PART_AFTER,
    PITHI_PART_HOLE,  /* a state is open before a hole and after it: its LEAVE and ENTER at the ends of the hole */
    PITHI_PART_ENDED, /* a state ended in a hole, or the window ends in the hole: its LEAVE where the hole begins */
    /* A state began in a hole, or the window begins in it: its ENTER where the hole ends; start_ns: its begin. */
    PITHI_PART_BEGUN
};
/* The part of the record delivered last. */
enum pithi_iter_part pithi_iter_part(const struct pithlog_iter *iter);

/* From now on, calls `tell` when records of a lane are missing: after its last record before them was delivered, and
 * perhaps again for the same hole. The call that does so returns -1, except in the next two cases. In a log whose index
 * was rebuilt, the damage was reported then; the end of each lane with messages counts as a hole, as its last blocks
 * may be missing. It is not called for holes of LOST records, which the caller finds by itself (pithi_is_hole).
 * With CLIP, the callback is also called for a hole that contains from_ns, as its LOST record is not delivered. */
struct pithi_holes {
    void (*tell)(void *context, uint32_t lane);
    void *context;
};
void pithi_iter_tell_holes(struct pithlog_iter *iter, struct pithi_holes holes);
/* Like pithi_iter_tell_holes, but also for holes that end after the window. For that, a block more of each lane is
 * read. */
void pithi_iter_tell_all_holes(struct pithlog_iter *iter, struct pithi_holes holes);

/* Finds the first record of each lane, before any is delivered: 1; -1: a damaged part of a lane, call again. It does so
 * only for few lanes; with more, the first call that delivers records does it. */
int pithi_iter_prime(struct pithlog_iter *iter);
/* After pithi_iter_prime: the states open before the first record of the i-th lane, if that record is in the block in
 * which the window begins; else NULL. */
const struct pithi_stack *pithi_iter_open_states(const struct pithlog_iter *iter, uint32_t i);

/* The records of a query over more than PITHI_ITER_LANES lanes; the query is copied. The functions are like
 * pithlog_iter_open, _next_many and _close. A temporary file holds the packed records of a time slab of about
 * `slab_records`. */
struct pithi_runs;
enum { PITHI_SLAB_RECORDS = 16 << 20 };
int pithi_runs_new(struct pithlog *log, const struct pithlog_query *query, uint64_t slab_records,
                   struct pithi_runs **runs);
int pithi_runs_next(struct pithi_runs *runs, struct pithlog_record *records, uint32_t count);
void pithi_runs_tell_holes(struct pithi_runs *runs, struct pithi_holes holes, int all);
void pithi_runs_free(struct pithi_runs *runs);

/* Call it before the first record. From then on, records need not come in the order of times, but come in intervals of
 * this length, counted from the log's start: the stretches. In each stretch, the lanes of a rank come together, in the
 * order of times. Ranks come one after another, or several of them together in this order. At most `threads` threads
 * read. 1: so they do; 0: all records come in order, because there are few lanes, or too many of one rank. Not for logs
 * with holes. */
int pithi_iter_by_stretches(struct pithlog_iter *iter, uint64_t length_ns, unsigned threads);
int pithi_runs_by_stretches(struct pithi_runs *runs, uint64_t length_ns, unsigned threads);
/* The last moment of the stretch that contains a time. */
int64_t pithi_stretch_end(int64_t time_ns, int64_t start_ns, uint64_t length_ns);

#endif
