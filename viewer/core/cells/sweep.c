/* sweep.c - divides the time of a lane among pixel columns.
 *
 * A sweep goes along the lane once. It keeps the open states and the begin of the current column. It adds time to a
 * state's share only when another state takes the state's level, or when the column ends. An example with columns of 50
 * ns, A from 0 to 60 and B from 60 to 100:
 *
 *     A begins at 0      nothing to add
 *     column 0 ends      A was open from its begin to its end: the cell shows A, no share is needed
 *     A ends at 60       share of A in column 1: 10
 *     B begins at 60     nothing to add
 *     B ends at 100      share of B: 40; column 1 ends, and its cell shows B
 *
 * So a long state costs one cell for each column, and a short state two additions at any depth, because the other
 * levels need not be touched.
 *
 * Internal times are relative to t0 and shifted left, so that a column is at least 16 units wide. Therefore the shares
 * of a column are exact integers at any zoom, and two sweeps of a column give the same cell. */
#include "core/cells/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "base/wide.h"
#include "core/cells/memory.h"

/* ---- Marks, spans ------------------------------------------------------------------------------------------------ */

static void marks_add(struct pithi_cells *cells, struct pithi_mark mark)
{
    cells->marks = pithi_view_grow(cells->marks, &cells->mark_capacity, cells->mark_count + 1, sizeof *cells->marks);
    cells->marks[cells->mark_count++] = mark;
}

static void spans_add(struct pithi_cells *cells, struct pithi_cell_span span)
{
    cells->spans = pithi_view_grow(cells->spans, &cells->span_capacity, cells->span_count + 1, sizeof *cells->spans);
    cells->spans[cells->span_count++] = span;
}

uint32_t pithi_cells_missing(const struct pithi_cells *cells, uint32_t row, unsigned char *missing)
{
    uint32_t count = 0;

    if (missing)
        memset(missing, 0, cells->width);
    for (uint32_t i = 0; i < cells->span_count; i++) {
        if (cells->spans[i].level != PITHI_MISSING || cells->spans[i].row != row)
            continue;
        if (missing)
            missing[cells->spans[i].column] = 1;
        count++;
    }
    return count;
}

/* ---- Rows of several lanes --------------------------------------------------------------------------------------- */

/* Adds up, column by column, the states of the lanes that share a row. */

struct share {
    uint32_t state;
    uint64_t span; /* the state's time in the column, in internal units */
};

struct shares {
    struct share *items; /* [count] one for each state, in the order in which the states first occur */
    uint32_t count, capacity;
};

/* Adds `span` to the state's share. Returns the index of the share. */
static inline uint32_t shares_add(struct shares *shares, uint32_t state, uint64_t span)
{
    for (uint32_t i = 0; i < shares->count; i++)
        if (shares->items[i].state == state) {
            shares->items[i].span += span;
            return i;
        }
    shares->items = pithi_view_grow(shares->items, &shares->capacity, shares->count + 1, sizeof *shares->items);
    shares->items[shares->count] = (struct share){state, span};
    return shares->count++;
}

/* The state with the most time; if several have the same time, the state with the lowest id. */
struct most {
    uint32_t state; /* PITHI_NONE: no share */
    uint64_t sum;   /* of all shares */
    uint64_t lead;  /* time of `state` minus the time of the next state */
};

struct blend_column {
    struct shares shares;
    /* time for which pieces name no state; named time of pieces that also lie in other columns */
    uint64_t unnamed, crossing;
    uint32_t mark, marks; /* the definition of the first event, and the number of events */
};

struct blend {
    uint32_t width;
    struct blend_column *columns; /* [width] summed over the lanes of the row */
};

/* Finds the state with the most time; there must be at least one share. */
static struct most shares_most(const struct shares *shares)
{
    const struct share *most = shares->items;
    struct most result = {.sum = 0};
    uint64_t second = 0;

    for (uint32_t i = 0; i < shares->count; i++) {
        const struct share *share = &shares->items[i];
        result.sum += share->span;
        if (share->span > most->span || (share->span == most->span && share->state < most->state))
            most = share;
    }
    for (uint32_t i = 0; i < shares->count; i++)
        if (&shares->items[i] != most && shares->items[i].span > second)
            second = shares->items[i].span;
    result.state = most->state;
    result.lead = most->span - second;
    return result;
}

