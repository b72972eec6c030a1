/* legend_draw.c - the legend of a picture; see legend_draw.h. */
#include "core/legend_draw.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/axis.h"
#include "core/palette.h"
#include "core/plot.h"

enum { LINE = 19, SIGN = 16, SHARE = 52, SPACE = 24, LEAST = 60, WIDEST_LIST = 260 };
/* Of a table: a number each, right-aligned. */
enum { NUMBERS = 4, NUMBER_WIDTH = 92, NAME_WIDTH = 320, TABLE_MORE = 2 /* lines: head, messages */ };

static const struct pithi_font text_font = {11.5, 0}, small_font = {11, 0};

void pithi_text_in(const struct pithi_painter *painter, double x, double y, double width, struct pithi_font font,
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

uint32_t pithi_legend_shown(struct pithi_legend_entry *entries, uint32_t count, const unsigned char *hidden)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++)
        if (!hidden || !hidden[entries[i].id])
            entries[kept++] = entries[i];
    return kept;
}

/* ---- Layout ------------------------------------------------------------------------------------------------------ */

static double name_width(const struct pithlog *log, const struct pithi_painter *painter, uint32_t id)
{
    char name[128];

    pithi_def_label(log, id, name, sizeof name);
    return painter->text_width(painter->context, text_font, name);
}

double pithi_legend_list_width(const struct pithlog *log, const struct pithi_painter *painter)
{
    double widest = LEAST;

    for (uint32_t id = 0; id < pithlog_get_info(log)->defs; id++)
        if (pithlog_get_def(log, id)->kind != PITHLOG_COUNTER_TYPE)
            widest = fmax(widest, name_width(log, painter, id) + SIGN + SHARE);
    return fmin(ceil(widest), WIDEST_LIST);
}

static double layout_table(struct pithi_legend_plan *plan, uint32_t most)
{
    if (most <= TABLE_MORE) {
        plan->lines = plan->shown = 0;
        return 0;
    }
    plan->columns = 1;
    plan->shown = plan->count <= most - TABLE_MORE ? plan->count : most - TABLE_MORE - 1;
    plan->lines = plan->shown + (plan->shown < plan->count) + TABLE_MORE;
    return plan->lines * LINE;
}

double pithi_legend_layout(struct pithi_legend_plan *plan, const struct pithi_painter *painter, uint32_t most)
{
    double widest = LEAST;
    uint32_t places;

    if (plan->table)
        return layout_table(plan, most);
    for (uint32_t i = 0; i < plan->count; i++)
        widest = fmax(widest, name_width(plan->log, painter, plan->entries[i].id) + SIGN + SHARE + SPACE);
    widest = fmin(widest, fmax(plan->width / 2, WIDEST_LIST));
    plan->columns = plan->width > widest ? (uint32_t)(plan->width / widest) : 1;
    plan->lines = (plan->count + plan->columns - 1) / plan->columns;
    if (plan->lines > most)
        plan->lines = most;
    places = plan->lines * plan->columns;
    plan->shown = plan->count <= places ? plan->count : places ? places - 1 : 0;
    return plan->lines * LINE;
}

/* ---- Drawing ----------------------------------------------------------------------------------------------------- */

static int is_state(const struct pithi_legend_plan *plan, const struct pithi_legend_entry *entry)
{
    return pithlog_get_def(plan->log, entry->id)->kind == PITHLOG_STATE;
}

static void share_text(const struct pithi_legend_entry *entry, char *text, size_t size)
{
    double share = entry->share * 100;

    snprintf(text, size, share >= 9.95 ? "%.0f %%" : share >= 0.095 ? "%.1f %%" : "<0.1 %%", share);
}

static void draw_sign(const struct pithi_legend_plan *plan, const struct pithi_painter *painter,
                      const struct pithi_legend_entry *entry, double x, double y)
{
    uint32_t rgb = plan->rgb[entry->id];

    if (!is_state(plan, entry)) {
        pithi_plot_mark(painter, x + 5.5, y + 1, 4.5, rgb);
        return;
    }
    painter->rect(painter->context, x, y, 11, 11, pithi_rgb_darker(rgb, 0.25), 1);
    painter->rect(painter->context, x + 1, y + 1, 9, 9, rgb, 1);
}

