/* core_waits.c - see core_waits.h. */
#include "core/core_waits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/span_columns.h"
#include "core/theme.h"

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

/* formats/native/SPEC.md, "Counters of threads". */
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
    int64_t time_ns;
    double value;
    int known;
};

/* A value that falls is the first one of another thread, which took over the lane. No thread waits for longer than the
 * time that has passed. */
static void take(struct pithi_core_waits_lane *lane, struct last *last, const struct pithlog_record *record)
{
    double passed = last->known ? (double)record->time_ns - (double)last->time_ns : 0;
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

static void add_wait(void *context, size_t item, uint32_t column, double part)
{
    struct parts *parts = context;
    const struct pithi_core_wait *wait = &parts->items[item];

    parts->part[column] += (float)(part * (double)wait->ns / (double)(wait->to_ns - wait->from_ns));
}

void pithi_core_waits_columns(const struct pithi_core_waits *waits, uint32_t lane, int64_t t0_ns, int64_t t1_ns,
                              uint32_t width, float *part)
{
    struct parts parts = {waits->lanes[lane].items, part};
    struct pithi_spans spans = {.t0_ns = t0_ns,
                                .t1_ns = t1_ns,
                                .width = width,
                                .items = (const char *)parts.items,
                                .count = waits->lanes[lane].count,
                                .size = sizeof *parts.items,
                                .from = offsetof(struct pithi_core_wait, from_ns),
                                .to = offsetof(struct pithi_core_wait, to_ns)};

    memset(part, 0, width * sizeof *part);
    pithi_spans_columns(&spans, add_wait, &parts);
}

/* ---- Drawing ----------------------------------------------------------------------------------------------------- */

/* Pixels between lines, at a scale of 1. Lower bars have no room for lines and only become paler. */
enum { STEP = 6, HATCHED_HEIGHT = 5 };
#define HALF 0.499f /* without the error of a float */
#define PALER 0.45

static void draw_row(const struct pithi_plot *plot, const struct pithi_painter *painter, uint32_t row, float *part,
                     unsigned char *hatched)
{
    struct pithi_hatching hatching = {.step = floor(STEP * pithi_theme_scale() + 0.5),
                                      .phase = pithi_plot_x(plot, 0),
                                      .lines = (int)fmax(floor(pithi_theme_scale()), 1),
                                      .falling = 1,
                                      .ground = PITHI_NO_COLOUR,
                                      .rgb = pithi_theme()->hidden};

    pithi_core_waits_columns(plot->core_waits, plot->rows[row].lane, plot->t0_ns, plot->t1_ns, plot->width, part);
    pithi_plot_bar(plot->row_height, 0, &hatching.y, &hatching.height);
    hatching.y += pithi_plot_row_top(plot, row);
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

void pithi_core_waits_draw(const struct pithi_plot *plot, const struct pithi_painter *painter, uint32_t from,
                           uint32_t to, unsigned char *hatched)
{
    float *part;

    if (!plot->core_waits)
        return;
    part = pithi_alloc(plot->width, sizeof *part);
    for (uint32_t row = from; row < to; row++)
        if (plot->cell_row[row] != PITHI_NONE && plot->rows[row].lane_count <= 1 &&
            !pithi_row_is_below(&plot->rows[row]))
            draw_row(plot, painter, row, part, hatched + (size_t)(row - from) * plot->width);
    free(part);
}