/* Returns the cover, 1 to 255, of a cell whose states have `sum` of its time `whole`; `sum` is not 0. */
static uint8_t cover_of(uint64_t sum, uint64_t whole)
{
    unsigned cover = (unsigned)((double)sum * 255.0 / (double)whole + 0.5);
    return (uint8_t)(cover > 255 ? 255 : cover ? cover : 1);
}

/* ---- Columns ----------------------------------------------------------------------------------------------------- */

/* Empties the columns [from, to). */
static void blend_clear(struct blend *blend, uint32_t from, uint32_t to)
{
    for (uint32_t c = from; c < to; c++) {
        struct blend_column *column = &blend->columns[c];
        column->shares.count = 0;
        column->unnamed = column->crossing = 0;
        column->mark = column->marks = 0;
    }
}

/* ---- Ticks ------------------------------------------------------------------------------------------------------- */

static int by_state_and_column(const void *a, const void *b)
{
    const struct pithi_tick *x = a, *y = b;

    if (x->state != y->state)
        return x->state < y->state ? -1 : 1;
    return (x->column > y->column) - (x->column < y->column);
}

static int shown_near(const struct pithi_cells *cells, const struct pithi_tick *tick)
{
    uint32_t from = tick->column < PITHI_TICK_DISTANCE ? 0 : tick->column - PITHI_TICK_DISTANCE;
    uint32_t to = tick->column + PITHI_TICK_DISTANCE;

    if (to >= cells->width)
        to = cells->width - 1;
    for (uint32_t l = 0; l < cells->levels; l++)
        for (uint32_t c = from; c <= to; c++)
            if (pithi_cells_line(cells, tick->row, l)[c].state == tick->state)
                return 1;
    return 0;
}

/* Drops those ticks, from index `first` on, whose state is already shown by a cell in a column near the tick. */
static void ticks_drop_shown(struct pithi_cells *cells, uint32_t first)
{
    uint32_t kept = first;

    for (uint32_t i = kept; i < cells->tick_count; i++)
        if (!shown_near(cells, &cells->ticks[i]))
            cells->ticks[kept++] = cells->ticks[i];
    cells->tick_count = kept;
}

/* ---- The walk along a lane --------------------------------------------------------------------------------------- */

/* Columns in doubt that are at most this far apart are read together, because each time that reading starts anew, a
 * whole block is decoded. */
enum { DOUBT_DISTANCE = 32 };

enum { PLACES = 64 }; /* a power of two */

/* What a level has in the current column. */
struct level {
    struct shares shares;  /* of the column's time before `since` */
    uint8_t place[PLACES]; /* the index in `shares` at which a state may be, by the lowest bits of its id */
    uint64_t since;        /* begin of the level's state, or of the column if that is later */
    uint32_t begun;        /* a state whose begin no cell shows yet; PITHI_NONE: none */
};

struct open_state {
    uint32_t id; /* definition */
    /* perhaps before the window; INT64_MAX: no span, because its bar is cut where the state moved up a level */
    int64_t start_ns;
};

/* The states that a path shows at each level. */
enum { SHOWS = 256 }; /* a power of two */
struct path_show {
    uint32_t path;      /* PITHI_NONE: not made yet */
    uint32_t innermost; /* the innermost visible state */
    uint32_t levels;    /* number of levels; their states are in `shown_states` */
};

struct pithi_sweep {
    const struct pithi_query *query; /* the caller's */
    struct pithi_cells *cells;       /* the caller's; filled */
    unsigned shift;                  /* internal units are ns << shift, so that a column has at least 16 */
    uint64_t span_least_ns;          /* shorter instances get no span */
    uint64_t end;                    /* end of the window, in internal units */
    uint64_t *bounds;                /* [width + 1] the begins of columns; the last one is the end */

    uint32_t row;               /* index of the row in the cells */
    uint32_t levels;            /* number of levels of this row; 1 if it shows a group */
    uint32_t filled;            /* levels from here on have no shares in the current column */
    uint32_t group_lanes;       /* number of lanes of a row that shows a group; 0: it shows one lane */
    struct blend *blend;        /* used for a row of several lanes; NULL: no row had several lanes so far */
    uint64_t now;               /* how far this lane is swept, in internal units */
    uint64_t limit;             /* only times up to here are used */
    uint64_t again;             /* time from which columns are computed again; else 0 */
    int has_pieces;             /* 1: the current column has time of pieces */
    uint64_t unnamed, crossing; /* of the current column; see struct blend_column */
    unsigned char *doubt;       /* [width] 1: the column is in doubt (sweep.h) in this row */
    uint32_t column;            /* the column of `now` */
    struct open_state *stack;   /* [depth] the open states of the lane, outermost first */
    uint32_t depth, capacity;
    uint32_t *visible; /* the states of the stack that are not hidden */
    uint32_t visible_depth, visible_capacity;
    struct level level[PITHI_LEVELS]; /* the current column of each level */

