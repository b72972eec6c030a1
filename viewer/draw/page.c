/* page.c - a page for a browser, one file that needs no other: the picture's cells twice, of the whole window and finer
 * in tiles of it, as letters (page_code.h), the longest messages, the statistics; and page.js, which draws them.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/clean.h"
#include "core/graph.h"
#include "core/memory.h"
#include "draw/draw.h"
#include "draw/page_code.h"
#include "draw/page_data.h"
#include "draw/save.h"

/* Columns of the whole, and of each tile; fewer where many rows would make the page too large. */
enum { COLUMNS = 1024, LEAST_COLUMNS = 128, MOST_TILES = 32, QUICK_TILES = 4, CELL_BYTES = 650000 };
enum { MOST_ROWS = 2000 }; /* several lanes are one where there are more */
enum { MOST_ARROWS = 1500, TILE_ARROWS = 4500, NUMBERS = 6 /* of an arrow */ };
/* A row of this height has a bar, and so a graph, of PITHI_SIGNS pixels. */
enum { LINES = PITHI_LEVELS + 2, ROW_HEIGHT = PITHI_SIGNS + 8, GRAPH_TOP = 4 };

struct page {
    const struct pithi_draw *draw;
    struct pithi_legend_entry *legend;
    uint32_t legend_count;
    int *sign_of; /* [defs] */
    uint32_t columns;
    struct pithi_plot whole;
    struct pithi_text whole_text; /* its cells in letters */
    struct pithi_text text;
    int64_t (*arrows)[NUMBERS]; /* sent, took, from row, to row, bytes, tag */
    uint32_t arrow_count, arrow_capacity;
};

/* ---- A picture of a stretch of time ------------------------------------------------------------------------------ */

static int load_plot(const struct page *page, struct pithi_plot *plot, int64_t t0_ns, int64_t t1_ns, uint32_t arrows)
{
    int err;

    *plot = pithi_draw_figure(page->draw).plot;
    plot->t0_ns = t0_ns;
    plot->t1_ns = t1_ns;
    plot->width = page->columns;
    plot->row_height = ROW_HEIGHT;
    plot->most_arrows = arrows;
    err = pithi_plot_load(plot);
    if (err == PITH_ERR_DAMAGED)
        pithi_draw_damaged();
    return err && err != PITH_ERR_DAMAGED ? pithi_draw_failed("%s", pithlog_error()) : 0;
}

/* What the graph of a counter paints is caught, and becomes two lines of heights. */
struct graph {
    double top; /* of its bar */
    int high[COLUMNS], low[COLUMNS], zero;
};

static void graph_rect(void *context, double x, double y, double width, double height, uint32_t rgb, double alpha)
{
    struct graph *graph = context;
    int c = (int)x, high = PITHI_SIGNS - 1 - (int)(y - graph->top);

    (void)width, (void)rgb;
    if (alpha < 1) /* between the value and zero */
        graph->zero = high < PITHI_SIGNS - 1 - (int)(y + height - graph->top) ? high : high - (int)height + 1;
    else if (c >= 0 && c < COLUMNS && high >= 0 && high < PITHI_SIGNS)
        graph->high[c] = high, graph->low[c] = high - (int)height + 1 > 0 ? high - (int)height + 1 : 0;
}

static void code_numbers(struct pithi_text *text, const int *numbers, uint32_t columns)
{
    for (uint32_t c = 0, end; c < columns; c = end) {
        for (end = c + 1; end < columns && numbers[end] == numbers[c]; end++)
            continue;
        pithi_code_run(text, numbers[c], 0, end - c);
    }
    pithi_text_bytes(text, "\n", 1);
}

static void code_graph(struct pithi_text *text, const struct pithi_plot *plot, uint32_t row)
{
    struct graph graph = {.top = pithi_plot_row_top(plot, row) + GRAPH_TOP};
    struct pithi_painter painter = {.context = &graph, .rect = graph_rect};

    for (uint32_t c = 0; c < COLUMNS; c++)
        graph.high[c] = graph.low[c] = -1;
    pithi_graph_draw(plot, &painter, row);
    code_numbers(text, graph.high, plot->width);
    code_numbers(text, graph.low, plot->width);
    pithi_text_bytes(text, "\n\n\n\n", 4);
}

/* Signs at columns: how far from the last one, and the sign. */
struct spot {
    uint32_t column;
    int sign;
};

static int by_place(const void *a, const void *b)
{
    const struct spot *x = a, *y = b;

    return x->column != y->column ? (x->column > y->column) - (x->column < y->column)
                                  : (x->sign > y->sign) - (x->sign < y->sign);
}

