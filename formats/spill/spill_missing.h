/* spill_missing.h - finds data that a process stored in its spill file and that were cut off or overwritten later.
 *
 * The file tells what must be there (spill.h): how far it reaches, how many chunks and definitions it has, in each
 * chunk how many words were stored before it, and of sealed chunks a check value. How many records are missing is known
 * as a bound only, for records have different lengths and each has a word at least.
 *
 *     chunks of lane 0:  seq 0, words_before 0, 100 words found | seq 3, words_before 900
 *     missing:           chunks 1 and 2, at most 900 - 100 = 800 records, between the last of seq 0 and the first of 3
 *
 * When the process dies, at whatever moment, nothing is reported: it counts a thing after storing it. */
#ifndef PITHI_SPILL_MISSING_H
#define PITHI_SPILL_MISSING_H

#include "spill/spill_walk.h"

enum pithi_spill_missing_flag {
    PITHI_MISSING_SUMS = 1, /* check values are verified, too: all of the file is read */
    PITHI_MISSING_LIVE = 2  /* the process may be running: only what cannot change during the look is judged */
};

struct pithi_spill_missing {
    int32_t rank;
    int64_t shift_ns;                             /* added to spill->time for the log's time */
    void (*say)(void *context, const char *text); /* told each loss in a line; NULL */
    void *context;
    uint64_t places, records; /* results: losses found; upper bound of the missing records */
};

/* Looks for losses. After pithi_spill_fit. `flags`: of enum pithi_spill_missing_flag. */
void pithi_spill_missing(const struct pithi_spill *spill, unsigned flags, struct pithi_spill_missing *missing);

#endif
