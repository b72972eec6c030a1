/* test_core_arrows.c - which messages a picture shows: against all that the matcher tells; crowds, by their pixels;
 * and the rows and graphs of counters. */
#include <math.h>
#include <string.h>

#include "core/scene/arrows.h"
#include "core/rows/rows.h"
#include "core/scene/hit.h"
#include "core/raster/palette.h"
#include "core/raster/raster.h"
#include "core_log.h"
#include "tap.h"

enum { MOST_MESSAGES = 60000, LANES = 6, WIDTH = 600, ROW = 20 };

static uint64_t seed = 7;

static uint32_t below(uint32_t limit)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (uint32_t)(seed >> 33) % limit;
}

/* ---- A log of messages ------------------------------------------------------------------------------------------- */

static struct pithlog_message messages[MOST_MESSAGES]; /* as the matcher tells them */
static uint32_t message_count;
static struct core_log writing;
static uint64_t posted[LANES];

static void begin_log(void)
{
    core_log_begin(&writing);
    for (int32_t rank = 0; rank < LANES; rank++)
        core_lane(&writing, rank, 0, "");
    memset(posted, 0, sizeof posted);
}

static void add_end(uint32_t kind, uint32_t lane, uint32_t peer, int64_t time_ns, int32_t tag)
{
    struct pithlog_record record = {
        .time_ns = time_ns, .lane = lane, .kind = kind, .peer = (int32_t)peer, .tag = tag, .bytes = 8};
    if (kind == PITHLOG_RECV)
        record.posted = posted[lane]++;
    core_check(pithi_writer_add(writing.writer, &record));
}

static struct pithlog *end_log(void)
{
    struct pithlog *log = core_log_end(&writing);
    struct pithlog_matcher *matcher;

    message_count = 0;
    core_check(pithlog_matcher_open(log, &matcher));
    while (message_count < MOST_MESSAGES && pithlog_matcher_next(matcher, &messages[message_count]) == 1)
        message_count++;
    pithlog_matcher_close(matcher);
    return log;
}

/* ---- Arrows ------------------------------------------------------------------------------------------------------ */

static int64_t length(const struct pithlog_message *message) { return llabs(message->recv_ns - message->send_ns); }

static int is_in(const struct pithlog_message *message, const struct pithi_arrows_query *query)
{
    int64_t first = message->send_ns < message->recv_ns ? message->send_ns : message->recv_ns;

    return first < query->t1_ns && first + length(message) >= query->t0_ns &&
           query->row_of_lane[message->send_lane] != PITHI_NONE && query->row_of_lane[message->recv_lane] != PITHI_NONE;
}

/* All kept are in the window, and as many of each length as there should be: those left out are no longer. */
static int arrows_are_right(const struct pithlog_digest *digest, const struct pithi_arrows_query *query)
{
    struct pithi_arrows arrows = {0};
    uint32_t wanted = 0, longer = 0;
    int64_t shortest = INT64_MAX;
    double bundled = 0;
    int right = pithi_arrows_load(digest, query, &arrows) == PITH_OK;

    for (uint32_t i = 0; i < arrows.count; i++) {
        const struct pithlog_message *message = arrows.items[i].message;
        right &= is_in(message, query) && arrows.items[i].from_row == query->row_of_lane[message->send_lane] &&
                 arrows.items[i].to_row == query->row_of_lane[message->recv_lane];
        shortest = length(message) < shortest ? length(message) : shortest;
    }
    for (uint32_t i = 0; i < message_count; i++) {
        wanted += (uint32_t)is_in(&messages[i], query);
        longer += is_in(&messages[i], query) && length(&messages[i]) > shortest;
    }
    for (uint32_t i = 0; i < arrows.bundle_count; i++)
        bundled += arrows.bundles[i].count;
    right &= arrows.total == wanted && arrows.count == (wanted < query->most ? wanted : query->most) &&
             longer <= arrows.count;
    right &= (arrows.bundle_count > 0) == (query->most && wanted > query->most);
    right &= !arrows.bundle_count || wanted > 40000 || fabs(bundled - wanted) < 1e-6 * wanted;
    pithi_arrows_free(&arrows);
    return right;
}

