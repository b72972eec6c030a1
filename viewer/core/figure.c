/* figure.c - layout and drawing of a whole picture; see figure.h. */
#include "core/figure.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/axis.h"
#include "core/clean.h"
#include "core/lens.h"
#include "core/palette.h"
#include "core/words.h"

enum { MARGIN = 16, TITLE_HEIGHT = 46, AXIS_HEIGHT = 30, LEGEND_GAP = 10, BESIDE_GAP = 20 };
enum { LEGEND_LINES = 6, TABLE_LINES = 40, LIST_LINES = 24, LIST_LINE = 19 };
enum { LEAST_LABEL_SPACING = 12, TICK_SPACING = 90 };

static const struct pithi_font title_font = {16, 1}, text_font = {11.5, 0}, small_font = {11, 0};

/* ---- Layout ------------------------------------------------------------------------------------------------------ */

/* Of very many rows, all together. */
enum { MOST_NATURAL = 2000 };

static double natural_row_height(uint32_t rows)
{
    if (rows > MOST_NATURAL / 2)
        return (double)MOST_NATURAL / rows;
    if (rows <= 12)
        return 30;
    if (rows <= 24)
        return 24;
    if (rows <= 64)
        return 16;
    return rows <= 128 ? 10 : rows <= 400 ? 4 : 2;
}

static void measure_labels(struct pithi_figure *figure, const struct pithi_painter *painter)
{
    char label[128];

    figure->label_width = 0;
    for (uint32_t row = 0; row < figure->row_count; row++) {
        pithi_row_label(figure->plot.log, figure->rows[row], label, sizeof label);
        figure->label_width = fmax(figure->label_width, painter->text_width(painter->context, text_font, label));
    }
    figure->label_width = fmin(ceil(figure->label_width), floor(figure->width / 3));
}

static struct pithi_legend_plan plan_of(const struct pithi_figure *figure)
{
    return (struct pithi_legend_plan){.log = figure->plot.log,
                                      .rgb = figure->plot.rgb,
                                      .entries = figure->legend,
                                      .count = figure->legend_count,
                                      .x = MARGIN,
                                      .width = figure->width - 2 * MARGIN};
}

/* The height of all but the rows. In a picture of given height the legend gives way until the rows have most of it. */
static double layout_rest(struct pithi_figure *figure, const struct pithi_painter *painter)
{
    double rest = TITLE_HEIGHT + pithi_figure_ranges_room(&figure->ranges) + AXIS_HEIGHT + MARGIN / 2, legend = 0;
    double wanted = fmin(figure->row_count * 12.0, figure->height * 0.4);

    figure->below = plan_of(figure);
    figure->below.table = figure->stats;
    figure->below.messages = figure->plot.arrows.total;
    if (!figure->stats && figure->place != PITHI_LEGEND_BOTTOM)
        return rest;
    for (uint32_t lines = (figure->stats ? TABLE_LINES : LEGEND_LINES) + 1; lines-- > 0;) {
        legend = pithi_legend_layout(&figure->below, painter, lines);
        legend += legend > 0 ? LEGEND_GAP : 0;
        if (!figure->height || figure->height - rest - legend >= wanted)
            break;
    }
    return rest + legend;
}

/* A list beside the rows, as long as there is room for it. Returns the height that the rows should have for it. */
static double layout_beside(struct pithi_figure *figure, const struct pithi_painter *painter, double room)
{
    if (figure->place != PITHI_LEGEND_RIGHT)
        return 0;
    figure->beside = plan_of(figure);
    figure->beside.x = figure->plot.x + figure->plot_width + BESIDE_GAP;
    figure->beside.y = figure->plot.y;
    figure->beside.width = figure->width - figure->beside.x;
    return pithi_legend_layout(&figure->beside, painter, room > 0 ? (uint32_t)(room / LIST_LINE) : LIST_LINES);
}

