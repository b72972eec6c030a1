/* test_core_cell_cache.c - a window that is panned, zoomed and scrolled while states are hidden and shown. After each
 * step the cached cells must be those that a query of all records gives for the same columns. */
#include <string.h>
#include <unistd.h>

#include "core/cells/cell_cache.h"
#include "core/raster/palette.h"
#include "core/raster/raster.h"
#include "core_log.h"
#include "tap.h"

enum {
    STATES = 12,
    EVENT_ID = STATES,
    DEFS = STATES + 1,
    RECORDS = 150000,
    LANES = 5,
    WIDTH = 300,
    ROWS = 4,
    ROW = 20
};

static uint64_t seed = 4711;

static uint32_t below(uint32_t limit)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (uint32_t)(((seed >> 32) * limit) >> 32);
}

static void write_lane(struct core_log *log, uint32_t lane)
{
    uint32_t open[10], depth = 0;
    int64_t now = 0;

    for (uint32_t i = 0; i < RECORDS; i++) {
        now += below(3000);
        if (below(300) == 0) {
            core_add(log, lane, PITHLOG_EVENT, now, EVENT_ID);
        } else if (!depth || (depth < 10 && below(2))) {
            open[depth] = below(10) ? i / 5000 % STATES : below(STATES);
            core_add(log, lane, PITHLOG_ENTER, now, open[depth++]);
        } else {
            core_add(log, lane, PITHLOG_LEAVE, now, open[--depth]);
        }
    }
}

static struct pithlog *make_log(void)
{
    struct core_log log;
    char name[24];

    core_log_begin(&log);
    for (int i = 0; i < STATES; i++) {
        snprintf(name, sizeof name, "state%d", i);
        core_define(&log, PITHLOG_STATE, name, "");
    }
    core_define(&log, PITHLOG_EVENT_TYPE, "event", "");
    for (int32_t i = 0; i < LANES; i++)
        write_lane(&log, core_lane(&log, i, 0, ""));
    return core_log_end(&log);
}

/* ---- Comparing --------------------------------------------------------------------------------------------------- */

static const uint32_t pair[] = {2, 3};
static const struct pithi_row all_rows[ROWS] = {
    {.lane = 0}, {.lane = 1}, {.lane = 2, .lanes = pair, .lane_count = 2}, {.lane = 4}};

static uint32_t events_of(const struct pithi_cells *cells)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < cells->mark_count; i++)
        count += cells->marks[i].count;
    return count;
}

/* States that are to be seen in a row, as bits. */
static uint32_t states_seen(const struct pithi_cells *cells)
{
    uint32_t seen = 0;

    for (uint32_t i = 0; i < cells->levels * cells->width; i++)
        if (cells->cells[i].state != PITHI_NONE)
            seen |= 1u << cells->cells[i].state;
    for (uint32_t i = 0; i < cells->tick_count; i++)
        seen |= 1u << cells->ticks[i].state;
    return seen;
}

static uint32_t state_at(const struct pithi_cells *cells, uint32_t level, uint32_t column)
{
    return level < cells->levels ? pithi_cells_line(cells, 0, level)[column].state : PITHI_NONE;
}

struct wrong {
    uint32_t cells, all, events, lost, ticks;
};

static void compare(struct pithlog *log, const struct pithi_plot *plot, struct wrong *wrong)
{
    struct pithi_cells right = {0};

    for (uint32_t line = 0; line < plot->cells.rows; line++) {
        const struct pithi_cells *seen = &plot->lines[line];
        struct pithi_query query = {.t0_ns = plot->t0_ns,
                                    .t1_ns = plot->t1_ns,
                                    .width = plot->width,
                                    .levels = PITHI_LEVELS,
                                    .hidden = plot->hidden,
                                    .group_count = 1};
        query.lanes = pithi_row_lanes(&plot->rows[plot->plot_row[line]], &query.lane_count);
        query.group_end = &query.lane_count;
        core_check(pithi_query_run(log, &query, &right));
        for (uint32_t level = 0; level < right.levels || level < seen->levels; level++)
            for (uint32_t c = 0; c < plot->width; c++)
                wrong->cells += state_at(&right, level, c) != state_at(seen, level, c);
        wrong->all += right.levels * plot->width;
        wrong->events += events_of(&right) != events_of(seen);
        wrong->lost += (states_seen(&right) & ~states_seen(seen)) != 0;
        wrong->ticks += seen->tick_count > 2 * right.tick_count + 40;
    }
    pithi_cells_free(&right);
}

/* ---- Moving ------------------------------------------------------------------------------------------------------ */

/* The cache's thread rests. */
static void look(struct pithi_cell_cache *cache, struct pithi_plot *plot, double seconds)
{
    pithi_plot_free(plot);
    plot->cells.rows = 0;
    plot->lines_made = 0;
    core_check(pithi_cell_cache_load(cache, plot, seconds));
}

