/* figure.h - a whole picture: title, row labels, time lines, axis, legend; laid out from a size and the rows, drawn
 * with any painter that has text.
 */
#ifndef PITHI_FIGURE_H
#define PITHI_FIGURE_H

#include "core/legend.h"
#include "core/plot.h"

struct pithi_figure {
    const char *title;
    struct pithi_plot plot; /* log, digest, rgb, t0_ns, t1_ns, rows, row_count, hidden, most_arrows: the caller's */
    double width, height;   /* of the picture; height 0: as the rows need, set by pithi_figure_load */
    /* Made by pithi_figure_load: */
    double axis_y, legend_y;
    struct pithi_legend_entry *legend;
    uint32_t legend_count, legend_shown, legend_columns, legend_lines;
    double label_width;
};

enum { PITHI_FIGURE_LEAST_WIDTH = 240, PITHI_FIGURE_LEAST_HEIGHT = 120, PITHI_FIGURE_MOST = 32000 };

/* Lays out and asks the log. `painter` is only used to measure text. 0 or an enum pith_err; PITH_ERR_USAGE: too small
 * for its rows; PITH_ERR_DAMAGED: what could be read is there and can be drawn. */
int pithi_figure_load(struct pithi_figure *figure, const struct pithi_painter *painter);
void pithi_figure_draw(const struct pithi_figure *figure, const struct pithi_painter *painter);
void pithi_figure_free(struct pithi_figure *figure);

#endif
