/* bars.c - from cells to bars; see bars.h. */
#include "core/bars.h"

#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "core/palette.h"

/* Bars narrower than this have no room for a line that tells them from the next. */
enum { EDGE_FROM = 4 };

/* ---- From cells to bars ------------------------------------------------------------------------------------------ */

static int same_look(const struct pithi_cell *a, const struct pithi_cell *b)
{
    return a->state == b->state && (a->cover < 128) == (b->cover < 128);
}

/* Columns from `from` on that make one bar: a new instance of the state begins a new bar. */
static uint32_t run_end(const struct pithi_cell *line, uint32_t width, uint32_t from)
{
    uint32_t c = from + 1;

    while (c < width && same_look(&line[c], &line[from]) && !(line[c].flags & PITHI_CELL_BEGIN))
        c++;
    return c;
}

/* A column less than half covered that is only the ragged end of a bar beside it: left out, as if rounded off. */
static int is_fringe(const struct pithi_cell *line, uint32_t width, uint32_t c)
{
    const struct pithi_cell *cell = &line[c];

    if (cell->state == PITHI_NONE || cell->cover >= 128)
        return 0;
    if (c > 0 && line[c - 1].state == cell->state && line[c - 1].cover >= 128 && !(cell->flags & PITHI_CELL_BEGIN))
        return 1;
    return c + 1 < width && line[c + 1].state == cell->state && line[c + 1].cover >= 128 &&
           !(line[c + 1].flags & PITHI_CELL_BEGIN);
}

static int begins(const struct pithi_cell *line, uint32_t width, uint32_t c)
{
    if (line[c].flags & PITHI_CELL_BEGIN)
        return 1;
    return c > 0 && line[c - 1].state == line[c].state && line[c - 1].flags & PITHI_CELL_BEGIN &&
           is_fringe(line, width, c - 1);
}

/* ---- Drawing ----------------------------------------------------------------------------------------------------- */

enum part { OUTLINE, FILL, EDGE, PARTS };

struct bar {
    uint32_t state;
    int outlined, edge;
    double x, y, width, height;
};

struct bars {
    struct bar *items;
    uint32_t count, capacity;
};

static struct bar make_bar(const struct pithi_plot *plot, const struct pithi_cell *line, uint32_t from, uint32_t to,
                           double y, double height)
{
    struct bar bar = {.state = line[from].state, .x = plot->x + from, .y = y, .width = to - from, .height = height};

    if (line[from].cover < 128 && height >= 4) {
        bar.height = floor(height * 0.5);
        bar.y += height - bar.height;
    }
    bar.edge = to - from >= EDGE_FROM && begins(line, plot->width, from);
    return bar;
}

static void draw_part(const struct pithi_plot *plot, const struct pithi_painter *painter, const struct bar *bar,
                      enum part part)
{
    uint32_t rgb = plot->rgb[bar->state];

    if (part == OUTLINE && bar->outlined)
        painter->rect(painter->context, bar->x, bar->y, bar->width, bar->height, pithi_rgb_darker(rgb, 0.35), 1);
    if (part == FILL)
        painter->rect(painter->context, bar->x, bar->y + bar->outlined, bar->width, bar->height - 2 * bar->outlined,
                      rgb, 1);
    if (part == EDGE && bar->edge)
        painter->rect(painter->context, bar->x, bar->y, 1, bar->height, pithi_rgb_darker(rgb, 0.35), 1);
}

static void keep_bar(struct bars *bars, const struct bar *bar)
{
    bars->items = pithi_grow(bars->items, &bars->capacity, bars->count + 1, sizeof *bars->items);
    bars->items[bars->count++] = *bar;
}

static void draw_row(const struct pithi_plot *plot, const struct pithi_painter *painter, uint32_t row, uint32_t level,
                     struct bars *bars)
{
    const struct pithi_cell *line = pithi_cells_line(&plot->cells, plot->cell_row[row], level);
    double top, height;

    pithi_plot_bar(plot->row_height, level, &top, &height);
    top += pithi_plot_row_top(plot, row);
    for (uint32_t c = 0, end; c < plot->width; c = end) {
        struct bar bar;
        end = run_end(line, plot->width, c);
        if (line[c].state == PITHI_NONE || is_fringe(line, plot->width, c))
            continue;
        bar = make_bar(plot, line, c, end, top, height);
        /* Inner bars have an outline above and below, or they would melt into outer ones of a similar colour. */
        bar.outlined = level && bar.height >= 8;
        if (painter->groups)
            keep_bar(bars, &bar);
        for (int part = 0; !painter->groups && part < PARTS; part++)
            draw_part(plot, painter, &bar, (enum part)part);
    }
}

static int by_state(const void *a, const void *b)
{
    const struct bar *x = a, *y = b;

    if (x->state != y->state)
        return x->state < y->state ? -1 : 1;
    if (x->y != y->y)
        return x->y < y->y ? -1 : 1;
    return (x->x > y->x) - (x->x < y->x);
}

/* Bars of one level do not overlap, so their order is free. */
static void draw_groups(const struct pithi_plot *plot, const struct pithi_painter *painter, struct bars *bars)
{
    if (bars->count)
        qsort(bars->items, bars->count, sizeof *bars->items, by_state);
    for (uint32_t from = 0, to; from < bars->count; from = to) {
        for (to = from; to < bars->count && bars->items[to].state == bars->items[from].state; to++)
            continue;
        for (int part = 0; part < PARTS; part++)
            for (uint32_t i = from; i < to; i++)
                draw_part(plot, painter, &bars->items[i], (enum part)part);
    }
    bars->count = 0;
}

void pithi_bars_draw(const struct pithi_plot *plot, const struct pithi_painter *painter)
{
    struct bars bars = {0};

    for (uint32_t level = 0; level < plot->cells.levels; level++) {
        for (uint32_t row = 0; row < plot->row_count; row++)
            if (plot->cell_row[row] != PITHI_NONE)
                draw_row(plot, painter, row, level, &bars);
        draw_groups(plot, painter, &bars);
    }
    free(bars.items);
}
