/* test_core_interruptions.c - pauses and losses: found, and to be seen. */
#include "core/cells/interruptions.h"
#include "core/scene/plot.h"
#include "core/raster/raster.h"
#include "core/raster/palette.h"
#include "core_log.h"
#include "tap.h"

enum { WIDTH = 100, HEIGHT = 20, WORK = 0 };

static struct pithlog *make_log(void)
{
    struct core_log log;
    uint32_t first, second;

    core_log_begin(&log);
    core_define(&log, PITHLOG_STATE, "work", "red");
    first = core_lane(&log, 0, 0, "");
    second = core_lane(&log, 1, 0, "");
    core_add(&log, first, PITHLOG_ENTER, 0, WORK);
    core_add(&log, first, PITHLOG_PAUSE, 20, 0);
    core_add(&log, first, PITHLOG_PAUSE, 25, 0);
    core_add(&log, first, PITHLOG_RESUME, 60, 0);
    core_add(&log, first, PITHLOG_LOST, 80, 0);
    core_add(&log, first, PITHLOG_PAUSE, 90, 0);
    core_add(&log, first, PITHLOG_RESUME, 90, 0);
    core_add(&log, first, PITHLOG_LEAVE, 100, WORK);
    core_add(&log, second, PITHLOG_ENTER, 0, WORK);
    core_add(&log, second, PITHLOG_PAUSE, 50, 0);
    core_add(&log, second, PITHLOG_LEAVE, 70, WORK);
    return core_log_end(&log);
}

static uint32_t at(const uint32_t *words, int x, int y) { return words[y * WIDTH + x]; }

int main(void)
{
    static const struct pithi_row rows[] = {{.lane = 0}, {.lane = 1}};
    static const uint32_t rgb[] = {0xcc0000};
    static uint32_t words[WIDTH * HEIGHT * 2];
    struct pithlog *log = make_log();
    struct pithi_interruptions interruptions = {0};
    struct pithi_raster raster;
    struct pithi_painter painter;
    struct pithi_plot plot = {.log = log,
                              .rgb = rgb,
                              .t1_ns = 100,
                              .rows = rows,
                              .row_count = 2,
                              .width = WIDTH,
                              .row_height = HEIGHT,
                              .interruptions = &interruptions};
    int other = 0;

    core_check(pithi_interruptions_read(log, &interruptions));
    OK(interruptions.count == 4 && interruptions.items[0].from_ns == 20 && interruptions.items[0].to_ns == 60 &&
           !interruptions.items[0].lost,
       "a pause, to where recording goes on; a second pause in it is the same one");
    OK(interruptions.items[1].from_ns == 80 && interruptions.items[1].lost == 7, "a loss, and of how many records");
    OK(pithi_interruptions_of(&interruptions, 1) == 3 && interruptions.items[3].from_ns == 50 &&
           interruptions.items[3].to_ns == 70,
       "a pause without an end: to that of the lane");
    OK(pithi_interruptions_of(&interruptions, 2) == 4, "none of other lanes");

    core_check(pithi_plot_load(&plot));
    pithi_raster_onto(&raster, words, WIDTH, HEIGHT * 2, pithi_theme()->paper);
    painter = pithi_raster_painter(&raster);
    pithi_plot_draw(&plot, &painter);
    OK(at(words, 10, 10) == 0xcc0000 && at(words, 70, 10) == 0xcc0000 && at(words, 30, 30) == 0xcc0000,
       "states beside the pauses");
    for (int x = 20; x < 60; x++)
        other += at(words, x, 10) != 0xcc0000;
    OK(other == 40 && at(words, 60, 30) != 0xcc0000, "in a pause nothing is told of the state (%d)", other);
    OK(at(words, 80, 10) == pithi_theme()->alarm && at(words, 79, 10) == 0xcc0000, "a line at the loss");
    other = 0;
    for (int x = 82; x < 90; x++)
        other += at(words, x, 10) == 0xcc0000;
    OK(other == 0 && at(words, 92, 10) == 0xcc0000, "between LOST and the next record there is no state (%d)", other);
    pithi_plot_free(&plot);
    pithi_interruptions_free(&interruptions);
    pithlog_close(log);
    return tap_done();
}