static int load_plot(struct pithi_figure *figure, const struct pithi_painter *painter)
{
    struct pithi_plot *plot = &figure->plot;
    double beside = figure->place == PITHI_LEGEND_RIGHT ? pithi_legend_list_width(plot->log, painter) + BESIDE_GAP : 0;
    int err;

    plot->x = MARGIN + figure->label_width + 10;
    plot->y = TITLE_HEIGHT;
    figure->plot_width = floor(fmax(figure->width - plot->x - MARGIN - beside, 40));
    plot->width =
        figure->columns && figure->columns < figure->plot_width ? figure->columns : (uint32_t)figure->plot_width;
    err = pithi_plot_load(plot);
    if (err && err != PITH_ERR_DAMAGED)
        return err;
    if (figure->no_arrows)
        plot->arrows.count = plot->arrows.bundle_count = 0;
    figure->legend = pithi_legend_make(plot->log, &plot->cells, plot->t1_ns - plot->t0_ns, &figure->legend_count);
    figure->legend_count = pithi_legend_shown(figure->legend, figure->legend_count, plot->hidden);
    pithi_figure_ranges_load(&figure->ranges, plot); /* of what is damaged the plot has told */
    return err;
}

/* Heights of rows and picture, whichever was not given; `rest` is the height of all else. */
static void layout_rows(struct pithi_figure *figure, const struct pithi_painter *painter, double rest)
{
    struct pithi_plot *plot = &figure->plot;
    double room, foot = 0;

    plot->row_height = figure->row_height > 0 ? figure->row_height : natural_row_height(figure->row_count);
    room = plot->row_height * figure->row_count;
    if (figure->height) {
        room = figure->height - rest;
        layout_beside(figure, painter, fmax(room + AXIS_HEIGHT, LIST_LINE));
        if (figure->row_count && figure->row_height <= 0)
            plot->row_height = room / figure->row_count;
    } else {
        room = fmax(room, layout_beside(figure, painter, 0) - AXIS_HEIGHT);
        figure->height = ceil(rest + room);
        foot = ceil(plot->y + room);
    }
    if (plot->row_height > 8)
        plot->row_height = floor(plot->row_height);
    if (plot->row_count)
        plot->row_height *= (double)figure->row_count / plot->row_count;
    figure->ranges_y = ceil(plot->y + plot->row_height * plot->row_count);
    figure->axis_y = figure->ranges_y + pithi_figure_ranges_room(&figure->ranges);
    figure->below.y = fmax(figure->axis_y, foot) + AXIS_HEIGHT + LEGEND_GAP;
}

/* The plot's rows: those given, or several as one. */
static void set_rows(struct pithi_figure *figure, uint32_t per)
{
    pithi_groups_free(&figure->groups);
    figure->per = per;
    figure->plot.rows = figure->rows;
    figure->plot.row_count = figure->row_count;
    if (per == 1)
        return;
    pithi_groups_make(figure->rows, figure->row_count, per, &figure->groups);
    figure->plot.rows = figure->groups.rows;
    figure->plot.row_count = figure->groups.count;
}

/* How many rows have to be one at least, before the legend is known, which takes more of the room. */
static uint32_t least_per(const struct pithi_figure *figure)
{
    double height = figure->row_height > 0 ? figure->row_height : natural_row_height(figure->row_count);

    if (figure->height && figure->row_count && figure->row_height <= 0)
        height = fmax(figure->height - TITLE_HEIGHT - AXIS_HEIGHT, 1) / figure->row_count;
    return pithi_groups_per(height) > figure->per ? pithi_groups_per(height) : figure->per;
}

