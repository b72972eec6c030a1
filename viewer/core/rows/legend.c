/* legend.c - makes the entries of the legend, draws the legend, labels rows and groups states. */
#include "core/rows/legend.h"

#include <ctype.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/scene/axis.h"
#include "core/rows/words.h"
#include "core/cells/memory.h"
#include "core/raster/palette.h"
#include "core/scene/plot.h"

struct sorted {
    struct pithi_legend_entry entry; /* what is shown */
    int is_event;                    /* events come after states */
};

/* States come before events. Among states or events, definitions with more time come first; with equal time,
 * definitions with more instances. If these are equal, too, the id decides, so that the order never depends on
 * qsort. */
static int by_weight(const void *a, const void *b)
{
    const struct sorted *x = a, *y = b;

    if (x->is_event != y->is_event)
        return x->is_event - y->is_event;
    if (x->entry.sum.self_ns != y->entry.sum.self_ns)
        return x->entry.sum.self_ns < y->entry.sum.self_ns ? 1 : -1;
    if (x->entry.sum.count != y->entry.sum.count)
        return x->entry.sum.count < y->entry.sum.count ? 1 : -1;
    return (x->entry.id > y->entry.id) - (x->entry.id < y->entry.id);
}

/* Returns the share of a time in the time of all lanes: 2 s in an interval of 1 s on 4 lanes are 50 %. */
double pithi_legend_share(const struct pithi_cells *cells, int64_t span_ns, int64_t time_ns)
{
    return (double)time_ns / ((double)span_ns * (cells->lanes ? cells->lanes : 1));
}

struct pithi_legend_entry *pithi_legend_make(const struct pithlog *log, const struct pithi_cells *cells,
                                             int64_t span_ns, uint32_t *count)
{
    struct sorted *all = pithi_alloc(cells->defs, sizeof *all);
    struct pithi_legend_entry *entries = pithi_alloc(cells->defs, sizeof *entries);

    *count = 0;
    /* Definitions that do not occur in the window are left out. */
    for (uint32_t id = 0; id < cells->defs; id++) {
        if (!cells->sums[id].count)
            continue;
        all[*count].is_event = pithlog_get_def(log, id)->kind != PITHLOG_STATE;
        all[*count].entry.id = id;
        all[*count].entry.sum = cells->sums[id];
        all[(*count)++].entry.share = pithi_legend_share(cells, span_ns, cells->sums[id].self_ns);
    }
    qsort(all, *count, sizeof *all, by_weight);
    for (uint32_t i = 0; i < *count; i++)
        entries[i] = all[i].entry;
    free(all);
    return entries;
}

char *pithi_def_label(const struct pithlog *log, uint32_t id, char *label, size_t size)
{
    return pithi_clean(label, size, pithlog_get_def(log, id)->name, 0);
}

void pithi_lane_label(const struct pithlog_lane *lane, char *label, size_t size)
{
    char place[48];

    if (lane->thread)
        snprintf(place, sizeof place, "%" PRId32 ".%" PRIu32, lane->rank, lane->thread);
    else
        snprintf(place, sizeof place, "rank %" PRId32, lane->rank);
    snprintf(label, size, "%s%s%s", place, lane->name[0] ? " " : "", lane->name);
}

void pithi_row_label(const struct pithlog *log, struct pithi_row row, char *label, size_t size)
{
    char raw[256];

    if (row.label) {
        snprintf(raw, sizeof raw, "%s", row.label);
    } else if (row.kind == PITHI_ROW_COUNTER) {
        const struct pithlog_def *def = pithlog_get_def(log, row.counter);
        /* "memory [bytes]", or the name alone if there is no unit */
        snprintf(raw, sizeof raw, def->format[0] ? "%s [%s]" : "%s", def->name, def->format);
    } else {
        const struct pithlog_lane *of = pithlog_get_lane(log, row.lane);
        const struct pithlog_lane *first = pithlog_get_lane(log, 0), *lane;

        /* the host's name is shown only if the log has several hosts */
        int hosts = 0;
        for (uint32_t i = 1; (lane = pithlog_get_lane(log, i)); i++)
            if (strcmp(lane->host, first->host) != 0) {
                hosts = 1;
                break;
            }

        pithi_lane_label(of, raw, sizeof raw);
        if (hosts)
            snprintf(raw + strlen(raw), sizeof raw - strlen(raw), "  %s", of->host);
    }
    pithi_clean(label, size, raw, 0);
}

