/* raster_parts.h - functions that the files of the raster share. */
#ifndef PITHI_RASTER_PARTS_H
#define PITHI_RASTER_PARTS_H

#include <math.h>

#include "core/raster.h"

static inline void pithi_set_pixel(unsigned char *pixel, uint32_t rgb)
{
    pixel[0] = (unsigned char)(rgb >> 16);
    pixel[1] = (unsigned char)(rgb >> 8);
    pixel[2] = (unsigned char)rgb;
}

static inline int pithi_rounded(double value, int low, int high)
{
    if (value <= low)
        return low;
    return value >= high ? high : (int)floor(value + 0.5);
}

/* The painter's strips and ground (raster_strips.c). */
void pithi_raster_strips(void *context, double x, uint32_t width, double y, double height,
                         const struct pithi_strip *strips, uint32_t count);
void pithi_raster_ground(void *context, double y, double height);

#endif
