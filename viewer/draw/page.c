/* page.c - a page for a browser, in one file that needs no other. It contains the cells of the picture twice: of the
 * whole window, and finer in tiles; messages (page_text.c), the statistics, and the script of viewer/page/, which
 * draws them.
 *
 * A page may be sent by mail, so its size is limited, and its detail follows from that. The cells of the whole window
 * are 1024 columns. If they take 20 kB of text, 32 tiles of the same number of columns fit into the 650 kB for cells:
 * the reader may enlarge the picture 32 times and still see all there is. If 16 rows become 1600, there are fewer
 * tiles, in the end none, and then fewer columns. A small log has no cells at all, but its states with exact times.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/rows/words.h"
#include "core/raster/palette.h"
#include "core/scene/plot.h"
#include "core/cells/memory.h"
#include "core/scene/waiting.h"
#include "draw/draw.h"
#include "draw/page_text.h"
#include "draw/text_buffer.h"

/* Columns of the whole window and of each tile; fewer if many rows would make the page too large. */
enum { COLUMNS = 1024, LEAST_COLUMNS = 128, MOST_TILES = 32, QUICK_TILES = 4, CELL_BYTES = 650000 };
enum { MOST_ROWS = 2000 }; /* if there are more rows, several are joined as one */
/* A row of this height has a bar, and so a graph, of PITHI_SIGNS pixels. */
enum { ROW_HEIGHT = PITHI_SIGNS + 8, GRAPH_TOP = 4 };

/* Logs whose states and events need no more than this have exact times in the page. */
enum { EXACT_BYTES = 400000 };

struct page {
    const struct pithi_draw *draw;
    struct pithi_legend_entry *legend;
    uint32_t legend_count;
    int left_out; /* 1: states are hidden, so that the data lack them */
    int *sign_of; /* [defs] */
    uint32_t columns;
    struct pithi_plot whole;
    struct pithi_text whole_text; /* its cells in letters */
    struct pithi_text text;
    struct pithi_text exact; /* empty: the log is too large for exact times, and cells show its states */
};

/* ---- A picture of a stretch of time ------------------------------------------------------------------------------ */

static int load_plot(const struct page *page, struct pithi_plot *plot, int64_t t0_ns, int64_t t1_ns)
{
    int err;

    *plot = pithi_draw_figure(page->draw).plot;
    plot->t0_ns = t0_ns;
    plot->t1_ns = t1_ns;
    plot->width = page->columns;
    plot->row_height = ROW_HEIGHT;
    plot->most_arrows = 0;
    err = pithi_plot_load(plot);
    if (err == PITH_ERR_DAMAGED)
        pithi_draw_damaged();
    return err && err != PITH_ERR_DAMAGED ? pithi_draw_failed("%s", pithlog_error()) : 0;
}

/* A painter that records the graph of a counter as two lines of heights. */
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

static void code_graph(struct pithi_text *text, const struct pithi_plot *plot, uint32_t row)
{
    struct graph graph = {.top = pithi_plot_row_top(plot, row) + GRAPH_TOP};
    struct pithi_painter painter = {.context = &graph, .rect = graph_rect};

    for (uint32_t c = 0; c < COLUMNS; c++)
        graph.high[c] = graph.low[c] = -1;
    pithi_graph_draw(plot, &painter, row);
    pithi_code_numbers(text, graph.high, plot->width);
    pithi_code_numbers(text, graph.low, plot->width);
}

/* A sign at a column, written as the distance from the previous sign and the sign. */
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

/* Writes the ticks or marks of a row, from left to right. */
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

/* Writes the levels at which a row waits (waiting.h). The only level of a band is 0. */
static void code_waits(struct pithi_text *text, const struct pithi_plot *plot, uint32_t row)
{
    struct pithi_analysis_window window = {plot->analysis, plot->t0_ns, plot->t1_ns, plot->width};
    uint32_t level[COLUMNS], band = plot->rows[row].band;
    int numbers[COLUMNS];

    if (!plot->analysis || !plot->waits) {
        pithi_text_bytes(text, "\n", 1);
        return;
    }
    pithi_waits_columns(&window, &plot->rows[row], &plot->lines[plot->cell_row[row]], 0, level);
    for (uint32_t c = 0; c < plot->width; c++)
        numbers[c] = level[c] == PITHI_NONE ? -1 : !band ? (int)level[c] : level[c] + 1 == band ? 0 : -1;
    pithi_code_numbers(text, numbers, plot->width);
}