void pithi_row_place(const struct pithlog *log, const struct pithi_row *row, char *text, size_t size)
{
    uint32_t count;
    const uint32_t *lanes = pithi_row_lanes(row, &count);
    const struct pithlog_lane *lane = pithlog_get_lane(log, lanes[0]);
    int32_t low = lane->rank, high = lane->rank;

    for (uint32_t i = 1; i < count; i++) {
        int32_t rank = pithlog_get_lane(log, lanes[i])->rank;
        /* "ranks 0 to 7": the least and the largest rank, as the lanes of a group need not be sorted by rank. */
        low = rank < low ? rank : low;
        high = rank > high ? rank : high;
    }
    if (low < high)
        snprintf(text, size, "ranks %" PRId32 " to %" PRId32, low, high);
    else if (count == 1 && lane->thread)
        snprintf(text, size, "rank %" PRId32 " thread %" PRIu32, low, lane->thread);
    else
        snprintf(text, size, "rank %" PRId32, low);
}

void pithi_number_text(uint64_t number, char *text, size_t size)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, number);
    size_t out = 0;

    /* A thin space (U+2009, three bytes) before each group of three: 1234567 becomes 1 234 567. */
    for (int i = 0; i < length && out + 5 < size; i++) {
        if (i && (length - i) % 3 == 0) {
            memcpy(text + out, "\xe2\x80\x89", 3);
            out += 3;
        }
        text[out++] = digits[i];
    }
    text[out] = 0;
}

/* ---- Drawing ----------------------------------------------------------------------------------------------------- */

enum { LINE = 19, SIGN = 16, SHARE = 52, SPACE = 24, LEAST = 60, WIDEST_LIST = 260 }; /* pixels */
/* The columns of a table: right-aligned numbers. */
enum { NUMBERS = 4, NUMBER_WIDTH = 92, NAME_WIDTH = 320, TABLE_MORE = 3 /* lines: heading, computing, messages */ };

static const struct pithi_font text_font = {.size = 11.5}, small_font = {.size = 11};

