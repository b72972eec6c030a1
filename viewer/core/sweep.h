/* sweep.h - the work behind a query: walking along one lane from t0 to t1 with the stack of open states in hand, and
 * dividing every stretch of time among the pixel columns.
 *
 * Worked example: width 2, window [0, 100), states A [0, 60) and B [60, 100) inside nothing. Column 0 is [0, 50): A has
 * all 50. Column 1 is [50, 100): A has 10, B 40, so the cell says B, covered wholly; A is shown at column 0 near by,
 * so it gets no tick.
 *
 * Internal to the core; knows no files.
 */
#ifndef PITHI_SWEEP_H
#define PITHI_SWEEP_H

#include "core/query.h"

struct pithi_sweep;

struct pithi_sweep *pithi_sweep_new(const struct pithi_query *query, struct pithi_cells *cells);
void pithi_sweep_free(struct pithi_sweep *sweep);

/* One lane: begin, its records in order of time (states open at t0 first, with their own times), end. */
void pithi_sweep_begin(struct pithi_sweep *sweep, uint32_t row);
void pithi_sweep_enter(struct pithi_sweep *sweep, int64_t time_ns, uint32_t id);
void pithi_sweep_leave(struct pithi_sweep *sweep, int64_t time_ns, uint32_t id);
void pithi_sweep_event(struct pithi_sweep *sweep, int64_t time_ns, uint32_t id);
void pithi_sweep_end(struct pithi_sweep *sweep);

#endif