    struct path_show shows[SHOWS]; /* recently used paths, indexed by the lowest bits of their numbers */
    uint32_t *shown_states;        /* [SHOWS * deepest] the states of these paths, by level */
    uint32_t shown_capacity;
    const struct pithlog_path *shown_paths; /* the paths of the lane, owned by the summary */
    uint8_t *depths;                        /* [depth_capacity] levels that paths reach */
    uint32_t depth_capacity, deepest;       /* deepest: the most levels of a path */

    uint32_t first_mark; /* index of this lane's first mark in the marks of the cells */
    uint32_t first_tick; /* index of this lane's first tick in the ticks of the cells */
    uint32_t *last_tick; /* [defs] column + 1 of the newest tick */
};

/* ---- Set-up ------------------------------------------------------------------------------------------------------ */

struct pithi_sweep *pithi_sweep_new(const struct pithi_query *query, struct pithi_cells *cells)
{
    struct pithi_sweep *sweep = pithi_alloc(1, sizeof *sweep);
    uint64_t span = (uint64_t)query->t1_ns - (uint64_t)query->t0_ns;
    uint32_t width = query->width;

    sweep->query = query;
    sweep->cells = cells;
    while (span << sweep->shift < (uint64_t)width * 16)
        sweep->shift++;
    uint64_t rest;
    sweep->span_least_ns = pithi_mul_div(span, PITHI_SPAN_COLUMNS, width, &rest);
    sweep->span_least_ns += rest > 0 && sweep->span_least_ns < UINT64_MAX;
    sweep->end = span << sweep->shift;
    sweep->bounds = pithi_alloc((size_t)width + 2, sizeof *sweep->bounds);
    /* bounds[c] = end * c / width, c from 1 to width, without a division for each column; bounds[0] is 0. */
    uint64_t step = sweep->end / width, over = 0;
    rest = sweep->end % width;
    for (uint32_t c = 1; c <= width; c++) {
        over += rest;
        sweep->bounds[c] = sweep->bounds[c - 1] + step + (over >= width);
        over -= over >= width ? width : 0;
    }
    sweep->last_tick = pithi_alloc(cells->defs, sizeof *sweep->last_tick);
    sweep->doubt = pithi_alloc((size_t)width + 1, 1);
    return sweep;
}

void pithi_sweep_free(struct pithi_sweep *sweep)
{
    for (uint32_t l = 0; l < PITHI_LEVELS; l++)
        free(sweep->level[l].shares.items);
    free(sweep->bounds);
    free(sweep->stack);
    free(sweep->visible);
    free(sweep->last_tick);
    free(sweep->depths);
    free(sweep->shown_states);
    free(sweep->doubt);
    if (sweep->blend) {
        for (uint32_t c = 0; c < sweep->blend->width; c++)
            free(sweep->blend->columns[c].shares.items);
        free(sweep->blend->columns);
        free(sweep->blend);
    }
    free(sweep);
}

/* Converts a time to internal units, limited to the window. */
static uint64_t to_units(const struct pithi_sweep *sweep, int64_t time_ns)
{
    if (time_ns <= sweep->query->t0_ns)
        return 0;
    if (time_ns >= sweep->query->t1_ns)
        return sweep->end;
    return ((uint64_t)time_ns - (uint64_t)sweep->query->t0_ns) << sweep->shift;
}

static int is_hidden(const struct pithi_sweep *sweep, uint32_t id)
{
    return sweep->query->hidden && sweep->query->hidden[id];
}

/* ---- Columns ----------------------------------------------------------------------------------------------------- */

static struct pithi_cell *cell_at(const struct pithi_sweep *sweep, uint32_t level, uint32_t column)
{
    const struct pithi_cells *cells = sweep->cells;
    return cells->cells + ((size_t)sweep->row * cells->levels + level) * cells->width + column;
}

/* Returns the state that a level shows, or PITHI_NONE. The last level shows the innermost state. */
static uint32_t state_at(const struct pithi_sweep *sweep, uint32_t level)
{
    uint32_t depth = sweep->visible_depth;

    if (level >= depth)
        return PITHI_NONE;
    return sweep->visible[level + 1 == sweep->levels ? depth - 1 : level];
}

