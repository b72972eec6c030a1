/* gaps.h - what pictures show where a lane did not record: times in which the recording was paused, moments at which
 * records were lost, and the holes behind them. What a hole is, the walker decides (pithlog_walk). */
#ifndef PITHI_GAPS_H
#define PITHI_GAPS_H

#include <stdint.h>

#include <pithlog.h>

struct pithi_gap {
    uint32_t lane;
    int64_t from_ns, to_ns; /* a pause ends where the recording resumes, or with the lane; a loss is a moment */
    uint64_t lost;          /* records; 0: a pause */
};

struct pithi_gaps {
    struct pithi_gap *items; /* by lane, then time */
    uint32_t count, capacity;
};

/* Reads only the blocks with such records. 0 or an enum pith_err. `gaps` must be zeroed; free it afterwards. */
int pithi_gaps_read(struct pithlog *log, struct pithi_gaps *gaps);
void pithi_gaps_free(struct pithi_gaps *gaps);
/* The index of a lane's first gap; the lane's other gaps follow. */
uint32_t pithi_gaps_of(const struct pithi_gaps *gaps, uint32_t lane);

/* Calls `tell` for each hole of LOST records in the window, of some more than once. Reads only the blocks with such
 * records, and those where the window begins and where holes end. Damage is no error. */
int pithi_holes_lost(struct pithlog *log, uint32_t lane, int64_t from_ns, int64_t to_ns,
                     void (*tell)(void *context, int64_t from_ns, int64_t to_ns), void *context);

#endif
