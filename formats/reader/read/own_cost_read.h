/* own_cost_read.h - the cost of recording, as stored in an open log. */
#ifndef PITHI_OWN_COST_READ_H
#define PITHI_OWN_COST_READ_H

#include "native/own_cost.h"

/* Sets *cost to the costs of recording on a lane. Returns 1; 0 if the log does not have them (all costs are then 0). */
int pithi_own_cost_find(const struct pithlog *log, uint32_t lane, struct pithi_own_cost *cost);
/* Returns 1 if the log has costs of recording, as a property for at least one lane or as a counter. */
int pithi_own_cost_known(const struct pithlog *log);
/* pithi_own_cost_counts returns 1 for the counter PITHI_OWN_COUNTER, pithi_own_cost_lasts for the state
 * PITHI_OWN_STATE. */
int pithi_own_cost_counts(const struct pithlog_def *def);
int pithi_own_cost_lasts(const struct pithlog_def *def);

#endif