/* Adds time to a state's share. A column often has many instances of a state, so `place` keeps the index of the state's
 * share for the next instance. */
static inline void add_share(struct pithi_sweep *sweep, uint32_t l, uint32_t state, uint64_t span)
{
    struct level *level = &sweep->level[l];
    uint8_t *place = &level->place[state % PLACES];

    if (*place < level->shares.count && level->shares.items[*place].state == state) {
        level->shares.items[*place].span += span;
        return;
    }
    *place = (uint8_t)shares_add(&level->shares, state, span);
    if (sweep->filled <= l)
        sweep->filled = l + 1;
}

static void set_cell(struct pithi_sweep *sweep, uint32_t l, uint32_t state, uint8_t cover)
{
    struct level *level = &sweep->level[l];
    struct pithi_cell *cell;

    if (l >= sweep->cells->levels)
        pithi_cells_deepen(sweep->cells,
                           l + PITHI_FIRST_LEVELS < sweep->levels ? l + PITHI_FIRST_LEVELS : sweep->levels);
    sweep->cells->depth = l < sweep->cells->depth ? sweep->cells->depth : l + 1;
    cell = cell_at(sweep, l, sweep->column);
    cell->state = state;
    cell->cover = cover;
    cell->flags = sweep->has_pieces ? PITHI_CELL_PIECE : 0;
    if (level->begun == state) {
        cell->flags |= PITHI_CELL_BEGIN;
        level->begun = PITHI_NONE;
    }
}

/* Ends a column. In a row of one lane, the states with the largest shares win its cells. In a group, the shares of the
 * column, and the time that pieces leave open in it, are added to those of the other lanes. */
static void flush_column(struct pithi_sweep *sweep)
{
    uint64_t width = sweep->bounds[sweep->column + 1] - sweep->bounds[sweep->column];
    uint64_t open = sweep->unnamed + sweep->crossing;

    if (sweep->group_lanes) {
        struct blend_column *to = &sweep->blend->columns[sweep->column];
        struct shares *shares = &sweep->level[0].shares;
        for (uint32_t i = 0; i < shares->count; i++)
            shares_add(&to->shares, shares->items[i].state, shares->items[i].span);
        to->unnamed += sweep->unnamed;
        to->crossing += sweep->crossing;
        shares->count = 0;
    }
    for (uint32_t l = 0; l < sweep->filled && !sweep->group_lanes; l++) {
        struct shares *shares = &sweep->level[l].shares;
        if (!shares->count)
            continue;
        struct most most = shares_most(shares);
        sweep->doubt[sweep->column] |= open && most.lead <= open;
        set_cell(sweep, l, most.state, cover_of(most.sum, width - sweep->unnamed));
        shares->count = 0;
    }
    /* The lane has deeper levels, which have no share in this column. The time that pieces leave open could belong to
     * them, so the column is in doubt. */
    if (!sweep->group_lanes && sweep->filled < sweep->deepest && open > 0)
        sweep->doubt[sweep->column] = 1;
    sweep->filled = 0;
    sweep->has_pieces = 0;
    sweep->unnamed = sweep->crossing = 0;
    sweep->column++;
}

/* Adds the time of the state at place `at` of the visible stack, up to now, to its share. Call it before the level of
 * this place changes. The time of other levels is added when they change or when the column ends. */
static void settle(struct pithi_sweep *sweep, uint32_t at)
{
    uint32_t l = at < sweep->levels ? at : sweep->levels - 1, state = state_at(sweep, l);

    if (state != PITHI_NONE && sweep->now > sweep->level[l].since)
        add_share(sweep, l, state, sweep->now - sweep->level[l].since);
    sweep->level[l].since = sweep->now;
}

/* Moves `now` to `until`, and ends the columns in between. */
static void pass_columns(struct pithi_sweep *sweep, uint64_t until)
{
    while (sweep->now < until) {
        uint64_t next = sweep->bounds[sweep->column + 1];
        sweep->now = next < until ? next : until;
        if (sweep->now != next)
            return;
        /* Ends a column, in which states are open up to its end. A state that fills the column needs no share. */
        for (uint32_t l = 0; l < sweep->levels && l < sweep->visible_depth; l++) {
            if (sweep->level[l].since == sweep->bounds[sweep->column] && !sweep->group_lanes)
                set_cell(sweep, l, state_at(sweep, l), 255);
            else
                settle(sweep, l);
            sweep->level[l].since = sweep->now;
        }
        flush_column(sweep);
    }
}

