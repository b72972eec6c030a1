/* ranges.c - counts lanes by state and column, and draws the counts, stacked.
 *
 * Internal times are relative to t0 and shifted left, so that a column is at least 16 units wide, as in sweep.c: sums
 * are exact integers at any zoom.
 *
 *     a window of 100 ns in 64 columns: 100 << 4 is 1,600 units, 25 a column (<< 3 would give 12.5)
 *
 * Two functions count. pithi_ranges_load walks along each lane and is exact. pithi_ranges_quick uses the pieces of the
 * summary and is ready at once; time for which the pieces name no state is estimated (below). So a rough picture
 * appears first, and is replaced when the exact picture is ready. */
#include "core/measure/ranges.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/wide.h"
#include "core/cells/memory.h"
#include "core/raster/palette.h"
#include "core/cells/query.h"

/* How many intervals are read before the caller is asked again whether to stop (struct pithi_watch). */
enum { HELPING = 4096 };
/* In an estimate (pithi_ranges_quick), a piece may be as long as this number of columns. */
enum { QUICK_COLUMNS = 3 };
/* Time for which a piece names no state is distributed over the states in proportion to their shares in
 * SAMPLED_RECORDS records at each of SAMPLES times. */
enum { SAMPLES = 16, SAMPLED_RECORDS = 2000 };

struct pieces;

struct pithi_ranges {
    struct pithlog *log;             /* not owned */
    struct pithi_ranges_query query; /* with copies of the arrays */
    uint32_t *lanes;                 /* the query's lanes, copied */
    unsigned char *hidden;
    uint32_t defs;
    unsigned shift;   /* internal units are ns << shift */
    uint64_t end;     /* end of the window, in internal units */
    uint64_t *bounds; /* [width + 1] where columns begin, in internal units */
    /* [defs] index of a state in `times`; PITHI_NONE: not in the window */
    uint32_t *layer;
    uint32_t *states;                              /* [count] the definition of each index of `times` */
    uint64_t **times;                              /* [count][width] */
    uint32_t count, state_capacity, time_capacity; /* states that occur; room of `states`; room of `times` */
    struct pieces *pieces;                         /* used by pithi_ranges_quick */
    uint32_t quick_lanes;                          /* number of lanes that are finished */
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
    uint64_t rest;
    for (uint32_t c = 0; c <= query->width; c++)
        ranges->bounds[c] = pithi_mul_div(ranges->end, c, query->width, &rest);
    ranges->layer = pithi_alloc(defs, sizeof *ranges->layer);
    memset(ranges->layer, 0xff, defs * sizeof *ranges->layer);
    return ranges;
}

/* Returns the columns of a state; creates them for a new state. */
static uint64_t *times_of(struct pithi_ranges *ranges, uint32_t state)
{
    uint32_t layer = ranges->layer[state];

    if (layer != PITHI_NONE)
        return ranges->times[layer];
    layer = ranges->count++;
    ranges->layer[state] = layer;
    ranges->states = pithi_view_grow(ranges->states, &ranges->state_capacity, layer + 1, sizeof *ranges->states);
    ranges->times = pithi_view_grow(ranges->times, &ranges->time_capacity, layer + 1, sizeof *ranges->times);
    ranges->states[layer] = state;
    ranges->times[layer] = pithi_alloc(ranges->query.width, sizeof **ranges->times);
    return ranges->times[layer];
}

static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- Walking along a lane ---------------------------------------------------------------------------------------- */

struct walk {
    struct pithi_ranges *ranges; /* gets the sums */
    uint64_t now;                /* in internal units */
    uint32_t column;             /* the column of `now` */
};

static uint64_t to_units(const struct pithi_ranges *ranges, int64_t time_ns)
{
    if (time_ns <= ranges->query.t0_ns)
        return 0;
    if (time_ns >= ranges->query.t1_ns)
        return ranges->end;
    return ((uint64_t)time_ns - (uint64_t)ranges->query.t0_ns) << ranges->shift;
}

/* Adds the time from now to `until` to a state. */
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