/* Ticks or marks of a row, from left to right. */
static void code_spots(const struct page *page, const struct pithi_cells *cells, int marks, struct pithi_text *text)
{
    uint32_t count = marks ? cells->mark_count : cells->tick_count, last = 0;
    struct spot *spots = pithi_alloc(count, sizeof *spots);

    for (uint32_t i = 0; i < count; i++)
        spots[i] = marks ? (struct spot){cells->marks[i].column, page->sign_of[cells->marks[i].id]}
                         : (struct spot){cells->ticks[i].column, page->sign_of[cells->ticks[i].state]};
    qsort(spots, count, sizeof *spots, by_place);
    for (uint32_t i = 0; i < count; i++) {
        if (spots[i].sign < 0)
            continue;
        pithi_text_add(text, "%" PRIu32, spots[i].column - last);
        pithi_code_run(text, spots[i].sign, 0, 1);
        last = spots[i].column;
    }
    pithi_text_bytes(text, "\n", 1);
    free(spots);
}

/* Six lines a row: the levels of its states, ticks, events; of a counter two, and four empty ones. */
static void code_plot(const struct page *page, const struct pithi_plot *plot, struct pithi_text *text)
{
    for (uint32_t row = 0; row < plot->row_count; row++) {
        if (plot->rows[row].counter == PITHI_BLANK) {
            pithi_text_bytes(text, "\n\n\n\n\n\n", LINES);
            continue;
        }
        if (plot->cell_row[row] == PITHI_NONE) {
            code_graph(text, plot, row);
            continue;
        }
        for (uint32_t level = 0; level < PITHI_LEVELS; level++) {
            const struct pithi_cells *cells = &plot->lines[plot->cell_row[row]];
            pithi_code_cells(text, pithi_cells_line(cells, 0, level), plot->width, page->sign_of);
            pithi_text_bytes(text, "\n", 1);
        }
        code_spots(page, &plot->lines[plot->cell_row[row]], 0, text);
        code_spots(page, &plot->lines[plot->cell_row[row]], 1, text);
    }
}

static void keep_arrows(struct page *page, const struct pithi_plot *plot)
{
    page->arrows =
        pithi_grow(page->arrows, &page->arrow_capacity, page->arrow_count + plot->arrows.count, sizeof *page->arrows);
    for (uint32_t i = 0; i < plot->arrows.count; i++) {
        const struct pithi_arrow *arrow = &plot->arrows.items[i];
        const struct pithlog_message *message = arrow->message;
        int64_t numbers[NUMBERS] = {message->send_ns - page->draw->t0_ns,
                                    message->recv_ns - message->send_ns,
                                    arrow->from_row,
                                    arrow->to_row,
                                    (int64_t)message->bytes,
                                    message->tag};
        memcpy(page->arrows[page->arrow_count++], numbers, sizeof numbers);
    }
}

/* ---- Tiles ------------------------------------------------------------------------------------------------------- */

static int code_tiles(struct page *page, uint32_t tiles, struct pithi_text *text)
{
    const struct pithi_draw *draw = page->draw;
    double span = (double)draw->t1_ns - (double)draw->t0_ns;
    struct pithi_plot plot;

    for (uint32_t i = 0; i < tiles; i++) {
        int64_t from = draw->t0_ns + (int64_t)(span * i / tiles), to = draw->t0_ns + (int64_t)(span * (i + 1) / tiles);
        int status = load_plot(page, &plot, from, to > from ? to : from + 1, TILE_ARROWS / tiles);
        if (!status) {
            pithi_text_add(text, "%s`\n", i ? "," : "");
            code_plot(page, &plot, text);
            pithi_text_add(text, "`");
            keep_arrows(page, &plot);
        }
        pithi_plot_free(&plot);
        if (status)
            return status;
    }
    return 0;
}

/* As many tiles as will not make the page too large; a finer picture has hardly more runs than a coarse one. */
static int add_tiles(struct page *page, uint32_t whole_bytes)
{
    uint32_t tiles = page->draw->care == PITHI_NEAR ? QUICK_TILES : MOST_TILES, arrows = page->arrow_count;
    struct pithi_text text = {0};
    int status = 0;

    while (tiles > 1 && (uint64_t)tiles * whole_bytes > CELL_BYTES)
        tiles /= 2;
    for (; tiles > 1 && !status; tiles /= 2) {
        text.size = 0;
        page->arrow_count = arrows;
        status = code_tiles(page, tiles, &text);
        if (text.size + whole_bytes <= CELL_BYTES)
            break;
    }
    pithi_text_add(&page->text, "tiles: [");
    if (!status && tiles > 1)
        pithi_text_bytes(&page->text, text.data, text.size);
    pithi_text_add(&page->text, "],\n");
    free(text.data);
    return status;
}

