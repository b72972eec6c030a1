/* cairo_painter.h - the painter (core/painter.h) for files. */
#ifndef PITHI_CAIRO_PAINTER_H
#define PITHI_CAIRO_PAINTER_H

#include <cairo.h>

#include "core/painter.h"

/* A painter on `cairo`, which must outlive it. Fonts are measured without hinting, so that all kinds of files are laid out
 * alike. */
struct pithi_painter pithi_cairo_painter(cairo_t *cairo);

#endif
