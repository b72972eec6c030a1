/* test_core_ranges.c - mountain ranges against brute force over all records, and how layers are stacked. */
#include <math.h>
#include <string.h>

#include "core/measure/ranges.h"
#include "core/cells/query.h"
#include "core/raster/raster.h"
#include "core_lane.h"
#include "core_log.h"
#include "tap.h"

enum { STATES = 6, LANES = 4, BIG = 400000 };

static struct lane_copy copies[LANES];
static int64_t log_end_ns;
static uint64_t seed = 7;

static uint32_t below(uint32_t limit)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (uint32_t)(seed >> 33) % limit;
}

/* ---- A random log: nested, now and then not properly, some states never left, some records lost ------------------ */

static void random_lane(struct lane_copy *copy, uint32_t records, uint32_t gap)
{
    uint32_t open[20], depth = 0;
    int64_t now = below(40);

    for (copy->count = 0; copy->count < records; copy->count++) {
        now += below(4) ? below(gap) : 0;
        copy->entries[copy->count].time_ns = now;
        if (!below(25)) {
            copy->entries[copy->count].kind = PITHLOG_LOST;
            for (uint32_t left = below(3); left > 0 && depth > 0; left--) /* the program went on meanwhile */
                depth--;
        } else if (depth < 20 && (!depth || below(2))) {
            copy->entries[copy->count].kind = PITHLOG_ENTER;
            copy->entries[copy->count].id = open[depth++] = below(STATES);
        } else {
            uint32_t which = depth - 1 - (below(10) ? 0 : below(depth));
            copy->entries[copy->count].kind = PITHLOG_LEAVE;
            copy->entries[copy->count].id = open[which];
            memmove(&open[which], &open[which + 1], (depth - which - 1) * sizeof *open);
            depth--;
        }
    }
    end_lost(copy);
}

static void define_states(struct core_log *log)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};

    for (uint32_t id = 0; id < STATES; id++)
        core_define(log, PITHLOG_STATE, names[id], "");
}

static struct pithlog *random_log(uint32_t records, uint32_t gap)
{
    struct core_log log;
    struct pithlog *opened;

    core_log_begin(&log);
    define_states(&log);
    for (uint32_t i = 0; i < LANES; i++) {
        uint32_t lane = core_lane(&log, (int32_t)i, 0, "");
        random_lane(&copies[i], records, gap);
        for (uint32_t r = 0; r < copies[i].count; r++)
            core_add(&log, lane, copies[i].entries[r].kind, copies[i].entries[r].time_ns, copies[i].entries[r].id);
    }
    opened = core_log_end(&log);
    log_end_ns = pithlog_get_info(opened)->end_ns;
    return opened;
}

/* ---- Brute force ------------------------------------------------------------------------------------------------- */

/* The state that counts after the first `records` records of a lane. */
static uint32_t counts_after(const struct lane_copy *copy, uint32_t records, const struct pithi_ranges_query *query)
{
    static struct stack stack;
    uint32_t shown = PITHI_NONE;

    replay(copy, records, &stack);
    for (uint32_t i = 0; i < stack.depth; i++)
        if (!(query->hidden && query->hidden[stack.items[i].id]) &&
            (shown == PITHI_NONE || query->depth == PITHI_INNERMOST))
            shown = stack.items[i].id;
    return shown;
}

static double overlap(double a0, double a1, double b0, double b1)
{
    double low = a0 > b0 ? a0 : b0, high = a1 < b1 ? a1 : b1;
    return high > low ? high - low : 0;
}

/* Lanes in `state` in a column. Bounds of columns as query.h has them. */
static double brute_value(const struct pithi_ranges_query *query, uint32_t state, uint32_t column)
{
    uint64_t span = (uint64_t)(query->t1_ns - query->t0_ns);
    unsigned shift = 0;
    double unit, from, to, sum = 0;

    while (span << shift < (uint64_t)query->width * 16)
        shift++;
    unit = ldexp(1, -(int)shift);
    from = (double)((span << shift) * column / query->width) * unit + (double)query->t0_ns;
    to = (double)((span << shift) * (column + 1) / query->width) * unit + (double)query->t0_ns;
    for (uint32_t i = 0; i < query->lane_count; i++) {
        const struct lane_copy *copy = &copies[query->lanes[i]];
        for (uint32_t r = 0; r < copy->count; r++) {
            int64_t end_ns = r + 1 < copy->count ? copy->entries[r + 1].time_ns : log_end_ns;
            if (counts_after(copy, r + 1, query) == state)
                sum += overlap((double)copy->entries[r].time_ns, (double)end_ns, from, to);
        }
    }
    return sum / (to - from);
}

static int same_as_brute(struct pithlog *log, const struct pithi_ranges_query *query)
{
    struct pithi_ranges *ranges = pithi_ranges_new(log, query);
    int same = pithi_ranges_load(ranges, NULL) == 0;

    for (uint32_t state = 0; state < STATES; state++)
        for (uint32_t c = 0; c < query->width; c++)
            same &= fabs(pithi_ranges_value(ranges, state, c) - brute_value(query, state, c)) < 1e-9;
    pithi_ranges_free(ranges);
    return same;
}