/* ---- Names and numbers ------------------------------------------------------------------------------------------- */

/* As a string of JavaScript, which nothing ends before its end. */
static void add_string(struct pithi_text *text, const char *string)
{
    char clean[512];

    pithi_clean(clean, sizeof clean, string, 0);
    pithi_text_bytes(text, "\"", 1);
    for (const char *c = clean; *c; c++) {
        if (*c == '"' || *c == '\\' || *c == '<' || *c == '&')
            pithi_text_add(text, "\\x%02x", (unsigned)*c);
        else
            pithi_text_bytes(text, c, 1);
    }
    pithi_text_bytes(text, "\"", 1);
}

static void add_legend(struct page *page)
{
    static const char *const kinds[] = {"state", "event", "counter"};
    struct pithi_text *text = &page->text;

    pithi_text_add(text, "names: [\n");
    for (uint32_t i = 0; i < page->legend_count; i++) {
        const struct pithi_legend_entry *entry = &page->legend[i];
        const struct pithlog_def *def = pithlog_get_def(page->draw->log, entry->id);
        pithi_text_add(text, "{name: ");
        add_string(text, def->name);
        pithi_text_add(text,
                       ", kind: \"%s\", colour: \"#%06x\", count: %" PRIu64 ", inclusive: %" PRId64
                       ", exclusive: %" PRId64 ", share: %.6f},\n",
                       kinds[def->kind], page->draw->rgb[entry->id], entry->sum.count, entry->sum.inclusive_ns,
                       entry->sum.exclusive_ns, entry->share);
    }
    pithi_text_add(text, "],\n");
}

static void add_counter(struct page *page, const struct pithi_row *row)
{
    const struct pithlog_series *series;
    uint32_t i = 0;

    while ((series = pithlog_digest_series(page->draw->digest, i)) &&
           (series->lane != row->lane || series->counter != row->counter))
        i++;
    if (series)
        pithi_text_add(&page->text, ", colour: \"#%06x\", low: %.9g, high: %.9g", page->draw->rgb[row->counter],
                       fmin(series->low, 0), fmax(series->high, 0));
}

/* From when to when a row has records; the head of an open group never has. */
static void life_of(const struct pithi_draw *draw, const struct pithi_row *row, int64_t *from_ns, int64_t *to_ns)
{
    pithi_row_life(draw->log, row, from_ns, to_ns);
    if (row->counter == PITHI_BLANK || *from_ns > *to_ns)
        *from_ns = *to_ns = 0;
}

static void add_rows(struct page *page)
{
    const struct pithi_draw *draw = page->draw;
    char label[128];

    pithi_text_add(&page->text, "rows: [\n");
    for (uint32_t i = 0; i < draw->row_count; i++) {
        const struct pithi_row *row = &draw->rows[i];
        int64_t from_ns, to_ns;
        life_of(draw, row, &from_ns, &to_ns);
        pithi_row_label(draw->log, *row, label, sizeof label);
        pithi_text_add(&page->text, "{label: ");
        add_string(&page->text, label);
        pithi_text_add(&page->text, ", rank: %" PRId32 ", from: %" PRId64 ", to: %" PRId64,
                       row->counter == PITHI_BLANK ? -1 : pithlog_get_lane(draw->log, row->lane)->rank, from_ns, to_ns);
        if (row->counter != PITHI_NONE && row->counter != PITHI_BLANK)
            add_counter(page, row);
        pithi_text_add(&page->text, "},\n");
    }
    pithi_text_add(&page->text, "],\n");
}

