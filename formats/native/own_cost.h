/* own_cost.h - the cost of recording: the property `own_cost_ns` of a log (native/SPEC.md). */
#ifndef PITHI_OWN_COST_H
#define PITHI_OWN_COST_H

#include "native/segment.h"

/* The counter of the time that wrappers spend besides their records, see pith_own_cost in pith_tool.h. */
#define PITHI_OWN_COUNTER "pith:own"
/* The state of the recorder's own time: waiting for the disk, comparing clocks, the end of the job. */
#define PITHI_OWN_STATE "pith:flush"
/* The property's key; for one host, followed by " HOST". */
#define PITHI_OWN_COST_KEY "own_cost_ns"

/* Costs in ns, by kind of record. Index 0, PITHLOG_OWN_CALL, is the cost of a call without that of its ENTER and
 * LEAVE. */
struct pithi_own_cost {
    double ns[PITHLOG_OWN_COSTS]; /* [kind of record] */
};

/* Adds the property with the costs of the processes on `host`. If `host` is NULL or "", the property holds for all
 * hosts that have none of their own. */
int pithi_own_cost_tell(struct pithi_defs *defs, const char *host, const struct pithi_own_cost *cost);
/* Reads the costs in a property's value. */
void pithi_own_cost_read(const char *value, struct pithi_own_cost *cost);

#endif
