/* plot.h - the time lines themselves: rows of bars, ticks, events, counter graphs and arrows, without axis and labels.
 *
 *     struct pithi_plot plot = {.log = log, .digest = digest, .rgb = rgb, .t0_ns = ..., .rows = rows, .row_count = n,
 *                               .width = 800, .row_height = 20, .most_arrows = 2000};
 *     pithi_plot_load(&plot);            asks the log (query.h)
 *     pithi_plot_draw(&plot, &painter);  as often as wanted, with any painter
 *     pithi_plot_free(&plot);
 *
 * Look: a lane's life is a light band; outermost states fill the bar, inner ones lie in it as ever thinner bars; a
 * column of which less than half is covered has a lower bar; ticks hang from the bar's foot; events are small
 * triangles above; pauses of the recording are hatched; arrows go from the middle of one bar to the middle of another.
 * A group's bar is as high as its lanes are covered, column by column.
 */
#ifndef PITHI_PLOT_H
#define PITHI_PLOT_H

#include "core/arrows.h"
#include "core/gaps.h"
#include "core/graph.h"
#include "core/painter.h"
#include "core/query.h"

struct pithi_sheet;

struct pithi_plot {
    struct pithlog *log;
    const struct pithlog_digest *digest; /* NULL: no arrows and graphs */
    const uint32_t *rgb;                 /* [defs], see palette.h */
    int64_t t0_ns, t1_ns;
    const struct pithi_row *rows;
    uint32_t row_count;
    const unsigned char *hidden; /* [defs] or NULL */
    double x, y;                 /* upper left corner */
    uint32_t width;              /* pixels = columns */
    double row_height;
    uint32_t most_arrows;
    int moving; /* 1: crowds of arrows are looked at roughly, and some are drawn, so that the picture is done soon */
    const struct pithi_gaps *gaps;   /* NULL: not shown */
    struct pithlog_summary *summary; /* NULL: records are read */
    enum pithi_care care;            /* with a summary */

    /* Made by pithi_plot_load: */
    struct pithi_cells cells;  /* how many rows have cells, and their sums; no cells */
    struct pithi_cells *lines; /* [cells.rows] one row each; of a film (film.h) its own */
    int lines_made;            /* 1: the plot's own, to be freed */
    uint32_t *cell_row;        /* [row_count] row among the lines, PITHI_NONE for counters */
    uint32_t *plot_row;        /* [cells.rows] and back */
    struct pithi_arrows arrows;
    struct pithi_graphs *graphs; /* graph.h; NULL: none */
};

/* 0 or an enum pith_err; after an error other than PITH_ERR_USAGE what could be read can be drawn. */
int pithi_plot_load(struct pithi_plot *plot);
/* Loading in parts, where cells come from elsewhere: cell_row, plot_row and cells.rows; ...; arrows and graphs. */
void pithi_plot_prepare(struct pithi_plot *plot);
void pithi_plot_load_arrows(struct pithi_plot *plot);
void pithi_plot_draw(const struct pithi_plot *plot, const struct pithi_painter *painter);
/* Drawing in parts (bands.h): what lies in the rows [from, to); then arrows and events, over all of them. `sheet`:
 * bars.h; NULL with painters that have no strips. */
void pithi_plot_draw_rows(const struct pithi_plot *plot, const struct pithi_painter *painter, struct pithi_sheet *sheet,
                          uint32_t from, uint32_t to);
void pithi_plot_draw_over(const struct pithi_plot *plot, const struct pithi_painter *painter);
void pithi_plot_free(struct pithi_plot *plot);
/* All messages of one of its bundles: see pithi_arrows_look. */
int pithi_plot_look(const struct pithi_plot *plot, const struct pithi_bundle *bundle, struct pithi_bundle *exact);

/* Where a moment lies, which may be far outside. */
double pithi_plot_x(const struct pithi_plot *plot, int64_t time_ns);
/* Upper edge of a row. */
double pithi_plot_row_top(const struct pithi_plot *plot, uint32_t row);
/* Where the bar of nesting level `level` lies, from the top of its row. */
void pithi_plot_bar(double row_height, uint32_t level, double *top, double *height);
/* From where to where the lanes of a row live, inside the plot; left >= right: nowhere. */
void pithi_plot_life(const struct pithi_plot *plot, uint32_t row, double *left, double *right);
/* A line divides it from the row above. */
int pithi_plot_is_separated(const struct pithi_plot *plot, uint32_t row);
/* The sign of a solo event, pointing down, its upper edge at y. */
void pithi_plot_mark(const struct pithi_painter *painter, double x, double y, double size, uint32_t rgb);
/* The ends of an arrow: x0, y0 at the sender, x1, y1 at the receiver. */
void pithi_plot_arrow_ends(const struct pithi_plot *plot, const struct pithi_arrow *arrow, double ends[4]);
/* The level whose bar is at `y` from the top of its row (the innermost that reaches there). */
uint32_t pithi_plot_level_at(double row_height, double y);

#endif