static int by_numbers(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;

    for (int i = 0; i < NUMBERS; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

/* Each once, although it was among the longest of several tiles. */
static void add_arrows(struct page *page)
{
    int64_t sent = 0;

    if (page->arrow_count)
        qsort(page->arrows, page->arrow_count, sizeof *page->arrows, by_numbers);
    pithi_text_add(&page->text, "arrows: \"");
    for (uint32_t i = 0; i < page->arrow_count; i++) {
        const int64_t *numbers = page->arrows[i];
        if (i && by_numbers(numbers, page->arrows[i - 1]) == 0)
            continue;
        pithi_code_number(&page->text, numbers[0] - sent);
        for (int k = 1; k < NUMBERS; k++)
            pithi_code_number(&page->text, numbers[k]);
        sent = numbers[0];
    }
    pithi_text_add(&page->text, "\",\n");
}

/* ---- The page ---------------------------------------------------------------------------------------------------- */

static void add_head(struct page *page)
{
    struct pithi_text *text = &page->text;
    char title[256];

    pithi_clean(title, sizeof title, pithi_draw_figure(page->draw).title, 0);
    pithi_text_add(text, "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
                         "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
    pithi_text_escaped(text, title);
    pithi_text_add(text, "</title>\n<style>\n");
    pithi_text_bytes(text, pithi_page_css, strlen(pithi_page_css));
    pithi_text_add(text, "</style>\n<body>\n<noscript>This page draws with JavaScript, which is switched off "
                         "here.</noscript>\n<script>\n");
    pithi_text_bytes(text, pithi_page_js, strlen(pithi_page_js));
}

static void add_facts(struct page *page, const struct pithi_figure *figure)
{
    const struct pithi_draw *draw = page->draw;
    char subtitle[256];

    pithi_figure_subtitle(figure, subtitle, sizeof subtitle);
    pithi_text_add(&page->text, "pith({\ntitle: ");
    add_string(&page->text, figure->title);
    pithi_text_add(&page->text, ", subtitle: ");
    add_string(&page->text, subtitle);
    pithi_text_add(&page->text, ",\nfrom: %" PRId64 ", to: %" PRId64 ", columns: %d, messages: %" PRIu64, draw->t0_ns,
                   draw->t1_ns, (int)page->columns, page->whole.arrows.total);
    pithi_text_add(&page->text, ", height: %d, arrowsOn: %s,\n", draw->row_height, draw->no_arrows ? "false" : "true");
}

static void give_signs(struct page *page)
{
    const struct pithlog_info *info = pithlog_get_info(page->draw->log);

    page->legend = pithi_legend_make(page->draw->log, &page->whole.cells, page->draw->t1_ns - page->draw->t0_ns,
                                     &page->legend_count);
    page->legend_count = pithi_legend_shown(page->legend, page->legend_count, page->draw->hidden);
    page->sign_of = pithi_alloc(info->defs, sizeof *page->sign_of);
    for (uint32_t id = 0; id < info->defs; id++)
        page->sign_of[id] = -1;
    for (uint32_t i = 0; i < page->legend_count && i < PITHI_MOST_SIGNS; i++)
        page->sign_of[page->legend[i].id] = (int)i;
}

static void free_signs(struct page *page)
{
    free(page->legend);
    free(page->sign_of);
    page->legend = NULL;
    page->sign_of = NULL;
}

/* The whole window, with as many columns as make a page of a bearable size. */
static int load_whole(struct page *page)
{
    const struct pithi_draw *draw = page->draw;
    int status;

    for (page->columns = COLUMNS;; page->columns /= 2) {
        status = load_plot(page, &page->whole, draw->t0_ns, draw->t1_ns, MOST_ARROWS);
        if (status)
            return status;
        give_signs(page);
        page->whole_text.size = 0;
        code_plot(page, &page->whole, &page->whole_text);
        if (page->whole_text.size <= CELL_BYTES || page->columns <= LEAST_COLUMNS)
            return 0;
        pithi_plot_free(&page->whole);
        free_signs(page);
    }
}

static int make(struct page *page)
{
    struct pithi_figure figure = pithi_draw_figure(page->draw);
    int status = load_whole(page);

    if (status)
        return status;
    add_head(page);
    add_facts(page, &figure);
    add_legend(page);
    add_rows(page);
    pithi_text_add(&page->text, "whole: `\n");
    pithi_text_bytes(&page->text, page->whole_text.data, page->whole_text.size);
    pithi_text_add(&page->text, "`,\n");
    keep_arrows(page, &page->whole);
    status = add_tiles(page, page->whole_text.size);
    add_arrows(page);
    pithi_text_add(&page->text, "});\n</script>\n");
    return status;
}

static const char *write_page(void *context, FILE *file)
{
    const struct pithi_text *text = &((struct page *)context)->text;

    return fwrite(text->data, 1, text->size, file) == text->size ? NULL : "";
}

int pithi_draw_page(struct pithi_draw *draw)
{
    struct page page = {.draw = draw};
    int status;

    pithi_draw_fewer_rows(draw, MOST_ROWS);
    status = make(&page);
    if (!status)
        status = pithi_save(draw->out_path, write_page, &page);
    pithi_plot_free(&page.whole);
    free_signs(&page);
    free(page.whole_text.data);
    free(page.arrows);
    free(page.text.data);
    return status;
}