/* Lays out and asks the log, with *per rows as one, which becomes what it should have been. */
static int load_rows(struct pithi_figure *figure, const struct pithi_painter *painter, uint32_t *per, double *rest)
{
    double height;
    int err;

    set_rows(figure, *per);
    err = load_plot(figure, painter);
    if (err && err != PITH_ERR_DAMAGED)
        return err;
    *rest = layout_rest(figure, painter);
    layout_rows(figure, painter, *rest);
    height = figure->plot.row_height * figure->plot.row_count / fmax(figure->row_count, 1);
    if (height > 0 && pithi_groups_per(height) > *per)
        *per = pithi_groups_per(height);
    return err;
}

int pithi_figure_load(struct pithi_figure *figure, const struct pithi_painter *painter)
{
    struct pithi_figure start;
    double rest;
    uint32_t per;
    int err;

    if (figure->width < PITHI_FIGURE_LEAST_WIDTH || (figure->height && figure->height < PITHI_FIGURE_LEAST_HEIGHT))
        return PITH_ERR_USAGE;
    figure->rows = figure->plot.rows;
    figure->row_count = figure->plot.row_count;
    measure_labels(figure, painter);
    start = *figure;
    per = least_per(figure);
    err = load_rows(figure, painter, &per, &rest);
    if ((!err || err == PITH_ERR_DAMAGED) && per > figure->per) {
        pithi_figure_free(figure);
        *figure = start;
        err = load_rows(figure, painter, &per, &rest);
    }
    if (err && err != PITH_ERR_DAMAGED)
        return err;
    if (figure->height > PITHI_FIGURE_MOST || figure->height < rest + 8 ||
        figure->ranges_y > figure->height - rest + TITLE_HEIGHT + 1)
        return PITH_ERR_USAGE;
    return err;
}

void pithi_figure_free(struct pithi_figure *figure)
{
    pithi_plot_free(&figure->plot);
    pithi_figure_ranges_free(&figure->ranges);
    pithi_groups_free(&figure->groups);
    free(figure->legend);
    figure->legend = NULL;
    if (figure->rows) {
        figure->plot.rows = figure->rows;
        figure->plot.row_count = figure->row_count;
    }
}

/* ---- Drawing ----------------------------------------------------------------------------------------------------- */

void pithi_figure_subtitle(const struct pithi_figure *figure, char *text, size_t size)
{
    const struct pithi_plot *plot = &figure->plot;
    const struct pithlog_info *info = pithlog_get_info(plot->log);
    char duration[32], from[32], to[32], window[96] = "", lanes[48] = "", groups[40] = "", records[40];
    int64_t span = plot->t1_ns - plot->t0_ns, from_ns, to_ns;

    pithi_whole_window(plot->log, &from_ns, &to_ns);
    pithi_duration_text(to_ns - from_ns - 1, duration, sizeof duration);
    pithi_number_text(info->records, records, sizeof records);
    if (span < to_ns - from_ns - 1) {
        pithi_time_text(plot->t0_ns, span / 1000, from, sizeof from);
        pithi_time_text(plot->t1_ns, span / 1000, to, sizeof to);
        snprintf(window, sizeof window, ", shown from %s to %s", from, to);
    }
    if (info->lanes != info->ranks)
        snprintf(lanes, sizeof lanes, ", %" PRIu32 " threads", info->lanes);
    if (figure->per > 1)
        snprintf(groups, sizeof groups, ", %" PRIu32 " lanes a row", figure->per);
    snprintf(text, size, "%" PRIu32 " rank%s%s, %s records, %s%s%s", info->ranks, info->ranks == 1 ? "" : "s", lanes,
             records, duration, window, groups);
}

static void draw_title(const struct pithi_figure *figure, const struct pithi_painter *painter)
{
    char text[256];
    double room = figure->width - 2 * MARGIN;

    pithi_clean(text, sizeof text, figure->title, 0);
    pithi_text_in(painter, MARGIN, 21, room, title_font, PITHI_RGB_TEXT, text);
    pithi_figure_subtitle(figure, text, sizeof text);
    pithi_text_in(painter, MARGIN, 38, room, small_font, PITHI_RGB_FAINT, text);
}

