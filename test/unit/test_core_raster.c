/* test_core_raster.c - pictures of a tiny log, pixel by pixel, and the shapes of the raster. */
#include <math.h>
#include <string.h>

#include "core/scene/hit.h"
#include "core/raster/palette.h"
#include "core/scene/plot.h"
#include "core/raster/raster.h"
#include "core_log.h"
#include "tap.h"

enum { RED, GREEN, BLUE, MARK };
static const uint32_t rgb[] = {0xcc0000, 0x00aa00, 0x0000cc, 0xff00ff};

/* Twenty nanoseconds: rank 0 has red [0, 10) with green [4, 8) inside, then blue [10, 20). Rank 1 has blue [6, 7) and
 * an event at 15; its life is [6, 15]. */
static struct pithlog *tiny_log(void)
{
    struct core_log log;
    uint32_t a, b;

    core_log_begin(&log);
    core_define(&log, PITHLOG_STATE, "red", "#cc0000");
    core_define(&log, PITHLOG_STATE, "green", "#00aa00");
    core_define(&log, PITHLOG_STATE, "blue", "#0000cc");
    core_define(&log, PITHLOG_EVENT_TYPE, "mark", "#ff00ff");
    a = core_lane(&log, 0, 0, "");
    b = core_lane(&log, 1, 0, "");
    core_add(&log, a, PITHLOG_ENTER, 0, RED);
    core_add(&log, a, PITHLOG_ENTER, 4, GREEN);
    core_add(&log, a, PITHLOG_LEAVE, 8, GREEN);
    core_add(&log, a, PITHLOG_LEAVE, 10, RED);
    core_add(&log, a, PITHLOG_ENTER, 10, BLUE);
    core_add(&log, a, PITHLOG_LEAVE, 20, BLUE);
    core_add(&log, b, PITHLOG_ENTER, 6, BLUE);
    core_add(&log, b, PITHLOG_LEAVE, 7, BLUE);
    core_add(&log, b, PITHLOG_EVENT, 15, MARK);
    return core_log_end(&log);
}

/* ---- Pixels as letters ------------------------------------------------------------------------------------------- */

static char letter_of(const unsigned char *pixel)
{
    uint32_t colour = (uint32_t)pixel[0] << 16 | (uint32_t)pixel[1] << 8 | pixel[2];

    for (int i = 0; i < 4; i++) {
        if (colour == rgb[i])
            return "rgbm"[i];
        if (colour == pithi_rgb_darker(rgb[i], 0.35))
            return "RGBM"[i];
    }
    return colour == PITHI_RGB_PAPER ? ' ' : colour == PITHI_RGB_IDLE ? '.' : colour == PITHI_RGB_GRID ? '-' : '?';
}

static const char *art_of(const struct pithi_raster *raster)
{
    static char art[4096];
    char *out = art;

    for (int y = 0; y < raster->height; y++) {
        for (int x = 0; x < raster->width; x++)
            *out++ = letter_of(raster->pixels + ((size_t)y * raster->width + x) * 3);
        *out++ = '\n';
    }
    *out = 0;
    return art;
}

static int art_is(const struct pithi_raster *raster, const char *wanted)
{
    const char *art = art_of(raster);

    if (strcmp(art, wanted) == 0)
        return 1;
    printf("# got:\n%s# wanted:\n%s", art, wanted);
    return 0;
}

static void draw(struct pithlog *log, struct pithi_plot *plot, struct pithi_raster *raster, int64_t t0, int64_t t1,
                 uint32_t width, double row_height, const unsigned char *hidden)
{
    static const struct pithi_row rows[] = {{.lane = 0}, {.lane = 1}};
    struct pithi_painter painter = pithi_raster_painter(raster);

    memset(plot, 0, sizeof *plot);
    plot->log = log;
    plot->rgb = rgb;
    plot->t0_ns = t0;
    plot->t1_ns = t1;
    plot->rows = rows;
    plot->row_count = 2;
    plot->hidden = hidden;
    plot->width = width;
    plot->row_height = row_height;
    core_check(pithi_plot_load(plot));
    pithi_raster_prepare(raster, (int)width, (int)(2 * row_height), PITHI_RGB_PAPER);
    pithi_plot_draw(plot, &painter);
}

