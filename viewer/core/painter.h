/* painter.h - what a picture is drawn with: a few shapes, implemented by the raster (raster.h, for the screen) and by
 * cairo (draw/cairo_painter.c, for files). Whatever draws through this looks the same on both.
 *
 * Coordinates are pixels, y downwards, fractions allowed; colours 0xRRGGBB; alpha 0 to 1.
 */
#ifndef PITHI_PAINTER_H
#define PITHI_PAINTER_H

#include <stdint.h>

#define PITHI_NO_COLOUR UINT32_MAX

enum pithi_anchor { PITHI_LEFT, PITHI_CENTRE, PITHI_RIGHT };

struct pithi_font {
    double size; /* pixels */
    int bold;
};

/* Columns with a colour each; PITHI_NO_COLOUR is left out. */
struct pithi_strip {
    double y, height;
    const uint32_t *rgb;
};

struct pithi_painter {
    void *context;
    int groups; /* 1: rectangles of one colour in succession cost much less than mixed ones (SVG) */
    void (*rect)(void *context, double x, double y, double width, double height, uint32_t rgb, double alpha);
    void (*line)(void *context, double x0, double y0, double x1, double y1, uint32_t rgb, double alpha);
    void (*triangle)(void *context, const double x[3], const double y[3], uint32_t rgb, double alpha);
    /* NULL, or for what consists of columns a pixel wide: strips laid one on the other in the lines from y on, from x
     * on, each of `width` columns. Edges are rounded as those of opaque rectangles. Under them
     * is the ground, with painters that have one; else what lies there looks alike on all lines from the second on. */
    void (*strips)(void *context, double x, uint32_t width, double y, double height, const struct pithi_strip *strips,
                   uint32_t count);
    /* NULL, or for pictures that are not cleared before: these lines become empty. Each line of the picture gets it,
     * or strips, once, before anything else is drawn there. */
    void (*ground)(void *context, double y, double height);
    /* Only what is inside is drawn from now on; width < 0: everything. */
    void (*clip)(void *context, double x, double y, double width, double height);
    /* `y` is the base line. NULL in painters without text; text_width comes with it. */
    void (*text)(void *context, double x, double y, enum pithi_anchor anchor, struct pithi_font font, uint32_t rgb,
                 const char *text);
    double (*text_width)(void *context, struct pithi_font font, const char *text);
};

#endif