static void test_arrows(void)
{
    struct pithlog_digest *digest;
    struct pithlog *log;
    int64_t now = 0;
    int right = 1;

    begin_log();
    for (int32_t i = 0; i < 3000; i++) {
        uint32_t from = below(LANES), to = below(LANES);
        add_end(PITHLOG_SEND, from, to, now, i);
        now += below(3) ? below(20) : below(3000);
        add_end(PITHLOG_RECV, to, from, now, i);
    }
    log = end_log();
    core_check(pithlog_digest_open(log, NULL, NULL, &digest));
    for (uint32_t i = 0; i < 300 && right; i++) {
        uint32_t row_of_lane[LANES], rows = 0;
        struct pithi_arrows_query query = {.t0_ns = below((uint32_t)now), .width = WIDTH, .row_of_lane = row_of_lane};
        query.lane_count = LANES;
        query.most = below(3) ? below(500) : below(3);
        query.t1_ns = query.t0_ns + 1 + below((uint32_t)now);
        for (uint32_t lane = 0; lane < LANES; lane++)
            row_of_lane[lane] = i % 2 || below(4) ? rows++ : PITHI_NONE;
        right = arrows_are_right(digest, &query);
    }
    OK(right, "arrows in view: the longest, and how many there are");
    pithlog_digest_close(digest);
    pithlog_close(log);
}

/* ---- Crowds ------------------------------------------------------------------------------------------------------ */

static struct pithi_raster raster;
static struct pithi_plot plot;

/* How much darker than paper the pixels of a box are, on average. */
static double darkness(int left, int top, int width, int height)
{
    double sum = 0;

    for (int y = top; y < top + height; y++)
        for (int x = left; x < left + width; x++)
            sum += (PITHI_RGB_PAPER & 255) - raster.pixels[(y * raster.width + x) * 3 + 2];
    return sum / (width * height);
}

static void load_plot(struct pithlog *log, const struct pithlog_digest *digest, struct pithi_row *rows, uint32_t most)
{
    plot = (struct pithi_plot){.log = log,
                               .digest = digest,
                               .t0_ns = 0,
                               .t1_ns = 6000000,
                               .rows = rows,
                               .row_count = LANES,
                               .width = WIDTH,
                               .row_height = ROW,
                               .most_arrows = most,
                               .arrows_single = 1};
    core_check(pithi_plot_load(&plot));
}

static void draw_arrows(void)
{
    struct pithi_painter painter = pithi_raster_painter(&raster);

    pithi_raster_prepare(&raster, WIDTH, LANES * ROW, PITHI_RGB_PAPER);
    pithi_arrows_draw(&plot, &painter);
}

/* 6 ms = 600 columns of 10 us. From rank 0 to 1: in the first third of the time 20 messages a column, in the next one
 * in 6 columns, then none. From rank 4 to 2 one message of nearly all the time. In column 500, 500 from rank 0 to 1. */
static struct pithlog *make_crowd(void)
{
    int64_t time = 1000;
    int32_t tag = 0;

    begin_log();
    add_end(PITHLOG_SEND, 4, 2, 500, 1);
    for (; time < 4000000; time += time < 2000000 ? 500 : 60000) {
        add_end(PITHLOG_SEND, 0, 1, time, tag);
        add_end(PITHLOG_RECV, 1, 0, time + 100, tag++);
    }
    for (time = 5000000; time < 5010000; time += 20) {
        add_end(PITHLOG_SEND, 0, 1, time, tag);
        add_end(PITHLOG_RECV, 1, 0, time + 10, tag++);
    }
    add_end(PITHLOG_RECV, 2, 4, 5950000, 1);
    return end_log();
}

