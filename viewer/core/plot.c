/* plot.c - drawing rows of time lines; see plot.h. */
#include "core/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/arrow_draw.h"
#include "core/bars.h"
#include "core/memory.h"
#include "core/palette.h"

/* ---- Loading ----------------------------------------------------------------------------------------------------- */

static uint32_t *lanes_shown(struct pithi_plot *plot, uint32_t *row_of_lane)
{
    uint32_t *lanes = pithi_alloc(plot->row_count, sizeof *lanes), count = 0;

    for (uint32_t row = 0; row < plot->row_count; row++) {
        plot->cell_row[row] = PITHI_NONE;
        if (plot->rows[row].counter != PITHI_NONE)
            continue;
        row_of_lane[plot->rows[row].lane] = row;
        plot->cell_row[row] = count;
        plot->plot_row[count] = row;
        lanes[count++] = plot->rows[row].lane;
    }
    plot->cells.rows = count;
    return lanes;
}

int pithi_plot_load(struct pithi_plot *plot)
{
    uint32_t lane_count = pithlog_get_info(plot->log)->lanes;
    uint32_t *row_of_lane = pithi_alloc(lane_count, sizeof *row_of_lane), *lanes;
    struct pithi_query query = {.t0_ns = plot->t0_ns, .t1_ns = plot->t1_ns, .width = plot->width};
    int err;

    memset(row_of_lane, 0xff, lane_count * sizeof *row_of_lane);
    plot->cell_row = pithi_alloc(plot->row_count, sizeof *plot->cell_row);
    plot->plot_row = pithi_alloc(plot->row_count, sizeof *plot->plot_row);
    lanes = lanes_shown(plot, row_of_lane);
    query.levels = PITHI_LEVELS;
    query.lanes = lanes;
    query.lane_count = plot->cells.rows;
    query.hidden = plot->hidden;
    query.summary = plot->summary;
    query.care = plot->care;
    err = pithi_query_run(plot->log, &query, &plot->cells);
    plot->refined = plot->summary && plot->care != PITHI_EXACT ? 0 : plot->cells.rows;
    if (err != PITH_ERR_USAGE) {
        struct pithi_arrows_query messages = {.t0_ns = plot->t0_ns,
                                              .t1_ns = plot->t1_ns,
                                              .width = plot->width,
                                              .row_of_lane = row_of_lane,
                                              .lane_count = lane_count,
                                              .most = plot->most_arrows};
        pithi_arrows_load(plot->digest, &messages, &plot->arrows);
        plot->graphs = pithi_graphs_load(plot);
    }
    free(lanes);
    free(row_of_lane);
    return err;
}

/* One row of `cells`, alone in `from`, takes the place of what is there. */
static void take_row(struct pithi_cells *cells, uint32_t row, const struct pithi_cells *from)
{
    size_t size = (size_t)cells->levels * cells->width;
    uint32_t kept = 0;

    memcpy(cells->cells + row * size, from->cells, size * sizeof *cells->cells);
    for (uint32_t i = 0; i < cells->tick_count; i++)
        if (cells->ticks[i].row != row)
            cells->ticks[kept++] = cells->ticks[i];
    cells->ticks = pithi_grow(cells->ticks, &cells->tick_capacity, kept + from->tick_count, sizeof *cells->ticks);
    for (uint32_t i = 0; i < from->tick_count; i++) {
        cells->ticks[kept] = from->ticks[i];
        cells->ticks[kept++].row = row;
    }
    cells->tick_count = kept;
    kept = 0;
    for (uint32_t i = 0; i < cells->mark_count; i++)
        if (cells->marks[i].row != row)
            cells->marks[kept++] = cells->marks[i];
    cells->marks = pithi_grow(cells->marks, &cells->mark_capacity, kept + from->mark_count, sizeof *cells->marks);
    for (uint32_t i = 0; i < from->mark_count; i++) {
        cells->marks[kept] = from->marks[i];
        cells->marks[kept++].row = row;
    }
    cells->mark_count = kept;
}

