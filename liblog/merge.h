/* merge.h - the end of a run: every process's spill file becomes a part of one log. */
#ifndef PITHI_MERGE_H
#define PITHI_MERGE_H

#include "pith_tool.h"

/* The collective merge; does nothing when recording never began in any process, or is over. */
void pithi_merge(const struct pith_transport *transport);

/* A process that is part of no job: the same with itself alone. */
void pithi_merge_alone(void);

/* A process of a job ends and the job was not finished: says how to get at what was recorded. */
void pithi_merge_missed(void);

#endif