/* Writes where the records of a row are missing. */
static void code_missing(struct pithi_text *text, const struct pithi_plot *plot, uint32_t row)
{
    unsigned char missing[COLUMNS];
    int numbers[COLUMNS];

    if (!pithi_cells_missing(&plot->lines[plot->cell_row[row]], 0, missing)) {
        pithi_text_bytes(text, "\n", 1);
        return;
    }
    for (uint32_t c = 0; c < plot->width; c++)
        numbers[c] = missing[c] - 1;
    pithi_code_numbers(text, numbers, plot->width);
}

static int is_empty(const struct pithi_cell *line, uint32_t width)
{
    uint32_t c = 0;

    while (c < width && line[c].state == PITHI_NONE)
        c++;
    return c == width;
}

/* The number of levels that the rows need: at least 2, because a counter has two lines. */
static uint32_t levels_of(const struct pithi_plot *plot)
{
    uint32_t most = 2;

    for (uint32_t line = 0; line < plot->cells.rows; line++)
        for (uint32_t level = most; level < plot->lines[line].levels; level++)
            if (!is_empty(pithi_cells_line(&plot->lines[line], 0, level), plot->width))
                most = level + 1;
    return most;
}

/* Writes the lines of each row: the levels of its states (of a band only its level, as the first), ticks, events,
 * waiting, missing records; for a counter, two lines of heights and empty lines. */
static void code_plot(const struct page *page, const struct pithi_plot *plot, struct pithi_text *text)
{
    uint32_t levels = page->exact.size ? 2 : levels_of(plot);

    pithi_text_add(text, "%" PRIu32 "\n", levels);
    for (uint32_t row = 0; row < plot->row_count; row++) {
        if (plot->rows[row].counter == PITHI_BLANK) {
            pithi_code_empty(text, levels + 4);
            continue;
        }
        if (plot->cell_row[row] == PITHI_NONE) {
            code_graph(text, plot, row);
            pithi_code_empty(text, levels + 2);
            continue;
        }
        uint32_t from, to;
        pithi_plot_levels(plot, row, &from, &to);
        for (uint32_t level = from; level < from + levels; level++) {
            if (level < to && !page->exact.size)
                pithi_code_cells(text, pithi_cells_line(&plot->lines[plot->cell_row[row]], 0, level), plot->width,
                                 page->sign_of, plot->rows[row].lane_count > 1);
            pithi_text_bytes(text, "\n", 1);
        }
        for (int marks = 0; marks < 2; marks++)
            if (page->exact.size || pithi_row_is_below(&plot->rows[row]))
                pithi_text_bytes(text, "\n", 1);
            else
                code_spots(page, &plot->lines[plot->cell_row[row]], marks, text);
        code_waits(text, plot, row);
        code_missing(text, plot, row);
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
        int status = load_plot(page, &plot, from, to > from ? to : from + 1);
        if (!status) {
            pithi_text_add(text, "%s`", i ? "," : "");
            code_plot(page, &plot, text);
            pithi_text_add(text, "`");
        }
        pithi_plot_free(&plot);
        if (status)
            return status;
    }
    return 0;
}

