/* own_sum.h - what a thread's records have cost it so far: pith_own_cost_sum (pith_tool.h).
 *
 * No record is counted when it is stored: whoever asks has the words gone through that were stored since it was asked
 * before, about 1 ns a record. Only when a thread leaves a chunk this must be done for it. */
#ifndef PITHI_OWN_SUM_H
#define PITHI_OWN_SUM_H

#include "chunks.h"

/* 1: somebody has asked, so chunks that are left must be counted. */
extern int pithi_own_summing;

/* This thread's words in its lane's chunk, up to `next`, are counted. */
void pithi_own_sum_to(const struct pithi_lane *lane, const uint64_t *next);
/* The thread goes on in another chunk, of which nothing is counted. */
void pithi_own_sum_left(void);
/* pith_own_cost() on this thread. */
void pithi_own_sum_add(uint64_t ns);
/* The state `id` is that of a wrapped call. */
void pithi_own_sum_wrapped(uint32_t id);

#endif
