/* figure.h - a whole picture: title, row labels, time lines, axis, legend; laid out from a size and the rows, drawn
 * with any painter that has text.
 */
#ifndef PITHI_FIGURE_H
#define PITHI_FIGURE_H

#include "core/figure_ranges.h"
#include "core/groups.h"
#include "core/legend_draw.h"
#include "core/plot.h"

enum pithi_legend_place { PITHI_LEGEND_BOTTOM, PITHI_LEGEND_RIGHT, PITHI_LEGEND_NONE };

struct pithi_figure {
    const char *title;
    struct pithi_plot plot; /* log, digest, rgb, t0_ns, t1_ns, rows, row_count, hidden, most_arrows: the caller's */
    double width, height;   /* of the picture; height 0: as the rows need, set by pithi_figure_load */
    double row_height;      /* 0: by the size */
    uint32_t columns;       /* asked of the log; 0: one a pixel. Fewer are drawn wider */
    uint32_t per; /* so many rows are drawn as one (groups.h), or more where that is lower than a pixel; 0: 1 */
    enum pithi_legend_place place;
    int no_arrows; /* messages are counted, not drawn */
    int stats;     /* a table of counts and times below the picture, which is the legend if that is there as well */
    struct pithi_figure_ranges ranges; /* .height: of the mountain ranges below the rows, 0 none */
    /* Made by pithi_figure_load: */
    double ranges_y, axis_y, label_width, plot_width; /* in pixels, unlike plot.width */
    struct pithi_groups groups;                       /* the plot's rows, if they are drawn several as one; their */
    const struct pithi_row *rows;                     /* [row_count] rows as they were given */
    uint32_t row_count;
    struct pithi_legend_entry *legend;
    uint32_t legend_count;
    struct pithi_legend_plan below, beside;
};

enum { PITHI_FIGURE_LEAST_WIDTH = 240, PITHI_FIGURE_LEAST_HEIGHT = 120, PITHI_FIGURE_MOST = 32000 };

/* Lays out and asks the log. `painter` is only used to measure text. 0 or an enum pith_err; PITH_ERR_USAGE: too small
 * for its rows; PITH_ERR_DAMAGED: what could be read is there and can be drawn. */
int pithi_figure_load(struct pithi_figure *figure, const struct pithi_painter *painter);
void pithi_figure_draw(const struct pithi_figure *figure, const struct pithi_painter *painter);
/* "4 ranks, 3 120 records, 19 ms": the line below the title. */
void pithi_figure_subtitle(const struct pithi_figure *figure, char *text, size_t size);
/* The plot has the rows again that were given. */
void pithi_figure_free(struct pithi_figure *figure);

#endif
