/* figure_ranges.h - mountain ranges (ranges.h) in a whole picture (figure.h): below the time lines, over the same
 * columns, with a scale at the left. */
#ifndef PITHI_FIGURE_RANGES_H
#define PITHI_FIGURE_RANGES_H

#include "core/plot.h"
#include "core/ranges.h"

struct pithi_figure_ranges {
    double height; /* of the mountains, pixels; 0: none are wanted */
    /* Made by load: */
    struct pithi_ranges *ranges;
    uint32_t *order; /* the state with the most time first */
    uint32_t order_count;
    int threads; /* 1: some lanes are not the first of their process */
};

/* The height of all of it, with the gap above; 0: none. */
double pithi_figure_ranges_room(const struct pithi_figure_ranges *block);
/* Of the rows, the window and the columns of a plot. 0 or an enum pith_err: there is what could be read. */
int pithi_figure_ranges_load(struct pithi_figure_ranges *block, const struct pithi_plot *plot);
/* With the upper edge of its room at `y`, on `width` pixels from the plot's left; labels from `left` on. */
void pithi_figure_ranges_draw(const struct pithi_figure_ranges *block, const struct pithi_plot *plot, double left,
                              double y, double width, const struct pithi_painter *painter);
void pithi_figure_ranges_free(struct pithi_figure_ranges *block);

#endif
