/* blend.c - adds up, column by column, the states of the lanes that share a row. */
#include "core/sweep.h"

#include <stdlib.h>
#include <string.h>

struct blend_column {
    struct pithi_shares shares;
    uint64_t unnamed, crossing;
    uint32_t mark, marks; /* the definition of the first event, and the number of events */
};

struct pithi_blend {
    uint32_t width;
    struct blend_column *columns;
};

struct pithi_most pithi_shares_most(const struct pithi_shares *shares)
{
    const struct pithi_share *most = shares->items;
    struct pithi_most result = {.sum = 0};
    uint64_t second = 0;

    for (uint32_t i = 0; i < shares->count; i++) {
        const struct pithi_share *share = &shares->items[i];
        result.sum += share->span;
        if (share->span > most->span || (share->span == most->span && share->state < most->state))
            most = share;
    }
    for (uint32_t i = 0; i < shares->count; i++)
        if (&shares->items[i] != most && shares->items[i].span > second)
            second = shares->items[i].span;
    result.state = most->state;
    result.lead = most->span - second;
    return result;
}

uint8_t pithi_cover(uint64_t sum, uint64_t whole)
{
    unsigned cover = (unsigned)((double)sum * 255.0 / (double)whole + 0.5);
    return (uint8_t)(cover > 255 ? 255 : cover ? cover : 1);
}

/* ---- Columns ----------------------------------------------------------------------------------------------------- */

struct pithi_blend *pithi_blend_new(uint32_t width)
{
    struct pithi_blend *blend = pithi_alloc(1, sizeof *blend);

    blend->width = width;
    blend->columns = pithi_alloc(width, sizeof *blend->columns);
    return blend;
}

void pithi_blend_free(struct pithi_blend *blend)
{
    if (!blend)
        return;
    for (uint32_t c = 0; c < blend->width; c++)
        free(blend->columns[c].shares.items);
    free(blend->columns);
    free(blend);
}

void pithi_blend_clear(struct pithi_blend *blend, uint32_t from, uint32_t to)
{
    for (uint32_t c = from; c < to; c++) {
        struct blend_column *column = &blend->columns[c];
        column->shares.count = 0;
        column->unnamed = column->crossing = 0;
        column->mark = column->marks = 0;
    }
}

void pithi_blend_add(struct pithi_blend *blend, uint32_t column, const struct pithi_shares *shares, uint64_t unnamed,
                     uint64_t crossing)
{
    struct blend_column *to = &blend->columns[column];

    for (uint32_t i = 0; i < shares->count; i++)
        pithi_shares_add(&to->shares, shares->items[i].state, shares->items[i].span);
    to->unnamed += unnamed;
    to->crossing += crossing;
}

void pithi_blend_mark(struct pithi_blend *blend, uint32_t column, uint32_t id, uint32_t count)
{
    struct blend_column *to = &blend->columns[column];

    if (!to->marks)
        to->mark = id;
    to->marks += count;
}

int pithi_blend_cell(const struct pithi_blend *blend, uint32_t column, uint64_t whole, struct pithi_cell *cell)
{
    const struct blend_column *from = &blend->columns[column];
    uint64_t open = from->unnamed + from->crossing;
    struct pithi_most most;

    *cell = (struct pithi_cell){.state = PITHI_NONE};
    if (!from->shares.count)
        return open > 0;
    most = pithi_shares_most(&from->shares);
    cell->state = most.state;
    cell->cover = pithi_cover(most.sum, whole - from->unnamed);
    return open && most.lead <= open;
}

void pithi_blend_marks(const struct pithi_blend *blend, struct pithi_cells *cells, uint32_t row)
{
    for (uint32_t c = 0; c < blend->width; c++)
        if (blend->columns[c].marks)
            pithi_marks_add(cells, (struct pithi_mark){row, c, blend->columns[c].mark, blend->columns[c].marks});
}

/* ---- Ticks ------------------------------------------------------------------------------------------------------- */

void pithi_ticks_add(struct pithi_cells *cells, struct pithi_tick tick)
{
    cells->ticks = pithi_view_grow(cells->ticks, &cells->tick_capacity, cells->tick_count + 1, sizeof *cells->ticks);
    cells->ticks[cells->tick_count++] = tick;
}

static int by_state_and_column(const void *a, const void *b)
{
    const struct pithi_tick *x = a, *y = b;

    if (x->state != y->state)
        return x->state < y->state ? -1 : 1;
    return (x->column > y->column) - (x->column < y->column);
}

