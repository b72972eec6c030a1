/* ranges.h - mountain ranges: how many lanes are in each state, pixel column by pixel column, stacked as areas.
 *
 *     struct pithi_ranges *ranges = pithi_ranges_new(log, &query);
 *     pithi_ranges_quick(ranges, summary, 0.01);  about right, at once; or
 *     pithi_ranges_load(ranges, NULL);            exact, by all records of the window
 *     pithi_layers_draw(ranges, &look, &painter); as often as wanted (layers.h)
 *     pithi_ranges_free(ranges);
 *
 * A lane is in the innermost of its open states that is not hidden, or in the outermost. A column holds the time that
 * lanes spent in a state, added up; divided by the column's length it is a number of lanes, with a fraction. Worked
 * example: two lanes, a column of 10 ns; one lane is in A for all of it, the other in A for 4 ns and in B for 6: A has
 * 14 ns, 1.4 lanes; B 0.6. After pithi_ranges_load the columns of a state add up to its own time in the window (with
 * nothing hidden: pithi_sum.exclusive_ns) to the nanosecond.
 */
#ifndef PITHI_RANGES_H
#define PITHI_RANGES_H

#include <stdint.h>

#include <pithlog.h>

#include "core/watch.h"

enum pithi_ranges_depth { PITHI_INNERMOST, PITHI_OUTERMOST };

struct pithi_ranges_query {
    int64_t t0_ns, t1_ns;  /* t0 < t1 */
    uint32_t width;        /* columns, 1 to PITHI_MAX_WIDTH (query.h) */
    const uint32_t *lanes; /* copied */
    uint32_t lane_count;
    const unsigned char *hidden; /* [defs], non-zero: not there; copied; NULL: all are */
    enum pithi_ranges_depth depth;
};

struct pithi_ranges;

/* NULL: the query is out of range. The log must outlive it. */
struct pithi_ranges *pithi_ranges_new(struct pithlog *log, const struct pithi_ranges_query *query);
void pithi_ranges_free(struct pithi_ranges *ranges);

/* Exact. 0 or an enum pith_err: of a damaged lane there is what could be read. In any thread. `watch` may be NULL. */
int pithi_ranges_load(struct pithi_ranges *ranges, const struct pithi_watch *watch);
/* From the pieces of a summary, lane by lane, for about so many seconds: 1 when there are more lanes, which the next
 * call does, 0: all are there. 64 lanes and 1600 columns take 7 ms, more as long as nobody has looked at the summary.
 */
int pithi_ranges_quick(struct pithi_ranges *ranges, struct pithlog_summary *summary, double seconds);
/* How many records pithi_ranges_load would read, about: an even flow of them is assumed. */
double pithi_ranges_records(const struct pithi_ranges *ranges);

/* ---- Asking ------------------------------------------------------------------------------------------------------ */

uint32_t pithi_ranges_lanes(const struct pithi_ranges *ranges);
uint32_t pithi_ranges_width(const struct pithi_ranges *ranges);
/* The states that are in the window, in no order. How many. */
uint32_t pithi_ranges_states(const struct pithi_ranges *ranges, const uint32_t **states);
/* How many lanes are in a state, on average over a column. */
double pithi_ranges_value(const struct pithi_ranges *ranges, uint32_t state, uint32_t column);
/* The time of all lanes in a state, in the whole window. */
int64_t pithi_ranges_time(const struct pithi_ranges *ranges, uint32_t state);

#endif
