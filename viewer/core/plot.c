/* plot.c - drawing rows of time lines; see plot.h. */
#include "core/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/arrow_draw.h"
#include "core/bars.h"
#include "core/gap_draw.h"
#include "core/groups.h"
#include "core/memory.h"
#include "core/palette.h"

/* ---- Loading ----------------------------------------------------------------------------------------------------- */

void pithi_plot_prepare(struct pithi_plot *plot)
{
    uint32_t count = 0;

    plot->cells.lanes = 0;
    plot->cell_row = pithi_alloc(plot->row_count, sizeof *plot->cell_row);
    plot->plot_row = pithi_alloc(plot->row_count, sizeof *plot->plot_row);
    for (uint32_t row = 0; row < plot->row_count; row++) {
        uint32_t lanes;
        plot->cell_row[row] = plot->rows[row].counter == PITHI_NONE ? count : PITHI_NONE;
        if (plot->rows[row].counter != PITHI_NONE)
            continue;
        plot->plot_row[count++] = row;
        pithi_row_lanes(&plot->rows[row], &lanes);
        plot->cells.lanes += lanes;
    }
    plot->cells.rows = count;
}

/* To be freed: query->row_of_lane. */
static uint32_t *arrows_query(const struct pithi_plot *plot, struct pithi_arrows_query *query)
{
    uint32_t lane_count = pithlog_get_info(plot->log)->lanes, count;
    uint32_t *row_of_lane = pithi_alloc(lane_count, sizeof *row_of_lane);

    memset(row_of_lane, 0xff, lane_count * sizeof *row_of_lane);
    for (uint32_t row = 0; row < plot->row_count; row++) {
        const uint32_t *lanes = pithi_row_lanes(&plot->rows[row], &count);
        for (uint32_t i = 0; i < count && plot->cell_row[row] != PITHI_NONE; i++)
            row_of_lane[lanes[i]] = row;
    }
    *query = (struct pithi_arrows_query){.t0_ns = plot->t0_ns,
                                         .t1_ns = plot->t1_ns,
                                         .width = plot->width,
                                         .row_of_lane = row_of_lane,
                                         .lane_count = lane_count,
                                         .most = plot->most_arrows,
                                         .moving = plot->moving};
    return row_of_lane;
}

void pithi_plot_load_arrows(struct pithi_plot *plot)
{
    struct pithi_arrows_query query;
    uint32_t *row_of_lane = arrows_query(plot, &query);

    pithi_arrows_free(&plot->arrows);
    pithi_graphs_free(plot->graphs);
    pithi_arrows_load(plot->digest, &query, &plot->arrows);
    plot->graphs = pithi_graphs_load(plot);
    free(row_of_lane);
}

int pithi_plot_look(const struct pithi_plot *plot, const struct pithi_bundle *bundle, struct pithi_bundle *exact)
{
    struct pithi_arrows_query query;
    uint32_t *row_of_lane = arrows_query(plot, &query);
    int status = pithi_arrows_look(plot->digest, &query, &plot->arrows, bundle, exact);

    free(row_of_lane);
    return status;
}

static void add_sums(struct pithi_sum *sums, const struct pithi_sum *more, uint32_t defs)
{
    for (uint32_t i = 0; i < defs; i++) {
        sums[i].count += more[i].count;
        sums[i].inclusive_ns += more[i].inclusive_ns;
        sums[i].exclusive_ns += more[i].exclusive_ns;
    }
}

/* The cells of one row, with its share of the sums. */
static int load_line(struct pithi_plot *plot, uint32_t line)
{
    uint32_t count;
    struct pithi_query query = {.t0_ns = plot->t0_ns,
                                .t1_ns = plot->t1_ns,
                                .width = plot->width,
                                .levels = PITHI_LEVELS,
                                .lanes = pithi_row_lanes(&plot->rows[plot->plot_row[line]], &count),
                                .hidden = plot->hidden,
                                .summary = plot->summary,
                                .care = plot->care,
                                .group_end = &count,
                                .group_count = 1};
    int err;

    query.lane_count = count;
    err = pithi_query_run(plot->log, &query, &plot->lines[line]);
    if (err != PITH_ERR_USAGE) {
        add_sums(plot->cells.sums, plot->lines[line].sums, plot->cells.defs);
        plot->cells.rough += plot->lines[line].rough;
    }
    return err;
}

