/* raster.c - shapes into bytes; see raster.h. */
#include "core/raster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/raster_line.h"

static void set_pixel(unsigned char *pixel, uint32_t rgb)
{
    pixel[0] = (unsigned char)(rgb >> 16);
    pixel[1] = (unsigned char)(rgb >> 8);
    pixel[2] = (unsigned char)rgb;
}

static void blend_pixel(unsigned char *pixel, uint32_t rgb, unsigned alpha)
{
    for (int i = 0; i < 3; i++) {
        unsigned over = rgb >> (16 - 8 * i) & 255;
        pixel[i] = (unsigned char)((over * alpha + pixel[i] * (255 - alpha) + 127) / 255);
    }
}

static void blend_word(uint32_t *word, uint32_t rgb, unsigned alpha)
{
    *word = pithi_blend_words(*word, rgb, alpha + (alpha >> 7));
}

static void blend_place(const struct pithi_raster *raster, size_t at, uint32_t rgb, unsigned alpha)
{
    if (raster->words)
        blend_word(raster->words + at, rgb, alpha);
    else
        blend_pixel(raster->pixels + at * 3, rgb, alpha);
}

void pithi_raster_blend(const struct pithi_raster *raster, int x, int y, uint32_t rgb, double alpha)
{
    if (x >= raster->left && x < raster->right && y >= raster->top && y < raster->bottom && alpha > 0)
        blend_place(raster, (size_t)y * (size_t)raster->width + (size_t)x, rgb, (unsigned)(alpha * 255 + 0.5));
}

static int rounded(double value, int low, int high)
{
    if (value <= low)
        return low;
    return value >= high ? high : (int)floor(value + 0.5);
}

/* ---- Shapes that are kept ---------------------------------------------------------------------------------------- */

struct pithi_shape {
    enum { RUN, RECT, TRIANGLE } kind;
    int top, bottom; /* the scanlines that it may touch */
    uint32_t rgb;
    double alpha;
    union {
        struct pithi_run run;
        double places[6]; /* x, y, width, height; or three x and three y */
    };
};

static void keep(struct pithi_raster *raster, const struct pithi_shape *shape)
{
    raster->shapes =
        pithi_grow(raster->shapes, &raster->shape_capacity, raster->shape_count + 1, sizeof *raster->shapes);
    raster->shapes[raster->shape_count++] = *shape;
}

/* ---- Rectangles -------------------------------------------------------------------------------------------------- */

/* Doubling copies: much faster than single stores on wide bars. */
static void fill_row(const struct pithi_raster *raster, size_t at, int count, uint32_t rgb)
{
    size_t size = raster->words ? sizeof *raster->words : 3;
    unsigned char *first = raster->words ? (unsigned char *)(raster->words + at) : raster->pixels + at * 3;

    if (raster->words)
        raster->words[at] = rgb;
    else
        set_pixel(first, rgb);
    for (int done = 1; done < count; done *= 2)
        memcpy(first + (size_t)done * size, first, (size_t)(done * 2 > count ? count - done : done) * size);
}

static void raster_rect(void *context, double x, double y, double width, double height, uint32_t rgb, double alpha)
{
    struct pithi_raster *raster = context;
    int left = rounded(x, raster->left, raster->right), right = rounded(x + width, raster->left, raster->right);
    int top = rounded(y, raster->top, raster->bottom), bottom = rounded(y + height, raster->top, raster->bottom);
    unsigned opacity = (unsigned)(alpha * 255 + 0.5);

    if (raster->keeps) {
        keep(raster, &(struct pithi_shape){.kind = RECT,
                                           .top = top,
                                           .bottom = bottom,
                                           .rgb = rgb,
                                           .alpha = alpha,
                                           .places = {x, y, width, height}});
        return;
    }
    for (int row = top; row < bottom && left < right; row++) {
        size_t at = (size_t)row * (size_t)raster->width + (size_t)left;
        if (opacity >= 255)
            fill_row(raster, at, right - left, rgb);
        else
            for (size_t i = 0; i < (size_t)(right - left); i++)
                blend_place(raster, at + i, rgb, opacity);
    }
}

/* ---- Strips ------------------------------------------------------------------------------------------------------ */

/* Without branches and in eights, so that a compiler makes vectors of it. */
static void lay_words(uint32_t *restrict to, const uint32_t *restrict rgb, uint32_t count)
{
    uint32_t i = 0;

    for (; i + 8 <= count; i += 8)
        for (uint32_t j = i; j < i + 8; j++)
            to[j] = rgb[j] == PITHI_NO_COLOUR ? to[j] : rgb[j];
    for (; i < count; i++)
        to[i] = rgb[i] == PITHI_NO_COLOUR ? to[i] : rgb[i];
}

static void lay_pixels(unsigned char *to, const uint32_t *rgb, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (rgb[i] != PITHI_NO_COLOUR)
            set_pixel(to + 3 * (size_t)i, rgb[i]);
}

/* A strip's scanlines. */
struct span {
    int top, bottom;
};

/* The next line below `line` where a strip begins or ends. */
static int next_edge(const struct span *spans, uint32_t count, int line, int bottom)
{
    for (uint32_t i = 0; i < count; i++) {
        if (spans[i].top > line && spans[i].top < bottom)
            bottom = spans[i].top;
        if (spans[i].bottom > line && spans[i].bottom < bottom)
            bottom = spans[i].bottom;
    }
    return bottom;
}

static void lay_ground(const struct pithi_raster *raster, int line)
{
    if (raster->ground)
        memcpy(raster->words + (size_t)line * (size_t)raster->width, raster->ground,
               (size_t)raster->width * sizeof *raster->words);
}