static void load(struct pithi_cell_cache *cache, struct pithi_plot *plot, double seconds)
{
    look(cache, plot, seconds);
    pithi_cell_cache_go_on(cache);
}

static void wait_for(struct pithi_cell_cache *cache)
{
    while (pithi_cell_cache_rough(cache)) {
        usleep(2000);
        pithi_cell_cache_take(cache);
    }
}

static void move(struct pithi_plot *plot, unsigned char *hidden, int64_t end_ns)
{
    int64_t span = plot->t1_ns - plot->t0_ns, by = span / WIDTH * ((int64_t)below(2 * WIDTH) - WIDTH);

    switch (below(10)) {
    case 0:
        plot->t0_ns += span / 4;
        plot->t1_ns = plot->t0_ns + span / 2;
        break;
    case 1:
        plot->t0_ns -= span / 2;
        plot->t1_ns = plot->t0_ns + span * 2;
        break;
    case 2:
        hidden[below(DEFS)] ^= 1;
        break;
    case 3:
        plot->row_count = 1 + below(ROWS);
        plot->rows = all_rows + below(ROWS + 1 - plot->row_count);
        break;
    default:
        by += below((uint32_t)(span / WIDTH)); /* not by whole columns */
        plot->t0_ns += by;
        plot->t1_ns += by;
    }
    if (plot->t1_ns - plot->t0_ns > end_ns || plot->t1_ns < 0 || plot->t0_ns > end_ns ||
        plot->t1_ns - plot->t0_ns < end_ns / 2000) {
        plot->t0_ns = 0;
        plot->t1_ns = end_ns;
    }
}

static struct pithi_helper *helper; /* NULL: none */

/* 1: the exact part is not from 0 to 1, or is 1 although the picture is rough, or is not 1 although it is exact. */
static int part_wrong(const struct pithi_cell_cache *cache)
{
    double part = pithi_cell_cache_exact(cache);
    return part < 0 || part > 1 || (part == 1) == pithi_cell_cache_rough(cache);
}

static void test_moves(struct pithlog *log, struct pithlog_summary *summary, double seconds, uint32_t moves,
                       const char *what)
{
    unsigned char hidden[DEFS] = {0};
    struct pithi_cell_cache *cache = pithi_cell_cache_new(log, summary, helper);
    int64_t end_ns = pithlog_get_info(log)->end_ns + 1;
    struct pithi_plot plot = {.log = log, .rows = all_rows, .row_count = ROWS, .width = WIDTH, .t1_ns = end_ns};
    struct wrong wrong = {0};
    int off = 0, slow = 0, part = 0;

    plot.hidden = hidden;
    for (uint32_t i = 0; i < moves; i++) {
        int64_t t0_ns = plot.t0_ns, span = plot.t1_ns - plot.t0_ns;
        load(cache, &plot, seconds);
        part += part_wrong(cache);
        off += plot.t1_ns - plot.t0_ns != span || llabs(plot.t0_ns - t0_ns) > span / WIDTH / 2 + 1;
        if (below(3)) { /* else the next move comes before it is right */
            wait_for(cache);
            slow += pithi_cell_cache_rough(cache);
            part += part_wrong(cache);
            compare(log, &plot, &wrong);
        }
        move(&plot, hidden, end_ns);
    }
    OK(wrong.cells * 1000 <= wrong.all, "%s: %u of %u colours wrong", what, wrong.cells, wrong.all);
    OK(!off && !slow, "... each within half a column of what was asked for, and finished");
    OK(!part, "... and the exact part is all of it only then");
    OK(wrong.events <= moves / 20, "... with all events (%u rows off)", wrong.events);
    /* A state may be lost that is among no piece's three longest. */
    OK(wrong.lost <= moves / 20 && !wrong.ticks, "... and rare states, not too many of them (%u, %u)", wrong.lost,
       wrong.ticks);
    pithi_plot_free(&plot);
    pithi_cell_cache_free(cache);
}

/* Scrolled to and fro by some columns, before anything new is known: what was seen stays where it was in time. */
static void test_shift(struct pithlog *log, struct pithlog_summary *summary)
{
    struct pithi_cell_cache *cache = pithi_cell_cache_new(log, summary, helper);
    int64_t end_ns = pithlog_get_info(log)->end_ns + 1, span = end_ns / 4;
    struct pithi_plot plot = {.log = log, .rows = all_rows, .row_count = ROWS, .width = WIDTH};
    struct pithi_cell before[WIDTH];

    plot.t0_ns = span;
    plot.t1_ns = 2 * span;
    load(cache, &plot, 10);
    wait_for(cache);
    memcpy(before, plot.lines[1].cells, sizeof before);
    plot.t0_ns = span + span * 40 / WIDTH;
    plot.t1_ns = plot.t0_ns + span;
    look(cache, &plot, 0);
    OK(memcmp(before + 40, plot.lines[1].cells, (WIDTH - 40) * sizeof *before) == 0 &&
           plot.lines[1].cells[WIDTH - 1].state == PITHI_NONE,
       "40 columns to the right: they are shifted, the rest is empty until there is time");
    plot.t0_ns = span;
    plot.t1_ns = 2 * span;
    look(cache, &plot, 0);
    OK(memcmp(before + 40, plot.lines[1].cells + 40, (WIDTH - 40) * sizeof *before) == 0, "and back");
    plot.t0_ns = span + span / 4;
    plot.t1_ns = plot.t0_ns + span / 2;
    look(cache, &plot, 0);
    OK(plot.lines[1].cells[100].state == before[WIDTH / 4 + 50].state &&
           plot.lines[1].cells[WIDTH - 1].state == before[WIDTH * 3 / 4 - 1].state,
       "zoomed in: what was there is stretched");
    pithi_plot_free(&plot);
    pithi_cell_cache_free(cache);
}

