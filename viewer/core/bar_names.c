/* bar_names.c - names and durations inside bars. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/axis.h"
#include "core/legend.h"
#include "core/plot.h"
#include "core/theme.h"

/* Pixels at a scale of 1: the size of the text, the room that a bar needs around it, the narrowest bar considered. */
enum { TEXT = 10, AROUND = 2, BESIDE = 4, NARROWEST = 16 };
/* Fewer letters of a name say nothing. */
enum { LEAST_LETTERS = 3 };

/* What all functions of MPI begin with, which says least. */
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
        /* The first guess is by the mean width of a letter. */
        size_t guess = (size_t)((double)keep * room / width);
        keep = guess < keep - 1 ? guess + 1 : keep - 1;
        while (keep && ((unsigned char)text[keep] & 0xc0) == 0x80)
            keep--;
        if (keep < LEAST_LETTERS)
            return 0;
        strcpy(text + keep, "\u2026");
        width = painter->text_width(painter->context, font, text);
    }
    return width > room ? 0 : width;
}

/* The duration of the instance whose bar has the columns [from, to); 0: it is not known. */
static int64_t length_of(const struct pithi_plot *plot, const struct pithi_cells *cells, uint32_t level, uint32_t from,
                         uint32_t to)
{
    double column_ns = ((double)plot->t1_ns - (double)plot->t0_ns) / plot->width;

    for (uint32_t i = 0; i < cells->span_count; i++) {
        const struct pithi_cell_span *span = &cells->spans[i];
        double columns = (double)span->length_ns / column_ns;
        if (span->level == level && span->column + 1 >= to && span->column <= to + 1 && columns > to - from - 3.0 &&
            (columns < to - from + 3.0 || !from))
            return span->length_ns;
    }
    return 0;
}

struct place {
    uint32_t left, right; /* columns */
    int hatched;
    double y, height;
    int64_t length_ns;
};

static void draw_name(const struct pithi_plot *plot, const struct pithi_painter *painter, uint32_t row, uint32_t state,
                      const struct place *place)
{
    double scale = pithi_theme_scale(), beside = floor(BESIDE * scale), width;
    double room = place->right - place->left - 2 * beside, x = plot->x + place->left + beside;
    double y = place->y + floor((place->height + TEXT * scale * 0.72) / 2 + 0.5);
    struct pithi_font font = {.size = TEXT * scale};
    char name[256], length[64];

    pithi_def_label(pithi_plot_log(plot, row), state, name, sizeof name - 4);
    width = fit(painter, font, name, room);
    if (width <= 0)
        return;
    font.rimmed = place->hatched;
    font.rim = pithi_plot_rgb(plot, row)[state];
    uint32_t rgb = pithi_rgb_text_on(font.rim);
    painter->text(painter->context, x, y, PITHI_LEFT, font, rgb, name);
    if (!place->length_ns)
        return;
    pithi_duration_text(place->length_ns, length, sizeof length);
    if (width + 2 * beside + painter->text_width(painter->context, font, length) <= room)
        painter->text(painter->context, x + width + 2 * beside, y, PITHI_LEFT, font, rgb, length);
}

/* The widest part of the columns [from, to) in which the inner level is empty; `inner` NULL: there is none. */
static struct place widest_part(const struct pithi_cell *inner, uint32_t from, uint32_t to)
{
    struct place widest = {.left = from, .right = inner ? from : to};

    for (uint32_t c = from, end; inner && c < to; c = end + 1) {
        for (end = c; end < to && inner[end].state == PITHI_NONE;)
            end++;
        if (end - c > widest.right - widest.left)
            widest = (struct place){.left = c, .right = end};
    }
    return widest;
}

/* The first column from `c` on where a bar of `least` columns can begin. Such a bar also covers column c + least - 1.
 * If that column has another state, the next bar of this width begins where the other state begins, or later. */
static uint32_t next_wide(const struct pithi_cell *line, uint32_t width, uint32_t c, uint32_t least)
{
    while (c + least <= width && line[c + least - 1].state != line[c].state)
        for (c += least - 1; line[c - 1].state == line[c].state;)
            c--;
    return c + least <= width ? c : width;
}

static int is_hatched(const unsigned char *hatched, uint32_t level, uint32_t from, uint32_t to)
{
    for (uint32_t c = from; hatched && c < to; c++)
        if (hatched[c] == level + 1 || hatched[c] == PITHI_HATCHED_ALL)
            return 1;
    return 0;
}

/* `hatched`: the columns of this row; NULL: none is. */
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
        place.length_ns = length_of(plot, cells, level, c, end);
        place.hatched = is_hatched(hatched, level, place.left, place.right);
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
            if (height < (TEXT + AROUND) * pithi_theme_scale() - 1)
                break;
            name_level(plot, painter, row, level, hatched ? hatched + (size_t)(row - from) * plot->width : NULL);
        }
    }
}
