/* svg_painter.c - the painter that writes shapes and text as SVG.
 *
 * A picture may have 100,000 bars. An element for each would make 6 MB, which browsers show slowly. So bars of the same
 * colour and height become one path, in which each bar is a horizontal line as thick as the bar. Bars of 10 pixels in
 * rows 20 to 30, from 10 to 15, 15 to 18 and 20 to 22, are
 *
 *     <path stroke="#2e8b57" stroke-width="10" d="M10 25h8m2 0h2"/>
 *
 * The second bar only makes the first line longer (h8), as it begins where the first bar ends. The third bar begins
 * with a move relative to the end of this line (m2 0), because relative numbers are short. Distances are computed from
 * integers, hundredths of a pixel, so that their sums are exact; sums of rounded distances would drift. */
#include "draw/painters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/cells/memory.h"

enum { MOST_PATHS = 96 }; /* the most paths that are kept before they are written */

/* All values are in hundredths of a pixel, so that sums of relative moves stay exact. */
struct path {
    long height, alpha; /* alpha: the opacity in hundredths */
    long x, y, width;   /* the last bar, which the next bar may extend: left edge, middle, width; width 0: there is
                         * none */
    long at_x, at_y;    /* the current point of the path */
    struct pithi_text text;
};

enum group { NO_GROUP, LINES, TEXTS };

struct pithi_svg {
    struct pithi_text text;
    const struct pithi_painter *measure;
    struct path paths[MOST_PATHS]; /* paths that are not yet written; all have the colour `rgb` */
    uint32_t path_count, rgb;
    enum group group; /* the open <g>, with its colour, opacity and font below */
    uint32_t group_rgb;
    long group_alpha, last_alpha; /* opacity in hundredths, of the group and of the last shape */
    struct pithi_font group_font; /* font of a group of texts */
    int clip_count, clipped;
};

static long hundredths(double value) { return lround(value * 100); }

/* ---- Bars -------------------------------------------------------------------------------------------------------- */

static void write_bar(struct path *path)
{
    struct pithi_text *text = &path->text;

    if (!path->width)
        return;
    pithi_text_bytes(text, text->size ? "m" : "M", 1);
    pithi_text_hundredths(text, path->x - path->at_x);
    pithi_text_bytes(text, " ", 1);
    pithi_text_hundredths(text, path->y - path->at_y);
    pithi_text_bytes(text, "h", 1);
    pithi_text_hundredths(text, path->width);
    path->at_x = path->x + path->width;
    path->at_y = path->y;
    path->width = 0;
}

static void end_group(struct pithi_svg *svg)
{
    if (svg->group)
        pithi_text_add(&svg->text, "</g>\n");
    svg->group = NO_GROUP;
}

static void write_paths(struct pithi_svg *svg)
{
    for (uint32_t i = 0; i < svg->path_count; i++) {
        struct path *path = &svg->paths[i];
        write_bar(path);
        end_group(svg);
        pithi_text_add(&svg->text, "<path stroke=\"#%06x\" stroke-width=\"", svg->rgb);
        pithi_text_hundredths(&svg->text, path->height);
        if (path->alpha < 100)
            pithi_text_add(&svg->text, "\" opacity=\".%02ld", path->alpha);
        pithi_text_add(&svg->text, "\" d=\"");
        pithi_text_bytes(&svg->text, path->text.data, path->text.size);
        pithi_text_add(&svg->text, "\"/>\n");
        path->text.size = 0;
        path->at_x = path->at_y = 0;
    }
    svg->path_count = 0;
}

static struct path *find_path(struct pithi_svg *svg, long height, long alpha)
{
    struct path *path;

    for (uint32_t i = 0; i < svg->path_count; i++)
        if (svg->paths[i].height == height && svg->paths[i].alpha == alpha)
            return &svg->paths[i];
    if (svg->path_count == MOST_PATHS)
        write_paths(svg);
    path = &svg->paths[svg->path_count++];
    path->height = height;
    path->alpha = alpha;
    path->width = path->at_x = path->at_y = 0;
    return path;
}