/* In the plot of a crowd. */
static void test_pointed(void)
{
    const struct pithi_bundle *bundle = pithi_hit_bundle(&plot, 500.5, ROW, 0.5);
    struct pithi_bundle_look look;
    double fade;

    OK(bundle && bundle->from_row == 0 && bundle->to_row == 1 && bundle->count > 400 && bundle->count <= 500 &&
           bundle->bytes == 8 * bundle->count && fabs(bundle->mean_ns - 10) < 1e-6 && length(&bundle->longest) == 10,
       "pointed at: %.0f messages, %.0f bytes, mean %.1f ns", bundle ? bundle->count : 0, bundle ? bundle->bytes : 0,
       bundle ? bundle->mean_ns : 0);
    OK(!pithi_hit_bundle(&plot, 560, ROW, 0.5), "where there is none: none");
    pithi_bundles_drawn(&plot, &fade);
    OK(bundle && pithi_bundle_look(&plot, bundle, fade, &look) && look.width == 2 && look.alpha > 0.25 &&
           fabs(look.ends[0] - 500.5) < 2 && look.ends[1] < look.ends[3],
       "it is %d pixels wide, from the upper row down", look.width);
    OK(!pithi_hit_bundle(&plot, 300, 3.3 * ROW, 300), "an arrow that is nearer comes before bundles");
}

/* Of more messages than are looked at for a picture, those of one bundle are counted all the same. */
static void test_sampled(void)
{
    struct pithi_bundle exact = {0}, *first;
    struct pithlog_digest *digest;
    struct pithlog *log;
    struct pithi_row *rows;
    uint32_t count, wanted = 0;
    double sum = 0, bytes = 0;
    int64_t longest = 0;
    int status;

    begin_log();
    for (int32_t i = 0; i < 55000; i++) {
        add_end(PITHLOG_SEND, 0, 1, i * 100, i);
        add_end(PITHLOG_RECV, 1, 0, i * 100 + 1 + (int32_t)below(90), i);
    }
    log = end_log();
    core_check(pithlog_digest_open(log, NULL, NULL, &digest));
    rows = pithi_rows_make(log, digest, &count);
    load_plot(log, digest, rows, 50);
    first = &plot.arrows.bundles[0];
    status = pithi_plot_look(&plot, first, &exact);
    for (uint32_t i = 0; i < message_count; i++) {
        double columns[2] = {(double)messages[i].send_ns / 10000, (double)messages[i].recv_ns / 10000};
        if ((int32_t)((columns[0] + 20000) / plot.arrows.step) != first->places[0] ||
            (int32_t)((columns[1] + 20000) / plot.arrows.step) != first->places[1])
            continue;
        wanted++;
        bytes += (double)messages[i].bytes;
        sum += (double)length(&messages[i]);
        longest = length(&messages[i]) > longest ? length(&messages[i]) : longest;
    }
    OK(plot.arrows.sampled && status == 0 && wanted > 250 && exact.count == wanted && exact.bytes == bytes &&
           fabs(exact.mean_ns - sum / wanted) < 1e-6 && length(&exact.longest) == longest,
       "of a sample, looked at: %.0f messages of %u, mean %.3f ns", exact.count, wanted, exact.mean_ns);
    pithi_plot_free(&plot);
    free(rows);
    pithlog_digest_close(digest);
    pithlog_close(log);
}

/* Lines that a painter is given. */
static uint32_t lines_drawn;
static void count_line(void *context, double x0, double y0, double x1, double y1, uint32_t rgb, double alpha)
{
    (void)context, (void)x0, (void)y0, (void)x1, (void)y1, (void)rgb, (void)alpha;
    lines_drawn++;
}
static void no_triangle(void *context, const double x[3], const double y[3], uint32_t rgb, double alpha)
{
    (void)context, (void)x, (void)y, (void)rgb, (void)alpha;
}

static uint32_t lines_of(int moving)
{
    struct pithi_painter painter = {.line = count_line, .triangle = no_triangle};
    lines_drawn = 0;
    plot.moving = moving;
    pithi_arrows_draw(&plot, &painter);
    plot.moving = 0;
    return lines_drawn;
}

