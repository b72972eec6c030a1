/* gap_draw.h - the gaps of a plot's lanes: pauses are hatched, a loss is a line in the alarm's colour. */
#ifndef PITHI_GAP_DRAW_H
#define PITHI_GAP_DRAW_H

#include "core/plot.h"

/* Of the rows [from, to). */
void pithi_gaps_draw(const struct pithi_plot *plot, const struct pithi_painter *painter, uint32_t from, uint32_t to);

#endif
