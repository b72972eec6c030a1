/* calibrate.h - the cost of recording for this process and each of its threads.
 *
 * The cost of a record is measured once, at the end of recording, when it disturbs nothing: the recording functions run
 * some hundred times for each kind of record, with this thread's buffer replaced by memory that no log will contain.
 * The result is the median of batches. This takes about 0.1 ms.
 *
 * The sum of a thread (pith_own_cost_sum in pith_tool.h) costs nothing when a record is stored: each call reads the
 * words stored since the last call, about 1 ns per record. Only a chunk that a thread leaves must be counted at once.
 */
#ifndef PITHI_CALIBRATE_H
#define PITHI_CALIBRATE_H

#include "chunks.h"
#include "native/own_cost.h"

/* Under the guard, while this thread may still record. Does nothing when called again. */
void pithi_calibrate(void);
/* Adds the costs to a set of definitions, as the property of own_cost.h (formats/). */
int pithi_calibrate_tell(struct pithi_defs *defs, const char *host);

/* 1: pith_own_cost_sum was called, so a chunk must be counted before its thread leaves it. */
extern int pithi_own_summing;

/* Counts this thread's words in its lane's chunk, up to `next`. */
void pithi_own_sum_to(const struct pithi_lane *lane, const uint64_t *next);
/* The thread continues in another chunk, where nothing is counted yet. */
void pithi_own_sum_left(void);
/* pith_own_cost() on this thread. */
void pithi_own_sum_add(uint64_t ns);
/* The state `id` is that of a wrapped call. */
void pithi_own_sum_wrapped(uint32_t id);

#endif
