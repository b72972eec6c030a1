/* matrix_draw.c - pictures of a matrix: tiles and their colours; see matrix.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/matrix.h"
#include "core/memory.h"
#include "core/palette.h"

/* What is there at all is seen: the scale begins here, not with the paper's colour. */
#define LEAST 0.15
/* And it ends before the colour of text, of 255. */
#define DARKEST 210
/* So many pixels a tile, at least: finer ones would not be seen, nor hit. */
enum { TILE_PIXELS = 2 };

/* ---- Tiles ------------------------------------------------------------------------------------------------------- */

uint32_t pithi_tile_begin(uint32_t i, uint32_t count, uint32_t size)
{
    return (uint32_t)((uint64_t)i * size / (count ? count : 1));
}

uint32_t pithi_tile_at(uint32_t pixel, uint32_t count, uint32_t size)
{
    uint32_t i = (uint32_t)((uint64_t)pixel * count / (size ? size : 1));

    while (i + 1 < count && pithi_tile_begin(i + 1, count, size) <= pixel)
        i++;
    return i;
}

/* The first rank of tile i; with count tiles for the ranks [first, end). */
static uint32_t rank_of(uint32_t i, uint32_t count, uint32_t first, uint32_t end)
{
    return first + pithi_tile_begin(i, count, end - first);
}

/* Of ranks and room for tiles; one at least. */
static uint32_t least(uint32_t ranks, uint32_t room)
{
    room = room ? room : 1;
    return ranks < room ? ranks : room;
}

static void prepare(struct pithi_tiles *tiles, const struct pithi_matrix_view *view)
{
    uint32_t lines = view->from1 - view->from0, columns = view->to1 - view->to0;

    pithi_tiles_free(tiles);
    tiles->lines = least(lines, view->height / TILE_PIXELS);
    tiles->columns = least(columns, view->width / TILE_PIXELS);
    tiles->tiles = pithi_alloc((size_t)tiles->lines * tiles->columns, sizeof *tiles->tiles);
    tiles->by_line = pithi_alloc(tiles->lines, sizeof *tiles->by_line);
    tiles->by_column = pithi_alloc(tiles->columns, sizeof *tiles->by_column);
    for (uint32_t l = 0; l < tiles->lines; l++)
        tiles->by_line[l].from = rank_of(l, tiles->lines, view->from0, view->from1);
    for (uint32_t c = 0; c < tiles->columns; c++)
        tiles->by_column[c].to = rank_of(c, tiles->columns, view->to0, view->to1);
    for (uint32_t l = 0; l < tiles->lines; l++)
        for (uint32_t c = 0; c < tiles->columns; c++) {
            tiles->tiles[(size_t)l * tiles->columns + c].from = tiles->by_line[l].from;
            tiles->tiles[(size_t)l * tiles->columns + c].to = tiles->by_column[c].to;
        }
}

static void find_range(struct pithi_tiles *tiles, enum pithi_matrix_value value)
{
    for (size_t i = 0; i < (size_t)tiles->lines * tiles->columns; i++) {
        double of_tile = pithi_pair_value(&tiles->tiles[i], value);
        if (of_tile > 0 && (tiles->low == 0 || of_tile < tiles->low))
            tiles->low = of_tile;
        if (of_tile > tiles->high)
            tiles->high = of_tile;
    }
}

void pithi_matrix_tiles(const struct pithi_matrix *matrix, const struct pithi_matrix_view *view,
                        struct pithi_tiles *tiles)
{
    prepare(tiles, view);
    for (uint32_t i = 0; i < matrix->pair_count; i++) {
        const struct pithi_pair *pair = &matrix->pairs[i];
        if (pair->from < view->from0 || pair->from >= view->from1 || pair->to < view->to0 || pair->to >= view->to1)
            continue;
        uint32_t line = pithi_tile_at(pair->from - view->from0, tiles->lines, view->from1 - view->from0);
        uint32_t column = pithi_tile_at(pair->to - view->to0, tiles->columns, view->to1 - view->to0);
        pithi_pair_add(&tiles->tiles[(size_t)line * tiles->columns + column], pair);
        pithi_pair_add(&tiles->by_line[line], pair);
        pithi_pair_add(&tiles->by_column[column], pair);
    }
    find_range(tiles, view->value);
}

void pithi_tiles_free(struct pithi_tiles *tiles)
{
    free(tiles->tiles);
    free(tiles->by_line);
    free(tiles->by_column);
    memset(tiles, 0, sizeof *tiles);
}

/* ---- Colours ----------------------------------------------------------------------------------------------------- */

/* From paper over the accent to the colour of text: lightness goes one way, in any theme and for any eye. */
static uint32_t ramp(double part)
{
    const struct pithi_theme *theme = pithi_theme();
    double bend = 0.65;

    part = LEAST + (1 - LEAST) * part;
    if (part < bend)
        return pithi_rgb_blend(theme->paper, theme->accent, (unsigned)(255 * part / bend));
    return pithi_rgb_blend(theme->accent, theme->text, (unsigned)(DARKEST * (part - bend) / (1 - bend)));
}

static double part_of(double value, const struct pithi_tiles *tiles, int logarithmic)
{
    if (tiles->high <= tiles->low)
        return 0.6; /* nothing is more than others */
    if (logarithmic)
        return log(value / tiles->low) / log(tiles->high / tiles->low);
    return value / tiles->high;
}

void pithi_matrix_draw(const struct pithi_tiles *tiles, const struct pithi_matrix_view *view,
                       const struct pithi_painter *painter)
{
    uint32_t gap = tiles->columns && tiles->lines && view->width / tiles->columns >= 6 &&
                   view->height / tiles->lines >= 6; /* a line between tiles that are large enough */

    for (uint32_t l = 0; l < tiles->lines; l++) {
        uint32_t y = pithi_tile_begin(l, tiles->lines, view->height);
        uint32_t height = pithi_tile_begin(l + 1, tiles->lines, view->height) - y - gap;
        for (uint32_t c = 0; c < tiles->columns; c++) {
            double value = pithi_pair_value(&tiles->tiles[(size_t)l * tiles->columns + c], view->value);
            uint32_t x = pithi_tile_begin(c, tiles->columns, view->width);
            if (value > 0)
                painter->rect(painter->context, x, y, pithi_tile_begin(c + 1, tiles->columns, view->width) - x - gap,
                              height, ramp(part_of(value, tiles, view->logarithmic)), 1);
        }
    }
}

void pithi_matrix_draw_scale(double width, double height, const struct pithi_painter *painter)
{
    for (double x = 0; x < width; x++)
        painter->rect(painter->context, x, 0, 1, height, ramp(width > 1 ? x / (width - 1) : 1), 1);
}
