/* figure.c - layout and drawing of a whole picture; see figure.h. */
#include "core/figure.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/axis.h"
#include "core/clean.h"
#include "core/palette.h"
#include "core/words.h"

enum { MARGIN = 16, TITLE_HEIGHT = 46, AXIS_HEIGHT = 30, LEGEND_LINE = 19, LEGEND_GAP = 10, LEGEND_LINES = 6 };
enum { LEAST_LABEL_SPACING = 12, TICK_SPACING = 90 };

static const struct pithi_font title_font = {16, 1}, text_font = {11.5, 0}, small_font = {11, 0};

/* ---- Layout ------------------------------------------------------------------------------------------------------ */

static double natural_row_height(uint32_t rows)
{
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
    for (uint32_t row = 0; row < figure->plot.row_count; row++) {
        pithi_row_label(figure->plot.log, figure->plot.rows[row], label, sizeof label);
        figure->label_width = fmax(figure->label_width, painter->text_width(painter->context, text_font, label));
    }
    figure->label_width = fmin(ceil(figure->label_width), floor(figure->width / 3));
}

static void legend_text(const struct pithi_figure *figure, const struct pithi_legend_entry *entry, char *text,
                        size_t size)
{
    char number[40];

    if (pithlog_get_def(figure->plot.log, entry->id)->kind == PITHLOG_STATE) {
        double share = entry->share * 100;
        snprintf(text, size, share >= 9.95 ? "%.0f %%" : share >= 0.095 ? "%.1f %%" : "<0.1 %%", share);
    } else {
        pithi_number_text(entry->sum.count, number, sizeof number);
        snprintf(text, size, "\xc3\x97 %s", number);
    }
}

/* Columns as wide as the widest entry; what does not fit on `most` lines is counted in the last place. */
static double layout_legend(struct pithi_figure *figure, const struct pithi_painter *painter, uint32_t most)
{
    double widest = 60;
    uint32_t lines, places;
    char name[128];

    for (uint32_t i = 0; i < figure->legend_count; i++) {
        pithi_def_label(figure->plot.log, figure->legend[i].id, name, sizeof name);
        widest = fmax(widest, painter->text_width(painter->context, text_font, name) + 16 + 52 + 24);
    }
    widest = fmin(widest, figure->width / 2);
    figure->legend_columns = (uint32_t)((figure->width - 2 * MARGIN) / widest);
    if (figure->legend_columns < 1)
        figure->legend_columns = 1;
    lines = (figure->legend_count + figure->legend_columns - 1) / figure->legend_columns;
    if (lines > most)
        lines = most;
    places = lines * figure->legend_columns;
    figure->legend_shown = figure->legend_count <= places ? figure->legend_count : places ? places - 1 : 0;
    figure->legend_lines = lines;
    return lines ? lines * LEGEND_LINE + LEGEND_GAP : 0;
}

/* The height of all but the rows. In a picture of given height the legend gives way until the rows have most of it. */
static double layout_rest(struct pithi_figure *figure, const struct pithi_painter *painter)
{
    double rest = 0, wanted = fmin(figure->plot.row_count * 12.0, figure->height * 0.4);

    for (uint32_t lines = LEGEND_LINES + 1; lines-- > 0;) {
        rest = TITLE_HEIGHT + AXIS_HEIGHT + layout_legend(figure, painter, lines) + MARGIN / 2;
        if (!figure->height || figure->height - rest >= wanted)
            break;
    }
    return rest;
}

static int load_plot(struct pithi_figure *figure)
{
    struct pithi_plot *plot = &figure->plot;
    int err;

    plot->x = MARGIN + figure->label_width + 10;
    plot->y = TITLE_HEIGHT;
    plot->width = (uint32_t)(figure->width - plot->x - MARGIN);
    err = pithi_plot_load(plot);
    if (!err || err == PITH_ERR_DAMAGED)
        figure->legend = pithi_legend_make(plot->log, &plot->cells, plot->t1_ns - plot->t0_ns, &figure->legend_count);
    return err;
}

int pithi_figure_load(struct pithi_figure *figure, const struct pithi_painter *painter)
{
    struct pithi_plot *plot = &figure->plot;
    double rest;
    int err, damaged;

    if (figure->width < PITHI_FIGURE_LEAST_WIDTH || (figure->height && figure->height < PITHI_FIGURE_LEAST_HEIGHT))
        return PITH_ERR_USAGE;
    measure_labels(figure, painter);
    err = load_plot(figure);
    damaged = err == PITH_ERR_DAMAGED ? err : PITH_OK;
    if (err && !damaged)
        return err;
    rest = layout_rest(figure, painter);
    plot->row_height = natural_row_height(plot->row_count);
    if (!figure->height)
        figure->height = ceil(rest + plot->row_height * plot->row_count);
    else if (plot->row_count)
        plot->row_height = (figure->height - rest) / plot->row_count;
    if (plot->row_height > 8)
        plot->row_height = floor(plot->row_height);
    if (figure->height > PITHI_FIGURE_MOST || figure->height < rest + 8)
        return PITH_ERR_USAGE;
    figure->axis_y = ceil(plot->y + plot->row_height * plot->row_count);
    figure->legend_y = figure->axis_y + AXIS_HEIGHT + LEGEND_GAP;
    return damaged;
}

void pithi_figure_free(struct pithi_figure *figure)
{
    pithi_plot_free(&figure->plot);
    free(figure->legend);
    figure->legend = NULL;
}

