/* coarse.h - what the user wants less exact in the log than it was recorded: times in coarser units (PITH_TIME_UNIT),
 * and no states that were very short (PITH_MIN_DURATION). Stands between the records of one lane and whoever encodes
 * them.
 *
 * A state is left out by its ENTER and its LEAVE; what lies between stays. Whether it is short is known at its LEAVE,
 * or as soon as a record comes that is late enough; until then the records since its ENTER wait. When too many wait, or
 * a LEAVE is not that of the innermost state, or records were lost, the states in doubt are kept. */
#ifndef PITHI_COARSE_H
#define PITHI_COARSE_H

#include "pithlog.h"

struct pithi_coarse_rules {
    int64_t unit_ns;  /* times are rounded down to multiples of it; 1: not at all */
    int64_t least_ns; /* shorter states are left out; 0: none */
};

struct pithi_coarse {
    struct pithi_coarse_rules rules;
    int (*add)(void *context, const struct pithlog_record *record);
    void *context;
    uint64_t left_out; /* states, so far */
    /* private */
    struct waiting *waiting; /* [PITHI_COARSE_WAITING], a ring */
    uint32_t first, count;
    uint32_t
        *open; /* [PITHI_COARSE_WAITING], places in the ring of ENTERs in doubt, the outermost first; a ring, too */
    uint32_t open_first, open_count;
};

enum { PITHI_COARSE_WAITING = 4096 };

/* 0: there is nothing to do, records may go to `add` directly. */
static inline int pithi_coarse_needed(const struct pithi_coarse_rules *rules)
{
    return rules->unit_ns > 1 || rules->least_ns > 0;
}

/* `rules`, `add` and `context` are set, all else is 0. Functions give PITH_OK or an error, `add`'s among them. */
int pithi_coarse_begin(struct pithi_coarse *coarse);
/* The next record of the lane; with the signature of `add`. Payloads must stay where they are until it is passed on. */
int pithi_coarse_add(void *coarse, const struct pithlog_record *record);
/* The lane is over: passes on what still waits. Then another one may follow. */
int pithi_coarse_flush(struct pithi_coarse *coarse);
void pithi_coarse_end(struct pithi_coarse *coarse);

#endif
