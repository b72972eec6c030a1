/* raster.h - a picture in memory, and the painter for it. Three bytes a pixel (red, green, blue); or words 0x00RRGGBB,
 * as displays like them.
 *
 * Rectangles cover whole pixels (corners are rounded) and are exact; lines are smoothed. No text: the window has better
 * means for it.
 */
#ifndef PITHI_RASTER_H
#define PITHI_RASTER_H

#include "core/painter.h"

struct pithi_raster {
    unsigned char *pixels; /* [height][width][3] */
    uint32_t *words;       /* [height][width] instead, not owned; NULL: `pixels` */
    int width, height;
    int left, top, right, bottom; /* clip */
    const uint32_t *ground;       /* [width], not owned; or NULL */
    int first, end;               /* the scanlines that are drawn at all: those of a part */
    int keeps;                    /* 1: rectangles, lines and triangles are kept and not drawn */
    struct pithi_shape *shapes;   /* [shape_count] that are kept */
    uint32_t shape_count, shape_capacity;
};

/* (Re)sizes and fills with one colour. Zeroed before the first call. */
void pithi_raster_prepare(struct pithi_raster *raster, int width, int height, uint32_t rgb);
/* The same onto words of the caller's, which outlive it. */
void pithi_raster_onto(struct pithi_raster *raster, uint32_t *words, int width, int height, uint32_t rgb);
/* The same, not filled: its painter lays `ground` [width], the caller's too, where it is told to. */
void pithi_raster_grounded(struct pithi_raster *raster, uint32_t *words, int width, int height, const uint32_t *ground);
/* Scanlines [first, end) of a raster, by the raster's memory: to be drawn on by itself, in another thread too. What the
 * raster has kept is the part's to draw, too; the raster must stay until then. Nothing to be freed. */
struct pithi_raster pithi_raster_part(const struct pithi_raster *raster, int first, int end);
/* Draws what of the kept shapes lies on a part, in the order in which they came: it looks as if they had been drawn at
 * once. */
void pithi_raster_draw_kept(struct pithi_raster *part);
/* Keeps nothing any more, and frees what was kept. */
void pithi_raster_forget(struct pithi_raster *raster);
void pithi_raster_free(struct pithi_raster *raster);
struct pithi_painter pithi_raster_painter(struct pithi_raster *raster);

#endif
