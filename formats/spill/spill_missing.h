/* spill_missing.h - finds data that a process stored in its spill file and that was later cut off or overwritten.
 *
 * The file describes its contents (spill.h): its size, the number of chunks and definitions, for each chunk the number
 * of words that its lane stored before it, and a check value of each sealed chunk. A record has at least one word, so
 * the number of missing words is an upper limit of the number of missing records.
 *
 *     chunks of lane 0:  seq 0, words_before 0, 100 words found | seq 3, words_before 900
 *     missing:           chunks 1 and 2, at most 900 - 100 = 800 records, between the last record of chunk 0 and the
 *                        first record of chunk 3
 *
 * The death of a process never looks like a loss, because the process stores data first and counts it afterwards.
 */
#ifndef PITHI_SPILL_MISSING_H
#define PITHI_SPILL_MISSING_H

#include "spill/spill_walk.h"

enum pithi_spill_missing_flag {
    PITHI_MISSING_SUMS = 1, /* also verify check values: reads the whole file */
    PITHI_MISSING_LIVE = 2  /* the process may be running: judge only data that does not change any more */
};

struct pithi_spill_missing {
    int32_t rank;
    int64_t shift_ns;                             /* added to spill->time to get log time */
    void (*say)(void *context, const char *text); /* gets a line for each loss; or NULL */
    void *context;                                /* for `say` */
    uint64_t places, records;                     /* results: losses found; upper limit of the missing records */
};

/* Looks for losses. Call pithi_spill_fit first. `flags`: a sum of enum pithi_spill_missing_flag. */
void pithi_spill_missing(const struct pithi_spill *spill, unsigned flags, struct pithi_spill_missing *missing);

#endif
