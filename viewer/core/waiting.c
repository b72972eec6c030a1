/* waiting.c - draws wait states and the critical path of a plot's analysis. */
#include "core/waiting.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/palette.h"
#include "core/span_columns.h"
#include "core/theme.h"

/* If a row has more lanes, only this many of them are used, evenly chosen, so that the time for a picture does not grow
 * with the log. */
enum { LANES_MOST = 8 };

/* ---- Wait states ------------------------------------------------------------------------------------------------- */

struct waits {
    const struct pithi_cells *cells;
    uint32_t row, levels; /* levels: number of levels drawn */
    const struct pithlog_wait_state *items;
    double weight; /* of a lane */
    float *part;   /* [levels * width]: the part of each column that waits */
};

/* Adds a wait state to the innermost level that shows its state. If no level shows it, other states have more of the
 * column, and the wait state counts at the innermost level. */
static void add_wait(void *context, size_t item, uint32_t column, double part)
{
    const struct waits *waits = context;
    uint32_t found = PITHI_NONE;

    for (uint32_t level = waits->levels; level-- > 0;) {
        uint32_t state = pithi_cells_line(waits->cells, waits->row, level)[column].state;
        if (state != PITHI_NONE && found == PITHI_NONE)
            found = level;
        if (state == waits->items[item].state) {
            found = level;
            break;
        }
    }
    if (found != PITHI_NONE)
        waits->part[(size_t)found * waits->cells->width + column] += (float)(part * waits->weight);
}

void pithi_waits_columns(const struct pithi_analysis_window *window, const struct pithi_row *row,
                         const struct pithi_cells *cells, uint32_t at, uint32_t *level)
{
    uint32_t count;
    const uint32_t *all = pithi_row_lanes(row, &count);
    uint32_t step = (count + LANES_MOST - 1) / LANES_MOST, judged = (count + step - 1) / step;
    struct waits waits = {.cells = cells, .row = at, .levels = count > 1 ? 1 : cells->levels, .weight = 1.0 / judged};
    struct pithi_spans spans = {.t0_ns = window->t0_ns,
                                .t1_ns = window->t1_ns,
                                .width = window->width,
                                .size = sizeof *waits.items,
                                .from = offsetof(struct pithlog_wait_state, from_ns),
                                .to = offsetof(struct pithlog_wait_state, to_ns)};

    memset(level, 0xff, window->width * sizeof *level);
    waits.part = pithi_alloc((size_t)waits.levels * window->width, sizeof *waits.part);
    for (uint32_t i = 0; i < count; i += step) {
        spans.count = pithlog_analysis_waits(window->analysis, all[i], &waits.items);
        spans.items = (const char *)waits.items;
        pithi_spans_columns(&spans, add_wait, &waits);
    }
    for (uint32_t k = waits.levels; k-- > 0;) {
        const struct pithi_cell *line = pithi_cells_line(cells, at, k), *inner = line + window->width;
        const float *part = waits.part + (size_t)k * window->width;
        for (uint32_t c = 0; c < window->width; c++)
            if (part[c] > 0 && part[c] * 510 >= line[c].cover &&
                (k + 1 == waits.levels || inner[c].state == PITHI_NONE)) /* bars inside stay visible */
                level[c] = k;
    }
    free(waits.part);
}

/* Lower and narrower bars have no room for lines and only become paler. */
enum { HATCH = 5, HATCHED_HEIGHT = 5, HATCHED_WIDTH = 3, PALE = 90 };

static void hatch_bar(const struct pithi_plot *plot, const struct pithi_painter *painter,
                      const struct pithi_bar_place *place, uint32_t from, uint32_t to)
{
    uint32_t rgb = plot->rgb[place->state], pale = pithi_rgb_blend(PITHI_RGB_IDLE, rgb, PALE);
    int has_room = place->height >= HATCHED_HEIGHT && to - from >= HATCHED_WIDTH;
    struct pithi_hatching hatching = {.x = plot->x + from,
                                      .y = place->y,
                                      .width = to - from,
                                      .height = place->height,
                                      .step = has_room ? floor(HATCH * pithi_theme_scale() + 0.5) : 0,
                                      .phase = pithi_plot_x(plot, 0),
                                      .lines = (int)fmax(floor(1.5 * pithi_theme_scale()), 1),
                                      .ground = pale,
                                      .rgb = rgb};

    pithi_hatch(painter, &hatching);
}

