/* bars.c - turns the cells of a row into bars, and writes names and durations into them.
 *
 * Equal cells beside each other are one bar, unless an instance begins between them (' in the example). Columns that
 * are less than half covered (a) make a bar of half height. Such a column is dropped if it is only the ragged end of a
 * bar:
 *
 *     cells    A A A a . B B B'B B     bars    A: columns 0 to 2; B: 5 to 7; B: 8 and 9 (with a dividing line)
 *
 * A painter that can paint strips (painter.h) gets the colours of all columns of a row at once instead of single bars,
 * because then thousands of narrow bars cost no more time than one wide bar. */
#include "core/scene/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/scene/axis.h"
#include "core/rows/legend.h"
#include "core/scene/waiting.h"
#include "core/cells/memory.h"
#include "core/raster/palette.h"

/* Narrower bars have no room for a dividing line. */
enum { EDGE_FROM = 4 };
/* Inner bars of at least this height have an outline above and below. */
enum { OUTLINED_FROM = 8 };

/* ---- From cells to bars ------------------------------------------------------------------------------------------ */

/* How cells become bars. A lane's bars have full or half height; the height of a group's bars follows the cover. */
struct style {
    int group; /* 1: bars of a group */
    double top, height;
};

static double height_of(const struct style *style, uint8_t cover)
{
    double height = floor(style->height * cover / 255 + 0.5);

    if (style->group)
        return height < 1 ? 1 : height;
    return cover < 128 && style->height >= 4 ? floor(style->height * 0.5) : style->height;
}

/* Returns 1 if both columns are drawn alike. For a group, heights are compared, not covers: 200 and 201 of 255 look the
 * same in a row of 20 pixels. */
static int same_look(const struct style *style, const struct pithi_cell *a, const struct pithi_cell *b)
{
    return a->state == b->state && (style->group ? height_of(style, a->cover) == height_of(style, b->cover)
                                                 : (a->cover < 128) == (b->cover < 128));
}

/* Returns the end of the run of columns, starting at `from`, that make one bar. A new instance of the state begins a
 * new bar. */
static uint32_t run_end(const struct style *style, const struct pithi_cell *line, uint32_t width, uint32_t from)
{
    uint32_t c = from + 1;

    while (c < width && same_look(style, &line[c], &line[from]) && !(line[c].flags & PITHI_CELL_BEGIN))
        c++;
    return c;
}

/* Returns 1 if a column is dropped, because it is less than half covered and only the ragged end of the bar beside
 * it. */
static int is_fringe(const struct pithi_cell *line, uint32_t width, uint32_t c)
{
    const struct pithi_cell *cell = &line[c];

    if (cell->state == PITHI_NONE || cell->cover >= 128)
        return 0;
    if (c > 0 && line[c - 1].state == cell->state && line[c - 1].cover >= 128 && !(cell->flags & PITHI_CELL_BEGIN))
        return 1;
    return c + 1 < width && line[c + 1].state == cell->state && line[c + 1].cover >= 128 &&
           !(line[c + 1].flags & PITHI_CELL_BEGIN);
}

/* Returns 1 if a bar begins in column c, or in the column before c, which was dropped as the ragged end of this bar. */
static int begins(const struct pithi_cell *line, uint32_t width, uint32_t c)
{
    if (line[c].flags & PITHI_CELL_BEGIN)
        return 1;
    return c > 0 && line[c - 1].state == line[c].state && line[c - 1].flags & PITHI_CELL_BEGIN &&
           is_fringe(line, width, c - 1);
}

/* ---- Drawing ----------------------------------------------------------------------------------------------------- */

enum part { OUTLINE, FILL, EDGE, PARTS };

struct bar {
    uint32_t state, rgb;
    int outlined, edge; /* each 1: the bar has an outline; a line marks its begin */
    double x, y, width, height;
};

struct bars {
    struct bar *items;
    uint32_t count, capacity;
};

/* Returns 1 if a bar has an outline above and below, as inner bars have. It separates them from outer bars of a similar
 * colour. */
static int is_outlined(const struct pithi_plot *plot, uint32_t row, uint32_t level, double height)
{
    return level && !plot->rows[row].band && height >= OUTLINED_FROM;
}