/* Long ones. All arrows of a picture at rest, a part of them while it moves, as many at each step. */
static void test_moving(void)
{
    uint32_t all, some, again;
    plot.row_height *= 50;
    all = lines_of(0), some = lines_of(1), again = lines_of(1);
    OK(pithi_arrows_crowded(&plot) && all == message_count && some > 0 && some < all / 2 && again == some,
       "while it moves %u of %u arrows are drawn", some, all);
}

/* Of a picture that moves bundles are made of a few messages; at rest of all. */
static void test_rough(void)
{
    uint32_t bundles = plot.arrows.bundle_count;
    plot.moving = 1;
    pithi_plot_load_arrows(&plot);
    OK(plot.arrows.sampled && plot.arrows.total == message_count && pithi_arrows_crowded(&plot),
       "while it moves: %u bundles of a sample", plot.arrows.bundle_count);
    plot.moving = 0;
    pithi_plot_load_arrows(&plot);
    OK(!plot.arrows.sampled && plot.arrows.bundle_count == bundles, "at rest %u, as at first", bundles);
}

static void test_crowd(void)
{
    struct pithlog *log = make_crowd();
    struct pithlog_digest *digest;
    struct pithi_row *rows;
    uint32_t count;
    double dense, sparse, column;
    int found = 0;

    core_check(pithlog_digest_open(log, NULL, NULL, &digest));
    rows = pithi_rows_make(log, digest, &count);
    load_plot(log, digest, rows, 50);
    OK(plot.arrows.total == message_count && plot.arrows.count == 50 && plot.arrows.bundle_count > 100,
       "a crowd of %u: 50 arrows, %u bundles", message_count, plot.arrows.bundle_count);
    OK(plot.arrows.bundles[0].count > 400 && fabs(plot.arrows.bundles[0].x0 - 500.5) < 2,
       "the largest bundle: %.0f messages, in column %.1f", plot.arrows.bundles[0].count, plot.arrows.bundles[0].x0);
    test_rough();
    draw_arrows();
    dense = darkness(20, 14, 160, 12);
    sparse = darkness(220, 14, 160, 12);
    column = darkness(500, 14, 1, 12);
    OK(dense > 3 * sparse && sparse > 0, "dense is darker than sparse: %.1f, %.1f", dense, sparse);
    OK(darkness(499, 16, 3, 8) > 0.6 * column && column > dense && darkness(510, 14, 60, 12) == 0,
       "500 in a column: dark (%.1f) and two pixels wide; nothing beside it", column);
    for (int x = 50; x < 550; x += 50) {
        int y = (int)(4.5 * ROW - 2.0 * ROW * (x - 0.05) / 594.95);
        found += darkness(x, y - 3, 1, 7) > 4;
    }
    OK(found == 10, "the longest arrow is seen all the way (%d of 10 places)", found);
    test_pointed();
    pithi_plot_free(&plot);

    load_plot(log, digest, rows, 100000);
    OK(plot.arrows.count == message_count && plot.arrows.bundle_count == 0, "with room for all: no bundles");
    test_moving();
    pithi_plot_free(&plot);
    pithi_raster_free(&raster);
    free(rows);
    pithlog_digest_close(digest);
    pithlog_close(log);
}

/* ---- What messages cover ----------------------------------------------------------------------------------------- */

/* The pixels of a line in the plot, found by walking along it in small steps. */
static double walk(double x0, double y0, double x1, double y1)
{
    enum { STEPS = 20000 };
    double longer = fmax(fabs(x1 - x0), fabs(y1 - y0)), inside = 0;

    for (int i = 0; i < STEPS; i++) {
        double x = x0 + (x1 - x0) * (i + 0.5) / STEPS;
        inside += x >= 0 && x < WIDTH;
    }
    return inside > 0 ? longer * inside / STEPS + 1 : 0;
}

/* The part of the plot that its arrows, and its bundles of two pixels, cover. */
static double walked_cover(void)
{
    double pixels = 0;

    for (uint32_t i = 0; i < plot.arrows.count; i++) {
        double ends[4];
        pithi_plot_arrow_ends(&plot, &plot.arrows.items[i], ends);
        pixels += walk(ends[0], ends[1], ends[2], ends[3]);
    }
    for (uint32_t i = 0; i < plot.arrows.bundle_count; i++) {
        const struct pithi_bundle *bundle = &plot.arrows.bundles[i];
        pixels += 2 * walk(bundle->x0, bundle->from_row * ROW, bundle->x1, bundle->to_row * ROW);
    }
    return pixels / (WIDTH * LANES * ROW);
}

