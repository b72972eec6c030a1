/* thread_counters.h - sums of the counters that the system keeps for each thread (PITH_COUNTERS), by state.
 *
 * A thread reads its counters just before it records the begin or end of a state. So the difference of two values
 * belongs to the state that is innermost between them:
 *
 *     value 0, enter solve, value 5, enter MPI_Send, value 7, leave MPI_Send, value 9, leave solve
 *     solve: 5 + 2 = 7;   MPI_Send: 2
 *
 * If a value is lower than the one before it, another thread has taken over the lane, and this is its first value. If
 * only a part of a log is read, the sums of a lane begin at its first value in that part. */
#ifndef PITHI_THREAD_COUNTERS_H
#define PITHI_THREAD_COUNTERS_H

#include "native/thread_counter.h"
#include "pithlog.h"

struct pithi_counter_sums {
    uint32_t count;     /* number of thread counters in the log */
    uint32_t *counters; /* [count]: definitions of the counters */
    uint64_t *records;  /* [lanes]: number of records of these counters */
    uint32_t states;    /* number of definitions */
    double *sums;       /* [count][states + 1]: by innermost state; the last: outside all states */
};

/* Reads the part of the log that `part` selects by times and lanes; reads nothing if the log has no such counters.
 * Skips damaged parts. */
int pithi_counter_sums_make(struct pithlog *log, const struct pithlog_query *part, struct pithi_counter_sums *sums);
/* Like pithi_counter_sums_make, but for the time outside MPI calls: only the sums outside all states are set. If the
 * interval between two values begins or ends outside the times of `part`, a proportional share of their difference
 * counts. */
int pithi_counter_sums_computing(struct pithlog *log, const struct pithlog_query *part,
                                 struct pithi_counter_sums *sums);
void pithi_counter_sums_free(struct pithi_counter_sums *sums);
/* Returns the sums [states + 1] of the counter with this name, or NULL if the log does not have it. */
const double *pithi_counter_sums_of(const struct pithlog *log, const struct pithi_counter_sums *sums, const char *name);

#endif