/* Returns the open state that counts in the interval of a step, or PITHI_NONE. */
static uint32_t shown_state(const struct pithi_ranges *ranges, const struct pithlog_step *step)
{
    int outermost = ranges->query.depth == PITHI_OUTERMOST;

    for (uint32_t i = 0; i < step->depth && step->is != PITHLOG_IS_HOLE; i++) {
        uint32_t state = step->open[outermost ? i : step->depth - 1 - i].id;
        if (!ranges->hidden[state])
            return state;
    }
    return PITHI_NONE;
}

static int may_go_on(const struct walk *walk, const struct pithi_watch *watch, uint32_t lane)
{
    double part = (double)walk->now / (double)walk->ranges->end;
    return !watch || pithi_go_on(watch, (lane + part) / walk->ranges->query.lane_count);
}

int pithi_ranges_load(struct pithi_ranges *ranges, const struct pithi_watch *watch)
{
    struct walk walk = {.ranges = ranges};
    int err = PITH_OK;

    for (uint32_t lane = 0; lane < ranges->query.lane_count; lane++) {
        walk.now = walk.column = 0;
        struct pithlog_query query = {.from_ns = ranges->query.t0_ns,
                                      .to_ns = ranges->query.t1_ns,
                                      .lanes = &ranges->lanes[lane],
                                      .lane_count = 1};
        struct pithlog_walk *walked;
        struct pithlog_step step;
        int status, damages = 0, lane_err = pithlog_walk_open(ranges->log, &query, &walked);
        uint32_t steps = 0;
        while (!lane_err && (status = pithlog_walk_next(walked, &step)) != 0 && damages < PITHI_MOST_DAMAGES) {
            damages += status < 0; /* reading continues after the damage */
            if (status > 0) {
                advance(&walk, to_units(ranges, step.from_ns), PITHI_NONE); /* moves to the begin of the interval */
                advance(&walk, to_units(ranges, step.to_ns), shown_state(ranges, &step));
            }
            if (++steps % HELPING == 0 && !may_go_on(&walk, watch, lane))
                break;
        }
        if (!lane_err)
            pithlog_walk_close(walked);
        lane_err = lane_err ? lane_err : damages ? PITH_ERR_DAMAGED : PITH_OK;
        err = err ? err : lane_err;
        if (!may_go_on(&walk, watch, lane))
            break;
    }
    return err;
}

/* ---- From pieces of a summary ------------------------------------------------------------------------------------
 *
 * A piece names the states that take most of its time. For the rest of its time the state is not known. This rest is
 * divided among the other states by their weights, which are their shares of the time in some sampled records. Worked
 * example: A has weight 0.5, B 0.3, C 0.2. A piece of 100 ns names A with 60 ns, and 40 ns are left: B gets 40 * 0.3 /
 * (1 - 0.5) = 24, C 16. To do this in few steps, `spare` sums 40 / (1 - 0.5) = 80 over the pieces of a column. At the
 * end each state gets its weight times `spare`. A state that the piece names must not get this share, so its weight
 * times 80 is subtracted at once. */

struct pieces {
    struct pithi_ranges *ranges;      /* gets the estimates */
    uint32_t column;                  /* the column in which the last piece ended */
    const struct pithlog_path *paths; /* of the lane */
    double *weight;                   /* [defs] */
    double idle;                      /* weight of the time outside all states */
    uint64_t *spare;                  /* [width] */
};

/* Reads some records of a lane near a time and adds the time of each state to the weights. Returns the total. */
static double sample(struct pieces *pieces, uint32_t lane, int64_t about_ns)
{
    const struct pithi_ranges *ranges = pieces->ranges;
    const struct pithlog_lane *described = pithlog_get_lane(ranges->log, lane);
    struct pithi_ranges_query query = ranges->query;
    double span = (double)described->last_ns - (double)described->first_ns;
    struct pithi_ranges *some;

    if (!described->records || span <= 0)
        return 0;
    query.t0_ns = about_ns;
    query.t1_ns = about_ns + (int64_t)(span / (double)described->records * SAMPLED_RECORDS) + 1;
    query.width = 1;
    query.lanes = &lane;
    query.lane_count = 1;
    some = pithi_ranges_new(ranges->log, &query);
    pithi_ranges_load(some, NULL);
    for (uint32_t i = 0; i < some->count; i++)
        pieces->weight[some->states[i]] += (double)some->times[i][0] / (double)some->end;
    pithi_ranges_free(some);
    return 1;
}

