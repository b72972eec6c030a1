/* arrow_draw.c - drawing messages as arrows; see arrow_draw.h. */
#include "core/arrow_draw.h"

#include <math.h>
#include <stdlib.h>

#include "core/palette.h"

static double middle_of(const struct pithi_plot *plot, uint32_t row)
{
    double top, height;

    pithi_plot_bar(plot->row_height, 0, &top, &height);
    return pithi_plot_row_top(plot, row) + top + floor(height / 2) + 0.5;
}

void pithi_plot_arrow_ends(const struct pithi_plot *plot, const struct pithi_arrow *arrow, double ends[4])
{
    ends[0] = pithi_plot_x(plot, arrow->message->send_ns);
    ends[1] = middle_of(plot, arrow->from_row);
    ends[2] = pithi_plot_x(plot, arrow->message->recv_ns);
    ends[3] = middle_of(plot, arrow->to_row);
}

/* Shortens a line to x in [low, high]; 0: nothing is left. Ends of arrows may be a billion pixels away, where the
 * numbers of cairo (24 bits before the point) would go wrong. */
static int shorten(double ends[4], double low, double high)
{
    double slope = ends[2] != ends[0] ? (ends[3] - ends[1]) / (ends[2] - ends[0]) : 0;

    if ((ends[0] < low && ends[2] < low) || (ends[0] > high && ends[2] > high))
        return 0;
    for (int i = 0; i < 4; i += 2) {
        double x = ends[i] < low ? low : ends[i] > high ? high : ends[i];
        ends[i + 1] += slope * (x - ends[i]);
        ends[i] = x;
    }
    return 1;
}

static void draw_arrow(const struct pithi_plot *plot, const struct pithi_painter *painter,
                       const struct pithi_arrow *arrow, double alpha)
{
    double ends[4], x1, y1, dx, dy, length, size = plot->row_height / 4;

    pithi_plot_arrow_ends(plot, arrow, ends);
    if (!shorten(ends, plot->x - 100, plot->x + plot->width + 100))
        return;
    x1 = ends[2], y1 = ends[3];
    dx = x1 - ends[0], dy = y1 - ends[1];
    length = sqrt(dx * dx + dy * dy);
    painter->line(painter->context, ends[0], ends[1], x1, y1, PITHI_RGB_ARROW, alpha);
    if (size > 6)
        size = 6;
    /* In a crowd heads say nothing and hide much. */
    if (length < 2 * size || size < 2 || plot->arrow_count > plot->width / 3)
        return;
    dx *= size / length;
    dy *= size / length;
    {
        double xs[3] = {x1, x1 - dx - dy * 0.4, x1 - dx + dy * 0.4};
        double ys[3] = {y1, y1 - dy + dx * 0.4, y1 - dy - dx * 0.4};
        painter->triangle(painter->context, xs, ys, PITHI_RGB_ARROW, alpha);
    }
}

/* The columns that an arrow crosses, as indices 0 .. width; 0: none. */
static int columns_of(const struct pithi_plot *plot, const struct pithi_arrow *arrow, uint32_t *from, uint32_t *to)
{
    double ends[4], low, high;

    pithi_plot_arrow_ends(plot, arrow, ends);
    low = (ends[0] < ends[2] ? ends[0] : ends[2]) - plot->x;
    high = (ends[0] < ends[2] ? ends[2] : ends[0]) - plot->x + 1;
    if (high <= 0 || low >= plot->width)
        return 0;
    *from = low > 0 ? (uint32_t)low : 0;
    *to = high < plot->width ? (uint32_t)high : plot->width;
    return *from < *to;
}

/* How much of the rows the arrows cover: crowd[x] is the sum over the columns before x, where 1 is one arrow across all
 * rows. [width + 1], to be freed; NULL: no memory. */
static double *measure_crowd(const struct pithi_plot *plot)
{
    double *crowd = calloc((size_t)plot->width + 2, sizeof *crowd), now = 0, sum = 0;
    uint32_t from, to;

    for (uint32_t i = 0; crowd && i < plot->arrow_count; i++) {
        const struct pithi_arrow *arrow = &plot->arrows[i];
        double share = (fabs((double)arrow->to_row - arrow->from_row) + 0.5) / plot->row_count;
        if (columns_of(plot, arrow, &from, &to)) {
            crowd[from] += share / (to - from); /* a steep line fills its column, a flat one a part of each */
            crowd[to] -= share / (to - from);
        }
    }
    for (uint32_t x = 0; crowd && x <= plot->width; x++) {
        now += crowd[x];
        crowd[x] = sum;
        sum += now;
    }
    return crowd;
}

/* A few arrows are dark; the more there are around one, the fainter each, or they would be all that is seen. */
static double arrow_alpha(const struct pithi_plot *plot, const struct pithi_arrow *arrow, const double *crowd)
{
    uint32_t from, to;
    double alpha;

    if (!crowd || !columns_of(plot, arrow, &from, &to))
        return 0.5;
    while (to - from < 9 && (from > 0 || to < plot->width)) { /* the neighbourhood of a steep one */
        from -= from > 0;
        to += to < plot->width;
    }
    alpha = 0.9 / (1 + 4 * (crowd[to] - crowd[from]) / (to - from));
    return alpha < 0.02 ? 0.02 : alpha;
}

void pithi_arrows_draw(const struct pithi_plot *plot, const struct pithi_painter *painter)
{
    double *crowd = measure_crowd(plot);

    for (uint32_t i = 0; i < plot->arrow_count; i++)
        draw_arrow(plot, painter, &plot->arrows[i], arrow_alpha(plot, &plot->arrows[i], crowd));
    free(crowd);
}
