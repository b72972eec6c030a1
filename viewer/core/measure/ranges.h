/* ranges.h - mountain ranges: how many lanes are in each state, pixel column by pixel column, stacked as areas.
 *
 *     struct pithi_ranges *ranges = pithi_ranges_new(log, &query);
 *     pithi_ranges_quick(ranges, summary, 0.01);  an estimate, at once; or
 *     pithi_ranges_load(ranges, NULL);            exact, by all records of the window
 *     pithi_layers_draw(ranges, &look, &painter); any number of times
 *     pithi_ranges_free(ranges);
 *
 * A lane counts for the innermost of its open states that are not hidden, or for the outermost. A column holds the time
 * that all lanes spend in a state; divided by the length of the column this is a number of lanes, with a fraction.
 * Worked example: two lanes, a column of 10 ns. One lane is in A all the time, the other 4 ns in A and 6 in B: A has 14
 * ns or 1.4 lanes, B 0.6. After pithi_ranges_load the columns of a state add up to its self time in the window (with
 * nothing hidden: pithi_sum.self_ns), to the nanosecond. */
#ifndef PITHI_RANGES_H
#define PITHI_RANGES_H

#include <stdint.h>

#include <pithlog.h>

#include "core/raster/painter.h"
#include "core/cells/query.h"

enum pithi_ranges_depth { PITHI_INNERMOST, PITHI_OUTERMOST };

struct pithi_ranges_query {
    int64_t t0_ns, t1_ns;  /* t0 < t1 */
    uint32_t width;        /* columns, 1 to PITHI_MAX_WIDTH (query.h) */
    const uint32_t *lanes; /* copied */
    uint32_t lane_count;
    const unsigned char *hidden;   /* [defs], non-zero: skipped; copied; NULL: none */
    enum pithi_ranges_depth depth; /* whether the innermost or the outermost state counts */
};

struct pithi_ranges;

/* Returns NULL if the query is out of range. The log must outlive the ranges. */
struct pithi_ranges *pithi_ranges_new(struct pithlog *log, const struct pithi_ranges_query *query);
void pithi_ranges_free(struct pithi_ranges *ranges);

/* Counts exactly, in any thread. Returns 0 or an enum pith_err; the readable part of a damaged lane counts. `watch` may
 * be NULL. */
int pithi_ranges_load(struct pithi_ranges *ranges, const struct pithi_watch *watch);
/* Estimates from the pieces of a summary, lane by lane, for about `seconds`. Returns 1 if lanes are left, so that it
 * must be called again; 0 if all lanes are done. 64 lanes and 1600 columns take 7 ms, and longer if the summary was not
 * used before. */
int pithi_ranges_quick(struct pithi_ranges *ranges, struct pithlog_summary *summary, double seconds);
/* Returns about how many records pithi_ranges_load would read, if records are evenly distributed over time. */
double pithi_ranges_records(const struct pithi_ranges *ranges);

/* ---- Queries ----------------------------------------------------------------------------------------------------- */

uint32_t pithi_ranges_lanes(const struct pithi_ranges *ranges);
uint32_t pithi_ranges_width(const struct pithi_ranges *ranges);
/* Sets *states to the states in the window, in no order. Returns their number. */
uint32_t pithi_ranges_states(const struct pithi_ranges *ranges, const uint32_t **states);
/* Returns the number of lanes in a state, averaged over a column. */
double pithi_ranges_value(const struct pithi_ranges *ranges, uint32_t state, uint32_t column);
/* Returns the time of all lanes in a state, in the whole window. */
int64_t pithi_ranges_time(const struct pithi_ranges *ranges, uint32_t state);

/* ---- Layers ------------------------------------------------------------------------------------------------------ */

struct pithi_layers_look {
    double x, y, height;   /* upper left corner; `height`: the height of all lanes together. A column is a pixel wide */
    const uint32_t *order; /* states from the bottom up; states that are not in it follow, by id */
    uint32_t order_count;
    const unsigned char *chosen; /* [defs], zero: left out, and layers above move down; NULL: all are drawn */
    const uint32_t *rgb;         /* [defs] */
    int smooth;                  /* 1: each column is a weighted average of its neighbours; areas do not change */
};

void pithi_layers_draw(const struct pithi_ranges *ranges, const struct pithi_layers_look *look,
                       const struct pithi_painter *painter);
/* Returns the state whose layer is at a pixel, `column` and `y` from the picture's corner, or PITHI_NONE if there is
 * none. */
uint32_t pithi_layers_at(const struct pithi_ranges *ranges, const struct pithi_layers_look *look, uint32_t column,
                         double y);
/* Returns the number of lanes between two marks of the scale: the first of 1, 2, 5, 10, 20, 50 ... that puts the marks
 * at least `spacing` pixels apart. `height`: the height of all `lanes` together, in pixels. */
uint32_t pithi_layers_step(uint32_t lanes, double height, double spacing);
/* Draws a horizontal line at each mark of the scale. */
void pithi_layers_draw_grid(const struct pithi_ranges *ranges, const struct pithi_layers_look *look, double spacing,
                            const struct pithi_painter *painter);

#endif
