/* page_messages.c - the messages of a page. Where they would cover too much, they are bundles, as in a picture: found
 * by the same code (core/arrows.h), for the window of the page, its halves, quarters and so on. The script draws the
 * windows whose length is nearest to what its reader sees. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "draw/draw.h"
#include "draw/page_text.h"

/* Columns of a window, and halvings of the page's window. */
enum { COLUMNS = 1024, LEVELS = 6, QUICK_LEVELS = 3 };
/* Arrows and bundles of a window: at most this many, or the limit of the whole page, halved at each level. */
enum { LEAST_ARROWS = 250, MOST_BUNDLES = 1000, LEAST_BUNDLES = 60 };
/* The ends of bundles are written in parts of a column. */
enum { PARTS = 8 };
enum { NUMBERS = 6 /* of an arrow: sent, took, from row, to row, bytes, tag */ };

struct page_messages {
    const struct pithi_draw *draw;
    struct pithi_text *text;
    int64_t (*arrows)[NUMBERS];
    uint32_t count, capacity;
};

static void keep_arrows(struct page_messages *messages, const struct pithi_arrows *arrows)
{
    messages->arrows = pithi_view_grow(messages->arrows, &messages->capacity, messages->count + arrows->count,
                                       sizeof *messages->arrows);
    for (uint32_t i = 0; i < arrows->count; i++) {
        const struct pithi_arrow *arrow = &arrows->items[i];
        const struct pithlog_message *message = arrow->message;
        int64_t numbers[NUMBERS] = {message->send_ns - messages->draw->t0_ns,
                                    message->recv_ns - message->send_ns,
                                    arrow->from_row,
                                    arrow->to_row,
                                    (int64_t)message->bytes,
                                    message->tag};
        memcpy(messages->arrows[messages->count++], numbers, sizeof numbers);
    }
}

/* Writes how the bundles of a window are drawn: the largest first. */
static void code_bundles(const struct page_messages *messages, const struct pithi_plot *plot, uint32_t most)
{
    const struct pithi_arrows *arrows = &plot->arrows;
    struct pithi_text *text = messages->text;
    struct pithi_bundle_look look;
    double fade;
    uint32_t drawn = pithi_bundles_drawn(plot, &fade);

    pithi_code_number(text, arrows->count);
    pithi_code_number(text, (int64_t)ceil(arrows->cover * 1000));
    pithi_code_number(text, arrows->sampled);
    for (uint32_t i = 0; i < drawn && most; i++) {
        const struct pithi_bundle *bundle = &arrows->bundles[i];
        if (!pithi_bundle_look(plot, bundle, fade, &look))
            continue;
        pithi_code_number(text, (int64_t)floor(bundle->x0 * PARTS + 0.5));
        pithi_code_number(text, (int64_t)floor(bundle->x1 * PARTS + 0.5));
        pithi_code_number(text, bundle->from_row);
        pithi_code_number(text, bundle->to_row);
        pithi_code_number(text, (int64_t)(bundle->count + 0.5));
        pithi_code_number(text, look.width);
        pithi_code_number(text, (int64_t)(look.alpha * 100 + 0.5));
        most--;
    }
}

static void code_window(struct page_messages *messages, struct pithi_plot *plot, uint32_t level, uint32_t window)
{
    const struct pithi_draw *draw = messages->draw;
    double span = (double)draw->t1_ns - (double)draw->t0_ns;
    uint32_t windows = UINT32_C(1) << level, arrows = plot->most_arrows, bundles = MOST_BUNDLES >> level;

    plot->t0_ns = draw->t0_ns + (int64_t)(span * window / windows);
    plot->t1_ns = draw->t0_ns + (int64_t)(span * (window + 1) / windows);
    if (plot->t1_ns <= plot->t0_ns)
        plot->t1_ns = plot->t0_ns + 1;
    plot->most_arrows = arrows >> level > LEAST_ARROWS ? arrows >> level : LEAST_ARROWS;
    pithi_plot_find_arrows(plot);
    keep_arrows(messages, &plot->arrows);
    if (plot->arrows.bundle_count)
        code_bundles(messages, plot, bundles > LEAST_BUNDLES ? bundles : LEAST_BUNDLES);
    pithi_arrows_free(&plot->arrows);
    plot->most_arrows = arrows;
}

static int by_numbers(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;

    for (int i = 0; i < NUMBERS; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

/* Writes each arrow once: several windows may have the same message. */
static void code_arrows(struct page_messages *messages)
{
    int64_t sent = 0;

    if (messages->count)
        qsort(messages->arrows, messages->count, sizeof *messages->arrows, by_numbers);
    for (uint32_t i = 0; i < messages->count; i++) {
        const int64_t *numbers = messages->arrows[i];
        if (i && by_numbers(numbers, messages->arrows[i - 1]) == 0)
            continue;
        pithi_code_number(messages->text, numbers[0] - sent);
        for (int k = 1; k < NUMBERS; k++)
            pithi_code_number(messages->text, numbers[k]);
        sent = numbers[0];
    }
}

/* Keeps all messages as arrows, if the page has room for them: for views shorter than the last windows. */
static int keep_all(struct page_messages *messages, struct pithi_plot *plot)
{
    int all;

    plot->arrows_single = 1;
    pithi_plot_find_arrows(plot);
    all = plot->arrows.total <= plot->most_arrows;
    if (all)
        keep_arrows(messages, &plot->arrows);
    plot->arrows_single = 0;
    return all;
}

void pithi_page_messages(const struct pithi_draw *draw, int row_height, struct pithi_text *text)
{
    struct page_messages messages = {.draw = draw, .text = text};
    struct pithi_plot plot = pithi_draw_figure(draw).plot;
    uint32_t levels = draw->care == PITHI_NEAR ? QUICK_LEVELS : LEVELS;

    plot.width = COLUMNS;
    plot.row_height = row_height;
    pithi_text_add(text, "messagesAll: %s, bundles: [\n", keep_all(&messages, &plot) ? "true" : "false");
    for (uint32_t level = 0; level < levels; level++)
        for (uint32_t window = 0; window < UINT32_C(1) << level; window++) {
            pithi_text_add(text, "\"");
            code_window(&messages, &plot, level, window);
            pithi_text_add(text, "\",\n");
        }
    pithi_text_add(text, "], bundlePlaces: %d, arrows: \"", COLUMNS * PARTS);
    code_arrows(&messages);
    pithi_text_add(text, "\",\n");
    free(messages.arrows);
}