/* Returns the bar of the columns [from, to). It stands on the foot of its row; if it is lower than the row, the room
 * above it stays free. */
static struct bar make_bar(const struct pithi_plot *plot, uint32_t row, const struct pithi_cell *line, uint32_t from,
                           uint32_t to, const struct style *style)
{
    struct bar bar = {.state = line[from].state,
                      .rgb = pithi_plot_rgb(plot, row)[line[from].state],
                      .x = plot->x + from,
                      .y = style->top,
                      .width = to - from};

    bar.height = height_of(style, line[from].cover);
    bar.y += style->height - bar.height;
    bar.edge = to - from >= EDGE_FROM && begins(line, plot->width, from);
    return bar;
}

/* Draws one of the three parts of a bar. The outline is a darker rectangle; the filling covers it except for a pixel
 * above and below. The edge is a line at the left. */
static void draw_part(const struct pithi_painter *painter, const struct bar *bar, enum part part)
{
    uint32_t rgb = bar->rgb;

    if (part == OUTLINE && bar->outlined)
        painter->rect(painter->context, bar->x, bar->y, bar->width, bar->height, pithi_rgb_darker(rgb, 0.35), 1);
    if (part == FILL)
        painter->rect(painter->context, bar->x, bar->y + bar->outlined, bar->width, bar->height - 2 * bar->outlined,
                      rgb, 1);
    if (part == EDGE && bar->edge)
        painter->rect(painter->context, bar->x, bar->y, 1, bar->height, pithi_rgb_darker(rgb, 0.35), 1);
}

/* Sets *place to the bar of a column as it is drawn, for names and for the pointer. Returns 0 if there is none. */
int pithi_bar_at(const struct pithi_plot *plot, uint32_t row, uint32_t level, uint32_t from, uint32_t to,
                 struct pithi_bar_place *place)
{
    const struct pithi_cell *line = pithi_cells_line(&plot->lines[plot->cell_row[row]], 0, level);
    struct style style = {.group = plot->rows[row].lane_count > 1};

    if (line[from].state == PITHI_NONE || (style.group ? level > 0 : is_fringe(line, plot->width, from)))
        return 0;
    pithi_plot_row_bar(plot, row, level, &style.top, &style.height);
    uint32_t end = run_end(&style, line, to, from);
    struct bar bar = make_bar(plot, row, line, from, end, &style);
    int outlined = is_outlined(plot, row, level, bar.height);
    /* Only bars of EDGE_FROM columns or more have an edge. So a bar that `to` cuts is measured beyond `to`, because it
     * has an edge if the whole bar is drawn with one. */
    uint32_t edged = from + EDGE_FROM < plot->width ? from + EDGE_FROM : plot->width; /* may lie behind `to` */
    int edge = begins(line, plot->width, from) && run_end(&style, line, edged, from) - from >= EDGE_FROM;
    *place = (struct pithi_bar_place){bar.state, end, bar.y + outlined, bar.height - 2 * outlined, edge};
    return 1;
}

/* ---- Column by column -------------------------------------------------------------------------------------------- */

/* For painters with strips: the columns of one level and height in a row, with the colours of bodies and outlines. */
struct columns {
    uint32_t *body, *outline; /* [width] */
    uint32_t count;           /* columns with a colour */
    double y, height;
};

/* The strips of a row: first the life of its lane, then, level by level, the bars of full height and the lower bars. */
struct pithi_bar_sheet {
    uint32_t *memory, *life, *separator;
    uint32_t life_from, life_to; /* the columns of `life` that have a colour */
    uint32_t *darker[2];         /* [0][defs] the darker colours of states, [1][defs] of functions (flames.h) */
    struct columns full[PITHI_LEVELS], low[PITHI_LEVELS];
    uint32_t *columns[PITHI_LEVELS]; /* memory of a level's columns, made when the level is first drawn */
    struct pithi_strip strips[2 + PITHI_LEVELS * 6];
    uint32_t count;
};

/* Returns columns without a colour. memset can fill them, because all bits of PITHI_NO_COLOUR are 1. */
static uint32_t *no_colours(size_t count)
{
    uint32_t *rgb = pithi_alloc(count, sizeof *rgb);

    memset(rgb, 0xff, count * sizeof *rgb);
    return rgb;
}