/* ---- Drawing ----------------------------------------------------------------------------------------------------- */

/* Text cut to a width, with an ellipsis. */
static void draw_text_in(const struct pithi_painter *painter, double x, double y, double width, struct pithi_font font,
                         uint32_t rgb, const char *text)
{
    char cut[160];
    size_t length = strlen(text) < sizeof cut - 4 ? strlen(text) : sizeof cut - 4;

    memcpy(cut, text, length);
    cut[length] = 0;
    while (length && painter->text_width(painter->context, font, cut) > width) {
        do
            length--;
        while (length && ((unsigned char)text[length] & 0xc0) == 0x80);
        memcpy(cut + length, "\xe2\x80\xa6", 4);
    }
    painter->text(painter->context, x, y, PITHI_LEFT, font, rgb, cut);
}

static void subtitle_text(const struct pithi_figure *figure, char *text, size_t size)
{
    const struct pithi_plot *plot = &figure->plot;
    const struct pithlog_info *info = pithlog_get_info(plot->log);
    char duration[32], from[32], to[32], window[96] = "", lanes[48] = "", records[40];
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
    snprintf(text, size, "%" PRIu32 " rank%s%s, %s records, %s%s", info->ranks, info->ranks == 1 ? "" : "s", lanes,
             records, duration, window);
}

static void draw_title(const struct pithi_figure *figure, const struct pithi_painter *painter)
{
    char text[256];
    double room = figure->width - 2 * MARGIN;

    pithi_clean(text, sizeof text, figure->title, 0);
    draw_text_in(painter, MARGIN, 21, room, title_font, PITHI_RGB_TEXT, text);
    subtitle_text(figure, text, sizeof text);
    draw_text_in(painter, MARGIN, 38, room, small_font, PITHI_RGB_FAINT, text);
}

static void draw_labels(const struct pithi_figure *figure, const struct pithi_painter *painter)
{
    const struct pithi_plot *plot = &figure->plot;
    uint32_t every = (uint32_t)ceil(LEAST_LABEL_SPACING / plot->row_height);
    char label[128];

    for (uint32_t row = 0; row < plot->row_count; row += every) {
        double top, height, y;
        pithi_plot_bar(plot->row_height, 0, &top, &height);
        y = fmax(plot->y + 9, floor(plot->y + row * plot->row_height + top + height / 2 + 4));
        pithi_row_label(plot->log, plot->rows[row], label, sizeof label);
        draw_text_in(painter, MARGIN, y, figure->label_width + 4, text_font,
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
    double y = figure->axis_y, right = plot->x + plot->width;

    painter->rect(painter->context, plot->x, y, plot->width, 1, PITHI_RGB_FAINT, 1);
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

static void draw_legend_entry(const struct pithi_figure *figure, const struct pithi_painter *painter,
                              const struct pithi_legend_entry *entry, double x, double y, double width)
{
    uint32_t rgb = figure->plot.rgb[entry->id];
    char text[64], name[128];
    double room = width - 16 - 52 - 20, used;

    if (pithlog_get_def(figure->plot.log, entry->id)->kind == PITHLOG_STATE) {
        painter->rect(painter->context, x, y, 11, 11, pithi_rgb_darker(rgb, 0.25), 1);
        painter->rect(painter->context, x + 1, y + 1, 9, 9, rgb, 1);
    } else {
        pithi_plot_mark(painter, x + 5.5, y + 1, 4.5, rgb);
    }
    pithi_def_label(figure->plot.log, entry->id, name, sizeof name);
    draw_text_in(painter, x + 17, y + 9.5, room, text_font, PITHI_RGB_TEXT, name);
    used = fmin(painter->text_width(painter->context, text_font, name), room);
    legend_text(figure, entry, text, sizeof text);
    painter->text(painter->context, x + 17 + used + 7, y + 9.5, PITHI_LEFT, small_font, PITHI_RGB_FAINT, text);
}

static void draw_legend(const struct pithi_figure *figure, const struct pithi_painter *painter)
{
    double width = (figure->width - 2 * MARGIN) / figure->legend_columns;
    char text[48];

    for (uint32_t i = 0; figure->legend_lines && i <= figure->legend_shown && i < figure->legend_count; i++) {
        double x = floor(MARGIN + i % figure->legend_columns * width);
        double y = figure->legend_y + i / figure->legend_columns * LEGEND_LINE;
        if (i < figure->legend_shown) {
            draw_legend_entry(figure, painter, &figure->legend[i], x, y, width);
            continue;
        }
        snprintf(text, sizeof text, "and %" PRIu32 " more", figure->legend_count - figure->legend_shown);
        painter->text(painter->context, x + 17, y + 9.5, PITHI_LEFT, text_font, PITHI_RGB_FAINT, text);
    }
}

void pithi_figure_draw(const struct pithi_figure *figure, const struct pithi_painter *painter)
{
    struct pithi_axis axis;

    pithi_axis_make(figure->plot.t0_ns, figure->plot.t1_ns, figure->plot.width, TICK_SPACING, &axis);
    painter->rect(painter->context, 0, 0, figure->width, figure->height, PITHI_RGB_PAPER, 1);
    draw_title(figure, painter);
    draw_labels(figure, painter);
    draw_grid(figure, painter, &axis);
    pithi_plot_draw(&figure->plot, painter);
    draw_axis(figure, painter, &axis);
    draw_legend(figure, painter);
}
