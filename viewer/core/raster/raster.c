/* raster.c - paints shapes into pixels of three bytes or into words. Strips and lines are most of a window's picture,
 * so their loops have no branches.
 *
 * Strips. A row of bars is given as a few strips: a colour for each column, and the scanlines that it covers. All
 * scanlines between two edges of strips are alike, so one is painted and the others are copied:
 *
 *     a row of 10 scanlines; a strip over all of them, one over lines 4 and 5      edges 0, 4, 6, 10
 *     painted: lines 0, 4, 6         copied: 1 to 3 from 0, 5 from 4, 7 to 9 from 6
 *
 * Lines are drawn in steps along their longer axis. Across this axis, two pixels share each step, in proportion to how
 * near the line is to their centres:
 *
 *     the centre of the line at 3.75; pixel 3 has its centre at 3.5, pixel 4 at 4.5
 *     `across` is 3.75 - 0.5 = 3.25 in 65536ths: 75 % of the weight to pixel 3, 25 % to pixel 4
 *
 * `across` and its change by step are whole numbers, because a line that is cut at the edge of a band (bands.c) must
 * give the same pixels as the whole line. For the same reason `cut` moves `across` by whole steps and computes nothing
 * anew.
 *
 * Shapes over the rows (arrows, events, texts) may be kept and drawn later. Then each band draws the shapes that reach
 * into it. */
#include "core/raster/raster.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cells/memory.h"

static inline void set_pixel(unsigned char *pixel, uint32_t rgb)
{
    pixel[0] = (unsigned char)(rgb >> 16);
    pixel[1] = (unsigned char)(rgb >> 8);
    pixel[2] = (unsigned char)rgb;
}

/* Returns the nearest whole number within [low, high]. Values far outside, which an int could not hold, become `low` or
 * `high`. */
static inline int rounded(double value, int low, int high)
{
    if (value <= low)
        return low;
    return value >= high ? high : (int)floor(value + 0.5);
}

/* ---- Strips ------------------------------------------------------------------------------------------------------ */

/* Writes the colours of a strip, except PITHI_NO_COLOUR. Has no branches and handles eight words at a time, so that the
 * compiler vectorizes it. */
static void lay_words(uint32_t *restrict to, const uint32_t *restrict rgb, uint32_t count)
{
    uint32_t i = 0;

    for (; i + 8 <= count; i += 8)
        for (uint32_t j = i; j < i + 8; j++)
            to[j] = rgb[j] == PITHI_NO_COLOUR ? to[j] : rgb[j];
    for (; i < count; i++)
        to[i] = rgb[i] == PITHI_NO_COLOUR ? to[i] : rgb[i];
}

/* The scanlines of a strip. */
struct span {
    int top, bottom;
};

/* Copies the ground, the colours that lie behind all strips, into a scanline. The ground is the same for all
 * scanlines. Call this before the strips are painted. */
static void lay_ground(const struct pithi_raster *raster, int line)
{
    if (raster->ground)
        memcpy(raster->words + (size_t)line * (size_t)raster->width, raster->ground,
               (size_t)raster->width * sizeof *raster->words);
}

static void paint_strips(void *context, double x, uint32_t width, double y, double height,
                         const struct pithi_strip *strips, uint32_t count)
{
    const struct pithi_raster *raster = context;
    /* what the clip cuts off at the left is skipped in the colours, too */
    int left = (int)floor(x + 0.5), right = (int64_t)left + width > raster->right ? raster->right : left + (int)width;
    int skip = left < raster->left ? raster->left - left : 0;
    int top = rounded(y, raster->top, raster->bottom), bottom = rounded(y + height, raster->top, raster->bottom);
    struct span *spans = pithi_alloc(count, sizeof *spans);

    /* whole scanlines of each strip, within the row */
    for (uint32_t i = 0; i < count; i++)
        spans[i] =
            (struct span){rounded(strips[i].y, top, bottom), rounded(strips[i].y + strips[i].height, top, bottom)};
    left += skip;
    for (int line = top, next; line < bottom && left < right; line = next) {
        /* All lines up to the next line where a strip begins or ends are alike: the first is painted, the others are
         * copied. */
        uint32_t columns = (uint32_t)(right - left);
        size_t at = (size_t)line * (size_t)raster->width + (size_t)left;
        next = bottom;
        for (uint32_t i = 0; i < count; i++) {
            if (spans[i].top > line && spans[i].top < next)
                next = spans[i].top;
            if (spans[i].bottom > line && spans[i].bottom < next)
                next = spans[i].bottom;
        }
        /* Without a ground, the first line is painted alone: the pixels under the strips may differ from the lines that
         * follow. */
        if (line == top && !raster->ground)
            next = line + 1;
        lay_ground(raster, line);
        for (uint32_t i = 0; i < count; i++) {
            if (line < spans[i].top || line >= spans[i].bottom)
                continue;
            if (raster->words) {
                lay_words(raster->words + at, strips[i].rgb + skip, columns);
            } else {
                const uint32_t *rgb = strips[i].rgb + skip;
                for (uint32_t c = 0; c < columns; c++)
                    if (rgb[c] != PITHI_NO_COLOUR)
                        set_pixel(raster->pixels + 3 * (at + c), rgb[c]);
            }
        }
        for (int copy = line + 1; copy < next; copy++) {
            size_t to = (size_t)copy * (size_t)raster->width + (size_t)left;
            if (raster->words)
                memcpy(raster->words + to, raster->words + at, columns * sizeof *raster->words);
            else
                memcpy(raster->pixels + to * 3, raster->pixels + at * 3, (size_t)columns * 3);
        }
    }
    free(spans);
}

