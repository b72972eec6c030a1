/* test_core_bands.c - pictures painted in bands by two threads: pixel by pixel those painted at once. */
#include <stdlib.h>
#include <string.h>

#include "core/scene/bands.h"
#include "core/rows/rows.h"
#include "core/cells/interruptions.h"
#include "core/raster/raster.h"
#include "core/scene/plot.h"
#include "core/raster/palette.h"
#include "core_log.h"
#include "tap.h"

enum { LANES = 60, STATES = 5, SPAN = 20000, MOST_WIDTH = 1900, MOST_HEIGHT = 2000 };

static uint64_t seed = 11;

static uint32_t below(uint32_t limit)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (uint32_t)(seed >> 33) % limit;
}

/* ---- A log with everything in it --------------------------------------------------------------------------------- */

static struct core_log writing;
static uint32_t solo, counter;
static uint64_t posted[LANES];

static void add_end(uint32_t kind, uint32_t lane, uint32_t peer, int64_t time_ns)
{
    struct pithlog_record record = {.time_ns = time_ns, .lane = lane, .kind = kind, .peer = (int32_t)peer, .bytes = 8};
    if (kind == PITHLOG_RECV)
        record.posted = posted[lane]++;
    core_check(pithi_writer_add(writing.writer, &record));
}

static void add_value(uint32_t lane, int64_t time_ns)
{
    struct pithlog_record record = {
        .time_ns = time_ns, .lane = lane, .kind = PITHLOG_COUNTER, .id = counter, .peer = -1, .value = below(100)};
    core_check(pithi_writer_add(writing.writer, &record));
}

/* Each rank sends to the next one now and then, and receives what came: from near, and from half the ranks away. */
static void add_lane(uint32_t lane)
{
    int64_t time = lane;

    for (int round = 0; time < SPAN - 400; round++) {
        uint32_t outer = below(STATES), inner = below(STATES), far = round % 3 ? 1 : LANES / 2;
        core_add(&writing, lane, PITHLOG_ENTER, time, outer);
        add_end(PITHLOG_SEND, lane, (lane + far) % LANES, time + 5);
        core_add(&writing, lane, PITHLOG_ENTER, time + 20, inner);
        if (round % 5 == 0)
            core_add(&writing, lane, PITHLOG_EVENT, time + 30, solo);
        core_add(&writing, lane, PITHLOG_LEAVE, time + 60 + below(60), inner);
        add_end(PITHLOG_RECV, lane, (lane + LANES - far) % LANES, time + 130);
        add_value(lane, time + 140);
        core_add(&writing, lane, PITHLOG_LEAVE, time + 150, outer);
        if (round % 7 == 0 && lane % 9 == 0) {
            core_add(&writing, lane, PITHLOG_PAUSE, time + 160, 0);
            core_add(&writing, lane, PITHLOG_RESUME, time + 260, 0);
        }
        time += 300 + below(100);
    }
}

static struct pithlog *make_log(void)
{
    static const char *const colours[] = {"red", "green", "blue", "yellow", "orange"};
    char name[32];

    core_log_begin(&writing);
    for (int i = 0; i < STATES; i++) {
        snprintf(name, sizeof name, "state%d", i);
        core_define(&writing, PITHLOG_STATE, name, colours[i]);
    }
    solo = core_define(&writing, PITHLOG_EVENT_TYPE, "solo", "black");
    counter = core_define(&writing, PITHLOG_COUNTER_TYPE, "load", "");
    for (uint32_t lane = 0; lane < LANES; lane++)
        core_lane(&writing, (int32_t)lane, 0, "");
    for (uint32_t lane = 0; lane < LANES; lane++)
        add_lane(lane);
    return core_log_end(&writing);
}

/* A font of random letters, so that bars have names. */
static void make_font(void)
{
    enum { HEIGHT = 13, WIDEST = 7 };
    unsigned char mask[HEIGHT * WIDEST];

    pithi_glyphs_reset(pithi_glyphs(), 10, HEIGHT);
    for (uint32_t code = ' '; code < 127; code++) {
        for (int i = 0; i < HEIGHT * WIDEST; i++)
            mask[i] = (unsigned char)(below(3) ? 0 : below(256));
        pithi_glyphs_add(pithi_glyphs(), code, WIDEST - (int)(code % 4), mask);
    }
}

/* ---- Painting it twice ------------------------------------------------------------------------------------------- */

