/* page_text.c - the data of a page as letters: cells, numbers, names, sums, the critical path and messages.
 *
 * The cells of a row are runs: a sign for the state, and the number of columns if it is more than 1. Nothing is a
 * blank.
 *
 *     A12 3B'C2        state 0 for 12 columns, nothing for 3, state 1 for one, and state 2 (covering less than half of
 *                      the time) for 2. ^ before a sign: the state began earlier; ~: several instances in the run.
 *     &BA              state 70: two signs, as there are 70 of them
 *
 * Numbers have base 36 and end with a blank: "lfls " is 1000000. A row of 1024 columns so takes some hundred bytes, and
 * the script reads it with one loop.
 */
#include "draw/page_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/cells/memory.h"
#include "core/measure/stretch.h"
#include "core/scene/waiting.h"
#include "core/rows/words.h"
#include "draw/draw.h"

/* Leaves out digits, blank, & and ', and the characters with a meaning in a script's string: ` $ \ < */
static const char signs[PITHI_SIGNS + 1] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#%()*+,-./:;=?@[]";

/* Only bars at least this wide get a dividing line; shorter neighbouring bars of one state are joined. */
enum { DIVIDED_FROM = 4 };

void pithi_code_run(struct pithi_text *text, int number, int low, uint32_t length)
{
    if (number < 0)
        pithi_text_bytes(text, " ", 1);
    else if (number < PITHI_SIGNS)
        pithi_text_add(text, "%s%c", low ? "'" : "", signs[number]);
    else
        pithi_text_add(text, "%s&%c%c", low ? "'" : "", signs[number / PITHI_SIGNS], signs[number % PITHI_SIGNS]);
    if (length > 1)
        pithi_text_add(text, "%" PRIu32, length);
}

static int is_low(const struct pithi_cell *cell) { return cell->state != PITHI_NONE && cell->cover < 128; }

static uint32_t run_end(const struct pithi_cell *cells, uint32_t width, uint32_t from)
{
    uint32_t c = from + 1;

    while (c < width && cells[c].state == cells[from].state && is_low(&cells[c]) == is_low(&cells[from]) &&
           !(cells[c].flags & PITHI_CELL_BEGIN && c - from >= DIVIDED_FROM))
        c++;
    return c;
}

/* Tells whether a run may have several instances: it joins them, or comes from pieces of a summary. */
static int has_many(const struct pithi_cell *cells, uint32_t from, uint32_t end)
{
    for (uint32_t c = from; c < end; c++)
        if (cells[c].flags & PITHI_CELL_PIECE || (c > from && cells[c].flags & PITHI_CELL_BEGIN))
            return 1;
    return 0;
}

void pithi_code_cells(struct pithi_text *text, const struct pithi_cell *cells, uint32_t width, const int *sign_of,
                      int group)
{
    for (uint32_t c = 0, end; c < width; c = end) {
        end = run_end(cells, width, c);
        if (cells[c].state != PITHI_NONE && sign_of[cells[c].state] >= 0) {
            if (!(cells[c].flags & PITHI_CELL_BEGIN))
                pithi_text_bytes(text, "^", 1);
            if (end - c > 2 && (group || has_many(cells, c, end)))
                pithi_text_bytes(text, "~", 1);
        }
        if (end < width || cells[c].state != PITHI_NONE)
            pithi_code_run(text, cells[c].state == PITHI_NONE ? -1 : sign_of[cells[c].state], is_low(&cells[c]),
                           end - c);
    }
}

void pithi_code_numbers(struct pithi_text *text, const int *numbers, uint32_t columns)
{
    for (uint32_t c = 0, end; c < columns; c = end) {
        for (end = c + 1; end < columns && numbers[end] == numbers[c]; end++)
            continue;
        pithi_code_run(text, numbers[c], 0, end - c);
    }
    pithi_text_bytes(text, "\n", 1);
}

int64_t pithi_page_base(const struct pithi_draw *draw)
{
    return draw->t0_ns < 0 ? 0 : draw->t0_ns - draw->t0_ns % INT64_C(1000000000000000);
}

