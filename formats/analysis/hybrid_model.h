/* hybrid_model.h - programs with MPI and threads: the time that threads wait in OpenMP. */
#ifndef PITHI_HYBRID_MODEL_H
#define PITHI_HYBRID_MODEL_H

#include "pithlog_findings.h"

/* 1: a state in which a thread waits, or has no work (pith run --also openmp). */
int pithi_is_omp_wait(const struct pithlog_def *def);

/* Time of a lane in these states within the window, outside MPI calls. */
int64_t pithi_omp_wait_ns(const struct pithlog_analysis *analysis, uint32_t lane);

#endif
