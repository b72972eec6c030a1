/* arrow_draw.h - the messages of a plot as arrows, from the middle of one bar to the middle of another. */
#ifndef PITHI_ARROW_DRAW_H
#define PITHI_ARROW_DRAW_H

#include "core/plot.h"

void pithi_arrows_draw(const struct pithi_plot *plot, const struct pithi_painter *painter);

#endif
