/* gaps.h - what a log does not know: stretches in which recording was paused, moments at which records were lost. */
#ifndef PITHI_GAPS_H
#define PITHI_GAPS_H

#include <stdint.h>

#include <pithlog.h>

struct pithi_gap {
    uint32_t lane;
    int64_t from_ns, to_ns; /* a pause: up to where recording went on, or to the lane's end; a loss: one moment */
    uint64_t lost;          /* records; 0: a pause */
};

struct pithi_gaps {
    struct pithi_gap *items; /* by lane, then time */
    uint32_t count, capacity;
};

/* Reads only the blocks that have such records. 0 or an enum pith_err; `gaps` zeroed before, freed after. */
int pithi_gaps_read(struct pithlog *log, struct pithi_gaps *gaps);
void pithi_gaps_free(struct pithi_gaps *gaps);
/* The first of a lane's; the others follow it. */
uint32_t pithi_gaps_of(const struct pithi_gaps *gaps, uint32_t lane);

#endif