/* Makes the colours of outlines and dividing lines, which are darker than those of the bars, once for all bars of a
 * picture. */
static uint32_t *darker_colours(const struct pithlog *log, const uint32_t *rgb)
{
    uint32_t defs = pithlog_get_info(log)->defs, *darker = pithi_alloc(defs, sizeof *darker);

    for (uint32_t id = 0; id < defs; id++)
        darker[id] = pithi_rgb_darker(rgb[id], 0.35);
    return darker;
}

struct pithi_bar_sheet *pithi_sheet_new(const struct pithi_plot *plot)
{
    struct pithi_bar_sheet *sheet = pithi_alloc(1, sizeof *sheet);
    size_t width = plot->width;

    sheet->memory = no_colours(width * 2);
    sheet->life = sheet->memory;
    sheet->separator = sheet->memory + width;
    for (size_t c = 0; c < width; c++)
        sheet->separator[c] = PITHI_RGB_GRID;
    sheet->darker[0] = darker_colours(plot->log, plot->rgb);
    if (plot->flames)
        sheet->darker[1] = darker_colours(plot->flames->log, plot->flames->rgb);
    return sheet;
}

void pithi_sheet_free(struct pithi_bar_sheet *sheet)
{
    if (!sheet)
        return;
    for (uint32_t level = 0; level < PITHI_LEVELS; level++)
        free(sheet->columns[level]);
    free(sheet->memory);
    free(sheet->darker[0]);
    free(sheet->darker[1]);
    free(sheet);
}

static void add_strip(struct pithi_bar_sheet *sheet, double y, double height, const uint32_t *rgb)
{
    sheet->strips[sheet->count++] = (struct pithi_strip){y, height, rgb};
}

static void add_columns(struct pithi_bar_sheet *sheet, const struct columns *columns, int outlined)
{
    if (!columns->count)
        return;
    add_strip(sheet, columns->y, columns->height, columns->body);
    if (outlined) {
        add_strip(sheet, columns->y, 1, columns->outline);
        add_strip(sheet, columns->y + columns->height - 1, 1, columns->outline);
    }
}

static void clear_columns(struct columns *columns, uint32_t width)
{
    if (columns->count) {
        memset(columns->body, 0xff, width * sizeof *columns->body);
        memset(columns->outline, 0xff, width * sizeof *columns->outline);
    }
    columns->count = 0;
}

static void fill_level(struct pithi_bar_sheet *sheet, const struct pithi_plot *plot, uint32_t row, uint32_t level)
{
    const struct pithi_cell *line = pithi_cells_line(&plot->lines[plot->cell_row[row]], 0, level);
    /* The bars of a level have the full height of the level or half of it. So their colours are in two arrays, `full`
     * and `low`. */
    struct style style = {.group = 0};

    pithi_plot_row_bar(plot, row, level, &style.top, &style.height);
    for (uint32_t c = 0, end; c < plot->width; c = end) {
        struct bar bar;
        if (line[c].state == PITHI_NONE) {
            end = c + 1;
            continue;
        }
        end = run_end(&style, line, plot->width, c);
        if (is_fringe(line, plot->width, c))
            continue;
        if (!sheet->columns[level]) {
            size_t width = plot->width;
            uint32_t *memory = sheet->columns[level] = no_colours(width * 4);
            sheet->full[level] = (struct columns){.body = memory, .outline = memory + width};
            sheet->low[level] = (struct columns){.body = memory + 2 * width, .outline = memory + 3 * width};
        }
        bar = make_bar(plot, row, line, c, end, &style);
        bar.outlined = is_outlined(plot, row, level, bar.height);
        /* The edge is one column in the outline's colour. */
        struct columns *columns = bar.height < style.height ? &sheet->low[level] : &sheet->full[level];
        uint32_t dark = sheet->darker[plot->rows[row].kind == PITHI_ROW_FUNCTIONS][bar.state];
        for (uint32_t at = c; at < end; at++)
            columns->body[at] = bar.rgb;
        for (uint32_t at = c; at < end && bar.outlined; at++)
            columns->outline[at] = dark;
        if (bar.edge)
            columns->body[c] = dark;
        columns->count += end - c;
        columns->y = bar.y;
        columns->height = bar.height;
    }
}

