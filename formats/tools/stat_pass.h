/* stat_pass.h - one pass over a part of a log, for the tables of `pith stat`. It follows the open states of each lane
 * and reports every instance of a state, and every instance of computing.
 *
 * A lane is *in MPI* while an MPI call is open. Otherwise it *waits in OpenMP* while its innermost state is a waiting
 * state of OpenMP. Otherwise it is *computing*. An instance of computing is an interval in which the lane is neither in
 * MPI nor waits in OpenMP. Its self time is the part of the interval outside all states.
 *
 *     solve                |===================|
 *     MPI_Send                  |====|                  computing: 0..30 (self 20), 50..100 (self 20)
 *                 0       20   30   50        80  100   in MPI: 20, in states: 60
 */
#ifndef PITHI_STAT_PASS_H
#define PITHI_STAT_PASS_H

#include "tools/stat.h"

struct pithi_stat_instance {
    uint32_t lane, id; /* id: that of the state, or PITHLOG_COMPUTING */
    int64_t begin_ns;  /* begin and length are those of the part that lies in the window */
    int64_t length_ns;
    int64_t self_ns;  /* time as the innermost state; for computing, time outside all states */
    int is_outermost; /* 0: the instance lies inside another instance of the same state */
};

struct pithi_lane_time {
    int64_t states_ns, mpi_ns, omp_wait_ns, computing_ns; /* the last three add up to the time of the lane */
};

struct pithi_stat_pass {
    struct pithlog *log;
    const struct pithi_stat_query *query;
    /* `instance` (may be NULL) is called for each instance that the query shows, when the instance ends. `record` is
     * called for each record whose kind is in `kinds`, a mask as in pithlog_query. Both return PITH_OK, or an error,
     * which ends the pass. A state that is open at the window's end, or that a dead program left open, gets a LEAVE. */
    int (*instance)(void *context, const struct pithi_stat_instance *instance);
    int (*record)(void *context, const struct pithlog_record *record);
    /* `step` (may be NULL) is called for each step of pithlog_walk, even if the query does not show the state. */
    int (*step)(void *context, const struct pithlog_step *step);
    void *context;
    uint32_t kinds;
    struct pithi_lane_time *times; /* [lane]: the pass stores the lane's times here; NULL: not wanted */
};
int pithi_stat_run(const struct pithi_stat_pass *pass);

/* Calls `record` for the records in the window. Unlike pithi_stat_run, adds no LEAVEs at the window's edges. Skips
 * damaged parts. */
int pithi_stat_each_record(struct pithlog *log, const struct pithlog_query *query,
                           int (*record)(void *context, const struct pithlog_record *record),
                           void (*hole)(void *context, uint32_t lane), void *context);

/* Called after an error in reading. Keeps the text of the first error for pithi_stat_damaged. Returns 1 if the pass can
 * go on, or 0 if there were too many errors. */
int pithi_stat_goes_on(void);
/* Returns PITH_OK, or PITH_ERR_DAMAGED with the text of the first error if a pass of this process skipped a damaged
 * part. */
int pithi_stat_damaged(void);

#endif
