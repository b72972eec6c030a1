/* gap_draw.c - drawing pauses and losses; see gap_draw.h. */
#include "core/gap_draw.h"

#include <math.h>

#include "core/theme.h"

/* Pixels between the lines of a hatching. */
enum { HATCH = 6 };

struct box {
    double left, right, top, height;
};

/* Lines that rise to the right, in the same places whatever part of the pause is seen. */
static void hatch(const struct pithi_plot *plot, const struct pithi_painter *painter, const struct box *box)
{
    painter->rect(painter->context, box->left, box->top, box->right - box->left, box->height, pithi_theme()->idle, 1);
    painter->clip(painter->context, box->left, box->top, box->right - box->left, box->height);
    for (double x = floor((box->left - box->height) / HATCH) * HATCH; x < box->right; x += HATCH)
        painter->line(painter->context, x, box->top + box->height, x + box->height, box->top, pithi_theme()->hidden, 1);
    painter->clip(painter->context, plot->x, plot->y, plot->width, ceil(plot->row_count * plot->row_height));
}

static void draw_gap(const struct pithi_plot *plot, const struct pithi_painter *painter, const struct pithi_gap *gap,
                     struct box box)
{
    box.left = fmax(floor(pithi_plot_x(plot, gap->from_ns)), plot->x);
    box.right = fmin(ceil(pithi_plot_x(plot, gap->to_ns)), plot->x + plot->width);
    if (gap->lost)
        painter->rect(painter->context, box.left, box.top, 2, box.height, pithi_theme()->alarm, 1);
    else if (box.right - box.left >= 2)
        hatch(plot, painter, &box);
}

static void draw_row(const struct pithi_plot *plot, const struct pithi_painter *painter, uint32_t row)
{
    uint32_t lane = plot->rows[row].lane;
    struct box box;

    pithi_plot_bar(plot->row_height, 0, &box.top, &box.height);
    box.top += pithi_plot_row_top(plot, row);
    for (uint32_t i = pithi_gaps_of(plot->gaps, lane); i < plot->gaps->count && plot->gaps->items[i].lane == lane; i++)
        if (plot->gaps->items[i].to_ns >= plot->t0_ns && plot->gaps->items[i].from_ns < plot->t1_ns)
            draw_gap(plot, painter, &plot->gaps->items[i], box);
}

void pithi_gaps_draw(const struct pithi_plot *plot, const struct pithi_painter *painter, uint32_t from, uint32_t to)
{
    for (uint32_t row = from; row < to && plot->gaps && plot->row_height >= 2; row++)
        if (plot->rows[row].counter == PITHI_NONE && plot->rows[row].lane_count <= 1)
            draw_row(plot, painter, row);
}
