/* painter.h - the interface for drawing: a few shapes, implemented by the raster (raster.h, for the screen), by cairo
 * and for SVG (draw/painters.h). A picture looks the same on all of them.
 *
 * Coordinates are pixels, y downwards, fractions allowed; colours 0xRRGGBB; alpha 0 to 1. */
#ifndef PITHI_PAINTER_H
#define PITHI_PAINTER_H

#include <stdint.h>

#define PITHI_NO_COLOUR UINT32_MAX

enum pithi_anchor { PITHI_LEFT, PITHI_CENTRE, PITHI_RIGHT };

struct pithi_font {
    double size; /* pixels */
    int bold;
    int rimmed;   /* 1: the letters have a rim, for ground that is not plain */
    uint32_t rim; /* colour of the rim */
};
/* The width of the rim, as a fraction of the font's size. */
#define PITHI_RIM 0.12

/* A colour for each column; PITHI_NO_COLOUR: not drawn. */
struct pithi_strip {
    double y, height; /* in pixels */
    const uint32_t *rgb;
};

struct pithi_painter {
    void *context;
    int groups; /* 1: successive rectangles of one colour cost much less than mixed colours (SVG) */
    void (*rect)(void *context, double x, double y, double width, double height, uint32_t rgb, double alpha);
    void (*line)(void *context, double x0, double y0, double x1, double y1, uint32_t rgb, double alpha);
    void (*triangle)(void *context, const double x[3], const double y[3], uint32_t rgb, double alpha);
    /* Draws strips, one over the other, from scanline y and column x, each `width` columns of a pixel wide. Edges are
     * rounded like the edges of opaque rectangles. If the painter has a ground, it lies below the strips. Without a
     * ground, the pixels below the strips must be alike on all scanlines but the first, because the painter copies
     * whole scanlines. NULL: not supported. */
    void (*strips)(void *context, double x, uint32_t width, double y, double height, const struct pithi_strip *strips,
                   uint32_t count);
    /* Lays the ground on scanlines of a picture that was not cleared. Each scanline must get either the ground or
     * strips, exactly once, before anything else is drawn on it. NULL: not supported. */
    void (*ground)(void *context, double y, double height);
    /* Restricts drawing to a rectangle; width < 0: no restriction. */
    void (*clip)(void *context, double x, double y, double width, double height);
    /* `y` is the base line. In painters without text, `text` and `text_width` are NULL. */
    void (*text)(void *context, double x, double y, enum pithi_anchor anchor, struct pithi_font font, uint32_t rgb,
                 const char *text);
    double (*text_width)(void *context, struct pithi_font font, const char *text);
};

/* ---- Hatching ---------------------------------------------------------------------------------------------------- */

/* A rectangle of whole pixels with hatching. `ground`: its colour (PITHI_NO_COLOUR: what is drawn there already). The
 * lines rise to the right, or fall if `falling` is 1. They are `step` pixels apart (0: no lines) and `lines` pixels
 * wide. On scanline 0, x = `phase` lies between two lines, whatever the rectangle is. Therefore the lines of adjacent
 * rectangles fit together. If `phase` is the x of a fixed time, the hatching moves with the plot. */
struct pithi_hatching {
    double x, y, width, height, step, phase;
    int lines, falling;
    uint32_t ground, rgb;
};
void pithi_hatch(const struct pithi_painter *painter, const struct pithi_hatching *hatching);

/* ---- A painter that filters for another -------------------------------------------------------------------------- */

struct pithi_painter_filter {
    const struct pithi_painter *target;
    double left, by; /* x becomes left + (x - left) * by; by 0: x stays */
    int grey;        /* 1: colours become greys of the same lightness */
};

/* Returns a painter that draws on filter->target. `filter` and its target must outlive this painter. */
struct pithi_painter pithi_filtered_painter(struct pithi_painter_filter *filter);

#endif
