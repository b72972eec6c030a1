/* matrix.c - adds up messages by pair of ranks, and draws the sums as tiles.
 *
 * 10,000 ranks have 1e8 pairs, but most programs use few of them: in a grid of 100 x 100 ranks with four neighbours,
 * 39,600. So pairs are in a hash table, and only pairs that exchanged a message have an entry. */
#include "core/measure/matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/cells/memory.h"
#include "core/measure/messages.h"
#include "core/raster/palette.h"

struct gathering {
    struct pithi_matrix *matrix;            /* being filled */
    const struct pithi_matrix_query *query; /* the caller's */
};

/* ---- Pairs ------------------------------------------------------------------------------------------------------- */

/* Returns the slot of a pair; if the pair has none, the free slot for the pair. */
static uint32_t *slot_of(const struct pithi_matrix *matrix, uint32_t from, uint32_t to)
{
    /* Fibonacci hashing: the product spreads similar keys over its upper bits; the table takes as many of these as it
     * needs. */
    uint64_t hash = ((uint64_t)from << 32 | to) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t i = (uint32_t)(hash >> 32) & (matrix->slot_count - 1);

    while (matrix->slots[i] &&
           (matrix->pairs[matrix->slots[i] - 1].from != from || matrix->pairs[matrix->slots[i] - 1].to != to))
        i = (i + 1) & (matrix->slot_count - 1);
    return &matrix->slots[i];
}

static struct pithi_pair *have_pair(struct pithi_matrix *matrix, uint32_t from, uint32_t to)
{
    uint32_t *slot;

    /* The table is at most half full, so that a search meets a free slot soon. */
    if (matrix->pair_count >= matrix->slot_count / 2) {
        free(matrix->slots);
        matrix->slot_count = matrix->slot_count ? matrix->slot_count * 2 : 256;
        matrix->slots = pithi_alloc(matrix->slot_count, sizeof *matrix->slots);
        for (uint32_t i = 0; i < matrix->pair_count; i++)
            *slot_of(matrix, matrix->pairs[i].from, matrix->pairs[i].to) = i + 1;
    }
    slot = slot_of(matrix, from, to);
    if (!*slot) {
        matrix->pairs =
            pithi_view_grow(matrix->pairs, &matrix->pair_capacity, matrix->pair_count + 1, sizeof *matrix->pairs);
        matrix->pairs[matrix->pair_count] = (struct pithi_pair){.from = from, .to = to};
        *slot = ++matrix->pair_count;
    }
    return &matrix->pairs[*slot - 1];
}

static int64_t lasted(const struct pithlog_message *message) { return message->recv_ns - message->send_ns; }

static void take_message(void *context, const struct pithlog_message *message)
{
    const struct gathering *gathering = context;
    struct pithi_matrix *matrix = gathering->matrix;
    struct pithi_pair *pair;

    if (gathering->query->comm != UINT32_MAX && gathering->query->comm != message->comm)
        return;
    /* Adds to the pair of ranks: threads of a rank count together. */
    pair = have_pair(matrix, matrix->place[message->send_lane], matrix->place[message->recv_lane]);
    if (!pair->count || lasted(message) > lasted(&pair->longest))
        pair->longest = *message;
    pair->count++;
    pair->bytes += message->bytes;
    pair->time_ns += lasted(message);
}

static void take_wait(void *context, const struct pithlog_wait *wait)
{
    const struct gathering *gathering = context;
    struct pithi_matrix *matrix = gathering->matrix;
    const struct pithlog_message *message = &wait->message;
    struct pithi_late_state *state = &matrix->states[wait->state];
    int64_t waited_ns = wait->to_ns - wait->from_ns;
    struct pithi_pair *pair;

    if (gathering->query->comm != UINT32_MAX && gathering->query->comm != message->comm)
        return;
    pair = have_pair(matrix, matrix->place[message->send_lane], matrix->place[message->recv_lane]);
    if (wait->kind == PITHLOG_LATE_SENDER) {
        pair->late_sender_ns += waited_ns;
        state->sender_count++;
        state->sender_ns += waited_ns;
    } else {
        pair->late_receiver_ns += waited_ns;
        state->receiver_count++;
        state->receiver_ns += waited_ns;
    }
}

static int progress(void *context, double part)
{
    const struct gathering *gathering = context;

    return !pithi_go_on(&gathering->query->watch, part);
}