/* Adds the time from now to `until`, in which the stack does not change. */
static inline void advance(struct pithi_sweep *sweep, uint64_t until)
{
    if (until > sweep->limit)
        until = sweep->limit;
    if (until <= sweep->now)
        return;
    if (until < sweep->bounds[sweep->column + 1])
        sweep->now = until;
    else
        pass_columns(sweep, until);
}

/* ---- Ticks ------------------------------------------------------------------------------------------------------- */

/* Adds a tick of a state in the current column, unless the state has a tick shortly before it. */
static void note_tick(struct pithi_sweep *sweep, uint32_t id)
{
    struct pithi_cells *cells = sweep->cells;

    if (sweep->column >= cells->width)
        return;
    if (sweep->last_tick[id] && sweep->column + 1 - sweep->last_tick[id] < PITHI_TICK_DISTANCE)
        return;
    sweep->last_tick[id] = sweep->column + 1;
    cells->ticks = pithi_view_grow(cells->ticks, &cells->tick_capacity, cells->tick_count + 1, sizeof *cells->ticks);
    cells->ticks[cells->tick_count++] = (struct pithi_tick){sweep->row, sweep->column, id};
}

/* ---- Records ----------------------------------------------------------------------------------------------------- */

void pithi_sweep_begin(struct pithi_sweep *sweep, uint32_t row)
{
    sweep->row = row;
    sweep->levels = sweep->group_lanes ? 1 : sweep->query->levels;
    sweep->now = sweep->again = 0;
    sweep->limit = sweep->end;
    sweep->unnamed = sweep->crossing = sweep->filled = 0;
    memset(sweep->doubt, 0, sweep->query->width);
    sweep->column = sweep->depth = sweep->visible_depth = 0;
    for (uint32_t l = 0; l < PITHI_LEVELS; l++) {
        sweep->level[l].shares.count = 0;
        sweep->level[l].begun = PITHI_NONE;
    }
    sweep->shown_paths = NULL;
    if (!sweep->group_lanes) {
        sweep->first_mark = sweep->cells->mark_count;
        sweep->first_tick = sweep->cells->tick_count;
    }
    memset(sweep->last_tick, 0, sweep->cells->defs * sizeof *sweep->last_tick);
}

void pithi_sweep_enter(struct pithi_sweep *sweep, int64_t time_ns, uint32_t id)
{
    uint64_t now = to_units(sweep, time_ns);

    if (time_ns >= sweep->query->t1_ns || id >= sweep->cells->defs)
        return;
    advance(sweep, now);
    sweep->stack = pithi_view_grow(sweep->stack, &sweep->capacity, sweep->depth + 1, sizeof *sweep->stack);
    sweep->stack[sweep->depth++] = (struct open_state){.id = id, .start_ns = time_ns};
    if (is_hidden(sweep, id))
        return;
    sweep->visible =
        pithi_view_grow(sweep->visible, &sweep->visible_capacity, sweep->visible_depth + 1, sizeof *sweep->visible);
    settle(sweep, sweep->visible_depth);
    sweep->visible[sweep->visible_depth++] = id;
    if (sweep->visible_depth <= sweep->levels && now >= sweep->again && time_ns >= sweep->query->t0_ns)
        sweep->level[sweep->visible_depth - 1].begun = id;
    note_tick(sweep, id);
}

void pithi_sweep_leave(struct pithi_sweep *sweep, int64_t time_ns, uint32_t id)
{
    uint32_t at = sweep->depth;

    advance(sweep, to_units(sweep, time_ns));
    while (at > 0 && sweep->stack[at - 1].id != id)
        at--;
    if (!at--)
        return;
    if (at + 1 == sweep->depth) {
        /* Adds a span for the innermost state if the state really ends here. It does not if only the interval that is
         * read ends. */
        const struct open_state *state = &sweep->stack[sweep->depth - 1];
        struct pithi_cells *cells = sweep->cells;
        if (state->start_ns < time_ns && (uint64_t)time_ns - (uint64_t)state->start_ns >= sweep->span_least_ns) {
            uint64_t end = to_units(sweep, time_ns);
            if (!sweep->group_lanes && sweep->visible_depth <= sweep->levels && !is_hidden(sweep, state->id) &&
                time_ns < sweep->query->t1_ns && end > sweep->again && end < sweep->limit)
                spans_add(cells, (struct pithi_cell_span){sweep->row, sweep->visible_depth - 1, sweep->column,
                                                          time_ns - state->start_ns});
        }
    }
    memmove(&sweep->stack[at], &sweep->stack[at + 1], (sweep->depth - at - 1) * sizeof *sweep->stack);
    sweep->depth--;
    if (is_hidden(sweep, id))
        return;
    for (uint32_t i = at; i < sweep->depth; i++)
        sweep->stack[i].start_ns = INT64_MAX;
    for (uint32_t i = at == sweep->depth ? sweep->visible_depth - 1 : 0; i < sweep->visible_depth; i++)
        settle(sweep, i);
    if (at == sweep->depth) {
        sweep->visible_depth--;
        return;
    }
    sweep->visible = pithi_view_grow(sweep->visible, &sweep->visible_capacity, sweep->depth, sizeof *sweep->visible);
    sweep->visible_depth = 0;
    for (uint32_t i = 0; i < sweep->depth; i++)
        if (!is_hidden(sweep, sweep->stack[i].id))
            sweep->visible[sweep->visible_depth++] = sweep->stack[i].id;
}

