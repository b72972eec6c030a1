/* cell_cache_row.c - moves the cells of a row of the cell cache, and replaces columns of it. */
#include "core/cell_cache_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

static struct pithi_cell *line_of(const struct pithi_cells *cells, uint32_t level)
{
    return cells->cells + (size_t)level * cells->width;
}

static void empty_cells(struct pithi_cell *cells, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cells[i] = (struct pithi_cell){.state = PITHI_NONE};
}

void pithi_cell_row_empty(struct pithi_cells *cells, uint32_t width)
{
    cells->rows = 1;
    cells->levels = PITHI_FIRST_LEVELS;
    cells->width = width;
    cells->cells = pithi_alloc((size_t)width * cells->levels, sizeof *cells->cells);
    empty_cells(cells->cells, (size_t)width * cells->levels);
}

/* ---- Moving ------------------------------------------------------------------------------------------------------ */

static uint32_t moved(uint32_t column, int64_t by, uint32_t width)
{
    int64_t to = (int64_t)column - by;
    return to < 0 ? 0 : to > width ? width : (uint32_t)to;
}

/* Moves the ticks, marks and spans; `column` gives the new column of an old one, or -1: outside. */
static void move_signs(struct pithi_cells *cells, int64_t (*column)(const void *context, uint32_t old),
                       const void *context)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < cells->tick_count; i++) {
        int64_t to = column(context, cells->ticks[i].column);
        if (to >= 0) {
            cells->ticks[kept] = cells->ticks[i];
            cells->ticks[kept++].column = (uint32_t)to;
        }
    }
    cells->tick_count = kept;
    kept = 0;
    for (uint32_t i = 0; i < cells->mark_count; i++) {
        int64_t to = column(context, cells->marks[i].column);
        if (to >= 0) {
            cells->marks[kept] = cells->marks[i];
            cells->marks[kept++].column = (uint32_t)to;
        }
    }
    cells->mark_count = kept;
    kept = 0;
    for (uint32_t i = 0; i < cells->span_count; i++) {
        int64_t to = column(context, cells->spans[i].column);
        if (to >= 0) {
            cells->spans[kept] = cells->spans[i];
            cells->spans[kept++].column = (uint32_t)to;
        }
    }
    cells->span_count = kept;
}

struct shifting {
    int64_t by, width;
};

static int64_t shifted(const void *context, uint32_t old)
{
    const struct shifting *shifting = context;
    int64_t to = (int64_t)old - shifting->by;
    return to < shifting->width ? to : -1;
}

void pithi_cell_row_shift(struct pithi_cell_row *row, struct pithi_cells *cells, int64_t by)
{
    struct shifting shifting = {by, cells->width};
    uint32_t count = (uint32_t)(by < 0 ? -by : by), left = cells->width - count;

    for (uint32_t level = 0; level < cells->depth; level++) {
        struct pithi_cell *line = line_of(cells, level);
        memmove(by < 0 ? line + count : line, by < 0 ? line : line + count, left * sizeof *line);
        empty_cells(by < 0 ? line : line + left, count);
    }
    move_signs(cells, shifted, &shifting);
    row->known_from = moved(row->known_from, by, cells->width);
    row->known_to = moved(row->known_to, by, cells->width);
    row->exact_from = moved(row->exact_from, by, cells->width);
    row->exact_to = moved(row->exact_to, by, cells->width);
}

static int64_t stretched(const void *context, uint32_t old)
{
    const struct pithi_cell_map *map = context;
    double to = floor((old + 0.5 - map->offset) / map->scale);
    return to >= 0 && to < map->width ? (int64_t)to : -1;
}

static void new_spare(struct pithi_cell_map *map, uint32_t levels)
{
    free(map->spare);
    map->spare = pithi_alloc((size_t)map->width * levels, sizeof *map->spare);
    map->spare_depth = map->spare_levels = levels;
}

void pithi_cell_map_make(struct pithi_cell_map *map, uint32_t width, uint32_t old_width, double offset, double scale)
{
    *map = (struct pithi_cell_map){.offset = offset, .scale = scale, .width = width, .old_width = old_width};
    map->from = pithi_alloc(width, sizeof *map->from);
    new_spare(map, PITHI_FIRST_LEVELS);
    for (uint32_t c = 0; c < width; c++) {
        double from = floor(offset + (c + 0.5) * scale);
        map->from[c] = from >= 0 && from < old_width ? (uint32_t)from : PITHI_NONE;
    }
}

void pithi_cell_map_free(struct pithi_cell_map *map)
{
    free(map->from);
    free(map->spare);
}

/* Where one old column becomes several new ones, only the first may begin a state. */
static void stretch_line(const struct pithi_cell_map *map, const struct pithi_cell *old, struct pithi_cell *line)
{
    uint32_t before = PITHI_NONE;

    for (uint32_t c = 0; c < map->width; c++) {
        uint32_t from = map->from[c];
        line[c] = from == PITHI_NONE ? (struct pithi_cell){.state = PITHI_NONE} : old[from];
        if (from == before)
            line[c].flags = 0;
        before = from;
    }
}

