/* sweep.h - the work behind a query: a walk along one lane from t0 to t1, with the stack of open states, that divides
 * time among the pixel columns.
 *
 * Worked example: width 2, window [0, 100), states A [0, 60) and B [60, 100), not nested. Column 0 is [0, 50): A has
 * all 50. Column 1 is [50, 100): A has 10, B 40, so that the cell shows B, fully covered. A is shown in the
 * neighbouring column 0 and therefore gets no tick.
 *
 * Internal to the core; does not read files. */
#ifndef PITHI_SWEEP_H
#define PITHI_SWEEP_H

#include "core/memory.h"
#include "core/query.h"

struct pithi_sweep;

struct pithi_sweep *pithi_sweep_new(const struct pithi_query *query, struct pithi_cells *cells);
void pithi_sweep_free(struct pithi_sweep *sweep);

/* One lane: begin, its records in time order (first the states open at t0, with their own times), end. */
void pithi_sweep_begin(struct pithi_sweep *sweep, uint32_t row);
void pithi_sweep_enter(struct pithi_sweep *sweep, int64_t time_ns, uint32_t id);
void pithi_sweep_leave(struct pithi_sweep *sweep, int64_t time_ns, uint32_t id);
void pithi_sweep_leave_all(struct pithi_sweep *sweep, int64_t time_ns); /* the states that are open */
void pithi_sweep_event(struct pithi_sweep *sweep, int64_t time_ns, uint32_t id);
void pithi_sweep_end(struct pithi_sweep *sweep);
/* Between these times records are missing. Not in groups. */
void pithi_sweep_missing(struct pithi_sweep *sweep, int64_t from_ns, int64_t to_ns);

/* A piece of a summary instead of records, between begin and end and in time order: the piece's time in each column is
 * divided among its paths in proportion. `paths` are the lane's. */
void pithi_sweep_piece(struct pithi_sweep *sweep, const struct pithlog_piece *piece, const struct pithlog_path *paths,
                       uint32_t path_count);
/* A column is in doubt if the time that its pieces leave open could give a cell to another state. Finds the first run
 * of such columns of this row from `column` on: 1, with the times to read; 0: none. */
struct pithi_doubt {
    uint32_t column, end; /* [column, end) */
    int64_t from_ns, to_ns;
};
int pithi_sweep_doubt(const struct pithi_sweep *sweep, uint32_t column, struct pithi_doubt *doubt);
/* After end, computes columns again by records: begin_again, the states open at from_ns, the records up to to_ns,
 * end_again. */
void pithi_sweep_begin_again(struct pithi_sweep *sweep, const struct pithi_doubt *doubt);
void pithi_sweep_end_again(struct pithi_sweep *sweep);
/* After all of these: thins the ticks of columns that were computed twice. */
void pithi_sweep_tidy(struct pithi_sweep *sweep);

/* To sweep a row of several lanes: begin_group; each lane from begin to end as above; show_group, which makes the cells
 * of columns [from, to) and finds those in doubt. To compute such columns again: clear_group, then each lane from
 * begin_again to end_again, then show_group. Finally end_group. */
void pithi_sweep_begin_group(struct pithi_sweep *sweep, uint32_t lanes);
void pithi_sweep_clear_group(struct pithi_sweep *sweep, const struct pithi_doubt *doubt);
void pithi_sweep_show_group(struct pithi_sweep *sweep, uint32_t from, uint32_t to);
void pithi_sweep_end_group(struct pithi_sweep *sweep);

/* ---- Groups of lanes (blend.c) ----------------------------------------------------------------------------------- */

struct pithi_share {
    uint32_t state;
    uint64_t span;
};

struct pithi_shares {
    struct pithi_share *items;
    uint32_t count, capacity;
};

/* Returns the index of the state's share. */
static inline uint32_t pithi_shares_add(struct pithi_shares *shares, uint32_t state, uint64_t span)
{
    for (uint32_t i = 0; i < shares->count; i++)
        if (shares->items[i].state == state) {
            shares->items[i].span += span;
            return i;
        }
    shares->items = pithi_view_grow(shares->items, &shares->capacity, shares->count + 1, sizeof *shares->items);
    shares->items[shares->count] = (struct pithi_share){state, span};
    return shares->count++;
}

/* The state with the most time; of equals the lowest id. */
struct pithi_most {
    uint32_t state;
    uint64_t sum;  /* of all shares */
    uint64_t lead; /* over the second state */
};
struct pithi_most pithi_shares_most(const struct pithi_shares *shares); /* of one share or more */
/* `sum` of `whole` as the cover of a cell, which is 0 only for a sum of 0. */
uint8_t pithi_cover(uint64_t sum, uint64_t whole);

/* ---- The columns of a row of several lanes ----------------------------------------------------------------------- */

struct pithi_blend;

struct pithi_blend *pithi_blend_new(uint32_t width);
void pithi_blend_free(struct pithi_blend *blend);
/* Empties the columns [from, to). */
void pithi_blend_clear(struct pithi_blend *blend, uint32_t from, uint32_t to);
/* Adds a column of a lane: the shares of its states; `unnamed` time is left open, and `crossing` time may belong to
 * another column. */
void pithi_blend_add(struct pithi_blend *blend, uint32_t column, const struct pithi_shares *shares, uint64_t unnamed,
                     uint64_t crossing);
void pithi_blend_mark(struct pithi_blend *blend, uint32_t column, uint32_t id, uint32_t count);
/* Makes the cell of a column whose time over all lanes is `whole`. 1: open time could give it to another state. */
int pithi_blend_cell(const struct pithi_blend *blend, uint32_t column, uint64_t whole, struct pithi_cell *cell);
/* Adds the marks of the row to those of the cells. */
void pithi_blend_marks(const struct pithi_blend *blend, struct pithi_cells *cells, uint32_t row);

/* Sorts the ticks of a row, from `first` on, by state and column, and leaves `distance` columns between two of a
 * state. */
void pithi_blend_ticks(struct pithi_cells *cells, uint32_t first, uint32_t distance);
/* Drops the ticks, from `first` on, of states that a cell near them shows. */
void pithi_ticks_drop_shown(struct pithi_cells *cells, uint32_t first);

/* Add a sign to the cells. */
void pithi_ticks_add(struct pithi_cells *cells, struct pithi_tick tick);
void pithi_marks_add(struct pithi_cells *cells, struct pithi_mark mark);
void pithi_spans_add(struct pithi_cells *cells, struct pithi_cell_span span);

/* Drops the marks, from `first` on, of the columns [from, to). */
void pithi_marks_drop(struct pithi_cells *cells, uint32_t first, uint32_t from, uint32_t to);

/* The least length of a span (PITHI_SPAN_COLUMNS) in a window of `width` columns. */
uint64_t pithi_span_least_ns(uint64_t window_ns, uint32_t width);

/* Marks the columns that reach into [from, to] as missing. */
void pithi_spans_missing(struct pithi_cells *cells, uint32_t row, const uint64_t *bounds, uint64_t from, uint64_t to);

/* The bounds of columns: times are shifted left by this, so that a column is at least 16 units wide. */
unsigned pithi_bounds_shift(uint64_t span, uint32_t width);
/* Computes bounds[c] = end * c / width, c from 1 to width, without a division for each column; bounds[0] is 0. */
void pithi_bounds_set(uint64_t *bounds, uint64_t end, uint32_t width);

#endif