void pithi_sweep_leave_all(struct pithi_sweep *sweep, int64_t time_ns)
{
    while (sweep->depth)
        pithi_sweep_leave(sweep, time_ns, sweep->stack[sweep->depth - 1].id);
}

/* Adds events to the current column. */
static void add_mark(struct pithi_sweep *sweep, uint32_t id, uint32_t count)
{
    struct pithi_cells *cells = sweep->cells;
    struct pithi_mark *mark = cells->mark_count ? &cells->marks[cells->mark_count - 1] : NULL;

    if (sweep->group_lanes) {
        struct blend_column *to = &sweep->blend->columns[sweep->column];
        if (!to->marks)
            to->mark = id;
        to->marks += count;
    } else if (mark && mark->row == sweep->row && mark->column == sweep->column) {
        mark->count += count;
    } else {
        marks_add(cells, (struct pithi_mark){sweep->row, sweep->column, id, count});
    }
}

void pithi_sweep_event(struct pithi_sweep *sweep, int64_t time_ns, uint32_t id)
{
    struct pithi_cells *cells = sweep->cells;

    if (time_ns < sweep->query->t0_ns || time_ns >= sweep->query->t1_ns || id >= cells->defs ||
        to_units(sweep, time_ns) < sweep->again || (sweep->again && to_units(sweep, time_ns) >= sweep->limit))
        return;
    advance(sweep, to_units(sweep, time_ns));
    if (!is_hidden(sweep, id))
        add_mark(sweep, id, 1);
}

void pithi_sweep_end(struct pithi_sweep *sweep)
{
    advance(sweep, sweep->end);
    if (!sweep->group_lanes)
        ticks_drop_shown(sweep->cells, sweep->first_tick);
}

void pithi_sweep_missing(struct pithi_sweep *sweep, int64_t from_ns, int64_t to_ns)
{
    uint64_t from = to_units(sweep, from_ns), to = to_units(sweep, to_ns);
    const uint64_t *bounds = sweep->bounds;
    for (uint32_t c = 0; !sweep->group_lanes && c < sweep->cells->width; c++)
        if (bounds[c] <= to && bounds[c + 1] > from)
            spans_add(sweep->cells, (struct pithi_cell_span){sweep->row, PITHI_MISSING, c, 0});
}

/* ---- Pieces ------------------------------------------------------------------------------------------------------ */

static uint32_t *states_of(const struct pithi_sweep *sweep, const struct path_show *show)
{
    return sweep->shown_states + (size_t)(show - sweep->shows) * sweep->deepest;
}

/* Returns the states that a path shows at each level. Takes them from the table of recently used paths, or adds them to
 * it. */
static const struct path_show *show_of(struct pithi_sweep *sweep, uint32_t path)
{
    struct path_show *show = &sweep->shows[path % SHOWS];

    if (show->path == path)
        return show;
    /* Puts the visible states of the path into `visible`, outermost first. */
    uint32_t depth = 0;
    for (uint32_t p = path; p; p = sweep->shown_paths[p].parent)
        depth += !is_hidden(sweep, sweep->shown_paths[p].state);
    sweep->visible = pithi_view_grow(sweep->visible, &sweep->visible_capacity, depth + 1, sizeof *sweep->visible);
    for (uint32_t p = path, at = depth; p; p = sweep->shown_paths[p].parent)
        if (!is_hidden(sweep, sweep->shown_paths[p].state))
            sweep->visible[--at] = sweep->shown_paths[p].state;
    sweep->visible_depth = depth;
    show->levels = depth < sweep->levels ? depth : sweep->levels;
    for (uint32_t l = 0; l < show->levels; l++)
        states_of(sweep, show)[l] = state_at(sweep, l);
    show->innermost = sweep->visible_depth ? sweep->visible[sweep->visible_depth - 1] : PITHI_NONE;
    show->path = path;
    sweep->visible_depth = 0;
    return show;
}

