/* sweep.h - the work behind a query: divides the time of one lane from t0 to t1 among the pixel columns. Its input is
 * the lane's records or the pieces of its summary.
 *
 * Worked example: width 2, window [0, 100), states A [0, 60) and B [60, 100), not nested. Column 0 is [0, 50): A has
 * all 50, so the cell shows A. Column 1 is [50, 100): A has 10 and B has 40, so the cell shows B; its cover is full. A
 * state that occurs in a column but is shown by no cell near this column gets a tick (struct pithi_tick). Here A gets
 * no tick in column 1, because the cell of column 0 shows A.
 *
 * Internal to the core; does not read files. */
#ifndef PITHI_SWEEP_H
#define PITHI_SWEEP_H

#include "core/cells/memory.h"
#include "core/cells/query.h"

struct pithi_sweep;

struct pithi_sweep *pithi_sweep_new(const struct pithi_query *query, struct pithi_cells *cells);
void pithi_sweep_free(struct pithi_sweep *sweep);

/* Call for each lane: begin; the lane's records in order of time (first the states open at t0, with the times of their
 * begins); end. */
void pithi_sweep_begin(struct pithi_sweep *sweep, uint32_t row);
void pithi_sweep_enter(struct pithi_sweep *sweep, int64_t time_ns, uint32_t id);
void pithi_sweep_leave(struct pithi_sweep *sweep, int64_t time_ns, uint32_t id);
void pithi_sweep_leave_all(struct pithi_sweep *sweep, int64_t time_ns); /* leaves all open states */
void pithi_sweep_event(struct pithi_sweep *sweep, int64_t time_ns, uint32_t id);
void pithi_sweep_end(struct pithi_sweep *sweep);
/* Marks the columns from `from_ns` to `to_ns`, because records are missing there. Has no effect in groups. */
void pithi_sweep_missing(struct pithi_sweep *sweep, int64_t from_ns, int64_t to_ns);

/* Adds a piece of a summary instead of records. Call it between begin and end, in order of time. The time of the piece
 * in each column is divided among the paths of the piece in proportion to their shares. `paths`: the lane's table. */
void pithi_sweep_piece(struct pithi_sweep *sweep, const struct pithlog_piece *piece, const struct pithlog_path *paths,
                       uint32_t path_count);
/* A column is in doubt if the time that its pieces leave open could give a cell to another state. Finds the first run
 * of such columns of this row from `column` on. Returns 1 and sets the times to read, or returns 0 if there is none. */
struct pithi_doubt {
    uint32_t column, end;   /* [column, end) */
    int64_t from_ns, to_ns; /* their times, widened to whole ns */
};
int pithi_sweep_doubt(const struct pithi_sweep *sweep, uint32_t column, struct pithi_doubt *doubt);
/* After end, columns can be computed again from records. Call begin_again; then pass the states open at from_ns and the
 * records up to to_ns; then end_again. */
void pithi_sweep_begin_again(struct pithi_sweep *sweep, const struct pithi_doubt *doubt);
void pithi_sweep_end_again(struct pithi_sweep *sweep);
/* Removes surplus ticks of columns that were computed twice. Call it last. */
void pithi_sweep_tidy(struct pithi_sweep *sweep);

/* To sweep a row of several lanes: begin_group; each lane from begin to end as above; show_group, which makes the cells
 * of the columns [from, to) and finds the columns in doubt. To compute columns in doubt again: clear_group, then each
 * lane from begin_again to end_again, then show_group. Finally end_group. */
void pithi_sweep_begin_group(struct pithi_sweep *sweep, uint32_t lanes);
void pithi_sweep_clear_group(struct pithi_sweep *sweep, const struct pithi_doubt *doubt);
void pithi_sweep_show_group(struct pithi_sweep *sweep, uint32_t from, uint32_t to);
void pithi_sweep_end_group(struct pithi_sweep *sweep);

#endif
