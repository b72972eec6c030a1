/* coarse.h - makes a log coarser than its recording: times in larger units (PITH_TIME_UNIT), no very short states
 * (PITH_MIN_DURATION). A filter between the records of one lane and their encoder.
 *
 * A short state loses its ENTER and its LEAVE; the records in between stay. Whether a state is long or short is known
 * at its LEAVE, or at the first record that is at least PITH_MIN_DURATION after its ENTER; until then the records from
 * its ENTER on wait. Undecided states are kept if PITHI_COARSE_WAITING records wait, if a LEAVE is not of the innermost
 * state, or if records were lost. coarse.c has an example. */
#ifndef PITHI_COARSE_H
#define PITHI_COARSE_H

#include "pithlog.h"

struct pithi_coarse_rules {
    int64_t unit_ns;  /* times are rounded down to multiples of this; 1: no rounding */
    int64_t least_ns; /* shorter states are dropped; 0: none */
};

struct pithi_coarse {
    struct pithi_coarse_rules rules;
    int (*add)(void *context, const struct pithlog_record *record);
    void *context;     /* for `add` */
    uint64_t left_out; /* states dropped so far */
    /* private */
    struct waiting *waiting; /* [PITHI_COARSE_WAITING], a ring */
    uint32_t first, count;
    uint32_t *open; /* [PITHI_COARSE_WAITING], a ring: places of the undecided ENTERs in `waiting`, outermost first */
    uint32_t open_first, open_count; /* first place and number of entries in the ring `open` */
};

enum { PITHI_COARSE_WAITING = 4096 }; /* records that wait for a decision */

/* Returns 1 if the rules change something in a log. If it returns 0, records can go to `add` directly. */
static inline int pithi_coarse_needed(const struct pithi_coarse_rules *rules)
{
    return rules->unit_ns > 1 || rules->least_ns > 0;
}

/* Prepares the filter. Before the call, set `rules`, `add` and `context`, and all other fields to 0. These functions
 * return PITH_OK or an error; errors of `add` are passed on. */
int pithi_coarse_begin(struct pithi_coarse *coarse);
/* Takes the next record of the lane; has the signature of `add`. The payload must stay valid until the record is passed
 * on. */
int pithi_coarse_add(void *coarse, const struct pithlog_record *record);
/* Ends the lane: passes on the records that wait. Another lane may follow. */
int pithi_coarse_flush(struct pithi_coarse *coarse);
void pithi_coarse_end(struct pithi_coarse *coarse);

#endif