int pithi_matrix_run(struct pithlog *log, const struct pithi_matrix_query *query, struct pithi_matrix *matrix)
{
    struct gathering gathering = {matrix, query};
    struct pithlog_waits_query waits = {query->t0_ns, query->t1_ns, query->digest, progress, &gathering};
    int err;

    memset(matrix, 0, sizeof *matrix);
    matrix->defs = pithlog_get_info(log)->defs;
    matrix->states = pithi_alloc(matrix->defs, sizeof *matrix->states);
    /* Numbers the ranks. Lanes are sorted by rank, so a rank is new if the lane before has another rank. */
    uint32_t lanes = pithlog_get_info(log)->lanes;
    matrix->place = pithi_alloc(lanes, sizeof *matrix->place);
    matrix->ranks = pithi_alloc(lanes, sizeof *matrix->ranks);
    for (uint32_t lane = 0; lane < lanes; lane++) {
        int32_t rank = pithlog_get_lane(log, lane)->rank;
        if (!matrix->rank_count || matrix->ranks[matrix->rank_count - 1] != rank)
            matrix->ranks[matrix->rank_count++] = rank;
        matrix->place[lane] = matrix->rank_count - 1;
    }
    err = pithi_messages_each(log, query->digest, query->t0_ns, query->t1_ns, &query->watch, take_message, &gathering);
    if (!query->late || (err && err != PITH_ERR_DAMAGED))
        return err;
    int waits_err = pithlog_waits(log, &waits, take_wait, &gathering);
    return waits_err && waits_err != PITH_ERR_STOPPED ? waits_err : err;
}

void pithi_matrix_add_waits(struct pithi_matrix *matrix, const struct pithlog *log,
                            const struct pithlog_analysis *analysis, int64_t t0_ns, int64_t t1_ns)
{
    const struct pithlog_wait_state *waits;

    for (uint32_t lane = 0; lane < pithlog_get_info(log)->lanes; lane++) {
        size_t count = pithlog_analysis_waits(analysis, lane, &waits);
        for (size_t i = 0; i < count; i++) {
            int64_t from_ns = waits[i].from_ns > t0_ns ? waits[i].from_ns : t0_ns;
            int64_t to_ns = waits[i].to_ns < t1_ns ? waits[i].to_ns : t1_ns;
            if (from_ns < to_ns)
                have_pair(matrix, matrix->place[waits[i].cause_lane], matrix->place[lane])->waiting_ns +=
                    to_ns - from_ns;
        }
    }
}

void pithi_matrix_free(struct pithi_matrix *matrix)
{
    free(matrix->ranks);
    free(matrix->place);
    free(matrix->pairs);
    free(matrix->slots);
    free(matrix->states);
    memset(matrix, 0, sizeof *matrix);
}

/* ---- Values ------------------------------------------------------------------------------------------------------ */

double pithi_pair_value(const struct pithi_pair *pair, enum pithi_matrix_value value)
{
    switch (value) {
    case PITHI_MATRIX_COUNT:
        return (double)pair->count;
    case PITHI_MATRIX_BYTES:
        return (double)pair->bytes;
    case PITHI_MATRIX_TIME:
        return (double)pair->time_ns;
    case PITHI_MATRIX_BANDWIDTH:
        return pair->time_ns > 0 ? (double)pair->bytes * 1e9 / (double)pair->time_ns : 0;
    case PITHI_MATRIX_LATE_SENDER:
        return (double)pair->late_sender_ns;
    case PITHI_MATRIX_LATE_RECEIVER:
        return (double)pair->late_receiver_ns;
    case PITHI_MATRIX_WAITING:
        return (double)pair->waiting_ns;
    }
    return 0;
}

void pithi_pair_add(struct pithi_pair *sum, const struct pithi_pair *pair)
{
    if (!sum->count || pair->longest.recv_ns - pair->longest.send_ns > sum->longest.recv_ns - sum->longest.send_ns)
        sum->longest = pair->longest;
    sum->count += pair->count;
    sum->bytes += pair->bytes;
    sum->time_ns += pair->time_ns;
    sum->late_sender_ns += pair->late_sender_ns;
    sum->late_receiver_ns += pair->late_receiver_ns;
    sum->waiting_ns += pair->waiting_ns;
}

/* ---- Drawing ----------------------------------------------------------------------------------------------------- */

/* The first colour of the scale is at this fraction of the way from the paper's colour to the last colour of the scale,
 * so that small values are visible. */
#define LEAST 0.15
/* The scale ends at this fraction, in 255ths, of the way from the accent to the colour of text. */
#define DARKEST 210
/* The least size of a tile in pixels, so that it can be seen and hit. */
enum { TILE_PIXELS = 2 };

/* ---- Tiles ------------------------------------------------------------------------------------------------------- */

uint32_t pithi_tile_begin(uint32_t i, uint32_t count, uint32_t size)
{
    /* Tiles of nearly equal size: 10 ranks in 4 tiles begin at 0, 2, 5 and 7. */
    return (uint32_t)((uint64_t)i * size / (count ? count : 1));
}

