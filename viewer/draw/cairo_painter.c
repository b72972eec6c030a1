/* cairo_painter.c - draws shapes with cairo, and text with cairo or, if its script (such as Arabic) needs it, Pango.
 * Successive shapes of the same colour become one path.
 *
 * In a PDF or PostScript file each bar is a drawing command of some bytes. For 10,000 bars or more, an image of the
 * same pixels is smaller, and viewers draw it faster. How many bars come is known only when something else is drawn
 * over them. So the bars wait in a list until then, and are then written as commands or as an image. Names and axes are
 * never part of an image, so they can be searched and enlarged. */
#include "draw/painters.h"

#include <math.h>
#include <stdlib.h>
#ifdef PITHI_PANGO
#include <pango/pangocairo.h>
#endif

#include "core/cells/memory.h"
#include "core/raster/palette.h"

static void set_colour(cairo_t *cairo, uint32_t rgb, double alpha)
{
    cairo_set_source_rgba(cairo, (rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0, alpha);
}

enum { MOST_GATHERED = 4000 }; /* most shapes in one path of cairo */
/* If at least so many rectangles wait, they are written as an image, which is smaller then: a rectangle takes 34 bytes
 * of PostScript, or 5 bytes of a compressed PDF. */
enum { LEAST_IMAGE = 10000 };
/* The number of different alpha values that pixels of lines have in an image. The fewer colours an image has, the
 * smaller it is. */
enum { LEVELS = 12 };

/* ---- Paths ------------------------------------------------------------------------------------------------------- */

/* Draws the path that was gathered. Its edges lie on whole pixels and are not smoothed, so that they stay sharp even if
 * a viewer of the file scales it. */
static void draw_path(struct pithi_cairo *context)
{
    if (!context->gathered)
        return;
    set_colour(context->cairo, context->rgb, context->alpha);
    if (context->lines) {
        cairo_set_line_width(context->cairo, 1);
        cairo_stroke(context->cairo);
    } else {
        cairo_set_antialias(context->cairo, CAIRO_ANTIALIAS_NONE);
        cairo_fill(context->cairo);
        cairo_set_antialias(context->cairo, CAIRO_ANTIALIAS_DEFAULT);
    }
    context->gathered = 0;
}

static void trace(cairo_t *cairo, const struct pithi_cairo_shape *shape)
{
    if (shape->is_line) {
        cairo_move_to(cairo, shape->x0, shape->y0);
        cairo_line_to(cairo, shape->x1, shape->y1);
    } else {
        cairo_rectangle(cairo, shape->x0, shape->y0, shape->x1 - shape->x0, shape->y1 - shape->y0);
    }
}

static void lay_on_paper(const struct pithi_cairo *context, uint32_t *rgb, double *alpha)
{
    if (context->images == PITHI_IMAGES_OPAQUE && *alpha < 1) {
        *rgb = pithi_rgb_blend(PITHI_RGB_PAPER, *rgb, (unsigned)(*alpha * 255 + 0.5));
        *alpha = 1;
    }
}

static void draw_shape(struct pithi_cairo *context, struct pithi_cairo_shape shape)
{
    lay_on_paper(context, &shape.rgb, &shape.alpha);
    /* Before a shape of another colour is added, draws the path. A half-transparent shape gets a path of its own,
     * because overlaps within one path would not become darker. */
    if (shape.rgb != context->rgb || shape.alpha != context->alpha || shape.is_line != context->lines ||
        shape.alpha < 1 || context->gathered >= MOST_GATHERED)
        draw_path(context);
    context->lines = shape.is_line;
    context->rgb = shape.rgb;
    context->alpha = shape.alpha;
    context->gathered++;
    trace(context->cairo, &shape);
}

/* ---- Images ------------------------------------------------------------------------------------------------------ */

/* Computes the bounding box x0, y0, x1, y1 of the waiting shapes in whole pixels. If lines wait, the box is at least
 * the whole clip, because the ends of lines may lie outside the clip. */
static void cover_all(const struct pithi_cairo *context, double box[4])
{
    const double *clip = context->clip;

    box[0] = box[1] = INFINITY;
    box[2] = box[3] = -INFINITY;
    for (uint32_t i = 0; i < context->wait_count; i++) {
        const struct pithi_cairo_shape *shape = &context->waiting[i];
        if (shape->is_line)
            continue;
        box[0] = fmin(box[0], floor(shape->x0)), box[1] = fmin(box[1], floor(shape->y0));
        box[2] = fmax(box[2], ceil(shape->x1)), box[3] = fmax(box[3], ceil(shape->y1));
    }
    if (!context->wait_lines)
        return;
    box[0] = fmin(box[0], floor(clip[0])), box[1] = fmin(box[1], floor(clip[1]));
    box[2] = fmax(box[2], ceil(clip[0] + clip[2])), box[3] = fmax(box[3], ceil(clip[1] + clip[3]));
}

/* Draws the lines into a mask of alpha values. The mask is then drawn in one colour, because all lines are arrows and
 * have the same colour. */
static void draw_lines(cairo_t *onto, const struct pithi_cairo *context, const double box[4])
{
    cairo_surface_t *mask = cairo_image_surface_create(CAIRO_FORMAT_A8, (int)(box[2] - box[0]), (int)(box[3] - box[1]));
    cairo_t *lines = cairo_create(mask);
    uint32_t rgb = 0;

    cairo_translate(lines, -box[0], -box[1]);
    cairo_set_line_width(lines, 1);
    for (uint32_t i = 0; i < context->wait_count; i++) {
        const struct pithi_cairo_shape *shape = &context->waiting[i];
        if (!shape->is_line)
            continue;
        rgb = shape->rgb;
        cairo_set_source_rgba(lines, 0, 0, 0, shape->alpha);
        trace(lines, shape);
        cairo_stroke(lines);
    }
    cairo_destroy(lines);
    /* Rounds the mask to LEVELS values, to limit the number of colours. */
    unsigned char *bytes = cairo_image_surface_get_data(mask);
    int stride = cairo_image_surface_get_stride(mask), height = cairo_image_surface_get_height(mask);
    cairo_surface_flush(mask);
    for (size_t i = 0; i < (size_t)stride * (size_t)height; i++)
        bytes[i] = (unsigned char)((bytes[i] * (LEVELS - 1) + 127) / 255 * 255 / (LEVELS - 1));
    cairo_surface_mark_dirty(mask);
    set_colour(onto, rgb, 1);
    cairo_mask_surface(onto, mask, box[0], box[1]);
    cairo_surface_destroy(mask);
}

static void draw_image(struct pithi_cairo *context)
{
    double box[4];
    cover_all(context, box);
    cairo_surface_t *image =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(box[2] - box[0]), (int)(box[3] - box[1]));
    cairo_t *onto = cairo_create(image);

    set_colour(onto, PITHI_RGB_PAPER, 1);
    cairo_paint(onto);
    cairo_translate(onto, -box[0], -box[1]);
    cairo_set_antialias(onto, CAIRO_ANTIALIAS_NONE);
    for (uint32_t i = 0; i < context->wait_count; i++) {
        const struct pithi_cairo_shape *shape = &context->waiting[i];
        if (shape->is_line)
            continue;
        set_colour(onto, shape->rgb, shape->alpha);
        trace(onto, shape);
        cairo_fill(onto);
    }
    if (context->wait_lines)
        draw_lines(onto, context, box);

    cairo_destroy(onto);
    cairo_set_source_surface(context->cairo, image, box[0], box[1]);
    cairo_pattern_set_filter(cairo_get_source(context->cairo), CAIRO_FILTER_NEAREST);
    cairo_rectangle(context->cairo, box[0], box[1], box[2] - box[0], box[3] - box[1]);
    cairo_fill(context->cairo);
    cairo_surface_destroy(image);
}

