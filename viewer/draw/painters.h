/* painters.h - the two painters (core/raster/painter.h) that draw into files: one uses cairo, the other writes SVG. */
#ifndef PITHI_PAINTERS_H
#define PITHI_PAINTERS_H

#include <cairo.h>

#include "core/raster/painter.h"
#include "draw/text_buffer.h"

/* The cairo painter joins successive rectangles, or opaque lines, of one colour to one path, which makes a PostScript
 * file of many records three times smaller. Very many rectangles become an image with one pixel for each unit of
 * length. This makes the PDF file of a log with many records five times smaller, and its PostScript file ten times
 * smaller. The enum says whether the file may have such images. */
enum pithi_cairo_images {
    PITHI_NO_IMAGES,
    PITHI_IMAGES,
    /* For PostScript, which has no transparency: images also contain the lines, and outside of images, half-transparent
     * shapes get the opaque colour that they have on the paper. */
    PITHI_IMAGES_OPAQUE
};

struct pithi_cairo {
    cairo_t *cairo;
    int gathered; /* number of shapes in the path that is not drawn yet */
    int lines;    /* 1: the path has lines; 0: rectangles */
    uint32_t rgb; /* 0xRRGGBB */
    double alpha;
    enum pithi_cairo_images images;
    struct pithi_cairo_shape {        /* shapes that wait until it is known how many come; then they become an image
                                       * or paths */
        int is_line;                  /* 1: a line; 0: a rectangle */
        double x0, y0, x1, y1, alpha; /* the ends of a line, two corners of a rectangle */
        uint32_t rgb;
    } * waiting;
    uint32_t wait_count, wait_capacity, wait_lines;
    double clip[4];              /* x, y, width, height; width < 0: none */
    int drawn_in;                /* 1: other shapes were drawn in the present clip, and an image of the waiting shapes
                                  * would hide them */
    struct _PangoLayout *layout; /* for texts that cairo alone cannot draw; NULL until the first such text */
};

/* Returns a painter that draws on `cairo`; `context` and `cairo` must outlive the painter. Fonts are measured without
 * hinting, so that all kinds of files have the same layout. `groups` is copied to the painter. */
struct pithi_painter pithi_cairo_begin(struct pithi_cairo *context, cairo_t *cairo, int groups,
                                       enum pithi_cairo_images images);
/* Ends the painter: draws the shapes that still wait, and frees the memory. */
void pithi_cairo_end(struct pithi_cairo *context);

/* ---- SVG --------------------------------------------------------------------------------------------------------- */

struct pithi_svg;

/* Begins an SVG document. `measure` is a painter that measures text; it must outlive the document. */
struct pithi_svg *pithi_svg_new(double width, double height, const char *title, const struct pithi_painter *measure);
struct pithi_painter pithi_svg_painter(struct pithi_svg *svg);
/* Ends the document and returns all of its text, which `svg` owns. */
const struct pithi_text *pithi_svg_end(struct pithi_svg *svg);
/* Returns how many bytes the document has so far. */
uint32_t pithi_svg_bytes(const struct pithi_svg *svg);
void pithi_svg_free(struct pithi_svg *svg);

#endif
