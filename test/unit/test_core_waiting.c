/* test_core_waiting.c - hatching, the columns that wait, and the critical path, on logs with late senders. */
#include <string.h>

#include "core/raster/palette.h"
#include "core/raster/raster.h"
#include "core/scene/waiting.h"
#include "core_log.h"
#include "tap.h"

enum { RECV, SEND, WIDTH = 40, HEIGHT = 20 };
static const uint32_t rgb[] = {0xcc0000, 0x0000cc};
static const struct pithi_row rows[] = {{.lane = 0}, {.lane = 1}};

static void message(struct core_log *log, uint32_t lane, uint32_t kind, int64_t time_ns, int32_t peer, uint64_t posted)
{
    struct pithlog_record record = {
        .time_ns = time_ns, .lane = lane, .kind = kind, .peer = peer, .bytes = 8, .posted = posted};
    core_check(pithi_writer_add(log->writer, &record));
}

/* `count` times, every 100 ns: rank 0 receives from 0 to 60, what rank 1 sends from `late` to `late` + 5. */
static struct pithlog *late_log(int64_t count, int64_t late)
{
    struct core_log log;

    core_log_begin(&log);
    core_define(&log, PITHLOG_STATE, "MPI_Recv", "#cc0000");
    core_define(&log, PITHLOG_STATE, "MPI_Send", "#0000cc");
    core_lane(&log, 0, 0, "");
    core_lane(&log, 1, 0, "");
    for (int64_t i = 0; i < count; i++) {
        core_add(&log, 0, PITHLOG_ENTER, i * 100, RECV);
        message(&log, 0, PITHLOG_RECV, i * 100 + 59, 1, 0);
        core_add(&log, 0, PITHLOG_LEAVE, i * 100 + 60, RECV);
        core_add(&log, 1, PITHLOG_ENTER, i * 100 + late, SEND);
        message(&log, 1, PITHLOG_SEND, i * 100 + late + 1, 0, 0);
        core_add(&log, 1, PITHLOG_LEAVE, i * 100 + late + 5, SEND);
    }
    return core_log_end(&log);
}

static struct pithi_plot plot_of(struct pithlog *log, int64_t t1_ns, double row_height)
{
    struct pithi_plot plot = {.log = log,
                              .rgb = rgb,
                              .t1_ns = t1_ns,
                              .rows = rows,
                              .row_count = 2,
                              .width = WIDTH,
                              .row_height = row_height,
                              .waits = 1,
                              .path = 1};
    struct pithlog_analyze_query query = {.from_ns = INT64_MIN, .to_ns = INT64_MAX};
    struct pithlog_analysis *analysis;

    core_check(pithlog_analyze(log, &query, &analysis));
    plot.analysis = analysis;
    core_check(pithi_plot_load(&plot));
    return plot;
}

static void end(struct pithi_plot *plot)
{
    pithi_plot_free(plot);
    pithlog_analysis_free((struct pithlog_analysis *)plot->analysis);
    pithlog_close(plot->log);
}

/* ---- Columns ----------------------------------------------------------------------------------------------------- */

static uint32_t hatched(const struct pithi_plot *plot, const struct pithi_row *row)
{
    struct pithi_analysis_window window = {plot->analysis, plot->t0_ns, plot->t1_ns, plot->width};
    uint32_t level[WIDTH], count = 0;

    pithi_waits_columns(&window, row, &plot->lines[plot->cell_row[0]], 0, level);
    for (uint32_t c = 0; c < plot->width; c++)
        count += level[c] == 0;
    return count;
}

static void test_columns(void)
{
    struct pithi_plot plot = plot_of(late_log(1, 50), 80, HEIGHT);
    struct pithi_analysis_window window = {plot.analysis, 0, 80, WIDTH};
    uint32_t level[WIDTH], row[WIDTH], row_of_lane[] = {0, 1};
    const struct pithlog_wait_state *wait;

    pithi_waits_columns(&window, &rows[0], &plot.lines[0], 0, level);
    OK(level[0] == 0 && level[24] == 0 && level[25] == PITHI_NONE && level[29] == PITHI_NONE,
       "two nanoseconds a column: the receive waits until 50, then it is transfer");
    pithi_waits_columns(&window, &rows[1], &plot.lines[1], 0, level);
    OK(level[25] == PITHI_NONE && level[27] == PITHI_NONE, "the send waits for nobody");
    pithi_path_columns(&window, row_of_lane, row);
    OK(row[0] == 1 && row[24] == 1 && row[25] == 0 && row[29] == 0,
       "the path is on the sender until 50, then on the receiver");
    row_of_lane[1] = PITHI_NONE;
    pithi_path_columns(&window, row_of_lane, row);
    OK(row[24] == PITHI_NONE && row[25] == 0, "a row that is not shown has no path");
    wait = pithi_wait_of(plot.analysis, 0, RECV, 0, 60);
    OK(wait && wait->to_ns == 50 && wait->cause_lane == 1 && wait->kind == PITHLOG_LATE_SENDER,
       "for whom and why the receive waits");
    OK(!pithi_wait_of(plot.analysis, 0, RECV, 50, 60) && !pithi_wait_of(plot.analysis, 0, SEND, 0, 60) &&
           !pithi_wait_of(plot.analysis, 1, SEND, 0, 60),
       "there is no other wait state");
    end(&plot);
}