void pithi_text_in(const struct pithi_painter *painter, double x, double y, double width, struct pithi_font font,
                   uint32_t rgb, const char *text)
{
    /* Cuts names at 156 bytes before measuring them; no column is wide enough for more. */
    char cut[160];
    size_t length = strlen(text) < sizeof cut - 4 ? strlen(text) : sizeof cut - 4;

    memcpy(cut, text, length);
    cut[length] = 0;
    /* Cut at the end, a whole character at a time, until the text with its ellipsis (U+2026) fits. */
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

    /* the legend leaves out what the picture hides */
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

/* A list needs the width of its longest name, a sign and a share. This width has a limit, because otherwise a single
 * very long name could take the width of the picture. */
double pithi_legend_list_width(const struct pithlog *log, const struct pithi_painter *painter)
{
    double widest = LEAST;

    for (uint32_t id = 0; id < pithlog_get_info(log)->defs; id++)
        if (pithlog_get_def(log, id)->kind != PITHLOG_COUNTER_TYPE)
            widest = fmax(widest, name_width(log, painter, id) + SIGN + SHARE);
    return fmin(ceil(widest), WIDEST_LIST);
}

double pithi_legend_layout(struct pithi_legend_plan *plan, const struct pithi_painter *painter, uint32_t most)
{
    double widest = LEAST;
    uint32_t places;

    /* A table takes three lines of `most` for its heading, computing and the messages. If not all states fit, the last
     * line for states says how many are left out. */
    if (plan->table) {
        if (most <= TABLE_MORE) {
            plan->lines = plan->shown = 0;
            return 0;
        }
        plan->columns = 1;
        plan->shown = plan->count <= most - TABLE_MORE ? plan->count : most - TABLE_MORE - 1;
        plan->lines = plan->shown + (plan->shown < plan->count) + TABLE_MORE;
        return plan->lines * LINE;
    }
    /* A list has as many columns as fit with the longest name. 5 entries in 2 columns take 3 lines; if there are only 2
     * lines, there are 4 places, and the last of them says "and 2 more". */
    for (uint32_t i = 0; i < plan->count; i++)
        widest = fmax(widest, name_width(plan->log, painter, plan->entries[i].id) + SIGN + SHARE + SPACE);
    /* A column is at most half of the width, or 260 pixels, so that one long name leaves room for another column. */
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

static void share_text(double part, char *text, size_t size)
{
    double share = part * 100;

    /* The limits are where rounding would change the number of digits: 9.95 would become 10.0. */
    snprintf(text, size, share >= 9.95 ? "%.0f %%" : share >= 0.095 ? "%.1f %%" : "<0.1 %%", share);
}

static void draw_box(const struct pithi_painter *painter, uint32_t rgb, double x, double y)
{
    /* a darker edge separates pale colours from the paper */
    painter->rect(painter->context, x, y, 11, 11, pithi_rgb_darker(rgb, 0.25), 1);
    painter->rect(painter->context, x + 1, y + 1, 9, 9, rgb, 1);
}

static void draw_sign(const struct pithi_legend_plan *plan, const struct pithi_painter *painter,
                      const struct pithi_legend_entry *entry, double x, double y)
{
    uint32_t rgb = plan->rgb[entry->id];

    if (is_state(plan, entry))
        draw_box(painter, rgb, x, y);
    else
        pithi_plot_mark(painter, x + 5.5, y + 1, 4.5, rgb);
}

/* Draws the last place of a legend that does not show all entries. */
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
    /* The numbers come closer in a narrow picture, so that all four stay in it. */
    double step = fmin(NUMBER_WIDTH, (plan->x + plan->width - left) / NUMBERS);

    for (int i = 0; i < NUMBERS; i++)
        painter->text(painter->context, left + (i + 1) * step, y + 9.5, PITHI_RIGHT, small_font, rgb, texts[i]);
}

static void draw_table(const struct pithi_legend_plan *plan, const struct pithi_painter *painter)
{
    char head[NUMBERS][40] = {"count", "total", "self", "share"}, texts[NUMBERS][40] = {"", "", "", ""};
    char rest[NUMBERS][40] = {"", "", "", ""};
    double y = plan->y;

    draw_numbers(plan, painter, y, PITHI_RGB_FAINT, head);
    for (uint32_t i = 0; i < plan->shown; i++) {
        const struct pithi_legend_entry *entry = &plan->entries[i];
        char numbers[NUMBERS][40] = {"", "", "", ""}, name[128];
        y += LINE;
        draw_sign(plan, painter, entry, plan->x, y);
        pithi_def_label(plan->log, entry->id, name, sizeof name);
        pithi_text_in(painter, plan->x + 17, y + 9.5, table_name_width(plan), text_font, PITHI_RGB_TEXT, name);
        pithi_number_text(entry->sum.count, numbers[0], sizeof numbers[0]);
        if (is_state(plan, entry)) {
            pithi_duration_text(entry->sum.total_ns, numbers[1], sizeof numbers[1]);
            pithi_duration_text(entry->sum.self_ns, numbers[2], sizeof numbers[2]);
            share_text(entry->share, numbers[3], sizeof numbers[3]);
        }
        draw_numbers(plan, painter, y, PITHI_RGB_TEXT, numbers);
    }
    if (plan->shown < plan->count)
        draw_more(plan, painter, plan->x, y += LINE);
    y += LINE;
    draw_box(painter, PITHI_RGB_IDLE, plan->x, y);
    painter->text(painter->context, plan->x + 17, y + 9.5, PITHI_LEFT, text_font, PITHI_RGB_TEXT, "computing");
    pithi_duration_text(plan->computing_ns, rest[2], sizeof rest[2]);
    share_text(plan->computing_share, rest[3], sizeof rest[3]);
    draw_numbers(plan, painter, y, PITHI_RGB_TEXT, rest);
    y += LINE;
    /* a short piece of an arrow stands for messages */
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
        /* Entries go along the lines: with 2 columns, entry 2 begins the second line. */
        double width = plan->width / plan->columns, x = floor(plan->x + i % plan->columns * width);
        double y = plan->y + i / plan->columns * LINE;
        if (i == plan->shown) {
            draw_more(plan, painter, x, y);
            return;
        }
        const struct pithi_legend_entry *entry = &plan->entries[i];
        char text[64], name[128], number[40];
        /* The share is drawn directly after the name, so a cut name must leave room for the share. */
        double room = width - SIGN - SHARE;
        draw_sign(plan, painter, entry, x, y);
        pithi_def_label(plan->log, entry->id, name, sizeof name);
        pithi_text_in(painter, x + 17, y + 9.5, room, text_font, PITHI_RGB_TEXT, name);
        double used = fmin(painter->text_width(painter->context, text_font, name), room);
        if (is_state(plan, entry)) {
            share_text(entry->share, text, sizeof text);
        } else {
            pithi_number_text(entry->sum.count, number, sizeof number);
            snprintf(text, sizeof text, "\xc3\x97 %s", number);
        }
        painter->text(painter->context, x + 17 + used + 7, y + 9.5, PITHI_LEFT, small_font, PITHI_RGB_FAINT, text);
    }
}

