/* picture.c - draws a log into a file: PNG, PDF and PostScript with cairo, SVG with svg_painter.c.
 *
 * All formats show the same figure (core/scene), but an SVG that would become too large is drawn less finely.
 *
 * If the same log is drawn again, the file has the same bytes, so pictures can be compared by their files. */
#include <cairo-pdf.h>
#include <cairo-ps.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/rows/words.h"
#include "core/raster/painter.h"
#include "draw/painters.h"
#include "draw/draw.h"

/* Limits for SVG. If a picture would exceed SVG_MOST_BYTES, it is drawn again with fewer columns. If this would leave
 * fewer than SVG_GOOD_COLUMNS columns, and there are more than SVG_GOOD_ROWS rows, several lanes share a row. */
enum {
    SVG_MOST_BYTES = 2000000,
    SVG_GOOD_COLUMNS = 400,
    SVG_GOOD_ROWS = 100,
    SVG_LEAST_COLUMNS = 100,
    SVG_MOST_TRIES = 12 /* the most times that a picture is drawn to become smaller */
};

struct picture {
    const struct pithi_draw *draw;
    struct pithi_figure figure;
    struct pithi_svg *svg; /* the text so far; NULL: the picture has another format */
};

/* Loads the records of the figure and computes its layout. Returns 0, or an exit status after it has printed a
 * message. */
static int load_figure(const struct pithi_draw *draw, struct pithi_figure *figure)
{
    /* This surface of 1 x 1 pixel is only used to measure texts. */
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 1, 1);
    cairo_t *cairo = cairo_create(surface);
    struct pithi_cairo context;
    struct pithi_painter painter = pithi_cairo_begin(&context, cairo, 0, PITHI_NO_IMAGES);
    int err = pithi_figure_load(figure, &painter);

    pithi_cairo_end(&context);
    cairo_destroy(cairo);
    cairo_surface_destroy(surface);
    if (err == PITH_ERR_USAGE)
        return pithi_draw_failed("%s: %u rows do not fit in this size; give another --size or fewer --lanes",
                                 draw->log_path, draw->row_count);
    if (err == PITH_ERR_DAMAGED) {
        pithi_draw_damaged();
        return 0;
    }
    return err ? pithi_draw_failed("%s", pithlog_error()) : 0;
}

/* ---- PNG, PDF and PostScript ------------------------------------------------------------------------------------- */

/* The callback by which cairo writes each part of the file that is ready. */
static cairo_status_t write_bytes(void *file, const unsigned char *data, unsigned size)
{
    return fwrite(data, 1, size, file) == size ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

/* Makes the surface for a format. Surfaces of PDF and PostScript write into `file` while the figure is drawn. */
static cairo_surface_t *make_surface(const struct pithi_draw *draw, double width, double height, FILE *file)
{
    cairo_surface_t *surface;

    switch (draw->kind) {
    case PITHI_DRAW_PDF:
        surface = cairo_pdf_surface_create_for_stream(write_bytes, file, width, height);
        /* Sets a fixed date instead of today's, so that the same log gives the same bytes. */
        cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "1970-01-01T00:00:00Z");
        return surface;
    case PITHI_DRAW_PS:
    case PITHI_DRAW_EPS:
        surface = cairo_ps_surface_create_for_stream(write_bytes, file, width, height);
        cairo_ps_surface_set_eps(surface, draw->kind == PITHI_DRAW_EPS);
        return surface;
    default:
        /* This is for PNG: the surface is an image in memory, which is written when it is complete. */
        return cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height);
    }
}

/* Replaces today's date, which cairo writes into PostScript, by a fixed date. Both dates have the format of ctime(),
 * with 24 letters, so the fixed date is written over the other one. */
static int set_date(FILE *file)
{
    static const char key[] = "%%CreationDate: ", date[] = "Thu Jan  1 00:00:00 1970";
    char head[512], *place;
    size_t size;

    rewind(file);
    size = fread(head, 1, sizeof head - 1, file);
    head[size] = 0;
    place = strstr(head, key);
    if (!place)
        return 0;
    place += sizeof key - 1;
    if (strcspn(place, "\n") != sizeof date - 1)
        return 0;
    return fseek(file, place - head, SEEK_SET) != 0 || fwrite(date, 1, sizeof date - 1, file) != sizeof date - 1;
}

/* The callback of pithi_save. Draws the figure into the file. */
static const char *write_by_cairo(void *context, FILE *file)
{
    struct picture *picture = context;
    enum pithi_draw_kind kind = picture->draw->kind;
    int postscript = kind == PITHI_DRAW_PS || kind == PITHI_DRAW_EPS;
    cairo_surface_t *surface = make_surface(picture->draw, picture->figure.width, picture->figure.height, file);
    cairo_t *cairo = cairo_create(surface);
    struct pithi_cairo cairo_context;
    struct pithi_painter painter = pithi_cairo_begin(&cairo_context, cairo, postscript,
                                                     postscript               ? PITHI_IMAGES_OPAQUE
                                                     : kind == PITHI_DRAW_PDF ? PITHI_IMAGES
                                                                              : PITHI_NO_IMAGES);
    struct pithi_painter_filter filter = {.target = &painter, .grey = picture->draw->grey};
    struct pithi_painter seen = pithi_filtered_painter(&filter);
    cairo_status_t status;

    pithi_figure_draw(&picture->figure, &seen);
    pithi_cairo_end(&cairo_context);
    status = cairo_status(cairo);
    cairo_destroy(cairo);
    if (!status && kind == PITHI_DRAW_PNG)
        status = cairo_surface_write_to_png_stream(surface, write_bytes, file); /* writes all of a PNG */
    cairo_surface_finish(surface); /* writes the end of a PDF or PostScript file */
    if (!status)
        status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    if (!status && postscript && set_date(file))
        status = CAIRO_STATUS_WRITE_ERROR;
    return status ? cairo_status_to_string(status) : NULL;
}