static void draw_sheet(struct pithi_bar_sheet *sheet, const struct pithi_plot *plot,
                       const struct pithi_painter *painter, uint32_t row)
{
    double row_top = pithi_plot_row_top(plot, row), top, height, left, right;
    uint32_t first, last;

    pithi_plot_levels(plot, row, &first, &last);
    for (uint32_t level = first; level < last; level++)
        fill_level(sheet, plot, row, level);
    pithi_plot_row_bar(plot, row, 0, &top, &height);
    pithi_plot_life(plot, row, &left, &right);
    uint32_t from = (uint32_t)fmax(left - plot->x, 0), to = (uint32_t)fmax(right - plot->x, 0);
    /* Most lanes begin and end at the same columns as the lane drawn before. Then `life` need not be filled again. */
    if (from != sheet->life_from || to != sheet->life_to) {
        for (uint32_t at = 0; at < plot->width; at++)
            sheet->life[at] = at >= from && at < to ? PITHI_RGB_IDLE : PITHI_NO_COLOUR;
        sheet->life_from = from;
        sheet->life_to = to;
    }
    sheet->count = 0;
    /* In the order of painting: separator, life, then the levels from the outside in. */
    if (pithi_plot_is_separated(plot, row))
        add_strip(sheet, row_top, 1, sheet->separator);
    add_strip(sheet, top, height, sheet->life);
    for (uint32_t level = first; level < last; level++) {
        add_columns(sheet, &sheet->full[level], is_outlined(plot, row, level, sheet->full[level].height));
        add_columns(sheet, &sheet->low[level], is_outlined(plot, row, level, sheet->low[level].height));
    }
    painter->strips(painter->context, plot->x, plot->width, row_top, pithi_plot_row_top(plot, row + 1) - row_top,
                    sheet->strips, sheet->count);
    /* Only columns that have a colour are cleared for the next row. */
    for (uint32_t level = first; level < last; level++) {
        clear_columns(&sheet->full[level], plot->width);
        clear_columns(&sheet->low[level], plot->width);
    }
}

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

static void draw_row(const struct pithi_plot *plot, const struct pithi_painter *painter, uint32_t row, uint32_t level,
                     struct bars *bars)
{
    const struct pithi_cell *line;
    struct style style = {.group = plot->rows[row].lane_count > 1};
    uint32_t first, last;

    pithi_plot_levels(plot, row, &first, &last);
    if (level < first || level >= last || (style.group && level))
        return;
    line = pithi_cells_line(&plot->lines[plot->cell_row[row]], 0, level);
    pithi_plot_row_bar(plot, row, level, &style.top, &style.height);
    for (uint32_t c = 0, end; c < plot->width; c = end) {
        struct bar bar;
        end = run_end(&style, line, plot->width, c);
        if (line[c].state == PITHI_NONE || (!style.group && is_fringe(line, plot->width, c)))
            continue;
        bar = make_bar(plot, row, line, c, end, &style);
        bar.outlined = is_outlined(plot, row, level, bar.height);
        if (painter->groups) {
            /* With `groups`, bars are gathered and drawn by colour, because such painters are slow when the colour
             * changes. */
            bars->items = pithi_view_grow(bars->items, &bars->capacity, bars->count + 1, sizeof *bars->items);
            bars->items[bars->count++] = bar;
            continue;
        }
        for (int part = 0; part < PARTS; part++)
            draw_part(painter, &bar, (enum part)part);
    }
}

static int by_state(const void *a, const void *b)
{
    const struct bar *x = a, *y = b;

    if (x->state != y->state)
        return x->state < y->state ? -1 : 1;
    if (x->y != y->y)
        return x->y < y->y ? -1 : 1;
    return (x->x > y->x) - (x->x < y->x);
}

/* Draws the light band that shows the life of a lane or a group. */
static void draw_life(const struct pithi_plot *plot, const struct pithi_painter *painter, uint32_t row)
{
    double left, right, top, height;

    pithi_plot_life(plot, row, &left, &right);
    pithi_plot_bar(plot->row_height, 0, &top, &height);
    if (right > left)
        painter->rect(painter->context, left, pithi_plot_row_top(plot, row) + top, right - left, height, PITHI_RGB_IDLE,
                      1);
}