static void draw_entry(const struct pithi_legend_plan *plan, const struct pithi_painter *painter,
                       const struct pithi_legend_entry *entry, double x, double y, double width)
{
    char text[64], name[128], number[40];
    double room = width - SIGN - SHARE, used;

    draw_sign(plan, painter, entry, x, y);
    pithi_def_label(plan->log, entry->id, name, sizeof name);
    pithi_text_in(painter, x + 17, y + 9.5, room, text_font, PITHI_RGB_TEXT, name);
    used = fmin(painter->text_width(painter->context, text_font, name), room);
    if (is_state(plan, entry)) {
        share_text(entry, text, sizeof text);
    } else {
        pithi_number_text(entry->sum.count, number, sizeof number);
        snprintf(text, sizeof text, "\xc3\x97 %s", number);
    }
    painter->text(painter->context, x + 17 + used + 7, y + 9.5, PITHI_LEFT, small_font, PITHI_RGB_FAINT, text);
}

static void draw_more(const struct pithi_legend_plan *plan, const struct pithi_painter *painter, double x, double y)
{
    char text[48];

    snprintf(text, sizeof text, "and %" PRIu32 " more", plan->count - plan->shown);
    painter->text(painter->context, x + 17, y + 9.5, PITHI_LEFT, text_font, PITHI_RGB_FAINT, text);
}

static double table_name_width(const struct pithi_legend_plan *plan)
{
    return fmin(NAME_WIDTH, fmax(LEAST, plan->width - SIGN - NUMBERS * NUMBER_WIDTH));
}

static void draw_numbers(const struct pithi_legend_plan *plan, const struct pithi_painter *painter, double y,
                         uint32_t rgb, char texts[NUMBERS][40])
{
    double left = plan->x + SIGN + table_name_width(plan);
    double step = fmin(NUMBER_WIDTH, (plan->x + plan->width - left) / NUMBERS);

    for (int i = 0; i < NUMBERS; i++)
        painter->text(painter->context, left + (i + 1) * step, y + 9.5, PITHI_RIGHT, small_font, rgb, texts[i]);
}

static void draw_table_line(const struct pithi_legend_plan *plan, const struct pithi_painter *painter,
                            const struct pithi_legend_entry *entry, double y)
{
    char texts[NUMBERS][40] = {"", "", "", ""}, name[128];

    draw_sign(plan, painter, entry, plan->x, y);
    pithi_def_label(plan->log, entry->id, name, sizeof name);
    pithi_text_in(painter, plan->x + 17, y + 9.5, table_name_width(plan), text_font, PITHI_RGB_TEXT, name);
    pithi_number_text(entry->sum.count, texts[0], sizeof texts[0]);
    if (is_state(plan, entry)) {
        pithi_duration_text(entry->sum.inclusive_ns, texts[1], sizeof texts[1]);
        pithi_duration_text(entry->sum.exclusive_ns, texts[2], sizeof texts[2]);
        share_text(entry, texts[3], sizeof texts[3]);
    }
    draw_numbers(plan, painter, y, PITHI_RGB_TEXT, texts);
}

static void draw_table(const struct pithi_legend_plan *plan, const struct pithi_painter *painter)
{
    char head[NUMBERS][40] = {"count", "inclusive", "exclusive", "share"}, texts[NUMBERS][40] = {"", "", "", ""};
    double y = plan->y;

    draw_numbers(plan, painter, y, PITHI_RGB_FAINT, head);
    for (uint32_t i = 0; i < plan->shown; i++)
        draw_table_line(plan, painter, &plan->entries[i], y += LINE);
    if (plan->shown < plan->count)
        draw_more(plan, painter, plan->x, y += LINE);
    y += LINE;
    painter->line(painter->context, plan->x, y + 5.5, plan->x + 11, y + 5.5, PITHI_RGB_ARROW, 1);
    painter->text(painter->context, plan->x + 17, y + 9.5, PITHI_LEFT, text_font, PITHI_RGB_TEXT, "messages");
    pithi_number_text(plan->messages, texts[0], sizeof texts[0]);
    draw_numbers(plan, painter, y, PITHI_RGB_TEXT, texts);
}

void pithi_legend_draw(const struct pithi_legend_plan *plan, const struct pithi_painter *painter)
{
    if (!plan->lines)
        return;
    if (plan->table) {
        draw_table(plan, painter);
        return;
    }
    for (uint32_t i = 0; i <= plan->shown && i < plan->count; i++) {
        double width = plan->width / plan->columns, x = floor(plan->x + i % plan->columns * width);
        double y = plan->y + i / plan->columns * LINE;
        if (i < plan->shown)
            draw_entry(plan, painter, &plan->entries[i], x, y, width);
        else
            draw_more(plan, painter, x, y);
    }
}
