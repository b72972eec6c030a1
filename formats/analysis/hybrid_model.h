/* hybrid_model.h - programs with MPI and threads: the time that threads wait for one another. */
#ifndef PITHI_HYBRID_MODEL_H
#define PITHI_HYBRID_MODEL_H

#include "pithlog_findings.h"

/* The groups of the states in which a thread waits for another one, or has no work (pith run --also). */
#define PITHI_OPENMP_WAITS "OpenMP waiting"
#define PITHI_PTHREAD_WAITS "pthread"
/* Returns 1 if the state is in one of these groups. */
int pithi_is_thread_wait(const struct pithlog_def *def);

/* Returns the time that a lane spends in states of these groups within the window, outside MPI calls. */
int64_t pithi_thread_wait_ns(const struct pithlog_analysis *analysis, uint32_t lane);
/* Returns the fraction of their time that lanes with MPI calls spend in states of these groups, from 0 to 1. */
double pithi_thread_wait_share(const struct pithlog_analysis *analysis);

/* What another thread of a rank does while one of the rank's threads waits: the state in which it spends most of this
 * time. If the other thread waits, too, its time counts a tenth, because its waiting explains little. */
struct pithi_meanwhile {
    uint32_t lane, state; /* PITHLOG_COMPUTING: outside all states of a thread that calls MPI */
    double share;         /* fraction of the waits; 0: the log does not show it */
};
/* Sets *meanwhile for all waits of a lane in `state`. For each other thread of the rank, reads the pieces of that
 * thread and the pieces of the lane. Returns 0 if there is no memory. */
int pithi_meanwhile_find(struct pithlog_analysis *analysis, uint32_t lane, uint32_t state,
                         struct pithi_meanwhile *meanwhile);

#endif
