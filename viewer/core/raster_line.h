/* raster_line.h - lines on a raster (raster.h). Internal to it. */
#ifndef PITHI_RASTER_LINE_H
#define PITHI_RASTER_LINE_H

#include "core/raster.h"

/* A line along its longer axis, from step `first` to `last`: at each the middle of the line across, less a half, in
 * 65536ths of a pixel. */
struct pithi_run {
    int steep, inside; /* inside: all that it may touch is within the clip */
    int first, last;
    int top, bottom; /* the scanlines that it may touch */
    int64_t across, slope;
    uint32_t rgb, weight; /* of 256 */
};

/* What of a line is within the clip: 1. */
int pithi_run_make(const struct pithi_raster *raster, double x0, double y0, double x1, double y1,
                   struct pithi_run *run);
/* All of it, on the raster that it was made for; and what of it is on a part of that (pithi_raster_part). */
void pithi_run_draw(const struct pithi_raster *raster, const struct pithi_run *run);
void pithi_run_draw_part(const struct pithi_raster *part, const struct pithi_run *run);

/* Blends a colour into a pixel, if it is within the clip. */
void pithi_raster_blend(const struct pithi_raster *raster, int x, int y, uint32_t rgb, double alpha);

/* Red and blue at once, then green; alpha 0 to 256. */
static inline uint32_t pithi_blend_words(uint32_t under, uint32_t over, uint32_t alpha)
{
    uint32_t red_blue = (under & 0xff00ff) * (256 - alpha) + (over & 0xff00ff) * alpha + 0x800080;
    uint32_t green = (under & 0xff00) * (256 - alpha) + (over & 0xff00) * alpha + 0x8000;

    return (red_blue >> 8 & 0xff00ff) | (green >> 8 & 0xff00);
}

#endif
