/* graph.h - counters' rows: their values as graphs over the columns of a plot. */
#ifndef PITHI_GRAPH_H
#define PITHI_GRAPH_H

#include "core/painter.h"

struct pithi_plot;
struct pithi_graphs;

/* What the counters among the rows of a plot were in each column; NULL: there are none, or it has no digest. */
struct pithi_graphs *pithi_graphs_load(const struct pithi_plot *plot);
void pithi_graphs_free(struct pithi_graphs *graphs);
/* The row of a counter. */
void pithi_graph_draw(const struct pithi_plot *plot, const struct pithi_painter *painter, uint32_t row);

#endif