static void test_plots(struct pithlog *log)
{
    static const unsigned char no_red[] = {1, 0, 0, 1};
    struct pithi_raster raster = {0};
    struct pithi_plot plot;

    /* Row height 5: a gap of one pixel, bars of four, inner ones of three. */
    draw(log, &plot, &raster, 0, 20, 20, 5, NULL);
    OK(art_is(&raster, "RrrrGgggrrBbbbbbbbbb\n"
                       "RrrrGgggrrBbbbbbbbbb\n"
                       "RrrrGgggrrBbbbbbbbbb\n"
                       "RrrrrrrrrrBbbbbbbbbb\n"
                       "                    \n"
                       "      b........m    \n"
                       "      b........m    \n"
                       "      b........     \n"
                       "      b........     \n"
                       "                    \n"),
       "a column a nanosecond: bars, an inner bar, dividing lines, idle life, an event");
    pithi_plot_free(&plot);

    draw(log, &plot, &raster, 0, 20, 20, 5, no_red);
    OK(art_is(&raster, "....Gggg..Bbbbbbbbbb\n"
                       "....Gggg..Bbbbbbbbbb\n"
                       "....Gggg..Bbbbbbbbbb\n"
                       "....Gggg..Bbbbbbbbbb\n"
                       "                    \n"
                       "      b........     \n"
                       "      b........     \n"
                       "      b........     \n"
                       "      b........     \n"
                       "                    \n"),
       "hidden states leave their place to those inside; hidden events are gone");
    pithi_plot_free(&plot);

    /* Five nanoseconds a column: rank 1's blue covers a fifth of one and is half as high. */
    draw(log, &plot, &raster, 0, 20, 4, 5, NULL);
    OK(art_is(&raster, "rgbb\nrgbb\nrgbb\nrrbb\n    \n ..m\n ..m\n b. \n b. \n    \n"),
       "coarse: the majority's colour; what covers less than half is lower");
    pithi_plot_free(&plot);
    pithi_raster_free(&raster);
}

static void test_hits(struct pithlog *log)
{
    struct pithi_hit hit;

    OK(pithi_hit_state(log, 0, 5, 6, 3, NULL, &hit) == 1 && hit.id == GREEN && hit.start_ns == 4 && hit.end_ns == 8 &&
           hit.depth == 1 && hit.ended,
       "the innermost state at a pixel, with its true ends");
    OK(pithi_hit_state(log, 0, 5, 6, 0, NULL, &hit) == 1 && hit.id == RED && hit.start_ns == 0 && hit.end_ns == 10,
       "the outermost one, when that is what the pixel shows");
    OK(pithi_hit_state(log, 0, 0, 20, 0, NULL, &hit) == 1 && (hit.id == RED || hit.id == BLUE),
       "a pixel wider than all");
    OK(pithi_hit_state(log, 1, 9, 10, 3, NULL, &hit) == 0, "nothing where a lane is idle");
    OK(pithi_hit_state(log, 1, 18, 19, 3, NULL, &hit) == 0, "nothing after a lane's end");
    OK(pithi_hit_event(log, 1, 14, 2, NULL, &hit) == 1 && hit.id == MARK && hit.start_ns == 15, "an event near by");
    OK(pithi_hit_event(log, 1, 10, 2, NULL, &hit) == 0, "no event far away");
}

/* ---- Shapes ------------------------------------------------------------------------------------------------------ */

static uint32_t pixel_at(const struct pithi_raster *raster, int x, int y)
{
    const unsigned char *pixel = raster->pixels + ((size_t)y * raster->width + x) * 3;
    return (uint32_t)pixel[0] << 16 | (uint32_t)pixel[1] << 8 | pixel[2];
}

static int count_not(const struct pithi_raster *raster, uint32_t colour)
{
    int count = 0;

    for (int y = 0; y < raster->height; y++)
        for (int x = 0; x < raster->width; x++)
            count += pixel_at(raster, x, y) != colour;
    return count;
}

static void test_shapes(void)
{
    struct pithi_raster raster = {0};
    struct pithi_painter painter = pithi_raster_painter(&raster);
    static const double xs[] = {2, 8, 2}, ys[] = {2, 2, 8};

    pithi_raster_prepare(&raster, 12, 10, 0xffffff);
    painter.rect(painter.context, -5, 3, 100, 2, 0x112233, 1);
    OK(count_not(&raster, 0xffffff) == 24 && pixel_at(&raster, 0, 3) == 0x112233 &&
           pixel_at(&raster, 11, 4) == 0x112233,
       "a rectangle is cut at the edges of the picture");
    pithi_raster_prepare(&raster, 12, 10, 0xffffff);
    painter.rect(painter.context, 0, 0, 1, 1, 0x000000, 0.5);
    OK(pixel_at(&raster, 0, 0) == 0x7f7f7f, "half black on white is grey");
    pithi_raster_prepare(&raster, 12, 10, 0xffffff);
    painter.line(painter.context, 2, 4.5, 9, 4.5, 0x000000, 1);
    OK(count_not(&raster, 0xffffff) == 7 && pixel_at(&raster, 2, 4) == 0 && pixel_at(&raster, 8, 4) == 0,
       "a level line through pixel centres is sharp");
    pithi_raster_prepare(&raster, 12, 10, 0xffffff);
    painter.line(painter.context, -1e9, -1e9, 1e9, 1e9, 0x000000, 1);
    OK(pixel_at(&raster, 0, 0) == 0 && pixel_at(&raster, 9, 9) == 0 && pixel_at(&raster, 0, 9) == 0xffffff,
       "a line from far outside to far outside is drawn inside");
    painter.line(painter.context, 20, 0, 30, 10, 0x000000, 1);
    painter.line(painter.context, 0.0 / 1e-300, 5, 1e300, 5, 0x000000, 1);
    OK(1, "lines that miss the picture, or are no lines, do no harm");
    pithi_raster_prepare(&raster, 12, 10, 0xffffff);
    painter.triangle(painter.context, xs, ys, 0xff0000, 1);
    OK(pixel_at(&raster, 3, 3) == 0xff0000 && pixel_at(&raster, 7, 7) == 0xffffff &&
           pixel_at(&raster, 1, 1) == 0xffffff,
       "a triangle is full inside, nothing outside");
    pithi_raster_prepare(&raster, 12, 10, 0xffffff);
    painter.clip(painter.context, 2, 2, 3, 3);
    painter.rect(painter.context, 0, 0, 12, 10, 0, 1);
    painter.line(painter.context, 0, 0, 12, 10, 0, 1);
    OK(count_not(&raster, 0xffffff) == 9, "nothing is drawn outside of the clip");
    pithi_raster_free(&raster);
}

