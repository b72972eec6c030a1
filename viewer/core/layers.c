/* layers.c - stacks mountain ranges and draws them. */
#include "core/ranges.h"

#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "core/palette.h"
#include "core/query.h"

/* Smoothing gives a column the weighted average of the columns up to SMOOTH - 1 away, with weights 1, 2 ... SMOOTH ...
 * 2, 1. The picture is mirrored at its ends, so that the areas do not change. */
enum { SMOOTH = 8 };

/* ---- Order ------------------------------------------------------------------------------------------------------- */

static int by_id(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static int is_drawn(const struct pithi_layers_look *look, uint32_t state)
{
    return !look->chosen || look->chosen[state];
}

static int is_ordered(const struct pithi_layers_look *look, uint32_t state)
{
    for (uint32_t i = 0; i < look->order_count; i++)
        if (look->order[i] == state)
            return 1;
    return 0;
}

/* The states to draw, from the bottom up; [*count], to be freed. */
static uint32_t *sorted_states(const struct pithi_ranges *ranges, const struct pithi_layers_look *look, uint32_t *count)
{
    const uint32_t *there;
    uint32_t all = pithi_ranges_states(ranges, &there), *states, first_other;

    states = pithi_alloc(look->order_count + (size_t)all, sizeof *states);
    *count = 0;
    for (uint32_t i = 0; i < look->order_count; i++)
        if (is_drawn(look, look->order[i]))
            states[(*count)++] = look->order[i];
    first_other = *count;
    for (uint32_t i = 0; i < all; i++)
        if (is_drawn(look, there[i]) && !is_ordered(look, there[i]))
            states[(*count)++] = there[i];
    if (*count > first_other)
        qsort(states + first_other, *count - first_other, sizeof *states, by_id);
    return states;
}

/* ---- Heights ----------------------------------------------------------------------------------------------------- */

static uint32_t mirrored(int64_t column, uint32_t width)
{
    int64_t last = (int64_t)width - 1;

    while (column < 0 || column > last)
        column = column < 0 ? -1 - column : 2 * last + 1 - column;
    return (uint32_t)column;
}

/* The number of lanes of a state in a column, as drawn. */
static double value_of(const struct pithi_ranges *ranges, const struct pithi_layers_look *look, uint32_t state,
                       uint32_t column)
{
    double sum = 0;

    if (!look->smooth)
        return pithi_ranges_value(ranges, state, column);
    for (int by = 1 - SMOOTH; by < SMOOTH; by++) {
        uint32_t near = mirrored((int64_t)column + by, pithi_ranges_width(ranges));
        sum += pithi_ranges_value(ranges, state, near) * (SMOOTH - abs(by));
    }
    return sum / (SMOOTH * SMOOTH);
}

static double edge_of(const struct pithi_ranges *ranges, const struct pithi_layers_look *look, double lanes)
{
    uint32_t all = pithi_ranges_lanes(ranges);
    return floor(look->height - lanes / (all ? all : 1) * look->height + 0.5);
}

/* ---- Drawing ----------------------------------------------------------------------------------------------------- */

/* Draws the layer between the edges `low` (nearer to the base) and `high` of each column. */
static void draw_layer(const struct pithi_layers_look *look, const struct pithi_painter *painter, const double *low,
                       const double *high, uint32_t width, uint32_t rgb)
{
    for (uint32_t from = 0, to; from < width; from = to) {
        for (to = from + 1; to < width && low[to] == low[from] && high[to] == high[from]; to++)
            continue;
        if (low[from] > high[from])
            painter->rect(painter->context, look->x + from, look->y + high[from], to - from, low[from] - high[from],
                          rgb, 1);
    }
}

void pithi_layers_draw(const struct pithi_ranges *ranges, const struct pithi_layers_look *look,
                       const struct pithi_painter *painter)
{
    uint32_t width = pithi_ranges_width(ranges), count, *states = sorted_states(ranges, look, &count);
    double *lanes = pithi_alloc(width, sizeof *lanes); /* up to the current layer */
    double *low = pithi_alloc(width, sizeof *low), *high = pithi_alloc(width, sizeof *high);

    for (uint32_t c = 0; c < width; c++)
        high[c] = edge_of(ranges, look, 0);
    for (uint32_t i = 0; i < count; i++) {
        double *swap = low;
        low = high, high = swap;
        for (uint32_t c = 0; c < width; c++) {
            lanes[c] += value_of(ranges, look, states[i], c);
            high[c] = edge_of(ranges, look, lanes[c]);
        }
        draw_layer(look, painter, low, high, width, look->rgb[states[i]]);
    }
    free(lanes);
    free(low);
    free(high);
    free(states);
}

uint32_t pithi_layers_at(const struct pithi_ranges *ranges, const struct pithi_layers_look *look, uint32_t column,
                         double y)
{
    uint32_t count, *states, found = PITHI_NONE;
    double lanes = 0;

    if (column >= pithi_ranges_width(ranges) || y < 0 || y >= look->height)
        return PITHI_NONE;
    states = sorted_states(ranges, look, &count);
    for (uint32_t i = 0; i < count && found == PITHI_NONE; i++) {
        lanes += value_of(ranges, look, states[i], column);
        if (floor(y) >= edge_of(ranges, look, lanes))
            found = states[i];
    }
    free(states);
    return found;
}

/* ---- The scale --------------------------------------------------------------------------------------------------- */

uint32_t pithi_layers_step(uint32_t lanes, double height, double spacing)
{
    static const uint32_t steps[] = {1, 2, 5};

    for (uint32_t power = 1; power <= 100000000; power *= 10)
        for (int i = 0; i < 3; i++)
            if ((double)steps[i] * power * height >= spacing * lanes)
                return steps[i] * power;
    return lanes ? lanes : 1;
}

void pithi_layers_draw_grid(const struct pithi_ranges *ranges, const struct pithi_layers_look *look, double spacing,
                            const struct pithi_painter *painter)
{
    uint32_t lanes = pithi_ranges_lanes(ranges), step = pithi_layers_step(lanes, look->height, spacing);

    for (uint64_t mark = step; mark <= lanes; mark += step)
        painter->rect(painter->context, look->x, look->y + edge_of(ranges, look, (double)mark),
                      pithi_ranges_width(ranges), 1, PITHI_RGB_GRID, 1);
}
