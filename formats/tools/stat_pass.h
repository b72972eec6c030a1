/* stat_pass.h - one pass over a part of a log, for the tables of `pith stat`. It follows the open states of each lane
 * and reports every instance of a state, and every instance of computing.
 *
 * A lane is *in MPI* while a call of MPI is open, else it waits in OpenMP while its innermost state is a waiting state
 * of OpenMP, else it is *computing*. An instance of computing is an interval between MPI calls and such waiting. Its
 * self time is the time outside all states.
 *
 *     solve                |===================|
 *     MPI_Send                  |====|                  computing: 0..30 (self 20), 50..100 (self 20)
 *                 0       20   30   50        80  100   in MPI: 20, in states: 60
 */
#ifndef PITHI_STAT_PASS_H
#define PITHI_STAT_PASS_H

#include "tools/stat.h"

struct pithi_stat_instance {
    uint32_t lane, id; /* id: definition, or PITHLOG_COMPUTING */
    int64_t begin_ns;  /* begin and length: the part in the window */
    int64_t length_ns;
    int64_t self_ns;  /* time as the innermost state; for computing, time outside all states */
    int is_outermost; /* 0: inside another instance of the same state */
};

struct pithi_lane_time {
    int64_t states_ns, mpi_ns, omp_wait_ns, computing_ns; /* the last three add up to the time of the lane */
};

struct pithi_stat_pass {
    struct pithlog *log;
    const struct pithi_stat_query *query;
    /* `instance` (may be NULL) is called for each instance that the query shows, when the instance ends; `record` is
     * called for each record of `kinds`, a mask as in pithlog_query. They return PITH_OK, or an error, which ends the
     * pass. States that are cut by the window, or left open by a dead program, end with a LEAVE. */
    int (*instance)(void *context, const struct pithi_stat_instance *instance);
    int (*record)(void *context, const struct pithlog_record *record);
    /* Called for each step of pithlog_walk, whatever the query shows; may be NULL. */
    int (*step)(void *context, const struct pithlog_step *step);
    void *context;
    uint32_t kinds;
    struct pithi_lane_time *times; /* [lanes of the log], the result; NULL: not wanted */
};
int pithi_stat_run(const struct pithi_stat_pass *pass);

/* Calls `record` for the records of the log in the window, without the LEAVEs that other passes add at the window's
 * edges. Skips damaged parts. */
int pithi_stat_each_record(struct pithlog *log, const struct pithlog_query *query,
                           int (*record)(void *context, const struct pithlog_record *record),
                           void (*hole)(void *context, uint32_t lane), void *context);

/* Call it after an error in reading. Returns 1 if the pass can go on, and keeps the error for pithi_stat_damaged; 0 if
 * there were too many errors. */
int pithi_stat_goes_on(void);
/* PITH_ERR_DAMAGED if a pass of this process skipped a damaged part, with the text of the first one. */
int pithi_stat_damaged(void);

#endif
