/* bands.c - paints the rows of a plot in bands by two threads, each band while it is in the processor's cache.
 *
 * A window of 1600 columns with rows of 20 pixels has 32,000 words a row; a band of 3 rows is 384 KB. Its ground, bars,
 * names and arrows are painted one over another while it is in the cache. Painting first all rows and then all arrows
 * would bring each pixel from memory twice.
 *
 * Meanwhile the calling thread computes the places of the arrows. Bands that the helper finishes before the places are
 * known get their arrows afterwards (finish_rows). Finished bands are reported from the top, so the screen can be
 * updated in order. */
#include "core/scene/bands.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "core/scene/plot.h"
#include "core/cells/memory.h"

/* About how many words a band has, so that it fits into the processor's cache. */
enum { BAND_WORDS = 96 * 1024 };

struct bands {
    const struct pithi_plot *plot;
    struct pithi_raster *whole;
    struct pithi_raster bare; /* `whole` without the shapes over the rows (arrows, events) */
    uint32_t rows;            /* rows in a band */
    uint32_t count;
    atomic_uint next;    /* the next band to begin */
    atomic_int known;    /* 1: `whole` has the shapes over the rows */
    atomic_uchar *state; /* [count] */
};

/* BEGUN: not painted yet. ROWS: the rows are painted, but not the shapes over them, which the calling thread adds.
 * READY: finished. */
enum { BEGUN, ROWS, READY };

/* Returns the first scanline of a band; if `band` is `count`, the end of the last band. */
static int band_top(const struct bands *bands, uint32_t band)
{
    double top = band == 0 ? 0 : pithi_plot_row_top(bands->plot, band * bands->rows);
    return band == bands->count || top > bands->whole->height ? bands->whole->height : (int)top;
}

static void draw_over(const struct bands *bands, uint32_t band)
{
    struct pithi_raster part = pithi_raster_part(bands->whole, band_top(bands, band), band_top(bands, band + 1));

    pithi_raster_draw_kept(&part);
    atomic_store(&bands->state[band], READY);
}

/* Paints the next band; returns 0 when none is left. */
static int draw_next(struct bands *bands, struct pithi_bar_sheet *sheet)
{
    uint32_t band = atomic_fetch_add(&bands->next, 1);

    if (band >= bands->count)
        return 0;
    const struct pithi_plot *plot = bands->plot;
    struct pithi_raster part = pithi_raster_part(&bands->bare, band_top(bands, band), band_top(bands, band + 1));
    struct pithi_painter painter = pithi_raster_painter(&part);
    uint32_t from = band * bands->rows, to = band + 1 == bands->count ? plot->row_count : from + bands->rows;
    /* A row that begins at a fraction of a pixel reaches into the next band. */
    pithi_plot_draw_rows(plot, &painter, sheet, from && plot->row_height < 3 ? from - 1 : from, to);
    if (atomic_load(&bands->known))
        draw_over(bands, band);
    else
        atomic_store(&bands->state[band], ROWS);
    return 1;
}

static void help(void *data)
{
    struct bands *bands = data;
    struct pithi_bar_sheet *sheet = pithi_sheet_new(bands->plot);

    while (draw_next(bands, sheet))
        continue;
    pithi_sheet_free(sheet);
}

/* Finishes the bands that the helper painted before the shapes over them were known. */
static void finish_rows(struct bands *bands)
{
    for (uint32_t band = 0; band < bands->count; band++)
        if (atomic_load(&bands->state[band]) == ROWS)
            draw_over(bands, band);
}

void pithi_bands_draw(const struct pithi_plot *plot, struct pithi_raster *raster, struct pithi_helper *helper,
                      void (*done)(void *context, int end), void *context)
{
    struct bands bands = {.plot = plot, .whole = raster, .bare = *raster};
    double rows = BAND_WORDS / (plot->width * plot->row_height);

    bands.rows = rows < 1 ? 1 : rows > plot->row_count ? plot->row_count + 1 : (uint32_t)rows;
    bands.count = plot->row_count / bands.rows + 1;
    bands.state = pithi_alloc(bands.count, sizeof *bands.state);
    struct pithi_bar_sheet *sheet = pithi_sheet_new(plot);
    uint32_t ready = 0, reported = 0;
    pithi_helper_begin(helper, help, &bands);
    /* The places of arrows and events take long to compute, so the helper paints the first rows meanwhile. */
    raster->keeps = 1;
    struct pithi_painter painter = pithi_raster_painter(raster);
    pithi_plot_draw_over(plot, &painter);
    atomic_store(&bands.known, 1);
    while (draw_next(&bands, sheet)) {
        finish_rows(&bands);
        while (ready < bands.count && atomic_load(&bands.state[ready]) == READY)
            ready++;
        if (ready > reported)
            done(context, band_top(&bands, reported = ready));
    }
    pithi_sheet_free(sheet);
    pithi_helper_wait(helper);
    finish_rows(&bands);
    done(context, raster->height);
    pithi_raster_forget(raster);
    free(bands.state);
}
