/* bands.h - paints a plot on a raster from top to bottom, some rows at a time, while they are in the processor's cache.
 * Two threads paint, and finished rows can go to the screen before the rest is done. The picture is the same as with
 * pithi_plot_draw. */
#ifndef PITHI_BANDS_H
#define PITHI_BANDS_H

#include "core/cells/helper.h"
#include "core/scene/plot.h"
#include "core/raster/raster.h"

/* Paints a plot on `raster`, which must have words and a ground (pithi_raster_grounded), with nothing drawn on it yet.
 * `helper` must be idle; if it is NULL, the calling thread paints alone. The calling thread calls `done` from time to
 * time, and at the end, when the scanlines [0, end) are ready. */
void pithi_bands_draw(const struct pithi_plot *plot, struct pithi_raster *raster, struct pithi_helper *helper,
                      void (*done)(void *context, int end), void *context);

#endif