/* ---- Waiting shapes ---------------------------------------------------------------------------------------------- */

static void set_clip(struct pithi_cairo *context)
{
    const double *clip = context->clip;

    cairo_reset_clip(context->cairo);
    if (clip[2] < 0)
        return;
    cairo_rectangle(context->cairo, clip[0], clip[1], clip[2], clip[3]);
    cairo_clip(context->cairo);
}

/* Draws the waiting shapes. Each rectangle was already cut to the clip when it was added. */
static void draw_waiting(struct pithi_cairo *context)
{
    if (!context->wait_count)
        return;
    if (context->wait_count - context->wait_lines >= LEAST_IMAGE && !context->drawn_in) {
        cairo_reset_clip(context->cairo);
        draw_image(context);
        set_clip(context);
    } else {
        for (uint32_t i = 0; i < context->wait_count; i++) {
            if (context->waiting[i].is_line == (i == 0 || !context->waiting[i - 1].is_line))
                draw_path(context), context->waiting[i].is_line ? set_clip(context) : cairo_reset_clip(context->cairo);
            draw_shape(context, context->waiting[i]);
        }
        draw_path(context);
        set_clip(context);
    }
    context->wait_count = context->wait_lines = 0;
}

static void wait_for_more(struct pithi_cairo *context, const struct pithi_cairo_shape *shape)
{
    draw_path(context);
    context->waiting =
        pithi_view_grow(context->waiting, &context->wait_capacity, context->wait_count + 1, sizeof *context->waiting);
    context->waiting[context->wait_count++] = *shape;
    context->wait_lines += (uint32_t)shape->is_line;
}

