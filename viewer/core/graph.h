/* graph.h - a counter's row: its values as a graph over the columns of a plot. */
#ifndef PITHI_GRAPH_H
#define PITHI_GRAPH_H

#include "core/plot.h"

/* The row of a counter; nothing if its values are not there. */
void pithi_graph_draw(const struct pithi_plot *plot, const struct pithi_painter *painter, uint32_t row);

#endif
