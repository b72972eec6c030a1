/* raster_strips.c - paints strips. They are most of a window's picture, so their loops have no branches. */
#include "core/raster_parts.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

/* Has no branches and copies eight words at a time, so that the compiler vectorizes it. */
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
            pithi_set_pixel(to + 3 * (size_t)i, rgb[i]);
}

/* The scanlines of a strip. */
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

/* Paints the strips that cover `line`. */
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

/* All scanlines between two edges are alike: the first is painted, the others are copied. */
void pithi_raster_strips(void *context, double x, uint32_t width, double y, double height,
                         const struct pithi_strip *strips, uint32_t count)
{
    const struct pithi_raster *raster = context;
    int left = (int)floor(x + 0.5), right = (int64_t)left + width > raster->right ? raster->right : left + (int)width;
    int skip = left < raster->left ? raster->left - left : 0;
    int top = pithi_rounded(y, raster->top, raster->bottom),
        bottom = pithi_rounded(y + height, raster->top, raster->bottom);
    struct span *spans = pithi_alloc(count, sizeof *spans);

    for (uint32_t i = 0; i < count; i++)
        spans[i] = (struct span){pithi_rounded(strips[i].y, top, bottom),
                                 pithi_rounded(strips[i].y + strips[i].height, top, bottom)};
    for (int line = top, next; line < bottom && left + skip < right; line = next) {
        next = line == top && !raster->ground ? line + 1 : next_edge(spans, count, line, bottom);
        lay_line(raster, strips, spans, count, line, left + skip, skip, (uint32_t)(right - left - skip));
        repeat_line(raster, line, next, left + skip, (uint32_t)(right - left - skip));
    }
    free(spans);
}

void pithi_raster_ground(void *context, double y, double height)
{
    const struct pithi_raster *raster = context;
    int bottom = pithi_rounded(y + height, raster->first, raster->end);

    for (int line = pithi_rounded(y, raster->first, raster->end); line < bottom; line++)
        lay_ground(raster, line);
}
