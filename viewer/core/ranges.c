/* ranges.c - counting lanes by state and column; see ranges.h. Drawing is layers.c's.
 *
 * Times inside are relative to t0 and shifted left so that a column is at least 16 units wide, as in sweep.c: sums are
 * exact integers at any zoom. */
#include "core/ranges.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/query.h"

/* Records are read in helpings of so many, and after each it is asked whether to go on. */
enum { HELPING = 4096 };
/* Pieces of so many columns' length will do for a first picture. */
enum { QUICK_COLUMNS = 2 };

struct pithi_ranges {
    struct pithlog *log;
    struct pithi_ranges_query query; /* with copies of what it points to */
    uint32_t *lanes;
    unsigned char *hidden;
    uint32_t defs;
    unsigned shift;
    uint64_t end;     /* of the window */
    uint64_t *bounds; /* [width + 1] where columns begin */
    uint32_t *layer;  /* [defs] where its times are, or PITHI_NONE: not in the window */
    uint32_t *states; /* [count] and back */
    uint64_t **times; /* [count][width] */
    uint32_t count, state_capacity, time_capacity;
};

struct pithi_ranges *pithi_ranges_new(struct pithlog *log, const struct pithi_ranges_query *query)
{
    uint32_t defs = pithlog_get_info(log)->defs;
    struct pithi_ranges *ranges;
    uint64_t span = (uint64_t)query->t1_ns - (uint64_t)query->t0_ns;

    if (query->t0_ns >= query->t1_ns || !query->width || query->width > PITHI_MAX_WIDTH)
        return NULL;
    ranges = pithi_alloc(1, sizeof *ranges);
    ranges->log = log;
    ranges->query = *query;
    ranges->lanes = pithi_alloc(query->lane_count, sizeof *ranges->lanes);
    if (query->lane_count)
        memcpy(ranges->lanes, query->lanes, query->lane_count * sizeof *ranges->lanes);
    ranges->hidden = pithi_alloc(defs, 1);
    if (query->hidden)
        memcpy(ranges->hidden, query->hidden, defs);
    ranges->query.lanes = ranges->lanes;
    ranges->query.hidden = ranges->hidden;
    ranges->defs = defs;
    while (span << ranges->shift < (uint64_t)query->width * 16)
        ranges->shift++;
    ranges->end = span << ranges->shift;
    ranges->bounds = pithi_alloc((size_t)query->width + 1, sizeof *ranges->bounds);
    for (uint32_t c = 0; c <= query->width; c++)
        ranges->bounds[c] = (uint64_t)((unsigned __int128)ranges->end * c / query->width);
    ranges->layer = pithi_alloc(defs, sizeof *ranges->layer);
    memset(ranges->layer, 0xff, defs * sizeof *ranges->layer);
    return ranges;
}

void pithi_ranges_free(struct pithi_ranges *ranges)
{
    if (!ranges)
        return;
    for (uint32_t i = 0; i < ranges->count; i++)
        free(ranges->times[i]);
    free(ranges->times);
    free(ranges->states);
    free(ranges->lanes);
    free(ranges->hidden);
    free(ranges->bounds);
    free(ranges->layer);
    free(ranges);
}

/* The columns of a state; those of one that was not seen before are made. */
static uint64_t *times_of(struct pithi_ranges *ranges, uint32_t state)
{
    uint32_t layer = ranges->layer[state];

    if (layer != PITHI_NONE)
        return ranges->times[layer];
    layer = ranges->count++;
    ranges->layer[state] = layer;
    ranges->states = pithi_grow(ranges->states, &ranges->state_capacity, layer + 1, sizeof *ranges->states);
    ranges->times = pithi_grow(ranges->times, &ranges->time_capacity, layer + 1, sizeof *ranges->times);
    ranges->states[layer] = state;
    ranges->times[layer] = pithi_alloc(ranges->query.width, sizeof **ranges->times);
    return ranges->times[layer];
}

/* ---- Walking along a lane ---------------------------------------------------------------------------------------- */

struct walk {
    struct pithi_ranges *ranges;
    uint64_t now;
    uint32_t column; /* that `now` lies in */
    uint32_t *stack; /* states open, outermost first */
    uint32_t depth, capacity;
    uint32_t shown; /* of these the one that counts, or PITHI_NONE */
};

static uint64_t to_units(const struct pithi_ranges *ranges, int64_t time_ns)
{
    if (time_ns <= ranges->query.t0_ns)
        return 0;
    if (time_ns >= ranges->query.t1_ns)
        return ranges->end;
    return ((uint64_t)time_ns - (uint64_t)ranges->query.t0_ns) << ranges->shift;
}

