/* plot.c - draws the rows of time lines, counter graphs and interruptions, and groups rows that are too low.
 *
 * The order of painting is the order of importance: ground, graphs, bars, waiting, names, interruptions and ticks in
 * each row; then over all rows arrows, the critical path, events, numbers of bundles, the pale part outside the
 * selection, notes.
 *
 * A bar inside another has two thirds of its height. In a row of 20 pixels:
 *
 *     level 0    from 2, 16 high
 *     level 1    from 4, 11 high
 *     level 2    from 6,  7 high */
#include "core/scene/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/scene/arrows.h"
#include "core/scene/axis.h"
#include "core/cells/memory.h"
#include "core/raster/palette.h"
#include "core/scene/waiting.h"

/* ---- Loading ----------------------------------------------------------------------------------------------------- */

void pithi_plot_prepare(struct pithi_plot *plot)
{
    uint32_t count = 0;

    plot->cells.lanes = 0;
    plot->cell_row = pithi_alloc(plot->row_count, sizeof *plot->cell_row);
    plot->plot_row = pithi_alloc(plot->row_count, sizeof *plot->plot_row);
    for (uint32_t row = 0; row < plot->row_count; row++) {
        uint32_t lanes;
        /* Every row with cells gets a line of cells. Only the rows of the levels of one lane share a line, that of
         * their first row, because one query gives all levels, and each row draws another level. */
        plot->cell_row[row] = pithi_row_has_cells(&plot->rows[row]) ? count : PITHI_NONE;
        if (plot->cell_row[row] == PITHI_NONE)
            continue;
        if (plot->rows[row].band > 1 && count && plot->rows[row - 1].band &&
            plot->rows[row - 1].kind == plot->rows[row].kind &&
            plot->rows[plot->plot_row[count - 1]].lane == plot->rows[row].lane) {
            plot->cell_row[row] = count - 1;
            continue;
        }
        plot->plot_row[count++] = row;
        /* The number of lanes, for sums. A row of functions does not count, because its lane already has a row. */
        pithi_row_lanes(&plot->rows[row], &lanes);
        plot->cells.lanes += plot->rows[row].kind == PITHI_ROW_FUNCTIONS ? 0 : lanes;
    }
    plot->cells.rows = count;
}