static void draw_row(const struct pithi_plot *plot, const struct pithi_painter *painter, uint32_t row, uint32_t *level,
                     unsigned char *hatched)
{
    struct pithi_analysis_window window = {plot->analysis, plot->t0_ns, plot->t1_ns, plot->width};
    struct pithi_bar_place place;
    uint32_t first, last;

    pithi_plot_levels(plot, row, &first, &last);
    pithi_waits_columns(&window, &plot->rows[row], &plot->lines[plot->cell_row[row]], 0, level);
    for (uint32_t c = 0, end; c < plot->width; c = end) {
        for (end = c + 1; end < plot->width && level[end] == level[c];)
            end++;
        if (level[c] < first || level[c] >= last) /* PITHI_NONE, or in another band */
            continue;
        if (!pithi_bar_at(plot, row, level[c], c, end, &place)) {
            end = c + 1;
            continue;
        }
        end = place.end;
        /* The dividing line at the begin of the bar stays. */
        if (end - c > (uint32_t)place.edge)
            hatch_bar(plot, painter, &place, c + (uint32_t)place.edge, end);
        memset(hatched + c, (int)level[c] + 1, end - c);
    }
}

void pithi_waits_draw(const struct pithi_plot *plot, const struct pithi_painter *painter, uint32_t from, uint32_t to,
                      unsigned char *hatched)
{
    if (!plot->analysis || !plot->waits)
        return;
    uint32_t *level = pithi_alloc(plot->width, sizeof *level);
    for (uint32_t row = from; row < to; row++)
        if (plot->cell_row[row] != PITHI_NONE && !plot->rows[row].flame)
            draw_row(plot, painter, row, level, hatched + (size_t)(row - from) * plot->width);
    free(level);
}

/* ---- The critical path ------------------------------------------------------------------------------------------- */

struct path {
    const struct pithlog_path_part *parts;
    const uint32_t *row_of_lane;
    uint32_t *row;   /* [width] the row that has most of each column */
    uint32_t column; /* the current column */
    struct visit {
        uint32_t row;
        double part;
    } visits[PITHI_COLUMN_MOST + 3];
    uint32_t count;
};

/* A column of which the path covers less than half is not on the path: it is beside one of its ends. */
static void end_column(struct path *path)
{
    double most = 0, sum = 0;

    for (uint32_t i = 0; i < path->count; i++) {
        sum += path->visits[i].part;
        if (path->visits[i].part > most) {
            most = path->visits[i].part;
            path->row[path->column] = path->visits[i].row;
        }
    }
    if (path->count && sum < 0.5)
        path->row[path->column] = PITHI_NONE;
    path->count = 0;
}

static void add_part(void *context, size_t item, uint32_t column, double part)
{
    struct path *path = context;
    uint32_t row = path->row_of_lane[path->parts[item].lane], i = 0;

    if (column != path->column)
        end_column(path);
    path->column = column;
    while (i < path->count && path->visits[i].row != row)
        i++;
    if (i == path->count && i < sizeof path->visits / sizeof *path->visits)
        path->visits[path->count++] = (struct visit){.row = row};
    if (i < path->count)
        path->visits[i].part += part;
}

void pithi_path_columns(const struct pithi_analysis_window *window, const uint32_t *row_of_lane, uint32_t *row)
{
    struct path path = {.row_of_lane = row_of_lane, .row = row};
    struct pithi_spans spans = {.t0_ns = window->t0_ns,
                                .t1_ns = window->t1_ns,
                                .width = window->width,
                                .count = pithlog_analysis_path(window->analysis, &path.parts),
                                .size = sizeof *path.parts,
                                .from = offsetof(struct pithlog_path_part, from_ns),
                                .to = offsetof(struct pithlog_path_part, to_ns)};

    memset(row, 0xff, window->width * sizeof *row);
    spans.items = (const char *)path.parts;
    pithi_spans_columns(&spans, add_part, &path);
    end_column(&path);
}

