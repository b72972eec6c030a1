/* waiting.c - draws and sums wait states, the critical path, and the time without a core.
 *
 * All three are lists of intervals in order of time. A picture needs, for each column, the fraction that the intervals
 * cover. A column of a long run may have a million intervals. Then 8 intervals stand for all:
 *
 *     100 intervals in a column: the intervals 0, 13 ... 91 are taken; the first seven count 13 times, the last 9 times
 *
 * So the time for a picture depends on its width only. The picture only shows whether at least half of a column waits,
 * and 8 evenly chosen intervals are enough for that. */
#include "core/scene/waiting.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/scene/axis.h"
#include "core/rows/legend.h"
#include "core/cells/memory.h"
#include "core/raster/palette.h"

/* ---- Fractions of columns that intervals cover ------------------------------------------------------------------- */

/* How many items are looked at in a column. If a column has more, an evenly spaced selection of them is looked at,
 * so that the time for a picture does not grow with the log. */
enum { COLUMN_MOST = 8 };

/* Items that are ordered by time and do not overlap: structs of any type with two times, int64_t. */
struct spans {
    int64_t t0_ns, t1_ns; /* the window */
    uint32_t width;       /* number of columns of the window */
    const char *items;
    size_t count, size;
    size_t from, to; /* offsets of the times in an item */
};

/* Returns one of the two times of an item, at offset `place`. */
static int64_t time_of(const struct spans *spans, size_t at, size_t place)
{
    int64_t time_ns;

    memcpy(&time_ns, spans->items + at * spans->size + place, sizeof time_ns);
    return time_ns;
}

/* Returns the first item from `low` on whose time is at least `time_ns`. This item is mostly near, so the first steps
 * are small. */