static void paint_ground(void *context, double y, double height)
{
    const struct pithi_raster *raster = context;
    int bottom = rounded(y + height, raster->first, raster->end);

    for (int line = rounded(y, raster->first, raster->end); line < bottom; line++)
        lay_ground(raster, line);
}

/* ---- Pixels ------------------------------------------------------------------------------------------------------ */

/* Mixes a colour into a pixel of three bytes. Adding 127 rounds to the nearest value. */
static void blend_pixel(unsigned char *pixel, uint32_t rgb, unsigned alpha)
{
    for (int i = 0; i < 3; i++) {
        unsigned over = rgb >> (16 - 8 * i) & 255;
        pixel[i] = (unsigned char)((over * alpha + pixel[i] * (255 - alpha) + 127) / 255);
    }
}

static void blend_clipped(const struct pithi_raster *raster, int x, int y, uint32_t rgb, double alpha)
{
    if (x >= raster->left && x < raster->right && y >= raster->top && y < raster->bottom && alpha > 0) {
        size_t at = (size_t)y * (size_t)raster->width + (size_t)x;
        unsigned cover = (unsigned)(alpha * 255 + 0.5);
        if (raster->words)
            /* a cover of 255 becomes 256, so that pithi_blend_words can shift instead of dividing */
            raster->words[at] = pithi_blend_words(raster->words[at], rgb, cover + (cover >> 7));
        else
            blend_pixel(raster->pixels + at * 3, rgb, cover);
    }
}

/* ---- Lines ------------------------------------------------------------------------------------------------------- */

/* A line as steps along its longer axis, from `first` to `last`. `across` is the centre of the line at the first step,
 * minus half a pixel. `slope` is the change of `across` with each step. Both are in 65536ths of a pixel. */
struct run {
    int steep;       /* 1: it goes further in y than in x */
    int inside;      /* 1: every pixel that it may touch is within the clip */
    int first, last; /* first and last pixel on the longer axis */
    int top, bottom; /* the scanlines that it may touch */
    int64_t across, slope;
    uint32_t rgb, weight; /* weight: in 256ths */
};

/* Clips a line at one edge of the clip (after Liang and Barsky): narrows [*from, *to], the part of the line that is
 * inside. Returns 0 if nothing is left. */
static int clip_edge(double p, double q, double *from, double *to)
{
    if (p == 0)
        return q >= 0;
    if (p < 0 && q / p > *from)
        *from = q / p;
    if (p > 0 && q / p < *to)
        *to = q / p;
    return *from <= *to;
}

/* Returns 1 if all pixels that a run may touch lie within the clip. */
static int is_inside(const struct pithi_raster *raster, const struct run *run)
{
    int64_t ends[2] = {run->across, run->across + run->slope * (run->last - 1 - run->first)};
    int low = run->steep ? raster->left : raster->top, high = run->steep ? raster->right : raster->bottom;
    int from = run->steep ? raster->top : raster->left, to = run->steep ? raster->bottom : raster->right;

    /* a step touches the pixel at `across` and the next one */
    for (int i = 0; i < 2; i++)
        if (ends[i] >> 16 < low || (ends[i] >> 16) + 1 >= high)
            return 0;
    return run->first >= from && run->last <= to;
}

