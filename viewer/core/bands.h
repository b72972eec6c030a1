/* bands.h - a plot on a raster, from top to bottom: some rows at a time, all that is seen of them, while they are in
 * the processor's cache; by two threads; and what is done can go to the screen while the rest is painted. It looks as
 * pithi_plot_draw would have painted it.
 */
#ifndef PITHI_BANDS_H
#define PITHI_BANDS_H

#include "core/helper.h"
#include "core/plot.h"
#include "core/raster.h"

/* `raster` is on words and has a ground, and nothing has been drawn on it. `helper`: NULL, or one with nothing to do.
 * `done` is called by this thread, from time to time and at last, when scanlines [0, end) are ready. */
void pithi_bands_draw(const struct pithi_plot *plot, struct pithi_raster *raster, struct pithi_helper *helper,
                      void (*done)(void *context, int end), void *context);

#endif