static size_t first_at(const struct spans *spans, size_t low, size_t place, double time_ns)
{
    size_t high = low, step = 1;

    /* Steps of 1, 2, 4 ...: an item that is 100 away takes 7 steps and then a search among 64. */
    while (high < spans->count && (double)time_of(spans, high, place) < time_ns) {
        low = high + 1;
        high += step;
        step *= 2;
    }
    high = high < spans->count ? high : spans->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((double)time_of(spans, middle, place) < time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Calls `add` for each column that an item overlaps; `part` is the fraction of the column that the item covers. */
static void spans_columns(const struct spans *spans,
                          void (*add)(void *context, size_t item, uint32_t column, double part), void *context)
{
    double t0 = (double)spans->t0_ns, column_ns = ((double)spans->t1_ns - t0) / spans->width;
    size_t at = first_at(spans, 0, spans->to, t0 + 1);

    while (at < spans->count && time_of(spans, at, spans->from) < spans->t1_ns) {
        double from = fmax(((double)time_of(spans, at, spans->from) - t0) / column_ns, 0);
        double to = fmin(((double)time_of(spans, at, spans->to) - t0) / column_ns, spans->width);
        uint32_t column = (uint32_t)from;
        /* an item that goes on into the next column is added to each column that it overlaps */
        if (to > column + 1) {
            for (; column < to; column++)
                add(context, at, column, fmin(to, column + 1) - fmax(from, column));
            at++;
            continue;
        }
        /* all items that end in this column */
        size_t end = first_at(spans, at + 1, spans->to, t0 + (column + 1) * column_ns + 1);
        size_t step = (end - at) / COLUMN_MOST + 1;
        for (size_t i = at; i < end; i += step) {
            double first = fmax(((double)time_of(spans, i, spans->from) - t0) / column_ns, column);
            double last = ((double)time_of(spans, i, spans->to) - t0) / column_ns;
            /* each chosen item stands for `step` items, the last one for the items that are left */
            add(context, i, column, fmax(last - first, 0) * (double)(end - i < step ? end - i : step));
        }
        at = end;
    }
}

void pithi_view_of_place(const struct pithlog_analysis *analysis, const struct pithlog_finding_place *place,
                         int64_t *from_ns, int64_t *to_ns)
{
    const struct pithlog_analysis_info *info = pithlog_analysis_get_info(analysis);
    int64_t half_ns = (place->to_ns - place->from_ns) / 2;
    int64_t least_ns = place->from_ns < info->from_ns ? place->from_ns : info->from_ns;
    int64_t most_ns = place->to_ns > info->to_ns ? place->to_ns : info->to_ns;

    *from_ns = place->from_ns - half_ns > least_ns ? place->from_ns - half_ns : least_ns;
    *to_ns = place->to_ns + half_ns < most_ns ? place->to_ns + half_ns : most_ns;
}

/* ---- Wait states and the critical path --------------------------------------------------------------------------- */

/* How many lanes are looked at in a row. If a row has more, an evenly spaced selection of them is looked at, so that
 * the time for a picture does not grow with the log. */
enum { LANES_MOST = 8 };

/* ---- Wait states ------------------------------------------------------------------------------------------------- */

struct waits {
    const struct pithi_cells *cells;
    uint32_t row, levels; /* levels: number of levels drawn */
    const struct pithlog_wait_state *items;
    double weight; /* of a lane in its row: 1 / number of lanes that are read */
    float *part;   /* [levels * width]: the fraction of each column in which the level waits */
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
    /* of 20 lanes, every third one is read: 7 lanes, with a weight of 1/7 each */
    uint32_t step = (count + LANES_MOST - 1) / LANES_MOST, judged = (count + step - 1) / step;
    struct waits waits = {.cells = cells, .row = at, .levels = count > 1 ? 1 : cells->levels, .weight = 1.0 / judged};
    struct spans spans = {.t0_ns = window->t0_ns,
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
        spans_columns(&spans, add_wait, &waits);
    }
    /* Goes from the innermost level outwards. A column is hatched at a level if at least half of the time that its
     * bar covers is waiting, unless an inner bar lies there. cover is 255 for a whole column, so half of it is
     * cover / 510. */
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

/* Bars lower than HATCHED_HEIGHT or narrower than HATCHED_WIDTH have no room for lines and only become paler. */
enum { HATCH = 5, HATCHED_HEIGHT = 5, HATCHED_WIDTH = 3, PALE = 90 };

uint32_t pithi_waits_ground(uint32_t rgb) { return pithi_rgb_blend(PITHI_RGB_IDLE, rgb, PALE); }

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
        /* adjacent columns that wait may belong to several bars */
        if (level[c] < first || level[c] >= last) /* PITHI_NONE, or in another band */
            continue;
        if (!pithi_bar_at(plot, row, level[c], c, end, &place)) {
            end = c + 1;
            continue;
        }
        end = place.end;
        /* The dividing line at the begin of the bar is not hatched. */
        if (end - c > (uint32_t)place.edge) {
            uint32_t from = c + (uint32_t)place.edge;
            uint32_t rgb = plot->rgb[place.state], pale = pithi_waits_ground(rgb);
            int has_room = place.height >= HATCHED_HEIGHT && end - from >= HATCHED_WIDTH;
            struct pithi_hatching hatching = {.x = plot->x + from,
                                              .y = place.y,
                                              .width = end - from,
                                              .height = place.height,
                                              .step = has_room ? floor(HATCH * pithi_theme_scale() + 0.5) : 0,
                                              .phase = pithi_plot_x(plot, 0),
                                              .lines = (int)fmax(floor(1.5 * pithi_theme_scale()), 1),
                                              .ground = pale,
                                              .rgb = rgb};
            pithi_hatch(painter, &hatching);
        }
        /* + 1, because 0 means that the column is not hatched */
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
        if (plot->rows[row].kind == PITHI_ROW_STATES)
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
    } visits[COLUMN_MOST + 3];
    uint32_t count;
};

/* Gives the column to the row with most of the path. A column of which the path covers less than half lies beside an
 * end of the path, so it gets no row. */
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
    /* the path may come back to a row within a column; then its parts are added up */
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
    struct spans spans = {.t0_ns = window->t0_ns,
                          .t1_ns = window->t1_ns,
                          .width = window->width,
                          .count = pithlog_analysis_path(window->analysis, &path.parts),
                          .size = sizeof *path.parts,
                          .from = offsetof(struct pithlog_path_part, from_ns),
                          .to = offsetof(struct pithlog_path_part, to_ns)};

    memset(row, 0xff, window->width * sizeof *row);
    spans.items = (const char *)path.parts;
    spans_columns(&spans, add_part, &path);
    end_column(&path);
}