/* Adds as many tiles as fit into the size of a page. A finer picture has hardly more runs than a coarse one. */
static int add_tiles(struct page *page, uint32_t whole_bytes)
{
    uint32_t tiles = page->draw->care == PITHI_NEAR ? QUICK_TILES : MOST_TILES;
    struct pithi_text text = {0};
    int status = 0;

    while (tiles > 1 && (uint64_t)tiles * whole_bytes > CELL_BYTES)
        tiles /= 2;
    for (; tiles > 1 && !status; tiles /= 2) {
        text.size = 0;
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

static void add_legend(struct page *page)
{
    static const char *const kinds[] = {"state", "event", "counter"};
    struct pithi_text *text = &page->text;

    pithi_text_add(text, "names: [\n");
    for (uint32_t i = 0; i < page->legend_count; i++) {
        const struct pithi_legend_entry *entry = &page->legend[i];
        const struct pithlog_def *def = pithlog_get_def(page->draw->log, entry->id);
        pithi_text_add(text, "{name: ");
        pithi_code_string(text, def->name);
        pithi_text_add(text,
                       ", kind: \"%s\", colour: \"#%06x\", count: %" PRIu64 ", inclusive: %" PRId64
                       ", exclusive: %" PRId64 ", share: %.6f},\n",
                       kinds[def->kind], page->draw->rgb[entry->id], entry->sum.count, entry->sum.inclusive_ns,
                       entry->sum.exclusive_ns, entry->share);
    }
    pithi_text_add(text, "],\n");
}

static void add_rows(struct page *page)
{
    const struct pithi_draw *draw = page->draw;
    int64_t base_ns = pithi_page_base(draw);
    char label[128];

    pithi_text_add(&page->text, "rows: [\n");
    for (uint32_t i = 0; i < draw->row_count; i++) {
        const struct pithi_row *row = &draw->rows[i];
        int64_t from_ns, to_ns;
        uint32_t lanes;
        pithi_row_life(draw->log, row, &from_ns, &to_ns);
        if (row->counter == PITHI_BLANK || pithi_row_is_below(row) || from_ns > to_ns)
            from_ns = to_ns = 0; /* the head of an open group and further bands have no records of their own */
        pithi_row_lanes(row, &lanes);
        pithi_row_label(draw->log, *row, label, sizeof label);
        pithi_text_add(&page->text, "{label: ");
        pithi_code_string(&page->text, label);
        pithi_text_add(&page->text, ", rank: %" PRId32 ", from: %" PRId64 ", to: %" PRId64,
                       row->counter == PITHI_BLANK ? -1 : pithlog_get_lane(draw->log, row->lane)->rank,
                       from_ns - base_ns, to_ns - base_ns);
        if (row->counter == PITHI_NONE && !pithi_row_is_below(row))
            pithi_code_lane(&page->text, draw, row->lane, lanes);
        else if (row->counter != PITHI_BLANK)
            pithi_code_counter(&page->text, draw, row);
        if (row->band)
            pithi_text_add(&page->text, ", band: %" PRIu32, row->band);
        pithi_text_add(&page->text, "},\n");
    }
    pithi_text_add(&page->text, "],\n");
}

/* Writes where the run waits most: name, text, and the time of the longest wait state. */
static void add_findings(struct page *page)
{
    const struct pithi_draw *draw = page->draw;
    uint32_t count;
    struct pithi_wait_sum *findings = pithi_wait_sums_make(draw->log, draw->analysis, &count);
    int64_t base_ns = pithi_page_base(draw);
    char text[320];

    pithi_text_add(&page->text, "findings: [\n");
    for (uint32_t i = 0; i < count && i < PITHI_FIGURE_WAIT_SUMS; i++) {
        pithi_wait_sum_name(draw->log, &findings[i], text, sizeof text);
        pithi_text_add(&page->text, "{name: ");
        pithi_code_string(&page->text, text);
        pithi_wait_sum_text(draw->log, &findings[i], text, sizeof text);
        pithi_text_add(&page->text, ", text: ");
        pithi_code_string(&page->text, text);
        pithi_text_add(&page->text, ", from: %" PRId64 ", to: %" PRId64 "},\n", findings[i].longest->from_ns - base_ns,
                       findings[i].longest->to_ns - base_ns);
    }
    pithi_text_add(&page->text, "],\n");
    free(findings);
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
                         "here.</noscript>\n<script>\n\"use strict\";\n{\nconst data = {\n");
}

/* Writes the notes: time, row, text. */
static void add_notes(struct page *page, const struct pithi_figure *figure)
{
    const struct pithi_notes *notes = &page->draw->notes;
    int64_t base_ns = pithi_page_base(page->draw);

    pithi_text_add(&page->text, "notes: [\n");
    for (uint32_t i = 0; i < notes->count; i++) {
        uint32_t row = pithi_note_row(&figure->plot, &notes->items[i]);
        pithi_text_add(&page->text, "{at: %" PRId64 ", row: %d, text: ", notes->items[i].time_ns - base_ns,
                       row == PITHI_NONE ? -1 : (int)row);
        pithi_code_string(&page->text, notes->items[i].text);
        pithi_text_add(&page->text, "},\n");
    }
    pithi_text_add(&page->text, "],\n");
}

/* Of each row, in pixels. */
static int row_height_of(const struct pithi_draw *draw)
{
    uint32_t rows = draw->row_count;

    if (draw->row_height)
        return draw->row_height;
    return rows <= 12 ? 30 : rows <= 24 ? 24 : rows <= 64 ? 16 : rows <= 128 ? 10 : 5;
}

static void add_facts(struct page *page, const struct pithi_figure *figure)
{
    const struct pithi_draw *draw = page->draw;
    int64_t base_ns = pithi_page_base(draw);
    char subtitle[256];

    pithi_figure_subtitle(figure, subtitle, sizeof subtitle);
    pithi_text_add(&page->text, "title: ");
    pithi_code_string(&page->text, figure->title);
    pithi_text_add(&page->text, ", subtitle: ");
    pithi_code_string(&page->text, subtitle);
    pithi_text_add(&page->text,
                   ",\nbase: %" PRId64 ", from: %" PRId64 ", to: %" PRId64 ", columns: %d, messages: %" PRIu64, base_ns,
                   draw->t0_ns - base_ns, draw->t1_ns - base_ns, (int)page->columns, page->whole.arrows.total);
    pithi_text_add(&page->text, ", height: %d, arrowsOn: %s, arrowsAll: %s,\n", row_height_of(draw),
                   draw->no_arrows ? "false" : "true", draw->all_arrows ? "true" : "false");
    pithi_text_add(&page->text, "pale: %g,\n", PITHI_PALE);
    if (draw->clock_ns) { /* at `base`, in two numbers, because a double does not hold its nanoseconds */
        int64_t clock_ns = draw->clock_ns + base_ns;
        pithi_text_add(&page->text, "clock: [%" PRId64 ", %" PRId64 "],\n", clock_ns / 1000000000,
                       clock_ns % 1000000000);
    }
    if (*pithi_draw_damage()) {
        pithi_text_add(&page->text, "damage: ");
        pithi_code_string(&page->text, pithi_draw_damage());
        pithi_text_add(&page->text, ",\n");
    }
    if (page->left_out)
        pithi_text_add(&page->text, "leftOut: true,\n");
    if (draw->lit_from_ns < draw->lit_to_ns)
        pithi_text_add(&page->text, "selected: [%" PRId64 ", %" PRId64 "],\n", draw->lit_from_ns - base_ns,
                       draw->lit_to_ns - base_ns);
    pithi_text_add(&page->text, "log: ");
    pithi_code_string(&page->text, draw->log_path);
    pithi_text_add(&page->text, ", names_on: %s, lanes: %" PRIu32 ",\n", draw->no_names ? "false" : "true",
                   pithlog_get_info(draw->log)->lanes);
    if (draw->notes.count)
        add_notes(page, figure);
    if (draw->analysis && draw->waits)
        pithi_text_add(&page->text, "waits: true,\n");
    if (draw->analysis && draw->path)
        pithi_page_path(draw, &page->text);
    if (draw->analysis && draw->findings)
        add_findings(page);
}

static void give_signs(struct page *page)
{
    const struct pithlog_info *info = pithlog_get_info(page->draw->log);

    page->legend = pithi_legend_make(page->draw->log, &page->whole.cells, page->draw->t1_ns - page->draw->t0_ns,
                                     &page->legend_count);
    page->left_out = 0;
    for (uint32_t i = 0; i < page->legend_count; i++)
        page->left_out |= page->draw->hidden[page->legend[i].id] &&
                          pithlog_get_def(page->draw->log, page->legend[i].id)->kind == PITHLOG_STATE;
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

/* Loads the whole window, with as many columns as the size of the page allows. */
static int load_whole(struct page *page)
{
    const struct pithi_draw *draw = page->draw;
    int status;

    for (page->columns = COLUMNS;; page->columns /= 2) {
        status = load_plot(page, &page->whole, draw->t0_ns, draw->t1_ns);
        if (status)
            return status;
        give_signs(page);
        if (!pithi_page_exact(draw, page->sign_of, EXACT_BYTES, &page->exact))
            page->exact.size = 0;
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
    pithi_page_computing(page->draw, &page->whole.cells, &page->text);
    add_rows(page);
    pithi_text_add(&page->text, "exact: `");
    pithi_text_bytes(&page->text, page->exact.data, page->exact.size);
    pithi_text_add(&page->text, "`, whole: `");
    pithi_text_bytes(&page->text, page->whole_text.data, page->whole_text.size);
    pithi_text_add(&page->text, "`,\n");
    if (page->exact.size && page->draw->flames)
        pithi_page_sites(page->draw, &page->text);
    status = add_tiles(page, page->whole_text.size);
    pithi_text_add(&page->text, "sums: [\n");
    if (!status && !page->exact.size)
        status = pithi_page_sums(page->draw, page->sign_of, &page->text);
    pithi_text_add(&page->text, "],\n");
    pithi_page_messages(page->draw, row_height_of(page->draw), &page->text);
    pithi_text_add(&page->text, "};\n");
    pithi_text_bytes(&page->text, pithi_page_js, strlen(pithi_page_js));
    pithi_text_add(&page->text, "}\n</script>\n");
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
    if (pithlog_get_info(draw->log)->records <= EXACT_BYTES)
        pithi_draw_flames(draw); /* a page without call sites is better than none */
    status = make(&page);
    if (!status)
        status = pithi_save(draw->out_path, write_page, &page);
    pithi_plot_free(&page.whole);
    free_signs(&page);
    free(page.whole_text.data);
    free(page.text.data);
    free(page.exact.data);
    return status;
}
