/* lane_delay.h - one lane of a replay: its own costs, its open states, and how far it is behind. Knows of no others.
 *
 * The time of a record is taken where its recording begins, so its own cost comes behind it: it counts from the next
 * record on that has another time, and never more than has passed since. */
#ifndef PITHI_LANE_DELAY_H
#define PITHI_LANE_DELAY_H

#include "compensate/collectives.h"
#include "own_cost.h"

/* A state that is open. Times and costs in ns. */
struct pithi_open {
    uint32_t state;
    struct pithi_part part; /* in the collective that began in it */
    uint32_t sends;         /* that were recorded in it */
    uint64_t sent_bytes;    /* of the last of them */
    int64_t begin_ns;       /* as measured */
    double before_ns;       /* as it would have been */
    double own_ns;          /* of the lane, up to here */
};

struct pithi_delay {
    int begun, told;
    double x_ns;         /* the delay */
    double own_ns;       /* all own costs so far */
    double pending_ns;   /* of records at the present time */
    double unclaimed_ns; /* time since the last record of pith:own that is no own cost yet */
    double told_ns;      /* what that one told */
    double out_ns;       /* time of the last record as it would have been */
    int64_t now_ns;      /* as measured */
    struct pithi_own_cost cost;
    struct pithi_open *open; /* innermost last */
    uint32_t open_count, open_room;
};

void pithi_delay_free(struct pithi_delay *delay);
/* The first record of a lane is at time_ns, where the process is behind by x_ns. */
void pithi_delay_begin(struct pithi_delay *delay, int64_t time_ns, double x_ns);
/* Time goes on to time_ns. */
void pithi_delay_to(struct pithi_delay *delay, int64_t time_ns);
/* pith:own has the value `total_ns` now. */
void pithi_delay_tell(struct pithi_delay *delay, double total_ns);
/* Now a call ends, and since_ns behind that pith:own will have the value `total_ns`: what cannot be spent in this time
 * was spent before. */
void pithi_delay_tell_before(struct pithi_delay *delay, double total_ns, int64_t since_ns);
/* All that has passed since `left` was entered was an own cost. */
void pithi_delay_tell_state(struct pithi_delay *delay, const struct pithi_open *left);
/* The present moment is given another time, before_ns. */
void pithi_delay_set(struct pithi_delay *delay, double before_ns);
/* The time, now and without delay, of what happens at this moment; never earlier than the one before it. */
double pithi_delay_out(struct pithi_delay *delay);
/* A record was made: of `kind`, in a call that a wrapper records (`wrapped`) or elsewhere. */
void pithi_delay_cost(struct pithi_delay *delay, uint32_t kind, int wrapped);

/* States: enter, and leave the innermost of that id (0: there is none). No memory: -1. */
int pithi_delay_enter(struct pithi_delay *delay, uint32_t state);
int pithi_delay_leave(struct pithi_delay *delay, uint32_t state, struct pithi_open *left);

#endif
