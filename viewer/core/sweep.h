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

/* Instead of records, a piece of a summary, between begin and end and in order of time: its paths share each column
 * that it lies in, in proportion. `paths` are the lane's. Sums are left alone. */
void pithi_sweep_piece(struct pithi_sweep *sweep, const struct pithlog_piece *piece, const struct pithlog_path *paths,
                       uint32_t path_count);
/* A column is in doubt where what its pieces leave open could give a cell to another state. The first stretch of such
 * columns of this row from `column` on: 1, with the times to read; 0: none. */
struct pithi_doubt {
    uint32_t column, end; /* [column, end) */
    int64_t from_ns, to_ns;
};
int pithi_sweep_doubt(const struct pithi_sweep *sweep, uint32_t column, struct pithi_doubt *doubt);
/* After end: columns once more, now by records: begin_again, those open at from_ns and the rest up to to_ns, end_again.
 */
void pithi_sweep_begin_again(struct pithi_sweep *sweep, const struct pithi_doubt *doubt);
void pithi_sweep_end_again(struct pithi_sweep *sweep);
/* After all of these: ticks of columns done twice are thinned. */
void pithi_sweep_tidy(struct pithi_sweep *sweep);

/* A row of several lanes: begin_group; each lane from begin to end as above; show_group makes cells of columns
 * [from, to) and finds those in doubt; to do such columns once more: clear_group, then for each lane from begin_again
 * to end_again, show_group; at last end_group. */
void pithi_sweep_begin_group(struct pithi_sweep *sweep, uint32_t lanes);
void pithi_sweep_clear_group(struct pithi_sweep *sweep, const struct pithi_doubt *doubt);
void pithi_sweep_show_group(struct pithi_sweep *sweep, uint32_t from, uint32_t to);
void pithi_sweep_end_group(struct pithi_sweep *sweep);

#endif