/* Lays the strips that cover `line` on it. */
static void lay_line(const struct pithi_raster *raster, const struct pithi_strip *strips, const struct span *spans,
                     uint32_t count, int line, int left, int skip, uint32_t width)
{
    size_t at = (size_t)line * (size_t)raster->width + (size_t)left;

    lay_ground(raster, line);
    for (uint32_t i = 0; i < count; i++) {
        if (line < spans[i].top || line >= spans[i].bottom)
            continue;
        if (raster->words)
            lay_words(raster->words + at, strips[i].rgb + skip, width);
        else
            lay_pixels(raster->pixels + at * 3, strips[i].rgb + skip, width);
    }
}

static void repeat_line(const struct pithi_raster *raster, int line, int to, int left, uint32_t width)
{
    size_t from = (size_t)line * (size_t)raster->width + (size_t)left;

    for (int next = line + 1; next < to; next++) {
        size_t at = (size_t)next * (size_t)raster->width + (size_t)left;
        if (raster->words)
            memcpy(raster->words + at, raster->words + from, width * sizeof *raster->words);
        else
            memcpy(raster->pixels + at * 3, raster->pixels + from * 3, (size_t)width * 3);
    }
}

/* Between two edges all lines are alike: one is made, the others are copies, which is most of the work. */
static void raster_strips(void *context, double x, uint32_t width, double y, double height,
                          const struct pithi_strip *strips, uint32_t count)
{
    const struct pithi_raster *raster = context;
    int left = (int)floor(x + 0.5), right = (int64_t)left + width > raster->right ? raster->right : left + (int)width;
    int skip = left < raster->left ? raster->left - left : 0;
    int top = rounded(y, raster->top, raster->bottom), bottom = rounded(y + height, raster->top, raster->bottom);
    struct span *spans = pithi_alloc(count, sizeof *spans);

    for (uint32_t i = 0; i < count; i++)
        spans[i] =
            (struct span){rounded(strips[i].y, top, bottom), rounded(strips[i].y + strips[i].height, top, bottom)};
    for (int line = top, next; line < bottom && left + skip < right; line = next) {
        next = line == top && !raster->ground ? line + 1 : next_edge(spans, count, line, bottom);
        lay_line(raster, strips, spans, count, line, left + skip, skip, (uint32_t)(right - left - skip));
        repeat_line(raster, line, next, left + skip, (uint32_t)(right - left - skip));
    }
    free(spans);
}

static void raster_ground(void *context, double y, double height)
{
    const struct pithi_raster *raster = context;
    int bottom = rounded(y + height, raster->first, raster->end);

    for (int line = rounded(y, raster->first, raster->end); line < bottom; line++)
        lay_ground(raster, line);
}

/* ---- Lines ------------------------------------------------------------------------------------------------------- */

static void raster_line(void *context, double x0, double y0, double x1, double y1, uint32_t rgb, double alpha)
{
    struct pithi_raster *raster = context;
    struct pithi_run run;

    if (!pithi_run_make(raster, x0, y0, x1, y1, &run))
        return;
    run.rgb = rgb;
    run.weight = (uint32_t)(alpha * 256 + 0.5);
    if (raster->keeps)
        keep(raster, &(struct pithi_shape){.kind = RUN, .top = run.top, .bottom = run.bottom, .run = run});
    else
        pithi_run_draw(raster, &run);
}

/* ---- Triangles --------------------------------------------------------------------------------------------------- */

static double side(const double x[3], const double y[3], int from, int to, double px, double py)
{
    return (x[to] - x[from]) * (py - y[from]) - (y[to] - y[from]) * (px - x[from]);
}

static int inside(const double x[3], const double y[3], double px, double py)
{
    double a = side(x, y, 0, 1, px, py), b = side(x, y, 1, 2, px, py), c = side(x, y, 2, 0, px, py);
    return (a >= 0 && b >= 0 && c >= 0) || (a <= 0 && b <= 0 && c <= 0);
}

/* They are small: each pixel in the box is asked at 3 x 3 points how much of it is inside. */
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
    for (int row = top; row < bottom; row++)
        for (int column = left; column < right; column++) {
            int hits = 0;
            for (int i = 0; i < 9; i++)
                hits += inside(x, y, column + (i % 3 + 0.5) / 3, row + (i / 3 + 0.5) / 3);
            pithi_raster_blend(raster, column, row, rgb, alpha * hits / 9);
        }
}

/* ---- The whole --------------------------------------------------------------------------------------------------- */

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
    *raster = (struct pithi_raster){.words = words, .width = width, .height = height, .end = height};
    raster_clip(raster, 0, 0, -1, -1);
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

static void draw_shape(struct pithi_raster *part, const struct pithi_shape *shape)
{
    const double *places = shape->places;

    if (shape->kind == RUN)
        pithi_run_draw_part(part, &shape->run);
    else if (shape->kind == RECT)
        raster_rect(part, places[0], places[1], places[2], places[3], shape->rgb, shape->alpha);
    else
        raster_triangle(part, places, places + 3, shape->rgb, shape->alpha);
}

void pithi_raster_draw_kept(struct pithi_raster *part)
{
    for (uint32_t i = 0; i < part->shape_count; i++)
        if (part->shapes[i].top < part->end && part->shapes[i].bottom > part->first)
            draw_shape(part, &part->shapes[i]);
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
    return (struct pithi_painter){.context = raster,
                                  .rect = raster_rect,
                                  .line = raster_line,
                                  .triangle = raster_triangle,
                                  .strips = raster_strips,
                                  .ground = raster->ground ? raster_ground : NULL,
                                  .clip = raster_clip};
}
