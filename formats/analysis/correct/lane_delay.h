/* lane_delay.h - one lane of a replay: its own costs, open states and delay. It does not depend on other lanes.
 *
 * The time of a record is taken when its recording begins, so its own cost follows that time. The cost counts from the
 * next record with a later time, and is never more than the elapsed time. */
#ifndef PITHI_LANE_DELAY_H
#define PITHI_LANE_DELAY_H

#include "analysis/waits/collectives.h"
#include "reader/read/own_cost_read.h"

/* Data of an open state. Times and costs in ns. */
struct pithi_open {
    uint32_t state;
    struct pithi_coll_part part; /* this member's part of the collective that began in the state */
    uint32_t sends;              /* sends recorded in the state */
    uint64_t sent_bytes;         /* size of the last send */
    int64_t begin_ns;            /* begin of the state, as measured */
    double before_ns;            /* begin without recording */
    double own_ns;               /* own costs of the lane up to the begin */
};

struct pithi_delay {
    int begun, told;            /* begun: 1: the lane has had a record; `told`: 1: it has had a pith:own */
    double x_ns;                /* the delay: without recording, the lane would be earlier by this */
    double own_ns;              /* all own costs so far */
    double pending_ns;          /* own costs of records at the present time, which are not spent yet */
    double unclaimed_ns;        /* time since the last pith:own not yet counted as own cost */
    double told_ns;             /* value of the last pith:own */
    double out_ns;              /* time of the last record without recording */
    int64_t now_ns;             /* the present time, as measured */
    struct pithi_own_cost cost; /* splits the value of pith:own among records */
    struct pithi_open *open;    /* innermost last */
    uint32_t open_count, open_room;
};

void pithi_delay_free(struct pithi_delay *delay);
/* Begins a lane. time_ns: time of its first record; x_ns: the delay that its process has by then. */
void pithi_lane_delay_begin(struct pithi_delay *delay, int64_t time_ns, double x_ns);
/* Advances the lane to time_ns. */
void pithi_delay_to(struct pithi_delay *delay, int64_t time_ns);
/* Takes a pith:own with the value `total_ns`: adds the cost since the last one. */
void pithi_delay_tell(struct pithi_delay *delay, double total_ns);
/* Call it at the end of a call, if a pith:own with the value `total_ns` follows since_ns later. Adds the part of the
 * cost that exceeds since_ns, because that was spent before the end. */
void pithi_delay_tell_before(struct pithi_delay *delay, double total_ns, int64_t since_ns);
/* Counts all time since `left` was entered as own cost. */
void pithi_delay_tell_state(struct pithi_delay *delay, const struct pithi_open *left);
/* Sets the delay, so that without recording the present moment would be at before_ns. */
void pithi_lane_delay_set(struct pithi_delay *delay, double before_ns);
/* Returns when the present moment would be without recording; never earlier than the last result. */
double pithi_delay_out(struct pithi_delay *delay);
/* Adds the cost of a record of `kind`. `wrapped`: 1 if the record ends a call of MPI, which has one more cost, that of
 * its wrapper. */
void pithi_delay_cost(struct pithi_delay *delay, uint32_t kind, int wrapped);

/* pithi_delay_enter adds a state that begins to the open states. Returns 0, or -1 if there is no memory.
 * pithi_delay_leave removes the state open[at], which ends, and copies it to *left. The open states are the same as in
 * the log's steps (records.h), so the caller takes `at` from the step. */
int pithi_delay_enter(struct pithi_delay *delay, uint32_t state);
void pithi_delay_leave(struct pithi_delay *delay, uint32_t at, struct pithi_open *left);

#endif