/* The line runs along the foot of the bars, below their names. It is `thick`, with a rim of `rim` pixels that separates
 * it from the colours of the bars. */
struct line {
    double thick, rim, foot; /* foot: the distance from the lower edge of the bar */
    uint32_t rgb;            /* 0xRRGGBB */
};

static double line_y(const struct pithi_plot *plot, uint32_t row, const struct line *line)
{
    double top, height;

    pithi_plot_bar(plot->row_height, 0, &top, &height);
    return pithi_plot_row_top(plot, row) + top + fmax(floor(height - line->thick - line->foot), 0);
}

/* Draws the line of the path, or its rim, which is wider by line->rim on each side. */
static void draw_line(const struct pithi_plot *plot, const struct pithi_painter *painter, const uint32_t *row,
                      const struct line *line)
{
    double wide = line->thick + 2 * line->rim, half = floor(line->thick / 2) + line->rim;

    for (uint32_t c = 0, end; c < plot->width; c = end) {
        for (end = c + 1; end < plot->width && row[end] == row[c];)
            end++;
        /* A short piece gets no rim, because many rims side by side would hide the bars. */
        if (row[c] == PITHI_NONE || (line->rim > 0 && end - c < 2 * wide))
            continue;
        painter->rect(painter->context, plot->x + c, line_y(plot, row[c], line) - line->rim, end - c, wide, line->rgb,
                      1);
    }
    /* the vertical parts, where the path goes from one row to another */
    for (uint32_t c = 1; c < plot->width; c++) {
        if (row[c] == row[c - 1] || row[c] == PITHI_NONE || row[c - 1] == PITHI_NONE)
            continue;
        /* A step is a place where the path changes the row. The more steps there are within four columns on each side,
         * the fainter they are drawn, so that the bars stay visible: 2/9 for 3 steps, 0.1 for 5 and more. */
        uint32_t first = c > 4 ? c - 4 : 1, last = c + 5 < plot->width ? c + 5 : plot->width, steps = 0;
        for (uint32_t at = first; at < last; at++)
            steps += row[at] != row[at - 1];
        double alpha = steps <= 2 ? 1 : fmax(2.0 / (steps * steps), 0.1);
        double y0 = line_y(plot, row[c] < row[c - 1] ? row[c] : row[c - 1], line) - line->rim;
        double y1 = line_y(plot, row[c] < row[c - 1] ? row[c - 1] : row[c], line) - line->rim + wide;
        if (alpha == 1 || !line->rim)
            painter->rect(painter->context, plot->x + c - half, y0, wide, y1 - y0, line->rgb, alpha);
    }
}

void pithi_path_draw(const struct pithi_plot *plot, const struct pithi_painter *painter)
{
    struct line line = {.thick = floor(fmax(fmin(plot->row_height / 7, 3 * pithi_theme_scale()), 1))};

    /* without an analysis there is no path */
    if (!plot->analysis || !plot->path || !plot->width || !plot->row_count)
        return;
    struct pithi_analysis_window window = {plot->analysis, plot->t0_ns, plot->t1_ns, plot->width};
    uint32_t *row = pithi_alloc(plot->width, sizeof *row);
    uint32_t *row_of_lane = pithi_rows_of_lanes(plot->log, plot->rows, plot->row_count);
    pithi_path_columns(&window, row_of_lane, row);
    free(row_of_lane);
    /* Draws the rim first, in the colour of the paper, and then the line over the rim. */
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

/* Finds the longest wait state of a lane in [from_ns, to_ns) whose call is in this state. Returns NULL if there is
 * none. */
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
    /* wait states of a lane do not overlap, so the search begins with the first that ends after from_ns */
    for (; low < count && items[low].from_ns < to_ns; low++)
        if (items[low].state == state &&
            (!longest || items[low].to_ns - items[low].from_ns > longest->to_ns - longest->from_ns))
            longest = &items[low];
    return longest;
}

/* ---- Sums of wait states ----------------------------------------------------------------------------------------- */

static int64_t length_of(const struct pithlog_wait_state *wait) { return wait->to_ns - wait->from_ns; }