void pithi_code_lane(struct pithi_text *text, const struct pithi_draw *draw, uint32_t lane, uint32_t lanes)
{
    const struct pithi_gaps *gaps = &draw->gaps;
    int64_t base_ns = pithi_page_base(draw);

    pithi_text_add(text, ", lanes: %" PRIu32 ", gaps: [", lanes);
    for (uint32_t i = pithi_gaps_of(gaps, lane); lanes == 1 && i < gaps->count && gaps->items[i].lane == lane; i++)
        pithi_text_add(text, "%" PRId64 ", %" PRId64 ", %" PRIu64 ", ", gaps->items[i].from_ns - base_ns,
                       gaps->items[i].to_ns - base_ns, gaps->items[i].lost);
    pithi_text_add(text, "]");
}

void pithi_code_counter(struct pithi_text *text, const struct pithi_draw *draw, const struct pithi_row *row)
{
    const struct pithlog_series *series;
    uint32_t i = 0;

    while ((series = pithlog_digest_series(draw->digest, i)) &&
           (series->lane != row->lane || series->counter != row->counter))
        i++;
    if (series)
        pithi_text_add(text, ", colour: \"#%06x\", low: %.9g, high: %.9g", draw->rgb[row->counter],
                       fmin(series->low, 0), fmax(series->high, 0));
}

void pithi_code_empty(struct pithi_text *text, uint32_t lines)
{
    for (uint32_t i = 0; i < lines; i++)
        pithi_text_bytes(text, "\n", 1);
}

void pithi_code_number(struct pithi_text *text, int64_t number)
{
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    char digits[16];
    size_t place = sizeof digits;

    digits[--place] = ' ';
    do {
        digits[--place] = "0123456789abcdefghijklmnopqrstuvwxyz"[rest % 36];
        rest /= 36;
    } while (rest);
    if (number < 0)
        digits[--place] = '-';
    pithi_text_bytes(text, digits + place, sizeof digits - place);
}

void pithi_code_string(struct pithi_text *text, const char *string)
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

/* ---- Sums -------------------------------------------------------------------------------------------------------- */

/* The figures of parts of the window, for selections in a page without exact times. */

/* Parts of the window. In a log of more than FEW_RECORDS, some EDGE_RECORDS of each lane are read for each part, which
 * limits the number of parts. */
enum { SUM_PARTS = 32, FEW_RECORDS = 4000000, LARGE_PARTS = 8, EDGE_RECORDS = 32768, MOST_EDGES = 20000000 };

static int count_parts(const struct pithi_draw *draw)
{
    const struct pithlog_info *info = pithlog_get_info(draw->log);
    uint64_t most = MOST_EDGES / ((uint64_t)info->lanes * EDGE_RECORDS + 1);

    return info->records <= FEW_RECORDS ? SUM_PARTS : most < 1 ? 1 : most < LARGE_PARTS ? (int)most : LARGE_PARTS;
}

void pithi_page_computing(const struct pithi_draw *draw, const struct pithi_cells *cells, struct pithi_text *text)
{
    const char *name = "no state";
    const struct pithlog_def *def;

    for (uint32_t id = 0; (def = pithlog_get_def(draw->log, id)); id++)
        if (strncmp(def->name, "MPI_", 4) == 0)
            name = "computing";
    pithi_text_add(text, "computing: {name: \"%s\", exclusive: %" PRId64 "},\n", name, cells->computing_ns);
}

int pithi_page_sums(const struct pithi_draw *draw, const int *sign_of, struct pithi_text *text)
{
    double span = (double)draw->t1_ns - (double)draw->t0_ns;
    int parts = count_parts(draw), err = PITH_OK;

    for (int i = 0; i < parts && (!err || err == PITH_ERR_DAMAGED); i++) {
        struct pithi_stretch_query query = {.t0_ns = draw->t0_ns + (int64_t)(span * i / parts),
                                            .t1_ns = draw->t0_ns + (int64_t)(span * (i + 1) / parts),
                                            .rows = draw->rows,
                                            .row_count = draw->row_count,
                                            .summary = draw->summary};
        struct pithi_stretch stretch;
        err = pithi_stretch_run(draw->log, &query, &stretch);
        pithi_text_add(text, "\"");
        pithi_code_number(text, stretch.computing_ns);
        for (uint32_t id = 0; id < stretch.defs; id++) {
            const struct pithi_sum *sum = &stretch.sums[id];
            if (!sum->count || sign_of[id] < 0)
                continue;
            pithi_code_number(text, sign_of[id]);
            pithi_code_number(text, (int64_t)sum->count);
            pithi_code_number(text, sum->inclusive_ns);
            pithi_code_number(text, sum->exclusive_ns);
        }
        pithi_text_add(text, "\",\n");
        pithi_stretch_free(&stretch);
    }
    if (err == PITH_ERR_DAMAGED)
        pithi_draw_damaged();
    return err && err != PITH_ERR_DAMAGED ? pithi_draw_failed("%s", pithlog_error()) : 0;
}

