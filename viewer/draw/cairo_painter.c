/* cairo_painter.c - shapes and text through cairo. */
#include "draw/cairo_painter.h"

static void set_colour(cairo_t *cairo, uint32_t rgb, double alpha)
{
    cairo_set_source_rgba(cairo, (rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0, alpha);
}

enum { MOST_GATHERED = 4000 };

/* Bars are on whole pixels: without smoothing their edges stay sharp, also where a viewer scales an SVG. */
void pithi_cairo_end(struct pithi_cairo *context)
{
    if (!context->gathered)
        return;
    cairo_set_antialias(context->cairo, CAIRO_ANTIALIAS_NONE);
    set_colour(context->cairo, context->rgb, context->alpha);
    cairo_fill(context->cairo);
    cairo_set_antialias(context->cairo, CAIRO_ANTIALIAS_DEFAULT);
    context->gathered = 0;
}

static void cairo_rect(void *data, double x, double y, double width, double height, uint32_t rgb, double alpha)
{
    struct pithi_cairo *context = data;

    /* Half-transparent ones may overlap, which in one path would not add up. */
    if (rgb != context->rgb || alpha != context->alpha || alpha < 1 || context->gathered >= MOST_GATHERED)
        pithi_cairo_end(context);
    context->rgb = rgb;
    context->alpha = alpha;
    cairo_rectangle(context->cairo, x, y, width, height);
    context->gathered++;
}

/* The cairo context of the painter, with nothing gathered. */
static cairo_t *flushed(void *data)
{
    pithi_cairo_end(data);
    return ((struct pithi_cairo *)data)->cairo;
}

static void cairo_segment(void *data, double x0, double y0, double x1, double y1, uint32_t rgb, double alpha)
{
    cairo_t *cairo = flushed(data);

    set_colour(cairo, rgb, alpha);
    cairo_set_line_width(cairo, 1);
    cairo_move_to(cairo, x0, y0);
    cairo_line_to(cairo, x1, y1);
    cairo_stroke(cairo);
}

static void cairo_triangle(void *data, const double x[3], const double y[3], uint32_t rgb, double alpha)
{
    cairo_t *cairo = flushed(data);

    set_colour(cairo, rgb, alpha);
    cairo_move_to(cairo, x[0], y[0]);
    cairo_line_to(cairo, x[1], y[1]);
    cairo_line_to(cairo, x[2], y[2]);
    cairo_close_path(cairo);
    cairo_fill(cairo);
}

static void cairo_clip_to(void *data, double x, double y, double width, double height)
{
    cairo_t *cairo = flushed(data);

    cairo_reset_clip(cairo);
    if (width < 0)
        return;
    cairo_rectangle(cairo, x, y, width, height);
    cairo_clip(cairo);
}

static void choose_font(cairo_t *cairo, struct pithi_font font)
{
    cairo_select_font_face(cairo, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                           font.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, font.size);
}

static double cairo_text_width(void *data, struct pithi_font font, const char *text)
{
    cairo_t *cairo = ((struct pithi_cairo *)data)->cairo;
    cairo_text_extents_t extents;

    choose_font(cairo, font);
    cairo_text_extents(cairo, text, &extents);
    return extents.x_advance;
}

static void cairo_text(void *data, double x, double y, enum pithi_anchor anchor, struct pithi_font font, uint32_t rgb,
                       const char *text)
{
    cairo_t *cairo = flushed(data);
    double width = anchor == PITHI_LEFT ? 0 : cairo_text_width(data, font, text);

    choose_font(cairo, font);
    set_colour(cairo, rgb, 1);
    cairo_move_to(cairo, anchor == PITHI_CENTRE ? x - width / 2 : x - width, y);
    cairo_show_text(cairo, text);
}

struct pithi_painter pithi_cairo_begin(struct pithi_cairo *context, cairo_t *cairo, int groups)
{
    cairo_font_options_t *options = cairo_font_options_create();

    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_SLIGHT);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_set_font_options(cairo, options);
    cairo_font_options_destroy(options);
    *context = (struct pithi_cairo){.cairo = cairo};
    return (struct pithi_painter){.context = context,
                                  .groups = groups,
                                  .rect = cairo_rect,
                                  .line = cairo_segment,
                                  .triangle = cairo_triangle,
                                  .clip = cairo_clip_to,
                                  .text = cairo_text,
                                  .text_width = cairo_text_width};
}