/* From now to `until` the lane is in a state. */
static void advance(struct walk *walk, uint64_t until, uint32_t state)
{
    const uint64_t *bounds = walk->ranges->bounds;
    uint64_t *times = state != PITHI_NONE && until > walk->now ? times_of(walk->ranges, state) : NULL;

    while (walk->now < until) {
        uint64_t next = bounds[walk->column + 1], stop = next < until ? next : until;
        if (times)
            times[walk->column] += stop - walk->now;
        walk->now = stop;
        walk->column += stop == next;
    }
}

static uint32_t shown_state(const struct walk *walk)
{
    int outermost = walk->ranges->query.depth == PITHI_OUTERMOST;

    for (uint32_t i = 0; i < walk->depth; i++) {
        uint32_t state = walk->stack[outermost ? i : walk->depth - 1 - i];
        if (!walk->ranges->hidden[state])
            return state;
    }
    return PITHI_NONE;
}

static void enter(struct walk *walk, uint32_t id)
{
    walk->stack = pithi_grow(walk->stack, &walk->capacity, walk->depth + 1, sizeof *walk->stack);
    walk->stack[walk->depth++] = id;
    if (!walk->ranges->hidden[id] && (walk->ranges->query.depth == PITHI_INNERMOST || walk->shown == PITHI_NONE))
        walk->shown = id;
}

/* The innermost state of that name ends. */
static void leave(struct walk *walk, uint32_t id)
{
    uint32_t i = walk->depth;

    while (i > 0 && walk->stack[i - 1] != id)
        i--;
    if (!i)
        return;
    memmove(walk->stack + i - 1, walk->stack + i, (walk->depth - i) * sizeof *walk->stack);
    walk->depth--;
    if (id == walk->shown)
        walk->shown = shown_state(walk);
}

static void take_record(struct walk *walk, const struct pithlog_record *record)
{
    if (record->id >= walk->ranges->defs)
        return;
    advance(walk, to_units(walk->ranges, record->time_ns), walk->shown);
    if (record->kind == PITHLOG_LEAVE)
        leave(walk, record->id);
    else if (record->time_ns < walk->ranges->query.t1_ns)
        enter(walk, record->id);
}

static int may_go_on(const struct walk *walk, const struct pithi_ranges_watch *watch, uint32_t lane)
{
    double part = (double)walk->now / (double)walk->ranges->end;
    return !watch || watch->go_on(watch->context, (lane + part) / walk->ranges->query.lane_count);
}

static int walk_lane(struct walk *walk, uint32_t lane, const struct pithi_ranges_watch *watch)
{
    static const uint32_t kinds = 1u << PITHLOG_ENTER | 1u << PITHLOG_LEAVE;
    struct pithi_ranges *ranges = walk->ranges;
    struct pithlog_query records = {.from_ns = ranges->query.t0_ns,
                                    .to_ns = ranges->query.t1_ns,
                                    .lanes = &ranges->lanes[lane],
                                    .lane_count = 1,
                                    .kinds = kinds,
                                    .flags = PITHLOG_NEST | PITHLOG_CLIP};
    struct pithlog_record *helping = pithi_alloc(HELPING, sizeof *helping);
    struct pithlog_iter *iter;
    int count, damages = 0, err = pithlog_iter_open(ranges->log, &records, &iter);

    while (!err && (count = pithlog_iter_next_many(iter, helping, HELPING)) != 0 && damages < PITHI_MOST_DAMAGES) {
        damages += count < 0; /* it goes on behind the damage */
        for (int i = 0; i < count; i++)
            take_record(walk, &helping[i]);
        if (!may_go_on(walk, watch, lane))
            break;
    }
    if (!err)
        pithlog_iter_close(iter);
    free(helping);
    return err ? err : damages ? PITH_ERR_DAMAGED : PITH_OK;
}

int pithi_ranges_load(struct pithi_ranges *ranges, const struct pithi_ranges_watch *watch)
{
    struct walk walk = {.ranges = ranges};
    int err = PITH_OK;

    for (uint32_t lane = 0; lane < ranges->query.lane_count; lane++) {
        int lane_err;
        walk.now = walk.column = walk.depth = 0;
        walk.shown = PITHI_NONE;
        lane_err = walk_lane(&walk, lane, watch);
        err = err ? err : lane_err;
        if (!may_go_on(&walk, watch, lane))
            break;
    }
    free(walk.stack);
    return err;
}

