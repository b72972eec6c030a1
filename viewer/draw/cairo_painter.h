/* cairo_painter.h - the painter (core/painter.h) for files. */
#ifndef PITHI_CAIRO_PAINTER_H
#define PITHI_CAIRO_PAINTER_H

#include <cairo.h>

#include "core/painter.h"

/* What is alike in succession, rectangles or opaque lines of one colour, is gathered into one path: a PostScript of
 * many records is a third as large. */
/* Of very many rectangles on paper an image is made, a pixel a unit, as they stand on whole units: so a PDF of a dense
 * log has a fifth of the size, a PostScript a tenth. */
enum pithi_cairo_images {
    PITHI_NO_IMAGES,
    PITHI_IMAGES,
    PITHI_IMAGES_OPAQUE /* lines go into it as well, and what is half-transparent elsewhere is laid on paper: PostScript
                           knows no transparency */
};

struct pithi_cairo {
    cairo_t *cairo;
    int gathered; /* in the path */
    int lines;    /* 1: the path is of lines */
    uint32_t rgb;
    double alpha;
    enum pithi_cairo_images images;
    struct pithi_cairo_shape { /* they wait until it is known how many there are */
        int is_line;
        double x0, y0, x1, y1, alpha;
        uint32_t rgb;
    } * waiting;
    uint32_t wait_count, wait_capacity, wait_lines;
    double clip[4]; /* x, y, width, height; width < 0: none */
    int drawn_in;   /* 1: in the clip there is something besides what waits */
};

/* A painter on `cairo`; both structs must outlive it. Fonts are measured without hinting, so that all kinds of files
 * are laid out alike. `groups`: as in the painter. */
struct pithi_painter pithi_cairo_begin(struct pithi_cairo *context, cairo_t *cairo, int groups,
                                       enum pithi_cairo_images images);
/* Draws what was gathered last; frees. */
void pithi_cairo_end(struct pithi_cairo *context);

#endif