/* Draws all waiting shapes and the gathered path, and returns the cairo context, which is then ready for drawing over
 * them. */
static cairo_t *flushed(struct pithi_cairo *context)
{
    draw_waiting(context);
    draw_path(context);
    return context->cairo;
}

void pithi_cairo_end(struct pithi_cairo *context)
{
    flushed(context);
#ifdef PITHI_PANGO
    if (context->layout)
        g_object_unref(context->layout);
    context->layout = NULL;
#endif
    free(context->waiting);
    context->waiting = NULL;
}

/* ---- Shapes ------------------------------------------------------------------------------------------------------ */

static void cairo_rect(void *data, double x, double y, double width, double height, uint32_t rgb, double alpha)
{
    struct pithi_cairo *context = data;
    struct pithi_cairo_shape shape = {0, x, y, x + width, y + height, alpha, rgb};
    const double *clip = context->clip;

    if (!context->images) {
        draw_shape(context, shape);
        return;
    }
    if (clip[2] >= 0) {
        shape.x0 = fmax(x, clip[0]), shape.y0 = fmax(y, clip[1]);
        shape.x1 = fmin(shape.x1, clip[0] + clip[2]), shape.y1 = fmin(shape.y1, clip[1] + clip[3]);
    }
    if (shape.x1 > shape.x0 && shape.y1 > shape.y0)
        wait_for_more(context, &shape);
}

static void cairo_segment(void *data, double x0, double y0, double x1, double y1, uint32_t rgb, double alpha)
{
    struct pithi_cairo *context = data;
    struct pithi_cairo_shape shape = {1, x0, y0, x1, y1, alpha, rgb};

    if (context->images == PITHI_IMAGES_OPAQUE && context->clip[2] >= 0) {
        wait_for_more(context, &shape);
        return;
    }
    draw_waiting(context);
    context->drawn_in = 1;
    draw_shape(context, shape);
}

static void cairo_triangle(void *data, const double x[3], const double y[3], uint32_t rgb, double alpha)
{
    cairo_t *cairo = flushed(data);

    ((struct pithi_cairo *)data)->drawn_in = 1;
    lay_on_paper(data, &rgb, &alpha);
    set_colour(cairo, rgb, alpha);
    cairo_move_to(cairo, x[0], y[0]);
    cairo_line_to(cairo, x[1], y[1]);
    cairo_line_to(cairo, x[2], y[2]);
    cairo_close_path(cairo);
    cairo_fill(cairo);
}

/* Sets the clip. Before this, waiting lines are drawn within the old clip. Waiting rectangles were cut to the old clip
 * when they were added, so they need not be drawn yet. */
static void cairo_clip_to(void *data, double x, double y, double width, double height)
{
    struct pithi_cairo *context = data;

    if (context->wait_lines)
        draw_waiting(context);
    draw_path(context);
    context->clip[0] = x, context->clip[1] = y, context->clip[2] = width, context->clip[3] = height;
    context->drawn_in = 0;
    set_clip(context);
}

static void choose_font(cairo_t *cairo, struct pithi_font font)
{
    cairo_select_font_face(cairo, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                           font.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, font.size);
}

/* Returns font options that switch hinting off, so that a text has the same width in all kinds of files. */
static cairo_font_options_t *font_options(void)
{
    cairo_font_options_t *options = cairo_font_options_create();

    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_SLIGHT);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    return options;
}