/* ---- The critical path ------------------------------------------------------------------------------------------- */

/* The critical path of a page: exact, or, if it has too many steps, by columns. */

/* The most steps, and the columns of a path that has more. */
enum { PATH_COLUMNS = 8192 };

/* A stretch of the critical path on one row, or PITHI_NONE. */
struct path_step {
    int64_t length; /* ns, or columns of a picture */
    uint32_t row;
};

static uint32_t add_step(struct path_step *steps, uint32_t count, int64_t length, uint32_t row)
{
    if (length <= 0)
        return count;
    if (count && steps[count - 1].row == row) {
        steps[count - 1].length += length;
        return count;
    }
    steps[count] = (struct path_step){length, row};
    return count + 1;
}

/* The steps in nanoseconds; 0: there are more than `most`. */
static uint32_t exact_steps(const struct pithi_draw *draw, const uint32_t *row_of_lane, struct path_step *steps,
                            uint32_t most)
{
    const struct pithlog_path_part *parts;
    size_t part_count = pithlog_analysis_path(draw->analysis, &parts);
    int64_t at_ns = draw->t0_ns;
    uint32_t count = 0;

    for (size_t i = 0; i < part_count && at_ns < draw->t1_ns; i++) {
        int64_t to_ns = parts[i].to_ns < draw->t1_ns ? parts[i].to_ns : draw->t1_ns;
        int64_t from_ns = parts[i].from_ns > at_ns ? parts[i].from_ns : at_ns;
        if (to_ns <= from_ns)
            continue;
        if (count + 3 > most) /* two steps more, and one behind the last part */
            return 0;
        count = add_step(steps, count, from_ns - at_ns, PITHI_NONE);
        count = add_step(steps, count, to_ns - from_ns, row_of_lane[parts[i].lane]);
        at_ns = to_ns;
    }
    return add_step(steps, count, draw->t1_ns - at_ns, PITHI_NONE);
}

/* The steps in columns. */
static uint32_t coarse_steps(const struct pithi_draw *draw, const uint32_t *row_of_lane, struct path_step *steps)
{
    struct pithi_analysis_window window = {draw->analysis, draw->t0_ns, draw->t1_ns, PATH_COLUMNS};
    uint32_t *row = pithi_alloc(PATH_COLUMNS, sizeof *row), count = 0;

    pithi_path_columns(&window, row_of_lane, row);
    for (uint32_t c = 0; c < PATH_COLUMNS; c++)
        count = add_step(steps, count, 1, row[c]);
    free(row);
    return count;
}

void pithi_page_path(const struct pithi_draw *draw, struct pithi_text *text)
{
    uint32_t *row_of_lane = pithi_rows_of_lanes(draw->log, draw->rows, draw->row_count);
    struct path_step *steps = pithi_alloc(PATH_COLUMNS, sizeof *steps);
    uint32_t count = exact_steps(draw, row_of_lane, steps, PATH_COLUMNS);

    pithi_text_add(text, "pathColumns: %d, path: \"", count ? 0 : PATH_COLUMNS);
    if (!count)
        count = coarse_steps(draw, row_of_lane, steps);
    for (uint32_t i = 0; i < count; i++) {
        pithi_code_number(text, steps[i].length);
        pithi_code_number(text, steps[i].row == PITHI_NONE ? -1 : (int64_t)steps[i].row);
    }
    pithi_text_add(text, "\",\n");
    free(row_of_lane);
    free(steps);
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

/* The messages of a page. Where they would cover too much, they are bundles, as in a picture: found by the same code
 * (core/scene/arrows.h), for the window of the page, its halves, quarters and so on. The script draws the windows whose
 * length is nearest to what its reader sees. */

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