/* A line fainter than this gets one pixel a step, because smoothing would not be visible. */
enum { FAINT = 64 };

static void draw_faint(const struct pithi_raster *raster, const struct run *run)
{
    size_t along = run->steep ? (size_t)raster->width : 1, beside = run->steep ? 1 : (size_t)raster->width;
    uint32_t *word = raster->words + (size_t)run->first * along;
    /* adds half a pixel, so that the nearest pixel is taken */
    int64_t across = run->across + 32768;

    for (int i = run->first; i < run->last; i++, word += along, across += run->slope) {
        uint32_t *pixel = word + (size_t)(across >> 16) * beside;
        *pixel = pithi_blend_words(*pixel, run->rgb, run->weight);
    }
}

/* Draws a run smoothed. In each step, the two pixels on either side of the line share its weight (after Wu, "An
 * efficient antialiasing technique", 1991). */
static void draw_smooth(const struct pithi_raster *raster, const struct run *run)
{
    size_t along = run->steep ? (size_t)raster->width : 1, beside = run->steep ? 1 : (size_t)raster->width;
    uint32_t *word = raster->words + (size_t)run->first * along;
    int64_t across = run->across;

    for (int i = run->first; i < run->last; i++, word += along, across += run->slope) {
        uint32_t *first = word + (size_t)(across >> 16) * beside, part = (uint32_t)across >> 8 & 255;
        uint32_t second = run->weight * part >> 8;
        *first = pithi_blend_words(*first, run->rgb, run->weight - second);
        first[beside] = pithi_blend_words(first[beside], run->rgb, second);
    }
}

/* Draws a run that may touch the edge of the clip. This is slow, because each pixel is checked. */
static void draw_clipped(const struct pithi_raster *raster, const struct run *run)
{
    int64_t across = run->across;

    for (int i = run->first; i < run->last; i++, across += run->slope) {
        int whole = (int)(across >> 16);
        double part = (double)(across & 65535) / 65536, alpha = run->weight / 256.0;
        blend_clipped(raster, run->steep ? whole : i, run->steep ? i : whole, run->rgb, alpha * (1 - part));
        blend_clipped(raster, run->steep ? whole + 1 : i, run->steep ? i : whole + 1, run->rgb, alpha * part);
    }
}

static void draw_run(const struct pithi_raster *raster, const struct run *run)
{
    if (!run->inside)
        draw_clipped(raster, run);
    else if (run->weight < FAINT)
        draw_faint(raster, run);
    else
        draw_smooth(raster, run);
}

/* Returns the part of a run whose steps are in [from, to). */
static struct run cut(const struct run *run, int from, int to)
{
    struct run part = *run;

    part.first = run->first > from ? run->first : from;
    part.last = run->last < to ? run->last : to;
    part.across += run->slope * (part.first - run->first);
    return part;
}

/* Returns the first step at which the run reaches `across`, or an end of the run if it never does. */
static int step_at(const struct run *run, double across)
{
    double step = (across - (double)run->across) / (double)run->slope;
    return step < 0 ? run->first : step > run->last - run->first ? run->last : run->first + (int)step;
}

/* Returns the part of a flat run that may touch scanlines [top, bottom), with a few more steps at its ends. */
static struct run cut_flat(const struct run *run, int top, int bottom)
{
    /* two more scanlines above and one below, because a step touches two scanlines, and steps are rounded */
    double above = (top - 2) * 65536.0, below = (bottom + 1) * 65536.0;

    if (!run->slope)
        return *run;
    return run->slope > 0 ? cut(run, step_at(run, above), step_at(run, below) + 1)
                          : cut(run, step_at(run, below), step_at(run, above) + 1);
}

/* Draws the pixels of a flat run, all within the clip, that are in scanlines [top, bottom). */
static void draw_flat(const struct pithi_raster *raster, const struct run *run, int top, int bottom)
{
    int faint = run->weight < FAINT;
    int64_t across = run->across + (faint ? 32768 : 0);

    for (int i = run->first; i < run->last; i++, across += run->slope) {
        int line = (int)(across >> 16);
        uint32_t *first = raster->words + (size_t)line * (size_t)raster->width + (size_t)i;
        uint32_t second = faint ? 0 : run->weight * ((uint32_t)across >> 8 & 255) >> 8;
        if (line >= top && line < bottom)
            *first = pithi_blend_words(*first, run->rgb, run->weight - second);
        if (!faint && line + 1 >= top && line + 1 < bottom)
            first[raster->width] = pithi_blend_words(first[raster->width], run->rgb, second);
    }
}

