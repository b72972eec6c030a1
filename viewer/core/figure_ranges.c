/* figure_ranges.c - mountain ranges in a whole picture; see figure_ranges.h. */
#include "core/figure_ranges.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/layers.h"
#include "core/lens.h"
#include "core/memory.h"
#include "core/palette.h"

enum { GAP = 22, SCALE_SPACING = 24 };

static const struct pithi_font text_font = {11.5, 0}, small_font = {11, 0};

double pithi_figure_ranges_room(const struct pithi_figure_ranges *block)
{
    return block->height > 0 ? block->height + GAP : 0;
}

/* ---- Loading ----------------------------------------------------------------------------------------------------- */

/* The lanes of all rows, each once; [*count], to be freed. */
static uint32_t *lanes_of(const struct pithi_plot *plot, uint32_t *count)
{
    uint32_t all = pithlog_get_info(plot->log)->lanes, *lanes = pithi_alloc(all, sizeof *lanes);
    unsigned char *taken = pithi_alloc(all, 1);

    *count = 0;
    for (uint32_t row = 0; row < plot->row_count; row++) {
        uint32_t in_row;
        const uint32_t *of_row = pithi_row_lanes(&plot->rows[row], &in_row);
        for (uint32_t i = 0; i < in_row && plot->rows[row].counter == PITHI_NONE; i++)
            if (!taken[of_row[i]]++)
                lanes[(*count)++] = of_row[i];
    }
    free(taken);
    return lanes;
}

struct timed {
    uint32_t state;
    int64_t time_ns;
};

static int by_time(const void *a, const void *b)
{
    const struct timed *x = a, *y = b;

    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? 1 : -1;
    return (x->state > y->state) - (x->state < y->state);
}

static void sort_states(struct pithi_figure_ranges *block)
{
    const uint32_t *states;
    uint32_t count = pithi_ranges_states(block->ranges, &states);
    struct timed *timed = pithi_alloc(count, sizeof *timed);

    for (uint32_t i = 0; i < count; i++)
        timed[i] = (struct timed){states[i], pithi_ranges_time(block->ranges, states[i])};
    qsort(timed, count, sizeof *timed, by_time);
    block->order = pithi_alloc(count, sizeof *block->order);
    block->order_count = count;
    for (uint32_t i = 0; i < count; i++)
        block->order[i] = timed[i].state;
    free(timed);
}

int pithi_figure_ranges_load(struct pithi_figure_ranges *block, const struct pithi_plot *plot)
{
    struct pithi_ranges_query query = {
        .t0_ns = plot->t0_ns, .t1_ns = plot->t1_ns, .width = plot->width, .hidden = plot->hidden};
    uint32_t *lanes;
    int err = PITH_OK;

    pithi_figure_ranges_free(block);
    if (block->height <= 0)
        return PITH_OK;
    query.lanes = lanes = lanes_of(plot, &query.lane_count);
    for (uint32_t i = 0; i < query.lane_count; i++)
        block->threads |= pithlog_get_lane(plot->log, lanes[i])->thread > 0;
    block->ranges = pithi_ranges_new(plot->log, &query);
    free(lanes);
    if (!block->ranges)
        return PITH_ERR_USAGE;
    if (plot->summary && plot->care != PITHI_EXACT)
        pithi_ranges_quick(block->ranges, plot->summary, INFINITY);
    else
        err = pithi_ranges_load(block->ranges, NULL);
    sort_states(block);
    return err;
}

void pithi_figure_ranges_free(struct pithi_figure_ranges *block)
{
    pithi_ranges_free(block->ranges);
    free(block->order);
    block->ranges = NULL;
    block->order = NULL;
}

/* ---- Drawing ----------------------------------------------------------------------------------------------------- */

static void draw_scale(const struct pithi_figure_ranges *block, const struct pithi_plot *plot, double left, double top,
                       const struct pithi_painter *painter)
{
    uint32_t lanes = pithi_ranges_lanes(block->ranges);
    uint32_t step = pithi_layers_step(lanes, block->height, SCALE_SPACING);
    char text[24];

    for (uint64_t mark = 0; mark <= lanes; mark += step) {
        double y = top + block->height - floor((double)mark / (lanes ? lanes : 1) * block->height + 0.5);
        snprintf(text, sizeof text, "%" PRIu64, mark);
        painter->rect(painter->context, plot->x - 5, y, 5, 1, PITHI_RGB_FAINT, 1);
        painter->text(painter->context, plot->x - 8, y + 4, PITHI_RIGHT, small_font, PITHI_RGB_FAINT, text);
    }
    painter->text(painter->context, left, top - 6, PITHI_LEFT, text_font, PITHI_RGB_TEXT,
                  block->threads ? "threads" : "ranks");
}

void pithi_figure_ranges_draw(const struct pithi_figure_ranges *block, const struct pithi_plot *plot, double left,
                              double y, double width, const struct pithi_painter *painter)
{
    struct pithi_layers_look look = {.x = plot->x,
                                     .y = y + GAP,
                                     .height = block->height,
                                     .order = block->order,
                                     .order_count = block->order_count,
                                     .rgb = plot->rgb};
    struct pithi_lens lens = {.behind = painter, .left = plot->x, .by = width / plot->width};
    struct pithi_painter stretched = pithi_lens_begin(&lens);
    const struct pithi_painter *through = plot->width == width ? painter : &stretched;

    if (!block->ranges)
        return;
    pithi_layers_draw_grid(block->ranges, &look, SCALE_SPACING, through);
    pithi_layers_draw(block->ranges, &look, through);
    draw_scale(block, plot, left, y + GAP, painter);
}