/* Adds the fraction `part` of the time of [from, to) to the columns of this interval. */
static void spread(const struct pieces *pieces, uint64_t *times, uint64_t from, uint64_t to, double part)
{
    const uint64_t *bounds = pieces->ranges->bounds;

    for (uint32_t c = pieces->column; from < to; c++) {
        uint64_t stop = bounds[c + 1] < to ? bounds[c + 1] : to;
        times[c] += (uint64_t)(int64_t)((double)(stop - from) * part); /* may be negative until spare time is added */
        from = stop;
    }
}

static void take_piece(void *context, const struct pithlog_piece *piece)
{
    struct pieces *pieces = context;
    struct pithi_ranges *ranges = pieces->ranges;
    uint64_t from = to_units(ranges, piece->start_ns), to = to_units(ranges, piece->end_ns);
    double named = 0, others = 1, spare = 0, scale = 1;
    uint32_t states[PITHLOG_PIECE_PATHS];
    int count = 0;

    if (from >= to)
        return;
    while (ranges->bounds[pieces->column + 1] <= from)
        pieces->column++;
    for (; count < PITHLOG_PIECE_PATHS && piece->share[count]; count++) {
        /* Finds the state for which a path counts, or PITHI_NONE. */
        uint32_t found = PITHI_NONE;
        for (uint32_t p = piece->path[count]; p; p = pieces->paths[p].parent) {
            uint32_t state = pieces->paths[p].state;
            if (state < ranges->defs && !ranges->hidden[state])
                found = state;
            if (found != PITHI_NONE && ranges->query.depth == PITHI_INNERMOST)
                break;
        }
        states[count] = found;
        named += piece->share[count] / 255.0;
        others -= states[count] == PITHI_NONE ? pieces->idle : pieces->weight[states[count]];
    }
    if (others > 0.02)
        spare = (1 - named) / others;
    else
        scale = named > 0 ? 1 / named : 1; /* no other state was sampled, so the named states get all */
    for (int i = 0; i < count; i++)
        if (states[i] != PITHI_NONE)
            spread(pieces, times_of(ranges, states[i]), from, to,
                   piece->share[i] / 255.0 * scale - spare * pieces->weight[states[i]]);
    if (spare > 0)
        spread(pieces, pieces->spare, from, to, spare);
}

int pithi_ranges_quick(struct pithi_ranges *ranges, struct pithlog_summary *summary, double seconds)
{
    const struct pithi_ranges_query *query = &ranges->query;
    struct pieces *pieces = ranges->pieces;
    int64_t length_ns = (query->t1_ns - query->t0_ns) / query->width * QUICK_COLUMNS;
    double end_s = now_s() + seconds;

    if (!pieces) {
        double all = 0, span = (double)query->t1_ns - (double)query->t0_ns;
        pieces = ranges->pieces = pithi_alloc(1, sizeof *pieces);
        pieces->ranges = ranges;
        pieces->spare = pithi_alloc(query->width, sizeof *pieces->spare);
        pieces->weight = pithi_alloc(ranges->defs, sizeof *pieces->weight);
        pieces->idle = 1;
        for (uint32_t i = 0; i < SAMPLES && query->lane_count; i++)
            all += sample(pieces, query->lanes[(uint64_t)i * query->lane_count / SAMPLES],
                          query->t0_ns + (int64_t)(span * (i + 0.5) / SAMPLES));
        for (uint32_t id = 0; id < ranges->defs && all > 0; id++) {
            pieces->weight[id] /= all;
            pieces->idle -= pieces->weight[id];
        }
    }
    memset(pieces->spare, 0, query->width * sizeof *pieces->spare);
    while (ranges->quick_lanes < query->lane_count && now_s() < end_s) {
        uint32_t count, lane = ranges->lanes[ranges->quick_lanes++];
        pieces->paths = pithlog_summary_paths(summary, lane, &count);
        pieces->column = 0;
        /* A lane that cannot be read stays empty; the time lines report why. */
        if (pieces->paths)
            pithlog_summary_pieces(summary, lane, query->t0_ns, query->t1_ns, length_ns, take_piece, pieces);
    }
    for (uint32_t id = 0; id < ranges->defs; id++) {
        uint64_t *times = pieces->weight[id] > 0 || ranges->layer[id] != PITHI_NONE ? times_of(ranges, id) : NULL;
        for (uint32_t c = 0; times && c < query->width; c++) {
            times[c] += (uint64_t)((double)pieces->spare[c] * pieces->weight[id]);
            times[c] = (int64_t)times[c] < 0 ? 0 : times[c]; /* rounding may make it negative */
        }
    }
    return ranges->quick_lanes < query->lane_count;
}

