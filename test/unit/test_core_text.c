/* test_core_text.c - time axes, texts, what people type, and the layout of a whole picture. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/scene/axis.h"
#include "core/rows/words.h"
#include "core/scene/figure.h"
#include "core/raster/palette.h"
#include "common/random.h"
#include "core_log.h"
#include "tap.h"

/* ---- Axis -------------------------------------------------------------------------------------------------------- */

static const char *clock_labels_of(int64_t t0, int64_t t1, int64_t clock_ns, double width, double spacing)
{
    static char text[4096];
    struct pithi_axis axis;

    pithi_axis_make(t0, t1, clock_ns, width, spacing, &axis);
    snprintf(text, sizeof text, "[%s]", axis.base);
    for (uint32_t i = 0; i < axis.count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), " %s@%.0f", axis.ticks[i].label, axis.ticks[i].x);
    return text;
}

static const char *labels_of(int64_t t0, int64_t t1, double width, double spacing)
{
    return clock_labels_of(t0, t1, 0, width, spacing);
}

static int text_is(const char *got, const char *wanted)
{
    if (strcmp(got, wanted) == 0)
        return 1;
    printf("# got:    %s\n# wanted: %s\n", got, wanted);
    return 0;
}

static void test_axis(void)
{
    OK(text_is(labels_of(0, 1000000000, 1000, 180), "[] 0.0 s@0 0.2 s@200 0.4 s@400 0.6 s@600 0.8 s@800"),
       "a second: steps of 0.2 s");
    OK(text_is(labels_of(4000000, 6000000, 800, 200), "[] 4.0 ms@0 4.5 ms@200 5.0 ms@400 5.5 ms@600"),
       "two milliseconds: steps of 0.5 ms");
    OK(text_is(labels_of(12345678000, 12345698000, 400, 100),
               "[12.345 s] +680 us@40 +685 us@140 +690 us@240 +695 us@340"),
       "deep in a long log: labels from a base");
    OK(text_is(labels_of(-3, 3, 600, 100), "[] -3 ns@0 -2 ns@100 -1 ns@200 0 ns@300 1 ns@400 2 ns@500"),
       "a few nanoseconds: steps of one, none smaller; before the log's start too");
    OK(text_is(labels_of(0, 3600000000000, 500, 100), "[] 0:00:00@0 0:15:00@125 0:30:00@250 0:45:00@375"), "an hour");
    OK(text_is(labels_of(0, 120000000000, 500, 100), "[] 0:00@0 0:30@125 1:00@250 1:30@375"), "two minutes");
    OK(text_is(labels_of(0, 119000000000, 500, 200), "[] 0 s@0 50 s@210 100 s@420"), "less");
    OK(text_is(labels_of(3753000000000, 3755000000000, 400, 100),
               "[] 1:02:33.0@0 1:02:33.5@100 1:02:34.0@200 1:02:34.5@300"),
       "two seconds after an hour");
    OK(text_is(labels_of(3753678000000, 3753698000000, 400, 100),
               "[1:02:33] +680 ms@40 +685 ms@140 +690 ms@240 +695 ms@340"),
       "milliseconds after an hour");
    OK(text_is(labels_of(-200000000000, 400000000000, 600, 200), "[] 0:00@200 5:00@500"), "before the start");
    OK(text_is(labels_of(0, 864000000000000, 500, 100),
               "[] 0:00:00@0 48:00:00@100 96:00:00@200 144:00:00@300 192:00:00@400"),
       "days");
}

static int is_step_of_time(int64_t step)
{
    static const int seconds[] = {15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200};

    for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++)
        if (step == seconds[i] * 1000000000LL)
            return 1;
    return step % 86400000000000 == 0;
}

/* 2026-11-29 14:03:05.25 */
#define YEAR (365 * 86400000000000)
#define CLOCK_NS 1795960985250000000