void pithi_sweep_piece(struct pithi_sweep *sweep, const struct pithlog_piece *piece, const struct pithlog_path *paths,
                       uint32_t path_count)
{
    uint64_t from = to_units(sweep, piece->start_ns), to = to_units(sweep, piece->end_ns);
    int whole;

    /* Starts with the table of paths of a new lane, because each lane has its own table. */
    if (!sweep->shown_paths) {
        memset(sweep->shows, 0xff, sizeof sweep->shows); /* PITHI_NONE */
        sweep->shown_paths = paths;
        /* the table of paths is full, so stacks may be deeper than its paths */
        sweep->deepest = path_count > UINT16_MAX - 2 ? sweep->levels : 0;
        sweep->depths = pithi_view_grow(sweep->depths, &sweep->depth_capacity, path_count, 1);
        sweep->depths[0] = 0;
        for (uint32_t path = 1; path < path_count && sweep->deepest < sweep->levels; path++) {
            uint8_t depth = sweep->depths[paths[path].parent];
            sweep->depths[path] = depth += !is_hidden(sweep, paths[path].state);
            sweep->deepest = depth > sweep->deepest ? depth : sweep->deepest;
        }
        sweep->shown_states = pithi_view_grow(sweep->shown_states, &sweep->shown_capacity, SHOWS * sweep->deepest,
                                              sizeof *sweep->shown_states);
    }
    advance(sweep, from);
    for (int i = 0; i < PITHLOG_PIECE_PATHS && piece->share[i]; i++) {
        const struct path_show *show = show_of(sweep, piece->path[i]);
        if (show->innermost != PITHI_NONE)
            note_tick(sweep, show->innermost);
    }
    if (piece->events && piece->start_ns >= sweep->query->t0_ns && piece->event < sweep->cells->defs &&
        !is_hidden(sweep, piece->event) && sweep->column < sweep->cells->width)
        add_mark(sweep, piece->event, piece->events);
    whole = piece->start_ns >= sweep->query->t0_ns && piece->end_ns <= sweep->query->t1_ns && from < to &&
            to <= sweep->bounds[sweep->column + 1];
    while (sweep->now < to) {
        uint64_t next = sweep->bounds[sweep->column + 1], until = next < to ? next : to;
        /* `span` is the time of the piece in the current column. It is divided among the states of the piece's paths;
         * time that no path covers is unnamed. If the piece also covers other columns (`whole` is 0), it is not known
         * which of its paths lie in the current column, so the time of its paths counts as crossing. */
        uint64_t span = until - sweep->now, named = 0;
        sweep->has_pieces = 1;
        for (int i = 0; i < PITHLOG_PIECE_PATHS && piece->share[i]; i++) {
            const struct path_show *show = show_of(sweep, piece->path[i]);
            uint64_t part = piece->share[i] == 255 ? span : (uint64_t)((double)span * piece->share[i] / 255);
            for (uint32_t l = 0; part && l < show->levels; l++)
                add_share(sweep, l, states_of(sweep, show)[l], part);
            named += part;
        }
        sweep->unnamed += span - named;
        if (!whole && named < span)
            sweep->crossing += named;
        sweep->now = until;
        if (until == next)
            flush_column(sweep);
    }
}

/* ---- Columns computed again -------------------------------------------------------------------------------------- */

int pithi_sweep_doubt(const struct pithi_sweep *sweep, uint32_t column, struct pithi_doubt *doubt)
{
    uint32_t width = sweep->cells->width;

    while (column < width && !sweep->doubt[column])
        column++;
    doubt->column = doubt->end = column;
    for (uint32_t c = column; c < width && c < doubt->end + DOUBT_DISTANCE; c++)
        if (sweep->doubt[c])
            doubt->end = c + 1;
    if (column == width)
        return 0;
    doubt->from_ns = sweep->query->t0_ns + (int64_t)(sweep->bounds[column] >> sweep->shift);
    doubt->to_ns = sweep->query->t0_ns + (int64_t)(sweep->bounds[doubt->end] >> sweep->shift) + 1;
    if (doubt->to_ns > sweep->query->t1_ns)
        doubt->to_ns = sweep->query->t1_ns;
    return 1;
}

