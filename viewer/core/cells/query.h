/* query.h - what a window of a log looks like: the query behind every picture.
 *
 * pithi_query_run(log, query, cells) computes cells: for every row, nesting level and pixel column, the state that
 * covers most of the column's time, and how much of it. All outputs (screen, PNG, SVG, PDF, terminal) draw these cells
 * and therefore look the same. The query also gives states that win no column (ticks), events (marks), and sums for the
 * legend.
 *
 * Levels. Level 0 shows the outermost visible state of a lane, level 1 the state inside it, and so on. The last level
 * of the query shows the innermost of all deeper states. With `levels` = 1 the only level shows the innermost state,
 * where the time is spent. Hidden states are skipped: the states inside them move up a level. Cells have only as many
 * levels as the states need, so that a log of shallow states costs no more than its depth.
 *
 * Groups. A row of several lanes shows, at level 0, the state that covers most of the column summed over its lanes,
 * taking the innermost visible state of each lane; `cover` is the share of all their time that any state covers. The
 * other levels are empty, and no cell has PITHI_CELL_BEGIN. Ticks, marks and sums are of all lanes together.
 *
 * Time. The window is half open, [t0, t1). Column c is [t0 + c*span/width, t0 + (c+1)*span/width). Its bounds are
 * rounded down to whole nanoseconds, or to fractions of one if a column is shorter than 16 ns. Sums of a column are
 * exact.
 *
 * Cost. Without a summary every record of the window is read, for cells and again for sums. With a summary
 * (pithlog_summary) a column is computed from pieces of 512 records and more. If what the pieces leave open could
 * change a cell, the records of that column are read, so that the cells are the same as from all records. `care`
 * selects cheaper, less exact cells.
 */
#ifndef PITHI_QUERY_H
#define PITHI_QUERY_H

#include <pithlog.h>
#include <stdatomic.h>
#include <stdint.h>

enum {
    PITHI_LEVELS = 64,      /* the most levels of a query */
    PITHI_FIRST_LEVELS = 4, /* cells have this number of levels at first, and more if states are deeper */
    PITHI_MAX_WIDTH = 65536
};

/* Least number of columns between two ticks of a state, and from a tick to a column that shows the state. */
enum { PITHI_TICK_DISTANCE = 24 };
/* A lane is abandoned after this many damaged parts. */
enum { PITHI_MOST_DAMAGES = 10000 };
/* Logs with fewer records are read without a summary. */
enum { PITHI_SUMMARY_RECORDS = 1000000 };

/* How exact a picture from a summary is. */
enum pithi_care {
    PITHI_EXACT,      /* cells are the same as from all records */
    PITHI_NEAR,       /* records are read only for sums, which are exact */
    PITHI_NO_RECORDS, /* no records are read, so there are no sums */
    PITHI_QUICK,      /* as PITHI_NO_RECORDS, but pieces may be as long as a column */
    PITHI_COARSE      /* as PITHI_QUICK, but without the holes of LOST records, for which records would be read */
};

struct pithi_query {
    int64_t t0_ns, t1_ns;  /* t0 < t1 */
    uint32_t width;        /* columns, 0 to PITHI_MAX_WIDTH; 0: sums only */
    uint32_t levels;       /* 1 to PITHI_LEVELS */
    const uint32_t *lanes; /* the rows, if there are no groups */
    uint32_t lane_count;
    const unsigned char *hidden;     /* [defs], non-zero: not shown; NULL: all shown */
    struct pithlog_summary *summary; /* NULL: all records are read */
    enum pithi_care care;            /* how exact the cells are; used only with a summary */
    /* [group_count] row r is lanes[group_end[r - 1] ... group_end[r] - 1], one or more; NULL: each lane is a row */
    const uint32_t *group_end;
    uint32_t group_count;
    int no_sums;            /* 1: sums are not needed, and are not made */
    const atomic_int *stop; /* set it to 1 at any time to stop the query; the cells are then useless. NULL: never */
};

enum {
    PITHI_CELL_BEGIN = 1, /* an instance of the cell's state begins here: draw a dividing line */
    PITHI_CELL_PIECE = 2 /* computed from pieces of a summary, so that it may hide several instances and their begins */
};
struct pithi_cell {
    uint32_t state; /* definition, PITHI_NONE: nothing at this level */
    uint8_t cover;  /* the fraction of the column that the states of this level cover: 0 (none) to 255 (all) */
    uint8_t flags;  /* PITHI_CELL_ ... bits */
};

/* A state that occurs but wins no column within PITHI_TICK_DISTANCE. */
struct pithi_tick {
    uint32_t row, column, state; /* row and column of the cells; the definition */
};

/* The events of a column; `id`: the definition of the first one. */
struct pithi_mark {
    uint32_t row, column, id, count; /* `count`: events of the column */
};

/* An instance of a state that ends in the window and lasts at least PITHI_SPAN_COLUMNS columns. Its duration may fit
 * into its bar, as a text. */
enum { PITHI_SPAN_COLUMNS = 24 };
struct pithi_cell_span {
    uint32_t row, level, column; /* where the instance ends; `column` may be the width */
    int64_t length_ns;           /* of the whole instance, also outside the window */
};
/* The level of a span that stands for a column whose records are missing (interruptions.h). */
#define PITHI_MISSING UINT32_MAX

