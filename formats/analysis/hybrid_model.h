/* hybrid_model.h - programs with MPI and threads: the time that threads wait for one another. */
#ifndef PITHI_HYBRID_MODEL_H
#define PITHI_HYBRID_MODEL_H

#include "pithlog_findings.h"

/* The groups of the states in which a thread waits for another one, or has no work (pith run --also). */
#define PITHI_OPENMP_WAITS "OpenMP waiting"
#define PITHI_PTHREAD_WAITS "pthread"
/* 1: the state is in one of these groups. */
int pithi_is_thread_wait(const struct pithlog_def *def);

/* Time of a lane within the window in such states, outside MPI calls. */
int64_t pithi_thread_wait_ns(const struct pithlog_analysis *analysis, uint32_t lane);
/* The ratio of this time to the whole time of the lanes with MPI calls, from 0 to 1. */
double pithi_thread_wait_share(const struct pithlog_analysis *analysis);

/* The activity of another thread of a rank while one of its threads waits: the state in which the other thread spends
 * most of the waits. Other threads' waiting counts for a tenth, because it explains nothing. */
struct pithi_meanwhile {
    uint32_t lane, state; /* PITHLOG_COMPUTING: outside all states of a thread that calls MPI */
    double share;         /* of the waits; 0: the log does not show it */
};
/* Finds it for all waits of a lane in `state`. Reads the pieces of the lane once for each other thread of its rank, and
 * the pieces of these. 0: no memory. */
int pithi_meanwhile_find(struct pithlog_analysis *analysis, uint32_t lane, uint32_t state,
                         struct pithi_meanwhile *meanwhile);

#endif
