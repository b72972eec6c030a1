/* lens.c - a painter in front of another; see lens.h. */
#include "core/lens.h"

#include "core/palette.h"

static double x_of(const struct pithi_lens *lens, double x)
{
    return lens->by > 0 ? lens->left + (x - lens->left) * lens->by : x;
}

static uint32_t colour_of(const struct pithi_lens *lens, uint32_t rgb)
{
    return lens->grey ? pithi_rgb_lightness(rgb) * 0x010101u : rgb;
}

static void lens_rect(void *context, double x, double y, double width, double height, uint32_t rgb, double alpha)
{
    struct pithi_lens *lens = context;
    double left = x_of(lens, x);

    rgb = colour_of(lens, rgb);
    lens->behind->rect(lens->behind->context, left, y, x_of(lens, x + width) - left, height, rgb, alpha);
}

static void lens_line(void *context, double x0, double y0, double x1, double y1, uint32_t rgb, double alpha)
{
    struct pithi_lens *lens = context;

    rgb = colour_of(lens, rgb);
    lens->behind->line(lens->behind->context, x_of(lens, x0), y0, x_of(lens, x1), y1, rgb, alpha);
}

/* Signs keep their shape; they go where their tip goes. */
static void lens_triangle(void *context, const double x[3], const double y[3], uint32_t rgb, double alpha)
{
    struct pithi_lens *lens = context;
    double by = x_of(lens, x[2]) - x[2], moved[3] = {x[0] + by, x[1] + by, x[2] + by};

    rgb = colour_of(lens, rgb);
    lens->behind->triangle(lens->behind->context, moved, y, rgb, alpha);
}

static void lens_clip(void *context, double x, double y, double width, double height)
{
    struct pithi_lens *lens = context;
    double left = x_of(lens, x);

    lens->behind->clip(lens->behind->context, left, y, width < 0 ? width : x_of(lens, x + width) - left, height);
}

static void lens_text(void *context, double x, double y, enum pithi_anchor anchor, struct pithi_font font, uint32_t rgb,
                      const char *text)
{
    struct pithi_lens *lens = context;

    rgb = colour_of(lens, rgb);
    lens->behind->text(lens->behind->context, x_of(lens, x), y, anchor, font, rgb, text);
}

static double lens_text_width(void *context, struct pithi_font font, const char *text)
{
    const struct pithi_lens *lens = context;

    return lens->behind->text_width(lens->behind->context, font, text);
}

struct pithi_painter pithi_lens_begin(struct pithi_lens *lens)
{
    return (struct pithi_painter){.context = lens,
                                  .groups = lens->behind->groups,
                                  .rect = lens_rect,
                                  .line = lens_line,
                                  .triangle = lens_triangle,
                                  .clip = lens_clip,
                                  .text = lens->behind->text ? lens_text : NULL,
                                  .text_width = lens->behind->text_width ? lens_text_width : NULL};
}