/* Of 100 ns, 60 are covered by receives: columns are hatched if at least 30 of them wait. */
static void test_many(void)
{
    static const uint32_t lanes[] = {0, 1};
    static const struct pithi_row group = {.lane = 0, .lanes = lanes, .lane_count = 2};
    struct pithi_plot plot = plot_of(late_log(20000, 40), 2000000, HEIGHT);

    OK(hatched(&plot, &rows[0]) == WIDTH, "500 wait states a column, most of the calls' time: all are hatched");
    OK(hatched(&plot, &group) == 0, "two lanes: 20 of 60 are less than half");
    end(&plot);
    plot = plot_of(late_log(20000, 20), 2000000, HEIGHT);
    OK(hatched(&plot, &rows[0]) == 0, "500 wait states a column, a third of the time: none is hatched");
    end(&plot);
}

/* ---- Pixels ------------------------------------------------------------------------------------------------------ */

static uint32_t words[WIDTH * HEIGHT * 2];

static uint32_t count_of(uint32_t colour, int left, int right, int top, int bottom)
{
    uint32_t count = 0;

    for (int y = top; y < bottom; y++)
        for (int x = left; x < right; x++)
            count += words[y * WIDTH + x] == colour;
    return count;
}

static void test_pixels(void)
{
    struct pithi_plot plot = plot_of(late_log(1, 50), 80, HEIGHT);
    struct pithi_raster raster;
    struct pithi_painter painter;
    uint32_t pale = pithi_rgb_blend(pithi_theme()->idle, rgb[RECV], 90), other = 0;

    pithi_raster_onto(&raster, words, WIDTH, HEIGHT * 2, pithi_theme()->paper);
    painter = pithi_raster_painter(&raster);
    pithi_plot_draw(&plot, &painter);
    /* Bars have 16 scanlines from 2 on; the line of the path, 2 pixels with a rim, is at their foot, below names. */
    OK(count_of(pale, 1, 21, 2, 7) == 80 && count_of(rgb[RECV], 1, 21, 2, 7) == 20,
       "waiting: every fifth pixel in the state's colour, the others paler");
    OK(count_of(rgb[RECV], 28, 30, 2, 7) == 10, "transfer: plain");
    OK(count_of(pithi_theme()->path, 0, 20, HEIGHT + 14, HEIGHT + 18) == 40 &&
           count_of(pithi_theme()->path, 0, 20, HEIGHT + 2, HEIGHT + 14) == 0,
       "the path on the sender, at the foot of its bar");
    OK(count_of(pithi_theme()->path, 27, 40, 2, 18) == 6, "the path on the receiver");
    OK(count_of(pithi_theme()->path, 22, 27, 14, HEIGHT + 18) >= 2 * HEIGHT, "a step between them");
    plot.waits = plot.path = 0;
    pithi_raster_onto(&raster, words, WIDTH, HEIGHT * 2, pithi_theme()->paper);
    pithi_plot_draw(&plot, &painter);
    for (int i = 0; i < WIDTH * HEIGHT * 2; i++)
        other += words[i] == pale || words[i] == pithi_theme()->path;
    OK(other == 0, "neither, if they are switched off");
    end(&plot);
}

/* Parts of a hatching fit together, and lines end at its edges. */
static void test_hatch(void)
{
    struct pithi_hatching hatching = {
        .x = 3, .y = 2, .width = 20, .height = 10, .step = 4, .phase = 1, .lines = 2, .ground = 1, .rgb = 2};
    static uint32_t whole[WIDTH * HEIGHT];
    struct pithi_raster raster;
    struct pithi_painter painter;
    int wrong = 0;

    pithi_raster_onto(&raster, words, WIDTH, HEIGHT, 0);
    painter = pithi_raster_painter(&raster);
    pithi_hatch(&painter, &hatching);
    memcpy(whole, words, sizeof whole);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            int inside = x >= 3 && x < 23 && y >= 2 && y < 12;
            wrong += words[y * WIDTH + x] != (inside ? (uint32_t)((x + y - 1) % 4 < 2 ? 2 : 1) : 0);
        }
    OK(wrong == 0, "two of four pixels, from the phase on, and none outside (%d wrong)", wrong);
    pithi_raster_onto(&raster, words, WIDTH, HEIGHT, 0);
    hatching.width = 7;
    pithi_hatch(&painter, &hatching);
    hatching.x = 10;
    hatching.width = 13;
    pithi_hatch(&painter, &hatching);
    OK(memcmp(whole, words, sizeof whole) == 0, "two parts look like the whole");
}

int main(void)
{
    test_columns();
    test_many();
    test_pixels();
    test_hatch();
    return tap_done();
}