/* Messages between `ranks` ranks, from each to each other, `count` times in 6 ms. */
static struct pithlog *make_exchange(uint32_t ranks, int32_t count)
{
    begin_log();
    for (int32_t i = 0; i < count; i++)
        for (uint32_t from = 0; from < ranks; from++)
            for (uint32_t by = 1; by < ranks; by++) {
                uint32_t to = (from + by) % ranks;
                int64_t time = (int64_t)i * 6000000 / count + from * 10 + by;
                add_end(PITHLOG_SEND, from, to, time, i);
                add_end(PITHLOG_RECV, to, from, time + 3000 + below(3000), i);
            }
    return end_log();
}

/* COUNT exchanges between RANKS: drawn as they are, as bundles, or not at all? */
static void check_cover(uint32_t ranks, int32_t count, int bundled, int left_out)
{
    struct pithlog *log = make_exchange(ranks, count);
    struct pithlog_digest *digest;
    struct pithi_row *rows;
    uint32_t row_count;
    double walked, messages_in = 0;

    core_check(pithlog_digest_open(log, NULL, NULL, &digest));
    rows = pithi_rows_make(log, digest, &row_count);
    load_plot(log, digest, rows, 100000);
    plot.arrows_single = 0;
    plot.arrows_auto = 1;
    pithi_plot_load_arrows(&plot);
    walked = walked_cover();
    for (uint32_t i = 0; i < plot.arrows.bundle_count; i++)
        messages_in += plot.arrows.bundles[i].count;
    OK(fabs(plot.arrows.cover - walked) < 0.02 * walked && (plot.arrows.bundle_count > 0) == bundled &&
           pithi_arrows_left_out(&plot) == left_out && (walked > PITHI_ARROWS_COVER) == left_out,
       "%u messages: %u arrows, %u bundles, they cover %.3f (%.3f)", message_count, plot.arrows.count,
       plot.arrows.bundle_count, plot.arrows.cover, walked);
    OK(!bundled || fabs(messages_in - message_count) < 1e-6 * message_count, "bundles have all messages");
    draw_arrows();
    OK((darkness(0, 0, WIDTH, LANES * ROW) > 0) == !left_out, "they are %sdrawn", left_out ? "not " : "");
    OK(!left_out || (!pithi_hit_bundle(&plot, 300, ROW, 300) && !pithi_hit_arrow(&plot, 300, ROW, 300)),
       "what is not drawn cannot be pointed at");
    plot.arrows_auto = 0;
    draw_arrows();
    OK(darkness(0, 0, WIDTH, LANES * ROW) > 0, "if asked for, they are drawn");
    pithi_plot_free(&plot);
    pithi_raster_free(&raster);
    free(rows);
    pithlog_digest_close(digest);
    pithlog_close(log);
}

static void test_cover(void)
{
    check_cover(2, 20, 0, 0);
    check_cover(2, 600, 1, 0);
    check_cover(LANES, 600, 1, 1);
}

/* Near the limit, a picture does what the picture before it did. */
static void test_limit(void)
{
    static const double covers[] = {0.05, 0.09, 0.11, 0.15};
    static const char *const wanted[] = {"0011", "0001", "0111"}; /* by arrows_before; 1: left out */
    struct pithlog *log = make_exchange(2, 20);
    struct pithlog_digest *digest;
    struct pithi_plot near = {.arrows_auto = 1, .most_arrows = 1};

    core_check(pithlog_digest_open(log, NULL, NULL, &digest));
    near.digest = digest;
    for (int before = PITHI_NONE_BEFORE; before <= PITHI_LEFT_OUT_BEFORE; before++) {
        char left_out[5] = "";
        int told = 1;
        for (int i = 0; i < 4; i++) {
            near.arrows.cover = covers[i];
            near.arrows_before = (enum pithi_arrows_before)before;
            left_out[i] = (char)('0' + pithi_arrows_left_out(&near));
            told &=
                pithi_arrows_done(&near) == (pithi_arrows_left_out(&near) ? PITHI_LEFT_OUT_BEFORE : PITHI_DRAWN_BEFORE);
        }
        OK(told && strcmp(left_out, wanted[before]) == 0, "before: %d; covers of 5, 9, 11, 15 %% are left out: %s",
           before, left_out);
    }
    near.digest = NULL;
    OK(pithi_arrows_done(&near) == PITHI_NONE_BEFORE, "before messages are read, nothing is known");
    pithlog_digest_close(digest);
    pithlog_close(log);
}