static void test_clock_axis(void)
{
    OK(text_is(clock_labels_of(0, 4000000000, CLOCK_NS, 400, 100),
               "[2026-11-29] 14:03:06@75 14:03:07@175 14:03:08@275 14:03:09@375"),
       "seconds of a day");
    OK(text_is(clock_labels_of(0, 100000000000000, CLOCK_NS, 500, 100),
               "[2026-11-29] 18:00:00@71 2026-11-30@179 06:00:00@287 12:00:00@395"),
       "a day and more: midnight is a date");
    OK(text_is(clock_labels_of(0, 600000000000000, CLOCK_NS, 500, 100),
               "[] 2026-12-01@102 2026-12-03@246 2026-12-05@390"),
       "a week: dates");
    OK(text_is(clock_labels_of(5678000, 5698000, CLOCK_NS, 400, 100),
               "[2026-11-29 14:03:05.255] +680 us@40 +685 us@140 +690 us@240 +695 us@340"),
       "microseconds");
}

/* 1-2-5 steps or those of h:mm:ss, marks where their labels say, no two labels alike. */
static int axis_is_sane(int64_t t0, int64_t t1, double width, double spacing)
{
    struct pithi_axis axis;
    int64_t step;

    pithi_axis_make(t0, t1, 0, width, spacing, &axis);
    for (step = axis.step_ns; step % 10 == 0; step /= 10)
        continue;
    if (step != 1 && step != 2 && step != 5 && !is_step_of_time(axis.step_ns))
        return 0;
    for (uint32_t i = 0; i < axis.count; i++) {
        if (axis.ticks[i].time_ns % axis.step_ns || axis.ticks[i].x < 0 || axis.ticks[i].x >= width + 0.001)
            return 0;
        if (i && (strcmp(axis.ticks[i].label, axis.ticks[i - 1].label) == 0 ||
                  (axis.ticks[i].x - axis.ticks[i - 1].x < spacing - 0.001)))
            return 0;
    }
    return axis.count > 0 || (double)axis.step_ns > (double)(t1 - t0) / 2;
}

static void test_many_axes(void)
{
    int sane = 1;

    for (int64_t span = 7; span < 1000000000000000; span = span * 17 / 5)
        for (int64_t t0 = 0; t0 < 4000000000000; t0 = t0 * 31 / 7 + 13)
            sane &= axis_is_sane(t0, t0 + span, 1100, 90);
    OK(sane,
       "from 7 ns to 11 days, anywhere: steps of 1, 2, 5 or of h:mm:ss; labels differ; marks keep their distance");
    OK(axis_is_sane(INT64_MAX - 100, INT64_MAX, 500, 90), "at the end of time");
}

/* What is shown can be typed: each label, with the base if there is one, is a word for its time. */
static int axis_reads_back(struct pithlog *log, int64_t t0, int64_t t1, int64_t clock_ns)
{
    char day[48] = "";
    struct pithi_axis axis;
    char word[96];
    int64_t time;

    pithi_axis_make(t0, t1, clock_ns, 1100, 90, &axis);
    for (uint32_t i = 0; i < axis.count; i++) {
        const char *label = axis.ticks[i].label;
        int is_clock = label[2] == ':' && clock_ns;
        if (clock_ns && !i)
            snprintf(day, sizeof day, "%s", axis.base);
        if (strlen(label) == 10 && label[4] == '-')
            snprintf(day, sizeof day, "%s", label);
        snprintf(word, sizeof word, "%s%s%s",
                 is_clock          ? day
                 : label[0] == '+' ? axis.base
                                   : "",
                 is_clock ? " " : "", label);
        if (pithlog_time_find(log, word, PITHLOG_EDGE_BEGIN, &time) || time != axis.ticks[i].time_ns) {
            printf("# %s: read as %lld, not %lld\n", word, (long long)time, (long long)axis.ticks[i].time_ns);
            return 0;
        }
    }
    return 1;
}

static int texts_read_back(int64_t value, int64_t resolution)
{
    char text[64];
    int64_t time, apart = value < 0 ? -value : value;

    pithi_time_text(value, resolution, text, sizeof text);
    if (pithlog_time_parse(text, &time) || llabs(time - value) > resolution) {
        printf("# time %lld: %s\n", (long long)value, text);
        return 0;
    }
    pithi_duration_text(value, text, sizeof text);
    if (pithlog_time_parse(text, &time) || llabs(time - value) > apart / 1000 + 1) {
        printf("# duration %lld: %s\n", (long long)value, text);
        return 0;
    }
    return 1;
}