/* How many columns have this colour in the middle of the row: of those in [t0, t1) if `inside` is 1, else of the
 * others. */
static uint32_t columns_of(const uint32_t *words, const struct pithi_plot *plot, uint32_t rgb, int64_t t0, int64_t t1,
                           int inside)
{
    uint32_t count = 0;

    for (uint32_t row = 0; row < ROWS; row++)
        for (uint32_t c = 0; c < WIDTH; c++) {
            int64_t from = plot->t0_ns + (plot->t1_ns - plot->t0_ns) * c / WIDTH;
            int64_t to = plot->t0_ns + (plot->t1_ns - plot->t0_ns) * (c + 1) / WIDTH;
            int is_inside = from >= t0 && to <= t1, is_outside = to <= t0 || from >= t1;
            count += (inside ? is_inside : is_outside) && words[(row * ROW + ROW / 2) * WIDTH + c] == rgb;
        }
    return count;
}

/* Zoomed out before anything new is known: nothing looks like time without a state that is not. */
static void test_unknown(struct pithlog *log, struct pithlog_summary *summary)
{
    static uint32_t words[WIDTH * ROWS * ROW];
    struct pithi_cell_cache *cache = pithi_cell_cache_new(log, summary, helper);
    int64_t end_ns = pithlog_get_info(log)->end_ns + 1, t0 = end_ns / 4, t1 = end_ns / 2;
    uint32_t rgb[DEFS], counts[2][3];
    struct pithi_plot plot = {.log = log,
                              .rgb = rgb,
                              .rows = all_rows,
                              .row_count = ROWS,
                              .width = WIDTH,
                              .row_height = ROW,
                              .t0_ns = t0,
                              .t1_ns = t1};

    for (uint32_t i = 0; i < DEFS; i++)
        rgb[i] = 0x800000 + i;
    load(cache, &plot, 10);
    wait_for(cache);
    for (int is_known = 0; is_known < 2; is_known++) {
        struct pithi_raster raster;
        plot.t0_ns = 0;
        plot.t1_ns = end_ns;
        if (is_known) {
            load(cache, &plot, 0);
            wait_for(cache);
        } else {
            look(cache, &plot, 0);
        }
        pithi_raster_onto(&raster, words, WIDTH, ROWS * ROW, PITHI_RGB_PAPER);
        struct pithi_painter painter = pithi_raster_painter(&raster);
        pithi_plot_draw(&plot, &painter);
        counts[is_known][0] = columns_of(words, &plot, pithi_theme()->unknown, t0, t1, 0);
        counts[is_known][1] = columns_of(words, &plot, pithi_theme()->unknown, t0, t1, 1);
        counts[is_known][2] = columns_of(words, &plot, PITHI_RGB_IDLE, t0, t1, 0);
    }
    OK(counts[0][0] > ROWS * WIDTH / 2 && !counts[0][1] && !counts[0][2],
       "%u columns that are not computed yet are grey; %u that were seen, and %u look like no state", counts[0][0],
       counts[0][1], counts[0][2]);
    OK(!counts[1][0] && !counts[1][1], "none when they are computed (%u, %u)", counts[1][0], counts[1][1]);
    pithi_plot_free(&plot);
    pithi_cell_cache_free(cache);
}

int main(void)
{
    struct pithlog *log = make_log();
    struct pithlog_summary *summary;
    uint64_t first;

    core_check(pithlog_summary_open(log, &summary));
    test_shift(log, summary);
    test_unknown(log, summary);
    first = seed;
    test_moves(log, summary, 0.002, 150, "by a summary and a thread");
    test_moves(log, summary, 10, 40, "with all the time there is");
    test_moves(log, NULL, 0.002, 40, "by records alone");
    helper = pithi_helper_new();
    seed = first; /* the same moves */
    test_moves(log, summary, 0.002, 150, "with a helper");
    test_moves(log, summary, 10, 40, "with a helper and all the time there is");
    test_moves(log, NULL, 0.002, 40, "with a helper, by records alone");
    pithi_helper_free(helper);
    pithlog_summary_close(summary);
    pithlog_close(log);
    return tap_done();
}