static void draw_shapes(const struct pithi_plot *plot, const struct pithi_painter *painter, uint32_t from, uint32_t to)
{
    struct bars bars = {0};
    uint32_t levels = 0;

    for (uint32_t row = from; row < to; row++) {
        if (plot->cell_row[row] == PITHI_NONE)
            continue;
        draw_life(plot, painter, row);
        uint32_t depth = plot->lines[plot->cell_row[row]].depth;
        levels = depth > levels ? depth : levels;
    }
    for (uint32_t level = 0; level < levels; level++) {
        for (uint32_t row = from; row < to; row++)
            if (plot->cell_row[row] != PITHI_NONE)
                draw_row(plot, painter, row, level, &bars);
        /* Bars of one level do not overlap, so their order is free.
         * All outlines of a state come first, then all fillings, then all edges. */
        if (bars.count)
            qsort(bars.items, bars.count, sizeof *bars.items, by_state);
        for (uint32_t first = 0, end; first < bars.count; first = end) {
            for (end = first; end < bars.count && bars.items[end].state == bars.items[first].state; end++)
                continue;
            for (int part = 0; part < PARTS; part++)
                for (uint32_t i = first; i < end; i++)
                    draw_part(painter, &bars.items[i], (enum part)part);
        }
        bars.count = 0;
    }
    free(bars.items);
}

/* Fills the columns without cells that the cell cache has yet to compute. */
static void draw_unknown(const struct pithi_plot *plot, const struct pithi_painter *painter, uint32_t row)
{
    const struct pithi_cells *cells = &plot->lines[plot->cell_row[row]];
    double left, right, top, height;
    uint32_t level, last;

    if (!cells->unknown_left && !cells->unknown_right)
        return;
    pithi_plot_levels(plot, row, &level, &last);
    const struct pithi_cell *line = level < last ? pithi_cells_line(cells, 0, level) : NULL;
    pithi_plot_life(plot, row, &left, &right);
    pithi_plot_bar(plot->row_height, 0, &top, &height);
    for (uint32_t c = 0, end; c < plot->width; c = end + 1) {
        /* a run of empty columns in the part that is not computed yet, at the left or the right */
        for (end = c; end < plot->width && (!line || line[end].state == PITHI_NONE) &&
                      (end < cells->unknown_left || end >= plot->width - cells->unknown_right);)
            end++;
        double from = fmax(left, plot->x + c), to = fmin(right, plot->x + end);
        if (from < to)
            painter->rect(painter->context, from, pithi_plot_row_top(plot, row) + top, to - from, height,
                          pithi_theme()->unknown, 1);
    }
}

void pithi_bars_draw(const struct pithi_plot *plot, const struct pithi_painter *painter, struct pithi_bar_sheet *sheet,
                     uint32_t from, uint32_t to)
{
    if (!painter->strips)
        draw_shapes(plot, painter, from, to);
    for (uint32_t row = from; painter->strips && row < to; row++) {
        if (plot->cell_row[row] == PITHI_NONE)
            continue;
        if (plot->rows[row].lane_count <= 1) {
            draw_sheet(sheet, plot, painter, row);
            continue;
        }
        /* A group's bars have many heights, which strips cannot show. */
        draw_life(plot, painter, row);
        draw_row(plot, painter, row, 0, NULL);
    }
    for (uint32_t row = from; row < to; row++)
        if (plot->cell_row[row] != PITHI_NONE)
            draw_unknown(plot, painter, row);
}

/* ---- Names and durations inside bars ----------------------------------------------------------------------------- */

/* Pixels at a scale of 1. TEXT: size of the text. AROUND: least room above and below the text together. BESIDE: least
 * room on each side. NARROWEST: narrower bars get no name. */
enum { TEXT = 10, AROUND = 2, BESIDE = 4, NARROWEST = 16 };
/* A shortened name keeps at least this many letters; fewer would not identify it. */
enum { LEAST_LETTERS = 3 };

/* Names that are too wide lose this prefix first, because it says least. */
static const char prefix[] = "MPI_";