/* Windows and times of all sizes, up to eleven days from the start, and since 1970. */
static void test_reads_back(struct pithlog *log, struct pithlog *clocked)
{
    int axes = 1, texts = 1, clocks = 1;

    for (int i = 0; i < 20000; i++) {
        int64_t t0 = (int64_t)(random_u64() % 2000000000000000000 >> random_below(60));
        int64_t span = 7 + (int64_t)(random_u64() % 1000000000000000 >> random_below(48));
        if (random_below(8) == 0)
            t0 = -t0;
        axes &= axes && axis_reads_back(log, t0, t0 + span, 0);
        clocks &= clocks && axis_reads_back(clocked, t0 % YEAR, t0 % YEAR + span, CLOCK_NS);
        texts &= texts && texts_read_back(t0, 1 + span / 1000);
    }
    OK(axes, "the labels of 20000 axes are words for their times");
    OK(clocks, "so are those of times of day");
    OK(texts, "so are the texts of times and durations");
}

static void test_texts(void)
{
    char text[64];

    pithi_duration_text(1500000000, text, sizeof text);
    OK(text_is(text, "1.5 s"), "1.5 s");
    pithi_duration_text(340123, text, sizeof text);
    OK(text_is(text, "340.1 us"), "340.1 us");
    pithi_duration_text(0, text, sizeof text);
    OK(text_is(text, "0 ns"), "0 ns");
    pithi_duration_text(999960000000, text, sizeof text);
    OK(text_is(text, "16:40"), "rounded to a second from 1000 s on");
    pithi_duration_text(9999700000000, text, sizeof text);
    OK(text_is(text, "2:46:40"), "hours");
    pithi_duration_text(-87823400000000, text, sizeof text);
    OK(text_is(text, "-24:23:43"), "more than a day, the other way");
    pithi_duration_text(125340000000, text, sizeof text);
    OK(text_is(text, "2:05.3"), "minutes");
    pithi_duration_text(119960000000, text, sizeof text);
    OK(text_is(text, "120 s"), "less than two minutes");
    pithi_time_text(3753500000000, 1000, text, sizeof text);
    OK(text_is(text, "1:02:33.5"), "a point in time after an hour");
    pithi_time_text(3599999999999, 1000000, text, sizeof text);
    OK(text_is(text, "1:00:00"), "rounded to an hour");
    pithi_time_text(12345678901, 1, text, sizeof text);
    OK(text_is(text, "12.345678901 s"), "a point in time to the nanosecond");
    pithi_time_text(1700000000123456789, 1, text, sizeof text);
    OK(text_is(text, "1700000000.123456789 s"), "a time since 1970");
    pithi_time_text(4000000, 1000, text, sizeof text);
    OK(text_is(text, "4 ms"), "without zeros that say nothing");
    pithi_time_text(100000000000, 1000000000, text, sizeof text);
    OK(text_is(text, "100 s"), "with zeros that do");
    pithi_number_text(1234567, text, sizeof text);
    OK(text_is(text, "1\xe2\x80\x89"
                     "234\xe2\x80\x89"
                     "567"),
       "digits in groups");
}

/* ---- Words ------------------------------------------------------------------------------------------------------- */

static void test_words(void)
{
    int width, height;

    OK(pithi_size_parse("1200x400", &width, &height) == 0 && width == 1200 && height == 400 &&
           pithi_size_parse("640", &width, &height) == 0 && width == 640 && height == 0,
       "sizes");
    OK(pithi_size_parse("x3", &width, &height) && pithi_size_parse("3x", &width, &height) &&
           pithi_size_parse("0x3", &width, &height) && pithi_size_parse("3x4x5", &width, &height) &&
           pithi_size_parse("-3x4", &width, &height),
       "what is no size");
}

static int clean_is(const char *text, size_t size, int ascii, const char *wanted)
{
    char out[64];
    return text_is(pithi_clean(out, size, text, ascii), wanted);
}