void pithi_cell_row_stretch(struct pithi_cell_row *row, struct pithi_cells *cells, struct pithi_cell_map *map)
{
    struct pithi_cell *old = cells->cells, *new;
    uint32_t old_levels = cells->levels;

    if (map->spare_levels < cells->depth)
        new_spare(map, cells->levels);
    new = map->spare;
    for (uint32_t level = 0; level < cells->depth; level++)
        stretch_line(map, old + (size_t)level * cells->width, new + (size_t)level * map->width);
    if (map->spare_depth > cells->depth)
        empty_cells(new + (size_t)cells->depth * map->width, (size_t)(map->spare_depth - cells->depth) * map->width);
    cells->cells = new;
    cells->levels = map->spare_levels;
    cells->width = map->width;
    map->spare = old;
    map->spare_depth = cells->depth;
    map->spare_levels = old_levels;
    if (map->width != map->old_width)
        new_spare(map, PITHI_FIRST_LEVELS);
    move_signs(cells, stretched, map);
    row->known_from = row->known_to = row->exact_from = row->exact_to = 0;
}

/* ---- Replacing --------------------------------------------------------------------------------------------------- */

/* Tells whether the state is visible near the column; then it needs no tick there. */
static int is_shown_near(const struct pithi_cells *cells, uint32_t column, uint32_t state)
{
    uint32_t from = column < PITHI_TICK_DISTANCE ? 0 : column - PITHI_TICK_DISTANCE;
    uint32_t to = column + PITHI_TICK_DISTANCE < cells->width ? column + PITHI_TICK_DISTANCE : cells->width - 1;

    for (uint32_t level = 0; level < cells->levels; level++)
        for (uint32_t c = from; c <= to; c++)
            if (line_of(cells, level)[c].state == state)
                return 1;
    for (uint32_t i = 0; i < cells->tick_count; i++)
        if (cells->ticks[i].state == state && cells->ticks[i].column + PITHI_TICK_DISTANCE > column &&
            cells->ticks[i].column < column + PITHI_TICK_DISTANCE)
            return 1;
    return 0;
}

static void drop_signs(struct pithi_cells *cells, uint32_t from, uint32_t to)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < cells->tick_count; i++)
        if (cells->ticks[i].column < from || cells->ticks[i].column >= to)
            cells->ticks[kept++] = cells->ticks[i];
    cells->tick_count = kept;
    kept = 0;
    for (uint32_t i = 0; i < cells->mark_count; i++)
        if (cells->marks[i].column < from || cells->marks[i].column >= to)
            cells->marks[kept++] = cells->marks[i];
    cells->mark_count = kept;
    kept = 0;
    for (uint32_t i = 0; i < cells->span_count; i++)
        if (cells->spans[i].column < from || cells->spans[i].column >= to)
            cells->spans[kept++] = cells->spans[i];
    cells->span_count = kept;
}

static void add_signs(struct pithi_cells *cells, uint32_t from, const struct pithi_cells *part)
{
    cells->marks = pithi_view_grow(cells->marks, &cells->mark_capacity, cells->mark_count + part->mark_count,
                                   sizeof *cells->marks);
    for (uint32_t i = 0; i < part->mark_count; i++) {
        cells->marks[cells->mark_count] = part->marks[i];
        cells->marks[cells->mark_count++].column += from;
    }
    cells->spans = pithi_view_grow(cells->spans, &cells->span_capacity, cells->span_count + part->span_count,
                                   sizeof *cells->spans);
    for (uint32_t i = 0; i < part->span_count; i++) {
        cells->spans[cells->span_count] = part->spans[i];
        cells->spans[cells->span_count++].column += from;
    }
    for (uint32_t i = 0; i < part->tick_count; i++) {
        struct pithi_tick tick = part->ticks[i];
        tick.column += from;
        if (is_shown_near(cells, tick.column, tick.state))
            continue;
        cells->ticks =
            pithi_view_grow(cells->ticks, &cells->tick_capacity, cells->tick_count + 1, sizeof *cells->ticks);
        cells->ticks[cells->tick_count++] = tick;
    }
}

/* Adds [more_from, more_to) to an interval if they touch; else the new interval replaces the old one. */
static void extend(uint32_t *from, uint32_t *to, uint32_t more_from, uint32_t more_to)
{
    int apart = *from == *to || more_from > *to || more_to < *from;

    *from = apart || more_from < *from ? more_from : *from;
    *to = apart || more_to > *to ? more_to : *to;
}

void pithi_cell_row_put(struct pithi_cell_row *row, struct pithi_cells *cells, uint32_t from, struct pithi_cells *part,
                        int exact)
{
    uint32_t to = from + part->width;

    if (part->width == cells->width) {
        struct pithi_cells old = *cells;
        *cells = *part;
        *part = old;
    } else {
        pithi_cells_deepen(cells, part->depth);
        cells->depth = part->depth > cells->depth ? part->depth : cells->depth;
        for (uint32_t level = 0; level < cells->depth; level++)
            if (level < part->depth)
                memcpy(line_of(cells, level) + from, line_of(part, level), part->width * sizeof *cells->cells);
            else
                empty_cells(line_of(cells, level) + from, part->width);
        drop_signs(cells, from, to);
        add_signs(cells, from, part);
    }
    extend(&row->known_from, &row->known_to, from, to);
    if (exact)
        extend(&row->exact_from, &row->exact_to, from, to);
}