double pithi_ranges_records(const struct pithi_ranges *ranges)
{
    double records = 0;

    for (uint32_t i = 0; i < ranges->query.lane_count; i++) {
        const struct pithlog_lane *lane = pithlog_get_lane(ranges->log, ranges->lanes[i]);
        double first = (double)lane->first_ns, last = (double)lane->last_ns;
        double from = first > (double)ranges->query.t0_ns ? first : (double)ranges->query.t0_ns;
        double to = last < (double)ranges->query.t1_ns ? last : (double)ranges->query.t1_ns;
        if (to > from)
            records += (double)lane->records * (to - from) / (last - first);
    }
    return records;
}

void pithi_ranges_free(struct pithi_ranges *ranges)
{
    if (!ranges)
        return;
    for (uint32_t i = 0; i < ranges->count; i++)
        free(ranges->times[i]);
    if (ranges->pieces) {
        free(ranges->pieces->weight);
        free(ranges->pieces->spare);
        free(ranges->pieces);
    }
    free(ranges->times);
    free(ranges->states);
    free(ranges->lanes);
    free(ranges->hidden);
    free(ranges->bounds);
    free(ranges->layer);
    free(ranges);
}

/* ---- Queries ----------------------------------------------------------------------------------------------------- */

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

/* ---- The picture: counts, stacked -------------------------------------------------------------------------------- */

/* Smoothing gives a column the weighted average of the columns up to SMOOTH - 1 away, with weights 1, 2 ... SMOOTH ...
 * 2, 1. Beyond its ends the picture is continued by its mirror image, so that the areas do not change. */
enum { SMOOTH = 8 };

/* ---- Order ------------------------------------------------------------------------------------------------------- */