/* Draws the pixels of a run that are on a part (pithi_raster_part) of its raster. */
static void draw_run_part(const struct pithi_raster *part, const struct run *run)
{
    struct run piece;

    if (run->top >= part->top && run->bottom <= part->bottom) {
        draw_run(part, run);
        return;
    }
    piece = run->steep ? cut(run, part->top, part->bottom) : cut_flat(run, part->top, part->bottom);
    /* All steps of a steep `piece` are on the part's scanlines. A flat one may touch other scanlines: draw_run checks
     * each pixel only if the run touches the clip, draw_flat always. */
    if (run->steep || !run->inside)
        draw_run(part, &piece);
    else
        draw_flat(part, &piece, part->top, part->bottom);
}

static void swap(double *a, double *b)
{
    double kept = *a;
    *a = *b;
    *b = kept;
}

/* ---- Shapes drawn later ------------------------------------------------------------------------------------------ */

struct pithi_shape {
    enum { RUN, RECT, TRIANGLE, TEXT } kind;
    int top, bottom; /* the scanlines that it may touch */
    uint32_t rgb;
    double alpha;
    union {
        struct run run;
        double places[6]; /* x, y, width, height; or three x and three y */
        struct {
            double x, y;
            enum pithi_anchor anchor;
            struct pithi_font font;
            char text[PITHI_KEPT_TEXT];
        } words;
    };
};

static void keep(struct pithi_raster *raster, const struct pithi_shape *shape)
{
    raster->shapes =
        pithi_view_grow(raster->shapes, &raster->shape_capacity, raster->shape_count + 1, sizeof *raster->shapes);
    raster->shapes[raster->shape_count++] = *shape;
}

/* ---- Rectangles -------------------------------------------------------------------------------------------------- */

/* Fills a wide bar by copying ever longer parts, 16, 32, 64 ... pixels, which is much faster than single stores: each
 * copy doubles the number of pixels that are filled. For narrow bars a copy would take longer than the stores. */
static void fill_row(const struct pithi_raster *raster, size_t at, int count, uint32_t rgb)
{
    size_t size = raster->words ? sizeof *raster->words : 3;
    unsigned char *first = raster->words ? (unsigned char *)(raster->words + at) : raster->pixels + at * 3;
    int stored = count < 16 ? count : 16;

    if (raster->words)
        for (int i = 0; i < stored; i++)
            raster->words[at + (size_t)i] = rgb;
    else
        for (int i = 0; i < stored; i++)
            set_pixel(first + 3 * (size_t)i, rgb);
    for (int done = stored; done < count; done *= 2)
        memcpy(first + (size_t)done * size, first, (size_t)(done * 2 > count ? count - done : done) * size);
}

/* Mixes a colour into `count` pixels from `at` on. Has no branches, so that the compiler vectorizes it. */
static void blend_row(const struct pithi_raster *raster, size_t at, size_t count, uint32_t rgb, unsigned alpha)
{
    uint32_t *words = raster->words;
    unsigned char *pixels = raster->pixels;

    if (words)
        for (size_t i = at; i < at + count; i++)
            words[i] = pithi_blend_words(words[i], rgb, alpha + (alpha >> 7));
    else
        for (size_t i = at; i < at + count; i++)
            blend_pixel(pixels + i * 3, rgb, alpha);
}

static void raster_rect(void *context, double x, double y, double width, double height, uint32_t rgb, double alpha)
{
    struct pithi_raster *raster = context;
    int left = rounded(x, raster->left, raster->right), right = rounded(x + width, raster->left, raster->right);
    int top = rounded(y, raster->top, raster->bottom), bottom = rounded(y + height, raster->top, raster->bottom);
    unsigned opacity = (unsigned)(alpha * 255 + 0.5);

    /* stores the rectangle as it was given, because later each band draws the part that lies in the band */
    if (raster->keeps) {
        keep(raster, &(struct pithi_shape){.kind = RECT,
                                           .top = top,
                                           .bottom = bottom,
                                           .rgb = rgb,
                                           .alpha = alpha,
                                           .places = {x, y, width, height}});
        return;
    }
    /* an opaque rectangle is filled without reading the pixels below */
    for (int row = top; row < bottom && left < right; row++) {
        size_t at = (size_t)row * (size_t)raster->width + (size_t)left;
        if (opacity < 255)
            blend_row(raster, at, (size_t)(right - left), rgb, opacity);
        else
            fill_row(raster, at, right - left, rgb);
    }
}