int pithi_plot_load(struct pithi_plot *plot)
{
    int err = plot->t0_ns >= plot->t1_ns || plot->width > PITHI_MAX_WIDTH ? PITH_ERR_USAGE : PITH_OK;

    pithi_plot_prepare(plot);
    if (err)
        return err;
    plot->cells.levels = PITHI_LEVELS;
    plot->cells.defs = pithlog_get_info(plot->log)->defs;
    plot->cells.sums = pithi_alloc(plot->cells.defs, sizeof *plot->cells.sums);
    plot->lines = pithi_alloc(plot->cells.rows, sizeof *plot->lines);
    plot->lines_made = 1;
    for (uint32_t line = 0; line < plot->cells.rows; line++) {
        int line_err = load_line(plot, line);
        err = err ? err : line_err;
    }
    pithi_plot_load_arrows(plot);
    return err;
}

void pithi_plot_free(struct pithi_plot *plot)
{
    for (uint32_t line = 0; line < plot->cells.rows && plot->lines_made; line++)
        pithi_cells_free(&plot->lines[line]);
    if (plot->lines_made)
        free(plot->lines);
    pithi_cells_free(&plot->cells);
    free(plot->cell_row);
    free(plot->plot_row);
    pithi_arrows_free(&plot->arrows);
    pithi_graphs_free(plot->graphs);
    plot->graphs = NULL;
    plot->lines = NULL;
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
    if (row_height < 3) /* rows that begin at fractions of a pixel leave no gap between them */
        *height = ceil(*height);
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

void pithi_plot_life(const struct pithi_plot *plot, uint32_t row, double *left, double *right)
{
    int64_t first_ns, last_ns;

    pithi_row_life(plot->log, &plot->rows[row], &first_ns, &last_ns);
    *left = floor(pithi_plot_x(plot, first_ns));
    *right = ceil(pithi_plot_x(plot, last_ns));
    if (*left < plot->x)
        *left = plot->x;
    if (*right > plot->x + plot->width)
        *right = plot->x + plot->width;
}

static void draw_ticks(const struct pithi_plot *plot, const struct pithi_painter *painter, uint32_t row)
{
    double top, height, length;

    pithi_plot_bar(plot->row_height, 0, &top, &height);
    length = floor(height / 3 + 1);
    if (plot->cell_row[row] != PITHI_NONE && height >= 2) {
        const struct pithi_cells *cells = &plot->lines[plot->cell_row[row]];
        double y = pithi_plot_row_top(plot, row) + top + height - length;
        for (uint32_t i = 0; i < cells->tick_count; i++)
            painter->rect(painter->context, plot->x + cells->ticks[i].column, y, 1, length,
                          plot->rgb[cells->ticks[i].state], 1);
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

static uint64_t count_marks(const struct pithi_plot *plot)
{
    uint64_t count = 0;

    for (uint32_t line = 0; line < plot->cells.rows; line++)
        count += plot->lines[line].mark_count;
    return count;
}

static void draw_mark(const struct pithi_plot *plot, const struct pithi_painter *painter, const struct pithi_mark *mark,
                      double y, int dense)
{
    double x = plot->x + mark->column, size = plot->row_height * 0.16;
    double most = 5 * pithi_theme_scale();

    if (dense)
        painter->rect(painter->context, x, y, 1, floor(plot->row_height * 0.35) + 1, plot->rgb[mark->id], 1);
    else
        pithi_plot_mark(painter, x + 0.5, y + 2, size > most ? most : size, plot->rgb[mark->id]);
}

/* Triangles where there is room, else lines: many events in low rows must not hide the states. */
static void draw_marks(const struct pithi_plot *plot, const struct pithi_painter *painter)
{
    int dense = plot->row_height < 14 || count_marks(plot) > (uint64_t)plot->cells.rows * plot->width / 24 + 8;

    for (uint32_t line = 0; line < plot->cells.rows && plot->row_height >= 2; line++) {
        double y = pithi_plot_row_top(plot, plot->plot_row[line]);
        for (uint32_t i = 0; i < plot->lines[line].mark_count; i++)
            draw_mark(plot, painter, &plot->lines[line].marks[i], y, dense);
    }
}

/* ---- The whole --------------------------------------------------------------------------------------------------- */

int pithi_plot_is_separated(const struct pithi_plot *plot, uint32_t row)
{
    int32_t rank = pithlog_get_lane(plot->log, plot->rows[row].lane)->rank;
    return row && plot->row_height >= 8 && pithlog_get_lane(plot->log, plot->rows[row - 1].lane)->rank != rank;
}

/* Rows of single lanes are painted as strips, which bring their ground and all else along. */
static int has_strips(const struct pithi_plot *plot, const struct pithi_painter *painter, uint32_t row)
{
    return painter->strips && plot->cell_row[row] != PITHI_NONE && plot->rows[row].lane_count <= 1;
}

static void draw_ground(const struct pithi_plot *plot, const struct pithi_painter *painter, uint32_t from, uint32_t to)
{
    double end = pithi_plot_row_top(plot, plot->row_count);

    painter->ground(painter->context, 0, plot->y);
    for (uint32_t row = from; row < to; row++)
        if (!has_strips(plot, painter, row))
            painter->ground(painter->context, pithi_plot_row_top(plot, row),
                            pithi_plot_row_top(plot, row + 1) - pithi_plot_row_top(plot, row));
    painter->ground(painter->context, end, PITHI_MAX_WIDTH);
}

static void clip_rows(const struct pithi_plot *plot, const struct pithi_painter *painter)
{
    painter->clip(painter->context, plot->x, plot->y, plot->width, ceil(plot->row_count * plot->row_height));
}

void pithi_plot_draw_rows(const struct pithi_plot *plot, const struct pithi_painter *painter, struct pithi_sheet *sheet,
                          uint32_t from, uint32_t to)
{
    if (painter->ground)
        draw_ground(plot, painter, from, to);
    clip_rows(plot, painter);
    for (uint32_t row = from; row < to; row++) {
        if (!has_strips(plot, painter, row) && pithi_plot_is_separated(plot, row))
            painter->rect(painter->context, plot->x, pithi_plot_row_top(plot, row), plot->width, 1, PITHI_RGB_GRID, 1);
        if (plot->cell_row[row] == PITHI_NONE && plot->rows[row].counter != PITHI_BLANK)
            pithi_graph_draw(plot, painter, row);
    }
    pithi_bars_draw(plot, painter, sheet, from, to);
    pithi_gaps_draw(plot, painter, from, to);
    for (uint32_t row = from; row < to; row++)
        draw_ticks(plot, painter, row);
}

void pithi_plot_draw_over(const struct pithi_plot *plot, const struct pithi_painter *painter)
{
    clip_rows(plot, painter);
    pithi_arrows_draw(plot, painter);
    draw_marks(plot, painter);
    painter->clip(painter->context, 0, 0, -1, -1);
}

void pithi_plot_draw(const struct pithi_plot *plot, const struct pithi_painter *painter)
{
    struct pithi_sheet *sheet = painter->strips ? pithi_sheet_new(plot) : NULL;

    pithi_plot_draw_rows(plot, painter, sheet, 0, plot->row_count);
    pithi_plot_draw_over(plot, painter);
    pithi_sheet_free(sheet);
}