/* Areas are the sums of the query, to the nanosecond. */
static int same_as_sums(struct pithlog *log, const struct pithi_ranges_query *query)
{
    struct pithi_ranges *ranges = pithi_ranges_new(log, query);
    struct pithi_query sums = {.t0_ns = query->t0_ns,
                               .t1_ns = query->t1_ns,
                               .levels = 1,
                               .lanes = query->lanes,
                               .lane_count = query->lane_count};
    struct pithi_cells cells = {0};
    int same = pithi_ranges_load(ranges, NULL) == 0 && pithi_query_run(log, &sums, &cells) == 0;

    for (uint32_t state = 0; state < STATES; state++)
        same &= pithi_ranges_time(ranges, state) == cells.sums[state].self_ns;
    pithi_cells_free(&cells);
    pithi_ranges_free(ranges);
    return same;
}

static void test_counting(void)
{
    static const unsigned char some_hidden[STATES] = {0, 1, 0, 0, 1, 0};
    static const uint32_t all[LANES] = {0, 1, 2, 3}, two[2] = {3, 1};
    int brute = 0, sums = 0, rounds = 24;

    for (int round = 0; round < rounds; round++) {
        struct pithlog *log = random_log(round % 3 ? 80 : 7, round % 2 ? 900 : 9);
        struct pithi_ranges_query query = {.t0_ns = round % 4 ? below((uint32_t)log_end_ns / 2 + 1) : 0,
                                           .width = 1 + below(60),
                                           .lanes = round % 5 ? all : two,
                                           .lane_count = round % 5 ? LANES : 2,
                                           .hidden = round % 2 ? NULL : some_hidden,
                                           .depth = round % 6 < 3 ? PITHI_INNERMOST : PITHI_OUTERMOST};
        query.t1_ns = query.t0_ns + 1 + below((uint32_t)(log_end_ns - query.t0_ns) + 20);
        brute += same_as_brute(log, &query);
        query.hidden = NULL;
        query.depth = PITHI_INNERMOST;
        sums += same_as_sums(log, &query);
        pithlog_close(log);
    }
    OK(brute == rounds, "each column as all records say: innermost, outermost, hidden, windows (%d of %d)", brute,
       rounds);
    OK(sums == rounds, "areas are the exact sums (%d of %d)", sums, rounds);
}

/* ---- By pieces --------------------------------------------------------------------------------------------------- */

static struct pithlog *big_log(void)
{
    struct core_log log;

    core_log_begin(&log);
    define_states(&log);
    for (int32_t i = 0; i < 2; i++) {
        uint32_t lane = core_lane(&log, i, 0, "");
        int64_t now = 0;
        core_add(&log, lane, PITHLOG_ENTER, now, 0);
        for (uint32_t r = 0; r < BIG / 2; r++) {
            uint32_t state = 1 + (r / 30000 + below(2)) % (STATES - 1);
            core_add(&log, lane, PITHLOG_ENTER, now += below(200), state);
            core_add(&log, lane, PITHLOG_LEAVE, now += below(2000), state);
        }
        core_add(&log, lane, PITHLOG_LEAVE, now, 0);
    }
    return core_log_end(&log);
}

static int times_asked;
static int two_times(void *context, double part)
{
    (void)context;
    return part >= 0 && part <= 1 && ++times_asked < 2;
}

static void test_pieces(void)
{
    static const uint32_t both[2] = {0, 1};
    struct pithlog *log = big_log();
    struct pithi_ranges_query query = {
        .t1_ns = pithlog_get_info(log)->end_ns, .width = 300, .lanes = both, .lane_count = 2};
    struct pithi_ranges *right = pithi_ranges_new(log, &query), *quick = pithi_ranges_new(log, &query);
    struct pithi_ranges *ended = pithi_ranges_new(log, &query);
    struct pithi_watch watch = {two_times, NULL};
    struct pithlog_summary *summary;
    double wrong = 0, all = 2 * 300, ended_time = 0, right_time = 0;

    core_check(pithlog_summary_open(log, &summary));
    core_check(pithi_ranges_load(right, NULL));
    OK(pithi_ranges_quick(quick, summary, 0) == 1 && pithi_ranges_quick(quick, summary, 1e9) == 0 &&
           pithi_ranges_quick(quick, summary, 0) == 0,
       "by pieces, in helpings of any length");
    core_check(pithi_ranges_load(ended, &watch));
    for (uint32_t state = 0; state < STATES; state++) {
        for (uint32_t c = 0; c < query.width; c++)
            wrong += fabs(pithi_ranges_value(right, state, c) - pithi_ranges_value(quick, state, c)) / 2;
        right_time += (double)pithi_ranges_time(right, state);
        ended_time += (double)pithi_ranges_time(ended, state);
    }
    OK(wrong / all < 0.05, "by pieces: %.2f %% of the area is another colour's", 100 * wrong / all);
    OK(times_asked == 2 || times_asked == 3, "who watches is asked, and may end it");
    OK(ended_time > 0 && ended_time < right_time / 4, "then some of it is there");
    pithi_ranges_free(right);
    pithi_ranges_free(quick);
    pithi_ranges_free(ended);
    pithlog_summary_close(summary);
    pithlog_close(log);
}