enum { SIDE = 40, UNIT = 192 }; /* units of a pixel, in which corners (64ths) and sampled points (sixths) are whole */

/* The number of the 3 x 3 points of a pixel that a triangle covers; -1: a point is on an edge. */
static int points_covered(const int64_t x[3], const int64_t y[3], int column, int row)
{
    int covered = 0;

    for (int i = 0; i < 9; i++) {
        int64_t px = UNIT * column + UNIT / 6 * (2 * (i % 3) + 1), py = UNIT * row + UNIT / 6 * (2 * (i / 3) + 1);
        int left = 0;
        for (int a = 0, b = 1; a < 3; a++, b = (b + 1) % 3) {
            int64_t side = (x[b] - x[a]) * (py - y[a]) - (y[b] - y[a]) * (px - x[a]);
            if (!side)
                return -1;
            left += side > 0;
        }
        covered += left == 0 || left == 3;
    }
    return covered;
}

static void test_triangles(void)
{
    uint32_t words[SIDE * SIDE], wrong = 0, judged = 0, seed = 5;

    for (int round = 0; round < 500; round++) {
        struct pithi_raster raster;
        int64_t x[3], y[3];
        double xs[3], ys[3];
        for (int i = 0; i < 3; i++) {
            x[i] = 9 * (int64_t)((seed = seed * 1103515245 + 12345) >> 16 & 1023) - UNIT;
            y[i] = 9 * (int64_t)((seed = seed * 1103515245 + 12345) >> 16 & 1023) - UNIT;
            xs[i] = (double)x[i] / UNIT;
            ys[i] = (double)y[i] / UNIT;
        }
        pithi_raster_onto(&raster, words, SIDE, SIDE, 0xffffff);
        struct pithi_painter painter = pithi_raster_painter(&raster);
        painter.triangle(painter.context, xs, ys, 0x123456, 1);
        for (int p = 0; p < SIDE * SIDE; p++) {
            int points = points_covered(x, y, p % SIDE, p / SIDE);
            uint32_t alpha = (uint32_t)(points / 9.0 * 255 + 0.5);
            judged += points >= 0;
            wrong += points >= 0 && words[p] != pithi_blend_words(0xffffff, 0x123456, alpha + (alpha >> 7));
        }
    }
    OK(wrong == 0 && judged > 790000, "random triangles cover what they must: %u of %u pixels wrong", wrong, judged);
}

/* Every colour on every colour, with every alpha: each channel is the rounded mean of its own two values. */
static void test_blending(void)
{
    uint32_t wrong = 0;

    for (uint32_t alpha = 0; alpha <= 256; alpha++)
        for (uint32_t both = 0; both < 65536; both++) {
            uint32_t a = both & 255, b = both >> 8;
            uint32_t mean = (a * (256 - alpha) + b * alpha + 128) >> 8,
                     back = (b * (256 - alpha) + a * alpha + 128) >> 8;
            wrong +=
                pithi_blend_words(a << 16 | b << 8 | a, b << 16 | a << 8 | b, alpha) != (mean << 16 | back << 8 | mean);
        }
    OK(wrong == 0, "colours blend exactly: %u of %u wrong", wrong, 257 * 65536);
}

enum { LETTER_WIDTH = 7, LETTER_HEIGHT = 13, ASCENT = 10 };

