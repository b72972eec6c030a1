/* calibrate.h - the cost of recording for this process and each of its threads.
 *
 * The cost of a record is measured once, at the end of recording, when it disturbs nothing: the recording functions run
 * some hundred times for each kind of record, with this thread's buffer replaced by memory that no log will contain.
 * The result is the median of batches. This takes about 0.1 ms.
 *
 * pith_own_cost_sum (pith_tool.h) adds up the costs of a thread. It needs no work when a record is stored: each call
 * reads the words stored since the last call, about 1 ns per record. Only the words of a chunk that a thread leaves
 * must be added before it leaves.
 */
#ifndef PITHI_CALIBRATE_H
#define PITHI_CALIBRATE_H

#include "chunks.h"
#include "native/own_cost.h"

/* Measures the cost of a record. Call it under the guard, while this thread may still record. Later calls do
 * nothing. */
void pithi_calibrate(void);
/* Adds the costs to a set of definitions, as the property of native/own_cost.h. */
int pithi_calibrate_tell(struct pithi_defs *defs, const char *host);

/* 1: pith_own_cost_sum was called, so the words of a chunk must be added up before its thread leaves it. */
extern int pithi_own_summing;

/* Adds the costs of this thread's words in its lane's chunk, up to `next`. */
void pithi_own_sum_to(const struct pithi_lane *lane, const uint64_t *next);
/* Call it when this thread leaves its chunk: the sum then continues at the start of the thread's next chunk. */
void pithi_own_sum_left(void);
/* Adds `ns` to this thread's sum, for pith_own_cost and for the recorder's own work. */
void pithi_own_sum_add(uint64_t ns);
/* Marks the state `id` as a state of wrapped calls, so that its end also costs PITHLOG_OWN_CALL. */
void pithi_own_sum_wrapped(uint32_t id);

#endif