/* Sums of a definition in the window over all rows, shown or hidden. States: the instances that reach into the window.
 * An instance inside another instance of the same state counts, but adds nothing to the total time. Events: their
 * number. */
struct pithi_sum {
    uint64_t count; /* instances, or events */
    int64_t total_ns, self_ns;
};
static inline void pithi_sum_add(struct pithi_sum *sum, const struct pithi_sum *more)
{
    sum->count += more->count;
    sum->total_ns += more->total_ns;
    sum->self_ns += more->self_ns;
}

struct pithi_cells {
    uint32_t rows, levels, width, lanes; /* levels: at most the query's; lanes: number of lanes in all rows */
    uint32_t depth;                      /* levels from here on are empty */
    struct pithi_cell *cells;            /* [(row * levels + level) * width + column] */
    struct pithi_tick *ticks;
    uint32_t tick_count, tick_capacity;
    struct pithi_mark *marks;
    uint32_t mark_count, mark_capacity;
    struct pithi_cell_span *spans; /* only of rows of single lanes */
    uint32_t span_count, span_capacity;
    struct pithi_sum *sums; /* [defs] */
    uint32_t defs;
    int64_t computing_ns; /* the time of all lanes outside all states (struct pithlog_rest) */
    uint32_t rough;       /* number of columns in doubt that were not computed from records */

    uint32_t unknown_left, unknown_right; /* number of columns at each end that the cell cache has yet to compute */
};

/* Fills `cells`, which must be zeroed or come from an earlier call. Returns 0 or an enum pith_err. A damaged lane is
 * filled up to the damage, other lanes completely. PITH_ERR_USAGE leaves `cells` unchanged. */
int pithi_query_run(struct pithlog *log, const struct pithi_query *query, struct pithi_cells *cells);
void pithi_cells_free(struct pithi_cells *cells);
/* Sets missing[column] to 1 where records of a row are missing, else to 0 (NULL: not wanted). Returns the number of
 * such columns. */
uint32_t pithi_cells_missing(const struct pithi_cells *cells, uint32_t row, unsigned char *missing);
/* Gives the cells at least `levels` levels; new levels are empty. */
void pithi_cells_deepen(struct pithi_cells *cells, uint32_t levels);

static inline const struct pithi_cell *pithi_cells_line(const struct pithi_cells *cells, uint32_t row, uint32_t level)
{
    return cells->cells + ((size_t)row * cells->levels + level) * cells->width;
}

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

#define PITHI_NONE UINT32_MAX

enum pithi_row_kind {
    PITHI_ROW_STATES, /* states of its lanes: all levels, or one level (`band`) */
    /* functions of its lane (flames.h) at one depth; such rows follow the row of the lane's states */
    PITHI_ROW_FUNCTIONS,
    PITHI_ROW_COUNTER, /* a counter of its lane */
    PITHI_ROW_HEADING  /* no data: the heading of an open group */
};

struct pithi_row {
    enum pithi_row_kind kind;
    uint32_t lane;         /* the lane, or the first lane of a group */
    uint32_t counter;      /* definition of the counter of a PITHI_ROW_COUNTER */
    const uint32_t *lanes; /* [lane_count] the lanes of a group, not owned; NULL: `lane` is the only one */
    uint32_t lane_count;   /* 0 without `lanes` */
    const char *label;     /* not owned; NULL: what pithi_row_label (legend.h) makes of the lane */
    /* 0: the row shows all levels; else 1 + the one level of states, or depth of functions, that it shows */
    uint32_t band;
};

/* Returns 1 if the row shows states or functions, and therefore has cells. */
static inline int pithi_row_has_cells(const struct pithi_row *row)
{
    return row->kind == PITHI_ROW_STATES || row->kind == PITHI_ROW_FUNCTIONS;
}

/* Returns 1 if the row shows one level or depth of a lane and stands below the main row of the lane. */
static inline int pithi_row_is_below(const struct pithi_row *row)
{
    return row->kind == PITHI_ROW_FUNCTIONS || (row->kind == PITHI_ROW_STATES && row->band > 1);
}

/* Returns 1 if the row is the main row of its lanes; 0 if it is a heading, a counter, or a level or depth below a main
 * row. */
static inline int pithi_row_is_whole(const struct pithi_row *row)
{
    return row->kind == PITHI_ROW_STATES && !pithi_row_is_below(row);
}

/* Returns the lanes of a row, *count of them; at least one. */
static inline const uint32_t *pithi_row_lanes(const struct pithi_row *row, uint32_t *count)
{
    *count = row->lanes ? row->lane_count : 1;
    return row->lanes ? row->lanes : &row->lane;
}

/* A callback for the progress of long work, which may stop the work. */
struct pithi_watch {
    /* Reports the fraction `part` of the work that is done, 0 to 1. Returns 0 if the work shall stop, because its
     * result is not needed any more. */
    int (*go_on)(void *context, double part);
    void *context; /* the caller's, for go_on */
};

/* Calls the watch. Returns 0 if the work shall stop. A watch whose members are 0 never stops any work. */
static inline int pithi_go_on(const struct pithi_watch *watch, double part)
{
    return !watch->go_on || watch->go_on(watch->context, part);
}

#endif