/* ---- By pieces --------------------------------------------------------------------------------------------------- */

struct pieces {
    struct pithi_ranges *ranges;
    uint32_t column; /* that the last piece ended in */
    uint32_t *shown; /* [paths] the state of each path that counts, or PITHI_NONE */
    uint32_t capacity;
};

static void know_paths(struct pieces *pieces, const struct pithlog_path *paths, uint32_t count)
{
    const struct pithi_ranges *ranges = pieces->ranges;

    pieces->shown = pithi_grow(pieces->shown, &pieces->capacity, count, sizeof *pieces->shown);
    for (uint32_t p = 0; p < count; p++) {
        uint32_t around = p ? pieces->shown[paths[p].parent] : PITHI_NONE, state = paths[p].state;
        int there = p && state < ranges->defs && !ranges->hidden[state];
        pieces->shown[p] = there && (ranges->query.depth == PITHI_INNERMOST || around == PITHI_NONE) ? state : around;
    }
}

/* A part of a piece's time, in proportion over the columns that it lies in. */
static void spread(struct pieces *pieces, uint32_t state, uint64_t from, uint64_t to, double part)
{
    const uint64_t *bounds = pieces->ranges->bounds;
    uint64_t *times = times_of(pieces->ranges, state);

    for (uint32_t c = pieces->column; from < to; c++) {
        uint64_t stop = bounds[c + 1] < to ? bounds[c + 1] : to;
        times[c] += (uint64_t)((double)(stop - from) * part);
        from = stop;
    }
}

/* What its paths do not have goes to them in proportion. */
static void take_piece(void *context, const struct pithlog_piece *piece)
{
    struct pieces *pieces = context;
    const struct pithi_ranges *ranges = pieces->ranges;
    uint64_t from = to_units(ranges, piece->start_ns), to = to_units(ranges, piece->end_ns);
    unsigned named = 0;

    if (from >= to)
        return;
    while (ranges->bounds[pieces->column + 1] <= from)
        pieces->column++;
    for (int i = 0; i < PITHLOG_PIECE_PATHS && piece->share[i]; i++)
        named += piece->share[i];
    for (int i = 0; i < PITHLOG_PIECE_PATHS && piece->share[i]; i++)
        if (pieces->shown[piece->path[i]] != PITHI_NONE)
            spread(pieces, pieces->shown[piece->path[i]], from, to, (double)piece->share[i] / named);
}

int pithi_ranges_quick(struct pithi_ranges *ranges, struct pithlog_summary *summary)
{
    const struct pithi_ranges_query *query = &ranges->query;
    int64_t length_ns = (query->t1_ns - query->t0_ns) / query->width * QUICK_COLUMNS;
    struct pieces pieces = {.ranges = ranges};
    int err = PITH_OK;

    for (uint32_t i = 0; i < query->lane_count && !err; i++) {
        uint32_t count;
        const struct pithlog_path *paths = pithlog_summary_paths(summary, ranges->lanes[i], &count);
        if (!paths)
            continue;
        know_paths(&pieces, paths, count);
        pieces.column = 0;
        err = pithlog_summary_pieces(summary, ranges->lanes[i], query->t0_ns, query->t1_ns, length_ns, take_piece,
                                     &pieces);
    }
    free(pieces.shown);
    return err;
}

/* ---- Asking ------------------------------------------------------------------------------------------------------ */

uint32_t pithi_ranges_lanes(const struct pithi_ranges *ranges) { return ranges->query.lane_count; }
uint32_t pithi_ranges_width(const struct pithi_ranges *ranges) { return ranges->query.width; }

uint32_t pithi_ranges_states(const struct pithi_ranges *ranges, const uint32_t **states)
{
    *states = ranges->states;
    return ranges->count;
}

double pithi_ranges_value(const struct pithi_ranges *ranges, uint32_t state, uint32_t column)
{
    if (state >= ranges->defs || ranges->layer[state] == PITHI_NONE || column >= ranges->query.width)
        return 0;
    return (double)ranges->times[ranges->layer[state]][column] /
           (double)(ranges->bounds[column + 1] - ranges->bounds[column]);
}

int64_t pithi_ranges_time(const struct pithi_ranges *ranges, uint32_t state)
{
    uint64_t units = 0;

    if (state >= ranges->defs || ranges->layer[state] == PITHI_NONE)
        return 0;
    for (uint32_t c = 0; c < ranges->query.width; c++)
        units += ranges->times[ranges->layer[state]][c];
    return (int64_t)(units >> ranges->shift);
}
