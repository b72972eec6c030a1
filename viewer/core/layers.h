/* layers.h - mountain ranges (ranges.h) as a picture: a layer of colour for each state, stacked.
 *
 * Where one layer ends and the next begins is rounded to whole pixels, the same on the screen and in files; columns
 * alike make one rectangle.
 */
#ifndef PITHI_LAYERS_H
#define PITHI_LAYERS_H

#include "core/painter.h"
#include "core/ranges.h"

struct pithi_layers_look {
    double x, y, height;   /* upper left corner; the height is that of all lanes. A column is a pixel wide */
    const uint32_t *order; /* states from the bottom up; those that are not among them follow, by id */
    uint32_t order_count;
    const unsigned char *chosen; /* [defs], zero: left out, what is above moves down; NULL: all are drawn */
    const uint32_t *rgb;         /* [defs] */
    int smooth;                  /* 1: a column is the average of those near, weighted; areas stay as they are */
};

void pithi_layers_draw(const struct pithi_ranges *ranges, const struct pithi_layers_look *look,
                       const struct pithi_painter *painter);
/* The state whose layer is at a pixel, `column` and `y` from the picture's corner; PITHI_NONE: none. */
uint32_t pithi_layers_at(const struct pithi_ranges *ranges, const struct pithi_layers_look *look, uint32_t column,
                         double y);
/* Lanes between two marks of the scale: 1, 2 or 5 times a power of ten, the least that is `spacing` pixels or more. */
uint32_t pithi_layers_step(uint32_t lanes, double height, double spacing);
/* Lines across at these marks. */
void pithi_layers_draw_grid(const struct pithi_ranges *ranges, const struct pithi_layers_look *look, double spacing,
                            const struct pithi_painter *painter);

#endif