/* Returns 1 if `a` comes before `b`. The longer wait state comes first; if they are equally long, the earlier one; then
 * the one on the lower lane. */
static int is_longer(const struct pithlog_wait_state *a, const struct pithlog_wait_state *b)
{
    if (length_of(a) != length_of(b))
        return length_of(a) > length_of(b);
    return a->from_ns != b->from_ns ? a->from_ns < b->from_ns : a->lane < b->lane;
}

static int by_time(const void *a, const void *b)
{
    const struct pithi_wait_sum *x = a, *y = b;

    if (x->ns != y->ns)
        return x->ns < y->ns ? 1 : -1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return (x->state > y->state) - (x->state < y->state);
}

struct pithi_wait_sum *pithi_wait_sums_make(const struct pithlog *log, const struct pithlog_analysis *analysis,
                                            uint32_t *count)
{
    const struct pithlog_analysis_info *info = pithlog_analysis_get_info(analysis);
    uint32_t defs = pithlog_get_info(log)->defs, all = PITHLOG_WAIT_KINDS * defs;
    struct pithi_wait_sum *sums = pithi_alloc(all, sizeof *sums);
    double time_ns = (double)info->lanes * ((double)info->to_ns - (double)info->from_ns);
    const struct pithlog_wait_state *waits;

    for (uint32_t lane = 0; lane < pithlog_get_info(log)->lanes; lane++) {
        size_t many = pithlog_analysis_waits(analysis, lane, &waits);
        for (size_t i = 0; i < many; i++) {
            struct pithi_wait_sum *sum = &sums[waits[i].kind * defs + waits[i].state];
            sum->kind = waits[i].kind;
            sum->state = waits[i].state;
            sum->count++;
            sum->ns += length_of(&waits[i]);
            if (!sum->longest || is_longer(&waits[i], sum->longest))
                sum->longest = &waits[i];
        }
    }
    *count = 0;
    for (uint32_t i = 0; i < all; i++)
        if (sums[i].count) {
            sums[*count] = sums[i];
            sums[*count].share = time_ns > 0 ? (double)sums[i].ns / time_ns : 0;
            ++*count;
        }
    qsort(sums, *count, sizeof *sums, by_time);
    return sums;
}

const struct pithlog_wait_state **pithi_waits_longest(const struct pithlog *log,
                                                      const struct pithlog_analysis *analysis, uint32_t kind,
                                                      uint32_t most, uint32_t *count)
{
    const struct pithlog_wait_state **longest = pithi_alloc(most + (size_t)1, sizeof *longest), *waits;

    *count = 0;
    for (uint32_t lane = 0; lane < pithlog_get_info(log)->lanes; lane++) {
        size_t many = pithlog_analysis_waits(analysis, lane, &waits);
        for (size_t i = 0; i < many; i++) {
            uint32_t low = 0, high = *count;
            /* skips other kinds, and wait states that are not longer than the last entry of a full list */
            if (waits[i].kind != kind || (*count == most && !is_longer(&waits[i], longest[most - 1])))
                continue;
            while (low < high) {
                uint32_t middle = low + (high - low) / 2;
                if (is_longer(longest[middle], &waits[i]))
                    low = middle + 1;
                else
                    high = middle;
            }
            /* `longest` has room for `most` + 1 entries. If it has `most` already, the last one moves to the spare
             * place and is dropped. */
            memmove(longest + low + 1, longest + low, (*count - low) * sizeof *longest);
            longest[low] = &waits[i];
            *count += *count < most;
        }
    }
    return longest;
}

/* ---- Texts ------------------------------------------------------------------------------------------------------- */

void pithi_wait_sum_name(const struct pithlog *log, const struct pithi_wait_sum *sum, char *text, size_t size)
{
    char state[128];

    pithi_def_label(log, sum->state, state, sizeof state);
    snprintf(text, size, "%s in %s", pithlog_wait_kind_name(sum->kind), state);
}

static void place_of(const struct pithlog *log, uint32_t lane, char *text, size_t size)
{
    pithi_row_place(log, &(struct pithi_row){.lane = lane}, text, size);
}

