/* query.h - what a window of a log looks like: the one question that every picture asks.
 *
 * pithi_query_run(log, query, cells) answers with cells: for every row, nesting level and pixel column the state that
 * covers most of that column's time, and how much of it. All outputs (screen, PNG, SVG, PDF, terminal) draw these
 * cells and nothing else, so they look the same. Beside the cells come what a majority would hide (ticks), solo
 * events (marks), and sums for the legend.
 *
 * Levels. Level 0 shows the outermost visible state of a lane, level 1 the one inside it, and so on; the last level
 * shows the innermost of all that is deeper. With `levels` = 1 the only level shows the innermost state: where time
 * is really spent. Hidden states count as not there: what is inside moves up a level.
 *
 * Groups. A row of several lanes shows, at level 0, the state that covers most of the column summed over its lanes,
 * each with its innermost visible state; `cover` is the share of all their time that any state covers. The other levels
 * are empty, no cell begins. Ticks, marks and sums are those of all its lanes.
 *
 * Time. The window is half open, [t0, t1). Column c is [t0 + c*span/width, t0 + (c+1)*span/width), bounds rounded
 * down to whole nanoseconds, or to parts of them when a column has fewer than 16; what is counted in it is exact.
 *
 * Cost. Without a summary every record of the window is read (PITHLOG_CLIP gives the states open at its start). With
 * one (pithlog_summary), columns are made of pieces of 512 records and more, and where what these leave open could
 * change a cell, the records of that column are read: then cells are what all records would give. Or they are not read:
 * `care`.
 */
#ifndef PITHI_QUERY_H
#define PITHI_QUERY_H

#include <stdatomic.h>
#include <stdint.h>

#include <pithlog.h>

#include "core/row.h"

enum { PITHI_LEVELS = 4, PITHI_MAX_WIDTH = 65536 };

/* Columns between ticks of a state, and to a column that shows it. */
enum { PITHI_TICK_DISTANCE = 24 };
/* After so many damaged parts of a lane, the rest of it is given up. */
enum { PITHI_MOST_DAMAGES = 10000 };
/* Logs with fewer records are read as they are, right at once; of others a summary is used. */
enum { PITHI_SUMMARY_RECORDS = 1000000 };

/* How much work is put into a picture that rests on a summary. */
enum pithi_care {
    PITHI_EXACT, /* cells are what all records would give */
    PITHI_NEAR,  /* no records are read but for sums, which are right */
    PITHI_QUICK  /* pieces as long as a column will do, and there are no sums */
};

struct pithi_query {
    int64_t t0_ns, t1_ns;  /* t0 < t1 */
    uint32_t width;        /* columns, 0 to PITHI_MAX_WIDTH; 0: sums only */
    uint32_t levels;       /* 1 to PITHI_LEVELS */
    const uint32_t *lanes; /* the rows, if there are no groups */
    uint32_t lane_count;
    const unsigned char *hidden;     /* [defs], non-zero: not shown; NULL: all shown */
    struct pithlog_summary *summary; /* NULL: all records are read */
    enum pithi_care care;            /* with a summary */
    /* [group_count] row r is lanes[group_end[r - 1] ... group_end[r] - 1], one or more; NULL: each lane is a row */
    const uint32_t *group_end;
    uint32_t group_count;
    int no_sums;            /* 1: sums are not asked for, and not right */
    const atomic_int *stop; /* non-zero, at any time: give up, what is in cells is not wanted; NULL: never */
};

enum {
    PITHI_CELL_BEGIN = 1 /* an instance of the cell's state begins here: a dividing line is in place */
};
struct pithi_cell {
    uint32_t state; /* definition, PITHI_NONE: nothing at this level */
    uint8_t cover;  /* how much of the column any state of this level covers: 0 nothing ... 255 all */
    uint8_t flags;
};

/* A state that is there but covers most of no column near: none of PITHI_TICK_DISTANCE. */
struct pithi_tick {
    uint32_t row, column, state;
};

/* Solo events of one column; `id` is the first one's. */
struct pithi_mark {
    uint32_t row, column, id, count;
};

/* What of a definition is in the window, over all rows, shown or hidden. States: instances that reach into the
 * window; a state inside itself counts, but adds nothing to the inclusive time again. Events: how many. */
struct pithi_sum {
    uint64_t count;
    int64_t inclusive_ns, exclusive_ns;
};

struct pithi_cells {
    uint32_t rows, levels, width, lanes; /* lanes: of all rows */
    struct pithi_cell *cells;            /* [(row * levels + level) * width + column] */
    struct pithi_tick *ticks;
    uint32_t tick_count, tick_capacity;
    struct pithi_mark *marks;
    uint32_t mark_count, mark_capacity;
    struct pithi_sum *sums; /* [defs] */
    uint32_t defs;
    uint32_t rough; /* columns in doubt; 0: records would change nothing */
};

/* Fills `cells`, which the caller has zeroed or gives again from an earlier call. Returns 0 or an enum pith_err. A
 * lane that is damaged is shown up to there, the others wholly; PITH_ERR_USAGE leaves `cells` as they were. */
int pithi_query_run(struct pithlog *log, const struct pithi_query *query, struct pithi_cells *cells);
void pithi_cells_free(struct pithi_cells *cells);

static inline const struct pithi_cell *pithi_cells_line(const struct pithi_cells *cells, uint32_t row, uint32_t level)
{
    return cells->cells + ((size_t)row * cells->levels + level) * cells->width;
}

#endif