static int by_id(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static int is_drawn(const struct pithi_layers_look *look, uint32_t state)
{
    return !look->chosen || look->chosen[state];
}

static int is_ordered(const struct pithi_layers_look *look, uint32_t state)
{
    for (uint32_t i = 0; i < look->order_count; i++)
        if (look->order[i] == state)
            return 1;
    return 0;
}

/* Returns the states to draw, from the bottom up: an array [*count] that the caller frees. */
static uint32_t *sorted_states(const struct pithi_ranges *ranges, const struct pithi_layers_look *look, uint32_t *count)
{
    const uint32_t *there;
    uint32_t all = pithi_ranges_states(ranges, &there), *states, first_other;

    states = pithi_alloc(look->order_count + (size_t)all, sizeof *states);
    *count = 0;
    for (uint32_t i = 0; i < look->order_count; i++)
        if (is_drawn(look, look->order[i]))
            states[(*count)++] = look->order[i];
    first_other = *count;
    for (uint32_t i = 0; i < all; i++)
        if (is_drawn(look, there[i]) && !is_ordered(look, there[i]))
            states[(*count)++] = there[i];
    if (*count > first_other)
        qsort(states + first_other, *count - first_other, sizeof *states, by_id);
    return states;
}

/* ---- Heights ----------------------------------------------------------------------------------------------------- */

/* Returns the number of lanes to draw for a state in a column: with a smooth look, the weighted mean over the columns
 * around it. */
static double value_of(const struct pithi_ranges *ranges, const struct pithi_layers_look *look, uint32_t state,
                       uint32_t column)
{
    double sum = 0;

    if (!look->smooth)
        return pithi_ranges_value(ranges, state, column);
    for (int by = 1 - SMOOTH; by < SMOOTH; by++) {
        int64_t at = (int64_t)column + by;
        int64_t last = (int64_t)pithi_ranges_width(ranges) - 1;

        while (at < 0 || at > last)
            at = at < 0 ? -1 - at : 2 * last + 1 - at;
        uint32_t near = (uint32_t)at;
        sum += pithi_ranges_value(ranges, state, near) * (SMOOTH - abs(by));
    }
    return sum / (SMOOTH * SMOOTH);
}

static double edge_of(const struct pithi_ranges *ranges, const struct pithi_layers_look *look, double lanes)
{
    uint32_t all = pithi_ranges_lanes(ranges);
    return floor(look->height - lanes / (all ? all : 1) * look->height + 0.5);
}

/* ---- Drawing ----------------------------------------------------------------------------------------------------- */

void pithi_layers_draw(const struct pithi_ranges *ranges, const struct pithi_layers_look *look,
                       const struct pithi_painter *painter)
{
    uint32_t width = pithi_ranges_width(ranges), count, *states = sorted_states(ranges, look, &count);
    double *lanes = pithi_alloc(width, sizeof *lanes); /* [width] number of lanes in the layers below the current one */
    double *low = pithi_alloc(width, sizeof *low), *high = pithi_alloc(width, sizeof *high);

    for (uint32_t c = 0; c < width; c++)
        high[c] = edge_of(ranges, look, 0);
    for (uint32_t i = 0; i < count; i++) {
        double *swap = low;
        low = high, high = swap;
        for (uint32_t c = 0; c < width; c++) {
            lanes[c] += value_of(ranges, look, states[i], c);
            high[c] = edge_of(ranges, look, lanes[c]);
        }
        /* The layer is between the edges `low` (nearer to the base) and `high` of each column. */
        for (uint32_t first = 0, end; first < width; first = end) {
            for (end = first + 1; end < width && low[end] == low[first] && high[end] == high[first]; end++)
                continue;
            if (low[first] > high[first])
                painter->rect(painter->context, look->x + first, look->y + high[first], end - first,
                              low[first] - high[first], look->rgb[states[i]], 1);
        }
    }
    free(lanes);
    free(low);
    free(high);
    free(states);
}

uint32_t pithi_layers_at(const struct pithi_ranges *ranges, const struct pithi_layers_look *look, uint32_t column,
                         double y)
{
    uint32_t count, *states, found = PITHI_NONE;
    double lanes = 0;

    if (column >= pithi_ranges_width(ranges) || y < 0 || y >= look->height)
        return PITHI_NONE;
    states = sorted_states(ranges, look, &count);
    for (uint32_t i = 0; i < count && found == PITHI_NONE; i++) {
        lanes += value_of(ranges, look, states[i], column);
        if (floor(y) >= edge_of(ranges, look, lanes))
            found = states[i];
    }
    free(states);
    return found;
}

/* ---- The scale --------------------------------------------------------------------------------------------------- */

uint32_t pithi_layers_step(uint32_t lanes, double height, double spacing)
{
    static const uint32_t steps[] = {1, 2, 5};

    for (uint32_t power = 1; power <= 100000000; power *= 10)
        for (int i = 0; i < 3; i++)
            if ((double)steps[i] * power * height >= spacing * lanes)
                return steps[i] * power;
    return lanes ? lanes : 1;
}

void pithi_layers_draw_grid(const struct pithi_ranges *ranges, const struct pithi_layers_look *look, double spacing,
                            const struct pithi_painter *painter)
{
    uint32_t lanes = pithi_ranges_lanes(ranges), step = pithi_layers_step(lanes, look->height, spacing);

    for (uint64_t mark = step; mark <= lanes; mark += step)
        painter->rect(painter->context, look->x, look->y + edge_of(ranges, look, (double)mark),
                      pithi_ranges_width(ranges), 1, PITHI_RGB_GRID, 1);
}