/* ---- Counters ---------------------------------------------------------------------------------------------------- */

static void add_value(int64_t time_ns, uint32_t lane, uint32_t id, double value)
{
    struct pithlog_record record = {
        .time_ns = time_ns, .lane = lane, .kind = PITHLOG_COUNTER, .id = id, .peer = -1, .value = value};
    core_check(pithi_writer_add(writing.writer, &record));
}

/* The topmost pixel of a column that is not paper, from the row's foot; 0: none. */
static int height_at(int column, int row)
{
    for (int y = row * ROW; y < (row + 1) * ROW; y++)
        if (darkness(column, y, 1, 1) != 0)
            return (row + 1) * ROW - y;
    return 0;
}

static void test_counters(void)
{
    struct pithlog *log;
    struct pithlog_digest *digest;
    struct pithi_row *rows;
    uint32_t load, heat, count, rgb[2] = {0x004400, 0x440000};
    struct pithi_painter painter = pithi_raster_painter(&raster);

    core_log_begin(&writing);
    load = core_define(&writing, PITHLOG_COUNTER_TYPE, "load", "");
    heat = core_define(&writing, PITHLOG_COUNTER_TYPE, "heat", "");
    core_lane(&writing, 0, 0, "");
    core_lane(&writing, 1, 0, "");
    add_value(10, 0, heat, 3);
    add_value(20, 0, load, 7);
    add_value(300, 0, heat, 6);
    add_value(310, 0, heat, NAN);
    add_value(320, 0, heat, INFINITY);
    add_value(30, 1, load, 0);
    log = core_log_end(&writing);
    core_check(pithlog_digest_open(log, NULL, NULL, &digest));
    rows = pithi_rows_make(log, digest, &count);
    OK(count == 5 && rows[0].kind == PITHI_ROW_STATES && rows[1].counter == load && rows[2].counter == heat &&
           rows[3].lane == 1 && rows[3].kind == PITHI_ROW_STATES && rows[4].counter == load,
       "rows: each lane, its counters below it");
    plot = (struct pithi_plot){.log = log,
                               .digest = digest,
                               .t0_ns = 0,
                               .t1_ns = WIDTH,
                               .rows = rows,
                               .row_count = count,
                               .width = WIDTH,
                               .row_height = ROW,
                               .rgb = rgb};
    core_check(pithi_plot_load(&plot));
    pithi_raster_prepare(&raster, WIDTH, (int)count * ROW, PITHI_RGB_PAPER);
    for (uint32_t row = 0; row < count; row++)
        if (rows[row].kind == PITHI_ROW_COUNTER)
            pithi_graph_draw(&plot, &painter, row);
    OK(height_at(5, 2) == 0 && height_at(200, 2) > 5 && height_at(500, 2) > 1.6 * height_at(200, 2) - 4 &&
           height_at(500, 2) > height_at(200, 2),
       "a graph: nothing before the first value, then half as high as at the end (%d, %d)", height_at(200, 2),
       height_at(500, 2));
    pithi_plot_free(&plot);
    pithi_raster_free(&raster);
    free(rows);
    pithlog_digest_close(digest);
    pithlog_close(log);
}

int main(void)
{
    test_arrows();
    test_crowd();
    test_cover();
    test_limit();
    test_sampled();
    test_counters();
    return tap_done();
}