void pithi_wait_sum_text(const struct pithlog *log, const struct pithi_wait_sum *sum, char *text, size_t size)
{
    const struct pithlog_wait_state *longest = sum->longest;
    char time[32], length[32], at[32], place[64], cause[64], count[40];

    pithi_duration_text(sum->ns, time, sizeof time);
    pithi_duration_text(length_of(longest), length, sizeof length);
    pithi_time_text(longest->from_ns, length_of(longest) / 100 + 1, at, sizeof at);
    place_of(log, longest->lane, place, sizeof place);
    place_of(log, longest->cause_lane, cause, sizeof cause);
    pithi_number_text(sum->count, count, sizeof count);
    snprintf(text, size, "%s, %.1f %%, %s time%s; longest: %s waits %s for %s at %s", time, sum->share * 100, count,
             &"s"[sum->count == 1], place, length, cause, at);
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

/* Returns the definition of the counter of time without a core (formats/native/SPEC.md, "Counters of threads"). */
static uint32_t counter_of(const struct pithlog *log)
{
    const struct pithlog_def *def;

    for (uint32_t id = 0; (def = pithlog_get_def(log, id)); id++)
        if (def->kind == PITHLOG_COUNTER_TYPE && strcmp(def->name, "thread:run-delay") == 0)
            return id;
    return PITHI_NONE;
}

int pithi_core_waits_possible(const struct pithlog *log) { return counter_of(log) != PITHI_NONE; }

struct last {
    int64_t time_ns; /* of the last value so far */
    double value;
    int known;
};

/* Adds the time without a core since the last value. If the value fell, it belongs to another thread, which took over
 * the lane, so nothing is added. The time that is added is at most the time that has passed. */
static void take(struct pithi_core_waits_lane *lane, struct last *last, const struct pithlog_record *record)
{
    double passed = last->known ? (double)record->time_ns - (double)last->time_ns : 0;
    /* fmin: the counter may have been read a little after the clock */
    int64_t ns = record->value > last->value ? (int64_t)fmin(record->value - last->value, passed) : 0;

    if (ns > 0) {
        lane->items = pithi_view_grow(lane->items, &lane->capacity, lane->count + 1, sizeof *lane->items);
        lane->items[lane->count++] = (struct pithi_core_wait){last->time_ns, record->time_ns, ns};
    }
    *last = (struct last){record->time_ns, record->value, 1};
}

int pithi_core_waits_read(struct pithlog *log, const struct pithi_watch *watch, struct pithi_core_waits *waits)
{
    const struct pithlog_info *info = pithlog_get_info(log);
    struct pithlog_query query = {.from_ns = INT64_MIN, .to_ns = INT64_MAX, .kinds = 1u << PITHLOG_COUNTER};
    uint32_t counter = counter_of(log);
    double span_ns = (double)info->end_ns - (double)info->start_ns + 1;
    struct pithlog_record records[256];
    struct pithlog_iter *iter;
    struct last *last;
    int more, err = PITH_OK, damages = 0;

    waits->lane_count = info->lanes;
    waits->lanes = pithi_alloc(info->lanes, sizeof *waits->lanes);
    if (counter == PITHI_NONE || (err = pithlog_iter_open(log, &query, &iter)) != PITH_OK)
        return err;
    last = pithi_alloc(info->lanes, sizeof *last);
    while (!err && damages < PITHI_MOST_DAMAGES &&
           (more = pithlog_iter_next_many(iter, records, sizeof records / sizeof *records)) != 0) {
        /* after a damaged part the next lane or block may be whole */
        damages += more < 0;
        for (int i = 0; i < more; i++)
            if (records[i].id == counter)
                take(&waits->lanes[records[i].lane], &last[records[i].lane], &records[i]);
        if (more > 0 && !pithi_go_on(watch, ((double)records[0].time_ns - (double)info->start_ns) / span_ns))
            err = PITH_ERR_STOPPED;
    }
    pithlog_iter_close(iter);
    free(last);
    return err ? err : damages ? PITH_ERR_DAMAGED : PITH_OK;
}

void pithi_core_waits_free(struct pithi_core_waits *waits)
{
    for (uint32_t lane = 0; lane < waits->lane_count; lane++)
        free(waits->lanes[lane].items);
    free(waits->lanes);
    *waits = (struct pithi_core_waits){0};
}

/* ---- Parts ------------------------------------------------------------------------------------------------------- */

/* Returns the time of an interval in which a lane had no core. If a thread had no core for 3 ms between two values that
 * are 10 ms apart, it is not known when in these 10 ms this was. So each part of the 10 ms counts as 30 % without a
 * core. */
int64_t pithi_core_waits_ns(const struct pithi_core_waits *waits, uint32_t lane, int64_t from_ns, int64_t to_ns)
{
    const struct pithi_core_waits_lane *of = &waits->lanes[lane];
    uint32_t low = 0, high = of->count;
    double sum = 0;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (of->items[middle].to_ns <= from_ns)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < of->count && of->items[low].from_ns < to_ns; low++) {
        const struct pithi_core_wait *wait = &of->items[low];
        double first = fmax((double)wait->from_ns, (double)from_ns), last = fmin((double)wait->to_ns, (double)to_ns);
        sum += (double)wait->ns * (last - first) / (double)(wait->to_ns - wait->from_ns);
    }
    return (int64_t)(sum + 0.5);
}