/* ---- Layers ------------------------------------------------------------------------------------------------------ */

/* Two lanes, 100 ns: lane 0 in a [0, 100), with b inside it [50, 100); lane 1 in b [0, 50). */
static struct pithlog *small_log(void)
{
    struct core_log log;
    uint32_t lane;

    core_log_begin(&log);
    define_states(&log);
    lane = core_lane(&log, 0, 0, "");
    core_add(&log, lane, PITHLOG_ENTER, 0, 0);
    core_add(&log, lane, PITHLOG_ENTER, 50, 1);
    core_add(&log, lane, PITHLOG_LEAVE, 100, 1);
    core_add(&log, lane, PITHLOG_LEAVE, 100, 0);
    lane = core_lane(&log, 1, 0, "");
    core_add(&log, lane, PITHLOG_ENTER, 0, 1);
    core_add(&log, lane, PITHLOG_LEAVE, 50, 1);
    return core_log_end(&log);
}

static uint32_t pixel(const struct pithi_raster *raster, int x, int y)
{
    const unsigned char *p = raster->pixels + ((size_t)y * raster->width + x) * 3;
    return (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
}

static uint32_t pixels_of(const struct pithi_raster *raster, uint32_t rgb)
{
    uint32_t count = 0;

    for (int y = 0; y < raster->height; y++)
        for (int x = 0; x < raster->width; x++)
            count += pixel(raster, x, y) == rgb;
    return count;
}

static void test_layers(void)
{
    static const uint32_t both[2] = {0, 1}, rgb[STATES] = {0xaa0000, 0x00bb00, 1, 2, 3, 4}, turned[2] = {1, 0};
    static const unsigned char only_b[STATES] = {0, 1, 0, 0, 0, 0};
    struct pithlog *log = small_log();
    struct pithi_ranges_query query = {.t1_ns = 100, .width = 100, .lanes = both, .lane_count = 2};
    struct pithi_ranges *ranges = pithi_ranges_new(log, &query);
    struct pithi_layers_look look = {.height = 40, .rgb = rgb};
    struct pithi_raster raster = {0};
    struct pithi_painter painter = pithi_raster_painter(&raster);

    core_check(pithi_ranges_load(ranges, NULL));
    pithi_raster_prepare(&raster, 100, 40, 0xffffff);
    pithi_layers_draw(ranges, &look, &painter);
    OK(pixel(&raster, 10, 39) == 0xaa0000 && pixel(&raster, 10, 20) == 0xaa0000 && pixel(&raster, 10, 19) == 0x00bb00 &&
           pixel(&raster, 10, 0) == 0x00bb00,
       "one lane in a, one in b above it");
    OK(pixel(&raster, 70, 39) == 0x00bb00 && pixel(&raster, 70, 19) == 0xffffff, "then one in b, the other in nothing");
    OK(pithi_layers_at(ranges, &look, 10, 30) == 0 && pithi_layers_at(ranges, &look, 10, 5) == 1 &&
           pithi_layers_at(ranges, &look, 70, 5) == PITHI_NONE && pithi_layers_at(ranges, &look, 100, 30) == PITHI_NONE,
       "from a pixel to its state");
    look.order = turned, look.order_count = 2;
    pithi_raster_prepare(&raster, 100, 40, 0xffffff);
    pithi_layers_draw(ranges, &look, &painter);
    OK(pixel(&raster, 10, 39) == 0x00bb00 && pixel(&raster, 10, 0) == 0xaa0000, "in another order");
    look.smooth = 1;
    pithi_raster_prepare(&raster, 100, 40, 0xffffff);
    pithi_layers_draw(ranges, &look, &painter);
    OK(pixels_of(&raster, 0xaa0000) >= 980 && pixels_of(&raster, 0xaa0000) <= 1020 &&
           pixels_of(&raster, 0x00bb00) >= 1980 && pixels_of(&raster, 0x00bb00) <= 2020 &&
           pixel(&raster, 53, 19) == 0xaa0000,
       "smooth: slopes, and areas as they were");
    look.smooth = 0;
    look.chosen = only_b;
    pithi_raster_prepare(&raster, 100, 40, 0xffffff);
    pithi_layers_draw(ranges, &look, &painter);
    OK(pixels_of(&raster, 0x00bb00) == 2000 && !pixels_of(&raster, 0xaa0000), "only what is chosen");
    OK(pithi_layers_step(64, 120, 20) == 20 && pithi_layers_step(2, 120, 20) == 1 && pithi_layers_step(8, 20, 20) == 10,
       "marks of the scale");
    query.width = 0;
    OK(!pithi_ranges_new(log, &query), "no columns: none");
    pithi_raster_free(&raster);
    pithi_ranges_free(ranges);
    pithlog_close(log);
}

int main(void)
{
    test_counting();
    test_pieces();
    test_layers();
    return tap_done();
}
