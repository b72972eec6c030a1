/* painter.c - hatching, and a painter that widens or greys a picture and passes it on to another painter.
 *
 * Hatching. The lines of two bars side by side must continue each other, or the border between them would look like a
 * third colour. So the lines are defined for the whole picture, at x + y = phase + 1, phase + 1 + step, phase + 1 + 2
 * step ..., and each rectangle shows the parts that lie in it:
 *
 *     step 8, phase 0, a rectangle from (10, 0) to (16, 4), one line of a pixel each
 *     x + y = 9 meets none of it;  x + y = 17 meets it from (13, 4) to (16, 1)
 *
 * The phase moves with the time axis, so hatching moves with its bar when the view is panned. */
#include "core/raster/painter.h"

#include <math.h>

#include "core/raster/palette.h"

/* ---- Hatching ---------------------------------------------------------------------------------------------------- */

/* Along a rising line x + y is constant, along a falling line x - y. Lines are cut at the rectangle's edges here,
 * because a clip for each rectangle would make an SVG large. */
void pithi_hatch(const struct pithi_painter *painter, const struct pithi_hatching *hatching)
{
    double left = hatching->x, right = left + hatching->width, top = hatching->y, foot = top + hatching->height;
    double step = hatching->step, phase = step > 0 ? fmod(floor(hatching->phase + 0.5), step) : 0;

    if (hatching->ground != PITHI_NO_COLOUR)
        painter->rect(painter->context, left, top, hatching->width, hatching->height, hatching->ground, 1);
    if (step <= 0)
        return;
    for (double less = floor((left - foot - phase) / step) * step + phase; hatching->falling && less < right - top;
         less += step)
        for (int i = 0; i < hatching->lines; i++) {
            double from = fmax(left, less + i + top), to = fmin(right, less + i + foot);
            if (from < to)
                painter->line(painter->context, from, from - less - i, to, to - less - i, hatching->rgb, 1);
        }
    for (double sum = floor((left + top - phase) / step) * step + phase; !hatching->falling && sum < right + foot;
         sum += step)
        for (int i = 1; i <= hatching->lines; i++) {
            double from = fmax(left, sum + i - foot), to = fmin(right, sum + i - top);
            if (from < to)
                painter->line(painter->context, from, sum + i - from, to, sum + i - to, hatching->rgb, 1);
        }
}

/* ---- A painter that filters for another -------------------------------------------------------------------------- */

static double x_of(const struct pithi_painter_filter *filter, double x)
{
    return filter->by > 0 ? filter->left + (x - filter->left) * filter->by : x;
}

static uint32_t colour_of(const struct pithi_painter_filter *filter, uint32_t rgb)
{
    return filter->grey ? pithi_rgb_lightness(rgb) * 0x010101u : rgb;
}

static void filter_rect(void *context, double x, double y, double width, double height, uint32_t rgb, double alpha)
{
    struct pithi_painter_filter *filter = context;
    double left = x_of(filter, x);

    rgb = colour_of(filter, rgb);
    filter->target->rect(filter->target->context, left, y, x_of(filter, x + width) - left, height, rgb, alpha);
}

static void filter_line(void *context, double x0, double y0, double x1, double y1, uint32_t rgb, double alpha)
{
    struct pithi_painter_filter *filter = context;

    rgb = colour_of(filter, rgb);
    filter->target->line(filter->target->context, x_of(filter, x0), y0, x_of(filter, x1), y1, rgb, alpha);
}

/* Triangles keep their shape and move with their tip. */
static void filter_triangle(void *context, const double x[3], const double y[3], uint32_t rgb, double alpha)
{
    struct pithi_painter_filter *filter = context;
    double by = x_of(filter, x[2]) - x[2], moved[3] = {x[0] + by, x[1] + by, x[2] + by};

    rgb = colour_of(filter, rgb);
    filter->target->triangle(filter->target->context, moved, y, rgb, alpha);
}

static void filter_clip(void *context, double x, double y, double width, double height)
{
    struct pithi_painter_filter *filter = context;
    double left = x_of(filter, x);

    filter->target->clip(filter->target->context, left, y, width < 0 ? width : x_of(filter, x + width) - left, height);
}

static void filter_text(void *context, double x, double y, enum pithi_anchor anchor, struct pithi_font font,
                        uint32_t rgb, const char *text)
{
    struct pithi_painter_filter *filter = context;

    rgb = colour_of(filter, rgb);
    font.rim = colour_of(filter, font.rim);
    filter->target->text(filter->target->context, x_of(filter, x), y, anchor, font, rgb, text);
}

static double filter_text_width(void *context, struct pithi_font font, const char *text)
{
    const struct pithi_painter_filter *filter = context;

    double width = filter->target->text_width(filter->target->context, font, text);

    return filter->by > 0 ? width / filter->by : width; /* in the coordinates that the caller of this painter uses */
}

struct pithi_painter pithi_filtered_painter(struct pithi_painter_filter *filter)
{
    return (struct pithi_painter){.context = filter,
                                  .groups = filter->target->groups,
                                  .rect = filter_rect,
                                  .line = filter_line,
                                  .triangle = filter_triangle,
                                  .clip = filter_clip,
                                  .text = filter->target->text ? filter_text : NULL,
                                  .text_width = filter->target->text_width ? filter_text_width : NULL};
}
