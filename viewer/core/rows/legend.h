/* legend.h - the entries of the legend and its drawing, the labels of rows, the groups of states. */
#ifndef PITHI_LEGEND_H
#define PITHI_LEGEND_H

#include <stddef.h>

#include <pithlog.h>

#include "core/rows/rows.h"
#include "core/raster/painter.h"
#include "core/cells/query.h"

struct pithi_legend_entry {
    uint32_t id;
    struct pithi_sum sum; /* in the window */
    double share;         /* self time as a fraction of all lanes' time in the window, 0 to 1 */
};

/* Returns the states and events that occur in the window: states by self time, largest first, then events by count. The
 * array [*count] is to be freed. */
struct pithi_legend_entry *pithi_legend_make(const struct pithlog *log, const struct pithi_cells *cells,
                                             int64_t span_ns, uint32_t *count);

/* Returns a time as a fraction of all lanes' time in a window of `span_ns`. */
double pithi_legend_share(const struct pithi_cells *cells, int64_t span_ns, int64_t time_ns);

/* Writes the printable name (pithi_clean) of a definition. Returns `label`. */
char *pithi_def_label(const struct pithlog *log, uint32_t id, char *label, size_t size);

/* Writes "rank 3 NAME" for the first thread of a rank, "3.1 NAME" for the next one. The name is as in the log, not made
 * printable. */
void pithi_lane_label(const struct pithlog_lane *lane, char *label, size_t size);

/* Writes the label of a row, made printable (pithi_clean): "rank 3", "3.1 worker" (thread 1 of rank 3), "rank 3 node17"
 * (when hosts differ), or a counter's "queue [bytes]". */
void pithi_row_label(const struct pithlog *log, struct pithi_row row, char *label, size_t size);

/* Writes the lanes of a row as text: "rank 3", "rank 3 thread 1", "ranks 4 to 7". */
void pithi_row_place(const struct pithlog *log, const struct pithi_row *row, char *text, size_t size);

/* Writes a number in groups of three digits, 12345678 as "12 345 678" (thin spaces). */
void pithi_number_text(uint64_t number, char *text, size_t size);

/* ---- Drawing ----------------------------------------------------------------------------------------------------- */

struct pithi_legend_plan {
    /* The caller's: */
    const struct pithlog *log; /* for names */
    const uint32_t *rgb;       /* [defs] */
    const struct pithi_legend_entry *entries;
    uint32_t count;
    int table;              /* 1: a table: a line for each entry, with count, times and share; 0: a list in columns */
    int64_t computing_ns;   /* time outside all states: a line below the table's entries */
    double computing_share; /* computing_ns as a fraction of all lanes' time */
    uint64_t messages;      /* number of messages: the last line of a table */
    double x, y, width;     /* pixels: upper left corner; the width that it may take */
    /* Made by pithi_legend_layout: */
    uint32_t shown, columns, lines; /* number of entries shown; of columns; of lines in a column */
};

/* Drops hidden entries ([defs] or NULL); returns the number of entries left. */
uint32_t pithi_legend_shown(struct pithi_legend_entry *entries, uint32_t count, const unsigned char *hidden);
/* Returns the width of a list of all the log's definitions. */
double pithi_legend_list_width(const struct pithlog *log, const struct pithi_painter *painter);
/* Lays out at most `most` lines, in as many columns as fit (for a table, a single column). If entries are left out, the
 * last place shows their number. Returns the height, or 0 if nothing is drawn. */
double pithi_legend_layout(struct pithi_legend_plan *plan, const struct pithi_painter *painter, uint32_t most);
void pithi_legend_draw(const struct pithi_legend_plan *plan, const struct pithi_painter *painter);

/* Draws text, shortened to a width with an ellipsis. */
void pithi_text_in(const struct pithi_painter *painter, double x, double y, double width, struct pithi_font font,
                   uint32_t rgb, const char *text);

/* ---- Groups of states -------------------------------------------------------------------------------------------- */

/* Returns the group of a state, never NULL or "". This is the group in the log. If the log has none, or only "MPI" or
 * "user" (old formats), the group follows from the name. */
const char *pithi_state_group(const struct pithlog_def *def);

#endif
