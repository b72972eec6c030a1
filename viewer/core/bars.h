/* bars.h - the bars of a plot (plot.h): cells side by side that look the same make one bar. */
#ifndef PITHI_BARS_H
#define PITHI_BARS_H

#include "core/plot.h"

/* All rows, level by level. With a painter that likes groups, the bars of a level are drawn state by state. */
void pithi_bars_draw(const struct pithi_plot *plot, const struct pithi_painter *painter);

#endif