void pithi_blend_ticks(struct pithi_cells *cells, uint32_t first, uint32_t distance)
{
    uint32_t kept = first;

    if (cells->tick_count == first)
        return;
    qsort(cells->ticks + first, cells->tick_count - first, sizeof *cells->ticks, by_state_and_column);
    for (uint32_t i = first; i < cells->tick_count; i++) {
        const struct pithi_tick *tick = &cells->ticks[i], *last = &cells->ticks[kept ? kept - 1 : 0];
        if (kept == first || last->state != tick->state || tick->column - last->column >= distance)
            cells->ticks[kept++] = *tick;
    }
    cells->tick_count = kept;
}

static int shown_near(const struct pithi_cells *cells, const struct pithi_tick *tick)
{
    uint32_t from = tick->column < PITHI_TICK_DISTANCE ? 0 : tick->column - PITHI_TICK_DISTANCE;
    uint32_t to = tick->column + PITHI_TICK_DISTANCE;

    if (to >= cells->width)
        to = cells->width - 1;
    for (uint32_t l = 0; l < cells->levels; l++)
        for (uint32_t c = from; c <= to; c++)
            if (pithi_cells_line(cells, tick->row, l)[c].state == tick->state)
                return 1;
    return 0;
}

void pithi_ticks_drop_shown(struct pithi_cells *cells, uint32_t first)
{
    uint32_t kept = first;

    for (uint32_t i = kept; i < cells->tick_count; i++)
        if (!shown_near(cells, &cells->ticks[i]))
            cells->ticks[kept++] = cells->ticks[i];
    cells->tick_count = kept;
}

/* ---- Marks, spans ------------------------------------------------------------------------------------------------ */

void pithi_marks_add(struct pithi_cells *cells, struct pithi_mark mark)
{
    cells->marks = pithi_view_grow(cells->marks, &cells->mark_capacity, cells->mark_count + 1, sizeof *cells->marks);
    cells->marks[cells->mark_count++] = mark;
}

void pithi_marks_drop(struct pithi_cells *cells, uint32_t first, uint32_t from, uint32_t to)
{
    uint32_t kept = first;

    for (uint32_t i = first; i < cells->mark_count; i++)
        if (cells->marks[i].column < from || cells->marks[i].column >= to)
            cells->marks[kept++] = cells->marks[i];
    cells->mark_count = kept;
}

void pithi_spans_add(struct pithi_cells *cells, struct pithi_cell_span span)
{
    cells->spans = pithi_view_grow(cells->spans, &cells->span_capacity, cells->span_count + 1, sizeof *cells->spans);
    cells->spans[cells->span_count++] = span;
}

uint64_t pithi_span_least_ns(uint64_t window_ns, uint32_t width)
{
    unsigned __int128 columns_ns = (unsigned __int128)window_ns * PITHI_SPAN_COLUMNS;

    if (columns_ns / width >= UINT64_MAX)
        return UINT64_MAX;
    return (uint64_t)((columns_ns + width - 1) / width);
}

void pithi_spans_missing(struct pithi_cells *cells, uint32_t row, const uint64_t *bounds, uint64_t from, uint64_t to)
{
    for (uint32_t c = 0; c < cells->width; c++)
        if (bounds[c] <= to && bounds[c + 1] > from)
            pithi_spans_add(cells, (struct pithi_cell_span){row, PITHI_MISSING, c, 0});
}

uint32_t pithi_cells_missing(const struct pithi_cells *cells, uint32_t row, unsigned char *missing)
{
    uint32_t count = 0;

    if (missing)
        memset(missing, 0, cells->width);
    for (uint32_t i = 0; i < cells->span_count; i++) {
        if (cells->spans[i].level != PITHI_MISSING || cells->spans[i].row != row)
            continue;
        if (missing)
            missing[cells->spans[i].column] = 1;
        count++;
    }
    return count;
}

/* ---- Bounds ------------------------------------------------------------------------------------------------------ */

unsigned pithi_bounds_shift(uint64_t span, uint32_t width)
{
    unsigned shift = 0;

    while (span << shift < (uint64_t)width * 16)
        shift++;
    return shift;
}

void pithi_bounds_set(uint64_t *bounds, uint64_t end, uint32_t width)
{
    uint64_t step = end / width, rest = end % width, over = 0;

    for (uint32_t c = 1; c <= width; c++) {
        over += rest;
        bounds[c] = bounds[c - 1] + step + (over >= width);
        over -= over >= width ? width : 0;
    }
}
