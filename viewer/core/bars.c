/* bars.c - from cells to bars; see bars.h. */
#include "core/bars.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/palette.h"

/* Bars narrower than this have no room for a line that tells them from the next. */
enum { EDGE_FROM = 4 };
/* Inner bars as high as this have an outline above and below. */
enum { OUTLINED_FROM = 8 };

/* ---- From cells to bars ------------------------------------------------------------------------------------------ */

/* How a row's cells become bars: those of a lane are whole or half as high, those of a group follow the cover. */
struct style {
    int group;
    double top, height;
};

static double height_of(const struct style *style, uint8_t cover)
{
    double height = floor(style->height * cover / 255 + 0.5);

    if (style->group)
        return height < 1 ? 1 : height;
    return cover < 128 && style->height >= 4 ? floor(style->height * 0.5) : style->height;
}

static int same_look(const struct style *style, const struct pithi_cell *a, const struct pithi_cell *b)
{
    return a->state == b->state && (style->group ? height_of(style, a->cover) == height_of(style, b->cover)
                                                 : (a->cover < 128) == (b->cover < 128));
}

/* Columns from `from` on that make one bar: a new instance of the state begins a new bar. */
static uint32_t run_end(const struct style *style, const struct pithi_cell *line, uint32_t width, uint32_t from)
{
    uint32_t c = from + 1;

    while (c < width && same_look(style, &line[c], &line[from]) && !(line[c].flags & PITHI_CELL_BEGIN))
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
                           const struct style *style)
{
    struct bar bar = {.state = line[from].state, .x = plot->x + from, .y = style->top, .width = to - from};

    bar.height = height_of(style, line[from].cover);
    bar.y += style->height - bar.height;
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

/* ---- Column by column -------------------------------------------------------------------------------------------- */

/* The bars of a row's level as columns with a colour each, for painters that like these: in one place those of full
 * height, in the other those of half of it; their bodies, and their outlines' colours. */
struct columns {
    uint32_t *body, *outline; /* [width] */
    uint32_t count;           /* that have a colour */
    double top, height;
};

struct strips {
    struct columns full, low;
    uint32_t *memory, *darker; /* [defs] of each state's colour */
};

static void strips_begin(struct strips *strips, const struct pithi_plot *plot)
{
    uint32_t defs = pithlog_get_info(plot->log)->defs;

    strips->memory = pithi_alloc((size_t)plot->width * 4, sizeof *strips->memory);
    strips->full = (struct columns){.body = strips->memory, .outline = strips->memory + plot->width};
    strips->low = (struct columns){.body = strips->memory + 2 * (size_t)plot->width,
                                   .outline = strips->memory + 3 * (size_t)plot->width};
    memset(strips->memory, 0xff, (size_t)plot->width * 4 * sizeof *strips->memory);
    strips->darker = pithi_alloc(defs, sizeof *strips->darker);
    for (uint32_t id = 0; id < defs; id++)
        strips->darker[id] = pithi_rgb_darker(plot->rgb[id], 0.35);
}

static void strips_end(struct strips *strips)
{
    free(strips->memory);
    free(strips->darker);
}

static void keep_columns(struct strips *strips, const struct pithi_plot *plot, const struct bar *bar,
                         const struct style *style)
{
    struct columns *columns = bar->height < style->height ? &strips->low : &strips->full;
    uint32_t from = (uint32_t)(bar->x - plot->x), to = from + (uint32_t)bar->width, dark = strips->darker[bar->state];

    for (uint32_t c = from; c < to; c++) {
        columns->body[c] = bar->edge && c == from ? dark : plot->rgb[bar->state];
        columns->outline[c] = dark;
    }
    columns->count += to - from;
    columns->top = bar->y;
    columns->height = bar->height;
}

static void draw_columns(const struct pithi_plot *plot, const struct pithi_painter *painter, struct columns *columns,
                         uint32_t level)
{
    double y = columns->top, height = columns->height;

    if (!columns->count)
        return;
    painter->strip(painter->context, plot->x, y, height, columns->body, plot->width);
    if (level && height >= OUTLINED_FROM) {
        painter->strip(painter->context, plot->x, y, 1, columns->outline, plot->width);
        painter->strip(painter->context, plot->x, y + height - 1, 1, columns->outline, plot->width);
    }
    memset(columns->body, 0xff, plot->width * sizeof *columns->body);
    memset(columns->outline, 0xff, plot->width * sizeof *columns->outline);
    columns->count = 0;
}

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

static void draw_bar(const struct pithi_plot *plot, const struct pithi_painter *painter, const struct bar *bar)
{
    for (int part = 0; part < PARTS; part++)
        draw_part(plot, painter, bar, (enum part)part);
}

static void draw_row(const struct pithi_plot *plot, const struct pithi_painter *painter, uint32_t row, uint32_t level,
                     struct bars *bars, struct strips *strips)
{
    const struct pithi_cell *line = pithi_cells_line(&plot->lines[plot->cell_row[row]], 0, level);
    struct style style = {.group = plot->rows[row].lane_count > 1};

    if (style.group && level)
        return;
    pithi_plot_bar(plot->row_height, level, &style.top, &style.height);
    style.top += pithi_plot_row_top(plot, row);
    for (uint32_t c = 0, end; c < plot->width; c = end) {
        struct bar bar;
        end = run_end(&style, line, plot->width, c);
        if (line[c].state == PITHI_NONE || (!style.group && is_fringe(line, plot->width, c)))
            continue;
        bar = make_bar(plot, line, c, end, &style);
        /* Inner bars have an outline above and below, or they would melt into outer ones of a similar colour. */
        bar.outlined = level && bar.height >= OUTLINED_FROM;
        if (painter->groups)
            keep_bar(bars, &bar);
        else if (strips->memory && !style.group)
            keep_columns(strips, plot, &bar, &style);
        else
            draw_bar(plot, painter, &bar);
    }
    if (strips->memory) {
        draw_columns(plot, painter, &strips->full, level);
        draw_columns(plot, painter, &strips->low, level);
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
    struct strips strips = {.memory = NULL};

    /* With strips one row after the other, all of its levels: what was just painted is still at hand. */
    if (painter->strip) {
        strips_begin(&strips, plot);
        for (uint32_t row = 0; row < plot->row_count; row++)
            for (uint32_t level = 0; level < PITHI_LEVELS && plot->cell_row[row] != PITHI_NONE; level++)
                draw_row(plot, painter, row, level, &bars, &strips);
        strips_end(&strips);
        return;
    }
    for (uint32_t level = 0; level < PITHI_LEVELS; level++) {
        for (uint32_t row = 0; row < plot->row_count; row++)
            if (plot->cell_row[row] != PITHI_NONE)
                draw_row(plot, painter, row, level, &bars, &strips);
        draw_groups(plot, painter, &bars);
    }
    free(bars.items);
}
