/* cairo_painter.c - shapes and text through cairo. */
#include "draw/cairo_painter.h"

static void set_colour(cairo_t *cairo, uint32_t rgb, double alpha)
{
    cairo_set_source_rgba(cairo, (rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0, alpha);
}

/* Bars are on whole pixels: without smoothing their edges stay sharp, also where a viewer scales an SVG. */
static void cairo_rect(void *context, double x, double y, double width, double height, uint32_t rgb, double alpha)
{
    cairo_set_antialias(context, CAIRO_ANTIALIAS_NONE);
    set_colour(context, rgb, alpha);
    cairo_rectangle(context, x, y, width, height);
    cairo_fill(context);
    cairo_set_antialias(context, CAIRO_ANTIALIAS_DEFAULT);
}

static void cairo_segment(void *context, double x0, double y0, double x1, double y1, uint32_t rgb, double alpha)
{
    set_colour(context, rgb, alpha);
    cairo_set_line_width(context, 1);
    cairo_move_to(context, x0, y0);
    cairo_line_to(context, x1, y1);
    cairo_stroke(context);
}

static void cairo_triangle(void *context, const double x[3], const double y[3], uint32_t rgb, double alpha)
{
    set_colour(context, rgb, alpha);
    cairo_move_to(context, x[0], y[0]);
    cairo_line_to(context, x[1], y[1]);
    cairo_line_to(context, x[2], y[2]);
    cairo_close_path(context);
    cairo_fill(context);
}

static void cairo_clip_to(void *context, double x, double y, double width, double height)
{
    cairo_reset_clip(context);
    if (width < 0)
        return;
    cairo_rectangle(context, x, y, width, height);
    cairo_clip(context);
}

static void choose_font(cairo_t *cairo, struct pithi_font font)
{
    cairo_select_font_face(cairo, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                           font.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, font.size);
}

static double cairo_text_width(void *context, struct pithi_font font, const char *text)
{
    cairo_text_extents_t extents;

    choose_font(context, font);
    cairo_text_extents(context, text, &extents);
    return extents.x_advance;
}

static void cairo_text(void *context, double x, double y, enum pithi_anchor anchor, struct pithi_font font,
                       uint32_t rgb, const char *text)
{
    double width = anchor == PITHI_LEFT ? 0 : cairo_text_width(context, font, text);

    choose_font(context, font);
    set_colour(context, rgb, 1);
    cairo_move_to(context, anchor == PITHI_CENTRE ? x - width / 2 : x - width, y);
    cairo_show_text(context, text);
}

struct pithi_painter pithi_cairo_painter(cairo_t *cairo)
{
    cairo_font_options_t *options = cairo_font_options_create();

    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_SLIGHT);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_set_font_options(cairo, options);
    cairo_font_options_destroy(options);
    return (struct pithi_painter){.context = cairo,
                                  .rect = cairo_rect,
                                  .line = cairo_segment,
                                  .triangle = cairo_triangle,
                                  .clip = cairo_clip_to,
                                  .text = cairo_text,
                                  .text_width = cairo_text_width};
}
