/* bars.h - the bars of a plot (plot.h): cells side by side that look the same make one bar. */
#ifndef PITHI_BARS_H
#define PITHI_BARS_H

#include "core/plot.h"

/* Memory for a row's strips; of one thread. */
struct pithi_sheet;
struct pithi_sheet *pithi_sheet_new(const struct pithi_plot *plot);
void pithi_sheet_free(struct pithi_sheet *sheet); /* or NULL */

/* The rows [from, to), level by level. With a painter that likes groups, the bars of a level are drawn state by state.
 * `sheet`: for painters with strips. */
void pithi_bars_draw(const struct pithi_plot *plot, const struct pithi_painter *painter, struct pithi_sheet *sheet,
                     uint32_t from, uint32_t to);

#endif