static void draw_labels(const struct pithi_figure *figure, const struct pithi_painter *painter)
{
    const struct pithi_plot *plot = &figure->plot;
    uint32_t every = (uint32_t)ceil(LEAST_LABEL_SPACING / plot->row_height);
    double top, height, y, last_y = -INFINITY;
    char label[128];

    pithi_plot_bar(plot->row_height, 0, &top, &height);
    for (uint32_t row = 0; row < plot->row_count; row += every) {
        y = fmax(plot->y + 9, floor(plot->y + row * plot->row_height + top + height / 2 + 4));
        if (y - last_y < LEAST_LABEL_SPACING - 2)
            continue;
        last_y = y;
        pithi_row_label(plot->log, plot->rows[row], label, sizeof label);
        pithi_text_in(painter, MARGIN, y, figure->label_width + 4, text_font,
                      plot->rows[row].counter == PITHI_NONE ? PITHI_RGB_TEXT : PITHI_RGB_FAINT, label);
    }
}

static void draw_grid(const struct pithi_figure *figure, const struct pithi_painter *painter,
                      const struct pithi_axis *axis)
{
    const struct pithi_plot *plot = &figure->plot;

    for (uint32_t i = 0; i < axis->count; i++)
        painter->rect(painter->context, floor(plot->x + axis->ticks[i].x), plot->y - 4, 1, figure->axis_y - plot->y + 4,
                      PITHI_RGB_GRID, 1);
}

static void draw_axis(const struct pithi_figure *figure, const struct pithi_painter *painter,
                      const struct pithi_axis *axis)
{
    const struct pithi_plot *plot = &figure->plot;
    double y = figure->axis_y, right = plot->x + figure->plot_width;

    painter->rect(painter->context, plot->x, y, figure->plot_width, 1, PITHI_RGB_FAINT, 1);
    for (uint32_t i = 0; i < axis->count; i++) {
        double x = floor(plot->x + axis->ticks[i].x);
        double half = painter->text_width(painter->context, small_font, axis->ticks[i].label) / 2;
        painter->rect(painter->context, x, y, 1, 5, PITHI_RGB_FAINT, 1);
        if (x + half <= right + MARGIN - 2)
            painter->text(painter->context, x, y + 18, PITHI_CENTRE, small_font, PITHI_RGB_FAINT, axis->ticks[i].label);
    }
    if (axis->base[0])
        painter->text(painter->context, MARGIN, y + 18, PITHI_LEFT, small_font, PITHI_RGB_FAINT, axis->base);
}

/* Columns may be wider than a pixel: the plot is drawn narrow and stretched. */
static void draw_plot(const struct pithi_figure *figure, const struct pithi_painter *painter)
{
    const struct pithi_plot *plot = &figure->plot;
    struct pithi_lens lens = {.behind = painter, .left = plot->x, .by = figure->plot_width / plot->width};
    struct pithi_painter stretched = pithi_lens_begin(&lens);

    pithi_plot_draw(plot, plot->width == figure->plot_width ? painter : &stretched);
}

void pithi_figure_draw(const struct pithi_figure *figure, const struct pithi_painter *painter)
{
    struct pithi_axis axis;

    pithi_axis_make(figure->plot.t0_ns, figure->plot.t1_ns, figure->plot_width, TICK_SPACING, &axis);
    painter->rect(painter->context, 0, 0, figure->width, figure->height, PITHI_RGB_PAPER, 1);
    draw_title(figure, painter);
    draw_labels(figure, painter);
    draw_grid(figure, painter, &axis);
    draw_plot(figure, painter);
    pithi_figure_ranges_draw(&figure->ranges, &figure->plot, MARGIN, figure->ranges_y, figure->plot_width, painter);
    draw_axis(figure, painter, &axis);
    pithi_legend_draw(&figure->below, painter);
    pithi_legend_draw(&figure->beside, painter);
}