static void test_clean(void)
{
    OK(clean_is("a\033[2J\nb\177", 64, 0, "a?[2J?b?"), "no control characters");
    OK(clean_is("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 64, 0, "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"), "UTF-8 stays");
    OK(clean_is("\xc3\xa4z", 64, 1, "?z"), "but not among plain letters");
    OK(clean_is("\xff\xc0\x80\xed\xa0\x80\xc3", 64, 0, "???????"),
       "what is not UTF-8, overlong, a surrogate, cut short");
    OK(clean_is("\xc2\x9bm", 64, 0, "?m"), "C1 controls, which terminals obey as well");
    OK(clean_is("a\xe2\x80\xae"
                "b\xd8\x9c"
                "c\xe2\x81\xa9",
                64, 0, "a\\u202eb\\u061cc\\u2069"),
       "directional marks are shown escaped");
    OK(clean_is("\xe2\x80\xad\xe2\x80\xaf\xe2\x80\x90", 64, 0, "\\u202d\xe2\x80\xaf\xe2\x80\x90"),
       "their neighbours stay");
    OK(clean_is("\xe2\x80\xae", 6, 1, ""), "and none is cut");
    OK(clean_is("ab\xe2\x82\xac", 5, 0, "ab"), "nothing is cut inside of a character");
    OK(pithi_columns("a\xc3\xa4\xe2\x82\xac") == 3, "characters are counted, not bytes");
}

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

static struct pithlog *thread_log(const char *start)
{
    struct core_log log;
    uint32_t work, given, other;

    core_log_begin(&log);
    if (start)
        core_check(pithi_defs_property(pithi_writer_defs(log.writer), "start_unix_s", start));
    work = core_define(&log, PITHLOG_STATE, "work", "");
    given = core_define(&log, PITHLOG_STATE, "given", "#40a090"); /* the palette's first */
    other = core_define(&log, PITHLOG_STATE, "other", "");
    for (int32_t rank = 0; rank < 4; rank++)
        for (uint32_t thread = 0; thread < 2; thread++) {
            uint32_t lane = core_lane(&log, rank, thread, thread ? "worker" : "");
            core_add(&log, lane, PITHLOG_ENTER, 100, work);
            core_add(&log, lane, PITHLOG_ENTER, 120, given);
            core_add(&log, lane, PITHLOG_LEAVE, 130, given);
            core_add(&log, lane, PITHLOG_LEAVE, 1000, work);
            core_add(&log, lane, PITHLOG_ENTER, 1000, other);
            core_add(&log, lane, PITHLOG_LEAVE, 1100, other);
        }
    return core_log_end(&log);
}

static uint32_t chosen(struct pithlog *log, const char *list)
{
    uint32_t count;
    struct pithi_row *rows = pithi_rows_make(log, NULL, &count);
    int failed = pithi_rows_choose(log, list, rows, &count);

    free(rows);
    return failed ? PITHI_NONE : count;
}

static void test_rows(struct pithlog *log)
{
    char label[64];

    OK(chosen(log, "1") == 2 && chosen(log, "0-2") == 6 && chosen(log, "0.1,3") == 3 && chosen(log, "1-3.0") == 3 &&
           chosen(log, "9") == 0,
       "lists of lanes");
    OK(chosen(log, "") == PITHI_NONE && chosen(log, "x") == PITHI_NONE && chosen(log, "1,") == PITHI_NONE &&
           chosen(log, "1-") == PITHI_NONE && chosen(log, "1..2") == PITHI_NONE,
       "what is no list of lanes");
    pithi_row_label(log, (struct pithi_row){.lane = 0}, label, sizeof label);
    OK(text_is(label, "rank 0"), "a rank's label");
    pithi_row_label(log, (struct pithi_row){.lane = 5}, label, sizeof label);
    OK(text_is(label, "2.1 worker"), "a thread's label");
}

static void test_palette(struct pithlog *log)
{
    uint32_t *rgb = pithi_palette_make(log);

    OK(rgb[1] == 0x40a090, "a colour that the program gave is kept");
    OK(rgb[0] != rgb[2] && rgb[0] != rgb[1] && rgb[2] != rgb[1], "the palette keeps away from it, and from itself");
    free(rgb);
}

/* ---- The whole picture ------------------------------------------------------------------------------------------- */

/* Texts are six pixels a letter; everything drawn must lie inside. */
struct canvas {
    double width, height;
    int outside, texts, bars;
};

static double fake_width(void *context, struct pithi_font font, const char *text)
{
    (void)context, (void)font;
    return 6.0 * (double)strlen(text);
}

static void note(struct canvas *canvas, double x0, double y0, double x1, double y1)
{
    if (x0 < -0.01 || y0 < -0.01 || x1 > canvas->width + 0.01 || y1 > canvas->height + 0.01) {
        canvas->outside++;
        printf("# outside: %g,%g to %g,%g of %gx%g\n", x0, y0, x1, y1, canvas->width, canvas->height);
    }
}

static void fake_rect(void *context, double x, double y, double width, double height, uint32_t rgb, double alpha)
{
    struct canvas *canvas = context;

    (void)alpha;
    note(canvas, x, y, x + width, y + height);
    canvas->bars += rgb == 0x40a090;
}

static void fake_line(void *context, double x0, double y0, double x1, double y1, uint32_t rgb, double alpha)
{
    (void)context, (void)x0, (void)y0, (void)x1, (void)y1, (void)rgb, (void)alpha;
}

static void fake_triangle(void *context, const double x[3], const double y[3], uint32_t rgb, double alpha)
{
    (void)rgb, (void)alpha;
    for (int i = 0; i < 3; i++)
        note(context, x[i], y[i], x[i], y[i]);
}

static void fake_clip(void *context, double x, double y, double width, double height)
{
    (void)context, (void)x, (void)y, (void)width, (void)height;
}

static void fake_text(void *context, double x, double y, enum pithi_anchor anchor, struct pithi_font font, uint32_t rgb,
                      const char *text)
{
    struct canvas *canvas = context;
    double width = fake_width(NULL, font, text);
    double left = anchor == PITHI_LEFT ? x : anchor == PITHI_RIGHT ? x - width : x - width / 2;

    (void)rgb;
    canvas->texts++;
    note(canvas, left, y - font.size, left + width, y + 3);
}

static int draw_figure(struct pithlog *log, double width, double height, struct canvas *canvas)
{
    struct pithi_painter painter = {.context = canvas,
                                    .rect = fake_rect,
                                    .line = fake_line,
                                    .triangle = fake_triangle,
                                    .clip = fake_clip,
                                    .text = fake_text,
                                    .text_width = fake_width};
    uint32_t *rgb = pithi_palette_make(log), rows;
    struct pithi_figure figure = {.title = "a title that is much too long for a small picture but not for a large one",
                                  .plot = {.log = log, .rgb = rgb, .most_arrows = 10},
                                  .width = width,
                                  .height = height};
    int err;

    figure.plot.rows = pithi_rows_make(log, NULL, &rows);
    figure.plot.row_count = rows;
    pithi_whole_window(log, &figure.plot.t0_ns, &figure.plot.t1_ns);
    err = pithi_figure_load(&figure, &painter);
    memset(canvas, 0, sizeof *canvas);
    canvas->width = figure.width;
    canvas->height = figure.height;
    if (!err)
        pithi_figure_draw(&figure, &painter);
    free((void *)figure.plot.rows);
    free(rgb);
    pithi_figure_free(&figure);
    return err;
}

static void test_figure(struct pithlog *log)
{
    struct canvas canvas;

    OK(draw_figure(log, 1200, 0, &canvas) == PITH_OK && canvas.outside == 0 && canvas.texts > 20 && canvas.bars >= 8,
       "a picture as high as its rows need; all of it inside (%d texts, %d bars)", canvas.texts, canvas.bars);
    OK(draw_figure(log, 300, 200, &canvas) == PITH_OK && canvas.outside == 0, "a small one, all of it inside");
    OK(draw_figure(log, 3000, 2000, &canvas) == PITH_OK && canvas.outside == 0, "a large one, all of it inside");
    OK(draw_figure(log, 100, 0, &canvas) == PITH_ERR_USAGE, "one too small is refused");
}

int main(void)
{
    struct pithlog *log = thread_log(NULL), *clocked = thread_log("1795957385.250000000");

    test_axis();
    test_many_axes();
    setenv("TZ", "UTC-1", 1);
    test_clock_axis();
    test_reads_back(log, clocked);
    test_texts();
    test_words();
    test_clean();
    test_rows(log);
    test_palette(log);
    test_figure(log);
    pithlog_close(log);
    pithlog_close(clocked);
    return tap_done();
}
