/* graph.c - drawing a counter's values; see graph.h. */
#include "core/graph.h"

#include <math.h>

/* The values of one column: the least and greatest of those that began in it and the one that held at its start. */
struct column_value {
    double low, high;
    int known;
};

static uint32_t first_after(const struct pithi_series *series, int64_t time_ns)
{
    uint32_t low = 0, high = series->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (series->time_ns[middle] <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct column_value column_value(const struct pithi_plot *plot, const struct pithi_series *series, uint32_t c,
                                        uint32_t *next)
{
    int64_t end = plot->t0_ns + (int64_t)(((double)plot->t1_ns - (double)plot->t0_ns) * (c + 1) / plot->width);
    struct column_value value = {0, 0, 0};

    if (*next > 0) {
        value.low = value.high = series->value[*next - 1];
        value.known = 1;
    }
    for (; *next < series->count && series->time_ns[*next] < end; ++*next) {
        double v = series->value[*next];
        value.low = value.known && value.low < v ? value.low : v;
        value.high = value.known && value.high > v ? value.high : v;
        value.known = 1;
    }
    return value;
}

void pithi_graph_draw(const struct pithi_plot *plot, const struct pithi_painter *painter, uint32_t row)
{
    const struct pithi_series *series = pithi_digest_series(plot->digest, plot->rows[row]);
    double top, height, y, scale;
    uint32_t next, rgb = plot->rgb[plot->rows[row].counter];

    if (!series)
        return;
    pithi_plot_bar(plot->row_height, 0, &top, &height);
    y = pithi_plot_row_top(plot, row) + top;
    scale = (height - 1) / (series->high > series->low ? series->high - series->low : 1);
    next = first_after(series, plot->t0_ns);
    for (uint32_t c = 0; c < plot->width; c++) {
        struct column_value value = column_value(plot, series, c, &next);
        double zero = y + height - floor((0 - series->low) * scale), high, low;
        if (!value.known)
            continue;
        high = y + height - floor((value.high - series->low) * scale) - 1;
        low = y + height - floor((value.low - series->low) * scale) - 1;
        painter->rect(painter->context, plot->x + c, high < zero ? high : zero, 1, fabs(zero - high), rgb, 0.3);
        painter->rect(painter->context, plot->x + c, high, 1, low - high + 1, rgb, 1);
    }
}