static void add_sums(struct pithi_sum *sums, const struct pithi_sum *more, uint32_t defs)
{
    for (uint32_t i = 0; i < defs; i++) {
        sums[i].count += more[i].count;
        sums[i].inclusive_ns += more[i].inclusive_ns;
        sums[i].exclusive_ns += more[i].exclusive_ns;
    }
}

static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int pithi_plot_refine(struct pithi_plot *plot, double seconds)
{
    struct pithi_cells *cells = &plot->cells, one = {0};
    double end_s = now_s() + seconds;

    if (!plot->refined_sums)
        plot->refined_sums = pithi_alloc(cells->defs, sizeof *plot->refined_sums);
    while (plot->refined < cells->rows && now_s() < end_s) {
        struct pithi_query query = {.t0_ns = plot->t0_ns,
                                    .t1_ns = plot->t1_ns,
                                    .width = plot->width,
                                    .levels = cells->levels,
                                    .lanes = &plot->rows[plot->plot_row[plot->refined]].lane,
                                    .lane_count = 1,
                                    .hidden = plot->hidden,
                                    .summary = plot->summary};
        pithi_query_run(plot->log, &query, &one);
        take_row(cells, plot->refined++, &one);
        add_sums(plot->refined_sums, one.sums, cells->defs);
    }
    pithi_cells_free(&one);
    if (plot->refined < cells->rows)
        return 1;
    memcpy(cells->sums, plot->refined_sums, cells->defs * sizeof *cells->sums);
    return 0;
}

void pithi_plot_free(struct pithi_plot *plot)
{
    pithi_cells_free(&plot->cells);
    free(plot->cell_row);
    free(plot->plot_row);
    pithi_arrows_free(&plot->arrows);
    pithi_graphs_free(plot->graphs);
    plot->graphs = NULL;
    free(plot->refined_sums);
    plot->refined_sums = NULL;
    plot->cell_row = plot->plot_row = NULL;
}

/* ---- Geometry ---------------------------------------------------------------------------------------------------- */

static double gap_of(double row_height)
{
    double gap = floor(row_height * 0.22);
    return gap > 8 ? 8 : gap;
}

void pithi_plot_bar(double row_height, uint32_t level, double *top, double *height)
{
    static const double part[PITHI_LEVELS] = {1.0, 0.66, 0.40, 0.20};
    double gap = gap_of(row_height), bar = row_height - gap;

    *height = level ? floor(bar * part[level] + 0.5) : bar;
    if (*height < 1)
        *height = 1;
    *top = floor(gap / 2) + floor((bar - *height) / 2);
}

uint32_t pithi_plot_level_at(double row_height, double y)
{
    for (uint32_t level = PITHI_LEVELS; level-- > 1;) {
        double top, height;
        pithi_plot_bar(row_height, level, &top, &height);
        if (y >= top && y < top + height)
            return level;
    }
    return 0;
}

double pithi_plot_x(const struct pithi_plot *plot, int64_t time_ns)
{
    double part = ((double)time_ns - (double)plot->t0_ns) / ((double)plot->t1_ns - (double)plot->t0_ns);
    return plot->x + part * plot->width;
}

double pithi_plot_row_top(const struct pithi_plot *plot, uint32_t row)
{
    return floor(plot->y + row * plot->row_height);
}

/* ---- Around the bars --------------------------------------------------------------------------------------------- */

static void draw_band(const struct pithi_plot *plot, const struct pithi_painter *painter, uint32_t row)
{
    const struct pithlog_lane *lane = pithlog_get_lane(plot->log, plot->rows[row].lane);
    double left = floor(pithi_plot_x(plot, lane->first_ns)), right = ceil(pithi_plot_x(plot, lane->last_ns));
    double top, height;

    if (left < plot->x)
        left = plot->x;
    if (right > plot->x + plot->width)
        right = plot->x + plot->width;
    pithi_plot_bar(plot->row_height, 0, &top, &height);
    if (right > left)
        painter->rect(painter->context, left, pithi_plot_row_top(plot, row) + top, right - left, height, PITHI_RGB_IDLE,
                      1);
}

