/* figure.c - lays out and draws a whole picture: title, labels, time lines, mountain ranges, axis and legend.
 *
 *     y 0     title                                     46 pixels
 *     46      label | rows ................. | legend   the labels begin at 16, the rows 10 after the widest label
 *             label | mountain ranges ...... |
 *                   | axis                   |          30
 *             findings, legend or table
 *
 * Width and height depend on each other: the number of rows that share a pixel decides which rows are queried, the
 * query decides which states are in the legend, and the legend takes height from the rows. So the layout is first
 * made with each row by itself. If the rows turn out too low, the layout is made once more with several rows joined
 * to one. */
#include "core/scene/figure.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/scene/axis.h"
#include "core/rows/legend.h"
#include "core/cells/memory.h"
#include "core/raster/painter.h"
#include "core/raster/palette.h"
#include "core/measure/ranges.h"
#include "core/rows/words.h"

/* ---- Iterations, one below the other ----------------------------------------------------------------------------- */

static int64_t length_of(const struct pithlog_iteration *iteration) { return iteration->to_ns - iteration->from_ns; }

static int by_index(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Chooses slow iterations and typical ones, so that a picture shows what is wrong and what is usual. For example, it
 * chooses at most 10 of 100 iterations as follows. Up to 5 are the slowest. With 5 slow ones, the other 95 are divided
 * into five equal parts, and the first iteration of each part is taken: the iterations 0, 19, 38, 57 and 76 of the
 * 95. */
uint32_t *pithi_iteration_stack_choose(const struct pithlog_iterations *all, int64_t t0_ns, int64_t t1_ns,
                                       uint32_t most, uint32_t *count)
{
    uint32_t *chosen = pithi_alloc(most + (size_t)1, sizeof *chosen), *seen;
    uint32_t seen_count = 0, slow = 0;

    seen = pithi_alloc(all->count + 1, sizeof *seen);
    /* Iterations that begin in the interval, in order, so that bsearch finds them by their number. */
    for (uint32_t i = 0; i < all->count; i++)
        if (all->all[i].from_ns >= t0_ns && all->all[i].from_ns < t1_ns)
            seen[seen_count++] = i;
    *count = 0;
    /* If there are more iterations than may be chosen, first chooses slow ones, but at most half of `most`. */
    for (size_t i = 0; i < all->slow_count && slow < most / 2 && seen_count > most; i++)
        if (bsearch(&all->slow[i].index, seen, seen_count, sizeof *seen, by_index))
            chosen[slow++] = all->slow[i].index;
    qsort(chosen, slow, sizeof *chosen, by_index);
    /* Then chooses others: divides the iterations that are not chosen yet into `wanted` equal parts, and takes the
     * first of each part. */
    uint32_t others = seen_count - slow, wanted = others < most - slow ? others : most - slow, other = 0;
    *count = slow;
    for (uint32_t i = 0; i < seen_count && wanted; i++) {
        if (bsearch(&seen[i], chosen, slow, sizeof *chosen, by_index))
            continue;
        /* Takes the first of each part, where other * wanted / others grows: 95 others in 5 parts have the begins 0,
         * 19, 38, 57 and 76. */
        if (!other || (uint64_t)other * wanted / others != ((uint64_t)other - 1) * wanted / others)
            chosen[(*count)++] = seen[i];
        other++;
    }
    qsort(chosen, *count, sizeof *chosen, by_index);
    free(seen);
    return chosen;
}

int pithi_iteration_stack_load(struct pithi_iteration_stack *stack, const struct pithi_plot *like)
{
    int err = PITH_OK;

    /* All bands have the scale of the longest iteration: an iteration of half its length is half as wide. */
    for (uint32_t i = 0; i < stack->count; i++) {
        int64_t ns = length_of(&stack->all->all[stack->chosen[i]]);
        stack->longest_ns = ns > stack->longest_ns ? ns : stack->longest_ns;
    }
    stack->bands = pithi_alloc(stack->count, sizeof *stack->bands);
    for (uint32_t i = 0; i < stack->count; i++) {
        const struct pithlog_iteration *iteration = &stack->all->all[stack->chosen[i]];
        double part = (double)length_of(iteration) / (double)stack->longest_ns;
        struct pithi_plot *band = &stack->bands[i];
        *band = (struct pithi_plot){.log = like->log,
                                    .rgb = like->rgb,
                                    .t0_ns = iteration->from_ns,
                                    /* a plot needs an interval of at least 1 ns */
                                    .t1_ns = iteration->to_ns + (length_of(iteration) == 0),
                                    .rows = like->rows,
                                    .row_count = like->row_count,
                                    .hidden = like->hidden,
                                    .flames = like->flames,
                                    .core_waits = like->core_waits,
                                    .x = like->x,
                                    .y = like->y + i * stack->pitch,
                                    .width = (uint32_t)fmax(floor(like->width * part + 0.5), 1),
                                    .row_height = like->row_height,
                                    .interruptions = like->interruptions,
                                    .summary = like->summary,
                                    .care = like->care,
                                    .analysis = like->analysis,
                                    .waits = like->waits,
                                    .path = like->path};
        int band_err = pithi_plot_load(band);
        /* any other error replaces PITH_ERR_DAMAGED */
        err = err && err != PITH_ERR_DAMAGED ? err : band_err ? band_err : err;
    }
    return err;
}

void pithi_iteration_stack_draw(const struct pithi_iteration_stack *stack, const struct pithi_painter *painter)
{
    struct pithi_painter one = *painter;

    one.ground = NULL; /* with a ground, each plot would cover the other bands */
    for (uint32_t i = 0; i < stack->count; i++)
        pithi_plot_draw(&stack->bands[i], &one);
}

void pithi_iteration_stack_free(struct pithi_iteration_stack *stack)
{
    for (uint32_t i = 0; stack->bands && i < stack->count; i++)
        pithi_plot_free(&stack->bands[i]);
    free(stack->bands);
    free(stack->chosen);
    *stack = (struct pithi_iteration_stack){0};
}

/* ---- Texts ------------------------------------------------------------------------------------------------------- */

void pithi_iteration_label(const struct pithlog_iterations *all, uint32_t index, char *text, size_t size)
{
    char length[32];

    pithi_duration_text(length_of(&all->all[index]), length, sizeof length);
    snprintf(text, size, "%" PRIu32 "  %s", index + 1, length);
}

int pithi_iteration_is_slow(const struct pithlog_iterations *all, uint32_t index)
{
    for (size_t i = 0; i < all->slow_count; i++)
        if (all->slow[i].index == index)
            return 1;
    return 0;
}

void pithi_iteration_reason(const struct pithlog *log, const struct pithlog_iterations *all, uint32_t index, char *text,
                            size_t size)
{
    /* Writes which state took longer than usual, and on which rank: "+1.2 ms MPI_Recv on rank 3". The text is empty if
     * the iteration is not slow, or if nothing took longer. */
    char more[32], name[128], place[64];

    *text = 0;
    for (size_t i = 0; i < all->slow_count && i < PITHLOG_SLOW_MOST; i++) {
        const struct pithlog_slow_iteration *slow = &all->slow[i];
        if (slow->index != index || slow->difference_ns <= 0)
            continue;
        pithi_duration_text(slow->difference_ns, more, sizeof more);
        pithi_row_place(log, &(struct pithi_row){.lane = slow->lane}, place, sizeof place);
        if (slow->kind || slow->state == PITHLOG_COMPUTING)
            snprintf(name, sizeof name, "%s", slow->kind ? pithlog_wait_kind_name(slow->kind) : "computing");
        else
            pithi_def_label(log, slow->state, name, sizeof name);
        snprintf(text, size, "+%s %s on %s", more, name, place);
    }
}

/* ---- The figure -------------------------------------------------------------------------------------------------- */

enum { MARGIN = 16, TITLE_HEIGHT = 46, AXIS_HEIGHT = 30, LEGEND_GAP = 10, BESIDE_GAP = 20 }; /* pixels */
/* A legend below the rows has at most LEGEND_LINES lines, a table TABLE_LINES, a legend beside the rows LIST_LINES. A
 * line of a legend beside the rows is LIST_LINE pixels high, a finding FINDING_LINE. */
enum { LEGEND_LINES = 6, TABLE_LINES = 40, LIST_LINES = 24, LIST_LINE = 19, FINDING_LINE = 19 };
enum { LEAST_LABEL_SPACING = 12, TICK_SPACING = 90, TICK_GAP = 8 }; /* pixels */

static const struct pithi_font title_font = {16, 1, 0, 0}, text_font = {11.5, 0, 0, 0}, small_font = {11, 0, 0, 0};

/* ---- Layout ------------------------------------------------------------------------------------------------------ */

/* In pixels: the gap below each band of iterations; the gap beside its label; the least height of a band. */
enum { BAND_GAP = 6, LABEL_GAP = 12, LEAST_BAND = 14 };
static uint32_t all_rows(const struct pithi_figure *figure)
{
    return figure->row_count * (figure->stack.count ? figure->stack.count : 1);
}
static double all_gaps(const struct pithi_figure *figure) { return figure->stack.count * (double)BAND_GAP; }

/* The largest natural height of all rows together; the most rows of unfolded lanes that are high enough for names. */
enum { MOST_NATURAL = 2000, MOST_NAMED = 400 };

/* Returns the height of a row if none is given. Rows of an unfolded lane are high enough for names, even if the picture
 * becomes long, because without names nothing can be read in it. */
static double natural_row_height(const struct pithi_figure *figure)
{
    uint32_t rows = all_rows(figure);

    /* 4000 rows have 0.5 pixels each. The steps below keep all rows within 2000 pixels: 128 rows of 10 are 1280, 400 of
     * 4 are 1600, 1000 of 2 are 2000. */
    if (rows > MOST_NATURAL / 2)
        return (double)MOST_NATURAL / rows;
    if (rows <= 12)
        return 30;
    if (rows <= 24)
        return 24;
    if (rows <= 64 || (rows <= MOST_NAMED && figure->is_unfolded))
        return 16;
    return rows <= 128 ? 10 : rows <= 400 ? 4 : 2;
}

/* Returns a plan with what is the same for both places of the legend, below the rows and beside them. */
static struct pithi_legend_plan plan_of(const struct pithi_figure *figure)
{
    return (struct pithi_legend_plan){.log = figure->plot.log,
                                      .rgb = figure->plot.rgb,
                                      .entries = figure->legend,
                                      .count = figure->legend_count,
                                      .x = MARGIN,
                                      .width = figure->width - 2 * MARGIN};
}

static double findings_room(const struct pithi_figure *figure)
{
    return figure->found_count ? figure->found_count * FINDING_LINE + LEGEND_GAP : 0;
}

/* Returns the height of everything but the rows. If the height of the picture is given, the legend shrinks until the
 * rows have enough height. */
static double layout_rest(struct pithi_figure *figure, const struct pithi_painter *painter)
{
    /* `wanted` is the height that the legend leaves to the rows: 12 pixels each, but at most 40 % of the picture. */
    double rest = TITLE_HEIGHT + pithi_figure_ranges_room(&figure->ranges) + AXIS_HEIGHT + MARGIN / 2, legend = 0;
    double wanted = fmin(all_rows(figure) * 12.0, figure->height * 0.4);

    rest += findings_room(figure);
    figure->below = plan_of(figure);
    figure->below.table = figure->stats;
    figure->below.computing_ns = figure->plot.cells.computing_ns;
    figure->below.computing_share = pithi_legend_share(&figure->plot.cells, figure->plot.t1_ns - figure->plot.t0_ns,
                                                       figure->plot.cells.computing_ns);
    figure->below.messages = figure->plot.arrows.total;
    if (!figure->stats && figure->place != PITHI_LEGEND_BOTTOM)
        return rest;
    /* Takes one line after another from the legend, until the rows have enough height. With 0 lines there is no
     * legend. */
    for (uint32_t lines = (figure->stats ? TABLE_LINES : LEGEND_LINES) + 1; lines-- > 0;) {
        legend = pithi_legend_layout(&figure->below, painter, lines);
        legend += legend > 0 ? LEGEND_GAP : 0;
        if (!figure->height || figure->height - rest - legend >= wanted)
            break;
    }
    return rest + legend;
}

/* Lays out the legend beside the rows if it belongs there. Returns the height of this legend, which the rows must
 * have. */
static double layout_beside(struct pithi_figure *figure, const struct pithi_painter *painter, double room)
{
    if (figure->place != PITHI_LEGEND_RIGHT)
        return 0;
    figure->beside = plan_of(figure);
    figure->beside.x = figure->plot.x + figure->plot_width + BESIDE_GAP;
    figure->beside.y = figure->plot.y;
    figure->beside.width = figure->width - figure->beside.x;
    return pithi_legend_layout(&figure->beside, painter, room > 0 ? (uint32_t)(room / LIST_LINE) : LIST_LINES);
}

/* Places the plot between the labels and the legend, queries the log, and makes what depends on the answer: the
 * legend's entries, the findings and the ranges. If the log is damaged, returns PITH_ERR_DAMAGED after everything was
 * loaded. */
static int load_plot(struct pithi_figure *figure, const struct pithi_painter *painter)
{
    struct pithi_plot *plot = &figure->plot;
    double beside = figure->place == PITHI_LEGEND_RIGHT ? pithi_legend_list_width(plot->log, painter) + BESIDE_GAP : 0;
    uint32_t most_arrows = plot->most_arrows;
    int err;

    plot->x = MARGIN + figure->label_width + 10;
    plot->y = TITLE_HEIGHT;
    /* at least 40 pixels, however wide the labels are; a narrower plot would show nothing */
    figure->plot_width = floor(fmax(figure->width - plot->x - MARGIN - beside, 40));
    plot->width =
        figure->columns && figure->columns < figure->plot_width ? figure->columns : (uint32_t)figure->plot_width;
    if (figure->density > 1)
        plot->width = (uint32_t)fmin(round(figure->plot_width * figure->density), PITHI_MAX_WIDTH);
    plot->most_arrows = 0; /* load_rows loads arrows, because what they cover depends on the height of rows */
    /* only the table and the legend below show the number of messages */
    plot->no_messages = !figure->stats && figure->place != PITHI_LEGEND_BOTTOM;
    err = pithi_plot_load(plot);
    plot->most_arrows = most_arrows;
    plot->no_messages = 0;
    if (err && err != PITH_ERR_DAMAGED)
        return err;
    figure->legend = pithi_legend_make(plot->log, &plot->cells, plot->t1_ns - plot->t0_ns, &figure->legend_count);
    figure->legend_count = pithi_legend_shown(figure->legend, figure->legend_count, plot->hidden);
    if (figure->findings && plot->analysis) {
        figure->found = pithi_wait_sums_make(plot->log, plot->analysis, &figure->found_count);
        figure->found_count =
            figure->found_count < PITHI_FIGURE_WAIT_SUMS ? figure->found_count : PITHI_FIGURE_WAIT_SUMS;
    }
    pithi_figure_ranges_load(&figure->ranges, plot); /* loading the plot has already reported damage */
    return err;
}

/* Makes the layout and queries the log, with every *per rows joined to one row. Sets *per to the number of rows to join
 * that the final layout needs. */
static int load_rows(struct pithi_figure *figure, const struct pithi_painter *painter, uint32_t *per, double *rest)
{
    double height;
    int err;

    pithi_groups_free(&figure->groups);
    figure->per = *per;
    figure->plot.rows = figure->rows;
    figure->plot.row_count = figure->row_count;
    if (*per > 1) {
        pithi_groups_make(figure->rows, figure->row_count, *per, &figure->groups);
        figure->plot.rows = figure->groups.rows;
        figure->plot.row_count = figure->groups.count;
    }
    err = load_plot(figure, painter);
    if (err && err != PITH_ERR_DAMAGED)
        return err;
    *rest = layout_rest(figure, painter);
    /* Computes the height of rows or picture that was not given; `rest` is the height of everything else. */
    struct pithi_plot *plot = &figure->plot;
    double gaps = all_gaps(figure), room, foot = 0;
    /* the legend beside the rows may use this height, too */
    double below = pithi_figure_ranges_room(&figure->ranges) + AXIS_HEIGHT;
    uint32_t rows = all_rows(figure);

    plot->row_height = figure->row_height > 0 ? figure->row_height : natural_row_height(figure);
    room = plot->row_height * rows + gaps;
    if (figure->height) {
        room = figure->height - *rest;
        layout_beside(figure, painter, fmax(room + below, LIST_LINE));
        /* The height is given: the rows share what is left. */
        if (figure->row_count && figure->row_height <= 0)
            plot->row_height = fmax(room - gaps, 1) / rows;
    } else {
        /* The height is not given: the rows have their natural height, and a long legend beside the rows makes the
         * picture higher. */
        room = fmax(room, layout_beside(figure, painter, 0) - below);
        figure->height = ceil(*rest + room);
        foot = ceil(plot->y + room) + below - AXIS_HEIGHT;
    }
    /* The height of a row is a whole number of pixels, because otherwise some rows would be a pixel higher than others.
     * Low rows keep their fraction, because rounding would waste too much of the room. */
    if (plot->row_height > 8)
        plot->row_height = floor(plot->row_height);
    /* A joined row is as high as its rows together: 100 rows of 0.3 pixels are 25 of 1.2. */
    if (plot->row_count)
        plot->row_height *= (double)figure->row_count / plot->row_count;
    figure->stack.pitch = plot->row_height * plot->row_count + BAND_GAP;
    figure->ranges_y = ceil(plot->y + plot->row_height * plot->row_count);
    if (figure->stack.count)
        figure->ranges_y = ceil(plot->y + figure->stack.pitch * figure->stack.count);
    figure->axis_y = figure->ranges_y + pithi_figure_ranges_room(&figure->ranges);
    figure->below.y = fmax(figure->axis_y, foot) + AXIS_HEIGHT + LEGEND_GAP;
    /* Computes the height of a single row in this layout. It may be less than was assumed before the legend was
     * known. */
    height = figure->plot.row_height * figure->plot.row_count / fmax(figure->row_count, 1);
    if (height > 0 && pithi_groups_per(height) > *per)
        *per = pithi_groups_per(height);
    if (!figure->no_arrows) /* only here, because what arrows cover depends on the height of rows */
        pithi_plot_load_arrows(&figure->plot);
    return err;
}

/* Frees what load_rows made, and gives the plot back the rows of the caller. */
static void free_loaded(struct pithi_figure *figure)
{
    pithi_plot_free(&figure->plot);
    pithi_figure_ranges_free(&figure->ranges);
    pithi_groups_free(&figure->groups);
    free(figure->legend);
    free(figure->found);
    figure->legend = NULL;
    figure->found = NULL;
    if (figure->rows) {
        figure->plot.rows = figure->rows;
        figure->plot.row_count = figure->row_count;
    }
}

uint32_t pithi_figure_rows_fit(double height, double row_height)
{
    return (uint32_t)fmax((height - TITLE_HEIGHT - AXIS_HEIGHT - MARGIN / 2) / row_height, 1);
}

double pithi_figure_label_width(const struct pithlog *log, const struct pithi_row *rows, uint32_t count,
                                const struct pithi_painter *painter)
{
    double width = 0;
    char label[128];

    for (uint32_t row = 0; row < count; row++) {
        pithi_row_label(log, rows[row], label, sizeof label);
        width = fmax(width, painter->text_width(painter->context, text_font, label));
    }
    return width;
}

int pithi_figure_load(struct pithi_figure *figure, const struct pithi_painter *painter)
{
    struct pithi_figure start;
    double rest;
    uint32_t per;
    int err;

    if (figure->width < PITHI_FIGURE_LEAST_WIDTH || (figure->height && figure->height < PITHI_FIGURE_LEAST_HEIGHT))
        return PITH_ERR_USAGE;
    figure->rows = figure->plot.rows;
    figure->row_count = figure->plot.row_count;
    figure->is_unfolded = 0;
    for (uint32_t row = 0; row < figure->row_count; row++)
        figure->is_unfolded |= figure->rows[row].band > 0;
    figure->label_width = fmax(figure->least_label_width,
                               pithi_figure_label_width(figure->plot.log, figure->rows, figure->row_count, painter));
    if (figure->iterations) {
        /* The iterations, and room for their labels. A given height has room for `fit` bands of the least height. */
        double room = fmax(figure->height - TITLE_HEIGHT - AXIS_HEIGHT, LEAST_BAND);
        uint32_t fit = figure->height ? (uint32_t)(room / LEAST_BAND) : PITHI_FIGURE_ITERATIONS;
        char label[64];
        figure->stack = (struct pithi_iteration_stack){.all = figure->iterations};
        figure->stack.chosen = pithi_iteration_stack_choose(
            figure->iterations, figure->plot.t0_ns, figure->plot.t1_ns,
            fit < PITHI_FIGURE_ITERATIONS ? fit : PITHI_FIGURE_ITERATIONS, &figure->stack.count);
        figure->band_label_width = 0;
        for (uint32_t i = 0; i < figure->stack.count; i++) {
            pithi_iteration_label(figure->iterations, figure->stack.chosen[i], label, sizeof label);
            figure->band_label_width = fmax(figure->band_label_width,
                                            ceil(painter->text_width(painter->context, text_font, label)) + LABEL_GAP);
        }
    }
    /* Labels take at most a third of the width; longer ones are cut. */
    figure->label_width = fmin(ceil(figure->label_width) + figure->band_label_width, floor(figure->width / 3));
    /* Keeps the figure as it is before loading, because the layout begins again if more rows must be joined. */
    start = *figure;
    /* If rows are too low, several are joined as one. Computes how many at least, as if there were no legend,
     * because the height of the legend is not known yet. */
    double height = figure->row_height > 0 ? figure->row_height : natural_row_height(figure);
    if (figure->height && figure->row_count && figure->row_height <= 0)
        height = fmax(figure->height - TITLE_HEIGHT - AXIS_HEIGHT - all_gaps(figure), 1) / all_rows(figure);
    per = pithi_groups_per(height) > figure->per ? pithi_groups_per(height) : figure->per;
    err = load_rows(figure, painter, &per, &rest);
    /* A second time is enough: the lanes are the same, so the legend has the same states and the same height. */
    if ((!err || err == PITH_ERR_DAMAGED) && per > figure->per) {
        free_loaded(figure);
        *figure = start;
        err = load_rows(figure, painter, &per, &rest);
    }
    if (err && err != PITH_ERR_DAMAGED)
        return err;
    /* Fails if even the smallest legend leaves no room for the rows. */
    if (figure->height > PITHI_FIGURE_MOST || figure->height < rest + 8 ||
        figure->ranges_y > figure->height - rest + TITLE_HEIGHT + 1)
        return PITH_ERR_USAGE;
    int stack_err = figure->stack.count ? pithi_iteration_stack_load(&figure->stack, &figure->plot) : PITH_OK;
    return stack_err ? stack_err : err;
}

void pithi_figure_free(struct pithi_figure *figure)
{
    free_loaded(figure);
    pithi_iteration_stack_free(&figure->stack);
}

/* ---- Drawing ----------------------------------------------------------------------------------------------------- */

/* Writes one line about what is shown: "4 ranks, 12 345 records, 1.5 s, shown from ... to ...", and the meaning of the
 * signs that the picture has. */
void pithi_figure_subtitle(const struct pithi_figure *figure, char *text, size_t size)
{
    const struct pithi_plot *plot = &figure->plot;
    const struct pithlog_info *info = pithlog_get_info(plot->log);
    const char *waits = plot->analysis && plot->waits ? ", hatched: waiting" : "";
    const char *core_waits = plot->core_waits ? ", grey lines: no core" : "";
    const char *path = plot->analysis && plot->path ? ", line: critical path" : "";
    const char *missing = pithi_plot_has_missing(plot) ? ", red lines: records are missing" : "";
    char duration[32], from[48], to[48], window[352] = "", lanes[48] = "", groups[40] = "", arrows[64] = "",
                                         records[40];
    int64_t span = plot->t1_ns - plot->t0_ns, from_ns, to_ns;

    /* The text has the times of the window only if the window is not the whole log, or if there is a clock. With
     * iterations, the text has the number of iterations instead. */
    pithi_whole_window(plot->log, &from_ns, &to_ns);
    pithi_duration_text(to_ns - from_ns - 1, duration, sizeof duration);
    pithi_number_text(info->records, records, sizeof records);
    if (plot->clock_ns) {
        pithi_date_text(plot->clock_ns + plot->t0_ns, span / 1000, from, sizeof from);
        pithi_date_text(plot->clock_ns + plot->t1_ns, span / 1000, to, sizeof to);
        snprintf(window, sizeof window, ", from %s to %s", from, to);
    } else if (span < to_ns - from_ns - 1) {
        pithi_time_text(plot->t0_ns, span / 1000, from, sizeof from);
        pithi_time_text(plot->t1_ns, span / 1000, to, sizeof to);
        snprintf(window, sizeof window, ", shown from %s to %s", from, to);
    }
    if (info->lanes != info->ranks)
        snprintf(lanes, sizeof lanes, ", %" PRIu32 " threads", info->lanes);
    if (figure->per > 1)
        snprintf(groups, sizeof groups, ", %" PRIu32 " lanes a row", figure->per);
    if (figure->stack.count) {
        const struct pithlog_iterations *all = figure->iterations;
        char reason[256] = "";
        int used = snprintf(window, sizeof window, ", %" PRIu32 " of %zu iterations", figure->stack.count, all->count);
        if (all->slow_count)
            pithi_iteration_reason(plot->log, all, all->slow->index, reason, sizeof reason);
        if (*reason)
            snprintf(window + used, sizeof window - (size_t)used, ", slowest: %" PRIu32 ", %s", all->slow->index + 1,
                     reason);
    }
    if (pithi_arrows_left_out(plot))
        snprintf(arrows, sizeof arrows, ", messages not drawn (would cover %.0f %%)",
                 100 * fmin(plot->arrows.cover, 1));
    snprintf(text, size, "%" PRIu32 " rank%s%s, %s record%s, %s%s%s%s%s%s%s%s", info->ranks,
             info->ranks == 1 ? "" : "s", lanes, records, info->records == 1 ? "" : "s", duration, window, groups,
             waits, core_waits, path, missing, arrows);
}

/* Returns 1 if the label of a row of levels or functions is left out, because it would take the room of the label of a
 * lane below it. */
static int is_in_the_way(const struct pithi_plot *plot, uint32_t row)
{
    for (uint32_t i = row; i < plot->row_count && (i - row) * plot->row_height < LEAST_LABEL_SPACING - 2; i++)
        if (!pithi_row_is_below(&plot->rows[i]))
            return i > row;
    return 0;
}

/* Returns the step between labelled levels or depths: only multiples of the step have labels. The step is the same for
 * all lanes. With rows of 4 pixels the step is 5, the least of `steps` at which labels do not overlap. */
static uint32_t labelled_depths(double row_height)
{
    static const uint32_t steps[] = {1, 2, 5, 10, 20, 50, 100};
    uint32_t i = 0;

    while (i + 1 < sizeof steps / sizeof *steps && steps[i] * row_height < LEAST_LABEL_SPACING - 2)
        i++;
    return steps[i];
}

/* Draws the labels of a plot's rows. The plot is the figure's, or a band of its iterations. */
static void draw_labels(const struct pithi_figure *figure, const struct pithi_plot *plot,
                        const struct pithi_painter *painter)
{
    double left = MARGIN + figure->band_label_width;
    uint32_t every = figure->is_unfolded ? 1 : (uint32_t)ceil(LEAST_LABEL_SPACING / plot->row_height);
    uint32_t depths = labelled_depths(plot->row_height);
    double top, height, y, last_y = -INFINITY;
    char label[128];

    /* a label is 12 pixels high: with rows of 4 pixels, every third row has a label */
    pithi_plot_bar(plot->row_height, 0, &top, &height);
    for (uint32_t row = 0; row < plot->row_count; row += every) {
        /* `y` is the foot of the text, so that the text is centred at the bar's middle, but not above the plot */
        y = fmax(plot->y + 9, floor(plot->y + row * plot->row_height + top + height / 2 + 4));
        int is_below = pithi_row_is_below(&plot->rows[row]);
        if (y - last_y < LEAST_LABEL_SPACING - 2 || is_in_the_way(plot, row) ||
            (is_below && plot->rows[row].band % depths))
            continue;
        last_y = y;
        int is_faint = plot->rows[row].kind != PITHI_ROW_STATES || is_below;
        pithi_row_label(plot->log, plot->rows[row], label, sizeof label);
        pithi_text_in(painter, left, y, figure->label_width + 4 - figure->band_label_width, text_font,
                      is_faint ? PITHI_RGB_FAINT : PITHI_RGB_TEXT, label);
    }
}

/* Draws the bands with their numbers and lengths. Labels of slow iterations have the colour of the critical path. */
static void draw_stack(const struct pithi_figure *figure, const struct pithi_painter *painter,
                       const struct pithi_painter *stretched)
{
    const struct pithi_iteration_stack *stack = &figure->stack;
    char label[64], reason[256];

    pithi_iteration_stack_draw(stack, stretched);
    for (uint32_t i = 0; i < stack->count; i++) {
        const struct pithi_plot *band = &stack->bands[i];
        int is_slow = pithi_iteration_is_slow(stack->all, stack->chosen[i]);
        double top, height, end = band->x + band->width * figure->plot_width / figure->plot.width;
        pithi_plot_bar(band->row_height, 0, &top, &height);
        double y = fmax(floor(band->y + top + fmin(height, LEAST_BAND) / 2 + 4), band->y + 9);
        pithi_iteration_label(stack->all, stack->chosen[i], label, sizeof label);
        pithi_text_in(painter, MARGIN, y, figure->band_label_width - 4, text_font,
                      is_slow ? pithi_theme()->path : PITHI_RGB_TEXT, label);
        draw_labels(figure, band, painter);
        pithi_iteration_reason(band->log, stack->all, stack->chosen[i], reason, sizeof reason);
        /* The reason stands right of the band, if there is room for a few words. */
        if (*reason && figure->width - MARGIN - end > 60)
            pithi_text_in(painter, end + 6, y, figure->width - MARGIN - end - 6, small_font, PITHI_RGB_FAINT, reason);
    }
}

/* Draws the number of a finding on a ground in the colour of the path. */
static void draw_number(const struct pithi_painter *painter, double x, double y, uint32_t number)
{
    uint32_t rgb = pithi_theme()->path;
    char text[16];

    snprintf(text, sizeof text, "%" PRIu32, number);
    painter->rect(painter->context, x, y, 13, 13, PITHI_RGB_PAPER, 1);
    painter->rect(painter->context, x + 1, y + 1, 11, 11, rgb, 1);
    painter->text(painter->context, x + 6.5, y + 10.5, PITHI_CENTRE, small_font, pithi_rgb_text_on(rgb), text);
}

/* Draws the list of findings at the foot of the picture, and their numbers where the longest wait states begin. */
static void draw_findings(const struct pithi_figure *figure, const struct pithi_painter *painter)
{
    const struct pithi_plot *plot = &figure->plot;
    uint32_t *row_of_lane = pithi_rows_of_lanes(plot->log, plot->rows, plot->row_count);
    double y = figure->height - findings_room(figure), top, height;
    char name[160], text[320];

    pithi_plot_bar(plot->row_height, 0, &top, &height);
    /* The number stands in the row where the longest wait state begins, if that row and moment are shown, and once more
     * in the list. */
    for (uint32_t i = 0; i < figure->found_count; i++, y += FINDING_LINE) {
        const struct pithi_wait_sum *finding = &figure->found[i];
        const struct pithlog_wait_state *longest = finding->longest;
        uint32_t row = row_of_lane[longest->lane];
        double part = ((double)longest->from_ns - (double)plot->t0_ns) / ((double)plot->t1_ns - (double)plot->t0_ns);
        if (row != PITHI_NONE && part >= 0 && part < 1)
            draw_number(painter, floor(plot->x + part * figure->plot_width) + 1,
                        pithi_plot_row_top(plot, row) + top + 1, i + 1);
        draw_number(painter, MARGIN - 1, y - 1, i + 1);
        pithi_wait_sum_name(plot->log, finding, name, sizeof name);
        pithi_text_in(painter, MARGIN + 17, y + 9.5, figure->width / 3, text_font, PITHI_RGB_TEXT, name);
        double left = MARGIN + 29 + fmin(painter->text_width(painter->context, text_font, name), figure->width / 3);
        pithi_wait_sum_text(plot->log, finding, text, sizeof text);
        pithi_text_in(painter, left, y + 9.5, figure->width - MARGIN - left, text_font, PITHI_RGB_FAINT, text);
    }
    free(row_of_lane);
}

void pithi_figure_draw(const struct pithi_figure *figure, const struct pithi_painter *painter)
{
    const struct pithi_plot *plot = &figure->plot;
    /* If the plot has fewer columns than pixels, it is drawn through a painter that widens it: 400 columns on 800
     * pixels are two pixels wide each. */
    struct pithi_painter_filter filter = {.target = painter, .left = plot->x, .by = figure->plot_width / plot->width};
    struct pithi_painter stretched = pithi_filtered_painter(&filter);
    struct pithi_axis axis;

    if (figure->stack.count)
        pithi_axis_make(0, figure->stack.longest_ns, 0, figure->plot_width, TICK_SPACING, &axis);
    else
        pithi_axis_make(plot->t0_ns, plot->t1_ns, plot->clock_ns, figure->plot_width, TICK_SPACING, &axis);
    painter->rect(painter->context, 0, 0, figure->width, figure->height, PITHI_RGB_PAPER, 1);
    char text[512];
    double room = figure->width - 2 * MARGIN;
    pithi_clean(text, sizeof text, figure->title, 0);
    pithi_text_in(painter, MARGIN, 21, room, title_font, PITHI_RGB_TEXT, text);
    pithi_figure_subtitle(figure, text, sizeof text);
    pithi_text_in(painter, MARGIN, 38, room, small_font, PITHI_RGB_FAINT, text);
    if (!figure->stack.count)
        draw_labels(figure, plot, painter);
    /* the grid lies below the rows, so that bars cover it */
    for (uint32_t i = 0; i < axis.count; i++)
        painter->rect(painter->context, floor(plot->x + axis.ticks[i].x), plot->y - 4, 1, figure->axis_y - plot->y + 4,
                      PITHI_RGB_GRID, 1);
    const struct pithi_painter *through = plot->width == figure->plot_width ? painter : &stretched;
    if (figure->stack.count)
        draw_stack(figure, painter, through);
    else
        pithi_plot_draw(plot, through);
    pithi_figure_ranges_draw(&figure->ranges, plot, MARGIN, figure->ranges_y, figure->plot_width, painter);
    /* The axis. `end`: where the last label ended, so that the next one does not overlap it. The first label keeps
     * clear of the base, "2024-05-01 ... +", at the left. */
    double y = figure->axis_y, right = plot->x + figure->plot_width, end = 0;
    painter->rect(painter->context, plot->x, y, figure->plot_width, 1, PITHI_RGB_FAINT, 1);
    if (axis.base[0]) {
        painter->text(painter->context, MARGIN, y + 18, PITHI_LEFT, small_font, PITHI_RGB_FAINT, axis.base);
        end = MARGIN + painter->text_width(painter->context, small_font, axis.base) + TICK_GAP;
    }
    for (uint32_t i = 0; i < axis.count; i++) {
        double x = floor(plot->x + axis.ticks[i].x);
        double half = painter->text_width(painter->context, small_font, axis.ticks[i].label) / 2;
        painter->rect(painter->context, x, y, 1, 5, PITHI_RGB_FAINT, 1);
        if (x - half < end || x + half > right + MARGIN - 2)
            continue;
        painter->text(painter->context, x, y + 18, PITHI_CENTRE, small_font, PITHI_RGB_FAINT, axis.ticks[i].label);
        end = x + half + TICK_GAP;
    }
    pithi_legend_draw(&figure->below, painter);
    pithi_legend_draw(&figure->beside, painter);
    draw_findings(figure, painter);
}

/* ---- Mountain ranges --------------------------------------------------------------------------------------------- */

enum { GAP = 22, SCALE_SPACING = 24 }; /* pixels */

double pithi_figure_ranges_room(const struct pithi_figure_ranges *block)
{
    return block->height > 0 ? block->height + GAP : 0;
}

/* ---- Loading ----------------------------------------------------------------------------------------------------- */

struct timed {
    uint32_t state;
    int64_t time_ns;
};

/* Sorts the state with the most time first: as the lowest layer it is the easiest to read. */
static int by_time(const void *a, const void *b)
{
    const struct timed *x = a, *y = b;

    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? 1 : -1;
    return (x->state > y->state) - (x->state < y->state);
}

int pithi_figure_ranges_load(struct pithi_figure_ranges *block, const struct pithi_plot *plot)
{
    struct pithi_ranges_query query = {
        .t0_ns = plot->t0_ns, .t1_ns = plot->t1_ns, .width = plot->width, .hidden = plot->hidden};
    int err = PITH_OK;

    pithi_figure_ranges_free(block);
    if (block->height <= 0)
        return PITH_OK;
    uint32_t all = pithlog_get_info(plot->log)->lanes, *lanes = pithi_alloc(all, sizeof *lanes);
    unsigned char *taken = pithi_alloc(all, 1);
    /* A lane may be in several rows, if its levels are shown. It counts as one thread of the mountain range. */
    for (uint32_t row = 0; row < plot->row_count; row++) {
        uint32_t in_row;
        const uint32_t *of_row = pithi_row_lanes(&plot->rows[row], &in_row);
        for (uint32_t i = 0; i < in_row && pithi_row_has_cells(&plot->rows[row]); i++)
            if (!taken[of_row[i]]++)
                lanes[query.lane_count++] = of_row[i];
    }
    free(taken);
    query.lanes = lanes;
    for (uint32_t i = 0; i < query.lane_count; i++)
        block->threads |= pithlog_get_lane(plot->log, lanes[i])->thread > 0;
    block->ranges = pithi_ranges_new(plot->log, &query);
    free(lanes);
    if (!block->ranges)
        return PITH_ERR_USAGE;
    /* If the plot need not be exact, the ranges come from the summary, and no records are read. */
    if (plot->summary && plot->care != PITHI_EXACT)
        pithi_ranges_quick(block->ranges, plot->summary, INFINITY);
    else
        err = pithi_ranges_load(block->ranges, NULL);
    const uint32_t *states;
    uint32_t count = pithi_ranges_states(block->ranges, &states);
    struct timed *timed = pithi_alloc(count, sizeof *timed);
    for (uint32_t i = 0; i < count; i++)
        timed[i] = (struct timed){states[i], pithi_ranges_time(block->ranges, states[i])};
    qsort(timed, count, sizeof *timed, by_time);
    block->order = pithi_alloc(count, sizeof *block->order);
    block->order_count = count;
    for (uint32_t i = 0; i < count; i++)
        block->order[i] = timed[i].state;
    free(timed);
    return err;
}

void pithi_figure_ranges_free(struct pithi_figure_ranges *block)
{
    pithi_ranges_free(block->ranges);
    free(block->order);
    block->ranges = NULL;
    block->order = NULL;
}

/* ---- Drawing ----------------------------------------------------------------------------------------------------- */

void pithi_figure_ranges_draw(const struct pithi_figure_ranges *block, const struct pithi_plot *plot, double left,
                              double y, double width, const struct pithi_painter *painter)
{
    struct pithi_layers_look look = {.x = plot->x,
                                     .y = y + GAP,
                                     .height = block->height,
                                     .order = block->order,
                                     .order_count = block->order_count,
                                     .rgb = plot->rgb};
    struct pithi_painter_filter filter = {.target = painter, .left = plot->x, .by = width / plot->width};
    struct pithi_painter stretched = pithi_filtered_painter(&filter);
    const struct pithi_painter *through = plot->width == width ? painter : &stretched;

    if (!block->ranges)
        return;
    pithi_layers_draw_grid(block->ranges, &look, SCALE_SPACING, through);
    pithi_layers_draw(block->ranges, &look, through);
    double top = y + GAP;
    uint32_t lanes = pithi_ranges_lanes(block->ranges);
    uint32_t step = pithi_layers_step(lanes, block->height, SCALE_SPACING);
    char text[24];
    /* Marks at whole numbers of lanes: for 8 lanes with room for 4 marks, 0, 2, 4, 6 and 8. */
    for (uint64_t mark = 0; mark <= lanes; mark += step) {
        double at = top + block->height - floor((double)mark / (lanes ? lanes : 1) * block->height + 0.5);
        snprintf(text, sizeof text, "%" PRIu64, mark);
        painter->rect(painter->context, plot->x - 5, at, 5, 1, PITHI_RGB_FAINT, 1);
        painter->text(painter->context, plot->x - 8, at + 4, PITHI_RIGHT, small_font, PITHI_RGB_FAINT, text);
    }
    painter->text(painter->context, left, top - 6, PITHI_LEFT, text_font, PITHI_RGB_TEXT,
                  block->threads ? "threads" : "ranks");
}
