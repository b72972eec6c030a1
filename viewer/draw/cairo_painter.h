/* cairo_painter.h - the painter (core/painter.h) for files. */
#ifndef PITHI_CAIRO_PAINTER_H
#define PITHI_CAIRO_PAINTER_H

#include <cairo.h>

#include "core/painter.h"

/* Rectangles of one colour in succession are gathered into one path: an SVG of many records is a third as large. (A
 * PDF is compressed and only grows.) */
struct pithi_cairo {
    cairo_t *cairo;
    int gathered; /* rectangles in the path */
    uint32_t rgb;
    double alpha;
};

/* A painter on `cairo`; both structs must outlive it. Fonts are measured without hinting, so that all kinds of files
 * are laid out alike. `groups`: as in the painter. */
struct pithi_painter pithi_cairo_begin(struct pithi_cairo *context, cairo_t *cairo, int groups);
/* Draws what was gathered last. */
void pithi_cairo_end(struct pithi_cairo *context);

#endif