uint32_t pithi_tile_at(uint32_t pixel, uint32_t count, uint32_t size)
{
    /* The inverse of pithi_tile_begin. Rounding may make the quotient one too small: with 10 ranks in 4 tiles, rank 2
     * gives 2 * 4 / 10 = 0, but tile 1 begins at 2. */
    uint32_t i = (uint32_t)((uint64_t)pixel * count / (size ? size : 1));

    while (i + 1 < count && pithi_tile_begin(i + 1, count, size) <= pixel)
        i++;
    return i;
}

/* Returns the first rank of tile i, if `count` tiles show the ranks [first, end). */
static uint32_t rank_of(uint32_t i, uint32_t count, uint32_t first, uint32_t end)
{
    return first + pithi_tile_begin(i, count, end - first);
}

/* Returns the number of tiles for `ranks` ranks: one for each rank, but at most `room`, or 1 if `room` is 0. */
static uint32_t least(uint32_t ranks, uint32_t room)
{
    room = room ? room : 1;
    return ranks < room ? ranks : room;
}

void pithi_matrix_tiles(const struct pithi_matrix *matrix, const struct pithi_matrix_view *view,
                        struct pithi_tiles *tiles)
{
    /* At most one tile for TILE_PIXELS pixels; each tile stores its first rank on either side. */
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
    /* The scale begins at the least value that is not zero, because pairs without messages are not drawn at all. */
    for (size_t i = 0; i < (size_t)tiles->lines * tiles->columns; i++) {
        double of_tile = pithi_pair_value(&tiles->tiles[i], view->value);
        if (of_tile > 0 && (tiles->low == 0 || of_tile < tiles->low))
            tiles->low = of_tile;
        if (of_tile > tiles->high)
            tiles->high = of_tile;
    }
    /* The scale covers at least a factor of ten, so that values that differ little look alike. */
    if (tiles->low < tiles->high && tiles->low > tiles->high / 10)
        tiles->low = tiles->high / 10;
}

void pithi_tiles_free(struct pithi_tiles *tiles)
{
    free(tiles->tiles);
    free(tiles->by_line);
    free(tiles->by_column);
    memset(tiles, 0, sizeof *tiles);
}

/* ---- Colours ----------------------------------------------------------------------------------------------------- */

/* The scale of colours goes from the paper's colour through the accent to the colour of text. Lightness changes in one
 * direction, so that the scale is readable in any theme and by colour-blind users. */
uint32_t pithi_heat_colour(double part)
{
    const struct pithi_theme *theme = pithi_theme();
    double bend = 0.65;

    /* The least value gets a colour 15 % of the way along, because its tile must differ from the paper. */
    part = LEAST + (1 - LEAST) * part;
    if (part < bend)
        return pithi_rgb_blend(theme->paper, theme->accent, (unsigned)(255 * part / bend));
    return pithi_rgb_blend(theme->accent, theme->text, (unsigned)(DARKEST * (part - bend) / (1 - bend)));
}

static double part_of(double value, const struct pithi_tiles *tiles, int logarithmic)
{
    if (tiles->high <= tiles->low)
        return 0.6; /* all values are equal */
    /* Logarithmic: on a scale from 1 to 1000, the value 10 is at a third. Linear scales begin at 0. */
    if (logarithmic)
        return log(value / tiles->low) / log(tiles->high / tiles->low);
    return value / tiles->high;
}

void pithi_matrix_draw(const struct pithi_tiles *tiles, const struct pithi_matrix_view *view,
                       const struct pithi_painter *painter)
{
    uint32_t gap = tiles->columns && tiles->lines && view->width / tiles->columns >= 6 &&
                   view->height / tiles->lines >= 6; /* 1: tiles are large enough for a line between them */

    for (uint32_t l = 0; l < tiles->lines; l++) {
        uint32_t y = pithi_tile_begin(l, tiles->lines, view->height);
        uint32_t height = pithi_tile_begin(l + 1, tiles->lines, view->height) - y - gap;
        for (uint32_t c = 0; c < tiles->columns; c++) {
            double value = pithi_pair_value(&tiles->tiles[(size_t)l * tiles->columns + c], view->value);
            uint32_t x = pithi_tile_begin(c, tiles->columns, view->width);
            if (value > 0)
                painter->rect(painter->context, x, y, pithi_tile_begin(c + 1, tiles->columns, view->width) - x - gap,
                              height, pithi_heat_colour(part_of(value, tiles, view->logarithmic)), 1);
        }
    }
}

void pithi_matrix_draw_scale(double width, double height, const struct pithi_painter *painter)
{
    for (double x = 0; x < width; x++)
        painter->rect(painter->context, x, 0, 1, height, pithi_heat_colour(width > 1 ? x / (width - 1) : 1), 1);
}