/* Shortens a text that is too wide, by the prefix first. Returns its width, or 0 if there is no room. */
static double fit(const struct pithi_painter *painter, struct pithi_font font, char *text, double room)
{
    size_t keep = strlen(text), omit = strlen(prefix);
    double width = painter->text_width(painter->context, font, text);

    if (width > room && strncmp(text, prefix, omit) == 0 && keep > omit) {
        keep -= omit;
        memmove(text, text + omit, keep + 1);
        width = painter->text_width(painter->context, font, text);
    }
    while (width > room && keep > LEAST_LETTERS) {
        /* Guesses from the mean width of a letter how many letters fit. Keeps one letter more than the guess, but at
         * least one letter less than in the round before, so that the loop ends. */
        size_t guess = (size_t)((double)keep * room / width);
        keep = guess < keep - 1 ? guess + 1 : keep - 1;
        /* not in the middle of a character of UTF-8 */
        while (keep && ((unsigned char)text[keep] & 0xc0) == 0x80)
            keep--;
        if (keep < LEAST_LETTERS)
            return 0;
        strcpy(text + keep, "\u2026");
        width = painter->text_width(painter->context, font, text);
    }
    return width > room ? 0 : width;
}

#define READABLE 4.5 /* the least contrast of text, by WCAG 2 */

/* The ground of a name: a plain bar, a bar with a part that waits, or a bar with lines over its colour. */
enum ground { PLAIN, ON_WAITING, ON_LINES };

struct place {
    uint32_t left, right; /* columns */
    enum ground ground;
    double y, height;
    int64_t length_ns;
};

static void draw_name(const struct pithi_plot *plot, const struct pithi_painter *painter, uint32_t row, uint32_t state,
                      const struct place *place)
{
    double scale = pithi_theme_scale(), beside = floor(BESIDE * scale), width;
    double room = place->right - place->left - 2 * beside, x = plot->x + place->left + beside;
    /* the letters are centred: capitals are about 0.72 of the size high */
    double y = place->y + floor((place->height + TEXT * scale * 0.72) / 2 + 0.5);
    struct pithi_font font = {.size = TEXT * scale};
    char name[256], length[64];

    pithi_def_label(pithi_plot_log(plot, row), state, name, sizeof name - 4);
    width = fit(painter, font, name, room);
    if (width <= 0)
        return;
    /* the rim keeps a name readable where lines or hatching cross it */
    font.rimmed = place->ground != PLAIN;
    font.rim = pithi_plot_rgb(plot, row)[state];
    uint32_t rgb = pithi_rgb_text_on(font.rim), ground = pithi_waits_ground(font.rim);
    /* In the dark theme the ground of waiting is darker than the bar. Black text, which suits a light bar, is not
     * readable there. */
    if (place->ground == ON_WAITING && pithi_contrast(rgb, ground) < READABLE) {
        font.rim = ground;
        rgb = pithi_rgb_text_on(ground);
    }
    painter->text(painter->context, x, y, PITHI_LEFT, font, rgb, name);
    if (!place->length_ns)
        return;
    pithi_duration_text(place->length_ns, length, sizeof length);
    /* draws the duration only if the whole name and the space after it leave room */
    if (width + 2 * beside + painter->text_width(painter->context, font, length) <= room)
        painter->text(painter->context, x + width + 2 * beside, y, PITHI_LEFT, font, rgb, length);
}

/* Returns the widest part of the columns [from, to) in which the inner level is empty. `inner` is NULL if there is no
 * inner level. */
static struct place widest_part(const struct pithi_cell *inner, uint32_t from, uint32_t to)
{
    struct place widest = {.left = from, .right = inner ? from : to};

    /* `inner` is the level inside this one; its bars would cover the name */
    for (uint32_t c = from, end; inner && c < to; c = end + 1) {
        for (end = c; end < to && inner[end].state == PITHI_NONE;)
            end++;
        if (end - c > widest.right - widest.left)
            widest = (struct place){.left = c, .right = end};
    }
    return widest;
}

/* Returns the first column from `c` on where a bar of `least` columns can begin. Such a bar also covers column c +
 * least - 1. If column c + least - 1 has another state than c, the next bar of this width begins where that other state
 * begins, or later. So most columns of narrow bars are never looked at. */