static void svg_rect(void *context, double x, double y, double width, double height, uint32_t rgb, double alpha)
{
    struct pithi_svg *svg = context;
    /* Rounds to whole pixels, because the numbers are shorter then, and browsers draw these edges at whole pixels
     * anyway (shape-rendering="crispEdges"). */
    long left = lround(x) * 100, right = lround(x + width) * 100, middle = hundredths(y + height / 2);
    struct path *path;

    if (width <= 0 || height <= 0)
        return;
    if (right <= left)
        right = left + 100;
    if (rgb != svg->rgb)
        write_paths(svg);
    svg->rgb = rgb;
    path = find_path(svg, hundredths(height), hundredths(alpha));
    if (path->width && path->y == middle && path->x + path->width == left) {
        path->width += right - left;
        return;
    }
    write_bar(path);
    path->x = left;
    path->y = middle;
    path->width = right - left;
}

/* ---- Lines, triangles, texts ------------------------------------------------------------------------------------- */

/* Begins a shape, in the open group or in a new group. The group's opacity applies to each of its shapes and not to the
 * group as a whole, so that shapes are darker where they overlap. If a shape has another opacity than the group, it
 * gets an attribute of its own; if the next shape has this opacity, too, a new group begins. */
static void begin_shape(struct pithi_svg *svg, uint32_t rgb, double alpha)
{
    long parts = hundredths(alpha);

    write_paths(svg);
    if (svg->group != LINES || svg->group_rgb != rgb || (svg->group_alpha != parts && svg->last_alpha == parts)) {
        end_group(svg);
        pithi_text_add(&svg->text, "<g stroke=\"#%06x\" fill=\"#%06x\" shape-rendering=\"auto\"", rgb, rgb);
        if (parts < 100)
            pithi_text_add(&svg->text, " stroke-opacity=\".%02ld\" fill-opacity=\".%02ld\"", parts, parts);
        pithi_text_add(&svg->text, ">\n");
        svg->group = LINES;
        svg->group_rgb = rgb;
        svg->group_alpha = parts;
    }
    svg->last_alpha = parts;
    pithi_text_add(&svg->text, "<path ");
}

/* Writes the opacity of a shape if it differs from that of the group. `kind` is "stroke" or "fill". */
static void tell_alpha(struct pithi_svg *svg, const char *kind)
{
    if (svg->last_alpha == svg->group_alpha)
        return;
    pithi_text_add(&svg->text, "%s-opacity=\"", kind);
    pithi_text_hundredths(&svg->text, svg->last_alpha);
    pithi_text_add(&svg->text, "\" ");
}

static long tenths(double value) { return lround(value * 10) * 10; }

/* Writes points. Each point after the first is relative to the previous point. */
static void write_points(struct pithi_svg *svg, const double *x, const double *y, int count)
{
    for (int i = 0; i < count; i++) {
        pithi_text_bytes(&svg->text, i ? "l" : "M", 1);
        pithi_text_hundredths(&svg->text, tenths(x[i]) - (i ? tenths(x[i - 1]) : 0));
        pithi_text_bytes(&svg->text, " ", 1);
        pithi_text_hundredths(&svg->text, tenths(y[i]) - (i ? tenths(y[i - 1]) : 0));
    }
}

static void svg_line(void *context, double x0, double y0, double x1, double y1, uint32_t rgb, double alpha)
{
    struct pithi_svg *svg = context;
    double x[2] = {x0, x1}, y[2] = {y0, y1};

    begin_shape(svg, rgb, alpha);
    tell_alpha(svg, "stroke");
    pithi_text_add(&svg->text, "d=\"");
    write_points(svg, x, y, 2);
    pithi_text_add(&svg->text, "\"/>\n");
}

static void svg_triangle(void *context, const double x[3], const double y[3], uint32_t rgb, double alpha)
{
    struct pithi_svg *svg = context;

    begin_shape(svg, rgb, alpha);
    tell_alpha(svg, "fill");
    pithi_text_add(&svg->text, "stroke=\"none\" d=\"");
    write_points(svg, x, y, 3);
    pithi_text_add(&svg->text, "z\"/>\n");
}

static int same_font(struct pithi_font a, struct pithi_font b)
{
    return a.size == b.size && a.bold == b.bold && a.rimmed == b.rimmed && (!a.rimmed || a.rim == b.rim);
}