#ifdef PITHI_PANGO
static PangoLayout *new_layout(cairo_t *cairo)
{
    PangoLayout *layout = pango_cairo_create_layout(cairo);
    PangoContext *pango = pango_layout_get_context(layout);
    cairo_font_options_t *options = font_options();

    pango_cairo_context_set_font_options(pango, options);
    cairo_font_options_destroy(options);
    pango_context_set_round_glyph_positions(pango, FALSE);
    pango_layout_context_changed(layout);
    pango_layout_set_single_paragraph_mode(layout, TRUE);
    return layout;
}

/* Returns 1 if `text` needs Pango: if it has a letter that DejaVu Sans lacks, or that must be reordered, joined to its
 * neighbours or put above them. Cairo alone can draw Latin, Greek and Cyrillic letters (below U+0590), and punctuation,
 * arrows and signs (U+2000 to U+2BFF). */
static int needs_layout(const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at; at++)
        if (*at == 0xcc || *at == 0xcd || (*at >= 0xd6 && *at != 0xe2) || (*at == 0xe2 && at[1] > 0xae))
            return 1;
    return 0;
}

/* Returns `text` laid out by Pango, which finds a font for each script, joins letters and orders them. Returns NULL if
 * the text needs none of this; then cairo alone draws it, which is quicker. */
static PangoLayoutLine *laid_out(struct pithi_cairo *context, struct pithi_font font, const char *text)
{
    if (!needs_layout(text))
        return NULL;
    if (!context->layout)
        context->layout = new_layout(context->cairo);
    PangoFontDescription *description = pango_font_description_new();
    pango_font_description_set_family_static(description, "DejaVu Sans");
    pango_font_description_set_weight(description, font.bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
    pango_font_description_set_absolute_size(description, font.size * PANGO_SCALE);
    pango_layout_set_font_description(context->layout, description);
    pango_font_description_free(description);
    pango_layout_set_text(context->layout, text, -1);
    return pango_layout_get_line_readonly(context->layout, 0);
}
#endif

static double cairo_text_width(void *data, struct pithi_font font, const char *text)
{
    cairo_t *cairo = ((struct pithi_cairo *)data)->cairo;
    cairo_text_extents_t extents;

#ifdef PITHI_PANGO
    PangoLayoutLine *line = laid_out(data, font, text);
    if (line) {
        PangoRectangle logical;
        pango_layout_line_get_extents(line, NULL, &logical);
        return (double)logical.width / PANGO_SCALE;
    }
#endif
    choose_font(cairo, font);
    cairo_text_extents(cairo, text, &extents);
    return extents.x_advance;
}

static void cairo_text(void *data, double x, double y, enum pithi_anchor anchor, struct pithi_font font, uint32_t rgb,
                       const char *text)
{
    cairo_t *cairo = flushed(data);
    double width = anchor == PITHI_LEFT ? 0 : cairo_text_width(data, font, text);

    x -= anchor == PITHI_CENTRE ? width / 2 : width;
#ifdef PITHI_PANGO
    PangoLayoutLine *line = laid_out(data, font, text);
#endif
    choose_font(cairo, font);
    if (font.rimmed) {
        set_colour(cairo, font.rim, 1);
        cairo_set_line_width(cairo, 2 * PITHI_RIM * font.size);
        cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
        cairo_move_to(cairo, x, y);
#ifdef PITHI_PANGO
        if (line)
            pango_cairo_layout_line_path(cairo, line);
        else
#endif
            cairo_text_path(cairo, text);
        cairo_stroke(cairo);
    }
    set_colour(cairo, rgb, 1);
    cairo_move_to(cairo, x, y);
#ifdef PITHI_PANGO
    if (line) {
        pango_cairo_show_layout_line(cairo, line);
        return;
    }
#endif
    cairo_show_text(cairo, text);
}

struct pithi_painter pithi_cairo_begin(struct pithi_cairo *context, cairo_t *cairo, int groups,
                                       enum pithi_cairo_images images)
{
    cairo_font_options_t *options = font_options();

    cairo_set_font_options(cairo, options);
    cairo_font_options_destroy(options);
    *context = (struct pithi_cairo){.cairo = cairo, .images = images, .clip = {0, 0, -1, -1}};
    return (struct pithi_painter){.context = context,
                                  .groups = groups,
                                  .rect = cairo_rect,
                                  .line = cairo_segment,
                                  .triangle = cairo_triangle,
                                  .clip = cairo_clip_to,
                                  .text = cairo_text,
                                  .text_width = cairo_text_width};
}