/* ---- SVG --------------------------------------------------------------------------------------------------------- */

static const char *write_svg(void *context, FILE *file)
{
    const struct pithi_text *text = pithi_svg_end(((struct picture *)context)->svg);

    return fwrite(text->data, 1, text->size, file) == text->size ? NULL : "";
}

/* How far a picture is reduced so that its SVG is small. */
struct saving {
    uint32_t columns, per; /* the number of columns of the figure; how many rows are joined to one */
};

/* Chooses the next reduction: fewer columns or, if there would be too few columns, also more rows joined to one.
 * Returns 1, or 0 if the file is small enough or cannot become smaller. Example: a picture of 1000 columns and 200 rows
 * takes 5 MB. It would need 380 columns, which are too few. So two rows become one, and 760 columns are tried. */
static int save_more(const struct picture *picture, uint32_t bytes, struct saving *saving)
{
    const struct pithi_figure *figure = &picture->figure;
    /* Takes 5 % fewer columns than the ratio of the sizes gives, because the bytes of texts do not become fewer with
     * fewer columns. */
    double part = 0.95 * SVG_MOST_BYTES / bytes, columns = figure->plot.width * part;

    if (picture->draw->full || bytes <= SVG_MOST_BYTES)
        return 0;
    saving->per = figure->per;
    if (columns < SVG_GOOD_COLUMNS && figure->plot.row_count > SVG_GOOD_ROWS) {
        saving->per *= 2;
        columns = fmax(2 * columns, fmin(SVG_GOOD_COLUMNS, figure->plot.width));
    }
    saving->columns = (uint32_t)fmax(columns, SVG_LEAST_COLUMNS);
    return saving->columns < figure->plot.width || saving->per > figure->per;
}

static int save_svg(struct picture *picture)
{
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 1, 1);
    cairo_t *cairo = cairo_create(surface);
    struct pithi_cairo context;
    struct pithi_painter measure = pithi_cairo_begin(&context, cairo, 0, PITHI_NO_IMAGES);
    struct saving saving = {0};
    int status, more = 0, tries = 0;

    do {
        picture->figure.columns = saving.columns;
        picture->figure.per = saving.per;
        status = load_figure(picture->draw, &picture->figure);
        if (status)
            break;

        /* Draws the figure as SVG text in memory, so that its size is known before the file is written. */
        char title[256];
        struct pithi_painter painter;
        struct pithi_painter_filter filter = {.target = &painter, .grey = picture->draw->grey};
        struct pithi_painter seen;
        pithi_clean(title, sizeof title, picture->figure.title, 0);
        picture->svg = pithi_svg_new(picture->figure.width, picture->figure.height, title, &measure);
        painter = pithi_svg_painter(picture->svg);
        seen = pithi_filtered_painter(&filter);
        pithi_figure_draw(&picture->figure, &seen);

        more = tries++ < SVG_MOST_TRIES && save_more(picture, pithi_svg_bytes(picture->svg), &saving);
        if (more) {
            pithi_svg_free(picture->svg);
            pithi_figure_free(&picture->figure);
            picture->figure = pithi_draw_figure(picture->draw);
        }
    } while (more);
    if (!status && picture->figure.columns) {
        uint32_t bytes = pithi_svg_bytes(picture->svg);
        char how[64] = "to stay below 2 MB", rows[48] = "";
        if (bytes > SVG_MOST_BYTES)
            snprintf(how, sizeof how, "and is %.1f MB large; give fewer --lanes", bytes / 1e6);
        if (saving.per > 1)
            snprintf(rows, sizeof rows, ", %u lanes a row,", saving.per);
        fprintf(stderr, "pith: %s: drawn with %u columns instead of %.0f%s %s; --full draws all\n",
                picture->draw->out_path, picture->figure.plot.width, picture->figure.plot_width, rows, how);
    }
    if (!status)
        status = pithi_save(picture->draw->out_path, write_svg, picture);
    pithi_svg_free(picture->svg);
    pithi_cairo_end(&context);
    cairo_destroy(cairo);
    cairo_surface_destroy(surface);
    return status;
}

/* ---- The picture ------------------------------------------------------------------------------------------------- */

int pithi_draw_picture(const struct pithi_draw *draw)
{
    struct picture picture = {.draw = draw, .figure = pithi_draw_figure(draw)};
    int status;

    if (draw->kind == PITHI_DRAW_SVG) {
        status = save_svg(&picture);
    } else {
        status = load_figure(draw, &picture.figure);
        if (!status)
            status = pithi_save(draw->out_path, write_by_cairo, &picture);
    }
    pithi_figure_free(&picture.figure);
    return status;
}