static void svg_text(void *context, double x, double y, enum pithi_anchor anchor, struct pithi_font font, uint32_t rgb,
                     const char *string)
{
    static const char *const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    struct pithi_svg *svg = context;

    write_paths(svg);
    if (svg->group != TEXTS || svg->group_rgb != rgb || !same_font(svg->group_font, font)) {
        end_group(svg);
        pithi_text_add(&svg->text, "<g fill=\"#%06x\" ", rgb);
        if (font.rimmed)
            pithi_text_add(&svg->text,
                           "stroke=\"#%06x\" stroke-width=\"%.2g\" stroke-linejoin=\"round\" paint-order=\"stroke\"",
                           font.rim, 2 * PITHI_RIM * font.size);
        else
            pithi_text_add(&svg->text, "stroke=\"none\"");
        pithi_text_add(&svg->text, " font-size=\"");
        pithi_text_hundredths(&svg->text, hundredths(font.size));
        pithi_text_add(&svg->text, font.bold ? "\" font-weight=\"bold\">\n" : "\">\n");
        svg->group = TEXTS;
        svg->group_rgb = rgb;
        svg->group_font = font;
    }
    pithi_text_add(&svg->text, "<text x=\"");
    pithi_text_hundredths(&svg->text, hundredths(x));
    pithi_text_add(&svg->text, "\" y=\"");
    pithi_text_hundredths(&svg->text, hundredths(y));
    pithi_text_add(&svg->text, "\"%s>", anchors[anchor]);
    pithi_text_escaped(&svg->text, string);
    pithi_text_add(&svg->text, "</text>\n");
}

static double svg_text_width(void *context, struct pithi_font font, const char *string)
{
    const struct pithi_svg *svg = context;

    return svg->measure->text_width(svg->measure->context, font, string);
}

static void svg_clip(void *context, double x, double y, double width, double height)
{
    struct pithi_svg *svg = context;

    write_paths(svg);
    end_group(svg);
    if (svg->clipped)
        pithi_text_add(&svg->text, "</g>\n");
    svg->clipped = width >= 0;
    if (width < 0)
        return;
    pithi_text_add(&svg->text, "<clipPath id=\"c%d\"><path d=\"M%.10g %.10gh%.10gv%.10gh%.10gz\"/></clipPath>\n",
                   ++svg->clip_count, x, y, width, height, -width);
    pithi_text_add(&svg->text, "<g clip-path=\"url(#c%d)\">\n", svg->clip_count);
}

/* ---- The document ------------------------------------------------------------------------------------------------ */

struct pithi_svg *pithi_svg_new(double width, double height, const char *title, const struct pithi_painter *measure)
{
    struct pithi_svg *svg = pithi_alloc(1, sizeof *svg);

    svg->measure = measure;
    pithi_text_add(&svg->text,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.10g\" height=\"%.10g\" viewBox=\"0 0 %.10g "
                   "%.10g\" fill=\"none\" shape-rendering=\"crispEdges\" "
                   "font-family=\"DejaVu Sans,Verdana,sans-serif\">\n<title>",
                   width, height, width, height);
    pithi_text_escaped(&svg->text, title);
    pithi_text_add(&svg->text, "</title>\n");
    return svg;
}

struct pithi_painter pithi_svg_painter(struct pithi_svg *svg)
{
    return (struct pithi_painter){.context = svg,
                                  .groups = 1,
                                  .rect = svg_rect,
                                  .line = svg_line,
                                  .triangle = svg_triangle,
                                  .clip = svg_clip,
                                  .text = svg_text,
                                  .text_width = svg_text_width};
}

const struct pithi_text *pithi_svg_end(struct pithi_svg *svg)
{
    write_paths(svg);
    end_group(svg);
    pithi_text_add(&svg->text, "</svg>\n");
    return &svg->text;
}

uint32_t pithi_svg_bytes(const struct pithi_svg *svg) { return svg->text.size; }

void pithi_svg_free(struct pithi_svg *svg)
{
    if (!svg)
        return;
    for (uint32_t i = 0; i < MOST_PATHS; i++)
        free(svg->paths[i].text.data);
    free(svg->text.data);
    free(svg);
}
