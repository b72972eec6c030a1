/* arrow_draw.h - the messages of a plot as arrows, from the middle of one bar to the middle of another. */
#ifndef PITHI_ARROW_DRAW_H
#define PITHI_ARROW_DRAW_H

#include "core/plot.h"

void pithi_arrows_draw(const struct pithi_plot *plot, const struct pithi_painter *painter);
/* 1: there are so many that with plot->moving the picture is a rough one. */
int pithi_arrows_crowded(const struct pithi_plot *plot);

/* How bundles look: the first so many of a plot are drawn, each as dark as its number makes it, times *fade. */
struct pithi_bundle_look {
    double ends[4]; /* x0, y0 at the sender, x1, y1 at the receiver, within the plot */
    int width;      /* pixels */
    double alpha;
};
uint32_t pithi_bundles_drawn(const struct pithi_plot *plot, double *fade);
/* 0: it is not in the plot. */
int pithi_bundle_look(const struct pithi_plot *plot, const struct pithi_bundle *bundle, double fade,
                      struct pithi_bundle_look *look);

#endif