/* ---- Painting lines ---------------------------------------------------------------------------------------------- */

static void raster_line(void *context, double x0, double y0, double x1, double y1, uint32_t rgb, double alpha)
{
    struct pithi_raster *raster = context;
    struct run run = {.rgb = rgb, .weight = (uint32_t)(alpha * 256 + 0.5)};

    /* leaves out lines that go farther than 1e15 pixels, where the difference of two doubles is too inexact; the
     * comparison is also false for NaN */
    if (!(fabs(x0) < 1e15 && fabs(x1) < 1e15))
        return;
    /* Cuts a line at the clip. */
    double dx = x1 - x0, dy = y1 - y0, from = 0, to = 1, x = x0, y = y0;

    if (!clip_edge(-dx, x - raster->left, &from, &to) || !clip_edge(dx, raster->right - x, &from, &to) ||
        !clip_edge(-dy, y - raster->top, &from, &to) || !clip_edge(dy, raster->bottom - y, &from, &to))
        return;
    x0 = x + from * dx;
    y0 = y + from * dy;
    x1 = x + to * dx;
    y1 = y + to * dy;

    /* From here on x is the longer axis, and the line goes towards larger x. */
    run.steep = fabs(y1 - y0) > fabs(x1 - x0);
    if (run.steep) {
        swap(&x0, &y0);
        swap(&x1, &y1);
    }
    if (x0 > x1) {
        swap(&x0, &x1);
        swap(&y0, &y1);
    }
    double slope = x1 > x0 ? (y1 - y0) / (x1 - x0) : 0;
    run.first = (int)floor(x0);
    run.last = (int)ceil(x1);
    run.slope = (int64_t)(slope * 65536);
    /* the centre of the line at the middle of the first step */
    run.across = (int64_t)floor((y0 + slope * (run.first + 0.5 - x0) - 0.5) * 65536);
    int start = (int)(run.across >> 16);
    int end = (int)((run.across + run.slope * (run.last - 1 - run.first)) >> 16);
    run.top = run.steep ? run.first : start < end ? start : end;
    /* a flat line also touches the scanline below */
    run.bottom = run.steep ? run.last : (start < end ? end : start) + 2;
    run.inside = raster->words && is_inside(raster, &run);
    if (raster->keeps)
        keep(raster, &(struct pithi_shape){.kind = RUN, .top = run.top, .bottom = run.bottom, .run = run});
    else
        draw_run(raster, &run);
}

/* ---- Triangles --------------------------------------------------------------------------------------------------- */

/* Triangles are small: each pixel of the bounding box is sampled at POINTS x POINTS points. A pixel with 4 of its 9
 * points inside gets 4/9 of the colour. The box is painted COLUMNS columns at a time. */
enum { POINTS = 3, COLUMNS = 32 };

/* Computes one of two products for each edge and each point of a pixel. The larger of the two products decides on which
 * side of an edge a point lies. One product depends only on the point's y (`across` of the caller), the other only on
 * its x (`along`). */
static void edge_products(double products[POINTS][3], const double place[3], const double other[3], int pixel)
{
    for (int i = 0; i < POINTS; i++)
        for (int edge = 0; edge < 3; edge++)
            products[i][edge] = (other[(edge + 1) % 3] - other[edge]) * (pixel + (i + 0.5) / POINTS - place[edge]);
}

static int points_inside(const double across[POINTS][3], const double along[POINTS][3])
{
    int left = 1, right = 1, maybe_left = 1, maybe_right = 1, hits = 0;

    /* From point to point of a pixel, each product only grows or only shrinks. So the products at the first and the
     * last point often show that all points lie in the triangle, or none. */
    for (int edge = 0; edge < 3; edge++) {
        double a = across[0][edge], last_a = across[POINTS - 1][edge], b = along[0][edge],
               last_b = along[POINTS - 1][edge];
        double least_a = a < last_a ? a : last_a, most_a = a < last_a ? last_a : a;
        double least_b = b < last_b ? b : last_b, most_b = b < last_b ? last_b : b;
        /* all points of this pixel are on one side of the edge */
        left &= least_a >= most_b;
        right &= most_a <= least_b;
        maybe_left &= most_a >= least_b;
        maybe_right &= least_a <= most_b;
    }
    if (left | right)
        return POINTS * POINTS;
    if (!(maybe_left | maybe_right))
        return 0;
    for (int j = 0; j < POINTS; j++)
        for (int i = 0; i < POINTS; i++) {
            const double *a = across[j], *b = along[i];
            left = (a[0] >= b[0]) & (a[1] >= b[1]) & (a[2] >= b[2]);
            right = (a[0] <= b[0]) & (a[1] <= b[1]) & (a[2] <= b[2]);
            hits += left | right;
        }
    return hits;
}