void pithi_sweep_begin_again(struct pithi_sweep *sweep, const struct pithi_doubt *doubt)
{
    struct pithi_cells *cells = sweep->cells;
    uint32_t kept = sweep->first_mark;

    for (uint32_t l = 0; l < sweep->cells->levels; l++)
        for (uint32_t c = doubt->column; c < doubt->end; c++)
            *cell_at(sweep, l, c) = (struct pithi_cell){.state = PITHI_NONE};
    for (uint32_t l = 0; l < sweep->levels; l++)
        sweep->level[l].begun = PITHI_NONE;
    for (uint32_t i = kept; i < cells->mark_count && !sweep->group_lanes; i++)
        if (cells->marks[i].column < doubt->column || cells->marks[i].column >= doubt->end)
            cells->marks[kept++] = cells->marks[i];
    if (!sweep->group_lanes)
        cells->mark_count = kept;
    sweep->column = doubt->column;
    sweep->now = sweep->again = sweep->bounds[doubt->column];
    sweep->limit = sweep->bounds[doubt->end];
    sweep->depth = sweep->visible_depth = 0;
}

void pithi_sweep_end_again(struct pithi_sweep *sweep) { advance(sweep, sweep->limit); }

void pithi_sweep_tidy(struct pithi_sweep *sweep)
{
    struct pithi_cells *cells = sweep->cells;
    uint32_t first = sweep->first_tick, kept = first;

    /* Sorts the row's ticks by state and column, and keeps only ticks that are far enough from the tick of the same
     * state before them. */
    if (cells->tick_count > first)
        qsort(cells->ticks + first, cells->tick_count - first, sizeof *cells->ticks, by_state_and_column);
    for (uint32_t i = first; i < cells->tick_count; i++) {
        const struct pithi_tick *tick = &cells->ticks[i], *last = &cells->ticks[kept ? kept - 1 : 0];
        if (kept == first || last->state != tick->state || tick->column - last->column >= PITHI_TICK_DISTANCE)
            cells->ticks[kept++] = *tick;
    }
    cells->tick_count = kept;
    ticks_drop_shown(cells, first);
}

/* ---- Groups ------------------------------------------------------------------------------------------------------ */

void pithi_sweep_begin_group(struct pithi_sweep *sweep, uint32_t lanes)
{
    if (!sweep->blend) {
        sweep->blend = pithi_alloc(1, sizeof *sweep->blend);
        sweep->blend->width = sweep->cells->width;
        sweep->blend->columns = pithi_alloc(sweep->blend->width, sizeof *sweep->blend->columns);
    }
    blend_clear(sweep->blend, 0, sweep->cells->width);
    sweep->group_lanes = lanes;
    sweep->first_mark = sweep->cells->mark_count;
    sweep->first_tick = sweep->cells->tick_count;
}

void pithi_sweep_clear_group(struct pithi_sweep *sweep, const struct pithi_doubt *doubt)
{
    blend_clear(sweep->blend, doubt->column, doubt->end);
}

void pithi_sweep_show_group(struct pithi_sweep *sweep, uint32_t from, uint32_t to)
{
    for (uint32_t c = from; c < to; c++) {
        const struct blend_column *column = &sweep->blend->columns[c];
        uint64_t whole = (sweep->bounds[c + 1] - sweep->bounds[c]) * sweep->group_lanes; /* over all lanes */
        uint64_t open = column->unnamed + column->crossing;
        struct pithi_cell *cell = cell_at(sweep, 0, c);
        *cell = (struct pithi_cell){.state = PITHI_NONE};
        sweep->doubt[c] = open > 0;
        if (column->shares.count) {
            struct most most = shares_most(&column->shares);
            cell->state = most.state;
            cell->cover = cover_of(most.sum, whole - column->unnamed);
            sweep->doubt[c] = open && most.lead <= open; /* the open time could let another state win */
        }
    }
}

void pithi_sweep_end_group(struct pithi_sweep *sweep)
{
    pithi_sweep_tidy(sweep);
    const struct blend_column *columns = sweep->blend->columns;
    for (uint32_t c = 0; c < sweep->blend->width; c++)
        if (columns[c].marks)
            marks_add(sweep->cells, (struct pithi_mark){sweep->row, c, columns[c].mark, columns[c].marks});
    sweep->group_lanes = 0;
}
