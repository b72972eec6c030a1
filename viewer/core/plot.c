/* plot.c - drawing rows of time lines; see plot.h. */
#include "core/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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
        plot->arrows = pithi_alloc(plot->most_arrows, sizeof *plot->arrows);
        plot->arrow_count = pithi_digest_arrows(plot->digest, plot->t0_ns, plot->t1_ns, row_of_lane, plot->arrows,
                                                plot->most_arrows, &plot->arrow_total);
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
    free(plot->arrows);
    free(plot->refined_sums);
    plot->refined_sums = NULL;
    plot->cell_row = plot->plot_row = NULL;
    plot->arrows = NULL;
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

static double x_of(const struct pithi_plot *plot, int64_t time_ns)
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
    double left = floor(x_of(plot, lane->first_ns)), right = ceil(x_of(plot, lane->last_ns)), top, height;

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

/* ---- Counters ---------------------------------------------------------------------------------------------------- */

/* The values of one column: the least and greatest of those that began in it and the one that held at its start. */
struct column_value {
    double low, high;
    int known;
};

static uint32_t first_after(const struct pithi_series *series, int64_t time_ns)
{
    uint32_t low = 0, high = series->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (series->time_ns[middle] <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct column_value column_value(const struct pithi_plot *plot, const struct pithi_series *series, uint32_t c,
                                        uint32_t *next)
{
    int64_t end = plot->t0_ns + (int64_t)(((double)plot->t1_ns - (double)plot->t0_ns) * (c + 1) / plot->width);
    struct column_value value = {0, 0, 0};

    if (*next > 0) {
        value.low = value.high = series->value[*next - 1];
        value.known = 1;
    }
    for (; *next < series->count && series->time_ns[*next] < end; ++*next) {
        double v = series->value[*next];
        value.low = value.known && value.low < v ? value.low : v;
        value.high = value.known && value.high > v ? value.high : v;
        value.known = 1;
    }
    return value;
}

static void draw_graph(const struct pithi_plot *plot, const struct pithi_painter *painter, uint32_t row)
{
    const struct pithi_series *series = pithi_digest_series(plot->digest, plot->rows[row]);
    double top, height, y, scale;
    uint32_t next, rgb = plot->rgb[plot->rows[row].counter];

    if (!series)
        return;
    pithi_plot_bar(plot->row_height, 0, &top, &height);
    y = pithi_plot_row_top(plot, row) + top;
    scale = (height - 1) / (series->high > series->low ? series->high - series->low : 1);
    next = first_after(series, plot->t0_ns);
    for (uint32_t c = 0; c < plot->width; c++) {
        struct column_value value = column_value(plot, series, c, &next);
        double zero = y + height - floor((0 - series->low) * scale), high, low;
        if (!value.known)
            continue;
        high = y + height - floor((value.high - series->low) * scale) - 1;
        low = y + height - floor((value.low - series->low) * scale) - 1;
        painter->rect(painter->context, plot->x + c, high < zero ? high : zero, 1, fabs(zero - high), rgb, 0.3);
        painter->rect(painter->context, plot->x + c, high, 1, low - high + 1, rgb, 1);
    }
}

/* ---- Arrows ------------------------------------------------------------------------------------------------------ */

static double middle_of(const struct pithi_plot *plot, uint32_t row)
{
    double top, height;

    pithi_plot_bar(plot->row_height, 0, &top, &height);
    return pithi_plot_row_top(plot, row) + top + floor(height / 2) + 0.5;
}

void pithi_plot_arrow_ends(const struct pithi_plot *plot, const struct pithi_arrow *arrow, double ends[4])
{
    ends[0] = x_of(plot, arrow->message->send_ns);
    ends[1] = middle_of(plot, arrow->from_row);
    ends[2] = x_of(plot, arrow->message->recv_ns);
    ends[3] = middle_of(plot, arrow->to_row);
}

/* Shortens a line to x in [low, high]; 0: nothing is left. Ends of arrows may be a billion pixels away, where the
 * numbers of cairo (24 bits before the point) would go wrong. */
static int shorten(double ends[4], double low, double high)
{
    double slope = ends[2] != ends[0] ? (ends[3] - ends[1]) / (ends[2] - ends[0]) : 0;

    if ((ends[0] < low && ends[2] < low) || (ends[0] > high && ends[2] > high))
        return 0;
    for (int i = 0; i < 4; i += 2) {
        double x = ends[i] < low ? low : ends[i] > high ? high : ends[i];
        ends[i + 1] += slope * (x - ends[i]);
        ends[i] = x;
    }
    return 1;
}

static void draw_arrow(const struct pithi_plot *plot, const struct pithi_painter *painter,
                       const struct pithi_arrow *arrow, double alpha)
{
    double ends[4], x1, y1, dx, dy, length, size = plot->row_height / 4;

    pithi_plot_arrow_ends(plot, arrow, ends);
    if (!shorten(ends, plot->x - 100, plot->x + plot->width + 100))
        return;
    x1 = ends[2], y1 = ends[3];
    dx = x1 - ends[0], dy = y1 - ends[1];
    length = sqrt(dx * dx + dy * dy);
    painter->line(painter->context, ends[0], ends[1], x1, y1, PITHI_RGB_ARROW, alpha);
    if (size > 6)
        size = 6;
    /* In a crowd heads say nothing and hide much. */
    if (length < 2 * size || size < 2 || plot->arrow_count > plot->width / 3)
        return;
    dx *= size / length;
    dy *= size / length;
    {
        double xs[3] = {x1, x1 - dx - dy * 0.4, x1 - dx + dy * 0.4};
        double ys[3] = {y1, y1 - dy + dx * 0.4, y1 - dy - dx * 0.4};
        painter->triangle(painter->context, xs, ys, PITHI_RGB_ARROW, alpha);
    }
}

/* The columns that an arrow crosses, as indices 0 .. width; 0: none. */
static int columns_of(const struct pithi_plot *plot, const struct pithi_arrow *arrow, uint32_t *from, uint32_t *to)
{
    double ends[4], low, high;

    pithi_plot_arrow_ends(plot, arrow, ends);
    low = (ends[0] < ends[2] ? ends[0] : ends[2]) - plot->x;
    high = (ends[0] < ends[2] ? ends[2] : ends[0]) - plot->x + 1;
    if (high <= 0 || low >= plot->width)
        return 0;
    *from = low > 0 ? (uint32_t)low : 0;
    *to = high < plot->width ? (uint32_t)high : plot->width;
    return *from < *to;
}

/* How much of the rows the arrows cover: crowd[x] is the sum over the columns before x, where 1 is one arrow across all
 * rows. [width + 1], to be freed; NULL: no memory. */
static double *measure_crowd(const struct pithi_plot *plot)
{
    double *crowd = calloc((size_t)plot->width + 2, sizeof *crowd), now = 0, sum = 0;
    uint32_t from, to;

    for (uint32_t i = 0; crowd && i < plot->arrow_count; i++) {
        const struct pithi_arrow *arrow = &plot->arrows[i];
        double share = (fabs((double)arrow->to_row - arrow->from_row) + 0.5) / plot->row_count;
        if (columns_of(plot, arrow, &from, &to)) {
            crowd[from] += share / (to - from); /* a steep line fills its column, a flat one a part of each */
            crowd[to] -= share / (to - from);
        }
    }
    for (uint32_t x = 0; crowd && x <= plot->width; x++) {
        now += crowd[x];
        crowd[x] = sum;
        sum += now;
    }
    return crowd;
}

/* A few arrows are dark; the more there are around one, the fainter each, or they would be all that is seen. */
static double arrow_alpha(const struct pithi_plot *plot, const struct pithi_arrow *arrow, const double *crowd)
{
    uint32_t from, to;
    double alpha;

    if (!crowd || !columns_of(plot, arrow, &from, &to))
        return 0.5;
    while (to - from < 9 && (from > 0 || to < plot->width)) { /* the neighbourhood of a steep one */
        from -= from > 0;
        to += to < plot->width;
    }
    alpha = 0.9 / (1 + 4 * (crowd[to] - crowd[from]) / (to - from));
    return alpha < 0.02 ? 0.02 : alpha;
}

static void draw_arrows(const struct pithi_plot *plot, const struct pithi_painter *painter)
{
    double *crowd = measure_crowd(plot);

    for (uint32_t i = 0; i < plot->arrow_count; i++)
        draw_arrow(plot, painter, &plot->arrows[i], arrow_alpha(plot, &plot->arrows[i], crowd));
    free(crowd);
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
            draw_graph(plot, painter, row);
            continue;
        }
        draw_band(plot, painter, row);
    }
    pithi_bars_draw(plot, painter);
    draw_ticks(plot, painter);
    draw_arrows(plot, painter);
    draw_marks(plot, painter);
    painter->clip(painter->context, 0, 0, -1, -1);
}