/* The line runs along the foot of the bars, below their names. It is `thick`, with a rim of `rim` pixels that separates
 * it from the colours of the bars. */
struct line {
    double thick, rim, foot; /* foot: the distance from the lower edge of the bar */
    uint32_t rgb;
};

static double line_y(const struct pithi_plot *plot, uint32_t row, const struct line *line)
{
    double top, height;

    pithi_plot_bar(plot->row_height, 0, &top, &height);
    return pithi_plot_row_top(plot, row) + top + fmax(floor(height - line->thick - line->foot), 0);
}

/* The more steps there are around a column, the fainter they are, so that the bars stay visible. */
static double step_alpha(const uint32_t *row, uint32_t width, uint32_t column)
{
    uint32_t from = column > 4 ? column - 4 : 1, to = column + 5 < width ? column + 5 : width, steps = 0;

    for (uint32_t c = from; c < to; c++)
        steps += row[c] != row[c - 1];
    return steps <= 2 ? 1 : fmax(2.0 / (steps * steps), 0.1);
}

/* Draws the line, or its rim, widened by `rim`. */
static void draw_line(const struct pithi_plot *plot, const struct pithi_painter *painter, const uint32_t *row,
                      const struct line *line)
{
    double wide = line->thick + 2 * line->rim, half = floor(line->thick / 2) + line->rim;

    for (uint32_t c = 0, end; c < plot->width; c = end) {
        for (end = c + 1; end < plot->width && row[end] == row[c];)
            end++;
        /* In a crowd, rims would hide the bars. */
        if (row[c] == PITHI_NONE || (line->rim > 0 && end - c < 2 * wide))
            continue;
        painter->rect(painter->context, plot->x + c, line_y(plot, row[c], line) - line->rim, end - c, wide, line->rgb,
                      1);
    }
    for (uint32_t c = 1; c < plot->width; c++) {
        double alpha, y0, y1;
        if (row[c] == row[c - 1] || row[c] == PITHI_NONE || row[c - 1] == PITHI_NONE)
            continue;
        alpha = step_alpha(row, plot->width, c);
        y0 = line_y(plot, row[c] < row[c - 1] ? row[c] : row[c - 1], line) - line->rim;
        y1 = line_y(plot, row[c] < row[c - 1] ? row[c - 1] : row[c], line) - line->rim + wide;
        if (alpha == 1 || !line->rim)
            painter->rect(painter->context, plot->x + c - half, y0, wide, y1 - y0, line->rgb, alpha);
    }
}

void pithi_path_draw(const struct pithi_plot *plot, const struct pithi_painter *painter)
{
    struct line line = {.thick = floor(fmax(fmin(plot->row_height / 7, 3 * pithi_theme_scale()), 1))};

    if (!plot->analysis || !plot->path || !plot->width || !plot->row_count)
        return;
    struct pithi_analysis_window window = {plot->analysis, plot->t0_ns, plot->t1_ns, plot->width};
    uint32_t *row = pithi_alloc(plot->width, sizeof *row);
    uint32_t *row_of_lane = pithi_rows_of_lanes(plot->log, plot->rows, plot->row_count);
    pithi_path_columns(&window, row_of_lane, row);
    free(row_of_lane);
    if (line.thick > 1) {
        line.rim = line.foot = floor(fmax(pithi_theme_scale(), 1));
        line.rgb = PITHI_RGB_PAPER;
        draw_line(plot, painter, row, &line);
    }
    line.rim = 0;
    line.rgb = pithi_theme()->path;
    draw_line(plot, painter, row, &line);
    free(row);
}

/* ---- Looking ----------------------------------------------------------------------------------------------------- */

const struct pithlog_wait_state *pithi_wait_of(const struct pithlog_analysis *analysis, uint32_t lane, uint32_t state,
                                               int64_t from_ns, int64_t to_ns)
{
    const struct pithlog_wait_state *items, *longest = NULL;
    size_t count = pithlog_analysis_waits(analysis, lane, &items), low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (items[middle].to_ns <= from_ns)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < count && items[low].from_ns < to_ns; low++)
        if (items[low].state == state &&
            (!longest || items[low].to_ns - items[low].from_ns > longest->to_ns - longest->from_ns))
            longest = &items[low];
    return longest;
}