static void raster_triangle(void *context, const double x[3], const double y[3], uint32_t rgb, double alpha)
{
    struct pithi_raster *raster = context;
    int left = rounded(floor(fmin(x[0], fmin(x[1], x[2]))), raster->left, raster->right);
    int right = rounded(ceil(fmax(x[0], fmax(x[1], x[2]))), raster->left, raster->right);
    int top = rounded(floor(fmin(y[0], fmin(y[1], y[2]))), raster->top, raster->bottom);
    int bottom = rounded(ceil(fmax(y[0], fmax(y[1], y[2]))), raster->top, raster->bottom);

    if (raster->keeps) {
        keep(raster, &(struct pithi_shape){.kind = TRIANGLE,
                                           .top = top,
                                           .bottom = bottom,
                                           .rgb = rgb,
                                           .alpha = alpha,
                                           .places = {x[0], x[1], x[2], y[0], y[1], y[2]}});
        return;
    }
    for (int from = left; from < right; from += COLUMNS) {
        double across[POINTS][3], along[COLUMNS][POINTS][3];
        int to = right < from + COLUMNS ? right : from + COLUMNS;
        for (int column = from; column < to; column++)
            edge_products(along[column - from], x, y, column);
        for (int row = top; row < bottom; row++) {
            edge_products(across, y, x, row);
            for (int column = from; column < to; column++) {
                int hits = points_inside(across, along[column - from]);
                if (hits)
                    blend_clipped(raster, column, row, rgb, alpha * hits / (POINTS * POINTS));
            }
        }
    }
}

/* Stores a text. */
static void keep_text(void *context, double x, double y, enum pithi_anchor anchor, struct pithi_font font, uint32_t rgb,
                      const char *text)
{
    struct pithi_raster *raster = context;
    int height = pithi_glyphs()->height;
    struct pithi_shape shape = {.kind = TEXT,
                                .top = rounded(y - height, raster->top, raster->bottom),
                                .bottom = rounded(y + height, raster->top, raster->bottom),
                                .rgb = rgb,
                                .words = {.x = x, .y = y, .anchor = anchor, .font = font}};

    snprintf(shape.words.text, sizeof shape.words.text, "%s", text);
    keep(raster, &shape);
}

/* ---- The raster -------------------------------------------------------------------------------------------------- */

/* Sets the clip, the rectangle outside which nothing is painted. A negative width removes it. If the raster paints
 * only a band of scanlines, the clip never reaches beyond this band. */
static void raster_clip(void *context, double x, double y, double width, double height)
{
    struct pithi_raster *raster = context;

    raster->left = 0;
    raster->top = raster->first;
    raster->right = raster->width;
    raster->bottom = raster->end;
    if (width < 0)
        return;
    raster->left = rounded(x, 0, raster->width);
    raster->top = rounded(y, raster->first, raster->end);
    raster->right = rounded(x + width, 0, raster->width);
    raster->bottom = rounded(y + height, raster->first, raster->end);
}

/* Makes room for a picture of this size and fills it with a colour. Uses the memory of the last picture again if that
 * had the same size. */
void pithi_raster_prepare(struct pithi_raster *raster, int width, int height, uint32_t rgb)
{
    if (width != raster->width || height != raster->height || !raster->pixels) {
        free(raster->pixels);
        raster->pixels = pithi_alloc((size_t)width * (size_t)height, 3);
        raster->width = width;
        raster->height = raster->end = height;
    }
    raster_clip(raster, 0, 0, -1, -1);
    raster_rect(raster, 0, 0, width, height, rgb, 1);
}

void pithi_raster_onto(struct pithi_raster *raster, uint32_t *words, int width, int height, uint32_t rgb)
{
    pithi_raster_grounded(raster, words, width, height, NULL);
    raster_rect(raster, 0, 0, width, height, rgb, 1);
}