static void draw_ticks(const struct pithi_plot *plot, const struct pithi_painter *painter)
{
    double top, height;

    pithi_plot_bar(plot->row_height, 0, &top, &height);
    for (uint32_t i = 0; i < plot->cells.tick_count; i++) {
        const struct pithi_tick *tick = &plot->cells.ticks[i];
        double y = pithi_plot_row_top(plot, plot->plot_row[tick->row]) + top, length = floor(height / 3 + 1);
        painter->rect(painter->context, plot->x + tick->column, y + height - length, 1, length, plot->rgb[tick->state],
                      1);
    }
}

static void draw_triangle(const struct pithi_painter *painter, double x, double y, double size, double grow,
                          uint32_t rgb)
{
    double xs[3] = {x - size - 1.5 * grow, x + size + 1.5 * grow, x};
    double ys[3] = {y - grow, y - grow, y + 2 * size + 2 * grow};

    painter->triangle(painter->context, xs, ys, rgb, 1);
}

void pithi_plot_mark(const struct pithi_painter *painter, double x, double y, double size, uint32_t rgb)
{
    draw_triangle(painter, x, y, size, 1.6, PITHI_RGB_PAPER);
    draw_triangle(painter, x, y, size, 0.8, pithi_rgb_darker(rgb, 0.4));
    draw_triangle(painter, x, y, size, 0, rgb);
}

/* Triangles where there is room, else lines: many events in low rows must not hide the states. */
static void draw_marks(const struct pithi_plot *plot, const struct pithi_painter *painter)
{
    int dense = plot->row_height < 14 || plot->cells.mark_count > (uint64_t)plot->cells.rows * plot->width / 24 + 8;
    double size = plot->row_height * 0.16;

    for (uint32_t i = 0; i < plot->cells.mark_count; i++) {
        const struct pithi_mark *mark = &plot->cells.marks[i];
        double x = plot->x + mark->column, y = pithi_plot_row_top(plot, plot->plot_row[mark->row]);
        if (dense)
            painter->rect(painter->context, x, y, 1, floor(plot->row_height * 0.35) + 1, plot->rgb[mark->id], 1);
        else
            pithi_plot_mark(painter, x + 0.5, y + 2, size > 5 ? 5 : size, plot->rgb[mark->id]);
    }
}

/* ---- The whole --------------------------------------------------------------------------------------------------- */

static void draw_separator(const struct pithi_plot *plot, const struct pithi_painter *painter, uint32_t row)
{
    int32_t rank = pithlog_get_lane(plot->log, plot->rows[row].lane)->rank;

    if (row && plot->row_height >= 8 && pithlog_get_lane(plot->log, plot->rows[row - 1].lane)->rank != rank)
        painter->rect(painter->context, plot->x, pithi_plot_row_top(plot, row), plot->width, 1, PITHI_RGB_GRID, 1);
}

void pithi_plot_draw(const struct pithi_plot *plot, const struct pithi_painter *painter)
{
    painter->clip(painter->context, plot->x, plot->y, plot->width, ceil(plot->row_count * plot->row_height));
    for (uint32_t row = 0; row < plot->row_count; row++) {
        draw_separator(plot, painter, row);
        if (plot->cell_row[row] == PITHI_NONE) {
            pithi_graph_draw(plot, painter, row);
            continue;
        }
        draw_band(plot, painter, row);
    }
    pithi_bars_draw(plot, painter);
    draw_ticks(plot, painter);
    pithi_arrows_draw(plot, painter);
    draw_marks(plot, painter);
    painter->clip(painter->context, 0, 0, -1, -1);
}