static uint32_t next_wide(const struct pithi_cell *line, uint32_t width, uint32_t c, uint32_t least)
{
    while (c + least <= width && line[c + least - 1].state != line[c].state)
        for (c += least - 1; line[c - 1].state == line[c].state;)
            c--;
    return c + least <= width ? c : width;
}

static enum ground ground_of(const unsigned char *hatched, uint32_t level, uint32_t from, uint32_t to)
{
    for (uint32_t c = from; hatched && c < to; c++)
        if (hatched[c] == level + 1)
            return ON_WAITING;
        else if (hatched[c] == PITHI_HATCHED_ALL)
            return ON_LINES;
    return PLAIN;
}

/* Writes names into the bars of one level. `hatched` has the columns of this row, with values as in pithi_names_draw;
 * NULL: nothing is hatched. */
static void name_level(const struct pithi_plot *plot, const struct pithi_painter *painter, uint32_t row, uint32_t level,
                       const unsigned char *hatched)
{
    const struct pithi_cells *cells = &plot->lines[plot->cell_row[row]];
    const struct pithi_cell *line = pithi_cells_line(cells, 0, level);
    int covered = !plot->rows[row].band && level + 1 < cells->levels;
    double narrowest = NARROWEST * pithi_theme_scale();

    for (uint32_t c = 0, end; (c = next_wide(line, plot->width, c, (uint32_t)ceil(narrowest))) < plot->width; c = end) {
        struct pithi_bar_place bar;
        struct place place;
        end = c + 1;
        if (line[c].state == PITHI_NONE || !pithi_bar_at(plot, row, level, c, plot->width, &bar))
            continue;
        end = bar.end;
        if (end - c < narrowest)
            continue;
        /* Names stand beside the inner bars, or above them if the outer bar is high enough there. */
        place = widest_part(covered ? pithi_cells_line(cells, 0, level + 1) : NULL, c, end);
        place.y = bar.y;
        place.height = bar.height;
        if (covered) {
            double top, height;
            pithi_plot_row_bar(plot, row, level + 1, &top, &height);
            if (top - bar.y >= (TEXT + AROUND) * pithi_theme_scale()) /* above the inner bars */
                place = (struct place){.left = c, .right = end, .y = bar.y, .height = top - bar.y};
        }
        if (place.right - place.left < narrowest || place.height < (TEXT + AROUND) * pithi_theme_scale() - 1)
            continue;
        /* Finds the duration of the instance whose bar has the columns [c, end). A span only has the column where its
         * instance ends and the length of the instance. So an instance belongs to the bar if their ends and their
         * lengths, in columns, are nearly the same. */
        double column_ns = ((double)plot->t1_ns - (double)plot->t0_ns) / plot->width;

        place.length_ns = 0;
        for (uint32_t i = 0; i < cells->span_count; i++) {
            const struct pithi_cell_span *span = &cells->spans[i];
            double columns = (double)span->length_ns / column_ns;
            if (span->level == level && span->column + 1 >= end && span->column <= end + 1 && columns > end - c - 3.0 &&
                /* at the left edge an instance may have begun long before */
                (columns < end - c + 3.0 || !c)) {
                place.length_ns = span->length_ns;
                break;
            }
        }

        place.ground = ground_of(hatched, level, place.left, place.right);
        draw_name(plot, painter, row, line[c].state, &place);
    }
}

void pithi_names_draw(const struct pithi_plot *plot, const struct pithi_painter *painter, uint32_t from, uint32_t to,
                      const unsigned char *hatched)
{
    for (uint32_t row = from; row < to && plot->names && painter->text; row++) {
        uint32_t first, last;
        if (plot->cell_row[row] == PITHI_NONE || plot->rows[row].lane_count > 1)
            continue;
        pithi_plot_levels(plot, row, &first, &last);
        for (uint32_t level = first; level < last; level++) {
            double top, height;
            pithi_plot_row_bar(plot, row, level, &top, &height);
            /* inner levels are lower still */
            if (height < (TEXT + AROUND) * pithi_theme_scale() - 1)
                break;
            name_level(plot, painter, row, level, hatched ? hatched + (size_t)(row - from) * plot->width : NULL);
        }
    }
}
