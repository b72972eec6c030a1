/* bands.c - see bands.h. */
#include "core/bands.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "core/bars.h"
#include "core/memory.h"

/* Words of a band, about: a part of what a processor has near. */
enum { BAND_WORDS = 96 * 1024 };

struct bands {
    const struct pithi_plot *plot;
    struct pithi_raster *whole;
    struct pithi_raster bare; /* the same as long as nothing is kept of what lies over the rows */
    uint32_t rows;            /* of a band */
    uint32_t count;
    atomic_uint next;    /* to be begun */
    atomic_int known;    /* 1: what lies over the rows is kept in `whole` */
    atomic_uchar *state; /* [count] */
};

/* ROWS: and nothing over them; the caller will see to that. */
enum { BEGUN, ROWS, READY };

/* Where a band begins; that behind the last one is the end. */
static int band_top(const struct bands *bands, uint32_t band)
{
    double top = band == 0 ? 0 : pithi_plot_row_top(bands->plot, band * bands->rows);
    return band == bands->count || top > bands->whole->height ? bands->whole->height : (int)top;
}

static void draw_rows(const struct bands *bands, struct pithi_sheet *sheet, uint32_t band)
{
    const struct pithi_plot *plot = bands->plot;
    struct pithi_raster part = pithi_raster_part(&bands->bare, band_top(bands, band), band_top(bands, band + 1));
    struct pithi_painter painter = pithi_raster_painter(&part);
    uint32_t from = band * bands->rows, to = band + 1 == bands->count ? plot->row_count : from + bands->rows;

    /* Rows that begin at fractions of a pixel reach into the next. */
    pithi_plot_draw_rows(plot, &painter, sheet, from && plot->row_height < 3 ? from - 1 : from, to);
}

static void draw_over(const struct bands *bands, uint32_t band)
{
    struct pithi_raster part = pithi_raster_part(bands->whole, band_top(bands, band), band_top(bands, band + 1));

    pithi_raster_draw_kept(&part);
    atomic_store(&bands->state[band], READY);
}

/* Takes one band after the other, until there is none left. */
static int draw_next(struct bands *bands, struct pithi_sheet *sheet)
{
    uint32_t band = atomic_fetch_add(&bands->next, 1);

    if (band >= bands->count)
        return 0;
    draw_rows(bands, sheet, band);
    if (atomic_load(&bands->known))
        draw_over(bands, band);
    else
        atomic_store(&bands->state[band], ROWS);
    return 1;
}

static void help(void *data)
{
    struct bands *bands = data;
    struct pithi_sheet *sheet = pithi_sheet_new(bands->plot);

    while (draw_next(bands, sheet))
        continue;
    pithi_sheet_free(sheet);
}

/* Those that the helper could not finish, before it was known what lies over them. */
static void finish_rows(struct bands *bands)
{
    for (uint32_t band = 0; band < bands->count; band++)
        if (atomic_load(&bands->state[band]) == ROWS)
            draw_over(bands, band);
}

/* The bands from `told` on that are ready, without a gap; returns the first that is not. */
static uint32_t ready_from(struct bands *bands, uint32_t told)
{
    while (told < bands->count && atomic_load(&bands->state[told]) == READY)
        told++;
    return told;
}

/* Arrows and events are many: while it is worked out where they go, the helper paints the first rows. */
static void know_over(struct bands *bands)
{
    struct pithi_painter painter = pithi_raster_painter(bands->whole);

    bands->whole->keeps = 1;
    pithi_plot_draw_over(bands->plot, &painter);
    atomic_store(&bands->known, 1);
}

static void draw_all(struct bands *bands, struct pithi_helper *helper, void (*done)(void *context, int end),
                     void *context)
{
    struct pithi_sheet *sheet = pithi_sheet_new(bands->plot);
    uint32_t told = 0;

    pithi_helper_begin(helper, help, bands);
    know_over(bands);
    while (draw_next(bands, sheet)) {
        uint32_t ready;
        finish_rows(bands);
        ready = ready_from(bands, told);
        if (ready > told)
            done(context, band_top(bands, told = ready));
    }
    pithi_sheet_free(sheet);
    pithi_helper_wait(helper);
    finish_rows(bands);
    done(context, bands->whole->height);
}

void pithi_bands_draw(const struct pithi_plot *plot, struct pithi_raster *raster, struct pithi_helper *helper,
                      void (*done)(void *context, int end), void *context)
{
    struct bands bands = {.plot = plot, .whole = raster, .bare = *raster};
    double rows = BAND_WORDS / (plot->width * plot->row_height);

    bands.rows = rows < 1 ? 1 : rows > plot->row_count ? plot->row_count + 1 : (uint32_t)rows;
    bands.count = plot->row_count / bands.rows + 1;
    bands.state = pithi_alloc(bands.count, sizeof *bands.state);
    draw_all(&bands, helper, done, context);
    pithi_raster_forget(raster);
    free(bands.state);
}
