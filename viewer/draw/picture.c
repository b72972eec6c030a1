/* picture.c - a picture of a log as PNG, SVG or PDF: written to OUT.part, renamed when whole. */
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/figure.h"
#include "core/memory.h"
#include "draw/cairo_painter.h"
#include "draw/draw.h"

enum { DEFAULT_WIDTH = 1200, MOST_ARROWS = 4000 };

/* ---- The file ---------------------------------------------------------------------------------------------------- */

static cairo_status_t write_bytes(void *file, const unsigned char *data, unsigned size)
{
    return fwrite(data, 1, size, file) == size ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static cairo_surface_t *make_surface(const struct pithi_draw *draw, double width, double height, FILE *file)
{
    cairo_surface_t *surface;

    switch (draw->kind) {
    case PITHI_DRAW_SVG:
        surface = cairo_svg_surface_create_for_stream(write_bytes, file, width, height);
        cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
        return surface;
    case PITHI_DRAW_PDF:
        surface = cairo_pdf_surface_create_for_stream(write_bytes, file, width, height);
        /* The same log gives the same bytes: no date of today. */
        cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "1970-01-01T00:00:00Z");
        return surface;
    default:
        return cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height);
    }
}

static cairo_status_t draw_to(const struct pithi_draw *draw, const struct pithi_figure *figure, FILE *file)
{
    cairo_surface_t *surface = make_surface(draw, figure->width, figure->height, file);
    cairo_t *cairo = cairo_create(surface);
    struct pithi_cairo context;
    struct pithi_painter painter = pithi_cairo_begin(&context, cairo, draw->kind == PITHI_DRAW_SVG);
    cairo_status_t status;

    pithi_figure_draw(figure, &painter);
    pithi_cairo_end(&context);
    status = cairo_status(cairo);
    cairo_destroy(cairo);
    if (!status && draw->kind == PITHI_DRAW_PNG)
        status = cairo_surface_write_to_png_stream(surface, write_bytes, file);
    cairo_surface_finish(surface);
    if (!status)
        status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    return status;
}

static int write_part(const struct pithi_draw *draw, const struct pithi_figure *figure, const char *part)
{
    FILE *file = fopen(part, "wb");
    cairo_status_t status;
    int error;

    if (!file)
        return pithi_draw_failed("%s: %s", part, strerror(errno));
    errno = 0;
    status = draw_to(draw, figure, file);
    error = errno;
    if (fclose(file) != 0 && !status) {
        status = CAIRO_STATUS_WRITE_ERROR;
        error = errno;
    }
    if (!status && rename(part, draw->out_path) == 0)
        return 0;
    if (!status)
        error = errno;
    pithi_draw_failed("%s: cannot write: %s", draw->out_path, error ? strerror(error) : cairo_status_to_string(status));
    unlink(part);
    return 1;
}

/* ---- The picture ------------------------------------------------------------------------------------------------- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static int load(struct pithi_figure *figure, const struct pithi_draw *draw)
{
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 1, 1);
    cairo_t *cairo = cairo_create(surface);
    struct pithi_cairo context;
    struct pithi_painter painter = pithi_cairo_begin(&context, cairo, 0);
    int err = pithi_figure_load(figure, &painter);

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

int pithi_draw_picture(const struct pithi_draw *draw)
{
    struct pithi_figure figure = {.title = draw->title ? draw->title : base_name(draw->log_path),
                                  .plot = {.log = draw->log,
                                           .digest = draw->digest,
                                           .summary = draw->summary,
                                           .care = draw->care,
                                           .rgb = draw->rgb,
                                           .t0_ns = draw->t0_ns,
                                           .t1_ns = draw->t1_ns,
                                           .rows = draw->rows,
                                           .row_count = draw->row_count,
                                           .most_arrows = MOST_ARROWS},
                                  .width = draw->width ? draw->width : DEFAULT_WIDTH,
                                  .height = draw->height};
    size_t size = strlen(draw->out_path) + sizeof ".part";
    char *part = pithi_alloc(size, 1);
    int status = load(&figure, draw);

    snprintf(part, size, "%s.part", draw->out_path);
    if (!status)
        status = write_part(draw, &figure, part);
    pithi_figure_free(&figure);
    free(part);
    return status;
}
