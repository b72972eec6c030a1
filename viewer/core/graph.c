/* graph.c - asking for a counter's values by column, and drawing them; see graph.h. */
#include "core/graph.h"

#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "core/plot.h"

struct pithi_graphs {
    uint32_t row_count;
    struct graph {
        double low, high;               /* low <= 0 <= high, so that the graph has a base line */
        struct pithlog_column *columns; /* [width]; NULL: no values */
    } rows[];
};

/* Its number among the digest's; PITHI_NONE: it has no values. */
static uint32_t series_of(const struct pithlog_digest *digest, const struct pithi_row *row)
{
    uint32_t low = 0, high = pithlog_digest_get_info(digest)->series;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct pithlog_series *series = pithlog_digest_series(digest, middle);
        if (series->lane == row->lane && series->counter == row->counter)
            return middle;
        if (series->lane < row->lane || (series->lane == row->lane && series->counter < row->counter))
            low = middle + 1;
        else
            high = middle;
    }
    return PITHI_NONE;
}

static void load_graph(const struct pithi_plot *plot, const struct pithi_row *row, struct graph *graph)
{
    uint32_t index = series_of(plot->digest, row);
    const struct pithlog_series *series = pithlog_digest_series(plot->digest, index);

    if (!series)
        return;
    graph->low = series->low < 0 ? series->low : 0;
    graph->high = series->high > 0 ? series->high : 0;
    graph->columns = pithi_alloc(plot->width, sizeof *graph->columns);
    pithlog_digest_columns(plot->digest, index, plot->t0_ns, plot->t1_ns, graph->columns, plot->width);
}

struct pithi_graphs *pithi_graphs_load(const struct pithi_plot *plot)
{
    struct pithi_graphs *graphs;

    if (!plot->digest || !plot->width || !pithlog_digest_get_info(plot->digest)->series)
        return NULL;
    graphs = pithi_alloc(1, sizeof *graphs + plot->row_count * sizeof graphs->rows[0]);
    graphs->row_count = plot->row_count;
    for (uint32_t row = 0; row < plot->row_count; row++)
        if (plot->rows[row].counter != PITHI_NONE)
            load_graph(plot, &plot->rows[row], &graphs->rows[row]);
    return graphs;
}

void pithi_graphs_free(struct pithi_graphs *graphs)
{
    for (uint32_t row = 0; graphs && row < graphs->row_count; row++)
        free(graphs->rows[row].columns);
    free(graphs);
}

void pithi_graph_draw(const struct pithi_plot *plot, const struct pithi_painter *painter, uint32_t row)
{
    const struct graph *graph = plot->graphs ? &plot->graphs->rows[row] : NULL;
    double top, height, foot, scale;
    uint32_t rgb;

    if (!graph || !graph->columns || (plot->hidden && plot->hidden[plot->rows[row].counter]))
        return;
    rgb = plot->rgb[plot->rows[row].counter];
    pithi_plot_bar(plot->row_height, 0, &top, &height);
    foot = pithi_plot_row_top(plot, row) + top + height;
    scale = (height - 1) / (graph->high > graph->low ? graph->high - graph->low : 1);
    for (uint32_t c = 0; c < plot->width; c++) {
        const struct pithlog_column *column = &graph->columns[c];
        double zero = foot - floor((0 - graph->low) * scale);
        double high = foot - floor((column->high - graph->low) * scale) - 1;
        double low = foot - floor((column->low - graph->low) * scale) - 1;
        if (!column->known)
            continue;
        painter->rect(painter->context, plot->x + c, high < zero ? high : zero, 1, fabs(zero - high), rgb, 0.3);
        painter->rect(painter->context, plot->x + c, high, 1, low - high + 1, rgb, 1);
    }
}