/* Draws three letters across the edges of a clip, and compares each pixel with the masks. */
static void test_letters(void)
{
    unsigned char mask[3][LETTER_HEIGHT][LETTER_WIDTH];
    uint32_t words[SIDE * SIDE], wrong = 0, seed = 5;

    pithi_glyphs_reset(pithi_glyphs(), ASCENT, LETTER_HEIGHT);
    for (uint32_t i = 0; i < sizeof mask; i++)
        (&mask[0][0][0])[i] = (unsigned char)((seed = seed * 1103515245 + 12345) >> 16 & 255);
    for (uint32_t i = 0; i < 3; i++)
        pithi_glyphs_add(pithi_glyphs(), 'a' + i, LETTER_WIDTH, &mask[i][0][0]);
    for (int x = -25; x < SIDE + 5; x++)
        for (int y = -5; y < SIDE + 15; y++) {
            struct pithi_raster raster;
            pithi_raster_onto(&raster, words, SIDE, SIDE, 0x204060);
            struct pithi_painter painter = pithi_raster_painter(&raster);
            painter.clip(painter.context, 5, 6, 28, 27);
            painter.text(painter.context, x, y, PITHI_LEFT, (struct pithi_font){0}, 0xfedcba, "abc");
            for (int p = 0; p < SIDE * SIDE; p++) {
                int column = p % SIDE - x, line = p / SIDE - (y - ASCENT), covered = 0;
                if (p % SIDE >= 5 && p % SIDE < 33 && p / SIDE >= 6 && p / SIDE < 33 && column >= 0 &&
                    column < 3 * LETTER_WIDTH && line >= 0 && line < LETTER_HEIGHT)
                    covered = mask[column / LETTER_WIDTH][line][column % LETTER_WIDTH];
                wrong += words[p] != pithi_blend_words(0x204060, 0xfedcba, (uint32_t)(covered + (covered >> 7)));
            }
        }
    OK(wrong == 0, "letters cover what they must within the clip, and nothing else: %u pixels wrong", wrong);
    pithi_glyphs_reset(pithi_glyphs(), 0, 0);
}

/* The rim of a text is the text in another colour, moved by the rim's width into all eight directions. */
static void test_rims(void)
{
    static const int moves[8][2] = {{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}};
    unsigned char mask[LETTER_HEIGHT][LETTER_WIDTH] = {0};
    uint32_t wanted[SIDE * SIDE], words[SIDE * SIDE], wrong = 0;
    struct pithi_raster raster;

    pithi_glyphs_reset(pithi_glyphs(), ASCENT, LETTER_HEIGHT);
    mask[3][3] = mask[4][3] = 255, mask[5][4] = 100;
    pithi_glyphs_add(pithi_glyphs(), 'a', LETTER_WIDTH, &mask[0][0]);
    for (int size = 10; size <= 20; size += 10) {
        pithi_raster_onto(&raster, wanted, SIDE, SIDE, 0x204060);
        struct pithi_painter painter = pithi_raster_painter(&raster);
        struct pithi_font plain = {.size = size}, rimmed = {.size = size, .rimmed = 1, .rim = 0x40ff20};
        for (int i = 0; i < 8; i++)
            painter.text(painter.context, 12 + moves[i][0] * size / 10, 14 + moves[i][1] * size / 10, PITHI_LEFT, plain,
                         rimmed.rim, "aa");
        painter.text(painter.context, 12, 14, PITHI_LEFT, plain, 0x000000, "aa");
        pithi_raster_onto(&raster, words, SIDE, SIDE, 0x204060);
        painter = pithi_raster_painter(&raster);
        painter.text(painter.context, 12, 14, PITHI_LEFT, rimmed, 0x000000, "aa");
        for (int p = 0; p < SIDE * SIDE; p++)
            wrong += words[p] != wanted[p];
    }
    OK(wrong == 0, "rims of texts: %u pixels wrong", wrong);
    pithi_glyphs_reset(pithi_glyphs(), 0, 0);
}

/* A bar of each level is 0.66 times as high as the bar around it, in whole pixels. */
static void test_bar_heights(void)
{
    uint32_t wrong = 0;

    for (double row_height = 3; row_height < 500; row_height += 1 / 16.0)
        for (uint32_t level = 1; level < PITHI_LEVELS; level++) {
            double bar = row_height - fmin(floor(row_height * 0.22), 8), top, height;
            pithi_plot_bar(row_height, level, &top, &height);
            wrong += height != fmax(floor(bar * pow(0.66, level) + 0.5), 1);
        }
    OK(wrong == 0, "bars of all levels have their height: %u wrong", wrong);
}

int main(void)
{
    struct pithlog *log = tiny_log();

    test_plots(log);
    test_hits(log);
    test_shapes();
    test_triangles();
    test_blending();
    test_letters();
    test_rims();
    test_bar_heights();
    pithlog_close(log);
    return tap_done();
}