int pithi_plot_load(struct pithi_plot *plot)
{
    int err = plot->t0_ns >= plot->t1_ns || plot->width > PITHI_MAX_WIDTH ? PITH_ERR_USAGE : PITH_OK;

    pithi_plot_prepare(plot);
    if (err)
        return err;
    plot->cells.defs = pithlog_get_info(plot->log)->defs;
    plot->cells.sums = pithi_alloc(plot->cells.defs, sizeof *plot->cells.sums);
    plot->lines = pithi_alloc(plot->cells.rows, sizeof *plot->lines);
    plot->lines_made = 1;
    /* from here on pithi_plot_free has lines to free */
    for (uint32_t line = 0; line < plot->cells.rows; line++) {
        uint32_t count, row = plot->plot_row[line];
        int flame = plot->rows[row].kind == PITHI_ROW_FUNCTIONS;
        struct pithi_query query = {.t0_ns = plot->t0_ns,
                                    .t1_ns = plot->t1_ns,
                                    .width = plot->width,
                                    .levels = PITHI_LEVELS,
                                    .lanes = pithi_row_lanes(&plot->rows[row], &count),
                                    .hidden = flame ? plot->flames->hidden : plot->hidden,
                                    .summary = flame ? NULL : plot->summary,
                                    .care = plot->care,
                                    .group_end = &count,
                                    .group_count = 1};
        query.lane_count = count;
        int line_err = pithi_query_run(pithi_plot_log(plot, row), &query, &plot->lines[line]);
        /* A damaged lane still has the cells before the damage, so its sums count. Functions of samples come from a log
         * of their own and do not count. */
        if (line_err != PITH_ERR_USAGE && !flame) {
            for (uint32_t id = 0; id < plot->cells.defs; id++)
                pithi_sum_add(&plot->cells.sums[id], &plot->lines[line].sums[id]);
            plot->cells.computing_ns += plot->lines[line].computing_ns;
            plot->cells.rough += plot->lines[line].rough;
        }
        /* The other rows are loaded all the same; the first error is returned. */
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

/* The height of a bar as a fraction of the bar around it. */
#define NESTED 0.66

void pithi_plot_bar(double row_height, uint32_t level, double *top, double *height)
{
    /* The gap between two rows is 22 % of the row, and at most 8 pixels: it separates high rows, but takes few pixels
     * of low rows. */
    double gap = fmin(floor(row_height * 0.22), 8), bar = row_height - gap, part = 1;

    for (uint32_t i = 0; i < level; i++) /* faster than pow() for few levels */
        part *= NESTED;
    *height = level ? floor(bar * part + 0.5) : bar;
    if (*height < 1)
        *height = 1;
    if (row_height < 3) /* rows that begin at fractions of a pixel have no gap */
        *height = ceil(*height);
    *top = floor(gap / 2) + floor((bar - *height) / 2);
}

uint32_t pithi_plot_level_at(double row_height, double y)
{
    /* Tries the innermost level first, because inner bars lie on outer bars. A point beside all bars gives level 0,
     * too. */
    for (uint32_t level = PITHI_LEVELS; level-- > 1;) {
        double top, height;
        pithi_plot_bar(row_height, level, &top, &height);
        if (y >= top && y < top + height)
            return level;
    }
    return 0;
}

void pithi_plot_levels(const struct pithi_plot *plot, uint32_t row, uint32_t *from, uint32_t *to)
{
    uint32_t band = plot->rows[row].band, levels = plot->lines[plot->cell_row[row]].depth;

    /* A row of one level (band 2 is level 1) shows only this level; a row without a band shows all levels of its
     * cells. */
    *from = band ? band - 1 : 0;
    *to = band && band < levels ? band : levels;
}

int pithi_plot_has_missing(const struct pithi_plot *plot)
{
    for (uint32_t line = 0; plot->lines && line < plot->cells.rows; line++)
        if (pithi_cells_missing(&plot->lines[line], 0, NULL))
            return 1;
    return 0;
}

void pithi_plot_row_bar(const struct pithi_plot *plot, uint32_t row, uint32_t level, double *top, double *height)
{
    /* a level that has a row of its own fills this row */
    pithi_plot_bar(plot->row_height, plot->rows[row].band ? 0 : level, top, height);
    *top += pithi_plot_row_top(plot, row);
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
    /* A lane lasts from its first to its last record. The drawn interval is cut at the plot's edges. */
    if (*left < plot->x)
        *left = plot->x;
    if (*right > plot->x + plot->width)
        *right = plot->x + plot->width;
    /* rows of levels and functions have no light band */
    if (pithi_row_is_below(&plot->rows[row]))
        *right = *left;
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

/* ---- The whole picture ------------------------------------------------------------------------------------------- */

int pithi_plot_is_separated(const struct pithi_plot *plot, uint32_t row)
{
    int32_t rank = pithlog_get_lane(plot->log, plot->rows[row].lane)->rank;
    /* A line between ranks helps only where rows are high enough to keep their bars. */
    return row && plot->row_height >= 8 && pithlog_get_lane(plot->log, plot->rows[row - 1].lane)->rank != rank;
}

/* Returns 1 if a row is painted as strips, as rows of single lanes are. The strips include the ground and everything
 * else in the row. */
static int has_strips(const struct pithi_plot *plot, const struct pithi_painter *painter, uint32_t row)
{
    return painter->strips && plot->cell_row[row] != PITHI_NONE && plot->rows[row].lane_count <= 1;
}

static void clip_rows(const struct pithi_plot *plot, const struct pithi_painter *painter)
{
    painter->clip(painter->context, plot->x, plot->y, plot->width, ceil(plot->row_count * plot->row_height));
}

void pithi_plot_draw_rows(const struct pithi_plot *plot, const struct pithi_painter *painter,
                          struct pithi_bar_sheet *sheet, uint32_t from, uint32_t to)
{
    unsigned char *hatched = NULL;
    double top, height, length;

    if (painter->ground) {
        /* Lays the ground above and below the rows, and for rows that are not painted as strips. */
        painter->ground(painter->context, 0, plot->y);
        for (uint32_t row = from; row < to; row++)
            if (!has_strips(plot, painter, row))
                painter->ground(painter->context, pithi_plot_row_top(plot, row),
                                pithi_plot_row_top(plot, row + 1) - pithi_plot_row_top(plot, row));
        painter->ground(painter->context, pithi_plot_row_top(plot, plot->row_count), PITHI_MAX_WIDTH);
    }
    clip_rows(plot, painter);
    for (uint32_t row = from; row < to; row++) {
        if (!has_strips(plot, painter, row) && pithi_plot_is_separated(plot, row))
            painter->rect(painter->context, plot->x, pithi_plot_row_top(plot, row), plot->width, 1, PITHI_RGB_GRID, 1);
        if (plot->rows[row].kind == PITHI_ROW_COUNTER)
            pithi_graph_draw(plot, painter, row);
    }
    pithi_bars_draw(plot, painter, sheet, from, to);
    /* `hatched` has for each row and column whether it is hatched; pithi_names_draw needs this for names on hatched
     * ground. */
    if ((plot->analysis && plot->waits) || plot->core_waits)
        hatched = pithi_alloc((size_t)(to - from) * plot->width, 1);
    pithi_waits_draw(plot, painter, from, to, hatched);
    pithi_core_waits_draw(plot, painter, from, to, hatched);
    pithi_names_draw(plot, painter, from, to, hatched);
    free(hatched);
    pithi_interruptions_draw(plot, painter, from, to);
    pithi_plot_bar(plot->row_height, 0, &top, &height);
    length = floor(height / 3 + 1);
    for (uint32_t row = from; row < to; row++) {
        /* Only the first row of a line of cells gets ticks: the rows of a lane's levels share them. */
        if (plot->cell_row[row] != PITHI_NONE && plot->plot_row[plot->cell_row[row]] == row && height >= 2) {
            const struct pithi_cells *cells = &plot->lines[plot->cell_row[row]];
            double y = pithi_plot_row_top(plot, row) + top + height - length;
            for (uint32_t i = 0; i < cells->tick_count; i++)
                painter->rect(painter->context, plot->x + cells->ticks[i].column, y, 1, length,
                              pithi_plot_rgb(plot, row)[cells->ticks[i].state], 1);
        }
    }
}

void pithi_plot_draw_over(const struct pithi_plot *plot, const struct pithi_painter *painter)
{
    clip_rows(plot, painter);
    pithi_arrows_draw(plot, painter);
    pithi_path_draw(plot, painter);
    /* Events are triangles where there is room, otherwise lines, because many triangles in low rows would hide the
     * states. */
    uint64_t count = 0;
    for (uint32_t line = 0; line < plot->cells.rows; line++)
        count += plot->lines[line].mark_count;
    /* Events are dense if rows are lower than 14 pixels, or if there is more than one event for 24 pixels of the width
     * of all rows together. 10 rows of 1200 pixels have room for 508 triangles. */
    int dense = plot->row_height < 14 || count > (uint64_t)plot->cells.rows * plot->width / 24 + 8;
    for (uint32_t line = 0; line < plot->cells.rows && plot->row_height >= 2; line++) {
        double y = pithi_plot_row_top(plot, plot->plot_row[line]);
        for (uint32_t i = 0; i < plot->lines[line].mark_count; i++) {
            const struct pithi_mark *mark = &plot->lines[line].marks[i];
            double x = plot->x + mark->column, size = plot->row_height * 0.16;
            double most = 5 * pithi_theme_scale();
            if (dense)
                painter->rect(painter->context, x, y, 1, floor(plot->row_height * 0.35) + 1, plot->rgb[mark->id], 1);
            else
                pithi_plot_mark(painter, x + 0.5, y + 2, size > most ? most : size, plot->rgb[mark->id]);
        }
    }
    pithi_bundle_numbers_draw(plot, painter);
    /* Makes everything outside of the selection paler. */
    if (plot->lit_from_ns < plot->lit_to_ns) {
        double width = plot->width, height = ceil(plot->row_count * plot->row_height);
        double from = fmin(fmax(round(pithi_plot_x(plot, plot->lit_from_ns) - plot->x), 0), width);
        double to = fmin(fmax(round(pithi_plot_x(plot, plot->lit_to_ns) - plot->x), 0), width);
        painter->rect(painter->context, plot->x, plot->y, from, height, PITHI_RGB_PAPER, PITHI_PALE);
        painter->rect(painter->context, plot->x + to, plot->y, width - to, height, PITHI_RGB_PAPER, PITHI_PALE);
    }
    pithi_notes_draw(plot, painter);
    painter->clip(painter->context, 0, 0, -1, -1);
}

void pithi_plot_draw(const struct pithi_plot *plot, const struct pithi_painter *painter)
{
    struct pithi_bar_sheet *sheet = painter->strips ? pithi_sheet_new(plot) : NULL;

    pithi_plot_draw_rows(plot, painter, sheet, 0, plot->row_count);
    pithi_plot_draw_over(plot, painter);
    pithi_sheet_free(sheet);
}

/* ---- Groups of low rows ------------------------------------------------------------------------------------------ */

/* Returns how many rows share a pixel: 4 rows of 0.3 pixels, because 3 rows are only 0.9 pixels high. 1e-9 is
 * subtracted so that 10 rows of 0.1 pixels do not become 11 if rounding makes 0.1 a little less. */
uint32_t pithi_groups_per(double row_height) { return row_height >= 1 ? 1 : (uint32_t)ceil(1 / row_height - 1e-9); }

void pithi_groups_make(const struct pithi_row *rows, uint32_t count, uint32_t per, struct pithi_groups *groups)
{
    uint32_t all = 0, of_row, *lanes;

    for (uint32_t row = 0; row < count; row++) {
        pithi_row_lanes(&rows[row], &of_row);
        all += of_row;
    }
    /* All groups share one array of lanes, so that there is only one thing to free. */
    lanes = groups->lanes = pithi_alloc(all, sizeof *lanes);
    groups->count = 0;
    groups->rows = pithi_alloc(count / per + 1, sizeof *groups->rows);
    for (uint32_t row = 0; row < count; row += per) {
        /* Rows of levels, functions and counters do not join a group. If a group would have only such rows, it consists
         * of its first row. */
        const struct pithi_row *of = rows + row;
        uint32_t taken = count - row < per ? count - row : per;
        struct pithi_row group = of[0];
        uint32_t lane_count = 0, more;
        for (uint32_t i = 0; i < taken; i++) {
            const uint32_t *its_lanes = pithi_row_lanes(&of[i], &more);
            if (!pithi_row_is_whole(&of[i]))
                continue;
            if (!lane_count)
                /* The group takes name and look from its first row that shows lanes, not from a row of levels before
                 * it. */
                group = of[i];
            memcpy(lanes + lane_count, its_lanes, more * sizeof *lanes);
            lane_count += more;
        }
        group.lanes = lane_count ? lanes : NULL;
        group.lane_count = lane_count;
        if (lane_count) {
            group.band = 0;
            group.lane = lanes[0];
        }
        lanes += group.lane_count;
        groups->rows[groups->count++] = group;
    }
}

void pithi_groups_free(struct pithi_groups *groups)
{
    free(groups->rows);
    free(groups->lanes);
    *groups = (struct pithi_groups){0};
}

uint32_t *pithi_rows_of_lanes(const struct pithlog *log, const struct pithi_row *rows, uint32_t count)
{
    uint32_t all = pithlog_get_info(log)->lanes, lanes, *row_of_lane = pithi_alloc(all, sizeof *row_of_lane);

    /* sets all entries to PITHI_NONE */
    memset(row_of_lane, 0xff, all * sizeof *row_of_lane);
    for (uint32_t row = 0; row < count; row++) {
        const uint32_t *of_row = pithi_row_lanes(&rows[row], &lanes);
        /* Arrows end at the row of the lane itself, not at one of its levels, functions or counters. */
        for (uint32_t i = 0; i < lanes && pithi_row_is_whole(&rows[row]); i++)
            row_of_lane[of_row[i]] = row;
    }
    return row_of_lane;
}

void pithi_row_life(const struct pithlog *log, const struct pithi_row *row, int64_t *first_ns, int64_t *last_ns)
{
    uint32_t count;
    const uint32_t *lanes = pithi_row_lanes(row, &count);

    *first_ns = INT64_MAX;
    *last_ns = INT64_MIN;
    for (uint32_t i = 0; i < count; i++) {
        const struct pithlog_lane *lane = pithlog_get_lane(log, lanes[i]);
        *first_ns = lane->first_ns < *first_ns ? lane->first_ns : *first_ns;
        *last_ns = lane->last_ns > *last_ns ? lane->last_ns : *last_ns;
    }
}

/* ---- Graphs of counters ------------------------------------------------------------------------------------------ */

struct pithi_graphs {
    uint32_t row_count;
    struct graph {
        double low, high;               /* low <= 0 <= high, so that the graph has a base line */
        struct pithlog_column *columns; /* [width]; NULL: no values */
    } rows[];
};

struct pithi_graphs *pithi_graphs_load(const struct pithi_plot *plot)
{
    struct pithi_graphs *graphs;

    if (!plot->digest || !plot->width || !pithlog_digest_get_info(plot->digest)->series)
        return NULL;
    /* rows[] is zero, so a row without a series has no columns */
    graphs = pithi_alloc(1, sizeof *graphs + plot->row_count * sizeof graphs->rows[0]);
    graphs->row_count = plot->row_count;
    for (uint32_t row = 0; row < plot->row_count; row++) {
        struct graph *graph = &graphs->rows[row];
        if (plot->rows[row].kind != PITHI_ROW_COUNTER)
            continue;
        /* Finds the counter's index among the digest's series (PITHI_NONE: it has no values). Series are sorted by
         * lane, then by counter. */
        uint32_t low = 0, high = pithlog_digest_get_info(plot->digest)->series;

        uint32_t index = PITHI_NONE;
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            const struct pithlog_series *series = pithlog_digest_series(plot->digest, middle);
            if (series->lane == plot->rows[row].lane && series->counter == plot->rows[row].counter) {
                index = middle;
                break;
            }
            if (series->lane < plot->rows[row].lane ||
                (series->lane == plot->rows[row].lane && series->counter < plot->rows[row].counter))
                low = middle + 1;
            else
                high = middle;
        }

        const struct pithlog_series *series = pithlog_digest_series(plot->digest, index);
        if (!series)
            continue;
        graph->low = series->low < 0 ? series->low : 0;
        graph->high = series->high > 0 ? series->high : 0;
        graph->columns = pithi_alloc(plot->width, sizeof *graph->columns);
        pithlog_digest_columns(plot->digest, index, plot->t0_ns, plot->t1_ns, graph->columns, plot->width);
    }
    return graphs;
}

void pithi_graphs_free(struct pithi_graphs *graphs)
{
    for (uint32_t row = 0; graphs && row < graphs->row_count; row++)
        free(graphs->rows[row].columns);
    free(graphs);
}

enum { SCALE_TEXT = 9, SCALE_AROUND = 3 }; /* pixels */

/* Writes a value with four digits: "2.815 s" for 2815123456 ns, "12.35 kB" for 12345 bytes, "2.815 G instructions". */
static void graph_text(double value, const char *unit, char *text, size_t size)
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
    int i = 0, is_bytes = strcmp(unit, "bytes") == 0;

    if (strcmp(unit, "ns") == 0 && fabs(value) < 9e18) {
        pithi_duration_text((int64_t)value, text, size);
        return;
    }
    double least = fabs(value) < 9999.5 ? 9999.5 : 999.95; /* 1234 has four digits and needs no letter */
    while (fabs(value) >= least && i < 6)
        value /= 1000, i++;
    snprintf(text, size, "%.4g%s%s%s%.40s", value, i || *unit ? " " : "", prefixes[i],
             i && *unit && !is_bytes ? " " : "", i && is_bytes ? "B" : unit);
}

/* Writes the values of the graph's upper and lower edge at its left end: both if the row has room for two lines,
 * otherwise only the upper one. Draws nothing if all values are 0, because then the graph has no height. */
static void draw_scale(const struct pithi_plot *plot, const struct pithi_painter *painter, uint32_t row, double top,
                       double height)
{
    const struct graph *graph = &plot->graphs->rows[row];
    const char *unit = pithlog_get_def(plot->log, plot->rows[row].counter)->format;
    double size = SCALE_TEXT * pithi_theme_scale(), around = SCALE_AROUND * pithi_theme_scale();
    struct pithi_font font = {.size = size, .rimmed = 1, .rim = pithi_theme()->paper};
    char text[80];

    if (!plot->names || !painter->text || height < size + around || !(graph->high > graph->low))
        return;
    /* "1" is the unit of a number without a unit */
    unit = strcmp(unit, "1") ? unit : "";
    graph_text(graph->high, unit, text, sizeof text);
    painter->text(painter->context, plot->x + around, top + ceil(size * 0.72) + 1, PITHI_LEFT, font,
                  pithi_theme()->text, text);
    if (height < 2 * (size + around))
        return;
    graph_text(graph->low, unit, text, sizeof text);
    painter->text(painter->context, plot->x + around, top + height - 2, PITHI_LEFT, font, pithi_theme()->text, text);
}

void pithi_graph_draw(const struct pithi_plot *plot, const struct pithi_painter *painter, uint32_t row)
{
    const struct graph *graph = plot->graphs ? &plot->graphs->rows[row] : NULL;
    double top, height, foot, scale;
    uint32_t rgb;

    if (!graph || !graph->columns || (plot->hidden && plot->hidden[plot->rows[row].counter]))
        return;
    rgb = plot->rgb[plot->rows[row].counter];
    pithi_plot_bar(plot->row_height, 0, &top, &height);
    foot = pithi_plot_row_top(plot, row) + top + height;
    /* Scales to one pixel less than the height, because a line of 1 pixel at the largest value must be inside the
     * row. */
    scale = (height - 1) / (graph->high > graph->low ? graph->high - graph->low : 1);
    for (uint32_t c = 0; c < plot->width; c++) {
        const struct pithlog_column *column = &graph->columns[c];
        /* The base line, from which the pale area reaches to the value: with values from -5 to 15 it lies a quarter of
         * the height above the foot. */
        double zero = foot - floor((0 - graph->low) * scale);
        double high = foot - floor((column->high - graph->low) * scale) - 1;
        double low = foot - floor((column->low - graph->low) * scale) - 1;
        if (!column->known)
            continue;
        painter->rect(painter->context, plot->x + c, high < zero ? high : zero, 1, fabs(zero - high), rgb, 0.3);
        /* The range of values within this pixel, as a line: a counter that jumps from 2 to 9 in it is a line from 2 to
         * 9. */
        painter->rect(painter->context, plot->x + c, high, 1, low - high + 1, rgb, 1);
    }
    draw_scale(plot, painter, row, pithi_plot_row_top(plot, row) + top, height);
}

/* ---- Interruptions ----------------------------------------------------------------------------------------------- */

/* Pixels between the lines of a hatching. */
enum { HATCH = 6 };

void pithi_interruptions_draw(const struct pithi_plot *plot, const struct pithi_painter *painter, uint32_t from,
                              uint32_t to)
{
    double top, height;

    pithi_plot_bar(plot->row_height, 0, &top, &height);
    for (uint32_t row = from; row < to && plot->row_height >= 2; row++) {
        uint32_t lane = plot->rows[row].lane;
        double y = top + pithi_plot_row_top(plot, row);
        if (!pithi_row_is_whole(&plot->rows[row]) || plot->rows[row].lane_count > 1)
            continue;
        /* Hatches columns whose records are missing. Adjacent columns are joined, so that one hatching runs through all
         * of them. */
        const struct pithi_cells *cells = &plot->lines[plot->cell_row[row]];
        for (uint32_t i = 0, end; i < cells->span_count; i = end) {
            end = i + 1;
            if (cells->spans[i].level != PITHI_MISSING)
                continue;
            while (end < cells->span_count && cells->spans[end].level == PITHI_MISSING &&
                   cells->spans[end].column == cells->spans[end - 1].column + 1)
                end++;
            pithi_hatch(painter, &(struct pithi_hatching){.x = plot->x + cells->spans[i].column,
                                                          .y = y,
                                                          .width = end - i,
                                                          .height = height,
                                                          .step = HATCH,
                                                          .phase = pithi_plot_x(plot, 0),
                                                          .lines = 2,
                                                          .ground = pithi_theme()->paper,
                                                          .rgb = pithi_theme()->alarm});
        }
        /* interruptions are sorted by lane */
        for (uint32_t i = plot->interruptions ? pithi_interruptions_of(plot->interruptions, lane) : 0;
             plot->interruptions && i < plot->interruptions->count && plot->interruptions->items[i].lane == lane; i++) {
            const struct pithi_interruption *interruption = &plot->interruptions->items[i];
            if (interruption->to_ns < plot->t0_ns || interruption->from_ns >= plot->t1_ns)
                continue;
            double left = fmax(floor(pithi_plot_x(plot, interruption->from_ns)), plot->x);
            double right = fmin(ceil(pithi_plot_x(plot, interruption->to_ns)), plot->x + plot->width);
            /* Lost records are known only at the moment where their number was recorded, so they get a mark of two
             * pixels there. A pause is hatched if it can be seen. */
            if (interruption->lost)
                painter->rect(painter->context, left, y, 2, height, pithi_theme()->alarm, 1);
            else if (right - left >= 2)
                pithi_hatch(painter, &(struct pithi_hatching){.x = left,
                                                              .y = y,
                                                              .width = right - left,
                                                              .height = height,
                                                              .step = HATCH,
                                                              .phase = pithi_plot_x(plot, 0),
                                                              .lines = 1,
                                                              .ground = pithi_theme()->idle,
                                                              .rgb = pithi_theme()->hidden});
        }
    }
}
