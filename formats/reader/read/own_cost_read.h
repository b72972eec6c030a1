/* own_cost_read.h - the cost of recording, as stored in an open log. */
#ifndef PITHI_OWN_COST_READ_H
#define PITHI_OWN_COST_READ_H

#include "native/own_cost.h"

/* Finds the costs on a lane. 0: the log has none, and all costs are 0. */
int pithi_own_cost_find(const struct pithlog *log, uint32_t lane, struct pithi_own_cost *cost);
/* 1: the log has the costs of at least one lane. */
int pithi_own_cost_known(const struct pithlog *log);
/* 1: the definition is the counter PITHI_OWN_COUNTER; or the state PITHI_OWN_STATE. */
int pithi_own_cost_counts(const struct pithlog_def *def);
int pithi_own_cost_lasts(const struct pithlog_def *def);

#endif
