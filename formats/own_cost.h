/* own_cost.h - what recording a record costs, as a log tells it: the property `own_cost_ns` (native/SPEC.md). */
#ifndef PITHI_OWN_COST_H
#define PITHI_OWN_COST_H

#include "native/segment.h"

/* The counter of what was spent beside records, see pith_own_cost in pith_tool.h. */
#define PITHI_OWN_COUNTER "pith:own"
/* The state of the recorder's own time: waiting for the disk, comparing clocks, the end of the job. */
#define PITHI_OWN_STATE "pith:flush"

/* By kind of record, PITHLOG_OWN_CALL being 0; in ns. */
struct pithi_own_cost {
    double ns[PITHLOG_OWN_COSTS];
};

/* Tells them for the processes of `host`; NULL or "": for all of whom nothing else is told. */
int pithi_own_cost_tell(struct pithi_defs *defs, const char *host, const struct pithi_own_cost *cost);
/* What a log tells of a lane; 0, and all 0: nothing. */
int pithi_own_cost_find(const struct pithlog *log, uint32_t lane, struct pithi_own_cost *cost);
/* 1: the log tells of any costs. */
int pithi_own_cost_known(const struct pithlog *log);
/* 1: the counter of that name; that state. */
int pithi_own_cost_counts(const struct pithlog_def *def);
int pithi_own_cost_lasts(const struct pithlog_def *def);

#endif