void pithi_raster_grounded(struct pithi_raster *raster, uint32_t *words, int width, int height, const uint32_t *ground)
{
    *raster = (struct pithi_raster){.words = words, .width = width, .height = height, .end = height, .ground = ground};
    raster_clip(raster, 0, 0, -1, -1);
}

struct pithi_raster pithi_raster_part(const struct pithi_raster *raster, int first, int end)
{
    struct pithi_raster part = *raster;

    part.first = first;
    part.end = end;
    part.keeps = 0;
    raster_clip(&part, 0, 0, -1, -1);
    return part;
}

void pithi_raster_draw_kept(struct pithi_raster *part)
{
    for (uint32_t i = 0; i < part->shape_count; i++) {
        const struct pithi_shape *shape = &part->shapes[i];
        const double *places = shape->places;
        /* most shapes lie outside most bands */
        if (shape->top >= part->end || shape->bottom <= part->first)
            continue;
        if (shape->kind == RUN)
            draw_run_part(part, &shape->run);
        else if (shape->kind == TEXT)
            pithi_glyphs_text(part, shape->words.x, shape->words.y, shape->words.anchor, shape->words.font, shape->rgb,
                              shape->words.text);
        else if (shape->kind == RECT)
            raster_rect(part, places[0], places[1], places[2], places[3], shape->rgb, shape->alpha);
        else
            raster_triangle(part, places, places + 3, shape->rgb, shape->alpha);
    }
}

void pithi_raster_forget(struct pithi_raster *raster)
{
    free(raster->shapes);
    raster->shapes = NULL;
    raster->shape_count = raster->shape_capacity = 0;
    raster->keeps = 0;
}

void pithi_raster_free(struct pithi_raster *raster)
{
    free(raster->pixels);
    memset(raster, 0, sizeof *raster);
}

struct pithi_painter pithi_raster_painter(struct pithi_raster *raster)
{
    int has_font = raster->words && pithi_glyphs()->height > 0;

    return (struct pithi_painter){.context = raster,
                                  .text = !has_font       ? NULL
                                          : raster->keeps ? keep_text
                                                          : pithi_glyphs_text,
                                  .text_width = has_font ? pithi_glyphs_width : NULL,
                                  .rect = raster_rect,
                                  .line = raster_line,
                                  .triangle = raster_triangle,
                                  .strips = paint_strips,
                                  .ground = raster->ground ? paint_ground : NULL,
                                  .clip = raster_clip};
}

/* ---- Letters ----------------------------------------------------------------------------------------------------- */

/* Returns the set of letters of which texts are made. The set is a hash table. */
struct pithi_glyphs *pithi_glyphs(void)
{
    static struct pithi_glyphs glyphs;

    return &glyphs;
}

void pithi_glyphs_reset(struct pithi_glyphs *glyphs, int ascent, int height)
{
    for (uint32_t i = 0; i < glyphs->count; i++)
        free(glyphs->items[i].dots);
    free(glyphs->items);
    free(glyphs->slots);
    *glyphs = (struct pithi_glyphs){.ascent = ascent, .height = height};
}

static uint32_t slot_of(const struct pithi_glyphs *glyphs, uint32_t code)
{
    uint32_t slot = code * 2654435761u & (glyphs->slot_count - 1);

    while (glyphs->slots[slot] && glyphs->items[glyphs->slots[slot] - 1].code != code)
        slot = (slot + 1) & (glyphs->slot_count - 1);
    return slot;
}

void pithi_glyphs_add(struct pithi_glyphs *glyphs, uint32_t code, int width, const unsigned char *mask)
{
    glyphs->items = pithi_view_grow(glyphs->items, &glyphs->capacity, glyphs->count + 1, sizeof *glyphs->items);
    glyphs->items[glyphs->count] = (struct pithi_glyph){.code = code, .width = width};
    struct pithi_glyph *glyph = &glyphs->items[glyphs->count++];
    uint32_t covered = 0;
    for (int i = 0; i < width * glyphs->height; i++)
        covered += mask[i] != 0;
    glyph->dots = pithi_alloc(covered, sizeof *glyph->dots);
    for (int y = 0; y < glyphs->height; y++)
        for (int x = 0; x < width; x++, mask++)
            if (*mask)
                glyph->dots[glyph->dot_count++] =
                    (struct pithi_dot){(uint16_t)x, (uint16_t)y, (uint16_t)(*mask + (*mask >> 7))};
    if (glyphs->count * 2 > glyphs->slot_count) {
        free(glyphs->slots);
        glyphs->slot_count = glyphs->slot_count ? glyphs->slot_count * 2 : 256;
        glyphs->slots = pithi_alloc(glyphs->slot_count, sizeof *glyphs->slots);
        for (uint32_t i = 0; i < glyphs->count; i++)
            glyphs->slots[slot_of(glyphs, glyphs->items[i].code)] = i + 1;
    }
    glyphs->slots[slot_of(glyphs, code)] = glyphs->count;
}