static uint32_t at_once[MOST_WIDTH * MOST_HEIGHT], in_bands[MOST_WIDTH * MOST_HEIGHT], ground[MOST_WIDTH];
static int last_end, ends_fell, calls;

static void note_end(void *context, int end)
{
    (void)context;
    ends_fell |= end < last_end;
    last_end = end;
    calls++;
}

static void paint(struct pithi_plot *plot, int height, struct pithi_helper *helper)
{
    size_t size = (size_t)plot->width * (size_t)height * sizeof *at_once;
    struct pithi_raster raster;
    struct pithi_painter painter;

    memset(at_once, 0x11, size);
    memset(in_bands, 0x22, size);
    for (uint32_t x = 0; x < plot->width; x++)
        ground[x] = x % 90 ? 0xfffffe : 0xdddddd;
    pithi_raster_grounded(&raster, at_once, (int)plot->width, height, ground);
    painter = pithi_raster_painter(&raster);
    pithi_plot_draw(plot, &painter);
    last_end = ends_fell = calls = 0;
    pithi_raster_grounded(&raster, in_bands, (int)plot->width, height, ground);
    pithi_bands_draw(plot, &raster, helper, note_end, NULL);
}

static struct pithi_helper *helper;
static struct pithi_plot plot;

static void compare(const char *what, uint32_t width, double row_height, int height, int64_t from_ns, int64_t to_ns)
{
    size_t count = (size_t)width * (size_t)height, wrong = 0, marked = 0;

    plot.width = width;
    plot.row_height = row_height;
    plot.t0_ns = from_ns;
    plot.t1_ns = to_ns;
    core_check(pithi_plot_load(&plot));
    for (int i = 0; i < 2; i++) {
        paint(&plot, height, i ? helper : NULL);
        for (size_t p = 0; p < count; p++) {
            wrong += at_once[p] != in_bands[p];
            marked += at_once[p] != 0xfffffe && at_once[p] != 0xdddddd && at_once[p] != pithi_theme()->idle;
        }
    }
    OK(wrong == 0 && marked > count / 20 && last_end == height && !ends_fell,
       "%s: %zu of %zu pixels differ, %u arrows, %d calls", what, wrong, count, plot.arrows.count, calls);
    pithi_plot_free(&plot);
}

int main(void)
{
    static uint32_t rgb[STATES + 2];
    struct pithlog *log = make_log();
    struct pithlog_digest *digest;
    struct pithi_interruptions interruptions = {0};
    struct pithi_groups groups = {0};
    struct pithi_row *rows;
    uint32_t count;

    core_check(pithlog_digest_open(log, NULL, NULL, &digest));
    core_check(pithi_interruptions_read(log, &interruptions));
    rows = pithi_rows_make(log, digest, &count);
    for (uint32_t i = 0; i < STATES + 2; i++)
        rgb[i] = 0x203040 * (i + 1) & 0xffffff;
    helper = pithi_helper_new();
    make_font();
    plot = (struct pithi_plot){.log = log,
                               .digest = digest,
                               .rgb = rgb,
                               .rows = rows,
                               .row_count = count,
                               .interruptions = &interruptions,
                               .most_arrows = 3000,
                               .names = 1};

    compare("all of it", 1600, 14, 14 * (int)count, 0, SPAN);
    compare("a part, many flat arrows, rows cut off below", 1200, 14, 700, 3000, 4500);
    compare("flat arrows that cross many rows", 1900, 16, 1900, 9000, 9400);
    compare("room below the rows", 900, 7, 1700, 0, SPAN / 2);
    compare("rows with fractions of a pixel", 1600, 1.7, 260, 0, SPAN);
    plot.moving = 1;
    compare("a picture that moves", 1600, 14, 14 * (int)count, 0, SPAN);
    plot.moving = 0;
    plot.most_arrows = 20;
    compare("few arrows, which have heads", 1600, 20, 20 * (int)count > MOST_HEIGHT ? MOST_HEIGHT : 20 * (int)count, 0,
            SPAN);
    pithi_groups_make(rows, count, 4, &groups);
    plot.rows = groups.rows;
    plot.row_count = groups.count;
    compare("rows of several lanes", 1600, 30, 30 * (int)groups.count, 0, SPAN);
    compare("such rows, lower than a pixel", 700, 0.8, 100, 0, SPAN);
    pithi_helper_free(helper);
    pithi_groups_free(&groups);
    free(rows);
    pithi_interruptions_free(&interruptions);
    pithlog_digest_close(digest);
    pithlog_close(log);
    return tap_done();
}