/* ---- Groups of states -------------------------------------------------------------------------------------------- */

/* Groups by name: the first row that matches the name without MPI_, in lower case, decides. These are the groups that
 * the MPI wrappers write into logs. */
static const struct {
    const char *pattern, *group;
} rows[] = {
    {"file_*", "MPI file"},
    {"register_datarep*", "MPI file"},
    {"win_*", "MPI one-sided"},
    {"*put", "MPI one-sided"},
    {"get", "MPI one-sided"},
    {"rget", "MPI one-sided"},
    {"*accumulate", "MPI one-sided"},
    {"fetch_and_op", "MPI one-sided"},
    {"compare_and_swap", "MPI one-sided"},
    {"comm_*", "MPI communicator"},
    {"intercomm_*", "MPI communicator"},
    {"cart*", "MPI communicator"},
    {"*graph*", "MPI communicator"},
    {"dims_create", "MPI communicator"},
    {"topo_test", "MPI communicator"},
    {"group_*", "MPI group"},
    {"type_*", "MPI datatype"},
    {"*pack*", "MPI datatype"},
    {"t_*", "MPI tools"},
    {"wait*", "MPI wait"},
    {"test*", "MPI wait"},
    {"*send*", "MPI point-to-point"},
    {"*recv*", "MPI point-to-point"},
    {"*probe", "MPI point-to-point"},
    {"start*", "MPI point-to-point"},
    {"request_*", "MPI point-to-point"},
    {"cancel", "MPI point-to-point"},
    {"op_*", "MPI environment"},
    {"reduce_local", "MPI environment"},
    {"*barrier*", "MPI collective"},
    {"*bcast*", "MPI collective"},
    {"*reduce*", "MPI collective"},
    {"*gather*", "MPI collective"},
    {"*scatter*", "MPI collective"},
    {"*alltoall*", "MPI collective"},
    {"*scan*", "MPI collective"},
    {"*", "MPI environment"},
};

const char *pithi_state_group(const struct pithlog_def *def)
{
    const char *name = def->name;
    char small[64];
    size_t length = 0;
    int row = 0;

    /* Readers of formats without groups set only "MPI" or "user"; then the group is guessed from the name. */
    if (*def->group && strcmp(def->group, "MPI") != 0 && strcmp(def->group, "user") != 0)
        return def->group;
    /* The name in lower case without "MPI_" or "PMPI_", as PMPI_Send and MPI_Send are the same function; "" if it is
     * not an MPI function. */
    name += strncasecmp(name, "PMPI_", 5) == 0 ? 5 : strncasecmp(name, "MPI_", 4) == 0 ? 4 : strlen(name);
    for (; *name && length + 1 < sizeof small; name++)
        small[length++] = (char)tolower((unsigned char)*name);
    small[length] = 0;
    if (!*small)
        return *def->group ? def->group : "user";
    /* The last pattern matches every name, so the loop ends. */
    while (fnmatch(rows[row].pattern, small, 0) != 0)
        row++;
    return rows[row].group;
}