const struct pithi_glyph *pithi_glyphs_find(const struct pithi_glyphs *glyphs, uint32_t code)
{
    uint32_t at = glyphs->slot_count ? glyphs->slots[slot_of(glyphs, code)] : 0;

    return at ? &glyphs->items[at - 1] : NULL;
}

uint32_t pithi_glyphs_next(const char **text)
{
    const unsigned char *byte = (const unsigned char *)*text;
    uint32_t code = *byte;
    int more = code >= 0xf0 ? 3 : code >= 0xe0 ? 2 : code >= 0xc0 ? 1 : 0;

    if (!code)
        return 0;
    for (int i = 1; i <= more; i++)
        if ((byte[i] & 0xc0) != 0x80)
            more = 0;
    code &= more ? 0x3fu >> more : 0xff;
    for (int i = 1; i <= more; i++)
        code = code << 6 | (byte[i] & 0x3f);
    *text += more + 1;
    return code;
}

/* ---- Text -------------------------------------------------------------------------------------------------------- */

/* Draws a letter. A picture has up to ten thousand letters, and most lie within the clip, so this is first checked for
 * the whole letter. */
static void draw_glyph(const struct pithi_raster *raster, const struct pithi_glyph *glyph, int left, int top,
                       uint32_t rgb)
{
    if (left < raster->left || left + glyph->width > raster->right || top < raster->top ||
        top + pithi_glyphs()->height > raster->bottom) {
        for (uint32_t i = 0; i < glyph->dot_count; i++) {
            const struct pithi_dot *dot = &glyph->dots[i];
            int x = left + dot->x, y = top + dot->y;
            if (x < raster->left || x >= raster->right || y < raster->top || y >= raster->bottom)
                continue;
            uint32_t *word = &raster->words[(size_t)y * (size_t)raster->width + (size_t)x];
            *word = pithi_blend_words(*word, rgb, dot->weight);
        }
        return;
    }
    const struct pithi_dot *dots = glyph->dots;
    uint32_t width = (uint32_t)raster->width, count = glyph->dot_count;
    uint32_t *words = raster->words + (size_t)top * width + (size_t)left;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *word = &words[dots[i].y * width + dots[i].x];
        *word = pithi_blend_words(*word, rgb, dots[i].weight);
    }
}

double pithi_glyphs_width(void *context, struct pithi_font font, const char *text)
{
    const struct pithi_glyphs *glyphs = pithi_glyphs();
    uint32_t code;
    int width = 0;

    (void)context, (void)font;
    while ((code = pithi_glyphs_next(&text)) != 0) {
        const struct pithi_glyph *glyph = pithi_glyphs_find(glyphs, code);
        width += glyph ? glyph->width : 0;
    }
    return width;
}

static void draw_letters(const struct pithi_raster *raster, int left, int top, uint32_t rgb, const char *text)
{
    uint32_t code;

    while ((code = pithi_glyphs_next(&text)) != 0) {
        const struct pithi_glyph *glyph = pithi_glyphs_find(pithi_glyphs(), code);
        if (glyph)
            draw_glyph(raster, glyph, left, top, rgb);
        left += glyph ? glyph->width : 0;
    }
}

void pithi_glyphs_text(void *context, double x, double y, enum pithi_anchor anchor, struct pithi_font font,
                       uint32_t rgb, const char *text)
{
    const struct pithi_raster *raster = context;
    double width = anchor == PITHI_LEFT ? 0 : pithi_glyphs_width(context, font, text);
    int left = (int)floor(x - (anchor == PITHI_CENTRE ? width / 2 : width) + 0.5);
    int top = (int)floor(y + 0.5) - pithi_glyphs()->ascent;
    int rim = (int)fmax(floor(font.size * PITHI_RIM + 0.5), 1);

    for (int i = 0; i < 9 && font.rimmed; i++)
        if (i != 4)
            draw_letters(raster, left + (i % 3 - 1) * rim, top + (i / 3 - 1) * rim, font.rim, text);
    draw_letters(raster, left, top, rgb, text);
}