struct parts {
    const struct pithi_core_wait *items;
    float *part;
};

static void add_core_wait(void *context, size_t item, uint32_t column, double part)
{
    struct parts *parts = context;
    const struct pithi_core_wait *wait = &parts->items[item];

    parts->part[column] += (float)(part * (double)wait->ns / (double)(wait->to_ns - wait->from_ns));
}

/* ---- Drawing ----------------------------------------------------------------------------------------------------- */

/* Distance of the lines of the hatching, in pixels at a scale of 1. Bars lower than HATCHED_HEIGHT have no room for
 * lines; they only become paler. */
enum { STEP = 6 };
#define HALF 0.499f /* half, less the rounding error of a float */
#define PALER 0.45

void pithi_core_waits_draw(const struct pithi_plot *plot, const struct pithi_painter *painter, uint32_t from,
                           uint32_t to, unsigned char *hatched)
{
    struct pithi_hatching hatching = {.step = floor(STEP * pithi_theme_scale() + 0.5),
                                      .phase = pithi_plot_x(plot, 0),
                                      .lines = (int)fmax(floor(pithi_theme_scale()), 1),
                                      .falling = 1,
                                      .ground = PITHI_NO_COLOUR,
                                      .rgb = pithi_theme()->hidden};
    struct spans spans = {.t0_ns = plot->t0_ns,
                          .t1_ns = plot->t1_ns,
                          .width = plot->width,
                          .size = sizeof(struct pithi_core_wait),
                          .from = offsetof(struct pithi_core_wait, from_ns),
                          .to = offsetof(struct pithi_core_wait, to_ns)};
    double top;

    if (!plot->core_waits)
        return;
    /* part[c]: the fraction of the column's time, 0 to 1, in which a lane had no core. */
    float *part = pithi_alloc(plot->width, sizeof *part);
    pithi_plot_bar(plot->row_height, 0, &top, &hatching.height);
    for (uint32_t row = from; row < to; row++, hatched += plot->width) {
        const struct pithi_core_waits_lane *lane = &plot->core_waits->lanes[plot->rows[row].lane];
        struct parts parts = {lane->items, part};
        if (plot->cell_row[row] == PITHI_NONE || plot->rows[row].lane_count > 1 || pithi_row_is_below(&plot->rows[row]))
            continue;
        memset(part, 0, plot->width * sizeof *part);
        spans.items = (const char *)lane->items;
        spans.count = lane->count;
        spans_columns(&spans, add_core_wait, &parts);
        hatching.y = top + pithi_plot_row_top(plot, row);
        for (uint32_t c = 0, end; c < plot->width; c = end) {
            for (end = c + 1; end < plot->width && (part[end] >= HALF) == (part[c] >= HALF);)
                end++;
            if (part[c] < HALF)
                continue;
            memset(hatched + c, PITHI_HATCHED_ALL, end - c);
            hatching.x = plot->x + c;
            hatching.width = end - c;
            if (hatching.height >= HATCHED_HEIGHT)
                pithi_hatch(painter, &hatching);
            else
                painter->rect(painter->context, hatching.x, hatching.y, hatching.width, hatching.height,
                              pithi_theme()->idle, PALER);
        }
    }
    free(part);
}
